// Determines the release of a ptxas and the versions that it supports, and runs it.
#include "Ptxas/Ptxas.h"
#include "Gpus/CudaReleases.h"
#include "Isa/Isa.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <cerrno>
#include <cstring>

namespace ptxray {

using llvm::StringRef;

namespace {

/// The first CUDA release that no longer compiles for targets below this one.
struct Removal {
  unsigned major, target;
};
constexpr Removal removals[] = {{11, 35}, {12, 50}, {13, 75}};

} // namespace

/// Reads `Cuda compilation tools, release 13.5, V13.5.37`.
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
    ptxas.ptx = 0; // newer than this program, so let it try
  return true;
}

static std::string whyNoAnswer(const Ptxas &ptxas, const ProgramResult &answer) {
  const std::string self = "`" + ptxas.path;
  switch (answer.end) {
  case ProgramEnd::NotStarted: return self + "` cannot be started: " + std::strerror(answer.detail);
  case ProgramEnd::TimedOut: return self + " --version` gives no answer";
  default: return self + " --version` reports no release; is this ptxas?";
  }
}

/// Asks a ptxas for its release.
static Expected<Ptxas> askRelease(const std::string &path, unsigned seconds) {
  Ptxas ptxas;
  ptxas.path = path;
  const std::string option = "--version";
  constexpr unsigned patience = 60;
  const ProgramResult answer = runProgram(ptxas.path, option, seconds ? std::min(seconds, patience) : patience);
  if (answer.end == ProgramEnd::Exited && answer.detail == 0 && readRelease(answer.printed, ptxas))
    return ptxas;
  return Problem{whyNoAnswer(ptxas, answer)};
}

Expected<Ptxas> findPtxas(StringRef wanted, PtxasTask task, unsigned seconds) {
  std::string first; // why the first one is not suitable
  for (std::vector<std::string> passedOver;;) {
    const Expected<std::string> path = wanted.empty() ? realPtxas("ptxas", passedOver) : namedPtxas(wanted);
    // A ptxas that the user specifies is found repeatedly.
    if (!path || llvm::is_contained(passedOver, *path))
      return Problem{first.empty() ? path.problem() : first};
    Expected<Ptxas> ptxas = askRelease(*path, seconds);
    const std::string wrong = ptxas ? whatIsMissing(*ptxas, task) : ptxas.problem();
    if (wrong.empty())
      return ptxas;
    first = first.empty() ? wrong : first;
    passedOver.push_back(*path);
  }
}

std::string whatIsMissing(const Ptxas &ptxas, PtxasTask task) {
  const auto [ptx, target] = task;
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
  if (!assembly.object.create().empty()) {
    assembly.run.detail = errno;
    return assembly;
  }
  std::vector<std::string> arguments(options.begin(), options.end());
  arguments.insert(arguments.end(), {input.path(), "-o", assembly.object.path()});
  assembly.run = runProgram(ptxas.path, arguments, seconds);
  return assembly;
}

} // namespace ptxray
