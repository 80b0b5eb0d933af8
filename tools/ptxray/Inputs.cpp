#include "Inputs.h"
#include "Binaries.h"
#include "Inline/Inline.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <dirent.h>
#include <sys/stat.h>

namespace ptxray {

static bool isFolder(const std::string &path, struct stat &status) {
  return stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode);
}

using FolderId = std::pair<dev_t, ino_t>;

/// `above` holds the folders on the way down, so that a link to one of them ends.
static void addFolder(const std::string &path, WantedInputs wanted, std::vector<FolderId> &above,
                      std::vector<Input> &inputs) {
  DIR *folder = opendir(path.c_str());
  if (!folder) {
    inputs.push_back({path, std::strerror(errno)});
    return;
  }
  std::vector<std::string> names;
  while (const dirent *entry = readdir(folder))
    names.push_back(entry->d_name);
  closedir(folder);
  llvm::sort(names);
  for (const std::string &name : names) {
    if (name == "." || name == "..")
      continue;
    const std::string below = path + (path.ends_with("/") ? "" : "/") + name;
    struct stat status;
    if (!isFolder(below, status)) {
      if (llvm::StringRef(name).ends_with(".ptx") || (wanted.sources && languageOf(name) != Language::Ptx) ||
          (wanted.binaries && beginsAsBinary(below)))
        inputs.push_back({below, ""});
      continue;
    }
    const FolderId id{status.st_dev, status.st_ino};
    if (llvm::is_contained(above, id))
      continue;
    above.push_back(id);
    addFolder(below, wanted, above, inputs);
    above.pop_back();
  }
}

std::vector<Input> findInputs(llvm::ArrayRef<llvm::StringRef> arguments, WantedInputs wanted) {
  std::vector<Input> inputs;
  for (llvm::StringRef argument : arguments) {
    struct stat status;
    const std::string path = argument.str();
    if (path == "-" || !isFolder(path, status)) {
      inputs.push_back({path, ""});
      continue;
    }
    const size_t before = inputs.size();
    std::vector<FolderId> above{{status.st_dev, status.st_ino}};
    addFolder(path, wanted, above, inputs);
    if (inputs.size() == before)
      inputs.push_back({path, wanted.binaries  ? "neither a `*.ptx` file nor a binary below this folder"
                              : wanted.sources ? "no `*.ptx` file and no source below this folder"
                                               : "no `*.ptx` file below this folder"});
  }
  return inputs;
}

} // namespace ptxray
