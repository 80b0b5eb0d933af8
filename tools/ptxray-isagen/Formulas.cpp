// Resolves the formulas of a form to rows, and reports operands and words that no statement mentions.
#include "Isa/FormulaNames.h"
#include "Rows.h"

namespace ptxray::isagen {

using isa::StepOp;

/// Resolves the target of a formula, and reports a value of a wrong kind. Returns false if the form has no such target.
bool Resolver::target(const Formula &formula, isa::Formula &result, uint8_t kinds, Rows &rows) {
  result.target = formula.target;
  result.operand = -1;
  if (formula.target == isa::FormulaTarget::Nothing)
    return true;
  const auto mismatch = [&](uint8_t wanted) {
    if (!((kinds & IsNumber && wanted & IsNumber) || (kinds & wanted)))
      errors.report(formula.place, "formula-type", "`" + formula.text + "` gives a value of another kind");
  };
  if (formula.target == isa::FormulaTarget::Carry) {
    mismatch(IsInteger);
    return true;
  }
  const int operand = context->operand(formula.operand);
  if (operand < 0) {
    if (!entryOperands[context->entry].count(formula.operand))
      errors.report(formula.place, "unknown-name", "`" + formula.operand + "` is not an operand here");
    return false;
  }
  const isa::OperandDecl &decl = (*rows.operands)[operand];
  if (formula.target == isa::FormulaTarget::Operand) {
    mismatch(kindsOf(decl));
    if (!(decl.rules & (isa::Destination | isa::Updated)))
      errors.report(formula.place, "formula", "`" + formula.operand + "` is not a result");
  } else if (decl.access != isa::Access::Writes && decl.access != isa::Access::Updates) {
    errors.report(formula.place, "formula", "nothing is written where `" + formula.operand + "` leads to");
  }
  result.operand = static_cast<int8_t>(operand);
  context->spoken.results.insert(operand);
  return true;
}

/// Resolves a formula. Returns nothing if the form does not have it.
std::optional<isa::Formula> Resolver::formula(const Formula &formula, const Scope &scope, Rows &rows) {
  const std::set<size_t> slots = context->spoken.slots;
  isa::Formula result = {};
  result.when = formula.when ? condition(*formula.when, scope) : True;
  if (result.when == False)
    return {};
  const auto last = row(formula.value, formula.value.nodes.size() - 1, rows);
  if (!last || !target(formula, result, rows.rows[*last].kinds, rows)) {
    context->spoken.slots = slots;
    return {};
  }
  if (*last + 1 != rows.rows.size()) // the result must be the last row, even if it is a parameter of a definition
    rows.add(StepOp::Joined, 0, {*last}, rows.rows[*last].kinds);
  result.approximate = formula.approximate;
  result.line = formula.place.line;
  result.steps = steps(rows);
  result.bound = text(formula.bound);
  result.text = text(formula.text);
  return result;
}

void Resolver::spokenBy(const Condition &condition, const Scope &scope) {
  for (const Condition &part : condition.parts)
    spokenBy(part, scope);
  std::vector<std::string> names = condition.words;
  names.push_back(condition.text);
  names.push_back(condition.argument);
  for (const std::string &name : names) {
    if (const int operand = context->operand(name); operand >= 0)
      context->spoken.operands.insert(operand);
    if (const int slot = context->slot(name); slot >= 0)
      context->spoken.slots.insert(slot);
    else if (!name.empty() && name[0] == '.' && findSet(&scope, name))
      context->spoken.words.merge(wordsOf(&scope, name, condition.place));
    else
      context->spoken.words.insert(name);
  }
}

void Resolver::spokenBy(const isa::Fact &fact) {
  for (const int8_t operand : {fact.operand, fact.amount, fact.which, fact.condition})
    if (operand >= 0)
      context->spoken.operands.insert(operand);
  if (fact.space.kind == isa::RefKind::Slot)
    context->spoken.slots.insert(fact.space.index);
  using enum isa::FactKind;
  static const std::set<isa::FactKind> writes = {Allocates, Elects, Calls};
  if (fact.operand >= 0 && writes.count(fact.kind))
    context->spoken.results.insert(fact.operand);
  if (fact.kind == Awaits && fact.condition >= 0)
    context->spoken.results.insert(fact.condition);
  if (fact.kind == Branches || fact.kind == Calls)
    context->spoken.isAll = true; // the label, and the arguments of a call
}

/// Collects the words of an operand's type, lengths, and spaces. These need no other statement.
void Resolver::spokenBy(const isa::OperandDecl &operand) {
  const auto ref = [&](isa::RefKind kind, uint16_t index) {
    if (kind == isa::RefKind::Slot)
      context->spoken.slots.insert(index);
    else if (kind == isa::RefKind::Word)
      context->spoken.words.insert(output.text(output.words[index].text));
  };
  ref(operand.type.kind, operand.type.index);
  ref(operand.accessType.kind, operand.accessType.index);
  for (uint32_t i = 0; i < operand.spaces.count; ++i)
    ref(output.spaceRefs[operand.spaces.first + i].kind, output.spaceRefs[operand.spaces.first + i].index);
  for (const isa::Span span : {operand.lengths, operand.accessLengths})
    for (uint32_t i = 0; i < span.count; ++i)
      if (const int16_t slot = output.terms[span.first + i].slot; slot >= 0)
        context->spoken.slots.insert(slot);
}

/// Collects the operands and words of the form that are hints and need no formula. A hint `""` makes the whole
/// instruction a hint.
void Resolver::hints() {
  Spoken &spoken = context->spoken;
  for (const Scope *at = context->scope; at; at = at->parent)
    for (const auto &[name, place] : at->hints) {
      const int operand = context->operand(name), slot = context->slot(name);
      if (operand >= 0)
        spoken.operands.insert(operand);
      if (slot >= 0)
        spoken.slots.insert(slot);
      const std::set<std::string> words =
          !name.empty() && name[0] == '.' ? wordsOf(at, name, place) : std::set<std::string>();
      usage.hints[{at, name}] |= name.empty() || operand >= 0 || slot >= 0 || alive(words);
      spoken.words.insert(words.begin(), words.end());
    }
  spoken.words.insert(model.vocabulary.hints.begin(), model.vocabulary.hints.end());
  for (const ConversionDecl &one : model.vocabulary.conversions)
    spoken.words.insert(one.word);
  for (size_t i = 0; i < context->operands.size(); ++i)
    if (model.shared.operands.count(context->operands[i].name)) // the operand is a cache policy
      spoken.operands.insert(i);
}

/// Reports the operands and words that no statement mentions. This applies to data that also lists its hints, as the
/// data of a whole instruction set does.
void Resolver::unspoken(const isa::Form &form, const std::vector<isa::Fact> &stated,
                        const std::vector<isa::OperandDecl> &operands) {
  const Spoken &spoken = context->spoken;
  const auto report = [&](const char *lint, const std::string &message) {
    errors.report(context->form->place, lint, message + ": `" + context->form->text + "`");
  };
  bool isHint = false;
  for (const Scope *at = context->scope; at; at = at->parent)
    isHint |= at->hints.count("") > 0 || !at->outside.empty();
  if (isHint)
    return;
  for (size_t i = 0; i < operands.size(); ++i) {
    const isa::OperandDecl &one = operands[i];
    const bool isSink =
        one.rules & isa::SinkAllowed && one.type.kind == isa::RefKind::None && one.role == isa::OperandRole::Register;
    const bool isResult = one.rules & (isa::Destination | isa::Updated) || one.access == isa::Access::Writes ||
                          one.access == isa::Access::Updates;
    if (isResult && !isSink && !spoken.results.count(i) && !spoken.isAll)
      report("no-formula", "nothing says what `" + output.text(one.name) + "` becomes");
    if (!isResult && !spoken.operands.count(i) && !spoken.isAll)
      report("unused-source", "no formula, fact or hint speaks of `" + output.text(one.name) + "`");
  }
  if (!form.formulas.count && stated.empty())
    report("no-formula", "nothing says what it does");
  for (size_t i = form.mnemonicSlots; i < context->slots.size() && !spoken.isAll; ++i) {
    const FormSlot &slot = context->slots[i];
    std::string unsaid;
    for (const Value &value : slot.values) {
      const isa::WordClass kind = output.words[wordId(value.word)].wordClass;
      const bool isLiteralType = !slot.set && (kind == isa::WordClass::Type || kind == isa::WordClass::Space);
      if (!spoken.words.count(value.word) && !isLiteralType && unsaid.size() < 60)
        unsaid += " " + value.word;
    }
    if (!unsaid.empty() && !spoken.slots.count(i))
      report("unsaid-word", "no formula, fact or hint says what these words do:" + unsaid);
  }
}

/// Returns the conversions whose words the form has, but no formula names.
std::vector<uint16_t> Resolver::conversionsOf(const std::set<size_t> &slots, const std::set<std::string> &words) {
  std::vector<uint16_t> result;
  const std::vector<ConversionDecl> &all = model.vocabulary.conversions;
  const auto isHint = [&](const std::string &word) {
    for (const Scope *at = context->scope; at; at = at->parent)
      if (at->hints.count(word))
        return true;
    return false;
  };
  for (size_t i = 0; i < all.size(); ++i)
    for (size_t slot = 0; slot < context->slots.size(); ++slot)
      if (context->slots[slot].holds(all[i].word) && !slots.count(slot) && !words.count(all[i].word) &&
          !isHint(all[i].word)) {
        result.push_back(static_cast<uint16_t>(i));
        break;
      }
  return result;
}

/// Collects the formulas of the blocks around the form, from the inside out.
void Resolver::formulas(isa::Form &result, const std::vector<isa::Fact> &stated,
                        const std::vector<isa::OperandDecl> &operands) {
  std::vector<isa::Formula> formulas;
  std::set<std::pair<isa::FormulaTarget, int8_t>> decided; // targets that a formula without a condition has set
  Spoken &spoken = context->spoken;
  for (const Scope *at = context->scope; at; at = at->parent) {
    if (result.outside == isa::StoredText())
      result.outside = text(at->outside);
    for (const Formula &one : at->formulas) {
      Rows rows{{}, context->scope, &operands};
      const auto resolved = formula(one, *at, rows);
      const bool isReached = resolved && (resolved->target == isa::FormulaTarget::Nothing ||
                                          !decided.count({resolved->target, resolved->operand}));
      usage.formulas[&one] |= isReached;
      if (!isReached)
        continue;
      if (resolved->when == True)
        decided.insert({resolved->target, resolved->operand});
      if (one.when)
        spokenBy(*one.when, *at);
      spoken.operands.insert(rows.named.begin(), rows.named.end());
      spoken.isAll |= rows.isNamed;
      formulas.push_back(*resolved);
    }
  }
  result.formulas = intern(output.formulas, formulas);
  result.conversions = intern(output.formConversions, conversionsOf(spoken.slots, spoken.words));
  for (const Scope *at = context->scope; at; at = at->parent)
    for (const Fact &fact : at->facts)
      if (fact.when)
        spokenBy(*fact.when, *at);
  for (const isa::Fact &fact : stated)
    spokenBy(fact);
  for (const isa::OperandDecl &operand : operands)
    spokenBy(operand);
  hints();
  if (!model.vocabulary.hints.empty())
    unspoken(result, stated, operands);
}

void Resolver::conversions() {
  for (const ConversionDecl &decl : model.vocabulary.conversions) {
    isa::Conversion result = {wordId(decl.word), decl.isReading, decl.ofIntegers, decl.ofFloats, {}, {}};
    for (const std::string &word : decl.types)
      if (!wordId(word) || !isType(word))
        errors.report(decl.place, "unknown-word", "`" + word + "` is not a type");
    if (!result.word)
      errors.report(decl.place, "unknown-word", "unknown word `" + decl.word + "`" + didYouMean(decl.word, vocabulary));
    result.types = wordRun({decl.types.begin(), decl.types.end()});
    Rows rows{{}, &model.shared, nullptr};
    rows.ofDefinition = true;
    rows.parameters["x"] =
        rows.add(StepOp::Parameter, 0, {}, (decl.ofIntegers ? IsInteger : 0) | (decl.ofFloats ? IsFloat : 0));
    const auto last = row(decl.value, decl.value.nodes.size() - 1, rows);
    if (last && !(rows.rows[*last].kinds & IsNumber))
      errors.report(decl.place, "formula-type", "a truth value in place of a number");
    result.steps = steps(rows);
    output.conversions.push_back(result);
  }
}

} // namespace ptxray::isagen
