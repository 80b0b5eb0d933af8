#pragma once
// Named functions of formulas that multiply matrices, or move them to and from tensor memory.
#include "Machine/Lower.h"
#include "Machine/MatrixProduct.h"

namespace ptxray::machine {

bool multiplyInWarpgroup(const Lowered &one, BodyLowering &lowering);    // Wgmma.cpp
bool multiplyInTensorMemory(const Lowered &one, BodyLowering &lowering); // TensorProduct.cpp
bool moveTensorColumns(const Lowered &one, BodyLowering &lowering);      // TensorMemory.cpp
bool shiftTensorRows(const Lowered &one, BodyLowering &lowering);        // TensorMemory.cpp
bool copyToTensorMemory(const Lowered &one, BodyLowering &lowering);     // TensorMemory.cpp
/// Allocates or frees columns of tensor memory.
void lowerColumns(const Lowered &one, const Action &action, BodyLowering &lowering); // TensorMemory.cpp

/// Returns the matrix that a descriptor of tcgen05 describes; nothing if its mode is not known.
std::optional<SharedMatrix> sharedMatrixOf(uint64_t descriptor, uint32_t rows, uint32_t depth, uint32_t bits,
                                           bool isAlongK); // TensorProduct.cpp

} // namespace ptxray::machine
