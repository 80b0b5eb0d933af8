#include "Explore/Sample.h"
#include "Match/Match.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include <algorithm>
#include <bit>
#include <random>

namespace ptxray {

using isa::CellKind;
using isa::ColumnKind;
using isa::OperandDecl;
using isa::OperandRole;
using isa::Pattern;
using isa::PatternKind;
using isa::WordId;

namespace {

/// The next number; of the greatest one the smallest.
int64_t after(int64_t number) { return static_cast<int64_t>(static_cast<uint64_t>(number) + 1); }

struct RegisterFamily {
  const char *prefix;
  const char *type;
  unsigned count;
};
/// As test/isa/prelude.ptx declares them.
constexpr RegisterFamily registerFamilies[] = {
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
    {"smp0", ".global", ".samplerref", ShapeOpaque}, // declared where samplers are independent
};
const KnownVariable &knownVariable(llvm::StringRef name) {
  return *llvm::find_if(variables, [&](const KnownVariable &v) { return llvm::StringRef(v.name) == name; });
}
/// What is written behind an operand: selectors, components, a word of another operand.
constexpr const char *suffixes[] = {".b0", ".b3", ".h0", ".h1", ".x", ".b10", ".b3210", ".unified"};
constexpr int64_t offsets[] = {1, 4, 8, 16, 64, 256, -4, -16};
/// At the edges of what an operand may hold.
constexpr int64_t numbers[] = {0,   1,    2,    3,     4,     7,     8,          15,         16,        31,
                               32,  33,   63,   64,    65,    -1,    -16,        127,        255,       256,
                               511, 1024, 4096, 32767, 65535, 65536, 2147483647, 4294967295, 4294967296};

/// One instruction while it is made: words, and operands as text and as shapes.
struct Draft {
  uint32_t form = 0;
  std::vector<std::string> words; // qualifiers behind the mnemonic
  std::string operands;
  std::vector<Shape> shapes;
};

class Sampler {
public:
  Sampler(const isa::Mnemonic &mnemonic, const ModuleContext &module, uint64_t seed, const SampleFocus &focus)
      : mnemonic(mnemonic), availability(module), random(seed), focus(focus), wanted(isa::findWord(focus.word)) {}
  std::vector<Sample> run(unsigned count);

private:
  unsigned pick(size_t count) { return std::uniform_int_distribution<size_t>(0, count - 1)(random); }
  bool chance(unsigned percent) { return pick(100) < percent; }
  Draft draft(uint32_t form);
  std::optional<uint32_t> rowInFocus(const isa::Table &table) const;
  bool isInFocus(uint32_t form) const;
  void chooseRows(const isa::Form &form);
  /// False: the rows leave a slot no word.
  bool fillSlots(FormMatch &match);
  void decorate(const Pattern &pattern, size_t node, size_t text, Draft &out);
  void list(FormMatch &match, unsigned from, unsigned to, Draft &out);
  bool isWanted(FormMatch &match, const Pattern &pattern, unsigned at);
  void operand(FormMatch &match, unsigned index, Draft &out);
  void scalar(const OperandDecl &declared, TypeView type, bool inVector, Draft &out);
  void registerOf(TypeView type, Draft &out);
  void variable(const KnownVariable &variable, Draft &out);
  llvm::ArrayRef<KnownVariable> declaredVariables() const {
    return llvm::ArrayRef(variables).drop_back(!availability.module().independent);
  }
  void special(Draft &out);
  void constant(const OperandDecl &declared, TypeView type, Draft &out);
  void offset(Draft &out);
  void address(FormMatch &match, const OperandDecl &declared, Draft &out);
  void leaf(Draft &out, const std::string &text, Shape shape) {
    out.operands += text;
    out.shapes.push_back(shape);
  }
  void mutate(Draft &draft);
  void keep(const Draft &draft, std::vector<Sample> &samples);

  const isa::Mnemonic &mnemonic;
  Availability availability;
  std::mt19937_64 random;
  const SampleFocus &focus;
  const WordId wanted;       // the word in focus
  unsigned errorPercent = 0; // percent of choices that are made wrong on purpose
  llvm::StringSet<> seen;
  llvm::SmallVector<std::pair<const isa::Table *, uint32_t>, 4> chosenRows; // one of each table of the form
  /// Pairs of words of two slots that a sample has had, so that each meets each.
  llvm::StringSet<> pairs;
};

} // namespace

static const isa::Cell *cellOf(const isa::Table &table, uint32_t row, ColumnKind kind, unsigned member) {
  const isa::Tables &t = isa::tables();
  const auto columns = isa::run(t.columns, table.columns);
  for (unsigned c = 0; c < columns.size(); ++c)
    if (columns[c].kind == kind && llvm::is_contained(isa::run(t.columnMembers, columns[c].members), member))
      return &t.cells[table.firstCell + row * columns.size() + c];
  return nullptr;
}

std::optional<uint32_t> Sampler::rowInFocus(const isa::Table &table) const {
  const auto lines = isa::tables().rowLines.slice(table.firstRowLine, table.rows);
  const auto *line = llvm::find(lines, focus.row);
  return line == lines.end() ? std::nullopt : std::optional<uint32_t>(line - lines.begin());
}

bool Sampler::isInFocus(uint32_t form) const {
  const isa::Tables &t = isa::tables();
  return llvm::any_of(isa::run(t.formTables, t.forms[form].tables),
                      [&](uint32_t table) { return rowInFocus(t.tables[table]).has_value(); });
}

void Sampler::chooseRows(const isa::Form &form) {
  const isa::Tables &t = isa::tables();
  chosenRows.clear();
  for (uint32_t index : isa::run(t.formTables, form.tables))
    if (const isa::Table &table = t.tables[index]; table.rows) {
      const std::optional<uint32_t> row = rowInFocus(table);
      chosenRows.push_back({&table, row && !chance(errorPercent) ? *row : pick(table.rows)});
    }
}

bool Sampler::fillSlots(FormMatch &match) {
  const isa::Tables &t = isa::tables();
  std::ranges::fill(match.slotWord, WordId(0));
  // The words of the mnemonic stand in the first slots, by position.
  llvm::StringRef rest = llvm::StringRef(mnemonic.text).drop_until([](char c) { return c == '.'; });
  unsigned j = 0;
  for (; !rest.empty(); ++j) {
    const size_t end = std::min(rest.find('.', 1), rest.size());
    match.slotWord[j] = isa::findWord(rest.take_front(end));
    rest = rest.drop_front(end);
    for (auto [table, row] : chosenRows)
      if (const isa::Cell *cell = cellOf(*table, row, ColumnKind::Slot, j);
          cell && cell->kind == CellKind::Words &&
          !llvm::is_contained(t.wordLists.slice(cell->first, cell->count), match.slotWord[j]))
        return false;
  }
  for (; j < match.slots.size(); ++j) {
    const isa::Slot &slot = match.slots[j];
    llvm::SmallVector<WordId, 16> allowed;
    for (const isa::SlotValue &value : isa::run(t.slotValues, slot.values))
      if (chance(10) ||
          (isAllowed(match, value.gate, availability) && isAllowed(match, isa::word(value.word).gate, availability)))
        allowed.push_back(value.word);
    bool absent = slot.optional, present = true;
    for (auto [table, row] : chosenRows)
      if (const isa::Cell *cell = cellOf(*table, row, ColumnKind::Slot, j); cell && !chance(errorPercent)) {
        if (cell->kind == CellKind::Words) {
          const auto words = t.wordLists.slice(cell->first, cell->count);
          llvm::erase_if(allowed, [&](WordId w) { return !llvm::is_contained(words, w); });
          absent &= cell->orAbsent;
        } else if (cell->kind == CellKind::Absent) {
          present = false;
        } else if (cell->kind == CellKind::Present) {
          absent = false;
        }
      }
    if (wanted && llvm::is_contained(allowed, wanted) && chance(90)) {
      match.slotWord[j] = wanted;
      continue;
    }
    if (present && allowed.empty() && !absent)
      return false;
    if (!present || allowed.empty() || (absent && chance(60)))
      continue;
    // Prefer a word that has not met those before it.
    WordId best = allowed[pick(allowed.size())];
    for (unsigned attempt = 0; attempt < 4; ++attempt) {
      const WordId word = allowed[pick(allowed.size())];
      const unsigned other = pick(j + 1);
      const std::string pair = std::to_string(match.formIndex) + ":" + std::to_string(j) + ":" + std::to_string(word) +
                               ":" + std::to_string(match.slotWord[other]);
      if (pairs.insert(pair).second) {
        best = word;
        break;
      }
    }
    match.slotWord[j] = best;
  }
  return true;
}

bool Sampler::isWanted(FormMatch &match, const Pattern &pattern, unsigned at) {
  if (!pattern.optional || pattern.kind == PatternKind::Pair)
    return true;
  const auto patterns = isa::run(isa::tables().patterns, match.form().patterns);
  while (patterns[at].kind != PatternKind::Operand)
    ++at;
  const unsigned index = patterns[at].operand;
  if (!chance(errorPercent)) {
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

void Sampler::registerOf(TypeView type, Draft &out) {
  llvm::SmallVector<const RegisterFamily *, 8> fitting, exact;
  for (const RegisterFamily &family : registerFamilies) {
    const TypeView reg = viewType(isa::findWord(family.type));
    if (!type || typesAgree(type, reg, false, false))
      fitting.push_back(&family);
    if (reg == type)
      exact.push_back(&family);
  }
  const RegisterFamily *family;
  if (chance(errorPercent) || fitting.empty())
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

void Sampler::variable(const KnownVariable &variable, Draft &out) {
  Shape shape;
  shape.kind = ShapeKind::Variable;
  shape.type = isa::findWord(variable.type);
  shape.space = isa::findWord(variable.space);
  shape.flags = variable.flags;
  leaf(out, variable.name, shape);
}

/// A component of one that has some, mostly.
void Sampler::special(Draft &out) {
  const auto all = isa::specialRegisters();
  const isa::SpecialRegister *reg = &all[pick(all.size())];
  if (!availability.holds(reg->gate) && !chance(errorPercent))
    reg = isa::findSpecialRegister("%laneid");
  Shape shape;
  shape.kind = ShapeKind::Special;
  shape.type = reg->type;
  shape.value = reg - all.data();
  shape.flags = reg->narrow ? ShapeNarrow : 0;
  const bool whole = chance(errorPercent / 2);
  shape.vector = whole ? reg->vector : 0;
  if (reg->vector && !whole)
    shape.flags |= ShapeComponent;
  leaf(out, std::string(reg->name) + (reg->vector && !whole ? std::string(".") + "xyzw"[pick(4)] : ""), shape);
}

void Sampler::constant(const OperandDecl &declared, TypeView type, Draft &out) {
  Shape shape;
  const bool wrongKind = chance(errorPercent / 2);
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
    if (chance(errorPercent))
      shape.value = chance(50) ? after(range.high) : chance(50) ? range.low - 1 : after(shape.value);
  }
  const bool hex = shape.value >= 0 && chance(20);
  leaf(out, hex ? "0x" + llvm::utohexstr(shape.value, /*LowerCase=*/true) : std::to_string(shape.value), shape);
}

/// Makes `a+8` of what was written last.
void Sampler::offset(Draft &out) {
  Shape &shape = out.shapes.back();
  const int64_t distance = offsets[pick(std::size(offsets))];
  shape.flags |= ShapeOffset;
  if (shape.kind != ShapeKind::Special)
    shape.value = distance;
  out.operands += "+" + std::to_string(distance);
}

void Sampler::scalar(const OperandDecl &declared, TypeView type, bool inVector, Draft &out) {
  const bool destination = declared.rules & isa::Destination;
  if (destination && (inVector || (declared.rules & isa::SinkAllowed)) ? chance(8) : chance(errorPercent / 6)) {
    Shape shape;
    shape.kind = ShapeKind::Sink;
    return leaf(out, "_", shape);
  }
  if ((declared.rules & isa::SpecialAllowed) ? chance(20) : chance(errorPercent / 6))
    return special(out);
  if ((declared.rules & isa::SymbolAllowed) ? chance(15) : chance(errorPercent / 6)) {
    variable(declaredVariables()[pick(declaredVariables().size())], out);
    return chance(20) ? offset(out) : void();
  }
  if (declared.role == OperandRole::Predicate && !chance(errorPercent / 2))
    return registerOf({isa::TypeKind::Predicate, 1}, out);
  const bool mayBeConstant = !destination && declared.role != OperandRole::Register;
  if ((declared.role == OperandRole::Immediate && !chance(errorPercent / 2)) || (mayBeConstant && chance(15)) ||
      chance(errorPercent / 4))
    return constant(declared, type, out);
  if ((declared.rules & isa::Wide) && type.bits < 64 && type.bits && chance(25))
    type = {isa::TypeKind::Bits, static_cast<uint16_t>(2 * type.bits)};
  registerOf(type, out);
}

void Sampler::address(FormMatch &match, const OperandDecl &declared, Draft &out) {
  const isa::Tables &t = isa::tables();
  llvm::SmallVector<llvm::StringRef, 4> spaces;
  for (const isa::SpaceRef &ref : isa::run(t.spaceRefs, declared.spaces))
    if (WordId word = ref.kind == isa::RefKind::Word ? ref.index : match.word(ref.index))
      spaces.push_back(llvm::StringRef(isa::word(word).text).split("::").first);
  llvm::SmallVector<const KnownVariable *, 8> fitting;
  for (const KnownVariable &v : declaredVariables())
    if (chance(errorPercent) ||
        (!(v.flags & ShapeOpaque) && (spaces.empty() ? llvm::StringRef(v.space) == ".global"
                                                     : llvm::is_contained(spaces, llvm::StringRef(v.space)))))
      fitting.push_back(&v);
  const TypeView type = declared.type.kind == isa::RefKind::Word ? viewType(declared.type.index) : TypeView();
  if (chance(errorPercent / 4))
    special(out);
  else if (chance(4))
    constant(declared, {}, out);
  else if (!fitting.empty() && chance(40))
    variable(*fitting[pick(fitting.size())], out);
  else
    registerOf(type ? type : TypeView{isa::TypeKind::Bits, static_cast<uint16_t>(chance(30) ? 32 : 64)}, out);
  if (out.shapes.back().kind != ShapeKind::Integer && chance(25))
    offset(out);
}

void Sampler::operand(FormMatch &match, unsigned index, Draft &out) {
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
  if (chance(errorPercent / 2))
    length = chance(50) ? length * 2 : std::max<int64_t>(1, length - 1);
  braces |= length != 1 || chance(errorPercent / 4);
  if (!braces)
    return scalar(declared, type, false, out);
  const size_t at = out.shapes.size();
  shape.kind = ShapeKind::Vector;
  leaf(out, "{", shape);
  for (int64_t i = 0; i < length; ++i) {
    out.operands += i ? ", " : "";
    // Mostly registers: constants, names and discarded elements are for the rare sample.
    if (chance(chance(20) ? 20 : 2))
      scalar(declared, type, true, out);
    else
      registerOf(type, out);
  }
  out.operands += "}";
  out.shapes[at].extent = out.shapes.size() - at;
}

/// Signs, selectors and brackets around the operand that begins there.
void Sampler::decorate(const Pattern &pattern, size_t node, size_t text, Draft &out) {
  const bool reg = out.shapes[node].kind == ShapeKind::Register;
  const auto put = [&](char sign, ShapeFlag flag) {
    out.operands.insert(text, 1, sign);
    out.shapes[node].flags |= flag;
  };
  if (reg && (pattern.mayNegate ? chance(25) : chance(errorPercent / 6)))
    put('-', ShapeNegated);
  else if (reg && (pattern.mayNot ? chance(25) : chance(errorPercent / 6)))
    put('!', ShapeNot);
  else if (reg && !out.shapes[node].suffix && chance(errorPercent / 6)) {
    const char *suffix = suffixes[pick(std::size(suffixes))];
    const WordId word = isa::findWord(suffix);
    out.operands += suffix;
    out.shapes[node].suffix = word ? word : badSuffix;
  } else if (out.shapes[node].kind != ShapeKind::Address && out.shapes[node].kind != ShapeKind::Pair &&
             chance(errorPercent / 6)) {
    out.operands.insert(text, 1, '[');
    out.operands += ']';
    Shape address;
    address.kind = ShapeKind::Address;
    address.extent = out.shapes.size() - node + 1;
    out.shapes.insert(out.shapes.begin() + node, address);
  }
}

void Sampler::list(FormMatch &match, unsigned from, unsigned to, Draft &out) {
  const auto patterns = isa::run(isa::tables().patterns, match.form().patterns);
  const bool outermost = from == 0 && to == patterns.size();
  bool first = true;
  for (unsigned p = from; p < to; p += patterns[p].extent) {
    const Pattern &pattern = patterns[p];
    if (!isWanted(match, pattern, p) || chance(errorPercent / 6))
      continue;
    out.operands += first ? "" : ", ";
    first = false;
    const size_t at = out.shapes.size(), text = out.operands.size();
    Shape shape;
    switch (pattern.kind) {
    case PatternKind::Operand: operand(match, pattern.operand, out); break;
    case PatternKind::Address:
    case PatternKind::Vector:
    case PatternKind::List: {
      if (pattern.extent == 2 && chance(errorPercent / 6)) { // without its brackets
        list(match, p + 1, p + 2, out);
        break;
      }
      const char *ends = pattern.kind == PatternKind::Address  ? "[]"
                         : pattern.kind == PatternKind::Vector ? "{}"
                                                               : "()";
      shape.kind = pattern.kind == PatternKind::Address  ? ShapeKind::Address
                   : pattern.kind == PatternKind::Vector ? ShapeKind::Vector
                                                         : ShapeKind::List;
      leaf(out, std::string(1, ends[0]), shape);
      list(match, p + 1, p + pattern.extent, out);
      out.operands += ends[1];
      break;
    }
    case PatternKind::Pair: {
      if (pattern.optional && chance(60)) {
        operand(match, patterns[p + 1].operand, out);
        break;
      }
      shape.kind = ShapeKind::Pair;
      out.shapes.push_back(shape);
      operand(match, patterns[p + 1].operand, out);
      out.operands += "|";
      if (chance(15)) {
        shape.kind = ShapeKind::Sink;
        leaf(out, "_", shape);
      } else {
        operand(match, patterns[p + 1 + patterns[p + 1].extent].operand, out);
      }
      break;
    }
    }
    if (out.shapes.size() == at) // an empty list, whose brackets are missing
      continue;
    out.shapes[at].extent = out.shapes.size() - at;
    const ShapeKind kind = out.shapes[at].kind; // `3.b2` would be read as a number
    if (pattern.suffixSlot >= 0 && kind != ShapeKind::Integer && kind != ShapeKind::Float &&
        (!match.slots[pattern.suffixSlot].optional || chance(30))) {
      const auto values = isa::run(isa::tables().slotValues, match.slots[pattern.suffixSlot].values);
      const WordId word =
          match.slotWord[pattern.suffixSlot] ? match.slotWord[pattern.suffixSlot] : values[pick(values.size())].word;
      out.operands += isa::word(word).text;
      out.shapes[at].suffix = word;
    }
    decorate(pattern, at, text, out);
  }
  if (outermost && chance(errorPercent / 3)) {
    out.operands += first ? "" : ", ";
    registerOf({}, out);
  }
}

Draft Sampler::draft(uint32_t form) {
  Draft out;
  out.form = form;
  FormMatch match(form);
  bool fits = false;
  for (unsigned attempt = 0; attempt < 20 && !fits; ++attempt) {
    chooseRows(match.form());
    fits = fillSlots(match);
  }
  const unsigned first = llvm::StringRef(mnemonic.text).count('.');
  for (unsigned j = first; j < match.slots.size(); ++j)
    if (match.slotWord[j] && !match.slots[j].suffix)
      out.words.push_back(std::string(isa::word(match.slotWord[j]).text));
  list(match, 0, match.form().patterns.count, out);
  return out;
}

/// A near miss: one word dropped, doubled, moved, replaced or put in.
void Sampler::mutate(Draft &draft) {
  const isa::Tables &t = isa::tables();
  if (draft.words.empty())
    return;
  const unsigned k = pick(draft.words.size());
  switch (pick(6)) {
  case 0: draft.words.erase(draft.words.begin() + k); break;
  case 1: draft.words.insert(draft.words.begin() + k, draft.words[k]); break;
  case 2: std::swap(draft.words[k], draft.words[pick(draft.words.size())]); break;
  default: { // of its own forms, sometimes of another instruction's
    const auto forms = isa::run(t.mnemonicForms, mnemonic.forms);
    const auto slots = isa::run(t.slots, t.forms[chance(20) ? pick(t.forms.size()) : forms[pick(forms.size())]].slots);
    if (slots.empty())
      return;
    const auto values = isa::run(t.slotValues, slots[pick(slots.size())].values);
    if (values.empty())
      return;
    if (chance(40))
      draft.words.insert(draft.words.begin() + k, "");
    draft.words[k] = std::string(isa::word(values[pick(values.size())].word).text);
  }
  }
}

void Sampler::keep(const Draft &draft, std::vector<Sample> &samples) {
  std::string spelling(mnemonic.text);
  for (const std::string &word : draft.words)
    spelling += word;
  std::string text = spelling + (draft.operands.empty() ? "" : " ") + draft.operands + ";";
  if (!seen.insert(text).second)
    return;
  const Opcode opcode(spelling);
  Sample sample{std::move(text), true, ""};
  for (const Finding &finding : judge({opcode, draft.shapes, availability}).findings)
    if (finding.severity == Severity::Error && sample.accepted) {
      sample.accepted = false;
      sample.rule = info(finding.id).id.str();
    }
  samples.push_back(std::move(sample));
}

std::vector<Sample> Sampler::run(unsigned count) {
  const auto all = isa::run(isa::tables().mnemonicForms, mnemonic.forms);
  llvm::SmallVector<uint32_t, 16> forms(all.begin(), all.end());
  if (focus.row && llvm::any_of(forms, [&](uint32_t form) { return isInFocus(form); }))
    llvm::erase_if(forms, [&](uint32_t form) { return !isInFocus(form); });
  std::vector<Sample> samples;
  for (unsigned round = 0; samples.size() < count && round < 20 * count; ++round) {
    const uint32_t form = forms[round % forms.size()];
    errorPercent = chance(60) ? 0 : 12;
    Draft made = draft(form);
    std::vector<Sample> kept;
    if (chance(20))
      mutate(made);
    keep(made, kept);
    for (Sample &sample : kept) {
      // No more than half of them wrong, as far as right ones are to be found.
      const auto wrong = llvm::count_if(samples, [](const Sample &s) { return !s.accepted; });
      if (sample.accepted || wrong * 2 <= static_cast<long>(count))
        samples.push_back(std::move(sample));
    }
  }
  return samples;
}

std::vector<Sample> sampleInstruction(llvm::StringRef name, const ModuleContext &module, unsigned count, uint64_t seed,
                                      const SampleFocus &focus) {
  const isa::Mnemonic *mnemonic = isa::findMnemonic(name);
  return mnemonic ? Sampler(*mnemonic, module, seed, focus).run(count) : std::vector<Sample>();
}

} // namespace ptxray
