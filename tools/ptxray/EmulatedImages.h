#pragma once
// Converts textures, surfaces and samplers of a command line for the emulator.
#include "../launcher/Images.h"
#include "Machine/Memory.h"

namespace ptxray {

/// Returns the image object. `address` is that of its texels.
machine::ImageObject imageObjectFor(const launcher::ImageDescription &asked, uint64_t address);
/// Returns why such an image cannot exist; empty if it can.
std::string problemOf(const machine::ImageObject &object, const machine::Memory &memory);

} // namespace ptxray
