#include "Ptxas/Ptxas.h"
#include "Isa/Isa.h"
#include "Ptxas/CudaReleases.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <dirent.h>
#include <fstream>
#include <sys/stat.h>
#include <unistd.h>

namespace ptxray {

using llvm::StringRef;

namespace {

/// The first CUDA that no longer compiles for targets below this one.
struct Removal {
  unsigned major, target;
};
constexpr Removal removals[] = {{11, 35}, {12, 50}, {13, 75}};

} // namespace

static void addVariable(std::vector<std::string> &paths, const char *name, const char *below) {
  if (const char *value = std::getenv(name); value && *value)
    paths.push_back(std::string(value) + below);
}

/// The folders in `folder` whose names begin like this, last one first: newer releases stand
/// behind.
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

/// The copies in the packages of Triton and of CUDA's own wheels.
static void addPython(std::vector<std::string> &paths, const std::string &prefix) {
  for (const char *lib : {"/lib", "/local/lib"})
    for (const std::string &python : foldersLike(prefix + lib, "python3"))
      for (const char *site : {"/site-packages", "/dist-packages"}) {
        paths.push_back(python + site + "/triton/backends/nvidia/bin/ptxas");
        for (const std::string &cuda : foldersLike(python + site + "/nvidia", "cu"))
          paths.push_back(cuda + "/bin/ptxas");
      }
}

namespace {

/// The program that started this one.
struct Caller {
  std::string folder;       // where it lies
  std::string pythonPrefix; // `<prefix>/bin/python` is how it was called
};

} // namespace

/// nvcc calls through a shell, Triton does not: that one and the one before.
static llvm::SmallVector<Caller, 2> callers() {
  llvm::SmallVector<Caller, 2> found(2);
  std::string process = std::to_string(getppid());
  for (Caller &caller : found) {
    const std::string folder = "/proc/" + process;
    char path[PATH_MAX];
    const ssize_t length = readlink((folder + "/exe").c_str(), path, sizeof path);
    caller.folder = StringRef(path, std::max<ssize_t>(0, length)).rsplit('/').first.str();
    std::ifstream commandLine(folder + "/cmdline");
    std::string program;
    std::getline(commandLine, program, '\0');
    auto [prefix, name] = StringRef(program).rsplit('/');
    if (name.starts_with("python") && prefix.consume_back("/bin"))
      caller.pythonPrefix = prefix.str();
    // `123 (name) S 45 ...`: its own parent stands behind the name, which may hold anything.
    std::ifstream status(folder + "/stat");
    std::string text;
    std::getline(status, text);
    process = StringRef(text).rsplit(") ").second.drop_front(2).split(' ').first.str();
  }
  return found;
}

static std::vector<std::string> candidates() {
  std::vector<std::string> paths;
  addVariable(paths, "PTXAS", "");
  addVariable(paths, "TRITON_PTXAS_PATH", "");
  addVariable(paths, "CUDA_HOME", "/bin/ptxas");
  addVariable(paths, "CUDA_PATH", "/bin/ptxas");
  std::vector<std::string> pythons;
  for (const Caller &caller : callers()) {
    if (!caller.folder.empty())
      paths.push_back(caller.folder + "/ptxas");
    if (!caller.pythonPrefix.empty())
      pythons.push_back(caller.pythonPrefix);
  }
  const char *search = std::getenv("PATH");
  llvm::SmallVector<StringRef> folders;
  StringRef(search ? search : "").split(folders, ':', -1, false);
  for (StringRef folder : folders) {
    paths.push_back(folder.str() + "/ptxas");
    if (access((folder.str() + "/python3").c_str(), X_OK) == 0)
      pythons.push_back(folder.rsplit('/').first.str());
  }
  paths.push_back("/usr/local/cuda/bin/ptxas");
  for (const std::string &cuda : foldersLike("/usr/local", "cuda-"))
    paths.push_back(cuda + "/bin/ptxas");
  for (const char *usual : {"/opt/cuda/bin/ptxas", "/usr/lib/cuda/bin/ptxas", "/usr/lib/nvidia-cuda-toolkit/bin/ptxas"})
    paths.push_back(usual);
  for (const char *variable : {"VIRTUAL_ENV", "CONDA_PREFIX"})
    if (const char *prefix = std::getenv(variable); prefix && *prefix)
      addPython(paths, prefix);
  for (const std::string &python : pythons)
    addPython(paths, python);
  if (const char *home = std::getenv("HOME"))
    addPython(paths, std::string(home) + "/.local");
  return paths;
}

/// Whether something can be started there that is not this program.
static bool isOther(const std::string &path) {
  struct stat found, self;
  if (stat(path.c_str(), &found) != 0 || !S_ISREG(found.st_mode) || access(path.c_str(), X_OK) != 0)
    return false;
  return stat("/proc/self/exe", &self) != 0 || found.st_dev != self.st_dev || found.st_ino != self.st_ino;
}

/// `Cuda compilation tools, release 13.5, V13.5.37`
static bool readRelease(StringRef printed, Ptxas &ptxas) {
  const size_t at = printed.find("release ");
  if (at == StringRef::npos)
    return false;
  StringRef rest = printed.drop_front(at + std::strlen("release "));
  unsigned minor = 0;
  if (rest.consumeInteger(10, ptxas.major) || !rest.consume_front(".") || rest.consumeInteger(10, minor))
    return false;
  ptxas.release = std::to_string(ptxas.major) + "." + std::to_string(minor);
  if (rest.consume_front(", V"))
    ptxas.release = rest.take_while([](char c) { return c == '.' || (c >= '0' && c <= '9'); }).str();
  for (const CudaRelease &known : cudaReleases())
    if (std::pair(known.major, known.minor) <= std::pair(ptxas.major, minor))
      ptxas.ptx = known.ptx;
  const CudaRelease &newest = cudaReleases().back();
  if (std::pair(ptxas.major, minor) > std::pair(newest.major, newest.minor))
    ptxas.ptx = 0; // newer than this program: let it try
  return true;
}

std::optional<std::string> realPtxas(std::string &reason) {
  for (const std::string &path : candidates())
    if (isOther(path))
      return path;
  reason = "there is no ptxas on this machine: install CUDA or `pip install nvidia-cuda-nvcc`, or "
           "name one "
           "in $PTXAS";
  return std::nullopt;
}

std::optional<Ptxas> findPtxas(StringRef wanted, std::string &reason) {
  Ptxas ptxas;
  if (wanted.empty()) {
    const std::optional<std::string> found = realPtxas(reason);
    if (!found)
      return std::nullopt;
    ptxas.path = *found;
  } else if (ptxas.path = wanted.str(); !isOther(ptxas.path)) {
    reason = "`" + ptxas.path + "` is no program that could be ptxas";
    return std::nullopt;
  }
  const std::string option = "--version";
  constexpr unsigned patience = 60;
  const ProgramResult answer = runProgram(ptxas.path, option, patience);
  if (answer.end == ProgramEnd::Exited && answer.detail == 0 && readRelease(answer.printed, ptxas))
    return ptxas;
  reason = answer.end == ProgramEnd::NotStarted
               ? "`" + ptxas.path + "` cannot be started: " + std::strerror(answer.detail)
           : answer.end == ProgramEnd::TimedOut ? "`" + ptxas.path + " --version` gives no answer"
                                                : "`" + ptxas.path + " --version` names no release; is this ptxas?";
  return std::nullopt;
}

std::string whatIsMissing(const Ptxas &ptxas, uint16_t ptx, StringRef target) {
  const std::string self = "ptxas " + ptxas.release + " (" + ptxas.path + ") does not know ";
  const int index = isa::findTarget(target);
  const isa::Target *known = index < 0 ? nullptr : &isa::targets()[index];
  const uint16_t needed = std::max(ptx, known ? known->since : uint16_t(0));
  if (ptxas.ptx && ptxas.ptx < needed) {
    const std::string text = self + (ptxas.ptx < ptx ? "PTX " + isa::versionText(ptx) : target.str());
    const CudaRelease &release = firstToolkitFor(needed);
    return release.ptx < needed ? text : text + "; CUDA " + release.name() + " or newer does";
  }
  for (const Removal &removal : removals)
    if (known && known->number < removal.target && ptxas.major >= removal.major)
      return self + target.str() + "; CUDA " + std::to_string(removal.major - 1) +
             " was the last that does (or compile for a newer target with --target)";
  return "";
}

Assembly assemble(const Ptxas &ptxas, const MemoryFile &input, llvm::ArrayRef<std::string> options, unsigned seconds) {
  Assembly assembly;
  std::string reason;
  if (!assembly.object.create(reason)) {
    assembly.run.detail = errno;
    return assembly;
  }
  std::vector<std::string> arguments(options.begin(), options.end());
  arguments.insert(arguments.end(), {input.path(), "-o", assembly.object.path()});
  assembly.run = runProgram(ptxas.path, arguments, seconds);
  return assembly;
}

} // namespace ptxray
