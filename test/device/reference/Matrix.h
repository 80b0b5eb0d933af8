#pragma once
// The placement of the elements of 8x8 matrices of 16 bits (PTX manual 9.7.14.5.15 to .17). A thread of the warp holds
// two neighbours of one row in a register, the one with the lower column in the lower half.
#include <array>
#include <cstdint>

namespace ptxray::device {

using Matrix = std::array<std::array<uint16_t, 8>, 8>; // [row][column]
using Fragment = std::array<uint32_t, 32>;             // indexed by thread

Fragment fragmentOf(const Matrix &matrix);
Matrix matrixOf(const Fragment &fragment);
Matrix transposed(const Matrix &matrix);

/// The rows that ldmatrix .m8n16 .s8.s4 (PTX 9.4) loads. A row consists of sixteen signed 4-bit elements, the first in
/// the lowest bits. A thread holds four neighbours of one row as bytes.
using NarrowRows = std::array<uint64_t, 8>;
Fragment widenedFragmentOf(const NarrowRows &rows);

} // namespace ptxray::device
