#pragma once
// Matrices moved between memory and the registers of a warp: ldmatrix, stmatrix, wmma.load and wmma.store, as a list of
// pieces for one instruction.
#include "Source/Expected.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <memory>
#include <vector>

namespace ptxray {

struct MatrixMove {
  /// Neighbouring bits that lie together in memory and in one register.
  struct Piece {
    uint8_t lane, word, bit; // the place in a register: lane, number in the operand, bit
    uint8_t addressLane;     // whose address it is
    uint32_t inner, outer;   // offset from there in bits, and how many strides besides
  };
  uint8_t bits = 16; // the size of a piece in memory; one of fewer than eight bits may reach into the next byte
  uint8_t bitsOfRegister = 16; // that it takes in the register
  bool isSigned = false;       // the bits above are copies of the highest
  uint16_t registers = 0;      // that the pieces are spread over; further ones hold the same again
  uint8_t bitsOfElement = 16;  // what a stride counts
  uint32_t stride = 0;         // the stride if none is written
  bool isShared = false;       // shared memory is the only place where the matrices may lie
  std::vector<Piece> pieces;

  /// The problem: nothing is known of such a move.
  static Expected<std::shared_ptr<const MatrixMove>> make(llvm::StringRef opcode);
};

} // namespace ptxray
