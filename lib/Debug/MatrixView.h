#pragma once
// Shows the registers that hold a matrix of an instruction as that matrix, by the layouts of lib/Layout.
#include "Debug/Views.h"
#include "Source/Expected.h"

namespace ptxray::machine::debug {

class Debugger;

struct MatrixView {
  std::string title; // `A, 16x16 of .f16`
  uint32_t rows = 0, columns = 0;
  std::vector<std::string> cells; // row by row; `?`: no lane holds the element now
};

/// Returns the matrix that an operand of an instruction is: `a`, `b`, `d`, or `matrix` where there is only one. The
/// lanes are those of the warp of the focus, or of its warpgroup. Without a format the elements are of their own type.
Expected<MatrixView> matrixOf(const Debugger &session, const CodePlace &at, llvm::StringRef operand,
                              std::optional<ByteFormat> format);

} // namespace ptxray::machine::debug
