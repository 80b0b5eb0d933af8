#pragma once
#include "Diagnostics/Report.h"
#include <mutex>
#include <set>

namespace ptxray {

/// Accepted findings, one a line: path, rule, fingerprint.
class Baseline {
public:
  /// Paths in the file are relative to the folder of `path`.
  explicit Baseline(llvm::StringRef path);

  void read(llvm::StringRef text);
  std::string text() const;
  /// Removes accepted findings from the report; returns how many. May be called from several threads.
  unsigned apply(FileReport &report);
  /// Counts the entries that match nothing, among files that were checked or no longer exist.
  unsigned countDead() const;
  void accept(const FileReport &report); // safe from several threads

private:
  std::string nameOf(const FileReport &report) const;
  std::vector<std::string> linesOf(const FileReport &report) const;

  std::string folder;
  std::set<std::string, std::less<>> lines;
  std::set<std::string, std::less<>> checked, matched; // files, lines
  std::mutex mutex;
};

} // namespace ptxray
