#include "Inputs.h"
#include "Binaries.h"
#include "Inline/Language.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <functional>

namespace ptxray {

using llvm::sys::fs::UniqueID;

static bool isFolder(const std::string &path, UniqueID &id) {
  return llvm::sys::fs::is_directory(path) && !llvm::sys::fs::getUniqueID(path, id);
}

/// Is true if nothing can be read there: a broken link, a pipe. A file without permission is worth a report.
static bool hasNoText(const llvm::sys::fs::file_status &status, std::error_code problem) {
  if (problem)
    return problem == std::errc::no_such_file_or_directory || problem == std::errc::too_many_symbolic_link_levels;
  return !llvm::sys::fs::is_regular_file(status);
}

static bool isWanted(const std::string &path, WantedInputs wanted) {
  if (llvm::StringRef(path).ends_with(".ptx"))
    return true;
  const bool isSource = languageOf(path) != Language::Ptx;
  return (isSource && (wanted.sources || (wanted.source && wanted.source(path)))) ||
         (wanted.binaries && beginsAsBinary(path));
}

namespace {

/// A folder that is being searched, with the names in it that are left, the next one last.
struct OpenFolder {
  std::string path;
  UniqueID id;
  std::vector<std::string> names;
};

} // namespace

static OpenFolder openFolder(const std::string &path, UniqueID id, std::vector<Input> &inputs) {
  OpenFolder folder = {path, id, {}};
  std::error_code error;
  for (llvm::sys::fs::directory_iterator entry(path, error), end; !error && entry != end; entry.increment(error))
    folder.names.push_back(llvm::sys::path::filename(entry->path()).str());
  if (error && folder.names.empty())
    inputs.push_back({path, error.message()});
  llvm::sort(folder.names, std::greater<>());
  return folder;
}

/// Adds the files below a folder, in the order of their names. A link to a folder on the way down is not followed.
static void addFolder(const std::string &path, UniqueID id, WantedInputs wanted, std::vector<Input> &inputs) {
  std::vector<OpenFolder> open = {openFolder(path, id, inputs)};
  while (!open.empty()) {
    OpenFolder &folder = open.back();
    if (folder.names.empty()) {
      open.pop_back();
      continue;
    }
    const std::string below = folder.path + (folder.path.ends_with("/") ? "" : "/") + folder.names.back();
    folder.names.pop_back();
    llvm::sys::fs::file_status status;
    const std::error_code problem = llvm::sys::fs::status(below, status);
    if (problem || !llvm::sys::fs::is_directory(status)) {
      if (!hasNoText(status, problem) && isWanted(below, wanted))
        inputs.push_back({below, "", false});
    } else if (llvm::none_of(open, [&](const OpenFolder &one) { return one.id == status.getUniqueID(); })) {
      open.push_back(openFolder(below, status.getUniqueID(), inputs));
    }
  }
}

std::vector<Input> findInputs(llvm::ArrayRef<llvm::StringRef> arguments, WantedInputs wanted) {
  std::vector<Input> inputs;
  for (llvm::StringRef argument : arguments) {
    UniqueID id;
    const std::string path = argument.str();
    if (path == "-" || !isFolder(path, id)) {
      inputs.push_back({path, ""});
      continue;
    }
    const size_t before = inputs.size();
    addFolder(path, id, wanted, inputs);
    if (inputs.size() == before)
      inputs.push_back({path, wanted.binaries  ? "neither a `*.ptx` file nor a binary below this folder"
                              : wanted.sources ? "no `*.ptx` file and no source below this folder"
                                               : "no `*.ptx` file below this folder"});
  }
  return inputs;
}

} // namespace ptxray
