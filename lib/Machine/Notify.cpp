#include "Machine/Notify.h"

namespace ptxray::machine {

void reportRange(Warp &warp, const Op &op, const AddressOf &address, uint64_t at, uint64_t bytes, bool isWrite,
                 unsigned lane) {
  observersOf(warp).notify(events::Accesses, [&](Observer &one) {
    one.ranges(warp, {.op = op, .address = address, .at = at, .bytes = bytes, .isWrite = isWrite, .lane = lane});
  });
}

void reportShared(Warp &warp, const Op &op, BlockState &block, uint64_t offset, uint64_t bytes, bool isWrite,
                  unsigned lane) {
  observersOf(warp).notify(events::Accesses, [&](Observer &one) {
    one.ranges(warp, {.op = op,
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

} // namespace ptxray::machine
