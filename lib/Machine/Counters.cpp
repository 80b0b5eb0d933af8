#include "Machine/Counters.h"
#include "Layout/Instructions.h"
#include "Machine/Grid.h"
#include "Machine/Traffic.h"
#include "llvm/ADT/STLExtras.h"

namespace ptxray::machine {

InstructionCounts &InstructionCounts::operator+=(const InstructionCounts &other) {
  executed += other.executed;
  threads += other.threads;
  threadsOn += other.threadsOn;
  partings += other.partings;
  sharedWavefronts += other.sharedWavefronts;
  sharedIdeal += other.sharedIdeal;
  globalSectors += other.globalSectors;
  globalIdeal += other.globalIdeal;
  globalTags += other.globalTags;
  sharedBytes += other.sharedBytes;
  globalBytes += other.globalBytes;
  localBytes += other.localBytes;
  bulkBytes += other.bulkBytes;
  collisions += other.collisions;
  waits += other.waits;
  products += other.products;
  return *this;
}

FunctionCounts &FunctionCounts::operator+=(const FunctionCounts &other) {
  blocks.resize(std::max(blocks.size(), other.blocks.size()));
  instructions.resize(std::max(instructions.size(), other.instructions.size()));
  for (size_t i = 0; i < other.blocks.size(); ++i) {
    blocks[i].executed += other.blocks[i].executed;
    blocks[i].threads += other.blocks[i].threads;
  }
  for (size_t i = 0; i < other.instructions.size(); ++i)
    instructions[i] += other.instructions[i];
  return *this;
}

/// The products of elements that one warp makes by an instruction whose registers hold the matrices; the four warps of
/// a warpgroup share those of theirs. An instruction that only moves a matrix has an address.
static uint64_t productsOfWarp(const FunctionCode &code, uint32_t number) {
  const Verdict &verdict = *code.body->verdicts[number];
  const std::optional<std::array<uint32_t, 3>> shape = layout::Words(verdict.opcode->spelling).shape();
  const Instruction &instruction = code.instruction(number);
  const bool isMove = llvm::any_of(code.body->ast->operandsOf(instruction.operands),
                                   [](const Operand &one) { return one.kind == OperandKind::Address; });
  if (!shape || isMove)
    return 0;
  const bool isShared = llvm::any_of(verdict.facts->actions, [](const Action &one) {
    return one.kind == isa::FactKind::Converged && one.scope() == isa::Scope::Warpgroup;
  });
  return uint64_t((*shape)[0]) * (*shape)[1] * (*shape)[2] / (isShared ? 4 : 1);
}

std::vector<InstructionCounts> countsByInstruction(const FunctionCode &code, const FunctionCounts &counts) {
  std::vector<InstructionCounts> all = counts.instructions;
  for (size_t i = 0; i < counts.blocks.size(); ++i)
    for (uint32_t number = 0; number < code.blocks[i].instructions; ++number) {
      InstructionCounts &one = all[code.blocks[i].firstInstruction + number];
      one.executed += counts.blocks[i].executed;
      one.threads += counts.blocks[i].threads;
      if (counts.blocks[i].executed)
        one.products += counts.blocks[i].executed * productsOfWarp(code, code.blocks[i].firstInstruction + number);
      if (code.body->guard(code.blocks[i].firstInstruction + number) == LocalId::None)
        one.threadsOn += counts.blocks[i].threads;
    }
  return all;
}

static FunctionCounts &countsOfFunction(Warp &warp, const FunctionCode &code) {
  FunctionCounts &counts = warp.block->grid->counts[code.number];
  if (counts.blocks.empty()) {
    counts.blocks.resize(code.blocks.size());
    counts.instructions.resize(code.body->size());
  }
  return counts;
}

static std::vector<InstructionCounts> &countsOf(Warp &warp, const FunctionCode &code) {
  return countsOfFunction(warp, code).instructions;
}

void countBlock(Warp &warp, const FunctionCode &code) {
  FunctionCounts::Block &counts = countsOfFunction(warp, code).blocks[warp.now.at];
  ++counts.executed;
  counts.threads += static_cast<uint32_t>(__builtin_popcount(warp.now.mask));
}

void countGuarded(Warp &warp, const FunctionCode &code, uint32_t instruction, uint32_t mask) {
  if (code.body->guard(instruction) != LocalId::None)
    countsOf(warp, code)[instruction].threadsOn += static_cast<uint32_t>(__builtin_popcount(mask));
}

void countWait(Warp &warp, const FunctionCode &code, uint32_t instruction) {
  ++countsOf(warp, code)[instruction].waits;
}

void countProducts(Warp &warp, const Op &op, uint64_t products) {
  countsOf(warp, warp.now.frame->code)[op.instruction].products += products;
}

void countParting(Warp &warp, const FunctionCode &code, uint32_t instruction) {
  ++countsOf(warp, code)[instruction].partings;
}

/// The lanes whose generic address lies in the window of a space.
static uint32_t lanesInWindow(const uint64_t *at, uint32_t mask, uint64_t window) {
  uint32_t lanes = 0;
  for (uint32_t left = mask; left; left &= left - 1)
    if (at[__builtin_ctz(left)] / windowBytes == window / windowBytes)
      lanes |= left & -left;
  return lanes;
}

void WorstAccess::take(const WorstAccess &other) {
  if (std::tuple(passes, other.mask, other.at) < std::tuple(other.passes, mask, at))
    *this = other;
}

Wavefronts wavefrontsOf(AccessKind kind, const LaneAddresses &lanes) {
  const bool isApart = kind == AccessKind::Copy || kind == AccessKind::Atomic;
  return kind == AccessKind::Load ? wavefrontsOfLoad(lanes)
                                  : wavefrontsOfStore(lanes, isApart ? SameWord::Apart : SameWord::Shared);
}

/// Keeps the access if it is the worst one of its instruction.
static void keepWorst(GridState &grid, std::pair<uint32_t, uint32_t> place, AccessKind kind, const LaneAddresses &lanes,
                      uint32_t passes) {
  WorstAccess access{kind, {}, lanes.mask, lanes.bytes, passes};
  for (unsigned lane = 0; lane < warpSize; ++lane)
    access.at[lane] = lanes.mask >> lane & 1 ? lanes.at[lane] & sharedOffsetMask : 0;
  grid.worst[place].take(access);
}

static void countShared(Warp &warp, const Op &op, AccessKind kind, const LaneAddresses &lanes) {
  const FunctionCode &code = warp.now.frame->code;
  InstructionCounts &counts = countsOf(warp, code)[op.instruction];
  counts.sharedBytes += uint64_t(lanes.bytes) * static_cast<uint32_t>(__builtin_popcount(lanes.mask));
  constexpr uint32_t mostCached = 8; // larger copies go past the first level of the cache, and are not counted there
  if (kind == AccessKind::Copy && lanes.bytes > mostCached)
    return;
  const Wavefronts passes = wavefrontsOf(kind, lanes);
  counts.sharedWavefronts += passes.count;
  counts.sharedIdeal += passes.ideal;
  if (passes.count > 2 * passes.ideal)
    keepWorst(*warp.block->grid, {code.number, op.instruction}, kind, lanes, passes.count);
}

static void countGlobal(InstructionCounts &counts, const LaneAddresses &lanes) {
  const Pieces pieces = piecesOf(lanes);
  counts.globalBytes += uint64_t(lanes.bytes) * static_cast<uint32_t>(__builtin_popcount(lanes.mask));
  counts.globalSectors += pieces.sectors;
  counts.globalIdeal += pieces.ideal;
  counts.globalTags += pieces.lines;
}

void countAccess(Warp &warp, const Op &op, AccessKind kind, Space space, const uint64_t *at, uint32_t mask,
                 uint32_t bytes) {
  if (!bytes || warp.doer.stage == Stage::End)
    return;
  InstructionCounts &counts = countsOf(warp, warp.now.frame->code)[op.instruction];
  uint32_t shared = space == Space::Shared ? mask : 0, local = space == Space::Local ? mask : 0;
  uint32_t global = space == Space::Global ? mask : 0;
  if (space == Space::Generic) {
    shared = lanesInWindow(at, mask, sharedWindow);
    local = lanesInWindow(at, mask, localWindow);
    global = mask & ~shared & ~local & ~lanesInWindow(at, mask, constWindow) & ~lanesInWindow(at, mask, paramWindow);
  }
  counts.localBytes += uint64_t(bytes) * static_cast<uint32_t>(__builtin_popcount(local));
  if (shared)
    countShared(warp, op, kind, {at, shared, bytes});
  if (global)
    countGlobal(counts, {at, global, bytes});
  if (kind == AccessKind::Atomic || kind == AccessKind::Increment)
    counts.collisions += collisionsOf({at, shared | global, bytes});
}

void countRows(Warp &warp, const Op &op, Space space, const uint64_t *at, uint32_t mask) {
  constexpr uint32_t rowBytes = 16;
  countAccess(warp, op, AccessKind::Matrix, space, at, mask, rowBytes);
}

void countBulk(Warp &warp, const Op &op, uint64_t bytes) {
  if (warp.doer.stage != Stage::End)
    countsOf(warp, warp.now.frame->code)[op.instruction].bulkBytes += bytes;
}

} // namespace ptxray::machine
