#pragma once
// Converts the size of a launch that a client requests from CUDA.
#include "../cuda/Types.h"
#include "Launch/LaunchShape.h"

namespace ptxray::driver {

inline LaunchShape shapeOf(const LaunchConfig &config) {
  LaunchShape shape;
  shape.grid = {config.gridX, config.gridY, config.gridZ};
  shape.block = {config.blockX, config.blockY, config.blockZ};
  shape.shared = config.sharedBytes;
  for (unsigned i = 0; config.attributes && i < config.attributeCount; ++i) {
    const LaunchAttribute &one = config.attributes[i];
    if (one.id == launchCooperative)
      shape.isCooperative = one.value.cooperative != 0;
    else if (one.id == launchCluster)
      shape.cluster = {one.value.cluster.x, one.value.cluster.y, one.value.cluster.z};
  }
  return shape;
}

} // namespace ptxray::driver
