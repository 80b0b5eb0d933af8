#pragma once
// Determines from the environment which launches to record, and counts them.
#include <cstdint>
#include <map>
#include <mutex>
#include <string>

namespace ptxray::recorder {

class Session {
public:
  Session();

  /// Returns whether to record a launch of that kernel. Counts launches that are not recorded.
  bool wants(const std::string &kernel);
  /// Returns whether to record a launch of that kernel, without counting.
  bool wouldWant(const std::string &kernel);
  void leaveOut(const std::string &reason) { ++leftOut[reason]; }
  /// Returns the path of the next file.
  std::string nextPath(const std::string &kernel);
  /// Records that a file was written.
  void add(const std::string &path, uint64_t bytes, bool hasEnded);
  void finish() const;

  std::mutex mutex; // guards all members
  bool isActive = false;
  uint64_t bytesOfLaunch = 0;
  bool followsWords = true;

private:
  void report(const std::string &line) const;

  std::string folder, reportPath, name;
  int process = 0;
  uint64_t skip = 0, most = 0, mostOfKernel = 0, bytesLeft = 0;
  uint64_t count = 0;                                // number of files
  std::map<std::string, uint64_t> launches, leftOut; // keyed by kernel; by reason
};

Session &session();

} // namespace ptxray::recorder
