#pragma once
// Instructions that read textures, access surfaces, or query their properties.
#include "Machine/Image.h"
#include "Machine/Lower.h"

namespace ptxray::machine {

/// The shape of an image that an instruction expects.
struct ImageGeometry {
  uint32_t rank = 1;
  bool isList = false, isCube = false;
};

/// Payload of a texture fetch.
struct TextureFetch {
  Place texture, sampler; // handles; if there is no sampler, the texture contains one
  ImageGeometry geometry;
  bool areIntegers = false; // the coordinates are integers
  bool isBase = false;
  llvm::SmallVector<Place, 4> coordinates; // the layer first
  Place level;
  llvm::SmallVector<Place, 4> dx, dy, offsets;
  int component = -1;                  // index of the component for a fetch of four texels; -1 for all components
  llvm::SmallVector<Place, 4> results; // width 0 for unused results
  bool areHalves = false;              // each result contains two 16-bit numbers
  Place isResident;
};
void fetchFromTexture(char *registers, const Op &op, uint32_t mask, Warp &warp);

/// Payload of a surface access.
struct SurfaceAccess {
  enum class What : uint8_t { Load, Store, Reduce };
  enum class Outside : uint8_t { Trap, Clamp, Zero };
  What what = What::Load;
  Place surface;
  ImageGeometry geometry;
  llvm::SmallVector<Place, 4> coordinates;
  Outside outside = Outside::Trap;
  bool isFormatted = false; // the first coordinate counts texels, and numbers are converted to the surface's format
  uint32_t bytes = 0;       // size of all elements together; not used for formatted accesses
  llvm::SmallVector<Place, 4> elements;
  std::string reduction; // `.add` and similar
  bool isSigned = false; // type of a reduction
};
void accessSurface(char *registers, const Op &op, uint32_t mask, Warp &warp);

/// Payload of a query about an image or a sampler.
struct ImageQuery {
  Place handle;
  std::string attribute; // `.width`
  Place level;           // first level if it is no register
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

// Handlers of named functions in formulas:
bool fetchTexture(const Lowered &one, BodyLowering &lowering);
bool useSurface(const Lowered &one, BodyLowering &lowering);
bool askImage(const Lowered &one, BodyLowering &lowering);
bool askHandle(const Lowered &one, BodyLowering &lowering);

} // namespace ptxray::machine
