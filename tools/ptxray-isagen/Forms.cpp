// Resolves the forms of an entry. It looks up each element, and resolves each statement of the surrounding blocks for
// the form.
#include "Isa/FactNames.h"
#include "Resolver.h"

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
    errors.report(place, "unknown-word", "`" + word + "` is neither a word nor a set" + didYouMean(word, names));
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
    patterns[index].operand = narrow<uint16_t>(known);
  }
  if (!node.suffix.empty()) {
    patterns[index].suffixSlot = narrow<int16_t>(context->slots.size());
    context->slots.push_back(makeSlot(*context->scope, node.suffix, node.suffixOptional, true, context->form->place));
  }
  for (size_t i = 0; i < node.children.size(); ++i)
    pattern(node.children[i], required && !(isPair && i == 1 && node.optional), patterns);
  patterns[index].extent = narrow<uint16_t>(patterns.size() - index);
}

/// Finds the mnemonics of the entry that the form spells. The longest ones win.
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
  result.mnemonicSlots = narrow<uint8_t>(longest);
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

/// Returns an explanation of a misspelt statement that was read as a form.
static std::string notAForm(const Entry &entry, const Form &form) {
  static const std::set<std::string> statements = [] {
    std::set<std::string> all = {"check",   "hint",     "let",   "manual", "named",
                                 "outside", "requires", "table", "title",  "when"};
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

isa::Slot Resolver::slot(const FormSlot &slot) {
  std::vector<isa::SlotValue> values;
  for (const Value &value : slot.values) {
    std::vector<ExprId> gates;
    for (auto [gate, home] : value.gates)
      gates.push_back(condition(*gate, *home));
    values.push_back({wordId(value.word), both(gates, true)});
  }
  std::sort(values.begin(), values.end(), [](const auto &a, const auto &b) { return a.word < b.word; });
  return {text(slot.name),      intern(output.slotValues, values), slot.optional, slot.set == nullptr, slot.suffix,
          wordId(slot.fallback)};
}

/// Resolves a rule. Returns nothing if it does not apply to the form.
std::optional<uint32_t> Resolver::rule(const Rule &rule, const Scope &scope) {
  const std::string &form = context->form->text;
  const std::string line = "(line " + std::to_string(context->form->place.line) + ")";
  foreignSlots.clear();
  const ExprId when = rule.when ? condition(*rule.when, scope) : True;
  if (rule.when)
    usage.triggers[&rule] |= when != False;
  const ExprId require = condition(rule.require, scope);
  if (!rule.when && require == False)
    errors.report(rule.place, "dead-form", "`" + rule.text + "` never holds for `" + form + "` " + line);
  if (when == False || require == True)
    return {};
  for (const std::string &slot : foreignSlots)
    errors.report(rule.place, "foreign-slot",
                  "`" + form + "` " + line + " lacks the slot `" + slot +
                      "`, but other slots of it take its words: ask in the block that has the slot, or for words");
  return internOne(output.rules, isa::Rule{when, require, rule.place.line, text(rule.text)});
}

uint32_t Resolver::check(const Check &check) {
  context->readsRegisters |= check.ofRegisters;
  context->readsValues = true;
  const isa::StoredText name = text(check.name);
  if (check.name.find_first_of("-:") != std::string::npos)
    errors.report(check.place, "check", "`" + check.name + "` is not a C++ name");
  const auto known = std::find(output.checkNames.begin(), output.checkNames.end(), name);
  const auto index = static_cast<uint32_t>(known - output.checkNames.begin());
  if (known == output.checkNames.end())
    output.checkNames.push_back(name);
  return index;
}

/// Resolves the statements of the blocks around the form, from the inside out.
void Resolver::statements(const Scope &innermost, isa::Form &result, std::vector<isa::Fact> &stated) {
  std::vector<uint32_t> tables, rules, checks;
  for (const Scope *at = &innermost; at; at = at->parent) {
    for (const Rule &one : at->rules)
      if (const auto index = rule(one, *at))
        rules.push_back(*index);
    for (const Table &one : at->tables)
      if (const auto index = table(one, *at))
        tables.push_back(*index);
    facts(*at, stated);
    for (const Check &one : at->checks)
      checks.push_back(check(one));
  }
  result.tables = intern(output.formTables, tables);
  result.rules = intern(output.formRules, rules);
  result.checks = intern(output.formChecks, checks);
}

void Resolver::form(const Entry &entry, const Scope &scope, const Form &form) {
  FormContext here{&entry, &scope, &form, {}, {}, false, false, {}, &usage};
  context = &here;
  isa::Form result = {};
  result.entry = narrow<uint16_t>(output.entries.size());
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
  for (const FormSlot &one : here.slots)
    slots.push_back(slot(one));
  result.slots = intern(output.slots, slots);
  std::vector<isa::Fact> stated;
  statements(scope, result, stated);
  std::vector<isa::OperandDecl> operands;
  for (const FormOperand &one : here.operands)
    operands.push_back(operand(one.name));
  result.operands = intern(output.operands, operands);
  result.facts = intern(output.facts, stated);
  formulas(result, stated, operands);
  result.readsValues = here.readsValues;
  result.readsRegisters = here.readsRegisters;
  output.forms.push_back(result);
  context = nullptr;
}

} // namespace ptxray::isagen
