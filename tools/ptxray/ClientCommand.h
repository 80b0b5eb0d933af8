#pragma once
// Runs a command with a replaced CUDA driver, for `ptxray emulate` and `ptxray record`.
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"
#include <optional>
#include <string>
#include <vector>

namespace ptxray {

/// Returns the folder of a library for clients, such as `libcuda.so.1`: $PTXRAY_DRIVER, or else the folder in the
/// installation or the build folder. Prints an error and returns an empty string if there is none.
std::string folderOfDriver(const std::string &library, const std::string &what);

/// The environment variables of the command.
class ClientEnvironment {
public:
  void set(llvm::StringRef name, const std::string &value) { changed.push_back((name + "=" + value).str()); }
  /// Adds a folder at the beginning of the library search path.
  void addLibraries(const std::string &folder);
  /// Makes the command's processes load a library before all others, even before those in a program's RPATH.
  void preload(const std::string &library);
  std::vector<char *> all();

private:
  std::vector<std::string> changed;
};

/// A temporary file, or a folder with its contents, which the destructor removes.
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

/// Runs the command and forwards signals to it. Returns the status of waitpid. Returns nothing if the command could not
/// be started, and sets `reason`.
std::optional<int> runCommand(llvm::ArrayRef<llvm::StringRef> words, ClientEnvironment &environment, int &reason);
/// Ends this process by the same signal that ended the command.
void endBy(int number);

} // namespace ptxray
