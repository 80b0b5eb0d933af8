#include "Editor/Hover.h"
#include "Diagnostics/Manual.h"
#include "Editor/Descriptors.h"
#include "Editor/Names.h"
#include "Editor/Statements.h"
#include "Isa/Isa.h"
#include "Isa/Titles.h"
#include "Match/Match.h"
#include "Pages/Explain.h"
#include "Pages/FormulaText.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include <set>

namespace ptxray {

using llvm::StringRef;

namespace {

/// Longer lists end with `...`.
constexpr size_t mostShown = 24;

std::string quoted(StringRef text) { return "`" + text.str() + "`"; }

/// Composes the answer.
class Writer {
public:
  explicit Writer(const Excerpt &excerpt) : module(excerpt.module()), availability(module) {}

  void text(std::string words) { parts.push_back({HoverPart::Text, std::move(words), ""}); }
  void code(std::string words) { parts.push_back({HoverPart::Code, std::move(words), ""}); }
  void manual(isa::Text number) {
    if (const ManualSection *section = findManualSection(number))
      parts.push_back(
          {HoverPart::Link, "PTX manual " + StringRef(number).str() + ": " + section->title.str(), section->url()});
  }
  /// Writes the requirements of a feature, and whether this module meets them.
  void needs(StringRef what, bool isMet) {
    if (!what.empty())
      text("needs " + what.str() + (isMet ? "" : ": not available with " + here()));
  }
  void gate(isa::ExprId gate) {
    if (gate)
      needs(gateText(gate), availability.holds(gate));
  }
  bool holds(isa::ExprId gate) const { return availability.holds(gate); }
  bool allows(const FormMatch &match, isa::ExprId condition) const { return isAllowed(match, condition, availability); }
  std::string here() const {
    if (module.target == anyTarget)
      return "this header";
    return "PTX " + isa::versionText(module.ptx) + " on " + std::string(isa::targets()[module.target].name());
  }
  Hover take(Range range) { return {range, std::move(parts)}; }

private:
  ModuleContext module;
  Availability availability;
  std::vector<HoverPart> parts;
};

std::string listOf(llvm::ArrayRef<StringRef> words) {
  std::string out = llvm::join(llvm::map_range(words.take_front(mostShown), quoted), ", ");
  return words.size() > mostShown ? out + ", ..." : out;
}

// ---- opcodes

bool formIsAvailable(const isa::Form &form, const Writer &out) {
  const isa::Tables &tables = isa::tables();
  return llvm::all_of(isa::run(tables.formRules, form.rules), [&](uint32_t index) {
    const isa::Rule &rule = tables.rules[index];
    return rule.when != 0 || !tables.exprs[rule.require].gateOnly || out.holds(rule.require);
  });
}

/// Returns the slot to which a part of a form's syntax refers. Starts the search at `next`, because two slots may have
/// the same name.
std::optional<unsigned> slotNamed(const FormMatch &match, StringRef name, unsigned next) {
  for (unsigned slot = next; slot < match.slots.size(); ++slot)
    if (StringRef(match.slots[slot].name()) == name)
      return slot;
  return match.findSlot(name);
}

/// Returns the syntax with slots replaced by the written words. Omits optional parts that are not written.
std::string writtenForm(const FormMatch &match) {
  const auto isOfName = [](char c) { return llvm::isAlnum(c) || c == '_' || c == ':'; };
  std::string out;
  unsigned next = 0;
  for (StringRef rest = match.form().syntax(); !rest.empty();) {
    const bool isOptional = rest.starts_with("{.");
    const StringRef inner = rest.drop_front(isOptional);
    const StringRef name = inner.take_front(1 + inner.drop_front().take_while(isOfName).size());
    const auto slot = name.starts_with(".") ? slotNamed(match, name, next) : std::nullopt;
    if (!slot || (isOptional && !inner.drop_front(name.size()).starts_with("}"))) {
      out += rest.front();
      rest = rest.drop_front();
      continue;
    }
    const unsigned place = slot.value_or(0); // required by g++, which does not detect that the value is set
    if (match.isWritten(place))
      out += isa::word(match.slotWord[place]).text();
    else if (!isOptional)
      out += name;
    next = place + 1;
    rest = inner.drop_front(name.size() + isOptional);
  }
  return out;
}

/// Lists the forms of an opcode that matches none of them.
void writeForms(const isa::Mnemonic &mnemonic, Writer &out) {
  const isa::Tables &tables = isa::tables();
  llvm::SmallSetVector<StringRef, 8> titles, syntaxes;
  for (uint32_t index : isa::run(tables.mnemonicForms, mnemonic.forms)) {
    const isa::Form &form = tables.forms[index];
    if (isOfPtxas(form))
      continue;
    titles.insert(isa::titleOf(mnemonic, tables.entries[form.entry]));
    syntaxes.insert(form.syntax());
  }
  constexpr size_t mostForms = 12;
  out.text(quoted(mnemonic.text()) + ": " + llvm::join(titles, "; "));
  std::string list = llvm::join(syntaxes.getArrayRef().take_front(mostForms), "\n");
  if (syntaxes.size() > mostForms)
    list += "\n... " + std::to_string(syntaxes.size() - mostForms) + " more";
  out.code(std::move(list));
}

/// Returns a text about a form with slots replaced by the written words, except slots that represent a number.
std::string withWords(std::string text, const FormMatch &match) {
  for (unsigned slot = 0; slot < match.slots.size(); ++slot) {
    const isa::Word &word = isa::word(match.slotWord[slot]);
    const std::string name = quoted(match.slots[slot].name());
    const bool isCount = word.number >= 0 && word.typeKind == isa::TypeKind::None;
    if (!match.isWritten(slot) || isCount)
      continue;
    for (size_t at = 0; (at = text.find(name, at)) != std::string::npos; at += word.text().size())
      text.replace(at, name.size(), quoted(word.text()));
  }
  return text;
}

void writeOperands(const FormMatch &match, Writer &out) {
  std::string list;
  for (const isa::OperandDecl &operand : match.operands)
    list += (list.empty() ? "" : "\n") + std::string(operand.name()) + ": " +
            withWords(describeOperand(operand, match.form()), match);
  if (!list.empty())
    out.text(std::move(list));
}

/// Writes the formulas that apply to the instruction, one for each result.
void writeFormulas(const FormMatch &match, Writer &out) {
  std::set<std::pair<isa::FormulaTarget, int>> seen;
  std::string list;
  for (const isa::Formula &one : isa::run(isa::tables().formulas, match.form().formulas)) {
    const bool isWritten = one.operand < 0 || match.nodeOf[one.operand] >= 0;
    if (isWritten && out.allows(match, one.when) && seen.insert({one.target, one.operand}).second)
      list += (list.empty() ? "" : "\n") + formulaText(match.form(), one);
  }
  if (list.empty())
    return;
  out.text("Computes");
  out.code(std::move(list));
}

/// Returns the slot of a match that contains a word of the opcode.
std::optional<unsigned> slotOf(const FormMatch &match, unsigned word) {
  for (unsigned slot = 0; slot < match.slots.size(); ++slot)
    if (match.slotWord[slot] && match.slotAt[slot] == static_cast<int>(word))
      return slot;
  return std::nullopt;
}

void writeQualifier(const FormMatch &match, unsigned slot, Writer &out) {
  const isa::Slot &shown = match.slots[slot];
  const auto values = isa::run(isa::tables().slotValues, shown.values);
  const isa::Word &word = isa::word(match.slotWord[slot]);
  const std::string what = describeWord(word);
  out.text(quoted(word.text()) + (what.empty() ? "" : ": " + what));
  if (!shown.literal) {
    llvm::SmallVector<StringRef> words;
    for (const isa::SlotValue &value : values)
      words.push_back(isa::word(value.word).text());
    llvm::sort(words, [](StringRef a, StringRef b) { return a.compare_numeric(b) < 0; });
    out.text(quoted(shown.name()) + (shown.optional ? ", which may be missing, is " : " is ") + listOf(words));
  }
  for (const isa::SlotValue &value : values)
    if (value.word == match.slotWord[slot])
      out.gate(value.gate);
  out.gate(word.gate);
}

std::optional<Hover> hoverOnOpcode(const Excerpt &excerpt, const Opcode &opcode, const FormMatch *match, unsigned word,
                                   Range range) {
  if (!opcode.mnemonic)
    return std::nullopt;
  Writer out(excerpt);
  const auto slot = match && word >= opcode.mnemonicWords ? slotOf(*match, word) : std::nullopt;
  if (slot)
    writeQualifier(*match, *slot, out);
  if (!match) {
    writeForms(*opcode.mnemonic, out);
    return out.take(range);
  }
  const isa::Form &form = match->form();
  const isa::Entry &entry = isa::tables().entries[form.entry];
  out.text(quoted(opcode.mnemonic->text()) + ": " + std::string(isa::titleOf(*opcode.mnemonic, entry)));
  out.code(slot ? std::string(form.syntax()) : writtenForm(*match)); // a qualifier is described by the name of its slot
  out.needs(availabilityOf(form), formIsAvailable(form, out));
  if (!slot) {
    writeOperands(*match, out);
    writeFormulas(*match, out);
  }
  out.manual(entry.manual());
  return out.take(range);
}

unsigned wordUnder(llvm::ArrayRef<Range> words, uint32_t offset) {
  for (unsigned i = static_cast<unsigned>(words.size()); i-- > 1;)
    if (words[i].begin <= offset)
      return i;
  return 0;
}

/// Returns the range of the mnemonic, or of the qualifier.
Range shownRange(llvm::ArrayRef<Range> words, const Opcode &opcode, unsigned word) {
  if (word >= opcode.mnemonicWords || words.empty())
    return words[word];
  return {words[0].begin, words[std::min<size_t>(opcode.mnemonicWords, words.size()) - 1].end};
}

std::optional<Hover> hoverOnInstruction(const Excerpt &excerpt, const FoundInstruction &found, uint32_t offset) {
  const auto words = wordsOf(excerpt.text(), found.instruction->opcodeRange);
  const Opcode opcode(excerpt.ast().text(found.instruction->opcode)); // not checked without its semicolon
  const unsigned word = wordUnder(words, offset);
  const bool anyFormFits = !formsFor(opcode, /*complete=*/false).empty();
  const FormMatch *match = anyFormFits ? excerpt.body()->verdicts[found.number]->match : nullptr;
  return hoverOnOpcode(excerpt, opcode, match, word, shownRange(words, opcode, word));
}

/// Describes an opcode whose operands could not be parsed.
std::optional<Hover> hoverOnBroken(const Excerpt &excerpt, uint32_t offset) {
  for (const Instruction &one : excerpt.ast().brokenInstructions) {
    if (offset < one.opcodeRange.begin || one.opcodeRange.end < offset)
      continue;
    const Opcode opcode(excerpt.ast().text(one.opcode));
    const auto words = wordsOf(excerpt.text(), one.opcodeRange);
    return hoverOnOpcode(excerpt, opcode, nullptr, 0, shownRange(words, opcode, 0));
  }
  return std::nullopt;
}

// ---- numbers

std::string hex(uint64_t value) { return "0x" + llvm::utohexstr(value); }

std::string floatText(const llvm::APFloat &value) {
  llvm::SmallString<32> text;
  value.toString(text);
  return text.str().str();
}

std::string numberText(const Operand &operand) {
  const auto bits = static_cast<uint64_t>(operand.value);
  if (operand.kind == OperandKind::Integer)
    return std::to_string(operand.value) + " = " + hex(bits);
  if (operand.flags & HexFloat && !(operand.flags & WideFloat))
    return floatText(llvm::APFloat(llvm::APFloat::IEEEsingle(), llvm::APInt(32, bits & 0xFFFFFFFF))) + " (.f32)";
  return floatText(llvm::APFloat(llvm::APFloat::IEEEdouble(), llvm::APInt(64, bits))) + " (.f64)";
}

std::optional<Hover> hoverOnNumber(const Excerpt &excerpt, const Instruction &instruction, uint32_t offset) {
  for (const Operand &operand : excerpt.ast().operandsOf(instruction.operands)) {
    const bool isNumber = operand.kind == OperandKind::Integer || operand.kind == OperandKind::Float;
    if (!isNumber || offset < operand.range.begin || operand.range.end < offset)
      continue;
    if (operand.kind == OperandKind::Integer && operand.flags & AnyValue)
      return std::nullopt;
    Writer out(excerpt);
    out.text(numberText(operand));
    return out.take(operand.range);
  }
  return std::nullopt;
}

// ---- names

std::string declarationText(const Excerpt &excerpt, const Symbol &symbol) {
  for (const Declaration &one : excerpt.ast().declarations)
    if (one.nameRange == symbol.nameRange) {
      const StringRef text = excerpt.text({one.range.begin, std::max(one.range.end, one.nameRange.end)});
      return text.split('{').first.rtrim(" \t\n;").str();
    }
  for (const Function &one : excerpt.ast().functions)
    if (one.nameRange == symbol.nameRange)
      return excerpt.text(one.head).rtrim().str();
  return "";
}

StringRef kindOf(const Symbol &symbol, StringRef declared) {
  switch (symbol.kind) {
  case SymbolKind::Register: return symbol.isParameter ? "a parameter" : "a register";
  case SymbolKind::Variable: return symbol.isParameter ? "a parameter" : "a variable";
  case SymbolKind::Label: return "a label";
  case SymbolKind::Function: return declared.contains(".entry") ? "a kernel" : "a function";
  case SymbolKind::Prototype: return "the prototype of a call";
  case SymbolKind::CallTargets: return "a list of functions to call";
  case SymbolKind::BranchTargets: return "a list of labels to branch to";
  }
  return "";
}

std::string counted(size_t count, StringRef noun) {
  return std::to_string(count) + " " + noun.str() + (count == 1 ? "" : "s");
}

std::string usesText(llvm::ArrayRef<Mention> mentions, const Mention &at) {
  size_t reads = 0, writes = 0, others = 0;
  for (const Mention &one : mentions) {
    if (one.symbol != at.symbol || (one.name != at.name && !at.isDeclaration) || one.isDeclaration)
      continue;
    reads += (one.uses & (Reads | Addresses)) != 0;
    writes += (one.uses & Writes) != 0;
    others += one.uses == 0 || (one.uses & (Reads | Addresses | Writes)) == 0;
  }
  if (at.symbol->kind != SymbolKind::Register)
    return counted(reads + writes + others, "use") + " in this function";
  return "read " + counted(reads, "time") + ", written " + counted(writes, "time");
}

std::optional<Hover> hoverOnSpecial(const Excerpt &excerpt, StringRef name, Range range) {
  const isa::SpecialRegister *reg = isa::findSpecialRegister(name);
  if (!reg)
    return std::nullopt;
  Writer out(excerpt);
  out.text(quoted(reg->name()) + ": a special register of " + std::string(isa::word(reg->type).text()) +
           (reg->vector ? ", a vector: `.x`, `.y`, `.z`" : ""));
  out.gate(reg->gate);
  return out.take(range);
}

std::optional<Hover> hoverOnName(const Excerpt &excerpt, llvm::ArrayRef<Mention> mentions, const Mention &at) {
  const StringRef name = excerpt.ast().text(at.name);
  if (!at.symbol)
    return hoverOnSpecial(excerpt, name, at.range);
  const Symbol &symbol = *at.symbol;
  Writer out(excerpt);
  const std::string declared = declarationText(excerpt, symbol);
  std::string title = quoted(name) + ": " + kindOf(symbol, declared).str();
  if (symbol.type)
    title += " of " + std::string(isa::word(symbol.type).text());
  if (symbol.space)
    title += " in " + std::string(isa::word(symbol.space).text());
  if (symbol.familyCount && !at.isDeclaration)
    title += ", one of " + std::to_string(symbol.familyCount);
  out.text(std::move(title));
  if (!declared.empty())
    out.code(declared);
  if (symbol.kind == SymbolKind::Variable)
    out.text(symbol.extent.bytes
                 ? counted(symbol.extent.bytes, "byte") + ", aligned to " + std::to_string(symbol.extent.align)
                 : "size set by the launch, aligned to " + std::to_string(symbol.extent.align));
  if (excerpt.body())
    out.text(usesText(mentions, at));
  return out.take(at.range);
}

// ---- directives, targets

std::optional<Hover> hoverOnDirective(const Excerpt &excerpt, StringRef word, Range range) {
  const isa::Directive *directive = isa::findDirective(word);
  if (!directive)
    return std::nullopt;
  Writer out(excerpt);
  out.text(quoted(directive->name()) + ": " + std::string(directive->title()));
  out.code(std::string(directive->syntax()));
  out.text("where: " + placesOf(*directive));
  out.gate(directive->gate);
  out.manual(directive->manual());
  return out.take(range);
}

std::optional<Hover> hoverOnTarget(const Excerpt &excerpt, StringRef word, Range range) {
  const int index = isa::findTarget(word);
  if (index < 0)
    return std::nullopt;
  const isa::Target &target = isa::targets()[index];
  Writer out(excerpt);
  out.text(quoted(target.name()) + ": a target since PTX " + isa::versionText(target.since));
  out.text(target.variant == 'a'   ? "the code runs only on GPUs of this architecture"
           : target.variant == 'f' ? "the code runs on GPUs of this architecture and later ones in its family"
                                   : "the code runs on GPUs of this architecture and later ones");
  return out.take(range);
}

/// Describes a type or space outside of instructions.
std::optional<Hover> hoverOnWord(const Excerpt &excerpt, StringRef text, Range range) {
  const isa::WordId id = isa::findWord(text);
  if (!id)
    return std::nullopt;
  const isa::Word &word = isa::word(id);
  Writer out(excerpt);
  const std::string what = describeWord(word);
  out.text(quoted(word.text()) + (what.empty() ? "" : ": " + what));
  out.gate(word.gate);
  return out.take(range);
}

// ---- descriptors

/// Adds the meaning of the bits of an operand.
void addDescriptor(const Excerpt &excerpt, const FoundInstruction &found, uint32_t offset, Hover &hover) {
  const Body &body = *excerpt.body();
  const Opcode *opcode = body.verdicts[found.number]->opcode;
  if (!opcode || !opcode->mnemonic || !mayHaveDescriptors(*opcode->mnemonic))
    return;
  Values values(body);
  for (const ShownDescriptor &one : descriptorsOf(body, found.number, excerpt.module(), values)) {
    if (offset < one.range.begin || one.range.end < offset)
      continue;
    hover.parts.push_back({HoverPart::Text, one.format->title.str() + ", " + quoted(hex(one.value)), ""});
    hover.parts.push_back({HoverPart::Code, StringRef(fieldLines(*one.format, one.value)).rtrim().str(), ""});
  }
}

/// Describes an operand, by its number or name.
std::optional<Hover> hoverOnOperand(const Excerpt &excerpt, const std::optional<FoundInstruction> &found,
                                    uint32_t offset) {
  std::optional<Hover> hover;
  if (found)
    hover = hoverOnNumber(excerpt, *found->instruction, offset);
  const std::vector<Mention> mentions = hover ? std::vector<Mention>() : mentionsIn(excerpt);
  if (const Mention *mention = mentionAt(mentions, offset))
    hover = hoverOnName(excerpt, mentions, *mention);
  if (hover && found)
    addDescriptor(excerpt, *found, offset, *hover);
  return hover;
}

std::optional<Hover> hoverIn(const Excerpt &excerpt, uint32_t offset) {
  const auto found = instructionAt(excerpt, offset);
  if (found && found->instruction->opcodeRange.begin <= offset && offset <= found->instruction->opcodeRange.end)
    return hoverOnInstruction(excerpt, *found, offset);
  if (auto hover = hoverOnOperand(excerpt, found, offset))
    return hover;
  if (auto hover = hoverOnBroken(excerpt, offset))
    return hover;
  const Range range = wordAt(excerpt.text(), offset);
  const StringRef word = excerpt.text(range);
  for (const auto hoverOn : {hoverOnDirective, hoverOnTarget, hoverOnWord})
    if (auto hover = hoverOn(excerpt, word, range))
      return hover;
  return hoverOnSpecial(excerpt, word.split('.').first, range);
}

} // namespace

std::optional<Hover> hoverAt(Document &document, uint32_t place) {
  const Excerpt *excerpt = document.excerptAt(place);
  const auto offset = excerpt ? excerpt->offsetOf(place) : std::nullopt;
  if (!offset || isHidden(excerpt->text(), excerpt->bodyBegin().value_or(0), *offset))
    return std::nullopt;
  std::optional<Hover> hover = hoverIn(*excerpt, *offset);
  if (!hover)
    return std::nullopt;
  hover->range = excerpt->placeOf(hover->range);
  return hover;
}

} // namespace ptxray
