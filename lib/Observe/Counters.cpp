#include "Observe/Counters.h"
#include "Machine/Grid.h"
#include "Observe/Conflicts.h"
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

/// Returns the number of element products of one warp. The four warps of a warpgroup share the products of an
/// instruction.
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

/// Returns the counts of the instructions, including the counts of their code blocks.
static std::vector<InstructionCounts> countsByInstruction(const FunctionCode &code, const FunctionCounts &counts) {
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

FunctionCounts &CountersObserver::countsOfFunction(const FunctionCode &code) {
  if (counts.size() <= code.number)
    counts.resize(code.number + 1);
  FunctionCounts &known = counts[code.number];
  if (known.blocks.empty()) {
    known.blocks.resize(code.blocks.size());
    known.instructions.resize(code.body->size());
  }
  return known;
}

void CountersObserver::merge(Observer &observer) {
  const auto &other = static_cast<const CountersObserver &>(observer);
  counts.resize(std::max(counts.size(), other.counts.size()));
  for (size_t i = 0; i < other.counts.size(); ++i)
    counts[i] += other.counts[i];
  for (const auto &[place, access] : other.worst)
    worst[place].take(access);
}

void CountersObserver::finish(const GridState &grid, Outcome &outcome) {
  counts.resize(grid.program.functions.size());
  for (const FunctionCode &code : grid.program.functions)
    for (const auto [number, one] : llvm::enumerate(countsByInstruction(code, counts[code.number])))
      outcome.counts.push_back({code.instruction(static_cast<uint32_t>(number)).range,
                                grid.program.module->ast().text(code.name),
                                code.body->verdicts[number]->opcode->mnemonic->text(), one,
                                number < code.fidelity.size() ? code.fidelity[number] : Fidelity::Exact});
  llvm::append_range(outcome.diagnostics, bankConflicts(grid.program, counts, worst));
}

void CountersObserver::enterCode(Warp &warp, const FunctionCode &code, const CodeBlock &) {
  FunctionCounts::Block &known = countsOfFunction(code).blocks[warp.now.at];
  ++known.executed;
  known.threads += lanesIn(warp.now.mask);
}

void CountersObserver::guards(Warp &, const FunctionCode &code, uint32_t instruction, uint32_t lanes) {
  if (code.body->guard(instruction) != LocalId::None)
    countsOf(code)[instruction].threadsOn += lanesIn(lanes);
}

void CountersObserver::parts(Warp &, const FunctionCode &code, uint32_t instruction) {
  ++countsOf(code)[instruction].partings;
}

void CountersObserver::waits(Warp &, const FunctionCode &code, uint32_t instruction) {
  ++countsOf(code)[instruction].waits;
}

void CountersObserver::asksInVain(Warp &warp, const Op &op, bool isFirst) {
  if (isFirst)
    waits(warp, warp.now.frame->code, op.instruction);
}

void CountersObserver::transfers(Warp &warp, const Op &op, Amount what, uint64_t amount) {
  if (warp.doer.stage == Stage::End && what != Amount::Products)
    return;
  using enum Amount;
  InstructionCounts &known = countsOf(warp.now.frame->code)[op.instruction];
  switch (what) {
  case BulkBytes: known.bulkBytes += amount; break;
  case TextureBytes: known.textureBytes += amount; break;
  case TensorBytes: known.tensorBytes += amount; break;
  case SharedBytes: known.sharedBytes += amount; break;
  case GlobalBytes: known.globalBytes += amount; break;
  case Products: known.products += amount; break;
  }
}

/// Returns the lanes whose generic address is in the window of a space.
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

KnownCost *CountersObserver::knownCost(const LaneShape *shape) {
  if (!shape)
    return nullptr;
  std::unique_ptr<KnownCost> &known = costs[shape];
  if (!known || known->version != shape->version) {
    known = std::make_unique<KnownCost>();
    known->version = shape->version;
  }
  return known.get();
}

/// Records the access if it is the worst one of its instruction.
void CountersObserver::keepWorst(Warp &warp, const IssuedAccess &issued, const LaneAddresses &lanes, uint32_t passes) {
  WorstAccess &known = worst[{warp.now.frame->code.number, issued.op.instruction}];
  if (passes < known.passes)
    return;
  WorstAccess access{issued.kind, {}, lanes.mask, lanes.bytes, passes};
  for (unsigned lane = 0; lane < warpSize; ++lane)
    access.at[lane] = lanes.mask >> lane & 1 ? lanes.at[lane] & sharedOffsetMask : 0;
  known.take(access);
}

void CountersObserver::countShared(Warp &warp, InstructionCounts &known, const IssuedAccess &issued,
                                   const LaneAddresses &lanes, KnownCost *costsOfShape) {
  KnownCost::InShared unknown;
  KnownCost::InShared &cost =
      costsOfShape ? costsOfShape->inShared[firstAddress(lanes) % traffic::alignmentOfPasses] : unknown;
  if (!cost.passes.count)
    cost.passes = wavefrontsOf(issued.kind, lanes);
  known.sharedBytes += uint64_t(lanes.bytes) * lanesIn(lanes.mask);
  known.sharedWavefronts += cost.passes.count;
  known.sharedIdeal += cost.passes.ideal;
  const uint64_t first = firstAddress(lanes) & sharedOffsetMask;
  if (cost.passes.haveConflicts() && first < cost.lowest) {
    cost.lowest = first;
    keepWorst(warp, issued, lanes, cost.passes.count);
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

void CountersObserver::issues(Warp &warp, const IssuedAccess &issued) {
  const auto [at, mask, bytes] = issued.lanes;
  const Space space = issued.space;
  if (!bytes || warp.doer.stage == Stage::End)
    return;
  KnownCost *const known = knownCost(issued.shape);
  InstructionCounts &now = countsOf(warp.now.frame->code)[issued.op.instruction];
  uint32_t shared = space == Space::Shared ? mask : 0, local = space == Space::Local ? mask : 0;
  uint32_t global = space == Space::Global ? mask : 0, constant = space == Space::Const ? mask : 0;
  if (space == Space::Generic) {
    shared = lanesInWindow(at, mask, sharedWindow);
    local = lanesInWindow(at, mask, localWindow);
    constant = lanesInWindow(at, mask, constWindow);
    global = mask & ~shared & ~local & ~constant & ~lanesInWindow(at, mask, paramWindow);
  }
  if (constant)
    now.constBytes += uint64_t(bytes) * lanesIn(constant);
  if (local)
    now.localBytes += uint64_t(bytes) * lanesIn(local);
  if (shared)
    countShared(warp, now, issued, {at, shared, bytes}, shared == mask ? known : nullptr);
  if (global)
    countGlobal(now, {at, global, bytes}, global == mask ? known : nullptr);
  if (issued.kind == AccessKind::Atomic || issued.kind == AccessKind::Increment)
    now.collisions += traffic::collisionsOf({at, shared | global, bytes});
}

} // namespace ptxray::machine
