// Uses memfd_create and seals, and writes files such that readers never see a partial file.
#include "Ptxas/MemoryFile.h"
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

namespace ptxray {

static std::string failure() { return std::strerror(errno); }

static bool writeAll(int fd, const char *data, size_t size) {
  while (size > 0) {
    const ssize_t written = write(fd, data, size);
    if (written < 0 && errno != EINTR)
      return false;
    data += std::max<ssize_t>(written, 0);
    size -= std::max<ssize_t>(written, 0);
  }
  return true;
}

static bool copyAll(int from, int to) {
  std::vector<char> chunk(1 << 20);
  for (;;) {
    ssize_t n = read(from, chunk.data(), chunk.size());
    if (n == 0)
      return true;
    if (n < 0 && errno != EINTR)
      return false;
    if (n > 0 && !writeAll(to, chunk.data(), n))
      return false;
  }
}

MemoryFile::~MemoryFile() {
  if (fd >= 0)
    close(fd);
}

std::string MemoryFile::create() {
  fd = memfd_create("ptxray", MFD_ALLOW_SEALING);
  return fd >= 0 ? "" : failure();
}

std::string MemoryFile::path() const { return "/proc/self/fd/" + std::to_string(fd); }

/// Removes the final NUL of a C string, which some producers of PTX write. ptxas would reject it; the parser ignores
/// it. Object files are not changed.
static bool dropTerminator(int fd) {
  char first = 0, last = 0;
  if (pread(fd, &first, 1, 0) == 1 && first == '\x7f')
    return true;
  off_t size = lseek(fd, 0, SEEK_END);
  while (size > 0 && pread(fd, &last, 1, size - 1) == 1 && last == 0)
    --size;
  return size >= 0 && ftruncate(fd, size) == 0;
}

static bool seal(int fd) { return fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK) == 0; }

std::string MemoryFile::fill(llvm::StringRef path, Ending ending) {
  if (std::string problem = create(); !problem.empty())
    return problem;
  const int input = path == "-" ? dup(0) : open(path.str().c_str(), O_RDONLY | O_CLOEXEC);
  if (input < 0)
    return failure();
  const bool isFilled = copyAll(input, fd) && (ending == Ending::Kept || dropTerminator(fd)) && seal(fd);
  std::string problem = isFilled ? "" : failure();
  close(input);
  return problem;
}

std::string MemoryFile::hold(llvm::StringRef text) {
  if (std::string problem = create(); !problem.empty())
    return problem;
  return writeAll(fd, text.data(), text.size()) && seal(fd) ? "" : failure();
}

std::string MemoryFile::beginning(size_t bytes) const {
  std::string text(bytes, '\0');
  text.resize(std::max<ssize_t>(0, pread(fd, text.data(), bytes, 0)));
  return text;
}

uint64_t MemoryFile::size() const {
  struct stat status;
  return fstat(fd, &status) == 0 ? static_cast<uint64_t>(status.st_size) : 0;
}

bool MemoryFile::read(uint64_t offset, void *to, size_t bytes) const {
  return pread(fd, to, bytes, static_cast<off_t>(offset)) == static_cast<ssize_t>(bytes);
}

/// Returns the final target of a path's links. Links below /dev and /proc refer to open files of a process, which only
/// happen to have a path; they are kept.
static std::string followLinks(std::string path) {
  namespace fs = std::filesystem;
  constexpr int most = 40; // same as the kernel's limit
  std::error_code error;
  for (int i = 0; i < most; ++i) {
    const fs::path absolute = fs::absolute(path, error).lexically_normal();
    if (error || absolute.string().starts_with("/dev/") || absolute.string().starts_with("/proc/"))
      return absolute.string();
    const fs::path target = fs::read_symlink(path, error);
    if (error)
      return path;
    path = (fs::path(path).parent_path() / target).string();
  }
  return path; // opening it will fail with the error
}

static std::string copyInto(int from, int to) {
  std::string problem = copyAll(from, to) ? "" : failure();
  if (close(to) != 0 && problem.empty())
    problem = failure();
  return problem;
}

static std::string writeInPlace(int from, const std::string &path) {
  const int out = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  return out < 0 ? failure() : copyInto(from, out);
}

std::string MemoryFile::copyTo(llvm::StringRef path) const {
  const std::string target = followLinks(path.str());
  if (lseek(fd, 0, SEEK_SET) != 0)
    return failure();
  struct stat status;
  const bool exists = stat(target.c_str(), &status) == 0;
  const bool isSpecial = llvm::StringRef(target).starts_with("/dev/") || llvm::StringRef(target).starts_with("/proc/");
  if (isSpecial || (exists && (!S_ISREG(status.st_mode) || status.st_nlink > 1)))
    return writeInPlace(fd, target);

  // The temporary file has a short name, because the target's name may have the maximum length.
  std::string beside = (std::filesystem::path(target).parent_path() / ".ptxray-XXXXXX").string();
  const int out = mkostemp(beside.data(), O_CLOEXEC);
  if (out < 0) // the folder may be read-only while the file is writable
    return exists ? writeInPlace(fd, target) : failure();
  const mode_t mask = umask(0);
  umask(mask);
  std::string problem = fchmod(out, exists ? status.st_mode & 07777 : 0666 & ~mask) == 0 ? "" : failure();
  const std::string ofCopy = copyInto(fd, out);
  if (problem.empty())
    problem = ofCopy;
  if (problem.empty() && rename(beside.c_str(), target.c_str()) != 0)
    problem = failure();
  if (!problem.empty())
    unlink(beside.c_str());
  return problem;
}

} // namespace ptxray
