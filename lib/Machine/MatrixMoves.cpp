// Moves matrices between memory and the registers of a warp, piece by piece. Handles everything except 8 x 8 elements
// of 16 bits.
#include "Machine/Access.h"
#include "Machine/Grid.h"
#include "Machine/Lower.h"
#include "Semantics/MatrixMove.h"
#include <cstring>

namespace ptxray::machine {

namespace {

struct MovedMatrices {
  std::shared_ptr<const MatrixMove> function;
  AddressOf address;
  Place stride; // if it is not a register, the default of the function is used
  bool isStore = false;
  std::vector<Place> registers;
};

/// The bytes of a piece, and its first bit in them.
struct PieceBytes {
  uint8_t *bytes = nullptr;
  unsigned bit = 0, count = 0;
};

PieceBytes find(const MovedMatrices &moved, const MatrixMove::Piece &piece, char *registers, const Op &op, Warp &warp) {
  const MatrixMove &function = *moved.function;
  uint64_t stride = function.stride;
  if (moved.stride.bits)
    stride = static_cast<uint32_t>(addressIn(registers, {moved.stride, 0}, piece.addressLane));
  const uint64_t at = piece.inner + piece.outer * stride * function.bitsOfElement;
  const uint64_t address = addressIn(registers, moved.address, piece.addressLane) + at / 8;
  PieceBytes result;
  result.bit = at % 8;
  result.count = (result.bit + function.bits + 7) / 8;
  if (function.isShared &&
      leavesShared(warp, op, moved.address, address, result.count, moved.isStore, piece.addressLane))
    return result;
  const Lookup found = look(warp, moved.address.space, address, result.count, piece.addressLane, moved.isStore);
  if (!found.bytes)
    report(warp, op, found.fault, moved.address, address, result.count, moved.isStore, piece.addressLane);
  result.bytes = found.bytes;
  return result;
}

/// Reports a piece that moves between memory and a register.
void reportMove(const MovedMatrices &moved, const MatrixMove::Piece &piece, size_t word, const PieceBytes &memory,
                const Op &op, Warp &warp) {
  observersOf(warp).notify(events::Moves, [&](Observer &one) {
    one.moves(warp, op,
              MovedBytes{.to = moved.isStore ? memory.bytes : nullptr,
                         .from = moved.isStore ? nullptr : memory.bytes,
                         .bytes = memory.count,
                         .slot = moved.registers[word].slot,
                         .lane = piece.lane,
                         .byte = piece.bit / 8u,
                         .isReduced = moved.function->bits % 8 != 0});
  });
}

void loadPieces(const MovedMatrices &moved, char *registers, const Op &op, Warp &warp) {
  const MatrixMove &function = *moved.function;
  std::vector<std::array<uint64_t, warpSize>> lanes(moved.registers.size());
  for (const MatrixMove::Piece &piece : function.pieces) {
    const PieceBytes from = find(moved, piece, registers, op, warp);
    if (!from.bytes)
      return;
    uint64_t bits = 0;
    std::memcpy(&bits, from.bytes, from.count);
    bits = static_cast<uint64_t>(lowBits(bits >> from.bit, function.bits));
    if (function.isSigned && bits >> (function.bits - 1) & 1)
      bits = static_cast<uint64_t>(lowBits(Bits(bits) | ~Bits(0) << function.bits, function.bitsOfRegister));
    for (size_t to = piece.word; to < lanes.size(); to += function.registers) {
      reportMove(moved, piece, to, from, op, warp);
      lanes[to][piece.lane] |= bits << piece.bit;
    }
  }
  for (size_t i = 0; i < lanes.size(); ++i)
    for (unsigned lane = 0; lane < warpSize; ++lane)
      if (const Place to = moved.registers[i]; to.bits)
        std::memcpy(registers + to.slot + size_t(lane) * (to.bits / 8), &lanes[i][lane], to.bits / 8);
}

void storePieces(const MovedMatrices &moved, char *registers, const Op &op, Warp &warp) {
  const MatrixMove &function = *moved.function;
  for (const MatrixMove::Piece &piece : function.pieces) {
    const PieceBytes to = find(moved, piece, registers, op, warp);
    if (!to.bytes)
      return;
    reportMove(moved, piece, piece.word, to, op, warp);
    uint64_t value = 0, before = 0;
    const Place from = moved.registers[piece.word];
    std::memcpy(&value, registers + from.slot + size_t(piece.lane) * (from.bits / 8), from.bits / 8);
    std::memcpy(&before, to.bytes, to.count);
    const auto mask = static_cast<uint64_t>(lowBits(~Bits(0), function.bits)) << to.bit;
    before = (before & ~mask) | (value >> piece.bit << to.bit & mask);
    std::memcpy(to.bytes, &before, to.count);
  }
}

void moveMatrices(char *registers, const Op &op, uint32_t /*mask*/, Warp &warp) {
  const auto &moved = *static_cast<const MovedMatrices *>(op.more);
  moved.isStore ? storePieces(moved, registers, op, warp) : loadPieces(moved, registers, op, warp);
}

} // namespace

void lowerMove(const Lowered &one, BodyLowering &lowering) {
  const RecipeMove &move = one.recipe.move;
  const RecipeOperand &operand =
      one.recipe.operands[move.isStore ? move.registers : one.recipe.results.front().operand];
  MovedMatrices moved;
  moved.function = move.function;
  moved.isStore = move.isStore;
  const int address = move.isStore ? one.recipe.results.front().operand : move.address;
  moved.address = lowering.addressAt(one, one.match().nodeOf[address]);
  if (move.stride >= 0)
    moved.stride = lowering.placeOf(one, one.match().nodeOf[move.stride], 32);
  for (const RecipeOperand::Register &known : operand.registers)
    moved.registers.push_back(lowering.placeOf(one, known.node, 32));
  lowering.emit(moveMatrices, std::move(moved));
}

} // namespace ptxray::machine
