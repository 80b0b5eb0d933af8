#include "Launches.h"
#include "Reach.h"
#include "Session.h"
#include "Textures.h"
#include <cstring>
#include <sys/stat.h>
#include <unistd.h>

namespace ptxray::recorder {

/// While it exists, calls of this thread are allowed that would otherwise end the capture of another stream.
class Relaxed {
public:
  Relaxed() { exchange(); }
  ~Relaxed() { exchange(); }
  Relaxed(const Relaxed &) = delete;
  Relaxed &operator=(const Relaxed &) = delete;

private:
  void exchange() {
    if (real().cuThreadExchangeStreamCaptureMode)
      real().cuThreadExchangeStreamCaptureMode(&mode);
  }
  int mode = 2; // relaxed
};

static bool isCaptured(const Asked &asked) {
  const auto ask = asked.isPerThread ? real().cuStreamIsCapturing_ptsz : real().cuStreamIsCapturing;
  int state = 0;
  return ask && ask(asked.stream, &state) == Success && state;
}

/// Reads the bytes of each parameter, from the list of their addresses or from one buffer. Returns false if they are
/// missing.
static bool readParameters(std::vector<launcher::Bytes> &to, const KernelText &text, const Asked &asked) {
  const unsigned char *buffer = nullptr;
  size_t size = 0;
  for (void **at = asked.parameters ? nullptr : asked.extra; at && *at;
       at += 2) { // 1 precedes the buffer, 2 the address of its size
    if (*at == reinterpret_cast<void *>(1))
      buffer = static_cast<const unsigned char *>(at[1]);
    else if (*at == reinterpret_cast<void *>(2))
      size = *static_cast<const size_t *>(at[1]);
  }
  size_t offset = 0;
  for (size_t i = 0; i < text.parameters.size(); ++i) {
    const auto [bytes, alignment] = text.parameters[i];
    offset = (offset + alignment - 1) / alignment * alignment;
    const unsigned char *from = nullptr;
    if (asked.parameters)
      from = static_cast<const unsigned char *>(asked.parameters[i]);
    else if (buffer && bytes <= size && offset <= size - bytes)
      from = buffer + offset;
    if (!from)
      return false;
    to.emplace_back(from, from + bytes);
    offset += bytes;
  }
  return true;
}

static void describeDevice(launcher::Recording &to, unsigned &gpu) {
  Device device = 0;
  int first = 0, second = 0;
  char name[256] = "";
  real().cuCtxGetDevice(&device);
  real().cuDeviceGetAttribute(&first, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device);
  real().cuDeviceGetAttribute(&second, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device);
  real().cuDeviceGetName(name, sizeof name - 1, device);
  gpu = static_cast<unsigned>(first * 10 + second);
  to.target = "sm_" + std::to_string(gpu);
  to.device = name;
}

/// Describes the launch. Returns why it cannot be recorded, or an empty string.
static std::string describe(launcher::Recording &to, const FoundFunction &function, const Asked &asked) {
  unsigned gpu = 0;
  describeDevice(to, gpu);
  const KernelText *text = function.image->find(function.name, gpu);
  if (!text)
    return "without PTX of their kernel";
  if (!readParameters(to.parameters, *text, asked))
    return "whose parameters could not be read";
  to.kernel = function.name;
  to.ptx = text->ptx;
  static_cast<LaunchShape &>(to) = asked;
  const uint64_t ofImages = findImages(to, session().bytesOfLaunch);
  findMemory(to, *text, *function.image, {session().bytesOfLaunch - ofImages, session().followsWords});
  dropImagesWithoutMemory(to);
  return "";
}

/// First writes what is known before the launch, so that a recording can be read even if the launch does not end. Then
/// launches, and writes the memory that the launch left.
static Result recordTo(const std::string &path, launcher::Recording &recording, const std::function<Result()> &launch) {
  std::FILE *file = std::fopen(path.c_str(), "wbe");
  if (!file) {
    session().leaveOut("whose file could not be written");
    return launch();
  }
  writeBefore(file, recording);
  const Result result = launch();
  if (result == Success) {
    recording.result = real().cuCtxSynchronize();
    if (recording.result == Success && !(readAgain(recording) && readImagesAgain(recording)))
      recording.result.reset();
    if (recording.result)
      writeAfter(file, recording);
  }
  const bool isWritten = !std::ferror(file) && !std::fclose(file);
  struct stat status = {};
  if (result == Success && isWritten && stat(path.c_str(), &status) == 0) {
    session().add(path, static_cast<uint64_t>(status.st_size), recording.result == Success);
  } else {
    unlink(path.c_str());
    session().leaveOut(isWritten ? "that the driver refused" : "whose file could not be written");
  }
  return result;
}

Result record(const Asked &asked, const std::function<Result()> &launch) {
  Session &s = session();
  thread_local bool isInside = false; // the driver may call its own functions, which are those of this library then
  if (!s.isActive || isInside)
    return launch();
  const std::lock_guard lock(s.mutex);
  isInside = true;
  const auto done = [&](Result result) { return isInside = false, result; };
  const FoundFunction function = functionOf(asked.function);
  if (!function.image)
    s.leaveOut("in modules that were loaded in an unsupported way");
  else if (isCaptured(asked))
    s.leaveOut("into graphs");
  if (!function.image || isCaptured(asked) || !s.wants(function.name))
    return done(launch());
  const Relaxed relaxed;
  if (!real().cuCtxSynchronize || real().cuCtxSynchronize() != Success)
    return done(launch()); // an earlier kernel has failed
  launcher::Recording recording;
  if (const std::string reason = describe(recording, function, asked); !reason.empty()) {
    s.leaveOut(reason);
    return done(launch());
  }
  return done(recordTo(s.nextPath(function.name), recording, launch));
}

} // namespace ptxray::recorder
