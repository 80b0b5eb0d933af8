// Searches for ptxas. Callers that run ptxray under that name must get the compiler that they would use without it.
// Therefore the caller's own locations come first, followed by general ones.
#include "Ptxas/Ptxas.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/Twine.h"
#include <algorithm>
#include <climits>
#include <cstdlib>
#include <dirent.h>
#include <fstream>
#include <sys/stat.h>
#include <unistd.h>

namespace ptxray {

using llvm::StringRef;

static StringRef variable(const char *name) {
  const char *value = std::getenv(name);
  return value ? value : "";
}

/// Paths of programs with one name, in search order.
namespace {
class Places {
public:
  explicit Places(StringRef name) : name(name) {}

  void file(StringRef path) {
    if (!path.empty())
      paths.push_back(path.str());
  }
  void in(StringRef folder) {
    if (!folder.empty())
      paths.push_back((folder + "/" + name).str());
  }
  /// Adds the copies in the packages of Triton and of CUDA's own wheels.
  void inPython(const std::string &prefix);

  const std::vector<std::string> &all() const { return paths; }

private:
  StringRef name;
  std::vector<std::string> paths;
};
} // namespace

/// Returns the folders in `folder` whose names begin with `beginning`, sorted by name in descending order, so that the
/// newest release comes first.
static std::vector<std::string> foldersLike(const std::string &folder, StringRef beginning) {
  std::vector<std::string> found;
  if (DIR *opened = opendir(folder.c_str())) {
    while (const dirent *entry = readdir(opened))
      if (StringRef(entry->d_name).starts_with(beginning))
        found.push_back(folder + "/" + entry->d_name);
    closedir(opened);
  }
  llvm::sort(found, std::greater<>());
  return found;
}

void Places::inPython(const std::string &prefix) {
  for (const char *lib : {"/lib", "/local/lib"})
    for (const std::string &python : foldersLike(prefix + lib, "python3"))
      for (const char *site : {"/site-packages", "/dist-packages"}) {
        in(python + site + "/triton/backends/nvidia/bin");
        for (const std::string &cuda : foldersLike(python + site + "/nvidia", "cu"))
          in(cuda + "/bin");
      }
}

namespace {

/// A program that started this one, directly or indirectly.
struct Caller {
  std::string folder;                // folder of the program
  std::string program;               // its file name
  std::string cudaPath;              // value of clang's `--cuda-path=`
  std::string pythonPrefix;          // `<prefix>/bin/python` is how it was called
  std::vector<std::string> packages; // folders of programs that belong to loaded libraries
  bool isTriton = false;             // uses an environment variable of its own
  bool isXla = false;                // searches PATH, but ignores CUDA_HOME
};

} // namespace

/// Recognises `.../triton/_C/libtriton.so` and JAX's `.../jax_plugins/xla_cuda12/xla_cuda_plugin.so` among the
/// libraries of a process, and finds the ptxas that was installed with them.
static void readLoaded(const std::string &process, Caller &caller) {
  std::ifstream maps(process + "/maps");
  std::string before;
  for (std::string line; std::getline(maps, line);) {
    const StringRef path = StringRef(line).substr(std::min(line.find('/'), line.size()));
    if (path.empty() || path == before)
      continue;
    before = path.str();
    if (const size_t end = path.find("/_C/libtriton"); end != StringRef::npos) {
      caller.isTriton = true;
      caller.packages.push_back((path.take_front(end) + "/backends/nvidia/bin").str());
    }
    if (const size_t end = path.find("/jax_plugins/xla_cuda"); end != StringRef::npos) {
      caller.isXla = true;
      for (const char *package : {"/nvidia/cu13/bin", "/nvidia/cuda_nvcc/bin"})
        caller.packages.push_back((path.take_front(end) + package).str());
    }
  }
}

static Caller readCaller(const std::string &process) {
  Caller caller;
  char path[PATH_MAX];
  const ssize_t length = readlink((process + "/exe").c_str(), path, sizeof path);
  const auto [folder, program] = StringRef(path, std::max<ssize_t>(0, length)).rsplit('/');
  caller.folder = folder.str();
  caller.program = program.str();
  std::ifstream commandLine(process + "/cmdline");
  std::string word;
  std::getline(commandLine, word, '\0');
  auto [prefix, name] = StringRef(word).rsplit('/');
  if (name.starts_with("python") && prefix.consume_back("/bin"))
    caller.pythonPrefix = prefix.str();
  while (std::getline(commandLine, word, '\0'))
    if (StringRef rest = word; rest.consume_front("--cuda-path="))
      caller.cudaPath = rest.str();
  readLoaded(process, caller);
  return caller;
}

/// Returns the programs that led to this one. Triton calls ptxas directly, nvcc through a shell, and either may use a
/// script of the user.
static llvm::SmallVector<Caller, 4> callers() {
  constexpr unsigned most = 4;
  llvm::SmallVector<Caller, 4> found;
  std::string process = std::to_string(getppid());
  for (unsigned i = 0; i < most && !process.empty() && process != "0"; ++i) {
    const std::string folder = "/proc/" + process;
    found.push_back(readCaller(folder));
    // Read the parent's process number after the name, which may contain any character: `123 (name) S 45 ...`.
    std::ifstream status(folder + "/stat");
    std::string text;
    std::getline(status, text);
    process = StringRef(text).rsplit(") ").second.drop_front(2).split(' ').first.str();
  }
  return found;
}

/// Returns whether the caller's folder is a general one, such as /usr/bin. Then PATH decides, except for nvcc, which
/// calls the program next to it.
static bool isGeneral(const Caller &caller) {
  return !StringRef(caller.program).starts_with("nvcc") &&
         llvm::is_contained<StringRef>({"/bin", "/usr/bin", "/usr/local/bin"}, caller.folder);
}

/// Adds `$CUDA_HOME` and PATH, which may also contain a Python.
static void addFromEnvironment(bool pathFirst, Places &places, std::vector<std::string> &pythons) {
  const auto toolkits = [&] {
    for (const char *toolkit : {"CUDA_HOME", "CUDA_PATH"})
      if (!variable(toolkit).empty())
        places.in((variable(toolkit) + "/bin").str());
  };
  if (!pathFirst)
    toolkits();
  llvm::SmallVector<StringRef> folders;
  variable("PATH").split(folders, ':', -1, false);
  for (StringRef folder : folders) {
    places.in(folder);
    if (access((folder + "/python3").str().c_str(), X_OK) == 0)
      pythons.push_back(folder.rsplit('/').first.str());
  }
  if (pathFirst)
    toolkits();
}

static std::vector<std::string> candidates(StringRef name) {
  Places places(name);
  const StringRef ofTriton = variable(name == "ptxas-blackwell" ? "TRITON_PTXAS_BLACKWELL_PATH" : "TRITON_PTXAS_PATH");
  std::vector<std::string> pythons;
  bool isOfXla = false;
  for (const Caller &caller : callers()) {
    if (caller.isTriton)
      places.file(ofTriton);
    for (const std::string &package : caller.packages)
      places.in(package);
    if (!caller.cudaPath.empty())
      places.in(caller.cudaPath + "/bin");
    if (!caller.folder.empty() && !isGeneral(caller))
      places.in(caller.folder);
    if (!caller.pythonPrefix.empty())
      pythons.push_back(caller.pythonPrefix);
    isOfXla |= caller.isXla;
  }
  places.file(ofTriton);
  addFromEnvironment(isOfXla, places, pythons);
  places.in("/usr/local/cuda/bin");
  for (const std::string &cuda : foldersLike("/usr/local", "cuda-"))
    places.in(cuda + "/bin");
  for (const char *usual : {"/opt/cuda/bin", "/usr/lib/cuda/bin", "/usr/lib/nvidia-cuda-toolkit/bin"})
    places.in(usual);
  for (const char *prefix : {"VIRTUAL_ENV", "CONDA_PREFIX"})
    if (!variable(prefix).empty())
      places.inPython(variable(prefix).str());
  for (const std::string &python : pythons)
    places.inPython(python);
  if (!variable("HOME").empty())
    places.inPython((variable("HOME") + "/.local").str());
  return places.all();
}

// Lists the locations that were tried, separated by colons. A script that calls `ptxray ptxas`, or another ptxray, may
// be found as ptxas. It then calls ptxray again, which must continue with the next location.
static constexpr const char *triedVariable = "PTXRAY_WITHIN_PTXAS";

bool isTriedByAnother() { return !variable(triedVariable).empty(); }

void markTried(const std::string &path) {
  const StringRef before = variable(triedVariable);
  setenv(triedVariable, before.empty() ? path.c_str() : (before + ":" + path).str().c_str(), 1);
}

static bool isTried(const std::string &path) {
  llvm::SmallVector<StringRef> tried;
  variable(triedVariable).split(tried, ':', -1, false);
  return llvm::is_contained(tried, StringRef(path));
}

static bool isSelf(const std::string &path) {
  struct stat found, self;
  return stat(path.c_str(), &found) == 0 && stat("/proc/self/exe", &self) == 0 && found.st_dev == self.st_dev &&
         found.st_ino == self.st_ino;
}

/// Returns why the file cannot be the requested ptxas; empty if it can.
static std::string whyNot(const std::string &path) {
  struct stat found;
  if (stat(path.c_str(), &found) != 0)
    return "does not exist";
  if (!S_ISREG(found.st_mode))
    return S_ISDIR(found.st_mode) ? "is a folder" : "is not a program";
  if (access(path.c_str(), X_OK) != 0)
    return "is not executable";
  return isSelf(path) ? "is ptxray itself" : "";
}

Expected<std::string> namedPtxas(StringRef wanted) {
  if (!wanted.contains('/')) {
    llvm::SmallVector<StringRef> folders;
    variable("PATH").split(folders, ':', -1, false);
    for (StringRef folder : folders)
      if (std::string path = (folder + "/" + wanted).str(); whyNot(path).empty())
        return path;
    return Problem{"there is no program `" + wanted.str() + "` in PATH"};
  }
  if (const std::string why = whyNot(wanted.str()); !why.empty())
    return Problem{"`" + wanted.str() + "` " + why};
  return wanted.str();
}

Expected<std::string> realPtxas(StringRef name, llvm::ArrayRef<std::string> passedOver) {
  // Use exactly the ptxas that the user specifies, because a misspelt path must not select another compiler.
  if (const StringRef named = variable("PTXAS"); !named.empty() && !isTried(named.str()) && !isSelf(named.str())) {
    Expected<std::string> found = namedPtxas(named);
    return found ? std::move(found) : Problem{"$PTXAS: " + found.problem()};
  }
  llvm::SmallVector<StringRef, 2> names = {name};
  if (name != "ptxas") // `ptxas-blackwell` for a caller without one
    names.push_back("ptxas");
  for (const StringRef one : names)
    for (const std::string &path : candidates(one))
      if (whyNot(path).empty() && !isTried(path) && !llvm::is_contained(passedOver, path))
        return path;
  return Problem{
      "ptxas is not installed on this machine: install CUDA or `pip install nvidia-cuda-nvcc`, or name one in "
      "$PTXAS; with PTXRAY_VERIFY_ONLY=1 ptxray judges alone"};
}

} // namespace ptxray
