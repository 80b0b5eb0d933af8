#pragma once
// This knows which launches are to be recorded, as the environment says it, and which were.
#include <cstdint>
#include <map>
#include <mutex>
#include <string>

namespace ptxray::recorder {

class Session {
public:
  Session();

  /// Returns whether a launch of that kernel is to be recorded, and counts those that are not.
  bool wants(const std::string &kernel);
  /// The same without counting.
  bool wouldWant(const std::string &kernel);
  void leaveOut(const std::string &reason) { ++leftOut[reason]; }
  /// Returns the path of the next file.
  std::string nextPath(const std::string &kernel);
  /// Notes a file that was written.
  void add(const std::string &path, uint64_t bytes, bool hasEnded);
  void finish() const;

  std::mutex mutex; // of all of it
  bool isActive = false;
  uint64_t bytesOfLaunch = 0;
  bool followsWords = true;

private:
  void report(const std::string &line) const;

  std::string folder, reportPath, name;
  int process = 0;
  uint64_t skip = 0, most = 0, mostOfKernel = 0, bytesLeft = 0;
  uint64_t count = 0;                                // of files
  std::map<std::string, uint64_t> launches, leftOut; // by kernel; by the reason
};

Session &session();

} // namespace ptxray::recorder
