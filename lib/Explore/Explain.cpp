#include "Explore/Explain.h"
#include "Diagnostics/Manual.h"
#include "Explore/Sample.h"
#include "Isa/Availability.h"
#include "Isa/FactNames.h"
#include "Source/Escape.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"

namespace ptxray {

using llvm::StringRef;

static constexpr size_t mostEntries = 12; // of a beginning such as `tcgen05`; of more only the names are shown

std::vector<const isa::Mnemonic *> findMnemonics(StringRef written) {
  std::vector<const isa::Mnemonic *> found;
  for (StringRef prefix = written; !prefix.empty(); prefix = prefix.rsplit('.').first) {
    if (const isa::Mnemonic *exact = isa::findMnemonic(prefix)) {
      found.push_back(exact);
      break;
    }
    if (!prefix.contains('.'))
      break;
  }
  // `mul` is also the begin of `mul.lo`.
  if (found.empty() || StringRef(found.front()->text) == written)
    for (const isa::Mnemonic &m : isa::mnemonics())
      if (StringRef(m.text).starts_with(written.str() + "."))
        found.push_back(&m);
  return found;
}

static void printManual(isa::Text manual, llvm::raw_ostream &out) {
  if (StringRef(manual).empty()) {
    out << "not in the manual\n";
    return;
  }
  out << "manual " << manual;
  if (const ManualSection *section = findManualSection(manual))
    out << " of PTX " << manualVersion << ": " << section->title << "\n" << section->url();
  out << "\n";
}

bool isOfPtxas(const isa::Form &form) {
  const isa::Tables &tables = isa::tables();
  auto warns = [&](isa::ExprId id) { return tables.exprs[id].op == isa::ExprOp::Warn && tables.exprs[id].a == 0; };
  return llvm::any_of(isa::run(tables.formRules, form.rules), [&](uint32_t index) {
    const isa::Rule &rule = tables.rules[index];
    const isa::Expr &required = tables.exprs[rule.require];
    return rule.when == 0 &&
           (warns(rule.require) ||
            (required.op == isa::ExprOp::And && llvm::any_of(tables.exprArgs.slice(required.a, required.b), warns)));
  });
}

std::string availabilityOf(const isa::Form &form) {
  const isa::Tables &tables = isa::tables();
  llvm::SmallVector<std::string, 2> gates;
  for (uint32_t index : isa::run(tables.formRules, form.rules)) {
    const isa::Rule &rule = tables.rules[index];
    if (rule.when == 0 && tables.exprs[rule.require].gateOnly)
      if (const std::string text = gateText(rule.require); !text.empty())
        gates.push_back(text);
  }
  return llvm::join(gates, "; ");
}

std::string describeOperand(const isa::OperandDecl &operand, const isa::Form &form) {
  const isa::Tables &tables = isa::tables();
  std::string type;
  if (operand.type.kind == isa::RefKind::Word)
    type = " of " + std::string(isa::word(operand.type.index).text);
  else if (operand.type.kind == isa::RefKind::Slot)
    type = " of the type `" + std::string(isa::run(tables.slots, form.slots)[operand.type.index].name) + "`";
  const bool isResult = operand.rules & isa::Destination;
  auto named = [&](StringRef what) { return (what + type).str(); };
  if (operand.role == isa::OperandRole::Predicate && isResult)
    return "a predicate register for the result";
  if (operand.role == isa::OperandRole::Immediate)
    return named("a constant");
  if (const isa::Text role = isa::roleText(operand.role); !role.empty())
    return std::string(role);
  const StringRef vector = operand.rules & isa::Vec || operand.lengths.count ? "a vector of " : "";
  if (isResult)
    return named(vector.empty() ? "a register for the result" : "registers in braces for the result");
  const StringRef what = operand.role == isa::OperandRole::Register ? "a register" : "a register or constant";
  return named(vector.empty() ? what : "values in braces");
}

/// The values of each qualifier and the operands, each name once.
static void printParts(llvm::ArrayRef<const isa::Form *> forms, llvm::raw_ostream &out) {
  const isa::Tables &tables = isa::tables();
  std::vector<std::pair<std::string, llvm::SmallSetVector<StringRef, 16>>> slots;
  std::vector<std::pair<std::string, std::string>> operands;
  for (const isa::Form *form : forms) {
    for (const isa::Slot &slot : isa::run(tables.slots, form->slots)) {
      if (slot.literal)
        continue;
      const std::string name(slot.name);
      auto known = llvm::find_if(slots, [&](const auto &one) { return one.first == name; });
      if (known == slots.end())
        known = slots.insert(slots.end(), {name, {}});
      for (const isa::SlotValue &value : isa::run(tables.slotValues, slot.values))
        known->second.insert(isa::word(value.word).text);
    }
    for (const isa::OperandDecl &operand : isa::run(tables.operands, form->operands)) {
      const std::pair<std::string, std::string> one{std::string(operand.name), describeOperand(operand, *form)};
      if (!llvm::is_contained(operands, one))
        operands.push_back(one);
    }
  }
  if (!slots.empty())
    out << "\nqualifiers\n";
  for (const auto &[name, words] : slots)
    out << "  " << llvm::left_justify(name, 12) << ' ' << llvm::join(words, " ") << '\n';
  if (!operands.empty())
    out << "\noperands\n";
  for (const auto &[name, text] : operands)
    out << "  " << llvm::left_justify(name, 12) << ' ' << text << '\n';
}

/// The shortest of some lines that are accepted, of the newest version for the first target that has the instruction.
static void printExample(StringRef mnemonic, llvm::raw_ostream &out) {
  constexpr unsigned tried = 40;
  for (const char *target : {"sm_90", "sm_100a", "sm_90a", "sm_120a", "sm_107a", "sm_20", "sm_10"}) {
    ModuleContext module;
    module.ptx = isa::versions().back();
    module.target = static_cast<uint16_t>(isa::findTarget(target));
    const std::vector<Sample> samples = sampleInstruction(mnemonic, module, tried, 1);
    const Sample *shortest = nullptr;
    for (const Sample &sample : samples)
      if (sample.accepted && (!shortest || sample.text.size() < shortest->text.size()))
        shortest = &sample;
    if (!shortest)
      continue;
    out << "\nfor example, for " << target << "\n  " << shortest->text << '\n';
    return;
  }
}

/// What all forms of an entry need; empty if they differ.
static std::string commonAvailability(uint16_t entry) {
  std::optional<std::string> common;
  for (const isa::Form &form : isa::tables().forms)
    if (form.entry == entry && !isOfPtxas(form) && common.value_or(availabilityOf(form)) != availabilityOf(form))
      return "";
    else if (form.entry == entry && !isOfPtxas(form))
      common = availabilityOf(form);
  return common.value_or("");
}

static void printEntry(uint16_t index, bool withSource, llvm::raw_ostream &out) {
  const isa::Tables &tables = isa::tables();
  const isa::Entry &entry = tables.entries[index];
  const auto mnemonics = isa::run(tables.entryMnemonics, entry.mnemonics);
  out << "# ";
  llvm::interleaveComma(llvm::map_range(mnemonics, [&](uint32_t m) { return StringRef(tables.mnemonics[m].text); }),
                        out);
  out << "\n\n" << entry.title << '\n';
  printManual(entry.manual, out);
  const std::string common = commonAvailability(index);
  if (!common.empty())
    out << "needs " << common << '\n';
  std::vector<const isa::Form *> documented;
  for (const bool ofPtxas : {false, true}) {
    StringRef title = ofPtxas ? "\nptxas also accepts\n" : "\n";
    for (const isa::Form &form : tables.forms) {
      if (form.entry != index || isOfPtxas(form) != ofPtxas)
        continue;
      out << title << "  " << form.syntax << '\n';
      title = "";
      if (const std::string gates = availabilityOf(form); !gates.empty() && gates != common)
        out << "      needs " << gates << '\n';
      if (!ofPtxas)
        documented.push_back(&form);
    }
    if (!ofPtxas)
      printParts(documented, out);
  }
  if (withSource)
    out << '\n' << entry.file << ':' << entry.line << '\n' << StringRef(entry.source).rtrim() << '\n';
}

void explainInstruction(llvm::ArrayRef<const isa::Mnemonic *> mnemonics, StringRef written, bool withSource,
                        llvm::raw_ostream &out) {
  const isa::Tables &tables = isa::tables();
  llvm::SmallSetVector<uint16_t, 8> entries;
  for (const isa::Mnemonic *mnemonic : mnemonics)
    for (uint32_t form : isa::run(tables.mnemonicForms, mnemonic->forms))
      entries.insert(tables.forms[form].entry);
  if (entries.size() <= mostEntries || mnemonics.size() == 1) {
    llvm::interleave(entries, out, [&](uint16_t entry) { printEntry(entry, withSource, out); }, "\n");
    printExample(mnemonics.front()->text, out);
    return;
  }
  out << "many instructions begin with `" << escaped(written) << "`:\n";
  for (const isa::Mnemonic *mnemonic : mnemonics)
    out << "  " << mnemonic->text << '\n';
}

std::string placesOf(const isa::Directive &directive) {
  static constexpr std::pair<uint16_t, StringRef> names[] = {
      {isa::InModule, "outside of functions"},
      {isa::OnVariable, "in the declaration of a variable"},
      {isa::OnParameter, "at a parameter of an entry"},
      {isa::OnEntry | isa::OnDeclaredEntry, "in the head of an entry"},
      {isa::OnFunction | isa::OnDeclaredFunction, "in the head of a function"},
      {isa::InEntry | isa::InFunction, "in a body"},
      {isa::InDirective, "in the braces of another directive"},
  };
  llvm::SmallVector<std::string, 4> found;
  for (const auto &[bits, name] : names)
    if (directive.places & bits)
      found.push_back(name.str());
  return llvm::join(found, ", ");
}

bool explainDirective(StringRef name, llvm::raw_ostream &out) {
  const isa::Directive *directive = isa::findDirective(name);
  if (!directive)
    directive = isa::findPragma(name.trim('"'));
  if (!directive)
    return false;
  out << "# " << directive->name << "\n\n" << directive->title << '\n';
  printManual(directive->manual, out);
  out << "\n  " << directive->syntax << '\n';
  if (const std::string gate = directive->gate ? gateText(directive->gate) : ""; !gate.empty())
    out << "      needs " << gate << '\n';
  out << "\nwhere: " << placesOf(*directive) << '\n';
  return true;
}

bool explainRegister(StringRef name, llvm::raw_ostream &out) {
  const isa::SpecialRegister *reg = isa::findSpecialRegister(name.split('.').first);
  if (!reg)
    return false;
  const std::string type(isa::word(reg->type).text);
  out << "# " << reg->name << "\n\na special register of " << type;
  if (reg->vector)
    out << ", a vector: `" << reg->name << ".x`, `.y`, `.z`";
  out << '\n';
  if (const std::string gate = reg->gate ? gateText(reg->gate) : ""; !gate.empty())
    out << "needs " << gate << '\n';
  const StringRef bits = StringRef(type).ltrim(".ubs");
  out << "\n  mov"
      << (type == ".pred" ? ".pred %p1, "
          : bits == "64"  ? ".u64 %rd1, "
                          : ".u32 %r1, ")
      << reg->name << (reg->vector ? ".x" : "") << ";\n";
  return true;
}

std::string describeWord(const isa::Word &word) {
  const bool isType = word.typeKind != isa::TypeKind::None;
  std::string what(word.kind ? isa::tables().wordKinds[word.kind] : isa::Text());
  if (isType)
    what = word.bits ? "a type of " + std::to_string(word.bits) + (word.bits == 1 ? " bit" : " bits") : "a type";
  else if (word.wordClass == isa::WordClass::Space)
    what = "a state space";
  if (!word.meaning.empty())
    what += (what.empty() ? "" : ": ") + std::string(word.meaning);
  return what;
}

/// The instructions that a qualifier may stand in.
static std::vector<StringRef> mnemonicsWith(isa::WordId word) {
  const isa::Tables &tables = isa::tables();
  auto has = [&](uint32_t form) {
    return llvm::any_of(isa::run(tables.slots, tables.forms[form].slots), [&](const isa::Slot &slot) {
      return llvm::any_of(isa::run(tables.slotValues, slot.values),
                          [&](const isa::SlotValue &value) { return value.word == word; });
    });
  };
  std::vector<StringRef> found;
  for (const isa::Mnemonic &mnemonic : tables.mnemonics)
    if (llvm::any_of(isa::run(tables.mnemonicForms, mnemonic.forms), has))
      found.push_back(mnemonic.text);
  return found;
}

bool explainWord(StringRef name, llvm::raw_ostream &out) {
  const isa::WordId id = isa::findWord(name);
  if (!id)
    return false;
  const isa::Word &word = isa::word(id);
  out << "# " << word.text << "\n\n";
  if (const std::string what = describeWord(word); !what.empty())
    out << what << '\n';
  if (const std::string gate = word.gate ? gateText(word.gate) : ""; !gate.empty())
    out << "needs " << gate << '\n';
  constexpr size_t mostShown = 40;
  const std::vector<StringRef> users = mnemonicsWith(id);
  if (!users.empty())
    out << "\nin " << llvm::join(llvm::ArrayRef(users).take_front(mostShown), ", ")
        << (users.size() > mostShown ? ", ..." : "") << '\n';
  return true;
}

bool explainTarget(StringRef name, llvm::raw_ostream &out) {
  const int index = isa::findTarget(name);
  if (index < 0)
    return false;
  const isa::Target &target = isa::targets()[index];
  out << "# " << target.name << "\n\na target since PTX " << isa::versionText(target.since)
      << (target.documented ? "" : ", not in the manual") << '\n';
  if (target.variant == 'a')
    out << "`a`: the code runs on GPUs of this architecture alone\n";
  else if (target.variant == 'f')
    out << "`f`: the code runs on GPUs of this architecture and of later ones of its family\n";
  else
    out << "the code runs on GPUs of this architecture and of later ones\n";
  out << "\n  .version " << isa::versionText(target.since) << "\n  .target " << target.name << '\n';
  llvm::SmallVector<StringRef, 4> alike;
  for (const isa::Target &other : isa::targets())
    if (other.number == target.number && other.name != target.name)
      alike.push_back(other.name);
  if (!alike.empty())
    out << "\nsee also " << llvm::join(alike, ", ") << '\n';
  return true;
}

} // namespace ptxray
