// Reads the variables that `ptxray record` sets (tools/ptxray/RecordCommand.cpp), and writes the report for it: lines
// of words that are separated by tabs.
#include "Session.h"
#include <cstdlib>
#include <fcntl.h>
#include <unistd.h>

namespace ptxray::recorder {

static std::string valueOf(const char *name) {
  const char *value = std::getenv(name);
  return value ? value : "";
}
static uint64_t numberOf(const char *name) { return std::strtoull(valueOf(name).c_str(), nullptr, 10); }

Session::Session()
    : bytesOfLaunch(numberOf("PTXRAY_RECORD_BYTES")), followsWords(valueOf("PTXRAY_RECORD_FOLLOW") != "no"),
      folder(valueOf("PTXRAY_RECORD")), reportPath(valueOf("PTXRAY_RECORD_REPORT")),
      name(valueOf("PTXRAY_RECORD_KERNEL")), process(getpid()), skip(numberOf("PTXRAY_RECORD_SKIP")),
      most(numberOf("PTXRAY_RECORD_LAUNCHES")), mostOfKernel(numberOf("PTXRAY_RECORD_EACH")),
      bytesLeft(numberOf("PTXRAY_RECORD_TOTAL")) {
  isActive = !folder.empty();
  report("process\t" + std::to_string(process));
}

bool Session::wants(const std::string &kernel) {
  if (kernel.find(name) == std::string::npos)
    return leaveOut("of other kernels (--kernel)"), false;
  const uint64_t before = launches[kernel]++;
  if (skip && before < skip)
    return leaveOut("before the requested launches (--skip)"), false;
  if (mostOfKernel && before - skip >= mostOfKernel)
    return leaveOut("beyond the number for each kernel (--each)"), false;
  if (count >= most)
    return leaveOut("beyond the number of launches (--launches)"), false;
  if (!bytesLeft)
    return leaveOut("beyond the bytes of all files (--total)"), false;
  return true;
}

bool Session::wouldWant(const std::string &kernel) {
  const std::lock_guard lock(mutex);
  const auto found = launches.find(kernel);
  const uint64_t before = found == launches.end() ? 0 : found->second;
  const bool isLater = mostOfKernel && before >= skip + mostOfKernel;
  return kernel.find(name) != std::string::npos && !isLater && count < most && bytesLeft;
}

std::string Session::nextPath(const std::string &kernel) {
  constexpr size_t most = 60;
  std::string path = kernel.substr(0, most);
  for (char &c : path)
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '_')
      c = '-';
  return folder + '/' + path + '-' + std::to_string(process) + '-' + std::to_string(++count) + ".launch";
}

void Session::add(const std::string &path, uint64_t bytes, bool hasEnded) {
  bytesLeft -= std::min(bytesLeft, bytes);
  report("recorded\t" + std::to_string(bytes) + '\t' + (hasEnded ? "ended" : "not") + '\t' + path);
}

/// Appends a line in one piece, so that the lines of several processes do not mix.
void Session::report(const std::string &line) const {
  const int file = reportPath.empty() ? -1 : open(reportPath.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
  if (file < 0)
    return;
  const std::string whole = line + '\n';
  [[maybe_unused]] const ssize_t written = write(file, whole.data(), whole.size());
  close(file);
}

void Session::finish() const {
  if (process == getpid())
    for (const auto &[reason, number] : leftOut)
      report("left-out\t" + std::to_string(number) + '\t' + reason);
}

Session &session() {
  static auto *const one = new Session; // never destroyed, since threads of the program may call until the end
  return *one;
}

__attribute__((destructor)) static void finishSession() { session().finish(); }

} // namespace ptxray::recorder
