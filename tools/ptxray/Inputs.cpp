#include "Inputs.h"
#include "Binaries.h"
#include "Inline/Language.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <functional>
#include <set>

namespace ptxray {

using llvm::sys::fs::UniqueID;

static bool isFolder(const std::string &path, UniqueID &id) {
  return llvm::sys::fs::is_directory(path) && !llvm::sys::fs::getUniqueID(path, id);
}

static bool isWanted(const std::string &path, WantedInputs wanted) {
  if (llvm::StringRef(path).ends_with(".ptx"))
    return true;
  const bool isSource = languageOf(path) != Language::Ptx;
  return (isSource && (wanted.sources || (wanted.source && wanted.source(path)))) ||
         (wanted.binaries && beginsAsBinary(path));
}

namespace {

/// Finds the files below folders, in the order of their names. It follows no links, so it stays inside the folders, and
/// it searches each folder once.
class FolderWalk {
public:
  FolderWalk(WantedInputs wanted, std::vector<Input> &inputs) : wanted(wanted), inputs(inputs) {}

  /// Adds the requested files below a folder. Returns whether the folder was searched before.
  bool add(const std::string &path, UniqueID id);

private:
  /// A folder that is being searched, with its remaining names. The next one is the last element.
  struct OpenFolder {
    std::string path;
    std::vector<std::string> names;
  };
  OpenFolder open(const std::string &path);
  void addFile(const std::string &path, const llvm::sys::fs::file_status &status, std::error_code problem);

  WantedInputs wanted;
  std::vector<Input> &inputs;
  std::set<UniqueID> searched;
};

} // namespace

FolderWalk::OpenFolder FolderWalk::open(const std::string &path) {
  OpenFolder folder = {path, {}};
  std::error_code error;
  for (llvm::sys::fs::directory_iterator entry(path, error, /*follow_symlinks=*/false), end; !error && entry != end;
       entry.increment(error))
    folder.names.push_back(llvm::sys::path::filename(entry->path()).str());
  if (error && folder.names.empty())
    inputs.push_back({path, error.message()});
  llvm::sort(folder.names, std::greater<>());
  return folder;
}

/// Adds a path that is not a folder, if it may hold text. A file without permission is reported. Pipes and deleted
/// files are not.
void FolderWalk::addFile(const std::string &path, const llvm::sys::fs::file_status &status, std::error_code problem) {
  const bool hasText = problem ? problem != std::errc::no_such_file_or_directory : is_regular_file(status);
  if (hasText && isWanted(path, wanted))
    inputs.push_back({path, "", false});
}

bool FolderWalk::add(const std::string &path, UniqueID id) {
  if (!searched.insert(id).second)
    return true;
  std::vector<OpenFolder> folders = {open(path)};
  while (!folders.empty()) {
    OpenFolder &folder = folders.back();
    if (folder.names.empty()) {
      folders.pop_back();
      continue;
    }
    const std::string below = folder.path + (folder.path.ends_with("/") ? "" : "/") + folder.names.back();
    folder.names.pop_back();
    llvm::sys::fs::file_status status;
    const std::error_code problem = llvm::sys::fs::status(below, status, /*follow=*/false);
    if (problem || !is_directory(status))
      addFile(below, status, problem);
    else if (searched.insert(status.getUniqueID()).second)
      folders.push_back(open(below));
  }
  return false;
}

std::vector<Input> findInputs(llvm::ArrayRef<llvm::StringRef> arguments, WantedInputs wanted) {
  std::vector<Input> inputs;
  FolderWalk walk(wanted, inputs);
  for (llvm::StringRef argument : arguments) {
    UniqueID id;
    const std::string path = argument.str();
    if (path == "-" || !isFolder(path, id)) {
      inputs.push_back({path, ""});
      continue;
    }
    const size_t before = inputs.size();
    if (!walk.add(path, id) && inputs.size() == before)
      inputs.push_back({path, wanted.binaries  ? "neither a `*.ptx` file nor a binary below this folder"
                              : wanted.sources ? "no `*.ptx` file and no source below this folder"
                                               : "no `*.ptx` file below this folder"});
  }
  return inputs;
}

} // namespace ptxray
