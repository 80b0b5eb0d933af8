#include "Baseline.h"
#include "Files.h"
#include "Render/Fingerprint.h"
#include "llvm/ADT/STLExtras.h"
#include <filesystem>

namespace ptxray {
namespace fs = std::filesystem;

static constexpr llvm::StringLiteral head = "# Findings of ptxray that are accepted: path, rule, fingerprint.\n"
                                            "# `ptxray check --baseline=FILE --update-baseline` writes this file.\n";

std::string Baseline::read() {
  std::string problem;
  const std::unique_ptr<SourceBuffer> source = SourceBuffer::open(path, problem);
  if (!source)
    return "cannot read the baseline `" + path + "`: " + problem + " (--update-baseline writes it)";
  llvm::SmallVector<llvm::StringRef> found;
  source->text().split(found, '\n', -1, /*KeepEmpty=*/false);
  for (llvm::StringRef line : found)
    if (!line.starts_with("#"))
      lines.insert(line.rtrim('\r').str());
  return "";
}

std::string Baseline::write() const {
  std::string text = head.str();
  for (const std::string &line : lines)
    text += line + '\n';
  const std::string reason = writeFile(path, text);
  return reason.empty() ? "" : "cannot write the baseline `" + path + "`: " + reason;
}

std::vector<std::string> Baseline::linesOf(const FileReport &report) const {
  // A path is the same from wherever the check runs; a name that is no path stays as it is.
  std::error_code ignored;
  const fs::path base = fs::absolute(path, ignored).lexically_normal().parent_path();
  const std::string file = fs::absolute(report.path, ignored).lexically_normal().lexically_relative(base);
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
