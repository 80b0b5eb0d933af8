#pragma once
#include "Diagnostics/Report.h"
#include <mutex>
#include <set>

namespace ptxray {

/// Findings that are accepted, one a line: path, rule, fingerprint.
class Baseline {
public:
  /// `path` of the file that holds them: the paths in it are relative to its folder.
  explicit Baseline(llvm::StringRef path);

  void read(llvm::StringRef text);
  std::string text() const;
  /// Takes away the findings that are accepted; gives how many. Safe from several threads.
  unsigned apply(FileReport &report);
  /// How many entries match nothing, in files that were checked or are no longer there.
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
