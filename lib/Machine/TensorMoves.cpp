#include "Layout/Instructions.h"
#include "Machine/Async.h"
#include "Machine/Flight.h"
#include "Machine/Notify.h"
#include "Machine/Products.h"
#include "Machine/TensorMemory.h"
#include <cstring>

namespace ptxray::machine {

namespace {

// ---- allocation

/// Payload of tcgen05.alloc and tcgen05.dealloc.
struct TensorColumns {
  AddressOf to; // location for the resulting address
  Place address, count;
};

void reportLateAllocation(Warp &warp, const Op &op, unsigned lane) {
  Fault *fault = raise(warp, op.instruction, lane);
  if (!fault)
    return;
  fault->race.rule = DiagId::AllocationAfterRelinquish;
  fault->race.earlier.at = warp.block->relinquish;
}

void allocateColumns(char *registers, const Op &op, uint32_t mask, Warp &warp) {
  const auto &use = *static_cast<const TensorColumns *>(op.more);
  const auto lane = static_cast<unsigned>(__builtin_ctz(mask));
  const auto count = static_cast<uint32_t>(addressIn(registers, {use.count, 0}, lane));
  BlockState &block = *warp.block;
  if (block.relinquish)
    return reportLateAllocation(warp, op, lane);
  const std::optional<uint32_t> first = block.tensor.allocate(count);
  block.allocation = &warp.now.frame->code.instruction(op.instruction);
  if (!first)
    return reportUndefined(warp, op, lane, "waiting for columns of tensor memory that are not free");
  const uint64_t to = addressIn(registers, use.to, lane);
  const Lookup found = look(warp, use.to.space, to, 4, lane, true);
  if (!found.bytes || to % 4)
    return report(warp, op, found.bytes ? AccessFault::Misaligned : found.fault, use.to, to, 4, true, lane);
  warp.doer.isAllocation = true;
  reportRange(warp, op, use.to, to, 4, true, lane);
  warp.doer.isAllocation = false;
  std::memcpy(found.bytes, &*first, 4);
}

void relinquish(char *, const Op &op, uint32_t, Warp &warp) {
  warp.block->relinquish = &warp.now.frame->code.instruction(op.instruction);
}

void freeColumns(char *registers, const Op &op, uint32_t mask, Warp &warp) {
  const auto &use = *static_cast<const TensorColumns *>(op.more);
  const auto lane = static_cast<unsigned>(__builtin_ctz(mask));
  const TensorAddress address(addressIn(registers, {use.address, 0}, lane));
  if (!warp.block->tensor.free(address.column, static_cast<uint32_t>(addressIn(registers, {use.count, 0}, lane))))
    reportUndefined(warp, op, lane, "freeing columns of tensor memory that were not allocated");
}

// ---- loads and stores

/// A cell of tensor memory, relative to the address, and the part of a register that corresponds to it.
struct MovedCell {
  uint16_t lane, column, word;
  uint8_t thread, bit;
};
struct TensorAccess {
  Place address;
  int64_t offset = 0;
  bool isStore = false, isHalf = false; // halves: 16 bits
  uint32_t lanes = 0, columns = 0;      // numbers of accessed lanes and columns
  std::vector<MovedCell> cells;
  llvm::SmallVector<Place, 32> registers;
  llvm::SmallVector<uint8_t, 128> touched; // for each column, a bit mask; a bit represents 16 lanes
};

void moveCells(char *registers, const Op &op, uint32_t mask, Warp &warp) {
  const auto &access = *static_cast<const TensorAccess *>(op.more);
  const auto lane = static_cast<unsigned>(__builtin_ctz(mask));
  TensorAddress address(addressIn(registers, {access.address, access.offset, Space::Shared}, lane));
  TensorMemory &memory = warp.block->tensor;
  const uint32_t first = warp.number % 4 * warpSize;
  // Kernels with several producers give all warps the address of lane 0. Each warp then uses its own lanes.
  if (address.lane + access.lanes <= warpSize)
    address.lane += first;
  if (address.lane < first || address.lane + access.lanes > first + warpSize)
    return reportUndefined(warp, op, lane,
                           "lanes of tensor memory that the warp cannot access: lane " + std::to_string(address.lane) +
                               " in warp " + std::to_string(warp.number));
  if (!memory.isAllocated(address.column, access.columns))
    return reportUndefined(warp, op, lane, "columns of tensor memory that are not allocated");
  if (!access.isStore)
    warp.doer = {}; // ordered by its registers
  llvm::SmallVector<uint8_t, 128> lanes = access.touched;
  for (uint8_t &bits : lanes)
    bits = static_cast<uint8_t>(bits << address.lane / 16);
  reportTensor(warp, op, *warp.block, address.column, lanes, access.isStore, lane, mask);
  reportAmount(warp, op, Amount::TensorBytes, access.cells.size() * (access.isHalf ? 2 : 4));
  if (warp.doer.stage == Stage::Begin)
    return;
  for (const MovedCell &one : access.cells) {
    uint32_t &cell = memory.at(address.lane + one.lane, address.column + one.column);
    const Slot slot = access.registers[one.word].slot;
    char *at = registers + slot + 4 * size_t(one.thread) + one.bit / 8;
    observersOf(warp).notify(events::Moves, [&](Observer &observer) {
      auto *const bytes = reinterpret_cast<uint8_t *>(&cell);
      observer.moves(warp, op,
                     MovedBytes{.to = access.isStore ? bytes : nullptr,
                                .from = access.isStore ? nullptr : bytes,
                                .bytes = access.isHalf ? 2u : 4u,
                                .slot = slot,
                                .lane = one.thread,
                                .byte = one.bit / 8u});
    });
    if (!access.isStore)
      std::memcpy(at, &cell, access.isHalf ? 2 : 4);
    else {
      cell = 0;
      std::memcpy(&cell, at, access.isHalf ? 2 : 4);
    }
  }
}

/// Payload of a minimum or maximum over the registers that a lane has loaded.
struct ColumnReduction {
  llvm::SmallVector<Place, 32> registers;
  Place to;
  Reduction reduction;
};

void reduceColumns(char *registers, const Op &op, uint32_t mask, Warp &) {
  const auto &use = *static_cast<const ColumnReduction *>(op.more);
  for (uint32_t left = mask; left; left &= left - 1) {
    const size_t lane = static_cast<unsigned>(__builtin_ctz(left));
    uint64_t result = lanesOf<uint32_t>(registers, use.registers[0].slot)[lane];
    for (const Place &place : llvm::ArrayRef(use.registers).drop_front())
      result = reduced(use.reduction, result, lanesOf<uint32_t>(registers, place.slot)[lane]);
    lanesOf<uint32_t>(registers, use.to.slot)[lane] = static_cast<uint32_t>(result);
  }
}

/// Payload of tcgen05.cp.
struct TensorCopy {
  Place to, from;
  int64_t offset = 0;
  uint32_t rows = 0, columns = 0, reached = 0; // columns that it writes
  uint8_t packedBits = 0;                      // size of elements that are expanded to bytes; 0 if they are copied
  bool isPair = false;
  std::vector<MovedCell> cells; // word: index in the source, row by row
};

/// Expands 4-bit or 6-bit elements to bytes.
void unpack(std::vector<uint8_t> &bytes, uint32_t bits) {
  for (size_t piece = 0; piece + 16 <= bytes.size(); piece += 16) {
    uint8_t made[16];
    for (uint32_t i = 0; i < 16; ++i)
      made[i] = static_cast<uint8_t>(bitsAt(&bytes[piece], i * bits, bits) << (6 - bits));
    std::memcpy(&bytes[piece], made, 16);
  }
}

void copyToTensor(char *registers, const Op &op, uint32_t mask, Warp &warp) {
  const auto &copy = *static_cast<const TensorCopy *>(op.more);
  const auto lane = static_cast<unsigned>(__builtin_ctz(mask));
  const TensorAddress address(addressIn(registers, {copy.to, copy.offset, Space::Shared}, lane));
  BlockState &block = *warp.block;
  const std::optional<SharedMatrix> matrix =
      sharedMatrixOf(addressIn(registers, {copy.from, 0}, lane), copy.rows, copy.columns, 32, true);
  if (!matrix)
    return refuse(warp, op, lane, "a descriptor of shared memory in this mode");
  std::vector<uint8_t> bytes = block.grid->matrices.bytesOf(*matrix, block.shared);
  if (bytes.empty())
    return report(warp, op, AccessFault::OutOfBounds, {{}, 0, Space::Shared}, matrix->start, 16, false, lane);
  reportMatrix(warp, op, block, *matrix, lane);
  reportAmount(warp, op, Space::Shared, bytes.size());
  reportAmount(warp, op, Amount::TensorBytes, 4 * copy.cells.size() * (copy.isPair ? 2 : 1));
  const llvm::SmallVector<uint8_t, 128> lanes(copy.reached, 0xff); // the lanes at the address and below
  for (BlockState *other : block.cluster)
    if (other == &block || (copy.isPair && other->rank == (block.rank ^ 1)))
      reportTensor(warp, op, *other, address.column, lanes, true, lane);
  if (warp.doer.stage == Stage::Begin)
    return;
  if (copy.packedBits)
    unpack(bytes, copy.packedBits);
  for (BlockState *other : block.cluster) {
    if (other != &block && !(copy.isPair && other->rank == (block.rank ^ 1)))
      continue;
    if (!other->tensor.isAllocated(address.column, copy.reached))
      return reportUndefined(warp, op, lane, "columns of tensor memory that are not allocated");
    for (const MovedCell &one : copy.cells)
      if (address.lane + one.lane < TensorMemory::lanes)
        std::memcpy(&other->tensor.at(address.lane + one.lane, address.column + one.column), &bytes[4 * one.word], 4);
  }
}

/// Payload of tcgen05.shift.
struct TensorShift {
  Place address;
  int64_t offset = 0;
  bool isPair = false;
};

/// Moves each row of a warp, except the last one, to the next lane.
void shiftRows(char *registers, const Op &op, uint32_t mask, Warp &warp) {
  constexpr uint32_t width = 8; // columns: 32 bytes
  const auto &shift = *static_cast<const TensorShift *>(op.more);
  const auto lane = static_cast<unsigned>(__builtin_ctz(mask));
  const TensorAddress address(addressIn(registers, {shift.address, shift.offset, Space::Shared}, lane));
  if (address.lane % warpSize || address.lane >= TensorMemory::lanes)
    return reportUndefined(warp, op, lane,
                           "rows of tensor memory that begin at lane " + std::to_string(address.lane) +
                               ", which is not a multiple of 32");
  const llvm::SmallVector<uint8_t, width> lanes(width, static_cast<uint8_t>(3 << address.lane / 16));
  for (BlockState *block : warp.block->cluster) {
    if (block != warp.block && !(shift.isPair && block->rank == (warp.block->rank ^ 1)))
      continue;
    if (!block->tensor.isAllocated(address.column, width))
      return reportUndefined(warp, op, lane, "columns of tensor memory that are not allocated");
    reportTensor(warp, op, *block, address.column, lanes, true, lane);
    if (warp.doer.stage == Stage::Begin)
      continue;
    for (uint32_t row = address.lane + warpSize - 1; row > address.lane; --row)
      for (uint32_t column = address.column; column < address.column + width; ++column)
        block->tensor.at(row, column) = block->tensor.at(row - 1, column);
  }
}

layout::Answer described(const Lowered &one) {
  layout::Request request;
  request.instruction = one.verdict.opcode->spelling;
  if (const int split = one.node("immHalfSplitoff"); split >= 0)
    request.settings["split"] = std::to_string(one.nodes[split].value);
  return layout::describe(request);
}

int64_t offsetAt(const Lowered &one, int node) {
  const Operand &operand = one.nodes[one.nodes[node].kind == OperandKind::Address ? node + 1 : node];
  return operand.flags & HasOffset ? operand.value : 0;
}

} // namespace

void lowerColumns(const Lowered &one, const Action &action, BodyLowering &lowering) {
  if (action.kind == isa::FactKind::Relinquishes)
    return lowering.emit(relinquish, 0);
  TensorColumns use;
  const bool isAllocated = action.kind == isa::FactKind::Allocates;
  if (isAllocated)
    use.to = lowering.addressAt(one, action.node);
  else
    use.address = lowering.placeOf(one, action.node, 32);
  use.count = lowering.placeOf(one, action.amount, 32);
  lowering.emit(isAllocated ? allocateColumns : freeColumns, use);
}

bool moveTensorColumns(const Lowered &one, BodyLowering &lowering) {
  const std::optional<Reduction> &reduction = one.kind.reduction;
  const layout::Answer answer = described(one);
  if (!answer.complaint.empty() || answer.layouts.empty())
    return false;
  const layout::Layout &layout = answer.layouts[0];
  TensorAccess access;
  const int address = one.node("taddr"), values = one.node("r") >= 0 ? one.node("r") : one.node("v");
  access.isStore = one.node("v") >= 0;
  access.address = lowering.placeOf(one, address, 32);
  access.offset = offsetAt(one, address);
  access.isHalf = layout.elementBits == 16;
  access.lanes = layout::size(layout, layout::Row);
  access.columns = layout::size(layout, layout::Column);
  for (uint32_t at = values + 1; at < uint32_t(values) + one.nodes[values].extent; ++at)
    access.registers.push_back(lowering.placeOf(one, static_cast<int>(at), 32));
  layout::forEach(layout, [&](layout::Element element, layout::Place place) {
    access.cells.push_back({static_cast<uint16_t>(element[layout::Row]), static_cast<uint16_t>(element[layout::Column]),
                            static_cast<uint16_t>(place[layout::Word]), static_cast<uint8_t>(place[layout::Lane]),
                            static_cast<uint8_t>(place[layout::Bit])});
  });
  access.touched.resize(access.columns);
  for (const MovedCell &one : access.cells)
    access.touched[one.column] |= static_cast<uint8_t>(1 << one.lane / 16);
  lowering.emit(moveCells, access);
  if (const int to = one.node("redval"); to >= 0 && reduction) {
    ColumnReduction over{access.registers, lowering.placeOf(one, to, 32), *reduction};
    over.reduction.flushes = false;
    over.reduction.isAbsolute = hasWord(one, ".abs");
    over.reduction.passesNaN = hasWord(one, ".NaN");
    lowering.emit(reduceColumns, std::move(over));
  }
  return true;
}

bool shiftTensorRows(const Lowered &one, BodyLowering &lowering) {
  const int address = one.node("taddr");
  lowering.emit(shiftRows,
                TensorShift{lowering.placeOf(one, address, 32), offsetAt(one, address), one.facts().ctas == 2});
  return true;
}

bool copyToTensorMemory(const Lowered &one, BodyLowering &lowering) {
  const layout::Answer answer = described(one);
  if (!answer.complaint.empty() || answer.layouts.empty())
    return false;
  const layout::Layout &layout = answer.layouts[0];
  TensorCopy copy;
  const int address = one.node("taddr");
  copy.to = lowering.placeOf(one, address, 32);
  copy.offset = offsetAt(one, address);
  copy.from = lowering.placeAt(one, "s-desc", 64);
  copy.rows = layout::size(layout, layout::Row);
  copy.columns = layout::size(layout, layout::Column);
  copy.packedBits = hasWord(one, ".b4x16_p64") ? 4 : hasWord(one, ".b6x16_p32") ? 6 : 0;
  copy.isPair = one.facts().ctas == 2;
  layout::forEach(layout, [&](layout::Element element, layout::Place place) {
    copy.cells.push_back({static_cast<uint16_t>(place[layout::Lane]), static_cast<uint16_t>(place[layout::Word]),
                          static_cast<uint16_t>(element[layout::Row] * copy.columns + element[layout::Column]), 0, 0});
    copy.reached = std::max(copy.reached, place[layout::Word] + 1);
  });
  lowering.emit(copyToTensor, std::move(copy));
  return true;
}

} // namespace ptxray::machine
