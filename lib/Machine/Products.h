#pragma once
// Handlers of named functions that multiply matrices, or move them to and from tensor memory.
#include "Machine/Lower.h"
#include "Machine/MatrixProduct.h"

namespace ptxray::machine {

bool multiplyInWarpgroup(const Lowered &one, BodyLowering &lowering);    // Wgmma.cpp
bool multiplyInTensorMemory(const Lowered &one, BodyLowering &lowering); // TensorProduct.cpp
bool moveTensorColumns(const Lowered &one, BodyLowering &lowering);      // TensorMemory.cpp
bool shiftTensorRows(const Lowered &one, BodyLowering &lowering);        // TensorMemory.cpp
bool copyToTensorMemory(const Lowered &one, BodyLowering &lowering);     // TensorMemory.cpp
/// Generates operations that allocate or free columns of tensor memory.
void lowerColumns(const Lowered &one, const Action &action, BodyLowering &lowering); // TensorMemory.cpp

/// Returns the matrix that a tcgen05 descriptor describes, or nothing if its mode is unknown.
std::optional<SharedMatrix> sharedMatrixOf(uint64_t descriptor, uint32_t rows, uint32_t depth, uint32_t bits,
                                           bool isAlongK); // TensorProduct.cpp

} // namespace ptxray::machine
