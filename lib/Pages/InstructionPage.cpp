// The page of an instruction, with a part for each section of the manual that describes its mnemonic.
#include "Isa/Titles.h"
#include "Match/Wording.h"
#include "Pages/ConditionText.h"
#include "Pages/Explain.h"
#include "Pages/FormNeeds.h"
#include "Pages/FormulaText.h"
#include "Pages/PageParts.h"
#include "Pages/Pages.h"
#include "Pages/Related.h"
#include "Targets/Needs.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <map>
#include <set>

namespace ptxray {

using llvm::StringRef;

namespace {

/// One section of the manual, limited to one mnemonic.
class Part {
public:
  Part(const isa::Mnemonic &mnemonic, uint16_t entry);
  void addTo(Page &page) const;

private:
  PageSection availability() const;
  PageSection forms() const;
  PageSection computation() const;
  PageSection qualifiers() const;
  PageSection operands() const;
  PageSection conditions() const;
  std::vector<PageSection> combinations() const;
  PageSection extras() const;

  struct ValueUse {
    std::set<unsigned> forms; // form numbers
    isa::ExprId gate = 0;
  };
  struct SlotUse {
    std::string name;
    std::map<isa::WordId, ValueUse> values;
    std::set<unsigned> forms;
    bool isOptional = false;
    isa::WordId fallback = 0;
    std::set<std::string> operands; // operands that have this type
  };
  std::vector<SlotUse> slots() const;
  void addValues(const SlotUse &slot, PageSection &section, unsigned depth) const;
  std::string topicOf(const SlotUse &slot) const;
  PageRow valueRow(const SlotUse &slot, isa::WordId word) const;
  std::string formNumbers(const std::set<unsigned> &numbers) const;
  void addTable(unsigned form, const isa::Table &table, std::vector<PageSection> &sections, bool ofPtxas) const;
  std::string cellText(const isa::Form &form, const isa::Column &column, const isa::Cell &cell) const;
  void describeRules(bool ofPtxas, PageSection &section) const;

  const isa::Mnemonic &mnemonic;
  const isa::Entry &entry;
  std::vector<const isa::Form *> documented, ofPtxas;
  std::vector<Demands> demands;   // for each documented form
  std::vector<std::string> needs; // demands as text
  Demands least;                  // demands of the most widely available form
  bool haveSameNeeds = true;
};

} // namespace

Part::Part(const isa::Mnemonic &mnemonic, uint16_t index) : mnemonic(mnemonic), entry(isa::tables().entries[index]) {
  for (const uint32_t number : isa::run(isa::tables().mnemonicForms, mnemonic.forms))
    if (const isa::Form &form = isa::tables().forms[number]; form.entry == index)
      (isOfPtxas(form) ? ofPtxas : documented).push_back(&form);
  size_t farthest = 0;
  for (const isa::Form *form : documented) {
    demands.push_back(demandsOf(*form));
    needs.push_back(needsText(demands.back()));
    haveSameNeeds &= needs.back() == needs.front();
    if (const size_t reach = reachOf(demands.back()); reach > farthest) {
      farthest = reach;
      least = demands.back();
    }
  }
}

PageSection Part::availability() const {
  if (documented.empty())
    return {PageSection::Kind::Text, "Needs", {}};
  PageSection section = needsSection(least);
  if (!haveSameNeeds)
    section.rows.push_back({{}, "Forms with other requirements list them.", "", 0});
  return section;
}

/// Returns the syntax with single blanks, because the data aligns its columns.
static std::string shownSyntax(const isa::Form &form) {
  llvm::SmallVector<StringRef, 16> words;
  StringRef(form.syntax()).split(words, ' ', -1, /*KeepEmpty=*/false);
  return llvm::join(words, " ") + ";";
}

PageSection Part::forms() const {
  PageSection section{PageSection::Kind::Code, documented.size() == 1 ? "Form" : "Forms", {}};
  const std::string usual = needsText(least);
  for (size_t i = 0; i < documented.size(); ++i) {
    PageRow row;
    if (documented.size() > 1)
      row.words.push_back(std::to_string(i + 1) + (documented.size() > 9 && i < 9 ? " " : ""));
    row.text = shownSyntax(*documented[i]);
    if (needs[i] != usual)
      row.note = needs[i].empty() ? "no requirements: every PTX version and target supports it" : "needs " + needs[i];
    section.rows.push_back(std::move(row));
  }
  return section;
}

/// Returns the formulas of all documented forms as pseudocode. If a result has several formulas, the first whose
/// condition holds applies.
PageSection Part::computation() const {
  struct Use {
    std::string text, when;
    std::vector<std::string> functions;
    std::set<unsigned> forms;
  };
  std::vector<Use> uses;
  const auto use = [&](std::string text, std::string when, std::vector<std::string> functions, unsigned form) {
    auto known = llvm::find_if(uses, [&](const Use &one) { return one.text == text && one.when == when; });
    if (known == uses.end())
      known = uses.insert(uses.end(), {std::move(text), std::move(when), std::move(functions), {}});
    known->forms.insert(form);
  };
  for (unsigned number = 0; number < documented.size(); ++number) {
    const isa::Form &form = *documented[number];
    if (!form.outside().empty())
      use("an effect outside of a single GPU, on " + std::string(form.outside()), "", {}, number + 1);
    for (const isa::Formula &formula : isa::run(isa::tables().formulas, form.formulas))
      use(formulaText(form, formula), formula.when ? conditionText(form, formula.when).manual : "",
          functionsOf(formula), number + 1);
  }
  PageSection section{PageSection::Kind::Code, "Computes", {}};
  for (const Use &one : uses) {
    std::string condition = one.when.empty() ? "" : "if " + one.when;
    if (one.forms.size() < documented.size())
      condition += (condition.empty() ? "" : ", ") + formNumbers(one.forms);
    addFormula(one.text, std::move(condition), one.functions, section);
  }
  return section;
}

/// Returns the slots in written order.
std::vector<Part::SlotUse> Part::slots() const {
  std::vector<SlotUse> uses;
  for (unsigned number = 0; number < documented.size(); ++number) {
    const isa::Form &form = *documented[number];
    const auto all = isa::run(isa::tables().slots, form.slots);
    for (unsigned index = form.mnemonicSlots; index < all.size(); ++index) {
      const isa::Slot &slot = all[index];
      auto known = llvm::find_if(uses, [&](const SlotUse &use) { return use.name == slot.name(); });
      if (known == uses.end()) {
        known = uses.insert(uses.end(), SlotUse());
        known->name = std::string(slot.name());
      }
      known->forms.insert(number + 1);
      known->isOptional |= slot.optional;
      known->fallback = slot.fallback;
      for (const isa::SlotValue &value : isa::run(isa::tables().slotValues, slot.values)) {
        if (isOfPtxasAlone(value.gate))
          continue;
        ValueUse &use = known->values[value.word];
        use.forms.insert(number + 1);
        use.gate = value.gate;
      }
      for (const isa::OperandDecl &operand : isa::run(isa::tables().operands, form.operands))
        if (operand.type.kind == isa::RefKind::Slot && operand.type.index == index)
          known->operands.insert(std::string(operand.name()));
    }
  }
  return uses;
}

std::string Part::formNumbers(const std::set<unsigned> &numbers) const {
  llvm::SmallVector<std::string, 4> texts;
  for (const unsigned number : numbers)
    texts.push_back(std::to_string(number));
  return (texts.size() == 1 ? "in form " : "in forms ") + listText(texts, "and");
}

/// Returns the common topic of the slot's words.
std::string Part::topicOf(const SlotUse &slot) const {
  std::set<std::string> topics;
  bool areTypes = true;
  for (const auto &[word, use] : slot.values) {
    areTypes &= isa::word(word).wordClass == isa::WordClass::Type;
    const std::optional<isa::Meaning> meaning = isa::findMeaning(isa::word(word).text(), mnemonic.text());
    topics.insert(meaning ? std::string(meaning->topic) : "");
  }
  if (areTypes) {
    llvm::SmallVector<std::string, 4> operands;
    for (const std::string &operand : slot.operands)
      operands.push_back(quote(operand));
    return operands.empty() ? "a type" : "the type of " + listText(operands, "and");
  }
  return topics.size() == 1 ? *topics.begin() : "";
}

PageRow Part::valueRow(const SlotUse &slot, isa::WordId id) const {
  const isa::Word &word = isa::word(id);
  const ValueUse &use = slot.values.at(id);
  PageRow row{{std::string(word.text())}, wordMeaning(word, mnemonic.text()), "", 0};
  llvm::SmallVector<isa::ExprId, 2> gates;
  for (const isa::ExprId gate : {use.gate, word.gate})
    if (gate && isa::tables().exprs[gate].gateOnly)
      gates.push_back(gate);
  if (!gates.empty())
    row.note = furtherNeeds(demands[*use.forms.begin() - 1], gates);
  else if (use.gate && !isa::tables().exprs[use.gate].gateOnly)
    if (const std::string text = conditionText(*documented[*use.forms.begin() - 1], use.gate).manual; !text.empty())
      row.note = "needs " + text;
  if (use.forms.size() < slot.forms.size())
    row.note = (row.note.empty() ? "" : row.note + ", ") + formNumbers(use.forms);
  return row;
}

/// Adds the words. Words with the same meaning and requirements share a row.
void Part::addValues(const SlotUse &slot, PageSection &section, unsigned depth) const {
  std::vector<isa::WordId> words;
  for (const auto &[word, use] : slot.values)
    words.push_back(word);
  const auto rank = [](const isa::Word &word) {
    return std::tuple(word.typeKind == isa::TypeKind::Packed, word.typeKind);
  };
  llvm::stable_sort(words, [&](isa::WordId one, isa::WordId other) {
    const isa::Word &x = isa::word(one), &y = isa::word(other);
    return rank(x) != rank(y) ? rank(x) < rank(y) : StringRef(x.text()).compare_numeric(y.text()) < 0;
  });
  std::vector<PageRow> rows;
  for (const isa::WordId word : words)
    addOrJoin(valueRow(slot, word), rows);
  for (PageRow &row : rows) {
    row.words = foldedWords(std::move(row.words));
    row.depth = depth;
    section.rows.push_back(std::move(row));
  }
}

PageSection Part::qualifiers() const {
  PageSection section{PageSection::Kind::List, "Qualifiers", {}};
  for (const SlotUse &slot : slots()) {
    if (slot.values.empty())
      continue;
    const bool isItself = slot.values.size() == 1 && isa::word(slot.values.begin()->first).text() == slot.name;
    if (isItself) {
      addValues(slot, section, 0);
      continue;
    }
    std::string says = topicOf(slot);
    const auto also = [&](const std::string &text) { says += (says.empty() ? "" : "; ") + text; };
    if (slot.isOptional)
      also(slot.fallback ? quote(isa::word(slot.fallback).text()) + " if it is left out" : "may be left out");
    section.rows.push_back({{slot.name}, says, "", 0});
    addValues(slot, section, 1);
  }
  return section;
}

PageSection Part::operands() const {
  PageSection section{PageSection::Kind::List, "Operands", {}};
  for (const isa::Form *form : documented)
    for (const isa::OperandDecl &operand : isa::run(isa::tables().operands, form->operands)) {
      const std::optional<isa::Meaning> meaning = isa::findMeaning(operand.name(), mnemonic.text());
      PageRow row{{std::string(operand.name())}, describeOperand(operand, *form), "", 0};
      if (meaning)
        row.text = std::string(meaning->text) + ": " + row.text;
      addOrJoin(std::move(row), section.rows);
    }
  return section;
}

/// Adds the conditions except gates, or those that only ptxas permits.
void Part::describeRules(bool wantsPtxas, PageSection &section) const {
  std::map<std::pair<std::string, std::string>, std::set<unsigned>> texts;
  std::vector<std::pair<std::string, std::string>> order;
  for (unsigned number = 0; number < documented.size(); ++number)
    for (const uint32_t index : isa::run(isa::tables().formRules, documented[number]->rules)) {
      const isa::Rule &rule = isa::tables().rules[index];
      if (rule.when == 0 && isa::tables().exprs[rule.require].gateOnly)
        continue;
      const ConditionText required = conditionText(*documented[number], rule.require);
      const std::string when = rule.when ? conditionText(*documented[number], rule.when).manual : "";
      if (required.isOfPtxas != wantsPtxas || (required.manual.empty() && (!wantsPtxas || when.empty())))
        continue;
      const std::pair<std::string, std::string> key{when, required.manual};
      if (texts[key].empty())
        order.push_back(key);
      texts[key].insert(number + 1);
    }
  for (const auto &key : order) {
    PageRow row{{}, key.first.empty() ? key.second : "with " + key.first + ": " + key.second, "", 0};
    if (key.second.empty())
      row.text = key.first;
    if (texts[key].size() < documented.size())
      row.text += ", " + formNumbers(texts[key]);
    section.rows.push_back(std::move(row));
  }
}

PageSection Part::conditions() const {
  PageSection section{PageSection::Kind::Text, "What must hold", {}};
  describeRules(false, section);
  return section;
}

std::string Part::cellText(const isa::Form &form, const isa::Column &column, const isa::Cell &cell) const {
  switch (cell.kind) {
  case isa::CellKind::Any: return column.kind == isa::ColumnKind::Requires ? "" : "any";
  case isa::CellKind::Absent: return "-";
  case isa::CellKind::Present: return "yes";
  case isa::CellKind::Words: {
    std::vector<std::string> words;
    for (const isa::WordId word : isa::tables().wordLists.slice(cell.first, cell.count))
      words.emplace_back(isa::word(word).text());
    words = foldedWords(std::move(words));
    if (cell.orAbsent)
      words.push_back("-");
    return llvm::join(words, " ");
  }
  case isa::CellKind::Lengths: {
    llvm::SmallVector<std::string, 4> texts;
    for (const isa::Term &term : isa::tables().terms.slice(cell.first, cell.count))
      texts.push_back(termText(term, form));
    return llvm::join(texts, ", ");
  }
  case isa::CellKind::Ranges: return rangesText(isa::tables().ranges.slice(cell.first, cell.count));
  case isa::CellKind::Condition: return conditionText(form, cell.first).manual;
  }
  return "";
}

static std::string headerOf(const isa::Column &column) {
  if (column.kind == isa::ColumnKind::Requires)
    return "needs";
  StringRef text = column.text();
  if (text.consume_front("len(") || text.consume_front("in("))
    return (StringRef(column.text()).starts_with("len") ? "elements of " : "values of ") + text.drop_back().str();
  return text.str();
}

void Part::addTable(unsigned number, const isa::Table &table, std::vector<PageSection> &sections,
                    bool wantsPtxas) const {
  const isa::Form &form = *documented[number];
  const auto columns = isa::run(isa::tables().columns, table.columns);
  PageSection section{PageSection::Kind::Table, formNumbers({number + 1}), {}};
  const auto isAsked = [](const isa::Column &column) {
    return column.kind == isa::ColumnKind::Requires || column.members.count;
  };
  PageRow header;
  for (const isa::Column &column : columns)
    if (isAsked(column))
      header.words.push_back(headerOf(column));
  section.rows.push_back(std::move(header));
  for (uint32_t row = 0; row < table.rows; ++row) {
    const auto cells = isa::tables().cells.slice(table.firstCell + row * columns.size(), columns.size());
    PageRow shown;
    bool isExtra = false;
    for (size_t c = 0; c < columns.size(); ++c)
      if (isAsked(columns[c])) {
        shown.words.push_back(cellText(form, columns[c], cells[c]));
        isExtra |= cells[c].kind == isa::CellKind::Condition && isOfPtxasAlone(cells[c].first);
      }
    if (isExtra == wantsPtxas)
      section.rows.push_back(std::move(shown));
  }
  if (section.rows.size() < 2)
    return;
  const auto isSame = [&](const PageSection &other) {
    return std::ranges::equal(other.rows, section.rows, {}, &PageRow::words, &PageRow::words);
  };
  const auto same = llvm::find_if(sections, isSame);
  if (same == sections.end())
    sections.push_back(std::move(section));
  else
    same->title += "," + section.title.substr(section.title.rfind(' '));
}

std::vector<PageSection> Part::combinations() const {
  std::vector<PageSection> sections;
  for (unsigned number = 0; number < documented.size(); ++number)
    for (const uint32_t index : isa::run(isa::tables().formTables, documented[number]->tables))
      addTable(number, isa::tables().tables[index], sections, false);
  for (PageSection &section : sections) {
    StringRef forms = section.title;
    const bool isOfAll = forms.count(',') + 1 == documented.size();
    forms.consume_front("in form ");
    section.title =
        "Allowed combinations" +
        (isOfAll ? std::string() : " in form" + std::string(forms.contains(',') ? "s " : " ") + forms.str());
  }
  return sections;
}

PageSection Part::extras() const {
  PageSection section{PageSection::Kind::List, "Also accepted by ptxas, but described in no manual", {}};
  for (const isa::Form *form : ofPtxas)
    section.rows.push_back({{shownSyntax(*form)}, "", "", 0});
  std::map<std::string, std::vector<std::string>> words;
  for (const isa::Form *form : documented)
    for (const isa::Slot &slot : isa::run(isa::tables().slots, form->slots))
      for (const isa::SlotValue &value : isa::run(isa::tables().slotValues, slot.values))
        if (isOfPtxasAlone(value.gate) &&
            !llvm::is_contained(words[std::string(slot.name())], std::string(isa::word(value.word).text())))
          words[std::string(slot.name())].emplace_back(isa::word(value.word).text());
  for (auto &[slot, values] : words)
    section.rows.push_back({foldedWords(values), values.front() == slot ? "" : "as " + quote(slot), "", 0});
  PageSection rules{PageSection::Kind::Text, "", {}};
  describeRules(true, rules);
  for (PageRow &row : rules.rows)
    section.rows.push_back({{row.text}, "", "", 0});
  std::vector<PageSection> rows;
  for (unsigned number = 0; number < documented.size(); ++number)
    for (const uint32_t index : isa::run(isa::tables().formTables, documented[number]->tables))
      addTable(number, isa::tables().tables[index], rows, true);
  for (const PageSection &table : rows)
    for (const PageRow &row : llvm::drop_begin(table.rows)) {
      llvm::SmallVector<std::string, 8> cells;
      for (size_t c = 0; c < row.words.size(); ++c)
        if (const std::string &cell = row.words[c]; !cell.empty() && cell != "any" && cell != "-")
          cells.push_back(table.rows.front().words[c] + " " + cell);
      section.rows.push_back({{llvm::join(cells, ", ")}, "", "", 0});
    }
  return section;
}

void Part::addTo(Page &page) const {
  page.add({PageSection::Kind::Part, std::string(entry.title()), {}});
  page.add(availability());
  page.add(forms());
  page.add(computation());
  page.add(qualifiers());
  page.add(operands());
  page.add(conditions());
  for (PageSection &section : combinations())
    page.add(std::move(section));
  page.add(extras());
  page.add(manualSection(entry.manual()));
}

Page instructionPage(const isa::Mnemonic &mnemonic) {
  std::vector<uint16_t> entries;
  for (const uint32_t form : isa::run(isa::tables().mnemonicForms, mnemonic.forms))
    if (const uint16_t entry = isa::tables().forms[form].entry; !llvm::is_contained(entries, entry))
      entries.push_back(entry);
  llvm::stable_sort(entries, [](uint16_t one, uint16_t other) {
    return StringRef(isa::tables().entries[one].manual()).compare_numeric(isa::tables().entries[other].manual()) < 0;
  });
  Page page{std::string(mnemonic.text()), "instruction", "", {}};
  llvm::SmallVector<std::string, 4> titles;
  for (const uint16_t entry : entries)
    if (const std::string title(isa::titleOf(mnemonic, isa::tables().entries[entry]));
        !llvm::is_contained(titles, title))
      titles.push_back(title);
  page.title = llvm::join(titles, "; ");
  addExample(mnemonic.text(), page);
  for (const uint16_t entry : entries)
    Part(mnemonic, entry).addTo(page);
  PageSection others{PageSection::Kind::Text, "See also", {}};
  llvm::SmallVector<std::string, 8> longer;
  for (const isa::Mnemonic &other : isa::tables().mnemonics)
    if (StringRef(other.text()).starts_with(std::string(mnemonic.text()) + "."))
      longer.push_back("`" + std::string(other.text()) + "`");
  if (!longer.empty())
    others.rows.push_back({{}, llvm::join(longer, ", "), "", 0});
  page.add(relatedConcepts(mnemonic.text(), {}));
  page.add(std::move(others));
  return page;
}

} // namespace ptxray
