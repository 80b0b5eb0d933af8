#pragma once
#include "Render/Render.h"
#include <mutex>
#include <set>

namespace ptxray {

/// A file of findings that are accepted, one a line: path from the file's folder, rule, fingerprint.
class Baseline {
public:
  explicit Baseline(std::string path) : path(std::move(path)) {}

  std::string read(); // what is wrong, or nothing
  std::string write() const;
  /// Takes away the findings that are accepted; gives how many. Safe from several threads.
  unsigned apply(FileReport &report) const;
  void accept(const FileReport &report); // safe from several threads

private:
  std::vector<std::string> linesOf(const FileReport &report) const;

  std::string path;
  std::set<std::string, std::less<>> lines;
  std::mutex mutex;
};

} // namespace ptxray
