#include "Files.h"
#include "Inputs.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/FileSystem.h"
#if !defined _WIN32 && !defined __wasm__
#include <sys/stat.h>
#endif

namespace ptxray {

using namespace llvm::sys;

/// Sets the permissions of the replaced file, or the default ones of a new file. On Windows the folder determines them,
/// and WebAssembly has no permissions.
static std::error_code setPermissions([[maybe_unused]] int file, [[maybe_unused]] llvm::StringRef target) {
#if defined _WIN32 || defined __wasm__
  return {};
#else
  const llvm::ErrorOr<fs::perms> before = fs::getPermissions(target);
  return fs::setPermissions(file, before ? *before : fs::perms(0666 & ~fs::getUmask()));
#endif
}

/// Writes in place: to a pipe, a terminal, or a device, or to a file with several hard links.
static llvm::Error writeTo(llvm::StringRef target, llvm::StringRef text) {
  std::error_code error;
  llvm::raw_fd_ostream out(target, error);
  if (error)
    return llvm::errorCodeToError(error);
  out << text;
  out.flush();
  error = out.error();
  out.clear_error();
  return llvm::errorCodeToError(error);
}

/// Returns whether a file has several hard links, which must keep the same contents.
static bool hasOtherNames([[maybe_unused]] llvm::StringRef path) {
#if defined _WIN32 || defined __wasm__
  return false;
#else
  struct stat status;
  return lstat(path.str().c_str(), &status) == 0 && S_ISREG(status.st_mode) && status.st_nlink > 1;
#endif
}

/// Writes a new file beside the old one, and replaces the old one by it. If the file has several hard links, the new
/// file only proves that the disk has enough space.
static llvm::Error replace(llvm::StringRef target, llvm::StringRef text) {
  if (fs::exists(target) && !fs::can_write(target))
    return llvm::errorCodeToError(std::make_error_code(std::errc::permission_denied));
  llvm::Expected<fs::TempFile> partial = fs::TempFile::create(target + ".%%%%%%");
  if (!partial)
    return partial.takeError();
  llvm::raw_fd_ostream out(partial->FD, /*shouldClose=*/false);
  out << text;
  out.flush();
  std::error_code error = out.error();
  out.clear_error();
  if (!error)
    error = setPermissions(partial->FD, target);
  if (!error && !hasOtherNames(target))
    return partial->keep(target);
  llvm::Error problem = error ? llvm::errorCodeToError(error) : writeTo(target, text);
  return llvm::joinErrors(std::move(problem), partial->discard());
}

bool canReplace(const std::string &path) {
  fs::file_status status;
  return fs::status(path, status) || status.type() == fs::file_type::regular_file;
}

std::string writeFile(const std::string &path, llvm::StringRef text) {
  if (!canReplace(path)) {
    llvm::Error error = writeTo(path, text);
    return error ? llvm::toString(std::move(error)) : "";
  }
  llvm::SmallString<256> target;
  if (fs::real_path(path, target))
    target = path;
  llvm::Error error = replace(target, text);
  return error ? llvm::toString(std::move(error)) : "";
}

std::string writeInput(const Input &input, llvm::StringRef text) {
  if (input.isNamed)
    return writeFile(input.path, text);
  llvm::Error error = replace(input.path, text);
  return error ? llvm::toString(std::move(error)) : "";
}

std::string ownPath() { return fs::getMainExecutable(nullptr, nullptr); }

} // namespace ptxray
