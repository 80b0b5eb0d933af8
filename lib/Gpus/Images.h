#pragma once
// On which GPUs a binary runs: what a GPU can use of its modules.
#include "Binary/Binary.h"
#include "Isa/Isa.h"

namespace ptxray {

/// A fit says how well something runs on a GPU; greater is better.
enum class Fit : uint8_t { None, Compiled, Native };

/// Returns what the GPU can do with one image. PTX also needs a driver that reads its version.
Fit fitOf(const Entry &entry, const isa::Target &gpu);
/// Returns the GPUs that a library may meet, in ascending order.
std::vector<const isa::Target *> gpusOfToday();

/// A program registers a module as a unit: a container, or everything that one device link combined.
struct DeviceModule {
  std::vector<uint32_t> images; // containers: of a linked module those with its cubins
  std::vector<uint32_t> texts;  // of a linked module: the containers that it was linked from
  bool isLinked = false;
};

struct ModuleFit {
  Fit fit = Fit::None;
  const Entry *text = nullptr; // Compiled: the PTX that the driver takes, the newest of several
};

/// Returns the modules, without containers that have no code. Unpacks a cubin of each container without PTX.
std::vector<DeviceModule> modulesOf(const Binary &binary, Unpacker &unpacker);
ModuleFit fitOf(const DeviceModule &module, const Binary &binary, const isa::Target &gpu);

} // namespace ptxray
