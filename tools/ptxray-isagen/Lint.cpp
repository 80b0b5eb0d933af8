// Finds statements that cannot be correct. Each lint has a bad example in test/unit/isagen.
#include "Resolve.h"
#include <functional>
#include <iostream>

namespace ptxray::isagen {

void Errors::print(const char *severity) const {
  for (const auto &[place, message] : messages) {
    if (place.second)
      std::cerr << model.files[place.first] << ':' << place.second << ": ";
    std::cerr << severity << ": " << message << '\n';
  }
}

namespace {

class Linter {
public:
  Linter(const Model &model, const Output &output, const Usage &usage, Errors &errors)
      : model(model), output(output), usage(usage), errors(errors) {}
  void run();

private:
  void neverFits();
  void directives();
  void unused(const Scope &scope);
  void equalRows(const Table &table);
  void skippedColumns(const Scope &scope, const Table &table);
  void forms();
  void groups(const Scope &scope);
  void facts();
  void walk(const Scope &scope);

  Place formPlace(const isa::Form &form) const { return {model.entries[form.entry].place.file, form.line}; }
  std::string text(isa::StoredText text) const { return "`" + output.text(text) + "`"; }

  const Model &model;
  const Output &output;
  const Usage &usage;
  Errors &errors;
  using FactsOfGroups = std::multimap<std::string, const Fact *>;
  FactsOfGroups started, ended, awaited;
};

/// Reports names that were looked up for every form in their scope and fitted none.
void Linter::neverFits() {
  for (const auto &[key, fits] : usage.conditionWords)
    if (!fits)
      errors.report(key.first->place, "dead-condition",
                    "no form here has `" + key.second + "` in the place that this asks for");
  for (const auto &[rule, fires] : usage.triggers)
    if (!fires)
      errors.report(rule->place, "dead-when", "no form here can have what `" + rule->text + "` waits for");
  for (const auto &[fact, fires] : usage.facts)
    if (!fires)
      errors.report(fact->place, "dead-fact", "`" + fact->text + "` is not a fact of any form here");
  for (const auto &[key, fits] : usage.factOperands)
    if (!fits)
      errors.report(key.first->place, "dead-fact", "no form here has an operand `" + key.second + "`");
  for (const auto &[key, fits] : usage.cellWords)
    if (!fits)
      errors.report(key.first->place, "dead-cell", "no form here has `" + key.second + "` in that slot");
  for (const auto &[key, fits] : usage.columns)
    if (!fits)
      errors.report(key.first->place, "dead-column", "no form here has `" + key.second + "`");
  for (const auto &[row, fits] : usage.rows)
    if (!fits)
      errors.report(row->place, "dead-row", "no form here can have these words");
  for (const auto &[key, fits] : usage.slotValues)
    if (!fits)
      errors.report({key.first.first, key.first.second}, "dead-word",
                    "`" + key.second + "` is in no row, so no text can have it");
  for (const auto &[key, fits] : usage.mnemonics)
    if (!fits)
      errors.report(key.first->place, "dead-mnemonic", "no form spells `" + key.second + "`");
  for (const auto &[key, fits] : usage.mnemonicWords)
    if (!fits)
      errors.report(key.first->place, "dead-mnemonic",
                    "`" + key.second + "` is part of a mnemonic that the entry does not name");
}

void Linter::directives() {
  for (const auto &[place, holds] : usage.deadGates)
    errors.report(place, "dead-condition",
                  holds ? "the gate holds for every version and target" : "no version and target passes the gate");
  for (const DirectiveDecl &directive : model.directives) {
    if (directive.places.empty())
      errors.report(directive.place, "directive", "no place where `" + directive.name + "` may stand");
    if (directive.manual.empty() == directive.documented)
      errors.report(directive.place, "missing-manual",
                    directive.documented ? "no section of the manual is named; or is it `undocumented`?"
                                         : "`undocumented`, and yet in a section of the manual");
    if (directive.title.empty())
      errors.report(directive.place, "missing-title", "the directive has no title");
  }
}

void Linter::unused(const Scope &scope) {
  for (const auto &[name, set] : scope.sets)
    if (!usage.sets.count(&set))
      errors.report(set.place, "unused-set", "set `" + name + "` is not used");
  for (const auto &[name, operand] : scope.operands)
    if (!usage.operands.count(&operand))
      errors.report(operand.place, "unused-operand", "operand `" + name + "` is in no form");
  for (const auto &[name, gate] : scope.gates)
    if (!usage.gates.count(&gate))
      errors.report(gate.place, "unused-gate", "gate `" + name + "` is not used");
}

/// Reports rows with the same words and the same gate. Either one of them is wrong, or they should be one row.
void Linter::equalRows(const Table &table) {
  std::map<std::string, uint32_t> lines;
  for (const Table::Row &row : table.rows) {
    std::string key;
    for (size_t i = 0; i < row.cells.size(); ++i) {
      isa::ColumnKind kind = table.columns[i].kind;
      if (kind != isa::ColumnKind::Length && kind != isa::ColumnKind::Values)
        key += row.cells[i].text + "|";
    }
    auto [known, isNew] = lines.insert({key, row.place.line});
    if (!isNew)
      errors.report(row.place, "same-row",
                    "the words and the gate of line " + std::to_string(known->second) + " once more");
  }
}

/// Reports columns that a form skips because it lacks the slot. If another form of the same operands has the slot, a
/// row for that form would accept this form as well.
void Linter::skippedColumns(const Scope &scope, const Table &table) {
  std::vector<const Form *> forms;
  std::function<void(const Scope &)> collect = [&](const Scope &at) {
    for (const Form &form : at.forms)
      forms.push_back(&form);
    for (const auto &below : at.blocks)
      collect(*below);
  };
  collect(scope);
  auto words = [](const Form &form, const std::string &without) {
    std::vector<std::string> result = {form.base};
    for (const Element &element : form.elements)
      if (element.word != without)
        result.push_back(element.word);
    return result;
  };
  for (size_t c = 0; c < table.columns.size(); ++c) {
    const Column &column = table.columns[c];
    bool tellsAbsence = false;
    for (const Table::Row &row : table.rows)
      tellsAbsence |= row.cells[c].absent;
    if (column.kind != isa::ColumnKind::Slot || !tellsAbsence)
      continue;
    for (const Form *with : forms)
      for (const Form *without : forms)
        if (words(*with, "").size() == words(*without, "").size() + 1 &&
            words(*with, column.names[0]) == words(*without, ""))
          errors.report(without->place, "skipped-column",
                        "the table of line " + std::to_string(table.place.line) + " does not look at `" + column.text +
                            "` here; write one form with `{" + column.text + "}`");
  }
}

void Linter::forms() {
  using WordClass = isa::WordClass;
  std::map<std::string, const isa::Form *> seen;
  for (const isa::Mnemonic &mnemonic : output.mnemonics) {
    for (uint32_t f = 0; f < mnemonic.forms.count; ++f) {
      const isa::Form &form = output.forms[output.mnemonicForms[mnemonic.forms.first + f]];
      std::string key = output.text(mnemonic.text);
      for (isa::Span span : {form.slots, form.patterns, form.operands, form.tables, form.rules, form.checks})
        key += " " + std::to_string(span.first) + "+" + std::to_string(span.count);
      auto [known, isNew] = seen.insert({key, &form});
      if (!isNew)
        errors.report(formPlace(form), "same-form",
                      "says what " + text(known->second->syntax) + " of line " + std::to_string(known->second->line) +
                          " says");
    }
  }
  // A word in a text goes into the first free slot that accepts it, so no later slot may need the same word.
  for (const isa::Form &form : output.forms) {
    for (uint32_t i = form.mnemonicSlots; i < form.slots.count; ++i) {
      const isa::Slot &first = output.slots[form.slots.first + i];
      for (uint32_t j = i + 1; j < form.slots.count && !first.suffix; ++j) {
        const isa::Slot &second = output.slots[form.slots.first + j];
        if (second.suffix)
          break;
        std::set<isa::WordId> words;
        for (uint32_t v = 0; v < first.values.count; ++v)
          words.insert(output.slotValues[first.values.first + v].word);
        for (uint32_t v = 0; v < second.values.count; ++v) {
          isa::WordId id = output.slotValues[second.values.first + v].word;
          const isa::Word &word = output.words[id];
          if (!words.count(id) || word.repeatable)
            continue;
          if (!first.optional)
            continue; // the first of the words in a text belongs to the earlier slot
          if (word.wordClass == WordClass::Free && second.optional)
            errors.report(formPlace(form), "shared-word",
                          text(word.text) + " fits " + text(first.name) + " and " + text(second.name) +
                              ", whose order is free");
          else if (first.optional && !second.optional)
            errors.report(formPlace(form), "shared-word",
                          text(word.text) + " is taken by " + text(first.name) + " although only " + text(second.name) +
                              " must be there");
        }
      }
    }
  }
}

/// Checks by group which asynchronous operations are started, ended, and awaited. The barriers of all groups count as
/// one.
void Linter::groups(const Scope &scope) {
  for (const Fact &fact : scope.facts) {
    const auto after = fact.clauses.find("after"), in = fact.clauses.find("in");
    if (fact.kind == isa::FactKind::Async && in == fact.clauses.end() && !fact.clauses.count("completes"))
      errors.report(fact.place, "no-completion", "`" + fact.text + "` joins no group and completes no barrier");
    if (in != fact.clauses.end())
      started.insert({in->second.front(), &fact});
    if (fact.clauses.count("completes"))
      started.insert({"", &fact});
    if (fact.kind == isa::FactKind::Commits)
      for (const std::string &group : fact.subjects)
        ended.insert({group, &fact});
    if (fact.kind == isa::FactKind::Awaits)
      awaited.insert({"", &fact});
    if (fact.kind == isa::FactKind::Waits)
      for (const std::string &group : fact.subjects)
        awaited.insert({group, &fact});
    if (after != fact.clauses.end())
      for (const std::string &group : after->second)
        awaited.insert({group, &fact});
  }
  for (const auto &below : scope.blocks)
    groups(*below);
}

void Linter::facts() {
  for (const Entry &entry : model.entries)
    groups(*entry.scope);
  for (const auto &[group, fact] : started)
    if (!awaited.count(group))
      errors.report(fact->place, "endless", "nothing waits for the end of `" + fact->text + "`");
  for (const auto *others : {&ended, &awaited})
    for (const auto &[group, fact] : *others)
      if (!group.empty() && !started.count(group))
        errors.report(fact->place, "empty-group", "nothing joins the group `" + group + "`");
  using enum isa::FactKind;
  static const std::set<isa::FactKind> ofBarriers = {Async, Arrives, Expects, Completes, Awaits, Inits, Invalidates};
  for (const isa::Form &form : output.forms) {
    bool isAsync = false, holds = false;
    for (uint32_t i = 0; i < form.facts.count; ++i) {
      const isa::Fact &fact = output.facts[form.facts.first + i];
      isAsync |= fact.kind == Async;
      holds |= fact.kind == Holds;
      if (ofBarriers.count(fact.kind) && fact.operand >= 0 &&
          output.operands[form.operands.first + fact.operand].access != isa::Access::Barrier)
        errors.report(formPlace(form), "no-barrier",
                      text(output.operands[form.operands.first + fact.operand].name) + " is not a `barrier`");
    }
    if (holds && !isAsync)
      errors.report(formPlace(form), "no-completion", "it holds registers and is not asynchronous");
  }
}

void Linter::walk(const Scope &scope) {
  unused(scope);
  for (const Table &table : scope.tables) {
    equalRows(table);
    skippedColumns(scope, table);
  }
  for (const auto &below : scope.blocks)
    walk(*below);
}

void Linter::run() {
  neverFits();
  walk(model.shared);
  for (const auto &scope : model.fileScopes)
    walk(*scope);
  for (const Entry &entry : model.entries) {
    walk(*entry.scope);
    if (entry.manual.empty())
      errors.report(entry.place, "missing-manual", "no section of the manual is named");
    if (entry.title.empty())
      errors.report(entry.place, "missing-title", "the entry has no title");
  }
  directives();
  forms();
  facts();
  lintFormulas(model, usage, errors);
  lintExplanations(model, output, errors);
}

} // namespace

void lint(const Model &model, const Output &output, const Usage &usage, Errors &errors) {
  Linter(model, output, usage, errors).run();
}

} // namespace ptxray::isagen
