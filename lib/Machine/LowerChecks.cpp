// Lowers checks that are not part of the computation. Records the registers that each instruction uses, and adds
// operations that check for zero divisors, non-finite numbers, and missing lanes of matrix instructions.
#include "Flow/Liveness.h"
#include "Isa/Words.h"
#include "Machine/BarrierObject.h"
#include "Machine/Lower.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <cstring>

namespace ptxray::machine {

using isa::FactKind;
using isa::StepOp;

// ---- registers

void RegisterFlows::add(uint32_t instruction, const RegisterFlow &flow) {
  rows[instruction] = {static_cast<uint32_t>(slots.size()),
                       static_cast<uint16_t>(flow.results.size()),
                       static_cast<uint16_t>(flow.sources.size()),
                       static_cast<uint16_t>(flow.addresses.size()),
                       flow.isStrict,
                       flow.isOutput};
  for (const llvm::ArrayRef<Slot> list : {flow.results, flow.sources, flow.addresses})
    slots.insert(slots.end(), list.begin(), list.end());
}

RegisterFlow RegisterFlows::operator[](uint32_t instruction) const {
  if (instruction >= rows.size())
    return {{}, {}, {}, false, false};
  const Row &row = rows[instruction];
  const auto all = llvm::ArrayRef(slots).slice(row.first, size_t(row.results) + row.sources + row.addresses);
  return {all.take_front(row.results), all.slice(row.results, row.sources), all.take_back(row.addresses), row.isStrict,
          row.isOutput};
}

/// Returns whether the register is a vector register. These are not tracked, because their components are written
/// separately.
bool BodyLowering::isVector(LocalId local) const {
  const Symbol *symbol = body.symbol(local);
  return symbol && symbol->shape.vector;
}

void BodyLowering::noteFlow(const Lowered &one) {
  llvm::SmallVector<Slot, 8> results, sources, addresses;
  bool isTwice = false; // `xor d, a, a` is defined for any value of `a`
  for (const auto [local, uses] : llvm::zip(body.namesOf(one.number), body.usesOf(one.number))) {
    const Symbol *symbol = body.symbol(local);
    if (!symbol || symbol->kind != SymbolKind::Register || symbol->shape.vector)
      continue;
    const Slot slot = registerOf(local).slot;
    if (uses & Writes)
      results.push_back(slot);
    if (uses & Addresses)
      addresses.push_back(slot);
    else if (uses & (Reads | Passes)) {
      isTwice |= llvm::is_contained(sources, slot);
      sources.push_back(slot);
    }
  }
  const bool isOutput = llvm::any_of(one.facts().accesses, [](const Access &access) {
    return access.writes() && !access.isGeneric && access.space == isa::words::global;
  });
  for (const llvm::ArrayRef<Slot> list : {llvm::ArrayRef(results), llvm::ArrayRef(sources), llvm::ArrayRef(addresses)})
    for (const Slot slot : list)
      code.blocks.back().named |= filterOf(slot);
  for (const Slot slot : results)
    code.blocks.back().written |= filterOf(slot);
  if (const LocalId guard = body.guard(one.number); guard != LocalId::None)
    code.blocks.back().named |= filterOf(registerOf(guard).slot);
  if (isTwice)
    sources.clear();
  code.flows.add(one.number, {results, sources, addresses, one.kind.isStrict, isOutput});
}

void BodyLowering::noteReadFirst() {
  if (!graph.size())
    return;
  const Liveness liveness(body, graph);
  if (!liveness.isComplete())
    return;
  for (const LocalId local : liveness.before(BlockId(0)))
    if (body.isOwnRegister(local) && !isVector(local))
      code.readFirst.push_back(registerOf(local));
  code.isReadFirstComplete = others.empty();
  for (uint32_t local = 1; local < registers.size(); ++local)
    code.isReadFirstComplete &= !registers[local].bits || !isVector(LocalId(local));
}

// ---- numbers

static void checkDivisor(char *registers, const Op &op, uint32_t mask, Warp &warp) {
  for (uint32_t left = mask; left; left &= left - 1) {
    const auto lane = static_cast<unsigned>(__builtin_ctz(left));
    uint64_t divisor = 0;
    std::memcpy(&divisor, registers + op.a + size_t(lane) * op.number, static_cast<size_t>(op.number));
    if (divisor)
      continue;
    if (Fault *fault = raise(warp, op.instruction, lane))
      fault->kind = Fault::Kind::Division;
  }
}

void BodyLowering::checkDivisors(const Lowered &one) {
  for (const RecipeStep &step : one.recipe.steps) {
    if (step.op != StepOp::Divide && step.op != StepOp::Remainder)
      continue;
    const RecipeStep &divisor = one.recipe.steps[step.args[1]];
    if (divisor.op != StepOp::Operand)
      continue;
    const RecipeOperand &operand = one.recipe.operands[divisor.operand];
    if (operand.type.isFloat() || operand.registers.empty() || operand.registers[0].node < 0 ||
        size_t(operand.registers[0].node) >= one.nodes.size())
      continue;
    const Place place = placeOf(one, operand.registers[0].node, operand.type.bits);
    Op op;
    op.run = checkDivisor;
    op.a = place.slot;
    op.number = place.bits / 8;
    emit(op);
  }
}

namespace {

struct Floats {
  Place place;
  ElementType type;
};
/// Payload of the checks before and after a computation.
struct FiniteCheck {
  llvm::SmallVector<Floats, 4> registers;
  Place areFinite; // lanes in which all sources are finite
};

} // namespace

static numbers::Number numberAt(const char *registers, const Floats &one, unsigned lane, unsigned element) {
  uint64_t bits = 0;
  std::memcpy(&bits, registers + one.place.slot + size_t(lane) * (one.place.bits / 8) + element * (one.type.bits / 8),
              std::min<size_t>(one.type.bits, one.place.bits) / 8);
  return numbers::read(bits, *one.type.format);
}

static bool isFinite(const char *registers, const Floats &one, unsigned lane) {
  for (unsigned i = 0; i < one.type.count; ++i)
    if (!numberAt(registers, one, lane, i).isFinite())
      return false;
  return true;
}

static void noteFinite(char *registers, const Op &op, uint32_t mask, Warp & /*warp*/) {
  const auto &check = *static_cast<const FiniteCheck *>(op.more);
  uint32_t finite = 0;
  for (uint32_t left = mask; left; left &= left - 1)
    if (llvm::all_of(check.registers, [&](const Floats &one) { return isFinite(registers, one, __builtin_ctz(left)); }))
      finite |= left & -left;
  *lanesOf<uint32_t>(registers, check.areFinite.slot) = finite;
}

/// Returns the non-finite number in a register as text.
static std::string textOf(const char *registers, const Floats &one, unsigned lane) {
  for (unsigned i = 0; i < one.type.count; ++i)
    if (const numbers::Number number = numberAt(registers, one, lane, i); !number.isFinite())
      return number.isNaN() ? "NaN" : number.isNegative ? "-infinity" : "infinity";
  return "";
}

static void checkFinite(char *registers, const Op &op, uint32_t mask, Warp &warp) {
  const auto &check = *static_cast<const FiniteCheck *>(op.more);
  for (uint32_t left = mask & *lanesOf<uint32_t>(registers, check.areFinite.slot); left; left &= left - 1) {
    const auto lane = static_cast<unsigned>(__builtin_ctz(left));
    for (const Floats &one : check.registers)
      if (std::string text = textOf(registers, one, lane); !text.empty())
        if (Fault *fault = raise(warp, op.instruction, lane)) {
          fault->kind = Fault::Kind::NotFinite;
          fault->text = std::move(text);
        }
  }
}

static bool canBeInfinite(const ElementType &type, Place place) {
  return type.isFloat() && type.bits >= 16 && place.bits >= 16;
}

Place BodyLowering::noteFiniteSources(const Lowered &one) {
  FiniteCheck check;
  for (const RecipeOperand &operand : one.recipe.operands)
    for (const RecipeOperand::Register &known : operand.registers)
      if (known.node >= 0 && size_t(known.node) < one.nodes.size() && !known.isConstant &&
          one.nodes[known.node].kind != OperandKind::Sink && !operand.space)
        if (const Place place = placeOf(one, known.node, operand.type.bits); canBeInfinite(operand.type, place))
          check.registers.push_back({place, operand.type});
  check.areFinite = code.file.temporary(1);
  const Place result = check.areFinite;
  emit(noteFinite, std::move(check));
  return result;
}

void BodyLowering::checkFiniteResults(const Lowered &one, Place areFinite) {
  FiniteCheck check;
  check.areFinite = areFinite;
  for (const RecipeResult &result : one.recipe.results) {
    const int node = result.target == isa::FormulaTarget::Operand ? one.match().nodeOf[result.operand] : -1;
    if (node < 0 || one.nodes[node].kind != OperandKind::Name)
      continue;
    if (const Place place = placeOf(one, node, result.type.bits); canBeInfinite(result.type, place))
      check.registers.push_back({place, result.type});
  }
  if (!check.registers.empty())
    emit(checkFinite, std::move(check));
}

// ---- lanes

static void checkMatrix(char *, const Op &op, uint32_t mask, Warp &warp) {
  if (mask != allLanes)
    reportUndefined(warp, op, static_cast<unsigned>(__builtin_ctz(mask)),
                    "a matrix of a warp of which only " + std::to_string(__builtin_popcount(mask)) +
                        (mask & (mask - 1) ? " threads execute it" : " thread executes it"));
}

static void checkMembers(char *registers, const Op &op, uint32_t mask, Warp &warp) {
  const auto *members = lanesOf<uint32_t>(registers, op.a);
  for (uint32_t left = mask; left; left &= left - 1)
    if (const auto lane = static_cast<unsigned>(__builtin_ctz(left)); !(members[lane] >> lane & 1))
      return reportUndefined(warp, op, lane,
                             "a thread that is lane " + std::to_string(lane) + " is not in its member mask: 0x" +
                                 llvm::utohexstr(members[lane], true));
}

/// Adds a check that each lane of the warp participates in a matrix instruction, and is in its member mask.
void BodyLowering::checkLanes(const Lowered &one) {
  Op op;
  op.isComputation = true;
  if (one.recipe.move.function || one.recipe.product.function) {
    op.run = checkMatrix;
    emit(op);
  }
  const Action *among = one.action(FactKind::Among);
  if (!among || among->node < 0)
    return;
  const Operand &members = one.nodes[among->node];
  if (members.kind == OperandKind::Integer && static_cast<uint32_t>(members.value) == allLanes)
    return;
  op.run = checkMembers;
  op.a = placeOf(one, among->node, 32).slot;
  emit(op);
}

} // namespace ptxray::machine
