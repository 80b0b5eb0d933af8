#include "Machine/HostMemory.h"
#include <algorithm>
#include <cstdio>
#ifdef __linux__
#include <fcntl.h>
#endif
#if !defined _WIN32 && !defined __wasm__
#include <unistd.h>
#endif

namespace ptxray::machine {

#ifdef __linux__
/// Reads the number with index `place` from a file of numbers, or 0.
static uint64_t numberIn(const char *path, unsigned place = 0) {
  char text[256];
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  const ssize_t length = file < 0 ? -1 : read(file, text, sizeof text - 1);
  if (file >= 0)
    close(file);
  text[std::max<ssize_t>(length, 0)] = 0;
  unsigned long long first = 0, second = 0;
  const int found = std::sscanf(text, "%llu %llu", &first, &second); // NOLINT(cert-err34-c): a kernel writes it
  return found <= static_cast<int>(place) ? 0 : place ? second : first;
}
#endif

uint64_t usualMemoryLimit() {
  uint64_t bytes = uint64_t(2) << 30; // default if the system does not report a size
#if !defined _WIN32 && !defined __wasm__
  bytes = static_cast<uint64_t>(sysconf(_SC_PAGESIZE)) * static_cast<uint64_t>(sysconf(_SC_PHYS_PAGES));
#endif
#ifdef __linux__
  for (const char *path : {"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"})
    if (const uint64_t ofContainer = numberIn(path))
      bytes = std::min(bytes, ofContainer);
#endif
  return bytes / 4 * 3;
}

uint64_t memoryInUse() {
#ifdef __linux__
  return numberIn("/proc/self/statm", 1) * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
#else
  return 0;
#endif
}

} // namespace ptxray::machine
