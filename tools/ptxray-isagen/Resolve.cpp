// Looks up every name for each form, drops what cannot hold there, and fills the arrays.
#include "Isa/FactNames.h"
#include "Resolver.h"
#include <fstream>
#include <functional>

namespace ptxray::isagen {

FormSlot Resolver::makeSlot(const Scope &scope, const std::string &word, bool optional, bool suffix, Place place) {
  FormSlot slot;
  slot.name = word;
  slot.optional = optional;
  slot.suffix = suffix;
  slot.set = findSet(&scope, word);
  if (slot.set) {
    slot.values = expand(&scope, word);
    slot.fallback = context->fallback(word);
    if (slot.values.empty())
      errors.report(slot.set->place, "empty-set", "set `" + word + "` is empty");
    return slot;
  }
  if (!wordIds.count(word)) {
    std::set<std::string> names = vocabulary;
    for (const Scope *at = &scope; at; at = at->parent)
      for (const auto &[name, set] : at->sets)
        names.insert(name);
    errors.report(place, "unknown-word", "`" + word + "` is no word and no set" + didYouMean(word, names));
  }
  slot.values.push_back({word, {}});
  return slot;
}

void Resolver::pattern(const PatternNode &node, bool required, std::vector<isa::Pattern> &patterns) {
  size_t index = patterns.size();
  patterns.push_back({node.kind, node.optional, node.mayNegate, node.mayNot, 1, 0, -1});
  bool isPair = node.kind == isa::PatternKind::Pair;
  required &= isPair || !node.optional;
  if (node.kind == isa::PatternKind::Operand) {
    int known = context->operand(node.name);
    if (known < 0) {
      known = static_cast<int>(context->operands.size());
      context->operands.push_back({node.name, required});
    }
    patterns[index].operand = static_cast<uint16_t>(known);
  }
  if (!node.suffix.empty()) {
    patterns[index].suffixSlot = static_cast<int16_t>(context->slots.size());
    context->slots.push_back(makeSlot(*context->scope, node.suffix, node.suffixOptional, true, context->form->place));
  }
  for (size_t i = 0; i < node.children.size(); ++i)
    pattern(node.children[i], required && !(isPair && i == 1 && node.optional), patterns);
  patterns[index].extent = static_cast<uint16_t>(patterns.size() - index);
}

/// Finds the mnemonics of the entry that the form spells: the longest ones win.
bool Resolver::spellMnemonics(const Entry &entry, isa::Form &result) {
  std::vector<std::pair<std::string, std::vector<std::string>>> fitting;
  size_t longest = 0;
  for (const std::string &mnemonic : entry.mnemonics) {
    std::stringstream stream(mnemonic);
    std::string base, part;
    std::getline(stream, base, '.');
    std::vector<std::string> words;
    while (std::getline(stream, part, '.'))
      words.push_back("." + part);
    bool fits = base == context->form->base && words.size() <= context->form->elements.size();
    for (size_t i = 0; fits && i < words.size(); ++i)
      fits = !context->slots[i].optional && context->slots[i].holds(words[i]);
    usage.mnemonics.try_emplace({&entry, mnemonic}, false);
    if (!fits)
      continue;
    fitting.push_back({mnemonic, words});
    longest = std::max(longest, words.size());
  }
  if (fitting.empty())
    return false;
  result.mnemonicSlots = static_cast<uint8_t>(longest);
  for (auto &[mnemonic, words] : fitting) {
    if (words.size() != longest)
      continue;
    usage.mnemonics[{&entry, mnemonic}] = true;
    for (size_t i = 0; i < longest; ++i)
      if (context->slots[i].set)
        for (const Value &value : context->slots[i].values)
          usage.mnemonicWords[{context->slots[i].set, value.word}] |= value.word == words[i];
    formsOf[mnemonicIds.at(mnemonic)].push_back(static_cast<uint32_t>(output.forms.size()));
  }
  return true;
}

bool Resolver::resolveTerm(const Term &term, isa::Term &result) {
  result = term.value;
  if (term.word.empty())
    return true;
  int slot = context->slot(term.word);
  if (slot >= 0) {
    result.slot = static_cast<int16_t>(slot);
    return true;
  }
  std::string constant = context->fallback(term.word);
  if (constant.empty() || result.letter)
    return false;
  result = {output.words[wordId(constant)].number * result.mul / result.div + result.add, -1, 0, 1, 1, 0};
  return true;
}

isa::OperandDecl Resolver::operand(const std::string &name) {
  isa::OperandDecl result = {};
  result.name = text(name);
  const Operand *decl = nullptr;
  const Scope *home = context->scope;
  for (; home && !decl; home = decl ? home : home->parent)
    if (auto found = home->operands.find(name); found != home->operands.end()) {
      decl = &found->second;
      break;
    }
  if (!decl) {
    std::set<std::string> names;
    for (const Scope *at = context->scope; at; at = at->parent)
      for (const auto &[known, operand] : at->operands)
        names.insert(known);
    errors.report(context->form->place, "undeclared-operand",
                  "operand `" + name + "` is not declared" + didYouMean(name, names));
    return result;
  }
  usage.operands.insert(decl);
  result.rules = decl->rules;
  result.role = decl->role;
  result.type = {isa::RefKind::None, 0, decl->factor, decl->divisor};
  auto typeRef = [&](const std::string &word) -> isa::TypeRef {
    int slot = context->slot(word);
    std::string constant = slot < 0 ? context->fallback(word) : "";
    // A word of the form itself is no choice: the type is fixed.
    if (slot >= 0 && context->slots[slot].set)
      return {isa::RefKind::Slot, static_cast<uint16_t>(slot), decl->factor, decl->divisor};
    return {isa::RefKind::Word, wordId(constant.empty() ? word : constant), decl->factor, decl->divisor};
  };
  auto setType = [&](const std::string &word) { result.type = typeRef(word); };
  auto isType = [&](const std::string &word) { return output.words[wordId(word)].wordClass == isa::WordClass::Type; };
  if (!decl->type.empty()) {
    int slot = context->slot(decl->type);
    if (slot < 0 && context->fallback(decl->type).empty() && !isType(decl->type))
      errors.report(context->form->place, "operand-type",
                    "type `" + decl->type + "` of operand `" + name + "` is no slot of this form and no type");
    setType(decl->type);
  }
  std::vector<isa::SpaceRef> spaces;
  for (const std::string &word : decl->spaces) {
    int slot = context->slot(word);
    std::string constant = slot < 0 ? context->fallback(word) : "";
    WordId id = wordId(constant.empty() ? word : constant);
    if (slot >= 0) {
      const FormSlot &values = context->slots[slot];
      if (!values.values.empty() && isType(values.values[0].word))
        setType(word);
      else
        spaces.push_back({isa::RefKind::Slot, static_cast<uint16_t>(slot)});
    } else if (constant.empty() && findSet(context->scope, word)) {
      continue; // the slot is not of this form: any space
    } else if (output.words[id].wordClass == isa::WordClass::Type) {
      setType(word);
    } else if (output.words[id].wordClass == isa::WordClass::Space) {
      spaces.push_back({isa::RefKind::Word, id});
    } else {
      errors.report(decl->place, "operand-space", "`" + word + "` is no state space and no type");
    }
  }
  result.spaces = intern(output.spaceRefs, spaces);
  auto resolveLengths = [&](const std::vector<Term> &written) {
    std::vector<isa::Term> lengths;
    for (const Term &length : written) {
      isa::Term term;
      if (resolveTerm(length, term)) {
        lengths.push_back(term);
        continue;
      }
      if (!findSet(context->scope, length.word) && !findSet(home, length.word))
        errors.report(length.place, "length", "`" + length.word + "` is no slot");
      return isa::Span{}; // a scalar where the form lacks the slot
    }
    return intern(output.terms, lengths);
  };
  result.lengths = resolveLengths(decl->lengths);
  result.access = decl->access;
  result.accessSpace = wordId(decl->accessSpace);
  if (!decl->accessSpace.empty() && output.words[result.accessSpace].wordClass != isa::WordClass::Space)
    errors.report(decl->place, "operand-space", "`" + decl->accessSpace + "` is no state space");
  result.accessType = {isa::RefKind::None, 0, 1, 1};
  if (!decl->accessType.empty()) {
    if (context->slot(decl->accessType) < 0 && context->fallback(decl->accessType).empty() && !isType(decl->accessType))
      errors.report(decl->place, "operand-type", "`" + decl->accessType + "` is no slot and no type");
    result.accessType = typeRef(decl->accessType);
    result.accessLengths = resolveLengths(decl->accessLengths);
    result.accessSize = text(decl->accessSize);
  }
  result.ranges = intern(output.ranges, decl->ranges);
  context->readsValues |= !decl->ranges.empty();
  if (decl->with) {
    result.hasWith = true;
    result.with = condition(*decl->with, *home);
  }
  return result;
}

/// False when no text of the form can fit the cell.
bool Resolver::slotCell(const Cell &cell, const Scope &scope, const FormSlot &slot, isa::Cell &result) {
  result = {isa::CellKind::Any, false, 0, 0};
  if (cell.any)
    return true;
  std::set<std::string> held;
  for (const std::string &name : cell.names) {
    std::set<std::string> words = wordsOf(&scope, name, cell.place);
    bool fits = false;
    for (const Value &value : slot.values)
      if (words.count(value.word)) {
        held.insert(value.word);
        fits = true;
      }
    usage.cellWords[{&cell, name}] |= fits;
  }
  bool absent = cell.absent && slot.optional;
  if (held.empty()) {
    result.kind = isa::CellKind::Absent;
    return absent;
  }
  if (held.size() == slot.values.size() && (absent || !slot.optional))
    return true;
  isa::Span span = wordRun(held);
  result = {isa::CellKind::Words, absent, span.first, static_cast<uint16_t>(span.count)};
  return true;
}

void Resolver::table(const Table &table, const Scope &scope, std::vector<uint32_t> &tables) {
  std::vector<isa::Column> columns;
  std::vector<std::vector<isa::Cell>> rows(table.rows.size());
  std::vector<bool> dead(table.rows.size());
  std::map<size_t, std::set<std::string>> inRows;     // slot to the words that a row allows
  std::vector<std::pair<size_t, size_t>> slotColumns; // column of the table, slot

  for (size_t c = 0; c < table.columns.size(); ++c) {
    const Column &column = table.columns[c];
    std::vector<uint16_t> members;
    std::string constant;
    bool optional = true;
    switch (column.kind) {
    case isa::ColumnKind::Slot: {
      int slot = context->slot(column.names[0]);
      if (slot < 0)
        constant = context->fallback(column.names[0]);
      usage.columns[{&table, column.text}] |= slot >= 0 || !constant.empty();
      if (slot < 0 && constant.empty())
        continue;
      if (slot >= 0) {
        members.push_back(static_cast<uint16_t>(slot));
        slotColumns.push_back({c, static_cast<size_t>(slot)});
      }
      break;
    }
    case isa::ColumnKind::Operand: {
      int operand = context->operand(column.names[0]);
      usage.columns[{&table, column.text}] |= operand >= 0;
      if (operand >= 0)
        members.push_back(static_cast<uint16_t>(operand));
      optional = operand >= 0 && !context->operands[operand].required;
      break;
    }
    case isa::ColumnKind::Length:
    case isa::ColumnKind::Values:
      for (const std::string &name : column.names) {
        int operand = context->operand(name);
        usage.columns[{&table, name + " in " + column.text}] |= operand >= 0;
        if (operand >= 0)
          members.push_back(static_cast<uint16_t>(operand));
      }
      if (members.empty())
        continue;
      break;
    case isa::ColumnKind::Requires: break;
    }
    isa::Span span = intern(output.columnMembers, members);
    bool kept = column.kind != isa::ColumnKind::Operand || optional;
    kept &= constant.empty();
    if (kept)
      columns.push_back({column.kind, text(column.text), span});

    for (size_t r = 0; r < table.rows.size(); ++r) {
      const Cell &cell = table.rows[r].cells[c];
      isa::Cell result = {isa::CellKind::Any, false, 0, 0};
      auto misplaced = [&] {
        errors.report(cell.place, "cell", "`" + cell.text + "` is no cell of `" + column.text + "`");
      };
      switch (column.kind) {
      case isa::ColumnKind::Slot:
        if (cell.terms.size() + cell.ranges.size() > cell.names.size() && cell.names.empty()) {
          misplaced();
        } else if (!constant.empty()) {
          bool fits = cell.any;
          for (const std::string &name : cell.names)
            fits |= wordsOf(&scope, name, cell.place).count(constant) > 0;
          dead[r] = dead[r] || !fits;
        } else if (!slotCell(cell, scope, context->slots[members[0]], result)) {
          dead[r] = true;
        }
        break;
      case isa::ColumnKind::Operand: {
        bool present = cell.names == std::vector<std::string>{"x"};
        if (present + cell.any + cell.absent != 1 || !cell.terms.empty())
          misplaced();
        if (!cell.any && !optional)
          dead[r] = dead[r] || present == members.empty();
        else if (!cell.any)
          result.kind = present ? isa::CellKind::Present : isa::CellKind::Absent;
        break;
      }
      case isa::ColumnKind::Length: {
        if (cell.absent)
          result.kind = isa::CellKind::Absent;
        if (cell.any || cell.absent)
          break;
        std::vector<isa::Term> terms;
        for (const Term &term : cell.terms) {
          isa::Term resolved;
          if (resolveTerm(term, resolved))
            terms.push_back(resolved);
          else if (!dead[r])
            errors.report(cell.place, "length", "`" + term.word + "` is no slot of `" + context->form->text + "`");
        }
        if (cell.terms.empty())
          misplaced();
        isa::Span run = intern(output.terms, terms);
        result = {isa::CellKind::Lengths, false, run.first, static_cast<uint16_t>(run.count)};
        break;
      }
      case isa::ColumnKind::Values: {
        if (cell.any || cell.absent)
          break;
        if (cell.ranges.empty())
          misplaced();
        isa::Span run = intern(output.ranges, cell.ranges);
        result = {isa::CellKind::Ranges, false, run.first, static_cast<uint16_t>(run.count)};
        context->readsValues = true;
        break;
      }
      case isa::ColumnKind::Requires:
        if (!cell.condition || dead[r])
          break;
        if (ExprId gate = condition(*cell.condition, scope)) {
          result = {isa::CellKind::Condition, false, gate, 0};
          dead[r] = gate == False;
        }
        break;
      }
      if (kept)
        rows[r].push_back(result);
    }
  }

  std::vector<isa::Cell> cells;
  std::vector<uint32_t> rowLines;
  std::set<std::string> seen;
  bool trivial = false;
  for (size_t r = 0; r < rows.size(); ++r) {
    usage.rows[&table.rows[r]] |= !dead[r];
    if (dead[r])
      continue;
    for (auto [column, slot] : slotColumns) {
      const Cell &cell = table.rows[r].cells[column];
      for (const Value &value : context->slots[slot].values)
        if (cell.any)
          inRows[slot].insert(value.word);
      for (const std::string &name : cell.names)
        for (const std::string &word : wordsOf(&scope, name, cell.place))
          inRows[slot].insert(word);
    }
    trivial |= std::all_of(rows[r].begin(), rows[r].end(),
                           [](const isa::Cell &cell) { return cell.kind == isa::CellKind::Any; });
    std::ostringstream key;
    for (const isa::Cell &cell : rows[r])
      write(key, cell);
    if (!seen.insert(key.str()).second)
      continue;
    cells.insert(cells.end(), rows[r].begin(), rows[r].end());
    rowLines.push_back(table.rows[r].place.line);
  }
  for (auto [column, slot] : slotColumns)
    if (const Set *set = context->slots[slot].set)
      for (const Value &value : context->slots[slot].values)
        usage.slotValues[{{set->place.file, set->place.line}, value.word}] |= inRows[slot].count(value.word) > 0;
  if (rowLines.empty()) {
    errors.report(table.place, "dead-form",
                  "no row fits `" + context->form->text + "` (line " + std::to_string(context->form->place.line) + ")");
    return;
  }
  if (trivial)
    return;
  isa::Table result;
  result.columns = intern(output.columns, columns);
  result.firstCell = intern(output.cells, cells).first;
  result.rows = static_cast<uint32_t>(rowLines.size());
  result.line = table.place.line;
  result.firstRowLine = intern(output.rowLines, rowLines).first;
  tables.push_back(internOne(output.tables, result));
}

/// A statement that is misspelt is read as a form.
static std::string notAForm(const Entry &entry, const Form &form) {
  static const std::set<std::string> statements = [] {
    std::set<std::string> all = {"check", "manual", "requires", "table", "title", "when"};
    all.insert(isa::factNames.begin(), isa::factNames.end());
    return all;
  }();
  const bool isMnemonic = std::any_of(entry.mnemonics.begin(), entry.mnemonics.end(), [&](const std::string &name) {
    return name.substr(0, name.find('.')) == form.base;
  });
  if (isMnemonic)
    return "`" + form.text + "` spells no mnemonic of its entry";
  return "`" + form.base + "` begins neither a form of this entry nor a statement" + didYouMean(form.base, statements);
}

void Resolver::form(const Entry &entry, const Scope &scope, const Form &form) {
  FormContext here{&entry, &scope, &form, {}, {}, false, false, &usage};
  context = &here;
  isa::Form result = {};
  result.entry = static_cast<uint16_t>(output.entries.size());
  result.line = form.place.line;
  result.syntax = text(form.text);

  for (const Element &element : form.elements)
    here.slots.push_back(makeSlot(scope, element.word, element.optional, false, form.place));
  std::vector<isa::Pattern> patterns;
  for (const PatternNode &node : form.operands)
    pattern(node, true, patterns);
  result.patterns = intern(output.patterns, patterns);
  if (!spellMnemonics(entry, result))
    errors.report(form.place, "mnemonic", notAForm(entry, form));

  std::vector<isa::Slot> slots;
  for (const FormSlot &slot : here.slots) {
    std::vector<isa::SlotValue> values;
    for (const Value &value : slot.values) {
      std::vector<ExprId> gates;
      for (auto [gate, home] : value.gates)
        gates.push_back(condition(*gate, *home));
      values.push_back({wordId(value.word), both(gates, true)});
    }
    std::sort(values.begin(), values.end(), [](const auto &a, const auto &b) { return a.word < b.word; });
    slots.push_back({text(slot.name), intern(output.slotValues, values), slot.optional, slot.set == nullptr,
                     slot.suffix, wordId(slot.fallback)});
  }
  result.slots = intern(output.slots, slots);

  std::vector<uint32_t> tables, rules, checks;
  std::vector<isa::Fact> stated;
  for (const Scope *at = &scope; at; at = at->parent) {
    for (const Rule &rule : at->rules) {
      foreignSlots.clear();
      ExprId when = rule.when ? condition(*rule.when, *at) : True;
      if (rule.when)
        usage.triggers[&rule] |= when != False;
      ExprId require = condition(rule.require, *at);
      if (!rule.when && require == False)
        errors.report(rule.place, "dead-form",
                      "`" + rule.text + "` never holds for `" + form.text + "` (line " +
                          std::to_string(form.place.line) + ")");
      if (when == False || require == True)
        continue;
      for (const std::string &slot : foreignSlots)
        errors.report(rule.place, "foreign-slot",
                      "`" + form.text + "` (line " + std::to_string(form.place.line) + ") lacks the slot `" + slot +
                          "`, but other slots of it take its words: ask in the block that has the "
                          "slot, or for words");
      rules.push_back(internOne(output.rules, isa::Rule{when, require, rule.place.line, text(rule.text)}));
    }
    for (const Table &one : at->tables)
      table(one, *at, tables);
    facts(*at, stated);
    for (const Check &check : at->checks) {
      here.readsRegisters |= check.ofRegisters;
      isa::Text name = text(check.name);
      if (check.name.find_first_of("-:") != std::string::npos)
        errors.report(check.place, "check", "`" + check.name + "` is no C++ name");
      auto known = std::find(output.checkNames.begin(), output.checkNames.end(), name);
      checks.push_back(static_cast<uint32_t>(known - output.checkNames.begin()));
      if (known == output.checkNames.end())
        output.checkNames.push_back(name);
      here.readsValues = true;
    }
  }
  result.tables = intern(output.formTables, tables);
  result.rules = intern(output.formRules, rules);
  result.checks = intern(output.formChecks, checks);

  std::vector<isa::OperandDecl> operands;
  for (const FormOperand &one : here.operands)
    operands.push_back(operand(one.name));
  result.operands = intern(output.operands, operands);
  result.facts = intern(output.facts, stated);
  result.readsValues = here.readsValues;
  result.readsRegisters = here.readsRegisters;
  output.forms.push_back(result);
  context = nullptr;
}

void Resolver::block(const Entry &entry, const Scope &scope) {
  for (const Form &one : scope.forms)
    form(entry, scope, one);
  for (const auto &below : scope.blocks)
    block(entry, *below);
}

void Resolver::entry(const Entry &one) {
  std::vector<uint32_t> mnemonics;
  for (const std::string &mnemonic : one.mnemonics)
    mnemonics.push_back(mnemonicIds.at(mnemonic));
  // Names first: a condition may speak of what only another form has.
  std::function<void(const PatternNode &)> operandNames = [&](const PatternNode &node) {
    if (!node.name.empty())
      entryOperands[&one].insert(node.name);
    for (const PatternNode &child : node.children)
      operandNames(child);
  };
  std::function<void(const Scope &)> walk = [&](const Scope &scope) {
    for (const auto &[name, set] : scope.sets)
      entrySets[&one].insert(name);
    for (const Form &form : scope.forms) {
      for (const Element &element : form.elements)
        if (findSet(&scope, element.word))
          entrySlots[&one].insert(element.word);
      for (const PatternNode &node : form.operands)
        operandNames(node);
    }
    for (const auto &below : scope.blocks)
      walk(*below);
  };
  walk(*one.scope);
  block(one, *one.scope);
  output.entries.push_back({text(one.title), text(one.manual), text(model.names[one.place.file]), one.place.line,
                            text(one.source), intern(output.entryMnemonics, mnemonics)});
}

void Resolver::run() {
  output.exprs.push_back({ExprOp::True, true, 0, 0, 0});
  output.exprs.push_back({ExprOp::Not, true, True, 0, 0});
  output.warnings.push_back("");
  targets();
  words();
  directives();
  features();
  limits();
  registers();
  for (const Entry &one : model.entries)
    for (const std::string &mnemonic : one.mnemonics)
      mnemonicIds[mnemonic];
  uint32_t next = 0;
  for (auto &[mnemonic, id] : mnemonicIds)
    id = next++;
  formsOf.resize(next);
  for (const Entry &one : model.entries)
    entry(one);
  for (const auto &[mnemonic, id] : mnemonicIds) {
    auto listed = [&, name = mnemonic](const std::map<std::string, std::set<std::string>> &lists) {
      std::vector<WordId> ids;
      const auto found = lists.find(name);
      if (found == lists.end())
        return isa::Span{};
      for (const std::string &word : found->second) {
        const WordId known = wordId(word);
        if (!known)
          errors.report({}, "unknown-word", "unknown word `" + word + "` in a list of `" + name + "`");
        ids.push_back(known);
      }
      return intern(output.wordLists, ids);
    };
    isa::Mnemonic &one = output.mnemonics.emplace_back();
    one = {text(mnemonic), intern(output.mnemonicForms, formsOf[id]), listed(model.vocabulary.skippedIn),
           listed(model.vocabulary.ungatedIn)};
  }
  for (const auto *lists : {&model.vocabulary.skippedIn, &model.vocabulary.ungatedIn})
    for (const auto &[mnemonic, words] : *lists)
      if (!mnemonicIds.count(mnemonic))
        errors.report({}, "mnemonic", "no entry for `" + mnemonic + "`, which stands in a list of words.isa");
}

RuleNames readRuleNames(const std::string &path) {
  RuleNames names;
  std::ifstream stream(path);
  for (std::string line; std::getline(stream, line);) {
    const size_t open = line.find('"'), close = line.find('"', open + 1);
    if (close == std::string::npos)
      continue;
    const std::string name = line.substr(open + 1, close - open - 1);
    if (line.starts_with("DIAG("))
      names.ids.insert(name);
    else if (line.starts_with("KIND("))
      names.kinds.insert(name);
  }
  return names;
}

void resolve(const Model &model, const RuleNames &rules, Output &output, Usage &usage, Errors &errors) {
  Resolver(model, rules, output, usage, errors).run();
}

} // namespace ptxray::isagen
