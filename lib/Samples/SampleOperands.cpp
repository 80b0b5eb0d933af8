#include "Samples/SampleOperands.h"
#include "Source/Narrow.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <bit>

namespace ptxray {

using isa::CellKind;
using isa::ColumnKind;
using isa::OperandDecl;
using isa::OperandRole;
using isa::Pattern;
using isa::PatternKind;
using isa::WordId;

namespace {

/// Returns the next number; wraps around after the greatest.
int64_t after(int64_t number) { return static_cast<int64_t>(static_cast<uint64_t>(number) + 1); }

/// The declarations of test/isa/prelude.ptx.
constexpr SampleRegisters registerFamilies[] = {
    {"%p", ".pred", 8},   {"%h", ".b16", 12}, {"%hu", ".u16", 4}, {"%hs", ".s16", 4},  {"%hf", ".f16", 4},
    {"%hx", ".f16x2", 8}, {"%r", ".b32", 16}, {"%u", ".u32", 12}, {"%s", ".s32", 12},  {"%f", ".f32", 16},
    {"%rd", ".b64", 16},  {"%ud", ".u64", 8}, {"%sd", ".s64", 8}, {"%fd", ".f64", 16}, {"%c", ".b8", 4},
    {"%cu", ".u8", 4},    {"%cs", ".s8", 4},  {"%q", ".b128", 6},
};
struct KnownVariable {
  const char *name, *space, *type;
  uint16_t flags;
};
constexpr KnownVariable variables[] = {
    {"gbuf", ".global", ".b8", ShapeArray},
    {"g64", ".global", ".b64", 0},
    {"g32", ".global", ".u32", 0},
    {"gf32", ".global", ".f32", 0},
    {"garr", ".global", ".u32", ShapeArray},
    {"cbuf", ".const", ".b8", ShapeArray},
    {"c32", ".const", ".u32", 0},
    {"sbuf", ".shared", ".b8", ShapeArray},
    {"mbar", ".shared", ".b64", 0},
    {"s32v", ".shared", ".u32", 0},
    {"lbuf", ".local", ".b8", ShapeArray},
    {"l32", ".local", ".u32", 0},
    {"pk64", ".param", ".u64", ShapeParameter},
    {"pk32", ".param", ".u32", ShapeParameter},
    {"pks", ".param", ".b8", ShapeParameter | ShapeArray},
    {"lp64", ".param", ".b64", 0},
    {"lp32", ".param", ".b32", 0},
    {"tex0", ".global", ".texref", ShapeOpaque},
    {"surf0", ".global", ".surfref", ShapeOpaque},
    {"smp0", ".global", ".samplerref", ShapeOpaque}, // declared if samplers are independent
};
const KnownVariable &knownVariable(llvm::StringRef name) {
  return *llvm::find_if(variables, [&](const KnownVariable &v) { return llvm::StringRef(v.name) == name; });
}
/// Suffixes of operands: selectors, components, words of other operands.
constexpr const char *suffixes[] = {".b0", ".b3", ".h0", ".h1", ".x", ".b10", ".b3210", ".unified"};
constexpr int64_t offsets[] = {1, 4, 8, 16, 64, 256, -4, -16};
/// Numbers at the limits of operand ranges.
constexpr int64_t numbers[] = {0,   1,    2,    3,     4,     7,     8,          15,         16,        31,
                               32,  33,   63,   64,    65,    -1,    -16,        127,        255,       256,
                               511, 1024, 4096, 32767, 65535, 65536, 2147483647, 4294967295, 4294967296};

} // namespace

const isa::Cell *cellOf(const isa::Table &table, uint32_t row, ColumnKind kind, unsigned member) {
  const isa::Tables &t = isa::tables();
  const auto columns = isa::run(t.columns, table.columns);
  for (unsigned c = 0; c < columns.size(); ++c)
    if (columns[c].kind == kind && llvm::is_contained(isa::run(t.columnMembers, columns[c].members), member))
      return &t.cells[table.firstCell + row * columns.size() + c];
  return nullptr;
}

/// Returns the variables that the prelude declares for this module.
static llvm::ArrayRef<KnownVariable> declaredVariables(const Availability &availability) {
  return llvm::ArrayRef(variables).drop_back(!availability.module().independent);
}

static void leaf(MadeOperands &out, llvm::StringRef text, Shape shape) {
  out.text += text;
  out.shapes.push_back(shape);
}

bool OperandSampler::isWanted(FormMatch &match, const Pattern &pattern, unsigned at) {
  if (!pattern.optional || pattern.kind == PatternKind::Pair)
    return true;
  const auto patterns = isa::run(isa::tables().patterns, match.form().patterns);
  while (patterns[at].kind != PatternKind::Operand)
    ++at;
  const unsigned index = patterns[at].operand;
  if (!errs()) {
    if (match.operands[index].hasWith)
      return isAllowed(match, match.operands[index].with, availability);
    for (auto [table, row] : chosenRows)
      if (const isa::Cell *cell = cellOf(*table, row, ColumnKind::Operand, index)) {
        if (cell->kind == CellKind::Absent)
          return false;
        if (cell->kind == CellKind::Present)
          return true;
      }
  }
  return chance(40);
}

llvm::ArrayRef<SampleRegisters> sampleRegisters() { return registerFamilies; }

void OperandSampler::registerOf(TypeView type, MadeOperands &out) {
  llvm::SmallVector<const SampleRegisters *, 8> fitting, exact;
  for (const SampleRegisters &family : registerFamilies) {
    const TypeView reg = viewType(isa::findWord(family.type));
    if (!type || typesAgree(type, reg, false, false))
      fitting.push_back(&family);
    if (reg == type)
      exact.push_back(&family);
  }
  const SampleRegisters *family;
  if (errs() || fitting.empty())
    family = &registerFamilies[pick(std::size(registerFamilies))];
  else if (!exact.empty() && chance(50))
    family = exact[pick(exact.size())];
  else
    family = fitting[pick(fitting.size())];
  Shape shape;
  shape.kind = ShapeKind::Register;
  shape.type = isa::findWord(family->type);
  leaf(out, family->prefix + std::to_string(pick(family->count)), shape);
}

static void variable(const KnownVariable &variable, MadeOperands &out) {
  Shape shape;
  shape.kind = ShapeKind::Variable;
  shape.type = isa::findWord(variable.type);
  shape.space = isa::findWord(variable.space);
  shape.flags = variable.flags;
  leaf(out, variable.name, shape);
}

/// Writes a special register, usually with a component if it has any.
void OperandSampler::special(MadeOperands &out) {
  const auto all = isa::specialRegisters();
  const isa::SpecialRegister *reg = &all[pick(all.size())];
  if (!availability.holds(reg->gate) && !errs())
    reg = isa::findSpecialRegister("%laneid");
  Shape shape;
  shape.kind = ShapeKind::Special;
  shape.type = reg->type;
  shape.value = reg - all.data();
  shape.flags = reg->narrow ? ShapeNarrow : 0;
  const bool whole = errs(2);
  shape.vector = whole ? reg->vector : 0;
  if (reg->vector && !whole)
    shape.flags |= ShapeComponent;
  leaf(out, std::string(reg->name()) + (reg->vector && !whole ? std::string(".") + "xyzw"[pick(4)] : ""), shape);
}

void OperandSampler::constant(const OperandDecl &declared, TypeView type, MadeOperands &out) {
  Shape shape;
  const bool wrongKind = errs(2);
  if ((type.kind == isa::TypeKind::Float) != wrongKind) {
    static constexpr struct {
      const char *text;
      uint16_t flags;
      uint64_t bits;
    } floats[] = {{"0f3F800000", ShapeHexFloat, 0x3F800000},
                  {"0d3FF0000000000000", ShapeHexFloat | ShapeWideFloat, 0x3FF0000000000000},
                  {"0.5", 0, std::bit_cast<uint64_t>(0.5)},
                  {"1e3", 0, std::bit_cast<uint64_t>(1e3)}};
    const auto &[text, flags, bits] = floats[chance(60) ? (type.bits == 64) : pick(std::size(floats))];
    shape.kind = ShapeKind::Float;
    shape.flags = flags;
    shape.value = static_cast<int64_t>(bits);
    return leaf(out, text, shape);
  }
  shape.kind = ShapeKind::Integer;
  shape.value = chance(60) ? pick(4) : numbers[pick(std::size(numbers))];
  if (const auto ranges = isa::run(isa::tables().ranges, declared.ranges); !ranges.empty()) {
    const isa::ValueRange &range = ranges[pick(ranges.size())];
    const int64_t step = std::max<int64_t>(range.step, 1);
    const int64_t steps = std::min<int64_t>((range.high - range.low) / step, 1 << 20);
    switch (pick(4)) {
    case 0: shape.value = range.low; break;
    case 1: shape.value = range.low + steps * step; break;
    default: shape.value = range.low + step * static_cast<int64_t>(pick(steps + 1)); break;
    }
    if (errs())
      shape.value = chance(50) ? after(range.high) : chance(50) ? range.low - 1 : after(shape.value);
  }
  const bool hex = shape.value >= 0 && chance(20);
  leaf(out, hex ? "0x" + llvm::utohexstr(shape.value, /*LowerCase=*/true) : std::to_string(shape.value), shape);
}

/// Changes the last operand to `a+8`.
void OperandSampler::offset(MadeOperands &out) {
  Shape &shape = out.shapes.back();
  const int64_t distance = offsets[pick(std::size(offsets))];
  shape.flags |= ShapeOffset;
  if (shape.kind != ShapeKind::Special)
    shape.value = distance;
  out.text += "+" + std::to_string(distance);
}

void OperandSampler::scalar(const OperandDecl &declared, TypeView type, bool inVector, MadeOperands &out) {
  const bool destination = declared.rules & isa::Destination;
  if (destination && (inVector || (declared.rules & isa::SinkAllowed)) ? chance(8) : errs(6)) {
    Shape shape;
    shape.kind = ShapeKind::Sink;
    return leaf(out, "_", shape);
  }
  if ((declared.rules & isa::SpecialAllowed) ? chance(20) : errs(6))
    return special(out);
  if ((declared.rules & isa::SymbolAllowed) ? chance(15) : errs(6)) {
    variable(declaredVariables(availability)[pick(declaredVariables(availability).size())], out);
    return chance(20) ? offset(out) : void();
  }
  if (declared.role == OperandRole::Predicate && !errs(2))
    return registerOf({isa::TypeKind::Predicate, 1}, out);
  const bool mayBeConstant = !destination && declared.role != OperandRole::Register;
  if ((declared.role == OperandRole::Immediate && !errs(2)) || (mayBeConstant && chance(15)) || errs(4))
    return constant(declared, type, out);
  if ((declared.rules & isa::Wide) && type.bits < 64 && type.bits && chance(25))
    type = {isa::TypeKind::Bits, narrow<uint16_t>(2 * type.bits)};
  registerOf(type, out);
}

void OperandSampler::address(FormMatch &match, const OperandDecl &declared, MadeOperands &out) {
  const isa::Tables &t = isa::tables();
  llvm::SmallVector<llvm::StringRef, 4> spaces;
  for (const isa::SpaceRef &ref : isa::run(t.spaceRefs, declared.spaces))
    if (WordId word = ref.kind == isa::RefKind::Word ? ref.index : match.word(ref.index))
      spaces.push_back(llvm::StringRef(isa::word(word).text()).split("::").first);
  llvm::SmallVector<const KnownVariable *, 8> fitting;
  for (const KnownVariable &v : declaredVariables(availability))
    if (errs() || (!(v.flags & ShapeOpaque) && (spaces.empty() ? llvm::StringRef(v.space) == ".global"
                                                               : llvm::is_contained(spaces, llvm::StringRef(v.space)))))
      fitting.push_back(&v);
  const TypeView type = declared.type.kind == isa::RefKind::Word ? viewType(declared.type.index) : TypeView();
  if (errs(4))
    special(out);
  else if (chance(4))
    constant(declared, {}, out);
  else if (!fitting.empty() && chance(40))
    variable(*fitting[pick(fitting.size())], out);
  else
    registerOf(type ? type : TypeView{isa::TypeKind::Bits, narrow<uint16_t>(chance(30) ? 32 : 64)}, out);
  if (out.shapes.back().kind != ShapeKind::Integer && chance(25))
    offset(out);
}

void OperandSampler::operand(FormMatch &match, unsigned index, MadeOperands &out) {
  const isa::Tables &t = isa::tables();
  const OperandDecl &declared = match.operands[index];
  Shape shape;
  switch (declared.role) {
  case OperandRole::Address: return address(match, declared, out);
  case OperandRole::Texture:
  case OperandRole::Surface:
  case OperandRole::Sampler:
    if ((declared.role != OperandRole::Sampler || availability.module().independent) && chance(60))
      return variable(knownVariable(declared.role == OperandRole::Texture   ? "tex0"
                                    : declared.role == OperandRole::Sampler ? "smp0"
                                                                            : "surf0"),
                      out);
    return registerOf({isa::TypeKind::Bits, 64}, out);
  case OperandRole::Label: shape.kind = ShapeKind::Label; return leaf(out, "L0", shape);
  case OperandRole::Function: shape.kind = ShapeKind::Function; return leaf(out, "fn0", shape);
  case OperandRole::Symbol: return variable(knownVariable("garr"), out);
  case OperandRole::List: return variable(knownVariable("lp32"), out);
  default: break;
  }
  llvm::ArrayRef<isa::Term> terms = isa::run(t.terms, declared.lengths);
  for (auto [table, row] : chosenRows)
    if (const isa::Cell *cell = cellOf(*table, row, ColumnKind::Length, index); cell && cell->kind == CellKind::Lengths)
      terms = t.terms.slice(cell->first, cell->count);
  const TypeView type = match.typeOf(index);
  int64_t length = 1;
  bool braces = declared.rules & isa::Vec;
  if (!terms.empty())
    length = match.value(terms[pick(terms.size())]).value_or(1);
  else if (braces)
    length = 1 + pick(4);
  if (errs(2))
    length = chance(50) ? length * 2 : std::max<int64_t>(1, length - 1);
  braces |= length != 1 || errs(4);
  if (!braces)
    return scalar(declared, type, false, out);
  const size_t at = out.shapes.size();
  shape.kind = ShapeKind::Vector;
  leaf(out, "{", shape);
  for (int64_t i = 0; i < length; ++i) {
    out.text += i ? ", " : "";
    // Most operands are registers; constants, names and discarded elements are rare.
    if (chance(chance(20) ? 20 : 2))
      scalar(declared, type, true, out);
    else
      registerOf(type, out);
  }
  out.text += "}";
  out.shapes[at].extent = out.shapes.size() - at;
}

/// Adds signs, selectors and brackets to the last operand.
void OperandSampler::decorate(const Pattern &pattern, size_t node, size_t text, MadeOperands &out) {
  const bool reg = out.shapes[node].kind == ShapeKind::Register;
  const auto put = [&](char sign, ShapeFlag flag) {
    out.text.insert(text, 1, sign);
    out.shapes[node].flags |= flag;
  };
  if (reg && (pattern.mayNegate ? chance(25) : errs(6)))
    put('-', ShapeNegated);
  else if (reg && (pattern.mayNot ? chance(25) : errs(6)))
    put('!', ShapeNot);
  else if (reg && !out.shapes[node].suffix && errs(6)) {
    const char *suffix = suffixes[pick(std::size(suffixes))];
    const WordId word = isa::findWord(suffix);
    out.text += suffix;
    out.shapes[node].suffix = word ? word : badSuffix;
  } else if (out.shapes[node].kind != ShapeKind::Address && out.shapes[node].kind != ShapeKind::Pair && errs(6)) {
    out.text.insert(text, 1, '[');
    out.text += ']';
    Shape address;
    address.kind = ShapeKind::Address;
    address.extent = out.shapes.size() - node + 1;
    out.shapes.insert(out.shapes.begin() + node, address);
  }
}

void OperandSampler::pair(FormMatch &match, unsigned at, MadeOperands &out) {
  const auto patterns = isa::run(isa::tables().patterns, match.form().patterns);
  if (patterns[at].optional && chance(60))
    return operand(match, patterns[at + 1].operand, out);
  Shape shape;
  shape.kind = ShapeKind::Pair;
  out.shapes.push_back(shape);
  operand(match, patterns[at + 1].operand, out);
  out.text += "|";
  if (!chance(15))
    return operand(match, patterns[at + 1 + patterns[at + 1].extent].operand, out);
  shape.kind = ShapeKind::Sink;
  leaf(out, "_", shape);
}

// NOLINTNEXTLINE(misc-no-recursion): the tables are constant: no input nests their patterns
void OperandSampler::inBrackets(FormMatch &match, unsigned at, MadeOperands &out) {
  struct Brackets {
    ShapeKind kind;
    char open, close;
  };
  const Pattern &pattern = isa::run(isa::tables().patterns, match.form().patterns)[at];
  if (pattern.extent == 2 && errs(6)) // omits the brackets
    return list(match, at + 1, at + 2, out);
  const Brackets brackets = pattern.kind == PatternKind::Address  ? Brackets{ShapeKind::Address, '[', ']'}
                            : pattern.kind == PatternKind::Vector ? Brackets{ShapeKind::Vector, '{', '}'}
                                                                  : Brackets{ShapeKind::List, '(', ')'};
  Shape shape;
  shape.kind = brackets.kind;
  leaf(out, std::string(1, brackets.open), shape);
  list(match, at + 1, at + pattern.extent, out);
  out.text += brackets.close;
}

/// Writes the suffix for the form's slot after the operand.
void OperandSampler::suffix(const FormMatch &match, const Pattern &pattern, size_t node, MadeOperands &out) {
  const ShapeKind kind = out.shapes[node].kind; // `3.b2` would be parsed as a number
  if (pattern.suffixSlot < 0 || kind == ShapeKind::Integer || kind == ShapeKind::Float)
    return;
  const isa::Slot &slot = match.slots[pattern.suffixSlot];
  if (slot.optional && !chance(30))
    return;
  const auto values = isa::run(isa::tables().slotValues, slot.values);
  const WordId chosen = match.slotWord[pattern.suffixSlot];
  const WordId word = chosen ? chosen : values[pick(values.size())].word;
  out.text += isa::word(word).text();
  out.shapes[node].suffix = word;
}

// NOLINTNEXTLINE(misc-no-recursion): the tables are constant: no input nests their patterns
void OperandSampler::pattern(FormMatch &match, unsigned at, MadeOperands &out) {
  const Pattern &pattern = isa::run(isa::tables().patterns, match.form().patterns)[at];
  const size_t node = out.shapes.size(), text = out.text.size();
  switch (pattern.kind) {
  case PatternKind::Operand: operand(match, pattern.operand, out); break;
  case PatternKind::Address:
  case PatternKind::Vector:
  case PatternKind::List: inBrackets(match, at, out); break;
  case PatternKind::Pair: pair(match, at, out); break;
  }
  if (out.shapes.size() == node) // an empty list without brackets
    return;
  out.shapes[node].extent = out.shapes.size() - node;
  suffix(match, pattern, node, out);
  decorate(pattern, node, text, out);
}

// NOLINTNEXTLINE(misc-no-recursion): the tables are constant: no input nests their patterns
void OperandSampler::list(FormMatch &match, unsigned from, unsigned to, MadeOperands &out) {
  const auto patterns = isa::run(isa::tables().patterns, match.form().patterns);
  const bool outermost = from == 0 && to == patterns.size();
  bool first = true;
  for (unsigned p = from; p < to; p += patterns[p].extent) {
    if (!isWanted(match, patterns[p], p) || errs(6))
      continue;
    out.text += first ? "" : ", ";
    first = false;
    pattern(match, p, out);
  }
  if (outermost && errs(3)) {
    out.text += first ? "" : ", ";
    registerOf({}, out);
  }
}

MadeOperands OperandSampler::make(FormMatch &match) {
  MadeOperands out;
  list(match, 0, match.form().patterns.count, out);
  return out;
}

} // namespace ptxray
