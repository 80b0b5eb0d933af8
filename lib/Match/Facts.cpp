#include "Match/Facts.h"
#include "Isa/Words.h"
#include "Match/Evaluate.h"
#include "Match/Operations.h"
#include "Match/Wording.h"
#include "Parse/Ast.h"
#include "llvm/ADT/STLExtras.h"

namespace ptxray {

bool OperandRange::contains(int64_t number) const {
  return llvm::any_of(isa::tables().ranges.slice(firstRange, ranges),
                      [number](const isa::ValueRange &range) { return inRange(range, number); });
}

std::string OperandRange::text() const { return rangesText(isa::tables().ranges.slice(firstRange, ranges)); }

static uint8_t useOf(const isa::OperandDecl &operand) {
  if (operand.role == isa::OperandRole::Address)
    return Reads | Addresses;
  if (operand.rules & isa::Updated)
    return Updates;
  if (operand.rules & isa::Destination)
    return Writes;
  return operand.role == isa::OperandRole::Function ? Reads | Calls : Reads;
}

/// Returns how the instruction uses a name, depending on the kind of its symbol.
static uint8_t useOfName(const Shape &shape, uint8_t use) {
  switch (shape.kind) {
  case ShapeKind::Register: return use & (Reads | Writes | Addresses | Passes);
  case ShapeKind::Label:
  case ShapeKind::Prototype: return Targets;
  case ShapeKind::Function: return use & Calls ? Calls : Names;
  case ShapeKind::Variable: return Names | (use & Writes);
  default: return 0;
  }
}

/// Returns whether addresses have the width of the module's addresses. This applies to generic addresses and those in
/// `.global`.
static bool isFullWidth(const FormView &view) {
  return llvm::all_of(view.written.opcode.words, [](const OpcodeWord &word) {
    return word.id == isa::words::global || isa::word(word.id).wordClass != isa::WordClass::Space;
  });
}

/// Returns whether the operand contains or produces a generic or global address of 32 bits.
static bool isAddress32(const FormView &view, unsigned operand, const Shape &shape) {
  if (view.operands[operand].role == isa::OperandRole::Address)
    return shape.kind == ShapeKind::Register && isa::word(shape.type).bits == 32 && isFullWidth(view);
  return shape.kind == ShapeKind::Variable && shape.space == isa::words::global && !(shape.flags & ShapeOffset) &&
         view.typeOf(operand).bits == 32;
}

/// Sets the number of bytes at the operand's address, and their alignment; 0 if unknown.
static void addBytes(const FormView &view, const isa::OperandDecl &operand, Access &access) {
  const isa::WordId type =
      operand.accessType.kind == isa::RefKind::Slot ? view.word(operand.accessType.index) : operand.accessType.index;
  uint64_t bytes = (isa::word(type).bits + 7) / 8;
  for (const isa::Term &term : isa::run(isa::tables().terms, operand.accessLengths))
    if (std::optional<int64_t> length = view.value(term))
      bytes *= static_cast<uint64_t>(*length);
  uint64_t align = bytes;
  if (!llvm::StringRef(operand.accessSize())
           .empty()) { // the access consists of pieces of the type, or of one smaller piece
    const Shape *size = view.operand(operand.accessSize());
    access.isLeast = size && !isNumber(*size);
    if (size && !access.isLeast)
      bytes = static_cast<uint64_t>(size->value);
    align = std::min(align, bytes);
  }
  access.align = narrow<uint16_t>(align);
  access.bytes = static_cast<uint32_t>(bytes);
}

/// Returns the size of the written vector up to the last element that is a register rather than `_`.
static uint32_t takenBytes(const FormView &view, uint32_t bytes) {
  const llvm::ArrayRef<Shape> shapes = view.written.shapes;
  for (unsigned i = 0; i < view.operands.size(); ++i) {
    const int node = view.nodeOf[i];
    if (node < 0 || shapes[node].kind != ShapeKind::Vector || !(useOf(view.operands[i]) & Writes))
      continue;
    const unsigned length = shapes[node].extent - 1u;
    unsigned taken = length;
    while (taken && shapes[node + taken].kind == ShapeKind::Sink)
      --taken;
    return bytes / length * taken;
  }
  return bytes;
}

/// Sets the space of an address, and whether the address is generic.
static void addSpace(const FormView &view, const isa::OperandDecl &operand, Access &access) {
  access.space = operand.accessSpace;
  access.isGeneric = operand.role == isa::OperandRole::Address;
  // The object that a map describes is in global memory, whereas the map itself may be anywhere.
  if (!access.isGeneric || operand.access == isa::Access::TensorMap)
    return;
  for (const isa::SpaceRef &ref : isa::run(isa::tables().spaceRefs, operand.spaces)) {
    if (ref.kind == isa::RefKind::Slot) {
      if (isa::WordId word = view.word(ref.index); word && isa::word(word).wordClass == isa::WordClass::Space) {
        access.space = word;
        access.isGeneric = false;
      }
      continue;
    }
    // If the opcode specifies the space, the declaration determines the form of the address. Otherwise it only
    // determines the location.
    if (!access.space)
      access.space = ref.index;
    access.isGeneric &= ref.index != isa::words::tmem;
    llvm::SmallVector<isa::WordId, 2> written;
    for (const OpcodeWord &word : view.written.opcode.words)
      if (isa::word(word.id).wordClass == isa::WordClass::Space &&
          llvm::StringRef(isa::word(word.id).text()).starts_with(isa::word(ref.index).text()))
        written.push_back(word.id);
    access.isGeneric &= written.empty();
    if (written.size() == 1) // with two spaces, as in a copy within shared memory, either may be meant
      access.space = written.front();
  }
}

static Computation computationOf(const FormView &view, isa::Operation operation) {
  static const uint8_t comparisons = isa::wordKind("comparison");
  Computation computation;
  computation.isKnown = true;
  computation.operation = operation;
  for (unsigned i = 0; i < view.operands.size(); ++i) {
    const TypeView type = view.typeOf(i);
    const auto bits = narrow<uint8_t>(std::min<unsigned>(type.bits, UINT8_MAX));
    if ((view.operands[i].rules & isa::Destination) && !computation.resultBits) {
      computation.resultKind = type.kind;
      computation.resultBits = bits;
    } else if (!computation.sourceBits && !(view.operands[i].rules & isa::Destination)) {
      computation.sourceKind = type.kind;
      computation.sourceBits = bits;
    }
  }
  if (operation == isa::Operation::Setp)
    for (const OpcodeWord &word : view.written.opcode.words)
      if (isa::word(word.id).kind == comparisons)
        computation.comparison = word.id;
  return computation;
}

/// Returns whether the instruction converts to or from a 32-bit generic address.
static bool makesAddress32(const Computation &computation) {
  return computation.isKnown && computation.resultBits == 32 &&
         (computation.operation == isa::Operation::ToGeneric || computation.operation == isa::Operation::FromGeneric);
}

/// Returns whether the instruction converts between generic addresses and those in `.const`.
static bool convertsConstant(const FormView &view, const Computation &computation) {
  return computation.isKnown &&
         (computation.operation == isa::Operation::ToGeneric || computation.operation == isa::Operation::FromGeneric) &&
         view.written.opcode.has(isa::words::const_);
}

static isa::WordId spaceOf(const FormView &view, const isa::SpaceRef &ref) {
  return ref.kind == isa::RefKind::Slot ? view.word(ref.index) : ref.index;
}

/// Returns the number of products of two elements in a matrix multiplication whose sizes are in a word.
static uint32_t productsOf(const FormView &view, const isa::SpaceRef &sizes) {
  int64_t products = 1;
  for (const char letter : {'m', 'n', 'k'})
    products *= view.value({0, narrow<int16_t>(sizes.index), letter, 1, 1, 0}).value_or(0);
  return static_cast<uint32_t>(products);
}

/// Returns the number of 32-bit registers that an operand needs.
static uint16_t registersOf(const FormView &view, unsigned operand) {
  const Shape &shape = view.written.shapes[view.nodeOf[operand]];
  const unsigned elements = shape.kind == ShapeKind::Vector ? shape.extent - 1u : 1;
  return narrow<uint16_t>(elements * std::max(1u, (view.typeOf(operand).bits + 31u) / 32));
}

/// Returns whether a condition holds for the target of code generation, which may differ from the module's target.
static bool holdsForCode(const FormView &view, isa::ExprId when) {
  const Availability &availability = view.written.availability;
  if (&availability.ofCode() == &availability)
    return holds(view, when);
  const WrittenInstruction compiled{view.written.opcode, view.written.shapes, availability.ofCode()};
  return holds(FormView(compiled, view), when);
}

static void addActions(const FormView &view, Facts &facts) {
  auto node = [&view](int8_t operand) { return narrow<int16_t>(operand < 0 ? -1 : view.nodeOf[operand]); };
  for (const isa::Fact &fact : isa::run(isa::tables().facts, view.form().facts)) {
    const bool isOfCode = fact.kind == isa::FactKind::Occupies || fact.kind == isa::FactKind::Bounded;
    if ((fact.operand >= 0 && node(fact.operand) < 0) ||
        !(isOfCode ? holdsForCode(view, fact.when) : holds(view, fact.when)))
      continue;
    facts.kinds |= bitOf(fact.kind);
    if (fact.kind == isa::FactKind::Ctas)
      facts.ctas = narrow<uint8_t>(fact.number);
    else if (fact.kind == isa::FactKind::Occupies && fact.condition < 0)
      facts.occupied += fact.operand < 0 ? fact.number : registersOf(view, fact.operand);
    else if (fact.kind == isa::FactKind::Bounded)
      facts.bounded = narrow<uint16_t>(fact.number);
    else if (fact.kind == isa::FactKind::Multiplies)
      facts.products = productsOf(view, fact.space);
    else if (fact.kind != isa::FactKind::Copies)
      facts.actions.push_back({fact.kind, fact.detail, fact.other, fact.isReads, fact.groups, spaceOf(view, fact.space),
                               node(fact.operand), node(fact.amount), node(fact.which), node(fact.condition),
                               fact.number});
  }
  if (const std::optional<isa::Operation> operation = operationOf(view))
    facts.computation = computationOf(view, *operation);
  facts.hasAddress32 = makesAddress32(facts.computation);
  facts.convertsConstant = convertsConstant(view, facts.computation);
}

static void addAccess(const FormView &view, unsigned index, Facts &facts) {
  const isa::OperandDecl &operand = view.operands[index];
  const Shape &shape = view.written.shapes[view.nodeOf[index]];
  Access access = {};
  access.node = narrow<uint16_t>(view.nodeOf[index]);
  access.kind = operand.access;
  access.isVariable = shape.kind == ShapeKind::Variable && !(shape.flags & (ShapeSubscript | ShapeOpaque));
  access.isDescribed = operand.role != isa::OperandRole::Address && operand.accessSpace;
  addSpace(view, operand, access);
  if (operand.accessType.kind != isa::RefKind::None)
    addBytes(view, operand, access);
  access.taken = access.isVariable ? takenBytes(view, access.bytes) : access.bytes;
  facts.accesses.push_back(access);
}

static bool mindsNumbers(const Facts &facts) {
  if (!facts.ranges.empty())
    return true;
  switch (facts.computation.operation) {
  case isa::Operation::Div:
  case isa::Operation::Rem:
  case isa::Operation::Shl:
  case isa::Operation::Shr:
  case isa::Operation::Setp: return facts.computation.isKnown;
  default: return false;
  }
}

static uint8_t notedOf(const Facts &facts) {
  constexpr FactKinds other =
      bitOf(isa::FactKind::Ends) | bitOf(isa::FactKind::Branches) | bitOf(isa::FactKind::Ctas) |
      bitOf(isa::FactKind::Grows) | bitOf(isa::FactKind::Shrinks) | bitOf(isa::FactKind::Traces) |
      bitOf(isa::FactKind::Occupies) | bitOf(isa::FactKind::Bounded) | bitOf(isa::FactKind::Async) |
      bitOf(isa::FactKind::Inits) | bitOf(isa::FactKind::Awaits) | bitOf(isa::FactKind::Allocates) |
      bitOf(isa::FactKind::Syncs) | bitOf(isa::FactKind::Arrives) | bitOf(isa::FactKind::Requests) |
      bitOf(isa::FactKind::Answers) | bitOf(isa::FactKind::Presumes);
  constexpr FactKinds joint = bitOf(isa::FactKind::Converged) | bitOf(isa::FactKind::Among);
  uint8_t noted = facts.accesses.empty() ? 0 : NotedAccess;
  if (facts.kinds & joint)
    noted |= NotedJoint;
  if (mindsNumbers(facts))
    noted |= NotedNumber;
  if (facts.kinds & other || facts.hasAddress32 || facts.convertsConstant || facts.uses & (Calls | Names | Targets) ||
      llvm::any_of(facts.accesses, [](const Access &access) { return access.isOfVariable(); }))
    noted |= NotedOther;
  return noted;
}

static void addNodes(Facts &facts, llvm::ArrayRef<Shape> shapes, llvm::ArrayRef<uint8_t> uses) {
  for (unsigned node = 0; node < shapes.size(); ++node)
    if (uint8_t use = useOfName(shapes[node], uses[node])) {
      facts.nodes.push_back({narrow<uint16_t>(node), use});
      facts.uses |= use;
    }
  facts.noted = notedOf(facts);
}

/// Adds the ranges that the rules of the form require of registers.
static void addRuleRanges(const FormView &view, Facts &facts) {
  const isa::Tables &t = isa::tables();
  const auto isRange = [&](const isa::Expr &one) {
    const Shape *shape = one.op == isa::ExprOp::OperandIn ? view.operand(one.a) : nullptr;
    return shape && shape->kind == ShapeKind::Register;
  };
  for (const uint32_t index : isa::run(t.formRules, view.form().rules)) {
    const isa::Rule &rule = t.rules[index];
    const isa::Expr *range = &t.exprs[rule.require];
    if (range->op == isa::ExprOp::And) // `count in 1..1048575 since-ptxas 13.1`
      for (const isa::ExprId part : t.exprArgs.slice(range->a, range->b))
        range = isRange(t.exprs[part]) ? &t.exprs[part] : range;
    if (isRange(*range) && !asksForUnknown(view, rule.when) && holds(view, rule.when))
      facts.ranges.push_back({narrow<uint16_t>(view.nodeOf[range->a]), range->b, range->c});
  }
}

Facts factsOf(const FormView &view) {
  const llvm::ArrayRef<Shape> shapes = view.written.shapes;
  Facts facts;
  facts.known = true;
  addActions(view, facts);
  llvm::SmallVector<uint8_t, 32> uses(shapes.size(), Reads | Writes);
  for (unsigned i = 0; i < view.operands.size(); ++i) {
    const isa::OperandDecl &operand = view.operands[i];
    const int node = view.nodeOf[i];
    if (node < 0)
      continue;
    uint8_t use = useOf(operand);
    // Compilers pass empty structs as one uninitialised byte.
    if (facts.has(isa::FactKind::Copies) || (use == Reads && view.typeOf(i).bits == 8))
      use |= use & Reads ? Passes : 0;
    std::fill_n(uses.begin() + node, shapes[node].extent, use);
    facts.hasResult |= (use & Writes) != 0;
    facts.hasAddress32 |= (operand.rules & isa::Sized) && isAddress32(view, i, shapes[node]);
    if (operand.access != isa::Access::None)
      addAccess(view, i, facts);
    if (operand.ranges.count && shapes[node].kind == ShapeKind::Register)
      facts.ranges.push_back({narrow<uint16_t>(node), operand.ranges.first, operand.ranges.count});
  }
  addRuleRanges(view, facts);
  addNodes(facts, shapes, uses);
  return facts;
}

PlainUses plainUses(const Facts &facts, llvm::ArrayRef<Operand> nodes) {
  PlainUses plain;
  size_t count = 0;
  for (size_t node = 0; node < nodes.size(); ++node) {
    if (nodes[node].kind != OperandKind::Name)
      continue;
    const auto use = llvm::find_if(facts.nodes, [node](NodeUse one) { return one.node == node; });
    if (use == facts.nodes.end() || count == plain.uses.size())
      return {};
    plain.uses[count++] = use->uses;
  }
  plain.known = !(facts.noted & NotedOther);
  plain.noted = facts.noted;
  return plain;
}

Facts factsOfRefused(llvm::ArrayRef<Shape> shapes) {
  Facts facts;
  addNodes(facts, shapes, llvm::SmallVector<uint8_t, 32>(shapes.size(), Reads | Writes));
  return facts;
}

} // namespace ptxray
