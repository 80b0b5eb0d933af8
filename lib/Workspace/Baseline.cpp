#include "Workspace/Baseline.h"
#include "Diagnostics/Fingerprint.h"
#include "Source/Escape.h"
#include "llvm/ADT/STLExtras.h"
#include <filesystem>

namespace ptxray {
namespace fs = std::filesystem;

static constexpr llvm::StringLiteral head = "# Findings of ptxray that are accepted: path, rule, fingerprint.\n"
                                            "# `ptxray check --baseline=FILE --update-baseline` writes this file.\n";

static fs::path normalized(llvm::StringRef path) {
  std::error_code ignored;
  return fs::absolute(path.str(), ignored).lexically_normal();
}

Baseline::Baseline(llvm::StringRef path) : folder(normalized(path).parent_path()) {}

void Baseline::read(llvm::StringRef text) {
  llvm::SmallVector<llvm::StringRef> found;
  text.split(found, '\n', -1, /*KeepEmpty=*/false);
  for (llvm::StringRef line : found)
    if (!line.starts_with("#"))
      lines.insert(line.rtrim('\r').str());
}

std::string Baseline::text() const {
  std::string text = head.str();
  for (const std::string &line : lines)
    text += line + '\n';
  return text;
}

std::vector<std::string> Baseline::linesOf(const FileReport &report) const {
  // A path is the same from wherever the check runs; a name that is no path stays as it is.
  const std::string file = normalized(report.path).lexically_relative(folder);
  std::vector<std::string> out;
  for (const auto &[d, print] : llvm::zip(report.diagnostics, fingerprints(report)))
    out.push_back(escaped(file) + '\t' + info(d.id).id.str() + '\t' + print);
  return out;
}

unsigned Baseline::apply(FileReport &report) const {
  if (lines.empty() || report.diagnostics.empty() || !report.source)
    return 0;
  const std::vector<std::string> found = linesOf(report);
  size_t i = 0;
  const size_t before = report.diagnostics.size();
  llvm::erase_if(report.diagnostics, [&](const Diagnostic &) { return lines.count(found[i++]) != 0; });
  return before - report.diagnostics.size();
}

void Baseline::accept(const FileReport &report) {
  if (!report.source)
    return;
  std::vector<std::string> found = linesOf(report);
  std::lock_guard<std::mutex> lock(mutex);
  for (std::string &line : found)
    lines.insert(std::move(line));
}

} // namespace ptxray
