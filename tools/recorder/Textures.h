#pragma once
// The textures and surfaces that a program has created, and their texels.
#include "../launcher/Recording.h"
#include "Real.h"

namespace ptxray::recorder {

void addImageObject(uint64_t handle, bool isTexture, const ResourceDescription &resource,
                    const TextureDescription *sampling, bool isOtherView);
void removeImageObject(uint64_t handle);

/// Finds the textures and surfaces whose handles are in parameters, and stores at most `most` bytes of their texels.
/// Texels in linear memory belong to other memory. Returns the number of stored bytes.
uint64_t findImages(launcher::Recording &to, uint64_t most);
/// Removes textures and surfaces whose linear memory was not stored.
void dropImagesWithoutMemory(launcher::Recording &to);
/// Reads the texels of surfaces again. Returns whether that was possible.
bool readImagesAgain(launcher::Recording &to);

} // namespace ptxray::recorder
