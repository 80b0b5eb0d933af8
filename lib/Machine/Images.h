#pragma once
// Instructions that read textures, access surfaces, and ask about them.
#include "Machine/Image.h"
#include "Machine/Lower.h"

namespace ptxray::machine {

/// An instruction takes an image to have so many dimensions.
struct ImageGeometry {
  uint32_t rank = 1;
  bool isList = false, isCube = false;
};

/// Payload of a fetch from a texture.
struct TextureFetch {
  Place texture, sampler; // handles; no sampler: the texture has its own
  ImageGeometry geometry;
  bool areIntegers = false; // the coordinates
  bool isBase = false;
  llvm::SmallVector<Place, 4> coordinates; // with the layer first
  Place level;
  llvm::SmallVector<Place, 4> dx, dy, offsets;
  int component = -1;                  // of four texels
  llvm::SmallVector<Place, 4> results; // none in a place: it is not wanted
  bool areHalves = false;              // two numbers of 16 bits in each result
  Place isResident;
};
void fetchFromTexture(char *registers, const Op &op, uint32_t mask, Warp &warp);

/// Payload of an access to a surface.
struct SurfaceAccess {
  enum class What : uint8_t { Load, Store, Reduce };
  enum class Outside : uint8_t { Trap, Clamp, Zero };
  What what = What::Load;
  Place surface;
  ImageGeometry geometry;
  llvm::SmallVector<Place, 4> coordinates;
  Outside outside = Outside::Trap;
  bool isFormatted = false; // the first coordinate counts texels, and numbers are changed to what the surface holds
  uint32_t bytes = 0;       // of all elements together; of a formatted access not used
  llvm::SmallVector<Place, 4> elements;
  std::string reduction; // `.add` and the like
  bool isSigned = false; // the type of a reduction
};
void accessSurface(char *registers, const Op &op, uint32_t mask, Warp &warp);

/// Payload of a question about an image or a sampler.
struct ImageQuery {
  Place handle;
  std::string attribute; // `.width`
  Place level;           // none: the first one
  Place result;
};
void queryImage(char *registers, const Op &op, uint32_t mask, Warp &warp);

/// Payload of `istypep`.
struct HandleQuery {
  Place handle;
  ImageObject::Kind kind = ImageObject::Kind::Texture;
  Place result;
};
void queryHandle(char *registers, const Op &op, uint32_t mask, Warp &warp);

// Named functions of formulas:
bool fetchTexture(const Lowered &one, BodyLowering &lowering);
bool useSurface(const Lowered &one, BodyLowering &lowering);
bool askImage(const Lowered &one, BodyLowering &lowering);
bool askHandle(const Lowered &one, BodyLowering &lowering);

} // namespace ptxray::machine
