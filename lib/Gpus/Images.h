#pragma once
// Determines which GPUs a binary runs on.
#include "Binary/Binary.h"
#include "Isa/Isa.h"

namespace ptxray {

/// How well code matches a GPU; greater values are better.
enum class Fit : uint8_t { None, Compiled, Native };

/// Returns how an image can be used on a GPU. PTX also needs a driver that supports its version.
Fit fitOf(const Entry &entry, const isa::Target &gpu);
/// Returns the GPUs that a distributed library should support, in ascending order.
std::vector<const isa::Target *> gpusOfToday();

/// A module that a program registers as a unit: a container, or the result of one device link.
struct DeviceModule {
  std::vector<uint32_t> images; // indices of containers; for a linked module, those with its cubins
  std::vector<uint32_t> texts;  // for a linked module: indices of the containers from which it was linked
  bool isLinked = false;
};

struct ModuleFit {
  Fit fit = Fit::None;
  const Entry *text = nullptr; // Compiled: the PTX that the driver compiles, the newest of several
};

/// Returns the modules, ignoring containers without code. Unpacks one cubin of each container that has no PTX.
std::vector<DeviceModule> modulesOf(const Binary &binary, Unpacker &unpacker);
ModuleFit fitOf(const DeviceModule &module, const Binary &binary, const isa::Target &gpu);

} // namespace ptxray
