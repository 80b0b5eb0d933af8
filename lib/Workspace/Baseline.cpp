#include "Workspace/Baseline.h"
#include "Diagnostics/Fingerprint.h"
#include "Source/Escape.h"
#include "Workspace/PathPatterns.h"
#include "llvm/ADT/STLExtras.h"
#include <filesystem>

namespace ptxray {
namespace fs = std::filesystem;

static constexpr llvm::StringLiteral head = "# Findings of ptxray that are accepted: path, rule, fingerprint.\n"
                                            "# `ptxray check --baseline=FILE --update-baseline` writes this file.\n";

Baseline::Baseline(llvm::StringRef path) : folder(normalizedPath(path).parent_path().generic_string()) {}

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

std::string Baseline::nameOf(const FileReport &report) const {
  return escaped(normalizedPath(report.path).lexically_relative(folder).string());
}

std::vector<std::string> Baseline::linesOf(const FileReport &report) const {
  const std::string file = nameOf(report);
  std::vector<std::string> out;
  for (const auto &[d, print] : llvm::zip(report.diagnostics, fingerprints(report)))
    out.push_back(file + '\t' + info(d.id).id.str() + '\t' + print);
  return out;
}

unsigned Baseline::apply(FileReport &report) {
  if (lines.empty() || !report.source)
    return 0;
  std::vector<std::string> found = linesOf(report);
  size_t i = 0;
  const size_t before = report.diagnostics.size();
  llvm::erase_if(report.diagnostics, [&](const Diagnostic &) { return lines.count(found[i++]) != 0; });
  const std::string file = nameOf(report);
  const std::lock_guard<std::mutex> lock(mutex);
  checked.insert(file);
  matched.insert(found.begin(), found.end());
  return before - report.diagnostics.size();
}

unsigned Baseline::countDead() const {
  return llvm::count_if(lines, [&](llvm::StringRef line) {
    std::error_code ignored;
    const llvm::StringRef file = line.split('\t').first;
    const bool isGone = !fs::exists(fs::path(folder) / file.str(), ignored);
    return (isGone || checked.count(file.str())) && !matched.count(line.str());
  });
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
