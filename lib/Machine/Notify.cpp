#include "Machine/Notify.h"

namespace ptxray::machine {

void reportRange(Warp &warp, const Op &op, const AddressOf &address, uint64_t at, uint64_t bytes, bool isWrite,
                 unsigned lane) {
  observersOf(warp).notify(events::Accesses, [&](Observer &one) {
    one.ranges(warp,
               RangeAccess{.op = op, .address = address, .at = at, .bytes = bytes, .isWrite = isWrite, .lane = lane});
  });
}

void reportShared(Warp &warp, const Op &op, BlockState &block, uint64_t offset, uint64_t bytes, bool isWrite,
                  unsigned lane) {
  observersOf(warp).notify(events::Accesses, [&](Observer &one) {
    one.ranges(warp, RangeAccess{.op = op,
                                 .address = {{}, 0, Space::Shared},
                                 .at = offset,
                                 .bytes = bytes,
                                 .owner = &block,
                                 .isWrite = isWrite,
                                 .lane = lane});
  });
}

void reportTensor(Warp &warp, const Op &op, BlockState &block, uint32_t first, llvm::ArrayRef<uint8_t> lanes,
                  bool isWrite, unsigned lane, uint32_t together) {
  observersOf(warp).notify(
      events::Accesses, [&](Observer &one) { one.tensors(warp, {op, block, first, lanes, isWrite, lane, together}); });
}

void reportMatrix(Warp &warp, const Op &op, BlockState &block, const SharedMatrix &matrix, unsigned lane) {
  observersOf(warp).notify(events::Accesses, [&](Observer &one) { one.matrices(warp, op, block, matrix, lane); });
}

void reportAmount(Warp &warp, const Op &op, Amount what, uint64_t amount) {
  observersOf(warp).notify(events::Issues, [&](Observer &one) { one.transfers(warp, op, what, amount); });
}

void reportAmount(Warp &warp, const Op &op, Space space, uint64_t bytes) {
  if (space == Space::Shared || space == Space::Global)
    reportAmount(warp, op, space == Space::Shared ? Amount::SharedBytes : Amount::GlobalBytes, bytes);
}

void reportBefore(Warp &warp, const FunctionCode &code, uint32_t instruction, uint32_t lanes) {
  if (!warp.isFollowed && !warp.now.frame->followed)
    return;
  const uint32_t kinds =
      (warp.isFollowed ? events::Instructions : 0u) | (warp.now.frame->followed ? events::Registers : 0u);
  observersOf(warp).notify(kinds, [&](Observer &one) { one.before(warp, code, instruction, lanes); });
}

void reportExecuted(Warp &warp, const FunctionCode &code, uint32_t instruction, uint32_t lanes) {
  if (warp.isFollowed && lanes)
    observersOf(warp).notify(events::Instructions,
                             [&](Observer &one) { one.executed(warp, code, instruction, lanes); });
}

// ---- barrier objects

void endPhase(BlockState &block, const uint8_t *object) {
  ObjectHistory &history = block.agents->object(placeOf(object));
  ++history.phases;
  history.expected = history.came = 0;
  block.grid->observers->notify(events::Order, [&](Observer &one) { one.endsPhase(block, object); });
}

void noteBytes(BlockState &block, const uint8_t *object, int64_t bytes) {
  ObjectHistory &history = block.agents->object(placeOf(object));
  (bytes > 0 ? history.expected : history.came) += std::abs(bytes);
}

} // namespace ptxray::machine
