#include "Equal/TermObserver.h"
#include "Equal/MatrixTerms.h"
#include "Machine/Access.h"
#include "Machine/Grid.h"
#include "llvm/ADT/STLExtras.h"

namespace ptxray::equal {

using namespace machine; // NOLINT(google-build-using-namespace): the observer is next to the machine
using isa::StepOp;

namespace {

/// The terms of the registers of a frame.
struct FrameTerms : Attached {
  std::vector<std::array<Term, warpSize>> registers; // indexed by number in `ValueFlows`
  std::vector<uint32_t> lanes;                       // lanes that have a term
  std::array<uint32_t, 64> filled{};                 // for each bit of a SlotFilter, the registers that have a term
};

/// The terms of the local memory of a warp.
struct LocalTerms : Attached {
  std::vector<Ref> of; // `bytes` terms per lane
  uint32_t bytes = 0;
};

constexpr auto ownSlot = ObserverSlot::Other;

FrameTerms &termsOf(const Frame &frame) { return *static_cast<FrameTerms *>(frame.attached.in(ownSlot)); }

unsigned nextLane(uint32_t lanes) { return static_cast<unsigned>(__builtin_ctz(lanes)); }

} // namespace

TermObserver::TermObserver(Terms &terms, const ReadModule &module, std::vector<llvm::MutableArrayRef<uint8_t>> buffers,
                           Followed &out)
    : Observer(ownSlot, events::Frames | events::Registers | events::Accesses | events::Moves | events::Products),
      terms(terms), module(module), memory(terms, buffers), buffers(buffers.size()), out(out) {}

void TermObserver::obstruct(std::string what, const FunctionCode &code, uint32_t instruction) {
  if (!out.obstacle.empty() || out.followsDecisions)
    return;
  out.obstacle = std::move(what);
  out.at = code.instruction(instruction).range;
}

const Site &TermObserver::siteAt(const FunctionCode &code, uint32_t instruction) {
  const auto [found, isNew] = sites.try_emplace({&code, instruction});
  if (isNew)
    found->second = siteOf(code, instruction, module);
  return found->second;
}

// ---- registers

Term TermObserver::termOf(const Frame &frame, uint32_t number, unsigned lane) const {
  return number == ValueFlows::none ? none : termsOf(frame).registers[number][lane];
}

/// Assigns a term to a lane of a register. A constant is replaced by the lane's value in the emulator, unless
/// `keepsConstant` is set.
void TermObserver::set(Frame &frame, uint32_t number, unsigned lane, Term term, bool keepsConstant) {
  if (number == ValueFlows::none)
    return;
  if (!keepsConstant && term > unknown && terms.isConstant(term))
    term = none;
  FrameTerms &all = termsOf(frame);
  all.registers[number][lane] = term;
  uint32_t &lanes = all.lanes[number];
  const bool was = lanes != 0;
  lanes = term ? lanes | 1u << lane : lanes & ~(1u << lane);
  if (was == (lanes != 0))
    return;
  uint32_t &filled = all.filled[__builtin_ctzll(filterOf(frame.code.values.slots()[number]))];
  const bool wasFollowed = filled != 0;
  filled += was ? -1 : 1;
  if (wasFollowed == (filled != 0))
    return;
  SlotFilter followed = 0;
  for (unsigned bit = 0; bit < all.filled.size(); ++bit)
    followed |= SlotFilter(all.filled[bit] != 0) << bit;
  frame.follow(ownSlot, followed);
}

void TermObserver::setAll(Frame &frame, Numbers numbers, uint32_t lanes, Term term) {
  for (const uint32_t number : numbers)
    for (uint32_t left = term ? lanes : lanes & termsOf(frame).lanes[number]; left; left &= left - 1)
      set(frame, number, nextLane(left), term);
}

uint32_t TermObserver::lanesWithTerms(const Frame &frame, Numbers numbers) const {
  uint32_t lanes = 0;
  for (const uint32_t number : numbers)
    lanes |= termsOf(frame).lanes[number];
  return lanes;
}

void TermObserver::enterFrame(Warp &, Frame &frame, uint32_t) {
  if (!frame.attached.in(ownSlot))
    frame.attached.put(ownSlot, std::make_unique<FrameTerms>());
  FrameTerms &all = termsOf(frame);
  all.registers.assign(frame.code.values.slots().size(), {});
  all.lanes.assign(all.registers.size(), 0);
  all.filled.fill(0);
  frame.follow(ownSlot, 0);
}

// ---- instructions

/// Returns the lanes in which a term determines whether the instruction executes.
uint32_t TermObserver::guardedByTerm(const Frame &frame, const ValueFlow &flow) const {
  return flow.guard == ValueFlows::none ? 0 : termsOf(frame).lanes[flow.guard];
}

void TermObserver::before(Warp &warp, const FunctionCode &code, uint32_t instruction, uint32_t lanes) {
  compute(warp, code, instruction, lanes);
}

void TermObserver::skips(Warp &warp, const FunctionCode &code, uint32_t instruction) {
  compute(warp, code, instruction, 0);
}

/// Computes the results of an instruction that the lanes of `executing` are about to execute.
void TermObserver::compute(Warp &warp, const FunctionCode &code, uint32_t instruction, uint32_t executing) {
  Frame &frame = *warp.now.frame;
  const ValueFlow flow = code.values[instruction];
  const uint32_t guarded = guardedByTerm(frame, flow) & warp.now.mask;
  if (guarded && (flow.hasEffects || flow.mixesLanes)) {
    decideAll(frame, instruction, Decision::Kind::Condition, flow.guard, guarded);
    obstruct("whether this instruction executes depends on contents", code, instruction);
  }
  decideOperands(warp, code, instruction, executing);
  if (flow.results.empty())
    return;
  const uint32_t lanes = executing | guarded;
  const uint32_t with = lanesWithTerms(frame, flow.data) & lanes;
  if (flow.readsShared) // `multiplies` follows
    return;
  if (flow.readsSchedule)
    return setAll(frame, flow.results, executing, with ? unknown : none);
  if (!with && !guarded)
    return setAll(frame, flow.results, executing, none);
  const Site &site = siteAt(code, instruction);
  const bool reads = llvm::any_of(site.recipe.steps, [](const RecipeStep &step) { return step.op == StepOp::Memory; });
  if (reads || (site.isKnown && site.recipe.move.function)) // the access or the moves are reported next
    return setAll(frame, flow.results, executing, none);
  const auto of = [&](const SiteRegister &one, unsigned lane) { return termOf(frame, one.number, lane); };
  Symbolic symbolic(terms, site, frame, of);
  if (site.isKnown && site.recipe.product.function) {
    if (guarded || !multiply(frame, site, symbolic))
      setAll(frame, flow.results, executing, unknown);
    return;
  }
  const uint32_t needed = site.mixesLanes ? lanes : with | guarded;
  setAll(frame, flow.results, executing & ~needed, none);
  if (!symbolic.run(needed))
    return setAll(frame, flow.results, needed, unknown);
  if (guarded)
    assignGuarded(frame, code, instruction, flow, site, symbolic, needed);
  else
    assign(frame, site, symbolic, needed);
}

/// Returns the results of an instruction that are registers, with their terms.
static llvm::SmallVector<std::pair<SiteRegister, Term>, 8> resultsOf(const Site &site, Symbolic &symbolic,
                                                                     unsigned lane) {
  llvm::SmallVector<std::pair<SiteRegister, Term>, 8> all;
  for (const RecipeResult &result : site.recipe.results) {
    if (result.target != isa::FormulaTarget::Operand)
      continue;
    for (size_t i = 0; i < site.operands[result.operand].size(); ++i)
      if (const SiteRegister &to = site.operands[result.operand][i]; to.place.bits)
        all.push_back({to, symbolic.resultOf(result, i, lane)});
  }
  return all;
}

void TermObserver::assign(Frame &frame, const Site &site, Symbolic &symbolic, uint32_t lanes) {
  const bool setsCarry = llvm::any_of(site.recipe.results,
                                      [](const RecipeResult &one) { return one.target == isa::FormulaTarget::Carry; });
  for (uint32_t left = lanes; left; left &= left - 1) {
    const unsigned lane = nextLane(left);
    for (const auto &[to, term] : resultsOf(site, symbolic, lane)) {
      if (to.number == ValueFlows::none && out.obstacle.empty())
        out.obstacle = "a register is not followed";
      set(frame, to.number, lane, term);
    }
    if (setsCarry)
      set(frame, frame.code.values.find(frame.code.carry.slot), lane, unknown);
  }
}

/// Assigns to results a selection between the new and the old value, depending on the guard.
void TermObserver::assignGuarded(Frame &frame, const FunctionCode &code, uint32_t instruction, const ValueFlow &flow,
                                 const Site &site, Symbolic &symbolic, uint32_t lanes) {
  const bool isNot = code.body->instruction(instruction).guardNot;
  for (uint32_t left = lanes; left; left &= left - 1) {
    const unsigned lane = nextLane(left);
    const Term guard = termOf(frame, flow.guard, lane);
    for (const auto &[to, term] : resultsOf(site, symbolic, lane)) {
      if (!guard) {
        set(frame, to.number, lane, term);
        continue;
      }
      Term old = termOf(frame, to.number, lane);
      if (!old)
        old = symbolic.known(to, lane);
      set(frame, to.number, lane, terms.chosen(isNot && guard != unknown ? terms.negation(guard) : guard, term, old));
    }
  }
}

/// Computes a register matrix product. Returns false if terms do not support it.
bool TermObserver::multiply(Frame &frame, const Site &site, Symbolic &symbolic) {
  const RecipeProduct &product = site.recipe.product;
  if (site.isVague || product.d < 0)
    return false;
  const std::optional<MatrixTerms> sums = productOf(terms, site, symbolic);
  if (!sums)
    return false;
  for (size_t i = 0; i < sums->size(); ++i)
    for (unsigned lane = 0; lane < warpSize; ++lane)
      set(frame, site.operands[product.d][i].number, lane, (*sums)[i][lane]);
  return true;
}

// ---- control

void TermObserver::branches(Warp &warp, uint32_t instruction, Slot guard, uint32_t lanes) {
  const Frame &frame = *warp.now.frame;
  const uint32_t number = frame.code.values.find(guard);
  if (number == ValueFlows::none || !(termsOf(frame).lanes[number] & lanes))
    return;
  decideAll(frame, instruction, Decision::Kind::Condition, number, lanes);
  obstruct("contents decide this branch", frame.code, instruction);
}

void TermObserver::leaves(Warp &warp, const FunctionCode &code, const CodeBlock &block, uint32_t lanes) {
  if (!block.instructions || block.way == Way::Together)
    return;
  Frame &frame = *warp.now.frame;
  const ValueFlow flow = code.values[block.instruction];
  const uint32_t with =
      lanesWithTerms(frame, flow.data) | lanesWithTerms(frame, flow.decides) | lanesWithTerms(frame, flow.addresses);
  if ((block.way == Way::Barrier || block.way == Way::Table || block.way == Way::Call) && with & lanes)
    obstruct("the effect of this instruction depends on contents", code, block.instruction);
  for (const Numbers list : {flow.addresses, flow.decides, block.way == Way::Barrier ? flow.data : Numbers()})
    decideAll(frame, block.instruction, Decision::Kind::Other, list, lanes);
}

// ---- calls and local memory

/// Returns the terms of bytes in the local memory of a lane, or null if there are no such bytes.
Ref *TermObserver::localAt(Warp &warp, unsigned lane, uint64_t offset, uint64_t count) {
  if (!warp.attached.in(ownSlot))
    warp.attached.put(ownSlot, std::make_unique<LocalTerms>());
  auto &local = *static_cast<LocalTerms *>(warp.attached.in(ownSlot));
  if (local.bytes < warp.local.perLane) {
    std::vector<Ref> larger(size_t(warpSize) * warp.local.perLane);
    for (size_t i = 0; i < warpSize && local.bytes; ++i)
      std::copy_n(local.of.begin() + static_cast<ptrdiff_t>(i * local.bytes), local.bytes,
                  larger.begin() + static_cast<ptrdiff_t>(i * warp.local.perLane));
    local.of = std::move(larger);
    local.bytes = warp.local.perLane;
  }
  return offset <= local.bytes && count <= local.bytes - offset ? local.of.data() + size_t(lane) * local.bytes + offset
                                                                : nullptr;
}

void TermObserver::hands(Warp &warp, const Passed &from, Frame &source, const Passed &to, Frame &target,
                         uint32_t lanes) {
  if (!from.bytes || !to.bytes)
    return;
  const uint64_t count = std::min(from.bytes, to.bytes);
  for (uint32_t left = lanes; left; left &= left - 1) {
    const unsigned lane = nextLane(left);
    const Ref *const local = from.place.bits ? nullptr : localAt(warp, lane, source.base + from.offset, count);
    const Term term = from.place.bits ? termOf(source, source.code.values.find(from.place.slot), lane) : none;
    const bool isPlain = from.parts.empty() && to.parts.empty();
    if (to.place.bits) {
      const bool hasTerms = local && std::any_of(local, local + count, [](const Ref &one) { return one.term != none; });
      const bool isSame = from.place.bits == to.place.bits && isPlain;
      set(target, target.code.values.find(to.place.slot), lane, hasTerms || (term && !isSame) ? unknown : term);
      continue;
    }
    Ref *const into = localAt(warp, lane, target.base + to.offset, count);
    for (uint64_t i = 0; into && i < count; ++i)
      into[i] = local                                   ? local[i]
                : !term                                 ? Ref()
                : !isPlain || 8 * i >= terms[term].bits ? Ref{unknown, 0}
                                                        : terms.byteOf(term, static_cast<unsigned>(i));
  }
}

void TermObserver::passes(Warp &warp, unsigned lane, std::optional<uint64_t>, uint64_t to, uint64_t, uint64_t bytes) {
  if (Ref *const into = localAt(warp, lane, to, bytes))
    std::fill_n(into, bytes, Ref{unknown, 0});
}

void TermObserver::beginCluster(llvm::ArrayRef<BlockState *> cluster, bool isAgain) {
  for (BlockState *block : cluster) {
    memory.clear(block->shared.data(), block->shared.size());
    forgetAtomics(block->shared.data(), block->shared.size());
    for (Warp &warp : block->warps)
      if (isAgain)
        warp.attached.put(ownSlot, nullptr);
  }
}

void TermObserver::finish(const GridState &, Outcome &) {
  out.written = memory.written();
  for (size_t i = 0; i < buffers && !out.followsDecisions; ++i)
    out.buffers.push_back(memory.bytesOf(i));
}

} // namespace ptxray::equal
