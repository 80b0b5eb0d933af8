#include "Machine/QuickAccess.h"

namespace ptxray::machine {

// Handlers for launches without observers of accesses. The slow variants are called if the memory differs from that of
// the last access.

template <class Element>
static PTXRAY_FOR_AVX2 void loadElsewhere(char *registers, const Op &op, uint32_t mask, Warp &warp) {
  const auto &access = *static_cast<const MemoryAccess *>(op.more);
  const Row row = findRow<false>(registers, op, access, mask, warp);
  if (!row.first)
    return loadElements(registers, op, mask, warp);
  loadRow<Element>(registers, access, row);
}

template <class Element>
static PTXRAY_FOR_AVX2 void storeElsewhere(char *registers, const Op &op, uint32_t mask, Warp &warp) {
  const auto &access = *static_cast<const MemoryAccess *>(op.more);
  const Row row = findRow<false>(registers, op, access, mask, warp);
  if (!row.first)
    return storeElements(registers, op, mask, warp);
  storeRow<Element>(registers, access, row);
}

// The fast variants call no other functions, so they need only caller-saved registers.

template <class Element>
static PTXRAY_FOR_AVX2 void loadQuickly(char *registers, const Op &op, uint32_t mask, Warp &warp) {
  const auto &access = *static_cast<const MemoryAccess *>(op.more);
  const Row row = findRow<true>(registers, op, access, mask, warp);
  if (!row.first)
    return loadElsewhere<Element>(registers, op, mask, warp);
  loadRow<Element>(registers, access, row);
}

template <class Element>
static PTXRAY_FOR_AVX2 void storeQuickly(char *registers, const Op &op, uint32_t mask, Warp &warp) {
  const auto &access = *static_cast<const MemoryAccess *>(op.more);
  const Row row = findRow<true>(registers, op, access, mask, warp);
  if (!row.first)
    return storeElsewhere<Element>(registers, op, mask, warp);
  storeRow<Element>(registers, access, row);
}

Handler quickHandlerOf(const MemoryAccess &access) {
  if (!canBeQuick())
    return access.isWrite ? storeElements : loadElements;
  return byWidth(access, {{{loadQuickly<uint16_t>, storeQuickly<uint16_t>},
                           {loadQuickly<uint32_t>, storeQuickly<uint32_t>},
                           {loadQuickly<uint64_t>, storeQuickly<uint64_t>}}});
}

} // namespace ptxray::machine
