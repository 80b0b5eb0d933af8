#include "Pages/FormExample.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace ptxray {

using isa::OperandRole;
using isa::PatternKind;
using llvm::StringRef;

namespace {

/// One of several ways to write an example line. They are tried in order.
struct Way {
  uint32_t optional = 0;    // bit mask of optional operands to write
  bool hasHighest = false;  // use the highest valid constants instead of the lowest
  bool namesMemory = false; // addresses are names of variables instead of registers
  bool hasSinks = false;    // results are `_` where permitted
  unsigned row = 0;         // index of the row among those that fit the words
};

/// Writes the operands of a form. All registers are distinct.
class LineWriter {
public:
  LineWriter(const FormMatch &match, const Way &way) : match(match), way(way) {}
  std::string operands() {
    list(0, match.form().patterns.count);
    return text;
  }

private:
  void list(unsigned from, unsigned to);
  void pattern(unsigned at);
  void operand(unsigned index);
  void address(const isa::OperandDecl &declared);
  void scalar(unsigned index);
  void constant(unsigned index);
  bool isWritten(const isa::Pattern &pattern, unsigned at) const;
  std::string nextRegister(TypeView type, bool isExact = true);

  const FormMatch &match;
  const Way &way;
  std::string text;
  unsigned predicates = 0, halves = 0, words = 0, doubles = 0, bytes = 0, floats = 0, wideFloats = 0, quads = 0;
};

} // namespace

static const Availability &everything() {
  static const Availability all([] {
    ModuleContext module;
    module.ptx = isa::versions().back();
    module.target = anyTarget;
    return module;
  }());
  return all;
}

/// Returns the cell in the selected rows that determines whether an operand is present, or null.
static const isa::Cell *presenceOf(const FormMatch &match, unsigned operand) {
  const isa::Tables &t = isa::tables();
  for (const auto &[index, row] : llvm::zip_equal(isa::run(t.formTables, match.form().tables), match.rowOf)) {
    const isa::Table &table = t.tables[index];
    const auto columns = isa::run(t.columns, table.columns);
    if (row < 0)
      continue;
    const auto cells = t.cells.slice(table.firstCell + row * columns.size(), columns.size());
    for (const auto &[column, cell] : llvm::zip_equal(columns, cells))
      if (column.kind == isa::ColumnKind::Operand &&
          (cell.kind == isa::CellKind::Absent || cell.kind == isa::CellKind::Present) &&
          llvm::is_contained(isa::run(t.columnMembers, column.members), operand))
        return &cell;
  }
  return nullptr;
}

bool LineWriter::isWritten(const isa::Pattern &pattern, unsigned at) const {
  if (!pattern.optional || pattern.kind == PatternKind::Pair)
    return true;
  const auto patterns = isa::run(isa::tables().patterns, match.form().patterns);
  while (patterns[at].kind != PatternKind::Operand)
    ++at;
  const unsigned index = patterns[at].operand;
  if (match.operands[index].hasWith)
    return isAllowed(match, match.operands[index].with, everything());
  if (const isa::Cell *cell = presenceOf(match, index))
    return cell->kind == isa::CellKind::Present;
  return way.optional >> index & 1;
}

std::string LineWriter::nextRegister(TypeView type, bool isExact) {
  const auto next = [](const char *family, unsigned &count) { return family + std::to_string(++count); };
  if (type.kind == isa::TypeKind::Predicate)
    return next("%p", predicates);
  if (type.kind == isa::TypeKind::Float && type.bits >= 32)
    return type.bits == 32 ? next("%f", floats) : next("%fd", wideFloats);
  if (type.bits == 128)
    return next("%q", quads);
  if (type.bits == 64)
    return next("%rd", doubles);
  if (type.bits == 8 && (isExact || type.kind == isa::TypeKind::Packed))
    return next("%c", bytes);
  return type.bits && type.bits <= 16 ? next("%h", halves) : next("%r", words);
}

void LineWriter::constant(unsigned index) {
  const auto ranges = match.ranges(index);
  if (match.typeOf(index).kind == isa::TypeKind::Float)
    text += match.typeOf(index).bits == 64 ? "0d3FF0000000000000" : "0f3F800000";
  else if (ranges.empty())
    text += way.hasHighest ? "16" : "1";
  else
    text += std::to_string(way.hasHighest                                    ? ranges.back().high
                           : std::max<int64_t>(ranges.front().low, -1) == -1 ? 1
                                                                             : ranges.front().low);
}

void LineWriter::address(const isa::OperandDecl &declared) {
  bool isShared = declared.spaces.count > 0 && declared.access != isa::Access::TensorMap;
  for (const isa::SpaceRef &space : isa::run(isa::tables().spaceRefs, declared.spaces)) {
    const isa::WordId word = space.kind == isa::RefKind::Word ? space.index : match.word(space.index);
    isShared &= StringRef(isa::word(word).text()).starts_with(".shared");
  }
  const TypeView type = declared.type.kind == isa::RefKind::Word ? viewType(declared.type.index) : TypeView();
  if (type)
    text += nextRegister(type);
  else if (isShared && way.namesMemory)
    text += declared.access == isa::Access::Barrier ? "mbar" : "smem";
  else
    text += nextRegister({isa::TypeKind::Bits, uint16_t(isShared ? 32 : 64)});
}

void LineWriter::scalar(unsigned index) {
  const isa::OperandDecl &declared = match.operands[index];
  if (way.hasSinks && declared.rules & isa::SinkAllowed) {
    text += "_";
    return;
  }
  switch (declared.role) {
  case OperandRole::Address: return address(declared);
  case OperandRole::Texture: text += "tex"; return;
  case OperandRole::Surface: text += "surf"; return;
  case OperandRole::Label: text += "LOOP"; return;
  case OperandRole::Function: text += "f"; return;
  case OperandRole::Symbol: text += "smem"; return;
  case OperandRole::Immediate: return constant(index);
  case OperandRole::Predicate: text += nextRegister({isa::TypeKind::Predicate, 1}); return;
  case OperandRole::Sampler: text += nextRegister({isa::TypeKind::Bits, 64}); return;
  case OperandRole::List:
  case OperandRole::Register:
  case OperandRole::Value: text += nextRegister(match.typeOf(index), !(declared.rules & isa::Wide)); return;
  }
}

void LineWriter::operand(unsigned index) {
  const isa::OperandDecl &declared = match.operands[index];
  const auto terms = match.lengths(index);
  const bool isVector = declared.rules & isa::Vec;
  const int64_t length = terms.empty() ? 1 : match.value(terms[0]).value_or(1);
  if (length == 1 && !isVector)
    return scalar(index);
  text += "{";
  for (int64_t i = 0; i < length; ++i) {
    text += i ? ", " : "";
    if ((i == 0 && declared.rules & isa::FirstIndex) || (i == 1 && declared.rules & isa::SecondIndex))
      text += nextRegister({isa::TypeKind::Bits, 32});
    else
      scalar(index);
  }
  text += "}";
}

// NOLINTNEXTLINE(misc-no-recursion): the tables are constant: no input nests their patterns
void LineWriter::pattern(unsigned at) {
  const auto patterns = isa::run(isa::tables().patterns, match.form().patterns);
  const isa::Pattern &pattern = patterns[at];
  const auto inside = [&](char open, char close) { // NOLINT(misc-no-recursion)
    text += open;
    list(at + 1, at + pattern.extent);
    text += close;
  };
  switch (pattern.kind) {
  case PatternKind::Operand: operand(pattern.operand); break;
  case PatternKind::Address: inside('[', ']'); break;
  case PatternKind::Vector: inside('{', '}'); break;
  case PatternKind::List: inside('(', ')'); break;
  case PatternKind::Pair:
    operand(patterns[at + 1].operand);
    if (pattern.optional && !(way.optional >> patterns[at + 1 + patterns[at + 1].extent].operand & 1))
      break;
    text += "|";
    operand(patterns[at + 1 + patterns[at + 1].extent].operand);
    break;
  }
  if (pattern.suffixSlot >= 0 && !match.slots[pattern.suffixSlot].optional)
    text += isa::word(isa::run(isa::tables().slotValues, match.slots[pattern.suffixSlot].values).front().word).text();
}

// NOLINTNEXTLINE(misc-no-recursion): the tables are constant: no input nests their patterns
void LineWriter::list(unsigned from, unsigned to) {
  const auto patterns = isa::run(isa::tables().patterns, match.form().patterns);
  bool isFirst = true;
  for (unsigned at = from; at < to; at += patterns[at].extent) {
    if (!isWritten(patterns[at], at))
      continue;
    text += isFirst ? "" : ", ";
    isFirst = false;
    pattern(at);
  }
}

/// Returns whether a cell permits exactly the written words.
static bool cellFits(const FormMatch &match, const isa::Column &column, const isa::Cell &cell) {
  const isa::Tables &t = isa::tables();
  if (cell.kind == isa::CellKind::Condition)
    return isAllowed(match, cell.first, everything());
  if (column.kind != isa::ColumnKind::Slot)
    return true;
  return llvm::all_of(isa::run(t.columnMembers, column.members), [&](uint16_t slot) {
    const isa::WordId word = match.word(slot);
    switch (cell.kind) {
    case isa::CellKind::Absent: return !word;
    case isa::CellKind::Present: return word != 0;
    case isa::CellKind::Words:
      return word ? llvm::is_contained(t.wordLists.slice(cell.first, cell.count), word) : cell.orAbsent;
    default: return true;
    }
  });
}

/// Selects a row of each table that fits the words: the one with index `number`, or the last one.
static bool chooseRows(FormMatch &match, unsigned number) {
  const isa::Tables &t = isa::tables();
  const auto tables = isa::run(t.formTables, match.form().tables);
  match.rowOf.assign(tables.size(), -1);
  for (size_t i = 0; i < tables.size(); ++i) {
    const isa::Table &table = t.tables[tables[i]];
    const auto columns = isa::run(t.columns, table.columns);
    unsigned left = number;
    for (uint32_t row = 0; row < table.rows && (match.rowOf[i] < 0 || left); ++row) {
      const auto cells = t.cells.slice(table.firstCell + row * columns.size(), columns.size());
      if (!llvm::all_of(llvm::zip_equal(columns, cells),
                        [&](const auto &pair) { return cellFits(match, std::get<0>(pair), std::get<1>(pair)); }))
        continue;
      left -= match.rowOf[i] >= 0;
      match.rowOf[i] = static_cast<int32_t>(row);
    }
    if (match.rowOf[i] < 0 && table.rows)
      return false;
  }
  return true;
}

/// Inserts the line into a module with the newest version, and the most common target that accepts it.
static bool isRightSomewhere(StringRef name, FormExample &example) {
  example.setting = settingOfExample(name, example.line);
  if (example.setting.target.empty())
    return false;
  example.module = exampleModule(name, example.line, example.setting.ptx, example.setting.target);
  return true;
}

/// Returns the ways to write a line: first the simplest, then with one additional operand, and with all.
static std::vector<Way> waysFor(const FormMatch &match) {
  std::vector<Way> ways = {{}};
  for (unsigned index = 0; index < match.operands.size() && index < 32; ++index)
    ways.push_back({.optional = 1u << index});
  for (const uint32_t optional : {0u, ~0u})
    for (const unsigned row : {0u, 1u}) {
      ways.push_back({.optional = optional, .hasHighest = true, .row = row});
      ways.push_back({.optional = optional, .namesMemory = true, .row = row});
      ways.push_back({.optional = optional, .hasSinks = true, .row = row});
    }
  return ways;
}

std::optional<FormExample> exampleOf(const FormMatch &words, StringRef spelling) {
  const Opcode opcode(spelling);
  if (!opcode.mnemonic)
    return std::nullopt;
  const StringRef name = opcode.mnemonic->text();
  FormExample example{words, "", {}, {}};
  std::optional<FormExample> warned; // the first one with only a warning
  std::vector<std::string> tried;
  for (const Way &way : waysFor(words)) {
    if (!chooseRows(example.match, way.row))
      return std::nullopt;
    const std::string operands = LineWriter(example.match, way).operands();
    example.line = spelling.str() + (operands.empty() ? "" : " ") + operands + ";";
    if (llvm::is_contained(tried, example.line))
      continue;
    tried.push_back(example.line);
    if (!isRightSomewhere(name, example))
      continue;
    if (!reportOf(example.module))
      return example;
    if (!warned)
      warned = example;
  }
  if (warned)
    return warned;
  const isa::Example *known = isa::findExample(name);
  if (!known || !StringRef(known->right()).starts_with(spelling.str() + " "))
    return std::nullopt;
  example.line = known->right();
  return isRightSomewhere(name, example) ? std::optional(example) : std::nullopt;
}

/// Returns the words in the order of the form.
static std::string spellingOf(const isa::Mnemonic &mnemonic, const FormMatch &match) {
  std::string text(mnemonic.text());
  for (unsigned slot = match.form().mnemonicSlots; slot < match.slots.size(); ++slot)
    if (match.slotWord[slot] && !match.slots[slot].suffix)
      text += isa::word(match.slotWord[slot]).text();
  return text;
}

static bool isMissing(const FormMatch &match, unsigned slot) {
  return !match.slotWord[slot] && !match.slots[slot].optional && !match.slots[slot].suffix;
}
static unsigned missingIn(const FormMatch &match) {
  unsigned count = 0;
  for (unsigned slot = match.form().mnemonicSlots; slot < match.slots.size(); ++slot)
    count += isMissing(match, slot);
  return count;
}

/// Returns spellings with one more word: for each form, its first incomplete slot is filled with every possible word.
/// The first spelling is to be tried last.
static std::vector<std::string> spellingsWithOneMore(const Opcode &opcode) {
  std::vector<std::string> next;
  std::vector<FormMatch> matches = formsFor(opcode, /*complete=*/false);
  llvm::stable_sort(matches, [](const FormMatch &one, const FormMatch &other) { // the manual lists common forms first
    const auto section = [](const FormMatch &match) -> StringRef {
      return isa::tables().entries[match.form().entry].manual();
    };
    const unsigned missing = missingIn(one), missingInOther = missingIn(other);
    return missing == missingInOther ? section(one).compare_numeric(section(other)) < 0 : missing < missingInOther;
  });
  for (FormMatch &match : matches)
    for (unsigned slot = match.form().mnemonicSlots; slot < match.slots.size(); ++slot) {
      if (!isMissing(match, slot))
        continue;
      for (const isa::SlotValue &value : isa::run(isa::tables().slotValues, match.slots[slot].values)) {
        match.slotWord[slot] = value.word;
        if (std::string spelling = spellingOf(*opcode.mnemonic, match); !llvm::is_contained(next, spelling))
          next.push_back(std::move(spelling));
      }
      break;
    }
  std::ranges::reverse(next);
  return next;
}

std::optional<std::string> completedSpelling(StringRef written) {
  constexpr unsigned most = 400; // maximum number of spellings to try
  std::vector<std::string> open = {written.str()};
  for (unsigned tries = 0; !open.empty() && tries < most; ++tries) {
    std::string spelling = std::move(open.back());
    open.pop_back();
    const Opcode opcode(spelling);
    for (const FormMatch &whole : formsFor(opcode, /*complete=*/true))
      if (exampleOf(whole, spelling))
        return spelling;
    std::vector<std::string> next = spellingsWithOneMore(opcode);
    llvm::stable_sort(
        next, [](StringRef one, StringRef other) { // common types come last, because the last element is taken first
          const auto rank = [](StringRef text) {
            return text.ends_with(".f32") || text.ends_with(".b32") || text.ends_with(".u32");
          };
          return rank(one) < rank(other);
        });
    std::ranges::move(next, std::back_inserter(open));
  }
  return std::nullopt;
}

} // namespace ptxray
