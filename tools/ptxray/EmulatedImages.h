#pragma once
// Textures, surfaces and samplers of a command line as the emulated machine has them.
#include "../launcher/Images.h"
#include "Machine/Memory.h"

namespace ptxray {

/// `address`: of the texels.
machine::ImageObject imageObjectFor(const launcher::ImageDescription &asked, uint64_t address);
/// Returns why there cannot be such an image; empty if there can.
std::string problemOf(const machine::ImageObject &object, const machine::Memory &memory);

} // namespace ptxray
