#include "Inputs.h"
#include "Binaries.h"
#include "Inline/Language.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

namespace ptxray {

using llvm::sys::fs::UniqueID;

static bool isFolder(const std::string &path, UniqueID &id) {
  return llvm::sys::fs::is_directory(path) && !llvm::sys::fs::getUniqueID(path, id);
}

/// Whether nothing can be read there: a link that leads nowhere, a pipe. What may not be read is worth a report.
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

/// `above` holds the folders on the way down, so that a link to one of them ends.
static void addFolder(const std::string &path, WantedInputs wanted, std::vector<UniqueID> &above,
                      std::vector<Input> &inputs) {
  std::error_code error;
  std::vector<std::string> names;
  for (llvm::sys::fs::directory_iterator entry(path, error), end; !error && entry != end; entry.increment(error))
    names.push_back(llvm::sys::path::filename(entry->path()).str());
  if (error && names.empty()) {
    inputs.push_back({path, error.message()});
    return;
  }
  llvm::sort(names);
  for (const std::string &name : names) {
    const std::string below = path + (path.ends_with("/") ? "" : "/") + name;
    llvm::sys::fs::file_status status;
    const std::error_code problem = llvm::sys::fs::status(below, status);
    if (problem || !llvm::sys::fs::is_directory(status)) {
      if (!hasNoText(status, problem) && isWanted(below, wanted))
        inputs.push_back({below, "", false});
      continue;
    }
    if (llvm::is_contained(above, status.getUniqueID()))
      continue;
    above.push_back(status.getUniqueID());
    addFolder(below, wanted, above, inputs);
    above.pop_back();
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
    std::vector<UniqueID> above{id};
    addFolder(path, wanted, above, inputs);
    if (inputs.size() == before)
      inputs.push_back({path, wanted.binaries  ? "neither a `*.ptx` file nor a binary below this folder"
                              : wanted.sources ? "no `*.ptx` file and no source below this folder"
                                               : "no `*.ptx` file below this folder"});
  }
  return inputs;
}

} // namespace ptxray
