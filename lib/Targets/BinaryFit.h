#pragma once
// Determines which GPUs and drivers a binary runs on.
#include "Gpus/Images.h"
#include <optional>

namespace ptxray {

/// PTX of one target and version.
struct TextGroup {
  std::string target;
  uint16_t version = 0;
  std::vector<const Entry *> entries;
  uint16_t least = 0; // the lowest sufficient version; 0 if not determined
};

/// How many modules of a binary a GPU can use, with any driver.
struct GpuFit {
  const isa::Target *gpu = nullptr;
  size_t native = 0, compiled = 0, none = 0; // numbers of modules
  uint16_t version = 0;                      // the newest PTX version that is compiled
};

/// The code that a binary contains for each GPU.
struct BinaryFit {
  const Binary *binary = nullptr;
  std::vector<DeviceModule> modules;
  size_t loose = 0; // containers that are not modules
  std::vector<std::string> cubins;
  std::vector<TextGroup> texts;
  std::vector<GpuFit> gpus;
  std::vector<BinaryProblem> problems; // problems in reading the binary, and in unpacking its images
};
/// Analyses a binary. With `wantsLeast`, determines the lowest version even for long texts.
BinaryFit fitOf(const Binary &binary, const ReadLimits &limits, bool wantsLeast);

/// A GPU, and its driver if known.
struct GpuWithDriver {
  const isa::Target *gpu = nullptr;
  std::optional<unsigned> driver;
};

/// Which modules of a binary run on a GPU.
struct FitAnswer {
  size_t runs = 0;
  std::vector<size_t> lacking;    // indices of modules
  std::vector<std::string> words; // reasons, most important first
};
FitAnswer answer(const BinaryFit &fit, const GpuWithDriver &question);

/// Returns the kernels of one unpacked image. For a cubin, also returns functions with their own code.
std::vector<std::string> kernelsIn(const Entry &entry, llvm::StringRef bytes);
/// Returns the kernels of a module: the entries of its PTX, or those in its cubins.
std::vector<std::string> kernelsOf(const DeviceModule &module, const Binary &binary, const ReadLimits &limits);

/// Returns the first driver branch that supports a PTX version, such as 570; 0 if none is known.
unsigned driverFor(uint16_t version);

} // namespace ptxray
