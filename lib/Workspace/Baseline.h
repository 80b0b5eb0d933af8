#pragma once
#include "Diagnostics/Report.h"
#include <mutex>
#include <set>

namespace ptxray {

/// Accepted findings. The file has one finding per line: path, rule, fingerprint.
class Baseline {
public:
  /// Constructs a baseline. Paths in the file are relative to the folder of `path`.
  explicit Baseline(llvm::StringRef path);

  void read(llvm::StringRef text);
  std::string text() const;
  /// Removes accepted findings from the report. Returns how many were removed. Thread-safe.
  unsigned apply(FileReport &report);
  /// Returns the number of entries that match nothing, in files that were checked or that no longer exist.
  unsigned countDead() const;
  void accept(const FileReport &report); // thread-safe

private:
  std::string nameOf(const FileReport &report) const;
  std::vector<std::string> linesOf(const FileReport &report) const;

  std::string folder;
  std::set<std::string, std::less<>> lines;
  std::set<std::string, std::less<>> checked, matched; // files, and lines of the baseline
  std::mutex mutex;
};

} // namespace ptxray
