// Collects what the contents of buffers decide in a launch beyond data.
#include "Equal/TermObserver.h"
#include "Machine/Access.h"
#include "Machine/Grid.h"
#include "llvm/ADT/STLExtras.h"

namespace ptxray::equal {

using namespace machine; // NOLINT(google-build-using-namespace): the observer is next to the machine

void TermObserver::add(Decision one) {
  if (decided.insert(one.key()).second)
    out.decisions.push_back(one);
}

/// Records that registers decide what an instruction does in some lanes.
void TermObserver::decideAll(const Frame &frame, uint32_t instruction, Decision::Kind kind, Numbers numbers,
                             uint32_t lanes) {
  if (!out.followsDecisions)
    return;
  for (const uint32_t number : numbers)
    for (uint32_t left = lanes; left; left &= left - 1) {
      const auto lane = static_cast<unsigned>(__builtin_ctz(left));
      Decision one{.kind = kind, .term = termOf(frame, number, lane)};
      if (!one.term)
        continue;
      one.at = frame.code.instruction(instruction).range;
      if (kind == Decision::Kind::Condition)
        one.isTrue = predicateAt(frame.registers, frame.code.values.slots()[number]) >> lane & 1;
      add(one);
    }
}

/// Returns whether the only effect of an instruction is one load, whose addresses `decideAddresses` sees.
static bool isLoad(const FunctionCode &code, uint32_t instruction, const Site &site) {
  const auto &accesses = code.body->verdicts[instruction]->facts->accesses;
  return site.isKnown && !site.isVague && !site.recipe.isOneByOne && !site.recipe.move.function &&
         accesses.size() == 1 && accesses[0].kind == isa::Access::Reads &&
         llvm::any_of(site.recipe.steps, [](const RecipeStep &step) { return step.op == isa::StepOp::Memory; });
}

void TermObserver::decideOperands(Warp &warp, const FunctionCode &code, uint32_t instruction, uint32_t lanes) {
  if (!out.followsDecisions)
    return;
  const Frame &frame = *warp.now.frame;
  const ValueFlow flow = code.values[instruction];
  decideAll(frame, instruction, Decision::Kind::Other, flow.decides, lanes);
  if (!flow.addresses.empty() && !isLoad(code, instruction, siteAt(code, instruction)))
    decideAll(frame, instruction, Decision::Kind::Other, flow.addresses, lanes);
}

/// Records the addresses of a load that terms decide, and how far they may move within their buffer.
void TermObserver::decideAddresses(Warp &warp, const LaneAccess &access) {
  if (!out.followsDecisions)
    return;
  const Frame &frame = *warp.now.frame;
  const uint32_t instruction = access.op.instruction;
  if (!isLoad(frame.code, instruction, siteAt(frame.code, instruction)))
    return;
  const ValueFlow flow = frame.code.values[instruction];
  for (const uint32_t number : flow.addresses)
    for (uint32_t left = access.found.mask & lanesWithTerms(frame, number); left; left &= left - 1) {
      const auto lane = static_cast<unsigned>(__builtin_ctz(left));
      Decision one{.kind = Decision::Kind::Address, .term = termOf(frame, number, lane)};
      one.at = frame.code.instruction(instruction).range;
      one.alignment = access.access.alignment;
      const uint8_t *const first = access.found.at(lane);
      const size_t buffer = memory.bufferOf(first);
      const bool isOrdinary = !access.access.isWrite && !access.access.isStrong && warp.doer.stage != Stage::Begin &&
                              warp.doer.stage != Stage::End && flow.addresses.size() == 1;
      if (!isOrdinary || buffer == buffers || first + access.access.bytes > memory.buffer(buffer).end()) {
        one.kind = Decision::Kind::Other;
      } else {
        one.buffer = static_cast<uint32_t>(buffer);
        one.below = static_cast<uint64_t>(first - memory.buffer(buffer).begin());
        one.above = static_cast<uint64_t>(memory.buffer(buffer).end() - first) - access.access.bytes;
      }
      add(one);
    }
}

/// Marks the bytes of a load with the term of its address, which selected them.
void TermObserver::markSelected(const Frame &frame, const LaneAccess &access, unsigned lane,
                                llvm::MutableArrayRef<Ref> bytes) {
  if (!out.followsDecisions)
    return;
  for (const uint32_t number : frame.code.values[access.op.instruction].addresses)
    if (const Term address = termOf(frame, number, lane))
      for (Ref &byte : bytes)
        byte = byte.term > unknown && terms[byte.term].kind == Node::Kind::Leaf
                   ? Ref{terms.leaf(static_cast<uint32_t>(terms[byte.term].first), terms[byte.term].second, address), 0}
                   : Ref{unknown, 0};
}

void TermObserver::excuses(Warp &warp, const LaneAccess &access, unsigned lane) {
  if (!out.followsDecisions)
    return;
  const Frame &frame = *warp.now.frame;
  const size_t size = access.access.bits / 8;
  for (size_t i = 0; i < access.access.elements.size(); ++i) {
    const uint32_t number = frame.code.values.find(access.access.elements[i].slot);
    const Term stored = termOf(frame, number, lane);
    for (size_t byte = 0; byte < size; ++byte) {
      const Ref before = memory.at(access.found.at(lane) + i * size + byte);
      if (number != ValueFlows::none && !stored && !before.term)
        continue; // the same for all contents
      const Ref now = stored ? byteIn(stored, static_cast<unsigned>(byte)) : Ref();
      Decision one{.kind = Decision::Kind::Same, .term = now.term, .other = before.term};
      if (number == ValueFlows::none || now.byte != before.byte)
        one.term = unknown;
      one.at = frame.code.instruction(access.op.instruction).range;
      add(one);
    }
  }
}

void TermObserver::excuses(Warp &warp, const RangeAccess &access) {
  if (out.followsDecisions)
    add({.kind = Decision::Kind::Same,
         .term = unknown,
         .at = warp.now.frame->code.instruction(access.op.instruction).range});
}

} // namespace ptxray::equal
