#pragma once
// On which GPUs and with which drivers a binary runs.
#include "Gpus/Images.h"
#include <optional>

namespace ptxray {

/// PTX of one target and version.
struct TextGroup {
  std::string target;
  uint16_t version = 0;
  std::vector<const Entry *> entries;
  uint16_t least = 0; // the version that would do; 0: not asked
};

/// The fit of a GPU is what it can use of a binary, with any driver.
struct GpuFit {
  const isa::Target *gpu = nullptr;
  size_t native = 0, compiled = 0, none = 0; // modules
  uint16_t version = 0;                      // the newest PTX that is compiled
};

/// The fit of a binary is what it has for GPUs, as their drivers see it.
struct BinaryFit {
  const Binary *binary = nullptr;
  std::vector<DeviceModule> modules;
  size_t loose = 0; // containers that are not modules
  std::vector<std::string> cubins;
  std::vector<TextGroup> texts;
  std::vector<GpuFit> gpus;
  std::vector<BinaryProblem> problems; // what went wrong in reading it, and in unpacking what was looked at
};
/// `wantsLeast`: the least version is found however long the texts are.
BinaryFit fitOf(const Binary &binary, const ReadLimits &limits, bool wantsLeast);

/// A GPU, and the driver that it has, if that is known.
struct GpuWithDriver {
  const isa::Target *gpu = nullptr;
  std::optional<unsigned> driver;
};

/// The answer says which modules of a binary run there.
struct FitAnswer {
  size_t runs = 0;
  std::vector<size_t> lacking;    // modules
  std::vector<std::string> words; // why, most important first
};
FitAnswer answer(const BinaryFit &fit, const GpuWithDriver &question);

/// Returns the kernels of one unpacked image; of a cubin, the functions that have code of their own as well.
std::vector<std::string> kernelsIn(const Entry &entry, llvm::StringRef bytes);
/// Returns the kernels of a module: the entries of its PTX, or those for which its cubins have code.
std::vector<std::string> kernelsOf(const DeviceModule &module, const Binary &binary, const ReadLimits &limits);

/// Returns the driver that first loads PTX of a version, a branch such as 570; 0: none is known.
unsigned driverFor(uint16_t version);

} // namespace ptxray
