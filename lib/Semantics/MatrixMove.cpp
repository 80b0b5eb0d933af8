#include "Semantics/MatrixMove.h"
#include "Layout/Instructions.h"
#include "Semantics/Matrix.h"
#include "llvm/ADT/STLExtras.h"
#include <tuple>

namespace ptxray {

using layout::Axis;

/// Merges the pieces that fill a register into one, if all of them are contiguous in memory.
static void join(MatrixMove &move) {
  const unsigned inRegister = 32 / std::max<unsigned>(move.bits, 1);
  if (move.bits >= 32 || move.bits != move.bitsOfRegister || move.pieces.size() % inRegister != 0)
    return;
  llvm::sort(move.pieces, [](const MatrixMove::Piece &a, const MatrixMove::Piece &b) {
    return std::tie(a.lane, a.word, a.bit) < std::tie(b.lane, b.word, b.bit);
  });
  std::vector<MatrixMove::Piece> joined;
  for (size_t i = 0; i < move.pieces.size(); i += inRegister) {
    const MatrixMove::Piece &first = move.pieces[i];
    for (unsigned j = 0; j < inRegister; ++j) {
      const MatrixMove::Piece &next = move.pieces[i + j];
      if (next.word != first.word || next.addressLane != first.addressLane || next.outer != first.outer ||
          next.inner != first.inner + j * move.bits || first.inner % 32 != 0)
        return;
    }
    joined.push_back(first);
  }
  move.pieces = std::move(joined);
  move.bits = move.bitsOfRegister = 32;
}

/// Describes the move of rows of 8 or 16 bytes, each at the address of a different lane.
static Expected<std::shared_ptr<const MatrixMove>> ofRows(llvm::StringRef opcode) {
  layout::Request request;
  request.instruction = opcode.str();
  const layout::Answer answer = layout::describe(request);
  if (!answer.complaint.empty())
    return Problem{answer.complaint};
  const layout::Words words(opcode);
  const auto named = [&](llvm::StringRef name) {
    return llvm::find_if(answer.layouts, [&](const layout::Layout &one) { return one.name == name; });
  };
  const layout::Layout &matrix = *named("matrix"), &addresses = *named("addresses");
  auto move = std::make_shared<MatrixMove>();
  move->isShared = true;
  move->bitsOfRegister = static_cast<uint8_t>(matrix.elementBits);
  move->bits = words.has("b4x16_p64") || words.has("s4") ? 4 : words.has("b6x16_p32") ? 6 : move->bitsOfRegister;
  move->isSigned = words.has("s4");
  move->registers = static_cast<uint16_t>(layout::size(matrix, Axis::Word));
  const bool isByColumns = words.has("m16n16") || words.has("m16n8");
  layout::forEach(matrix, [&](layout::Element element, layout::Place place) {
    const uint32_t line = isByColumns ? element[layout::Column] : element[layout::Row];
    const uint32_t within = isByColumns ? element[layout::Row] : element[layout::Column];
    const layout::Place from = layout::placesOf(addresses, {line, element[layout::Matrix], 0}).front();
    move->pieces.push_back({static_cast<uint8_t>(place[Axis::Lane]), static_cast<uint8_t>(place[Axis::Word]),
                            static_cast<uint8_t>(place[Axis::Bit]), static_cast<uint8_t>(from[Axis::Lane]),
                            within * move->bits, 0});
  });
  join(*move);
  return move;
}

/// Describes the move of a whole matrix at one address, which is the same in all lanes.
static Expected<std::shared_ptr<const MatrixMove>> ofMatrix(llvm::StringRef opcode) {
  const layout::Words words(opcode);
  const auto shape = words.shape();
  const auto types = words.types();
  if (!shape || types.empty() || words.all.size() < 3)
    return Problem{"a matrix whose shape or type is not written"};
  const auto [m, n, k] = *shape;
  const llvm::StringRef which = words.all[2];
  const unsigned bits = layout::bitsOfType(types.front());
  const bool isA = which == "a", isB = which == "b";
  const RegisterFragment fragment = wholeFragment(isB ? k : m, isA ? k : n, bits, !isA && !isB, isB);
  const bool isByColumns = words.has("col");
  auto move = std::make_shared<MatrixMove>();
  move->bits = move->bitsOfRegister = static_cast<uint8_t>(bits);
  move->stride = isByColumns ? fragment.rows : fragment.columns;
  for (unsigned row = 0; row < fragment.rows; ++row)
    for (unsigned column = 0; column < fragment.columns; ++column) {
      const RegisterFragment::Place &place = fragment.places[size_t(row) * fragment.columns + column];
      move->registers = std::max<uint16_t>(move->registers, place.word + 1);
      move->pieces.push_back({place.lane, static_cast<uint8_t>(place.word), place.bit, place.lane,
                              (isByColumns ? row : column) * bits, isByColumns ? column : row});
    }
  move->bitsOfElement = move->bits;
  join(*move);
  return move;
}

Expected<std::shared_ptr<const MatrixMove>> MatrixMove::make(llvm::StringRef opcode) {
  return opcode.starts_with("wmma") ? ofMatrix(opcode) : ofRows(opcode);
}

} // namespace ptxray
