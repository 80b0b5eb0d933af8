// Resolves the expressions of formulas to rows. It looks up names, and replaces calls of definitions by their values.
#include "Isa/FormulaNames.h"
#include "Rows.h"
#include <utility>

namespace ptxray::isagen {

using isa::StepOp;

uint8_t Resolver::kindsOfType(WordId word) const {
  const isa::Word &type = output.words[word];
  switch (type.typeKind) {
  case isa::TypeKind::Bits:
  case isa::TypeKind::Unsigned:
  case isa::TypeKind::Signed: return IsInteger;
  case isa::TypeKind::Float: return IsFloat;
  case isa::TypeKind::Predicate: return IsTruth;
  case isa::TypeKind::Packed: // `.u16x2`, but `.s2f6x2` and `.ue8m0x2`
    return output.text(type.text).find_first_of("fem") == std::string::npos ? IsInteger : IsFloat;
  default: return IsAnything;
  }
}

uint8_t Resolver::kindsOf(const isa::OperandDecl &operand) const {
  using enum isa::OperandRole;
  if (operand.role == Predicate)
    return IsTruth;
  if (operand.role == Address)
    return IsInteger;
  if (operand.type.kind == isa::RefKind::Word)
    return kindsOfType(operand.type.index);
  if (operand.type.kind != isa::RefKind::Slot)
    return IsAnything;
  uint8_t kinds = 0;
  for (const struct Value &value : context->slots[operand.type.index].values)
    kinds |= kindsOfType(wordId(value.word));
  return kinds;
}

isa::Span Resolver::steps(const Rows &rows) {
  std::vector<isa::Step> steps;
  for (const Rows::Row &row : rows.rows) {
    steps.push_back(row.step);
    steps.back().args = intern(output.stepArgs, row.args).first;
  }
  return intern(output.steps, steps);
}

const Definition *Resolver::findDefinition(const std::string &name, const Scope **home) {
  for (const Scope *at = *home; at; at = at->parent)
    if (const auto found = at->definitions.find(name); found != at->definitions.end()) {
      usage.definitions.insert(&found->second);
      *home = at;
      return &found->second;
    }
  return nullptr;
}

static std::optional<StepOp> functionNamed(const std::string &name) {
  for (size_t op = static_cast<size_t>(StepOp::Carry); op < isa::formulaFunctions.size(); ++op)
    if (isa::formulaFunctions[op].name == name)
      return static_cast<StepOp>(op);
  return {};
}

/// Returns the slot of a word. Returns none without an error if only other forms of the entry have the slot.
std::optional<size_t> Resolver::slotOf(const std::string &word, Place place, const Rows &rows) {
  if (const int slot = context->slot(word); slot >= 0) {
    context->spoken.slots.insert(slot);
    return static_cast<size_t>(slot);
  }
  if (!rows.depth && !rows.ofDefinition &&
      !entryWords[context->entry].count(word)) // a `let` may belong to several entries
    errors.report(place, "unknown-name",
                  "no form here has `" + word + "`" + didYouMean(word, entryWords[context->entry]));
  return {};
}

std::optional<size_t> Resolver::nameRow(const Expression &all, const ExpressionNode &node, Rows &rows) {
  if (const auto parameter = rows.parameters.find(node.text); parameter != rows.parameters.end())
    return parameter->second;
  if (context && !rows.ofDefinition) {
    if (const int operand = context->operand(node.text); operand >= 0) {
      rows.named.insert(operand);
      return rows.add(StepOp::Operand, operand, {}, kindsOf((*rows.operands)[operand]));
    }
    if (entryOperands[context->entry].count(node.text))
      return {}; // an operand of another form
  }
  if (const auto op = functionNamed(node.text))
    return functionRow(all, node, *op, rows);
  std::set<std::string> names = context ? entryOperands[context->entry] : std::set<std::string>();
  errors.report(all.place, "unknown-name", "`" + node.text + "` is not an operand here" + didYouMean(node.text, names));
  return {};
}

/// Resolves the definition of every word of a slot. Returns none if a word has no definition around the form.
std::optional<uint16_t> Resolver::wordCall(size_t slot, const std::vector<uint8_t> &kinds, Place place,
                                           uint8_t &result) {
  std::vector<isa::WordDefinition> definitions;
  for (const Value &value : context->slots[slot].values) {
    const Scope *home = context->scope;
    const Definition *definition = findDefinition(value.word, &home);
    if (!definition || definition->parameters.size() != kinds.size()) {
      errors.report(place, "unknown-name",
                    definition ? "`" + value.word + "` is handed more or less than it takes"
                               : "no `let` says what `" + value.word + "` makes of what it is handed");
      return {};
    }
    Rows rows{{}, home, nullptr};
    rows.ofDefinition = true;
    for (size_t i = 0; i < kinds.size(); ++i)
      rows.parameters[definition->parameters[i]] = rows.add(StepOp::Parameter, i, {}, kinds[i]);
    const auto last = row(definition->value, definition->value.nodes.size() - 1, rows);
    if (!last)
      return {};
    result |= rows.rows[*last].kinds;
    if (*last + 1 != rows.rows.size()) // the result must be the last row, even if it is a parameter itself
      rows.add(StepOp::Joined, 0, {*last}, rows.rows[*last].kinds);
    definitions.push_back({wordId(value.word), steps(rows)});
  }
  const isa::WordCall call = {static_cast<uint16_t>(slot), intern(output.wordDefinitions, definitions)};
  return static_cast<uint16_t>(internOne(output.wordCalls, call));
}

std::optional<size_t> Resolver::wordCallRow(const Expression &all, const ExpressionNode &node, Rows &rows,
                                            const std::string &word) {
  if (!context || rows.ofDefinition) {
    errors.report(all.place, "formula", "`" + word + "` is not written in a definition");
    return {};
  }
  const std::optional<size_t> slot = slotOf(word, all.place, rows);
  if (!slot)
    return row(all, node.args[0], rows);
  std::vector<size_t> args;
  std::vector<uint8_t> kinds;
  for (size_t arg : node.args) {
    const auto one = row(all, arg, rows);
    if (!one)
      return {};
    args.push_back(*one);
    kinds.push_back(rows.rows[*one].kinds);
  }
  uint8_t result = context->slots[*slot].optional ? kinds[0] : 0;
  const auto call = wordCall(*slot, kinds, all.place, result);
  if (!call)
    return {};
  return rows.add(StepOp::WordCall, *call, args, result);
}

/// Returns the kinds of values that a letter in isa::FormulaFunction represents.
static uint8_t kindsOfLetter(char letter) {
  switch (letter) {
  case 'i': return IsInteger;
  case 'f': return IsFloat;
  case 'n':
  case 'm': return IsNumber;
  case 'p': return IsTruth;
  case 'y': return IsInteger | IsTruth;
  default: return IsAnything;
  }
}

/// Returns the letter of an argument, or 0 if there are too many arguments.
static char letterOf(isa::Text arguments, size_t index) {
  std::string letters;
  for (char c : arguments)
    if (c != '?' && c != '*')
      letters += c;
  if (arguments.find('*') != isa::Text::npos && index >= letters.size())
    return letters.back();
  return index < letters.size() ? letters[index] : '\0';
}

std::optional<size_t> Resolver::functionRow(const Expression &all, const ExpressionNode &node, StepOp op, Rows &rows) {
  const isa::FormulaFunction &function = isa::functionOf(op);
  const size_t least = std::min(function.arguments.find_first_of("?*"), function.arguments.size());
  if (node.args.size() < least || (!node.args.empty() && !letterOf(function.arguments, node.args.size() - 1))) {
    errors.report(all.place, "formula", "`" + node.text + "` is handed more or less than it takes");
    return {};
  }
  std::vector<size_t> args;
  uint8_t common = IsAnything;
  for (size_t i = 0; i < node.args.size(); ++i) // if the form has no such word, the function does nothing
    if (all.nodes[node.args[i]].kind == ExpressionNode::Word && i < least && i > 0 && context &&
        !isType(all.nodes[node.args[i]].text) && !slotOf(all.nodes[node.args[i]].text, all.place, rows))
      return row(all, node.args[0], rows);
  for (size_t i = 0; i < node.args.size(); ++i) {
    const bool isOptionalWord = all.nodes[node.args[i]].kind == ExpressionNode::Word && i >= least;
    const auto arg = row(all, node.args[i], rows);
    if (!arg && isOptionalWord)
      continue;
    if (!arg)
      return {};
    args.push_back(*arg);
    const Rows::Row &one = rows.rows[*arg];
    const char letter = letterOf(function.arguments, i);
    const bool isWord = one.step.op == StepOp::Word;
    if ((letter == 'w') != isWord || !(one.kinds & kindsOfLetter(letter)))
      errors.report(all.place, "formula-type", "`" + node.text + "` does not take such a value");
    if (letter == 'x' || letter == 'n' || letter == 'y')
      common &= one.kinds;
  }
  if (op == StepOp::Bits)
    common = IsAnything;
  if (op == StepOp::At || op == StepOp::Choice) // only the chosen values count
    common = rows.rows[args[op == StepOp::At ? 0 : 1]].kinds;
  if (!common)
    errors.report(all.place, "formula-type", "`" + node.text + "` is handed values of different kinds");
  uint8_t kinds = kindsOfLetter(function.result);
  if (function.result == 'x' || function.result == 'n' || function.result == 'y')
    kinds = (common & kinds) ? common & kinds : kinds;
  return rows.add(op, 0, args, kinds);
}

std::optional<size_t> Resolver::definedRow(const Expression &all, const ExpressionNode &node,
                                           const Definition &definition, const Scope &home, Rows &rows) {
  if (definition.parameters.size() != node.args.size() || rows.depth > 20) {
    errors.report(all.place, "formula", "`" + node.text + "` is handed more or less than it takes, or holds itself");
    return {};
  }
  std::map<std::string, size_t> parameters;
  for (size_t i = 0; i < node.args.size(); ++i) {
    const auto arg = row(all, node.args[i], rows);
    if (!arg)
      return {};
    parameters[definition.parameters[i]] = *arg;
  }
  std::swap(rows.parameters, parameters);
  const Scope *outer = std::exchange(rows.scope, &home);
  ++rows.depth;
  const auto result = row(definition.value, definition.value.nodes.size() - 1, rows);
  --rows.depth;
  rows.scope = outer;
  std::swap(rows.parameters, parameters);
  return result;
}

std::optional<size_t> Resolver::callRow(const Expression &all, const ExpressionNode &node, Rows &rows) {
  if (node.text == "fold" && node.args.size() == 2 && all.nodes[node.args[0]].kind == ExpressionNode::Word) {
    const auto slot = slotOf(all.nodes[node.args[0]].text, all.place, rows);
    const auto value = row(all, node.args[1], rows);
    if (!slot || !value)
      return {};
    uint8_t kinds = rows.rows[*value].kinds, result = 0;
    const auto call = wordCall(*slot, {kinds, kinds}, all.place, result);
    return call ? std::optional(rows.add(StepOp::Fold, *call, {*value}, result)) : std::nullopt;
  }
  const Scope *home = rows.scope;
  if (const Definition *definition = findDefinition(node.text, &home))
    return definedRow(all, node, *definition, *home, rows);
  if (const auto op = functionNamed(node.text))
    return functionRow(all, node, *op, rows);
  std::set<std::string> names;
  for (const isa::FormulaFunction &function : isa::formulaFunctions)
    names.insert(std::string(function.name));
  errors.report(all.place, "unknown-name", "no function `" + node.text + "`" + didYouMean(node.text, names));
  return {};
}

/// Returns the row that holds the value of the node. Returns none if the form lacks a name in it, or after an error.
std::optional<size_t> Resolver::row(const Expression &all, size_t index, Rows &rows) {
  const ExpressionNode &node = all.nodes[index];
  switch (node.kind) {
  case ExpressionNode::Name: return nameRow(all, node, rows);
  case ExpressionNode::Number:
    return rows.add(StepOp::Constant, internOne(output.stepNumbers, node.number), {}, IsNumber);
  case ExpressionNode::Word: {
    if (context && context->slot(node.text) < 0 && isType(node.text))
      return rows.add(StepOp::Word, isa::literalWord | wordId(node.text), {}, IsAnything);
    const auto slot = context ? slotOf(node.text, all.place, rows) : std::nullopt;
    return slot ? std::optional(rows.add(StepOp::Word, *slot, {}, IsAnything)) : std::nullopt;
  }
  case ExpressionNode::Call: return callRow(all, node, rows);
  case ExpressionNode::WordCall: return wordCallRow(all, node, rows, node.text);
  case ExpressionNode::Sign: return functionRow(all, node, node.sign, rows);
  case ExpressionNode::Memory: {
    const int operand = context ? context->operand(node.text) : -1;
    if (operand < 0 && (!context || !entryOperands[context->entry].count(node.text)))
      errors.report(all.place, "unknown-name", "`" + node.text + "` is not an address here");
    if (operand < 0)
      return {};
    rows.named.insert(operand);
    return rows.add(StepOp::Memory, operand, {}, IsNumber);
  }
  case ExpressionNode::Named: break;
  }
  std::vector<size_t> args;
  for (size_t arg : node.args) {
    const auto one = row(all, arg, rows);
    if (!one)
      return {};
    args.push_back(*one);
  }
  rows.isNamed = true;
  return rows.add(
      StepOp::Named,
      [&] {
        const isa::StoredText name = text(node.text);
        const auto known = std::find(output.namedFunctions.begin(), output.namedFunctions.end(), name);
        const auto index = known - output.namedFunctions.begin();
        if (known == output.namedFunctions.end())
          output.namedFunctions.push_back(name);
        return static_cast<size_t>(index);
      }(),
      args, IsAnything);
}

} // namespace ptxray::isagen
