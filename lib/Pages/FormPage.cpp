// The page of one form of an instruction: `mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32`.
#include "Isa/Titles.h"
#include "Layout/Instructions.h"
#include "Layout/Show.h"
#include "Match/Wording.h"
#include "Pages/ConditionText.h"
#include "Pages/EffectText.h"
#include "Pages/Explain.h"
#include "Pages/FormExample.h"
#include "Pages/FormNeeds.h"
#include "Pages/FormulaText.h"
#include "Pages/PageParts.h"
#include "Pages/Pages.h"
#include "Pages/Related.h"
#include "Read/ReadModule.h"
#include "Targets/Needs.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace ptxray {

using isa::ExprId;
using llvm::StringRef;

/// Returns whether a condition depends on operands, in addition to words, versions and targets.
// NOLINTNEXTLINE(misc-no-recursion): the tables are constant: no input nests their conditions
static bool asksOperands(ExprId condition) {
  const isa::Expr &e = isa::tables().exprs[condition];
  switch (e.op) {
  case isa::ExprOp::And:
  case isa::ExprOp::Or: return llvm::any_of(isa::tables().exprArgs.slice(e.a, e.b), asksOperands);
  case isa::ExprOp::Not: return asksOperands(e.a);
  case isa::ExprOp::Gate: return false;
  default: return e.op >= isa::ExprOp::OperandWritten && e.op <= isa::ExprOp::OperandIn;
  }
}

/// Adds the gates among the parts of a required condition.
// NOLINTNEXTLINE(misc-no-recursion): the tables are constant: no input nests their conditions
static void addGates(ExprId condition, const FormMatch &match, Demands::Gates &gates) {
  static const Availability everything = newestAvailability();
  const isa::Expr &e = isa::tables().exprs[condition];
  if (condition && e.gateOnly)
    gates.push_back(condition);
  else if (e.op == isa::ExprOp::Gate)
    addGates(isa::tables().gates[e.a].expr, match, gates);
  else if (e.op == isa::ExprOp::And || e.op == isa::ExprOp::Or)
    for (const ExprId part : isa::tables().exprArgs.slice(e.a, e.b)) {
      const bool isFulfilled = e.op == isa::ExprOp::Or && isAllowed(match, part, everything);
      if (e.op == isa::ExprOp::And || isFulfilled)
        addGates(part, match, gates);
      if (isFulfilled) // the others are not required
        break;
    }
}

/// Returns the versions and targets that these specific words require in the form.
static Demands::Gates gatesOfWords(const FormMatch &match) {
  const isa::Tables &t = isa::tables();
  const Availability everything = newestAvailability();
  Demands::Gates gates;
  for (const uint32_t index : isa::run(t.formRules, match.form().rules))
    if (const isa::Rule &rule = t.rules[index];
        !rule.when || (!asksOperands(rule.when) && isAllowed(match, rule.when, everything)))
      addGates(rule.require, match, gates);
  for (unsigned slot = 0; slot < match.slots.size(); ++slot)
    if (match.slotWord[slot]) {
      addGates(isa::word(match.slotWord[slot]).gate, match, gates);
      for (const isa::SlotValue &value : isa::run(t.slotValues, match.slots[slot].values))
        if (value.word == match.slotWord[slot])
          addGates(value.gate, match, gates);
    }
  for (const auto &[index, row] : llvm::zip_equal(isa::run(t.formTables, match.form().tables), match.rowOf))
    if (const isa::Table &table = t.tables[index]; row >= 0) {
      const auto columns = isa::run(t.columns, table.columns);
      for (const isa::Cell &cell : t.cells.slice(table.firstCell + row * columns.size(), columns.size()))
        if (cell.kind == isa::CellKind::Condition)
          addGates(cell.first, match, gates);
    }
  return gates;
}

/// Returns the versions and targets that support the words in any form. Another form may be available where this one is
/// not.
static Demands needsOf(StringRef spelling, const FormMatch &shown) {
  std::vector<Demands::Gates> ways = {gatesOfWords(shown)};
  for (const FormMatch &other : formsFor(Opcode(spelling), /*complete=*/true))
    if (other.formIndex != shown.formIndex && !isOfPtxas(other.form()))
      if (const std::optional<FormExample> example = exampleOf(other, spelling))
        ways.push_back(gatesOfWords(example->match));
  Demands needs;
  if (ways.size() == 1)
    needs.all = std::move(ways.front());
  else
    needs.choices.push_back(std::move(ways));
  return needs;
}

namespace {

/// A form in the spelling of its example.
class FormPage {
public:
  FormPage(std::string spelling, const FormExample &example)
      : spelling(std::move(spelling)), example(example), bare(example.match), read(readExample(example.module)) {
    if (read.match) {
      bare = *read.match;
      std::ranges::fill(bare.nodeOf, int16_t(-1));
    }
    needs = needsOf(this->spelling, bare);
  }
  Page page();

private:
  PageSection computation() const;
  PageSection words() const;
  PageSection operands() const;
  std::string operandText(unsigned index) const;
  std::string addressText(const isa::OperandDecl &operand) const;
  PageSection conditions() const;
  PageSection additions() const;
  PageSection fragments() const;

  const isa::Entry &entry() const { return isa::tables().entries[match().form().entry]; }
  const FormMatch &match() const { return read.match ? *read.match : example.match; }
  StringRef mnemonic() const { return Opcode(spelling).mnemonic->text(); }

  const std::string spelling;
  const FormExample &example;
  FormMatch bare; // without operands, for conditions on words
  const ReadExample read;
  Demands needs;
};

} // namespace

PageSection FormPage::computation() const {
  PageSection section{PageSection::Kind::Code, "Computes", {}};
  const Availability everything = newestAvailability();
  // Targets with a formula so far, because the first matching one applies.
  std::vector<std::pair<isa::FormulaTarget, int>> known;
  for (const isa::Formula &formula : isa::run(isa::tables().formulas, match().form().formulas)) {
    const std::pair target(formula.target, int(formula.operand));
    if (llvm::is_contained(known, target) || (formula.when && !isAllowed(bare, formula.when, everything)))
      continue;
    known.push_back(target);
    if (formula.target != isa::FormulaTarget::Operand || !read.match || read.match->nodeOf[formula.operand] >= 0)
      addFormula(formulaText(match().form(), formula, &match()), "", functionsOf(formula), section);
  }
  if (!match().form().outside().empty())
    section.rows.push_back({{}, "an effect outside of a single GPU, on " + std::string(match().form().outside()), ""});
  return section;
}

/// Returns a remark about a word that no manual permits in its slot; empty if a manual does.
static std::string remarkOn(isa::WordId word, const isa::Slot &slot) {
  const bool isOfPtxas =
      llvm::any_of(isa::run(isa::tables().slotValues, slot.values),
                   [&](const isa::SlotValue &value) { return value.word == word && isOfPtxasAlone(value.gate); });
  return isOfPtxas ? "ptxas accepts it here, but no manual describes it" : "";
}

PageSection FormPage::words() const {
  PageSection section{PageSection::Kind::List, "Its words", {}};
  for (unsigned slot = match().form().mnemonicSlots; slot < match().slots.size(); ++slot) {
    if (!match().word(slot) || match().slots[slot].suffix)
      continue;
    const isa::Word &word = isa::word(match().word(slot));
    std::string says = describeWord(word, mnemonic());
    if (word.wordClass == isa::WordClass::Type) {
      llvm::SmallVector<std::string, 4> of;
      for (const isa::OperandDecl &operand : match().operands)
        if (operand.type.kind == isa::RefKind::Slot && operand.type.index == slot)
          of.push_back(quote(operand.name()));
      if (!of.empty())
        says = "the type of " + listText(of, "and") + (says.empty() ? "" : ": ") + says;
    }
    if (!match().isWritten(slot))
      says += (says.empty() ? "" : "; ") + std::string("not written, but meant");
    section.rows.push_back({{std::string(word.text())}, says, remarkOn(match().word(slot), match().slots[slot])});
  }
  return section;
}

std::string FormPage::addressText(const isa::OperandDecl &operand) const {
  llvm::SmallVector<std::string, 4> spaces;
  for (const isa::SpaceRef &space : isa::run(isa::tables().spaceRefs, operand.spaces))
    if (const isa::WordId word = space.kind == isa::RefKind::Word ? space.index : match().word(space.index))
      spaces.push_back(quote(isa::word(word).text()));
  std::string text(isa::roleText(operand.role));
  text += spaces.empty() ? ", a generic one" : " in " + listText(spaces, "or");
  if (operand.access == isa::Access::Barrier)
    text += ", of a barrier object";
  if (operand.access == isa::Access::TensorMap)
    text += ", of a tensor map";
  return text;
}

std::string FormPage::operandText(unsigned index) const {
  const isa::OperandDecl &operand = match().operands[index];
  if (operand.role == isa::OperandRole::Address && operand.type.kind == isa::RefKind::None)
    return addressText(operand);
  if (const isa::Text role = isa::roleText(operand.role);
      !role.empty() && operand.role != isa::OperandRole::Immediate && operand.role != isa::OperandRole::Predicate)
    return std::string(role);
  const TypeView type = match().typeOf(index);
  const bool isResult = operand.rules & isa::Destination;
  const bool isRegister = isResult || operand.role == isa::OperandRole::Register || operand.rules & isa::Fragment;
  const bool isPredicate = operand.role == isa::OperandRole::Predicate || type.kind == isa::TypeKind::Predicate;
  const auto terms = match().lengths(index);
  const int64_t length = terms.size() == 1 ? match().value(terms[0]).value_or(1) : 1;
  const std::string what = isPredicate                                   ? "predicate"
                           : isRegister                                  ? "register"
                           : operand.role == isa::OperandRole::Immediate ? "constant"
                           : length == 1                                 ? "register or constant"
                                                                         : "registers or constant";
  std::string text = length == 1 ? "a " + what : std::to_string(length) + " " + what + "s";
  if (type && !isPredicate)
    text += " of `" + spell(type) + "`" + (operand.rules & isa::Wide ? " or wider" : "");
  if (length > 1 || operand.rules & isa::Vec)
    text += " in braces";
  if (isResult)
    text += " for the result";
  if (operand.rules & isa::Fragment && operand.type.kind == isa::RefKind::Slot)
    if (const isa::Word &element = isa::word(match().word(operand.type.index));
        element.bits && element.bits < type.bits)
      text += ", each with " + std::to_string(type.bits / element.bits) + " elements of " + quote(element.text());
  if (const auto ranges = match().ranges(index); !ranges.empty() && !isPredicate)
    text += ": " + rangesText(ranges);
  if (operand.rules & isa::SinkAllowed)
    text += "; `_` if it is not needed";
  return text;
}

PageSection FormPage::operands() const {
  PageSection section{PageSection::Kind::List, "Operands", {}};
  for (unsigned index = 0; index < match().operands.size(); ++index) {
    const isa::OperandDecl &operand = match().operands[index];
    const std::optional<isa::Meaning> meaning = isa::findMeaning(operand.name(), mnemonic());
    std::string text = (meaning ? std::string(meaning->text) + ": " : "") + operandText(index);
    if (match().nodeOf[index] < 0)
      text += "; may be left out";
    section.rows.push_back({{std::string(operand.name())}, std::move(text), ""});
  }
  return section;
}

/// Returns the conditions on operands that concern these words.
PageSection FormPage::conditions() const {
  PageSection section{PageSection::Kind::Text, "What must hold", {}};
  const Availability everything = newestAvailability();
  for (const uint32_t index : isa::run(isa::tables().formRules, match().form().rules)) {
    const isa::Rule &rule = isa::tables().rules[index];
    if (!asksOperands(rule.require) || (rule.when && !isAllowed(bare, rule.when, everything)))
      continue;
    const ConditionText required = conditionText(match().form(), rule.require);
    const std::string when = asksOperands(rule.when) ? conditionText(match().form(), rule.when).manual : "";
    if (!required.isOfPtxas && !required.manual.empty())
      section.rows.push_back({{}, (when.empty() ? "" : "with " + when + ": ") + required.manual, ""});
  }
  return section;
}

/// Returns the optional words that are omitted.
PageSection FormPage::additions() const {
  PageSection section{PageSection::Kind::List, "May be added", {}};
  const Availability everything = newestAvailability();
  for (unsigned slot = match().form().mnemonicSlots; slot < match().slots.size(); ++slot) {
    if (match().word(slot) || match().slots[slot].suffix || !match().slots[slot].optional)
      continue;
    std::vector<PageRow> rows;
    for (const isa::SlotValue &value : isa::run(isa::tables().slotValues, match().slots[slot].values))
      if (!isOfPtxasAlone(value.gate) && isAllowed(bare, value.gate, everything)) {
        Demands::Gates gates;
        addGates(value.gate, bare, gates);
        addGates(isa::word(value.word).gate, bare, gates);
        addOrJoin({{std::string(isa::word(value.word).text())},
                   describeWord(isa::word(value.word), mnemonic()),
                   furtherNeeds(needs, gates)},
                  rows);
      }
    for (PageRow &row : rows) {
      row.words = foldedWords(std::move(row.words));
      section.rows.push_back(std::move(row));
    }
  }
  return section;
}

/// Returns the layouts of its matrices.
PageSection FormPage::fragments() const {
  PageSection section{PageSection::Kind::Picture, "Where the elements lie", {}};
  layout::Request request;
  request.instruction = spelling;
  for (const layout::Layout &one : layout::describe(request).layouts) {
    std::string text;
    llvm::raw_string_ostream out(text);
    layout::writeText(one, 98, out);
    section.rows.push_back({{}, std::move(text), ""});
  }
  return section;
}

/// Adds the typical mistake of the instruction, if it concerns the same words.
static void addMistake(StringRef mnemonic, StringRef spelling, const FormExample &example, Page &page) {
  const isa::Example *known = isa::findExample(mnemonic);
  if (!known || !StringRef(known->right()).starts_with((spelling + " ").str()) || known->wrong().empty())
    return;
  const ExampleModule module = exampleModule(mnemonic, known->wrong(), example.setting.ptx, example.setting.target);
  const std::optional<ExampleReport> report = reportOf(module);
  if (report)
    page.add({PageSection::Kind::Code,
              "A typical mistake",
              {{{},
                std::string(known->wrong()),
                (report->isError ? "error: " : "warning: ") + report->message,
                0,
                module.text}}});
}

Page FormPage::page() {
  Page page{spelling, "form", std::string(isa::titleOf(*isa::findMnemonic(mnemonic()), entry())), {}};
  page.add(computation());
  page.add(effectsSection("What it does", read));
  page.add(words());
  page.add(needsSection(needs));
  page.add(operands());
  page.add({PageSection::Kind::Code,
            "A complete module with it, which ptxas accepts",
            {{{}, StringRef(example.module.text).rtrim().str(), "", 0, example.module.text}}});
  page.add(conditions());
  addMistake(mnemonic(), spelling, example, page);
  page.add(fragments());
  page.add(additions());
  page.add(manualSection(entry().manual()));
  page.add(relatedRules(mnemonic()));
  llvm::SmallVector<StringRef, 12> written;
  const Opcode opcode(spelling);
  for (const OpcodeWord &word : llvm::drop_begin(opcode.words))
    if (const isa::WordId id = word.id)
      written.push_back(isa::word(id).text());
  page.add(relatedConcepts(mnemonic(), written));
  page.add(
      {PageSection::Kind::Text, "See also", {{{}, "`ptxray explain " + mnemonic().str() + "` for all its forms", ""}}});
  return page;
}

/// Lists the words that may follow an incomplete opcode.
static PageSection continuations(const Opcode &opcode) {
  PageSection section{PageSection::Kind::List, "It goes on with", {}};
  std::vector<PageRow> rows;
  for (const NextWord &next : nextWords(opcode, newestAvailability())) {
    const isa::Word &word = isa::word(next.word);
    std::string remark;
    for (const isa::Slot &slot : isa::run(isa::tables().slots, isa::tables().forms[next.form].slots))
      if (remark.empty())
        remark = remarkOn(next.word, slot);
    addOrJoin({{std::string(word.text())}, describeWord(word, opcode.mnemonic->text()), remark}, rows);
  }
  for (PageRow &row : rows)
    row.words = foldedWords(std::move(row.words));
  section.rows = std::move(rows);
  return section;
}

PageSection notAForm(StringRef written) {
  PageSection section{PageSection::Kind::Text, "No form has these words", {}};
  const Opcode opcode(written);
  const bool isBeginning = llvm::any_of(isa::mnemonics(), [&](const isa::Mnemonic &one) {
    return StringRef(one.text()).starts_with(written.str() + ".");
  });
  if (!opcode.mnemonic || StringRef(opcode.mnemonic->text()) == written || isBeginning)
    return section;
  const auto report =
      reportOf(exampleModule(opcode.mnemonic->text(), written.str() + ";", isa::versions().back(), "sm_100a"));
  if (report)
    section.rows.push_back({{}, report->message, ""});
  return section;
}

std::optional<Page> formPage(StringRef written) {
  const Opcode opcode(written);
  if (!opcode.mnemonic)
    return std::nullopt;
  const auto pageOfWhole = [](StringRef spelling) -> std::optional<Page> {
    for (const bool ofPtxas : {false, true})
      for (const FormMatch &match : formsFor(Opcode(spelling), /*complete=*/true))
        if (isOfPtxas(match.form()) == ofPtxas)
          if (const std::optional<FormExample> example = exampleOf(match, spelling))
            return FormPage(spelling.str(), *example).page();
    return std::nullopt;
  };
  if (std::optional<Page> page = pageOfWhole(written))
    return page;
  const std::optional<std::string> completed = completedSpelling(written);
  std::optional<Page> page = completed ? pageOfWhole(*completed) : std::nullopt;
  if (!page)
    return std::nullopt;
  page->title =
      "the beginning of a form; `" + *completed + "`, which is shown here, " + "is one that begins so: " + page->title;
  page->name = written.str();
  if (PageSection next = continuations(opcode); !next.rows.empty())
    page->sections.insert(page->sections.begin(), std::move(next));
  return page;
}

} // namespace ptxray
