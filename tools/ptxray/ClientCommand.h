#pragma once
// A command that runs with another CUDA driver: what `ptxray emulate` and `ptxray record` have in common.
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"
#include <optional>
#include <string>
#include <vector>

namespace ptxray {

/// Returns the folder of a library for clients, such as `libcuda.so.1`: $PTXRAY_DRIVER, else that of the installation
/// or of the build folder. Empty, after saying what is missing: there is none.
std::string folderOfDriver(const std::string &library, const std::string &what);

/// Variables of the environment of the command.
class ClientEnvironment {
public:
  void set(llvm::StringRef name, const std::string &value) { changed.push_back((name + "=" + value).str()); }
  /// Puts a folder before those in which libraries are looked for.
  void addLibraries(const std::string &folder);
  /// Has the command's processes load a library before all others, even before those of a program's RPATH.
  void preload(const std::string &library);
  std::vector<char *> all();

private:
  std::vector<std::string> changed;
};

/// A file, or a folder with what is in it, that is removed when it is not needed any more.
class Temporary {
public:
  enum class Kind { File, Folder };
  explicit Temporary(Kind kind);
  ~Temporary();
  Temporary(const Temporary &) = delete;
  Temporary &operator=(const Temporary &) = delete;

  std::string path;
  bool isMade = false;
};

/// Runs the command to its end, and hands signals on to it. Returns the status of waitpid; nothing: it could not be
/// started, and `reason` says why.
std::optional<int> runCommand(llvm::ArrayRef<llvm::StringRef> words, ClientEnvironment &environment, int &reason);
/// Ends this process by a signal, as the command was.
void endBy(int number);

} // namespace ptxray
