#include "Matrix.h"

namespace ptxray::device {

Fragment fragmentOf(const Matrix &matrix) {
  Fragment fragment;
  for (unsigned thread = 0; thread < 32; ++thread) {
    const unsigned row = thread / 4, column = thread % 4 * 2;
    fragment[thread] = matrix[row][column] | static_cast<uint32_t>(matrix[row][column + 1]) << 16;
  }
  return fragment;
}

Matrix matrixOf(const Fragment &fragment) {
  Matrix matrix;
  for (unsigned row = 0; row < 8; ++row)
    for (unsigned column = 0; column < 8; ++column)
      matrix[row][column] = fragment[row * 4 + column / 2] >> (column % 2 * 16);
  return matrix;
}

Matrix transposed(const Matrix &matrix) {
  Matrix result;
  for (unsigned row = 0; row < 8; ++row)
    for (unsigned column = 0; column < 8; ++column)
      result[row][column] = matrix[column][row];
  return result;
}

Fragment widenedFragmentOf(const NarrowRows &rows) {
  Fragment fragment;
  for (unsigned thread = 0; thread < 32; ++thread) {
    fragment[thread] = 0;
    for (unsigned i = 0; i < 4; ++i) {
      const unsigned column = thread % 4 * 4 + i;
      const uint32_t element = rows[thread / 4] >> (4 * column) & 15;
      const uint32_t byte = element < 8 ? element : element | 0xf0;
      fragment[thread] |= byte << (8 * i);
    }
  }
  return fragment;
}

} // namespace ptxray::device
