// Reports the kernels and findings of a client when it ends, if PTXRAY_REPORT is set. If that is the path of a file,
// lines of JSON are appended to it: one when a process begins and one when it ends. `ptxray emulate` adds them up. With
// any other value the report is printed. LLVM's streams no longer exist when a process ends.
#include "State.h"
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

namespace ptxray::driver {

/// Returns the file for the report, or null if there is none.
static const char *fileOfReport() {
  const char *given = std::getenv("PTXRAY_REPORT");
  return given && std::string_view(given).find('/') != std::string_view::npos ? given : nullptr;
}

/// Appends a line in one piece, so that the lines of several processes do not mix.
static bool append(const char *path, const std::string &line, int flags = 0) {
  const int file = open(path, O_WRONLY | O_APPEND | O_CLOEXEC | flags, 0666);
  if (file < 0)
    return false;
  const ssize_t written = write(file, line.data(), line.size());
  close(file);
  return written == static_cast<ssize_t>(line.size());
}

static std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\')
      out += '\\';
    out += c;
  }
  return out + '"';
}

static std::string object(const std::map<std::string, uint64_t> &counts) {
  std::string out = "{";
  for (const auto &[name, count] : counts)
    out += (out.size() > 1 ? "," : "") + quoted(name) + ":" + std::to_string(count);
  return out + "}";
}

void beginReport() {
  const char *path = fileOfReport();
  if (path && !append(path, "{\"begin\":" + std::to_string(getpid()) + "}\n", O_CREAT))
    std::fprintf(stderr, "ptxray: cannot write the report `%s`: %s\n", path, std::strerror(errno));
}

static void print(const char *what, const std::map<std::string, uint64_t> &counts) {
  for (const auto &[name, count] : counts)
    std::fprintf(stderr, "ptxray: %s %llu %s\n", what, static_cast<unsigned long long>(count), name.c_str());
}

__attribute__((destructor)) static void report() {
  const State &s = state();
  if (!std::getenv("PTXRAY_REPORT") || !s.isInitialised || s.process != getpid())
    return;
  const Tally &tally = s.tally;
  if (const char *path = fileOfReport()) {
    append(path, "{\"end\":" + std::to_string(getpid()) + ",\"kernels\":" + object(tally.launches) +
                     ",\"findings\":" + object(tally.findings) + ",\"refusals\":" + object(tally.refusals) +
                     ",\"inexact\":" + object(tally.inexact) + ",\"differing\":" + object(tally.differing) +
                     ",\"certificates\":" + object(tally.certificates) + ",\"exact\":" + std::to_string(tally.exact) +
                     "}\n");
    return;
  }
  unsigned long long launches = 0;
  for (const auto &[name, count] : tally.launches)
    launches += count;
  std::fprintf(stderr, "ptxray: %zu kernels launched %llu times as %s\n", tally.launches.size(), launches,
               s.chip->target.data());
  print(" launched", tally.launches);
  print("found", tally.findings);
  print("could not emulate", tally.refusals);
  print("certified", tally.certificates);
  if (tally.findings.empty() && tally.refusals.empty())
    std::fputs("ptxray: nothing was found\n", stderr);
}

} // namespace ptxray::driver
