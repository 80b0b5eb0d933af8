// Computes the flow of values through each instruction: the registers from which its results are computed, and the
// registers that determine the location and size of its memory accesses. These follow from the facts and the formula of
// the instruction.
#include "Machine/Lower.h"
#include "llvm/ADT/STLExtras.h"

namespace ptxray::machine {

using isa::FactKind;
using isa::StepOp;

void ValueFlows::add(uint32_t instruction, const ValueFlow &flow) {
  rows[instruction] = {.first = static_cast<uint32_t>(numbers.size()),
                       .guard = flow.guard,
                       .results = static_cast<uint16_t>(flow.results.size()),
                       .data = static_cast<uint16_t>(flow.data.size()),
                       .addresses = static_cast<uint16_t>(flow.addresses.size()),
                       .decides = static_cast<uint16_t>(flow.decides.size()),
                       .mixesLanes = flow.mixesLanes,
                       .hasEffects = flow.hasEffects,
                       .readsShared = flow.readsShared,
                       .readsImage = flow.readsImage,
                       .readsSchedule = flow.readsSchedule};
  for (const llvm::ArrayRef<uint32_t> list : {flow.results, flow.data, flow.addresses, flow.decides})
    numbers.insert(numbers.end(), list.begin(), list.end());
  if (flow.readsSchedule || flow.readsShared || flow.readsImage)
    fresh.insert(fresh.end(), flow.results.begin(), flow.results.end());
}

ValueFlow ValueFlows::operator[](uint32_t instruction) const {
  if (instruction >= rows.size())
    return {};
  const Row &row = rows[instruction];
  const auto all = llvm::ArrayRef(numbers).drop_front(row.first);
  ValueFlow flow;
  flow.results = all.take_front(row.results);
  flow.data = all.slice(row.results, row.data);
  flow.addresses = all.slice(size_t(row.results) + row.data, row.addresses);
  flow.decides = all.slice(size_t(row.results) + row.data + row.addresses, row.decides);
  flow.guard = row.guard;
  flow.mixesLanes = row.mixesLanes;
  flow.hasEffects = row.hasEffects;
  flow.readsShared = row.readsShared;
  flow.readsImage = row.readsImage;
  flow.readsSchedule = row.readsSchedule;
  return flow;
}

uint32_t ValueFlows::number(Slot slot) {
  const size_t place = slot / predicateBytes;
  if (place >= numberOf.size())
    numberOf.resize(place + 1, none);
  if (numberOf[place] == none) {
    numberOf[place] = static_cast<uint32_t>(registers.size());
    registers.push_back(slot);
  }
  return numberOf[place];
}

/// Returns whether the instruction's named function is in a list.
static bool isOneOf(llvm::StringRef name, std::initializer_list<llvm::StringRef> names) {
  return llvm::is_contained(names, name);
}

namespace {

/// The role of a register that an instruction reads.
enum class Role : uint8_t { None, Data, Address, Decides };

/// Finds the roles of the operands of one instruction.
class Roles {
public:
  explicit Roles(const Lowered &one) : one(one), nodes(one.nodes.size(), Role::None) {
    if (!one.recipe.refusal.empty())
      return;
    markSteps();
    markMatrices();
  }
  Role of(int node, uint8_t uses) const;

private:
  void markOperand(int operand, Role role);
  void markSteps();
  void markMatrices();
  const Access *accessAt(int node) const;
  bool storesRegisters() const { return isOneOf(one.recipe.refusal, {"tensor-columns", "surface-element"}); }

  const Lowered &one;
  llvm::SmallVector<Role, 16> nodes; // roles of the formula's operands, indexed by node
};

} // namespace

/// Returns whether an operand covers a node: an address in brackets covers the nodes in it.
static bool covers(const Lowered &one, uint16_t first, int node) {
  const auto extent = static_cast<int>(std::max<uint32_t>(one.nodes[first].extent, 1));
  return node >= first && node < first + extent;
}

const Access *Roles::accessAt(int node) const {
  const auto *found = llvm::find_if(one.facts().accesses, [&](const Access &access) {
    return access.kind != isa::Access::Names && covers(one, access.node, node);
  });
  return found == one.facts().accesses.end() ? nullptr : found;
}

void Roles::markOperand(int operand, Role role) {
  if (operand < 0 || size_t(operand) >= one.recipe.operands.size())
    return;
  for (const RecipeOperand::Register &known : one.recipe.operands[operand].registers)
    if (known.node >= 0 && size_t(known.node) < nodes.size())
      nodes[known.node] = std::max(nodes[known.node], role);
}

/// Marks the operands that the formulas use. The number of copied bytes determines the size of the access.
void Roles::markSteps() {
  const std::vector<RecipeStep> &steps = one.recipe.steps;
  for (const RecipeStep &step : steps)
    if (step.op == StepOp::Operand)
      markOperand(step.operand, Role::Data);
  llvm::SmallVector<uint16_t, 8> deciding;
  for (const RecipeStep &step : steps)
    if (step.op == StepOp::Bytes)
      llvm::append_range(deciding, llvm::ArrayRef(step.args).drop_front());
  while (!deciding.empty()) {
    const RecipeStep &step = steps[deciding.pop_back_val()];
    if (step.op == StepOp::Operand)
      markOperand(step.operand, Role::Decides);
    llvm::append_range(deciding, step.args);
  }
}

void Roles::markMatrices() {
  const RecipeProduct &product = one.recipe.product;
  if (product.function)
    for (const int16_t operand :
         {product.a, product.b, product.c, product.d, product.metadata, product.scalesOfA, product.scalesOfB})
      markOperand(operand, Role::Data);
  if (one.recipe.move.function)
    markOperand(one.recipe.move.registers, Role::Data);
}

Role Roles::of(int node, uint8_t uses) const {
  if (const Access *access = accessAt(node))
    return access->kind == isa::Access::Barrier && !(uses & Addresses) ? Role::Decides : Role::Address;
  if (one.facts().has(FactKind::Calls))
    return uses & Calls || one.action(FactKind::Calls)->node == node ? Role::Decides : Role::None;
  if (const Action *among = one.action(FactKind::Among); among && among->node == node)
    return Role::Decides;
  if (one.recipe.refusal.empty() && nodes[node] != Role::None)
    return nodes[node];
  const bool isNamed = !one.recipe.refusal.empty();
  const bool usesObject =
      llvm::any_of(one.facts().accesses, [](const Access &access) { return access.kind == isa::Access::Barrier; });
  if (isNamed && !usesObject && (one.facts().hasResult || storesRegisters()))
    return Role::Data;
  if (uses & Addresses) // an address without an access, as in a prefetch
    return one.facts().hasResult ? Role::Data : Role::None;
  return Role::Decides;
}

static bool mixesLanes(const Lowered &one) {
  if (one.recipe.product.function || one.recipe.move.function || one.facts().has(FactKind::Converged))
    return true;
  return llvm::any_of(one.recipe.steps, [](const RecipeStep &step) {
    return step.op == StepOp::At || step.op == StepOp::Lanes || step.op == StepOp::Fold || step.op == StepOp::Alike;
  });
}

/// Returns whether the results depend on which lanes execute the instruction together.
static bool readsActive(const Lowered &one) {
  return !one.facts().has(FactKind::Among) && llvm::any_of(one.recipe.steps, [](const RecipeStep &step) {
    return step.op == StepOp::Active || step.op == StepOp::Everyone || step.op == StepOp::Leader;
  });
}

void BodyLowering::noteValues(const Lowered &one, size_t firstOp, bool isControl) {
  if (!builder.how.followsValues)
    return;
  const Roles roles(one);
  llvm::SmallVector<uint32_t, 8> results, data, addresses, decides;
  const auto add = [](llvm::SmallVectorImpl<uint32_t> &list, uint32_t number) {
    if (!llvm::is_contained(list, number))
      list.push_back(number);
  };
  const llvm::ArrayRef<LocalId> locals = body.namesOf(one.number);
  const llvm::ArrayRef<uint8_t> uses = body.usesOf(one.number);
  size_t name = 0;
  for (int node = 0; size_t(node) < one.nodes.size(); ++node) {
    if (one.nodes[node].kind != OperandKind::Name)
      continue;
    const LocalId local = locals[name];
    const uint8_t use = uses[name++];
    const Symbol *symbol = body.symbol(local);
    if (!symbol || symbol->kind != SymbolKind::Register)
      continue;
    code.values.isVague |= symbol->shape.vector != 0;
    const uint32_t number = code.values.number(registerOf(local).slot);
    if (use & Writes)
      add(results, number);
    if (!(use & (Reads | Addresses | Passes)))
      continue;
    switch (use & Writes ? Role::Data : roles.of(node, use)) {
    case Role::Data: add(data, number); break;
    case Role::Address: add(addresses, number); break;
    case Role::Decides: add(decides, number); break;
    case Role::None: break;
    }
  }
  const uint32_t carry = code.values.number(code.carry.slot);
  if (llvm::any_of(one.recipe.steps, [](const RecipeStep &step) { return step.op == StepOp::Carry; })) {
    data.push_back(carry);
    code.blocks.back().named |= filterOf(code.carry.slot);
  }
  if (llvm::any_of(one.recipe.results,
                   [](const RecipeResult &result) { return result.target == isa::FormulaTarget::Carry; })) {
    results.push_back(carry);
    code.blocks.back().named |= filterOf(code.carry.slot);
  }
  ValueFlow flow;
  flow.results = results;
  flow.data = data;
  flow.addresses = addresses;
  flow.decides = decides;
  if (const LocalId guard = body.guard(one.number); guard != LocalId::None)
    flow.guard = code.values.number(registerOf(guard).slot);
  flow.mixesLanes = mixesLanes(one);
  flow.hasEffects = isControl || llvm::any_of(llvm::ArrayRef(code.ops).drop_front(firstOp),
                                              [](const Op &op) { return !op.isComputation; });
  flow.readsShared = llvm::any_of(one.facts().accesses, [](const Access &access) { return access.isDescribed; });
  flow.readsImage = isOneOf(one.recipe.refusal, {"texel", "four-texels", "surface-element"});
  flow.readsSchedule = readsActive(one) || code.fidelity[one.number] == Fidelity::Chip ||
                       isOneOf(one.recipe.refusal, {"is-canceled", "first-block", "pending-arrivals"});
  code.values.add(one.number, flow);
}

} // namespace ptxray::machine
