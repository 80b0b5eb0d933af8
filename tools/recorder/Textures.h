#pragma once
// The textures and surfaces that a program has made, and their texels.
#include "../launcher/Recording.h"
#include "Real.h"

namespace ptxray::recorder {

void addImageObject(uint64_t handle, bool isTexture, const ResourceDescription &resource,
                    const TextureDescription *sampling, bool isOtherView);
void removeImageObject(uint64_t handle);

/// Finds those whose handles are among the words of parameters, and stores their texels, of which so many bytes may be
/// stored. Texels in linear memory are part of other memory. Returns the bytes.
uint64_t findImages(launcher::Recording &to, uint64_t most);
/// Takes those away again whose linear memory was not stored.
void dropImagesWithoutMemory(launcher::Recording &to);
/// Reads the texels of surfaces again. Returns whether that was possible.
bool readImagesAgain(launcher::Recording &to);

} // namespace ptxray::recorder
