#include "Machine/Counters.h"
#include "Machine/Grid.h"
#include "Traffic/Remedies.h"
#include "llvm/ADT/STLExtras.h"

namespace ptxray::machine {

using traffic::LaneAddresses;
using traffic::lanesIn;

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
  constBytes += other.constBytes;
  asyncSharedBytes += other.asyncSharedBytes;
  asyncGlobalBytes += other.asyncGlobalBytes;
  textureBytes += other.textureBytes;
  tensorBytes += other.tensorBytes;
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

/// The products of elements that one warp makes; the four warps of a warpgroup share those of theirs.
static uint64_t productsOfWarp(const FunctionCode &code, uint32_t number) {
  const Facts &facts = code.body->facts(number);
  const bool isShared = llvm::any_of(facts.actions, [](const Action &one) {
    return one.kind == isa::FactKind::Converged && one.scope() == isa::Scope::Warpgroup;
  });
  return facts.products / (isShared ? 4 : 1);
}

static bool isOfAsyncProxy(const FunctionCode &code, uint32_t number) {
  return llvm::any_of(code.body->facts(number).actions, [](const Action &one) {
    return one.kind == isa::FactKind::Async && one.proxy() == isa::Proxy::Async;
  });
}

std::vector<InstructionCounts> countsByInstruction(const FunctionCode &code, const FunctionCounts &counts) {
  std::vector<InstructionCounts> all = counts.instructions;
  for (uint32_t number = 0; number < all.size(); ++number)
    if (InstructionCounts &one = all[number]; one.sharedBytes + one.globalBytes && isOfAsyncProxy(code, number)) {
      one.asyncSharedBytes = std::exchange(one.sharedBytes, 0);
      one.asyncGlobalBytes = std::exchange(one.globalBytes, 0);
    }
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
  counts.threads += lanesIn(warp.now.mask);
}

void countGuarded(Warp &warp, const FunctionCode &code, uint32_t instruction, uint32_t mask) {
  if (code.body->guard(instruction) != LocalId::None)
    countsOf(warp, code)[instruction].threadsOn += lanesIn(mask);
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

std::string WorstAccess::advice() const { return traffic::adviceFor(kind, {at.data(), mask, bytes}); }

static uint64_t firstAddress(const LaneAddresses &lanes) { return lanes.at[__builtin_ctz(lanes.mask)]; }

/// Keeps the access if it is the worst one of its instruction.
static void keepWorst(Warp &warp, const Op &op, AccessKind kind, const LaneAddresses &lanes, uint32_t passes) {
  WorstAccess &worst = warp.block->grid->worst[{warp.now.frame->code.number, op.instruction}];
  if (passes < worst.passes)
    return;
  WorstAccess access{kind, {}, lanes.mask, lanes.bytes, passes};
  for (unsigned lane = 0; lane < warpSize; ++lane)
    access.at[lane] = lanes.mask >> lane & 1 ? lanes.at[lane] & sharedOffsetMask : 0;
  worst.take(access);
}

static void countShared(Warp &warp, const Op &op, InstructionCounts &counts, AccessKind kind,
                        const LaneAddresses &lanes, KnownCost *known) {
  KnownCost::InShared unknown;
  KnownCost::InShared &cost = known ? known->inShared[firstAddress(lanes) % traffic::alignmentOfPasses] : unknown;
  if (!cost.passes.count)
    cost.passes = wavefrontsOf(kind, lanes);
  counts.sharedBytes += uint64_t(lanes.bytes) * lanesIn(lanes.mask);
  counts.sharedWavefronts += cost.passes.count;
  counts.sharedIdeal += cost.passes.ideal;
  const uint64_t first = firstAddress(lanes) & sharedOffsetMask;
  if (cost.passes.haveConflicts() && first < cost.lowest) {
    cost.lowest = first;
    keepWorst(warp, op, kind, lanes, cost.passes.count);
  }
}

static void countGlobal(InstructionCounts &counts, const LaneAddresses &lanes, KnownCost *known) {
  traffic::Pieces unknown;
  const uint64_t phase = firstAddress(lanes) % traffic::alignmentOfPieces;
  traffic::Pieces &pieces = known && phase % 4 == 0 ? known->inGlobal[phase / 4] : unknown;
  if (!pieces.sectors)
    pieces = traffic::piecesOf(lanes);
  counts.globalBytes += uint64_t(lanes.bytes) * lanesIn(lanes.mask);
  counts.globalSectors += pieces.sectors;
  counts.globalIdeal += pieces.ideal;
  counts.globalTags += pieces.lines;
}

void countAccess(Warp &warp, const Op &op, AccessKind kind, Space space, const LaneAddresses &lanes, KnownCost *known) {
  const auto [at, mask, bytes] = lanes;
  if (!bytes || warp.doer.stage == Stage::End)
    return;
  if (known && known->isOfOthers) {
    *known = {};
    known->isOfOthers = false;
  }
  InstructionCounts &counts = countsOf(warp, warp.now.frame->code)[op.instruction];
  uint32_t shared = space == Space::Shared ? mask : 0, local = space == Space::Local ? mask : 0;
  uint32_t global = space == Space::Global ? mask : 0, constant = space == Space::Const ? mask : 0;
  if (space == Space::Generic) {
    shared = lanesInWindow(at, mask, sharedWindow);
    local = lanesInWindow(at, mask, localWindow);
    constant = lanesInWindow(at, mask, constWindow);
    global = mask & ~shared & ~local & ~constant & ~lanesInWindow(at, mask, paramWindow);
  }
  if (constant)
    counts.constBytes += uint64_t(bytes) * lanesIn(constant);
  if (local)
    counts.localBytes += uint64_t(bytes) * lanesIn(local);
  if (shared)
    countShared(warp, op, counts, kind, {at, shared, bytes}, shared == mask ? known : nullptr);
  if (global)
    countGlobal(counts, {at, global, bytes}, global == mask ? known : nullptr);
  if (kind == AccessKind::Atomic || kind == AccessKind::Increment)
    counts.collisions += traffic::collisionsOf({at, shared | global, bytes});
}

void countRows(Warp &warp, const Op &op, Space space, const uint64_t *at, uint32_t mask) {
  constexpr uint32_t rowBytes = 16;
  countAccess(warp, op, AccessKind::Matrix, space, {at, mask, rowBytes});
}

void countBytes(Warp &warp, const Op &op, uint64_t InstructionCounts::*kind, uint64_t bytes) {
  if (warp.isCounted && warp.doer.stage != Stage::End)
    countsOf(warp, warp.now.frame->code)[op.instruction].*kind += bytes;
}

void countBytes(Warp &warp, const Op &op, Space space, uint64_t bytes) {
  if (space == Space::Shared || space == Space::Global)
    countBytes(warp, op, space == Space::Shared ? &InstructionCounts::sharedBytes : &InstructionCounts::globalBytes,
               bytes);
}

} // namespace ptxray::machine
