#pragma once
// Moves of matrices between memory and the registers of a warp: ldmatrix, stmatrix, wmma.load and wmma.store, as a list
// of pieces.
#include "Source/Expected.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <memory>
#include <vector>

namespace ptxray {

struct MatrixMove {
  /// Bits that are contiguous in memory and in one register.
  struct Piece {
    uint8_t lane, word, bit; // lane, register in the operand, and bit
    uint8_t addressLane;     // the lane whose address is used
    uint32_t inner, outer;   // offset from that address in bits, and the number of strides to add
  };
  uint8_t bits = 16;           // size of a piece in memory; pieces under 8 bits may extend into the next byte
  uint8_t bitsOfRegister = 16; // size of a piece in the register
  bool isSigned = false;       // the piece is sign-extended in the register
  uint16_t registers = 0;      // number of registers the pieces fill; further registers repeat them
  uint8_t bitsOfElement = 16;  // the unit of the stride
  uint32_t stride = 0;         // used if the instruction has no stride
  bool isShared = false;       // the matrices must be in shared memory
  std::vector<Piece> pieces;

  /// Describes the move, or returns why it is not supported.
  static Expected<std::shared_ptr<const MatrixMove>> make(llvm::StringRef opcode);
};

} // namespace ptxray
