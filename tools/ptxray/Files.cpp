#include "Files.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/FileSystem.h"

namespace ptxray {

using namespace llvm::sys;

/// Those of the file that is replaced, or those of any new file. On Windows a new file has what its folder gives, and
/// WebAssembly knows no permissions.
static std::error_code setPermissions([[maybe_unused]] int file, [[maybe_unused]] llvm::StringRef target) {
#if defined _WIN32 || defined __wasm__
  return {};
#else
  const llvm::ErrorOr<fs::perms> before = fs::getPermissions(target);
  return fs::setPermissions(file, before ? *before : fs::perms(0666 & ~fs::getUmask()));
#endif
}

static llvm::Error replace(llvm::StringRef target, llvm::StringRef text) {
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
  if (!error)
    return partial->keep(target);
  return llvm::joinErrors(llvm::errorCodeToError(error), partial->discard());
}

/// Writes to a pipe, a terminal or a device, whose place nothing else can take.
static llvm::Error writeTo(llvm::StringRef device, llvm::StringRef text) {
  std::error_code error;
  llvm::raw_fd_ostream out(device, error);
  if (error)
    return llvm::errorCodeToError(error);
  out << text;
  out.flush();
  error = out.error();
  out.clear_error();
  return llvm::errorCodeToError(error);
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

std::string ownPath() { return fs::getMainExecutable(nullptr, nullptr); }

} // namespace ptxray
