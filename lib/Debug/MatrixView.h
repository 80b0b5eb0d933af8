#pragma once
// Shows registers that hold a matrix as that matrix, using the layouts of lib/Layout.
#include "Debug/Views.h"
#include "Source/Expected.h"

namespace ptxray::machine::debug {

class Debugger;

struct MatrixView {
  std::string title; // `A, 16x16 of .f16`
  uint32_t rows = 0, columns = 0;
  std::vector<std::string> cells; // row by row; `?` if no lane holds the element at this time
};

/// Returns the matrix in an operand of an instruction: `a`, `b`, `d`, or `matrix` if there is only one. The lanes are
/// those of the focused warp or of its warpgroup. If no format is given, elements are shown in their own type.
Expected<MatrixView> matrixOf(const Debugger &session, const CodePlace &at, llvm::StringRef operand,
                              std::optional<ByteFormat> format);

} // namespace ptxray::machine::debug
