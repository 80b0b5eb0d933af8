#include "Files.h"
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>

namespace ptxray {

std::string writeFile(const std::string &path, llvm::StringRef text) {
  std::error_code none;
  std::string target = std::filesystem::canonical(path, none);
  if (target.empty())
    target = path;
  std::string partial = target + ".XXXXXX";
  const int fd = mkstemp(partial.data());
  if (fd < 0)
    return std::strerror(errno);
  int error = 0;
  while (!text.empty() && !error) {
    const ssize_t n = write(fd, text.data(), text.size());
    if (n < 0 && errno != EINTR)
      error = errno;
    else if (n > 0)
      text = text.drop_front(n);
  }
  struct stat status;
  const mode_t mask = umask(0);
  umask(mask);
  const bool exists = stat(target.c_str(), &status) == 0;
  if (!error && fchmod(fd, exists ? status.st_mode & 07777 : 0666 & ~mask) != 0)
    error = errno;
  if (close(fd) != 0 && !error)
    error = errno;
  if (!error && rename(partial.c_str(), target.c_str()) != 0)
    error = errno;
  if (!error)
    return "";
  unlink(partial.c_str());
  return std::strerror(error);
}

} // namespace ptxray
