#include "Match/Usage.h"
#include "Match/Evaluate.h"
#include "Parse/Ast.h"
#include "llvm/ADT/STLExtras.h"

namespace ptxray {

static uint8_t useOf(const isa::OperandDecl &operand) {
  if (operand.role == isa::OperandRole::Address)
    return Reads | Addresses;
  if (operand.rules & (isa::Destination | isa::Updated))
    return Writes;
  return operand.role == isa::OperandRole::Function ? Reads | Calls : Reads;
}

/// Of a name: a register, a label and so on, whatever the operand it stands in.
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

/// Generic addresses and those in `.global` are as wide as the module's; others need not be.
static bool isFullWidth(const FormView &view) {
  static const isa::WordId global = isa::findWord(".global");
  return llvm::all_of(view.written.opcode.words, [](const OpcodeWord &word) {
    return word.id == global || isa::word(word.id).wordClass != isa::WordClass::Space;
  });
}

/// Does the operand hold, or make, a generic or global address of 32 bits?
static bool isAddress32(const FormView &view, unsigned operand, const Shape &shape) {
  static const isa::WordId global = isa::findWord(".global");
  if (view.operands[operand].role == isa::OperandRole::Address)
    return shape.kind == ShapeKind::Register && isa::word(shape.type).bits == 32 && isFullWidth(view);
  return shape.kind == ShapeKind::Variable && shape.space == global && !(shape.flags & ShapeOffset) &&
         view.typeOf(operand).bits == 32;
}

/// How many bytes the operand's address leads to, and how they must be aligned; 0: not known.
static Access accessOf(const FormView &view, const isa::OperandDecl &operand) {
  const isa::WordId type =
      operand.accessType.kind == isa::RefKind::Slot ? view.word(operand.accessType.index) : operand.accessType.index;
  uint64_t bytes = (isa::word(type).bits + 7) / 8;
  for (const isa::Term &term : isa::run(isa::tables().terms, operand.accessLengths))
    if (std::optional<int64_t> length = view.value(term))
      bytes *= static_cast<uint64_t>(*length);
  uint64_t align = bytes;
  if (!llvm::StringRef(operand.accessSize).empty()) { // in pieces of the type, or one smaller piece
    const Shape *size = view.operand(operand.accessSize);
    if (size && size->kind == ShapeKind::Integer)
      bytes = static_cast<uint64_t>(size->value);
    align = std::min(align, bytes);
  }
  return {0, static_cast<uint16_t>(align), static_cast<uint32_t>(bytes), static_cast<uint32_t>(bytes)};
}

/// The share of the written vector's elements that end up in a register, but for `_` between others.
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

static void addNodes(Usage &usage, llvm::ArrayRef<Shape> shapes, llvm::ArrayRef<uint8_t> uses) {
  usage.effects &= ~(1u << static_cast<unsigned>(isa::Effect::Copies)); // now told by the uses
  for (unsigned node = 0; node < shapes.size(); ++node)
    if (uint8_t use = useOfName(shapes[node], uses[node])) {
      usage.nodes.push_back({static_cast<uint16_t>(node), use});
      usage.uses |= use;
    }
  usage.isPlain = usage.accesses.empty() && usage.effects == 0 && !(usage.uses & (Calls | Names | Targets));
}

Usage usageOf(const FormView &view) {
  const llvm::ArrayRef<Shape> shapes = view.written.shapes;
  Usage usage;
  usage.known = true;
  auto add = [&usage](isa::Effect effect) { usage.effects |= 1u << static_cast<unsigned>(effect); };
  for (const isa::EffectRule &rule : isa::run(isa::tables().effects, view.form().effects))
    if (holds(view, rule.when))
      add(rule.effect);
  llvm::SmallVector<uint8_t, 32> uses(shapes.size(), Reads | Writes);
  for (unsigned i = 0; i < view.operands.size(); ++i) {
    const isa::OperandDecl &operand = view.operands[i];
    const int node = view.nodeOf[i];
    if (node < 0)
      continue;
    uint8_t use = useOf(operand);
    // An empty structure is one byte that nobody sets.
    if (usage.has(isa::Effect::Copies) || (use == Reads && view.typeOf(i).bits == 8))
      use |= use & Reads ? Passes : 0;
    std::fill_n(uses.begin() + node, shapes[node].extent, use);
    usage.hasResult |= (use & Writes) != 0;
    if ((operand.rules & isa::Sized) && isAddress32(view, i, shapes[node]))
      add(isa::Effect::Address32);
    if (operand.accessType.kind == isa::RefKind::None || shapes[node].kind != ShapeKind::Variable ||
        (shapes[node].flags & (ShapeSubscript | ShapeOpaque)))
      continue;
    if (Access access = accessOf(view, operand); access.bytes) {
      access.node = static_cast<uint16_t>(node);
      access.taken = takenBytes(view, access.bytes);
      usage.accesses.push_back(access);
    }
  }
  addNodes(usage, shapes, uses);
  return usage;
}

PlainUses plainUses(const Usage &usage, llvm::ArrayRef<Operand> nodes) {
  PlainUses plain;
  size_t count = 0;
  for (size_t node = 0; node < nodes.size(); ++node) {
    if (nodes[node].kind != OperandKind::Name)
      continue;
    const auto use = llvm::find_if(usage.nodes, [node](NodeUse one) { return one.node == node; });
    if (use == usage.nodes.end() || count == plain.uses.size())
      return {};
    plain.uses[count++] = use->uses;
  }
  plain.known = usage.isPlain;
  return plain;
}

Usage usageOfRefused(llvm::ArrayRef<Shape> shapes) {
  Usage usage;
  addNodes(usage, shapes, llvm::SmallVector<uint8_t, 32>(shapes.size(), Reads | Writes));
  return usage;
}

} // namespace ptxray
