#include "Samples/Enumerate.h"
#include "Match/Match.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"

namespace ptxray {

using isa::OperandDecl;
using isa::OperandRole;
using isa::Pattern;
using isa::PatternKind;
using isa::WordId;

static constexpr size_t mostMultiplied = 64; // maximum number of values for an axis that is combined with others
static constexpr int64_t mostConstants = 4096;

namespace {

/// A part of a text that can have several values.
struct Axis {
  enum Kind { Slot, Suffix, Presence, Negation, Constant, Length } kind;
  unsigned of;                 // index of the slot or pattern
  std::vector<int64_t> values; // words (0 for none), 0 and 1, constants, or lengths
};

class Enumerator {
public:
  Enumerator(const isa::Mnemonic &mnemonic, const ModuleContext &module)
      : mnemonic(mnemonic), availability(module), tables(isa::tables()) {}
  void form(uint32_t index, Enumeration &out);

private:
  bool findAxes(FormMatch &match);
  void addSlot(FormMatch &match, Axis::Kind kind, unsigned slot, unsigned of);
  bool write(FormMatch &match, llvm::ArrayRef<int64_t> chosen, std::string &text);
  void operand(FormMatch &match, unsigned pattern, llvm::ArrayRef<int64_t> chosen, std::string &text);
  int64_t chosenFor(Axis::Kind kind, unsigned of, llvm::ArrayRef<int64_t> chosen, int64_t otherwise);

  const isa::Mnemonic &mnemonic;
  Availability availability;
  const isa::Tables &tables;
  std::vector<Axis> axes;
  std::vector<Shape> shapes;
  llvm::StringSet<> seen;
};

} // namespace

void Enumerator::addSlot(FormMatch &match, Axis::Kind kind, unsigned slot, unsigned of) {
  Axis axis{kind, of, {}};
  if (match.slots[slot].optional)
    axis.values.push_back(0);
  for (const isa::SlotValue &value : isa::run(tables.slotValues, match.slots[slot].values))
    if (isAllowed(match, value.gate, availability) && isAllowed(match, isa::word(value.word).gate, availability))
      axis.values.push_back(value.word);
  axes.push_back(std::move(axis));
}

/// Finds the axes. Returns false if an operand has a kind that is not enumerated.
bool Enumerator::findAxes(FormMatch &match) {
  axes.clear();
  for (unsigned j = match.form().mnemonicSlots; j < match.slots.size(); ++j)
    if (!match.slots[j].suffix)
      addSlot(match, Axis::Slot, j, j);
  const auto patterns = isa::run(tables.patterns, match.form().patterns);
  for (unsigned p = 0; p < patterns.size(); ++p) {
    const Pattern &pattern = patterns[p];
    if (pattern.kind != PatternKind::Operand && pattern.kind != PatternKind::Address)
      return false;
    if (pattern.optional)
      axes.push_back({Axis::Presence, p, {0, 1}});
    if (pattern.suffixSlot >= 0)
      addSlot(match, Axis::Suffix, pattern.suffixSlot, p);
    if (pattern.mayNegate)
      axes.push_back({Axis::Negation, p, {0, 1}});
    if (pattern.kind == PatternKind::Address)
      continue;
    const OperandDecl &declared = match.operands[pattern.operand];
    if (declared.role > OperandRole::Address)
      return false;
    if (declared.rules & isa::Vec)
      axes.push_back({Axis::Length, p, {1, 2, 4, 8}});
    if (declared.role != OperandRole::Immediate)
      continue;
    Axis axis{Axis::Constant, p, {}};
    for (const isa::ValueRange &range : isa::run(tables.ranges, declared.ranges)) {
      const int64_t step = std::max<int64_t>(range.step, 1);
      if ((range.high - range.low) / step < mostConstants)
        for (int64_t value = range.low; value <= range.high; value += step)
          axis.values.push_back(value);
      else
        axis.values.insert(axis.values.end(), {range.low, range.high});
    }
    if (axis.values.empty())
      axis.values.push_back(1);
    axes.push_back(std::move(axis));
  }
  return llvm::none_of(axes, [](const Axis &axis) { return axis.values.empty(); });
}

int64_t Enumerator::chosenFor(Axis::Kind kind, unsigned of, llvm::ArrayRef<int64_t> chosen, int64_t otherwise) {
  for (size_t i = 0; i < axes.size(); ++i)
    if (axes[i].kind == kind && axes[i].of == of)
      return chosen[i];
  return otherwise;
}

void Enumerator::operand(FormMatch &match, unsigned pattern, llvm::ArrayRef<int64_t> chosen, std::string &text) {
  const unsigned index = isa::run(tables.patterns, match.form().patterns)[pattern].operand;
  const OperandDecl &declared = match.operands[index];
  const TypeView type = match.typeOf(index);
  const size_t at = shapes.size();
  auto leaf = [&](ShapeKind kind, llvm::StringRef typeName) -> Shape & {
    Shape &shape = shapes.emplace_back();
    shape.kind = kind;
    shape.type = isa::findWord(typeName);
    return shape;
  };
  const bool wide = declared.role == OperandRole::Address || type.bits == 64;
  const std::string number = std::to_string(index);
  const int64_t length = chosenFor(Axis::Length, pattern, chosen, 0);
  if (declared.role == OperandRole::Immediate) {
    const int64_t value = chosenFor(Axis::Constant, pattern, chosen, 1);
    leaf(ShapeKind::Integer, "").value = value;
    text += std::to_string(value);
  } else if (declared.role == OperandRole::Predicate) {
    leaf(ShapeKind::Register, ".pred");
    text += "%p" + number;
  } else if (length > 0) {
    leaf(ShapeKind::Vector, "").extent = length + 1;
    text += "{";
    for (int64_t i = 0; i < length; ++i) {
      leaf(ShapeKind::Register, ".b32");
      text += (i ? ", %r" : "%r") + std::to_string(4 * index + i);
    }
    text += "}";
  } else {
    leaf(ShapeKind::Register, wide ? ".b64" : type.bits == 16 ? ".b16" : ".b32");
    text += (wide ? "%rd" : type.bits == 16 ? "%h" : "%r") + number;
  }
  if (const WordId suffix = chosenFor(Axis::Suffix, pattern, chosen, 0)) {
    shapes[at].suffix = suffix;
    text += isa::word(suffix).text();
  }
}

/// Writes one combination. Returns false if the engine rejects it.
bool Enumerator::write(FormMatch &match, llvm::ArrayRef<int64_t> chosen, std::string &text) {
  text = mnemonic.text();
  for (unsigned j = match.form().mnemonicSlots; j < match.slots.size(); ++j) {
    match.slotWord[j] = chosenFor(Axis::Slot, j, chosen, 0); // types of operands depend on it
    if (match.slotWord[j])
      text += isa::word(match.slotWord[j]).text();
  }
  const Opcode opcode(text);
  shapes.clear();
  const auto patterns = isa::run(tables.patterns, match.form().patterns);
  const char *divider = " ";
  for (unsigned p = 0; p < patterns.size(); p += patterns[p].extent) {
    if (!chosenFor(Axis::Presence, p, chosen, 1))
      continue;
    text += divider;
    divider = ", ";
    const size_t at = shapes.size();
    if (chosenFor(Axis::Negation, p, chosen, 0))
      text += "-";
    if (patterns[p].kind == PatternKind::Address) {
      shapes.emplace_back().kind = ShapeKind::Address;
      text += "[";
      for (unsigned inner = p + 1; inner < p + patterns[p].extent; ++inner)
        operand(match, inner, chosen, text);
      text += "]";
      shapes[at].extent = shapes.size() - at;
    } else {
      operand(match, p, chosen, text);
    }
    if (chosenFor(Axis::Negation, p, chosen, 0))
      shapes[at].flags |= ShapeNegated;
  }
  text += ";";
  return judge({opcode, shapes, availability}).findings.empty();
}

void Enumerator::form(uint32_t index, Enumeration &out) {
  FormMatch match(index);
  if (!findAxes(match))
    return;
  size_t product = 1, longest = 0;
  double longProduct = 1;
  for (const Axis &axis : axes)
    if (axis.values.size() <= mostMultiplied) {
      product *= axis.values.size();
    } else {
      longest = std::max(longest, axis.values.size());
      longProduct *= axis.values.size();
    }
  // Long axes advance together with the others, each in its own steps.
  const size_t rounds = std::max(product, 2 * longest);
  std::vector<int64_t> chosen(axes.size());
  std::string text;
  for (size_t round = 0; round < rounds; ++round) {
    size_t rest = round, stride = 1;
    for (size_t i = 0; i < axes.size(); ++i) {
      const std::vector<int64_t> &values = axes[i].values;
      if (values.size() <= mostMultiplied) {
        chosen[i] = values[rest % values.size()];
        rest /= values.size();
      } else {
        chosen[i] = values[(round * stride + round / values.size() * (stride + 1236)) % values.size()];
        stride += 4;
      }
    }
    if (!write(match, chosen, text))
      continue;
    // The short axes have taken all values once, so any value of the long ones is sufficient.
    const bool isNew = seen.insert(text).second;
    if (round < product && (isNew || longest))
      out.combinations += longProduct;
    if (isNew)
      out.texts.push_back(text);
  }
}

Enumeration enumerateInstruction(llvm::StringRef name, const ModuleContext &module) {
  Enumeration out;
  const isa::Mnemonic *mnemonic = isa::findMnemonic(name);
  if (!mnemonic)
    return out;
  Enumerator enumerator(*mnemonic, module);
  for (uint32_t form : isa::run(isa::tables().mnemonicForms, mnemonic->forms))
    enumerator.form(form, out);
  return out;
}

} // namespace ptxray
