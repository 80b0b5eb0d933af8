// Resolves conditions for one form. It folds away parts that the form itself decides.
#include "Resolver.h"
#include <cassert>

namespace ptxray::isagen {

ExprId Resolver::expr(ExprOp op, bool gateOnly, uint32_t a, uint32_t b, uint32_t c) {
  assert((op != ExprOp::Not || a < output.exprs.size()) && "a condition is made after its parts");
  assert((op != ExprOp::Gate || a < output.gates.size()) && "a gate is named after it is read");
  return internOne(output.exprs, isa::Expr{op, gateOnly, a, b, c});
}

ExprId Resolver::both(const std::vector<ExprId> &parts, bool isAnd) {
  ExprId neutral = isAnd ? True : False, absorbing = isAnd ? False : True;
  std::vector<ExprId> kept;
  bool gateOnly = true;
  for (ExprId part : parts) {
    assert(part < output.exprs.size() && "a condition is made after its parts");
    if (part == absorbing)
      return absorbing;
    if (part == neutral || std::find(kept.begin(), kept.end(), part) != kept.end())
      continue;
    kept.push_back(part);
    gateOnly &= output.exprs[part].gateOnly;
  }
  if (kept.empty())
    return neutral;
  if (kept.size() == 1)
    return kept[0];
  isa::Span span = intern(output.exprArgs, kept);
  return expr(isAnd ? ExprOp::And : ExprOp::Or, gateOnly, span.first, span.count);
}

ExprId Resolver::negation(ExprId part) {
  const isa::Expr &inner = output.exprs[part];
  if (part == True || part == False)
    return part == True ? False : True;
  if (inner.op == ExprOp::Not)
    return inner.a;
  return expr(ExprOp::Not, inner.gateOnly, part);
}

ExprId Resolver::condition(const Condition &c, const Scope &scope) {
  switch (c.kind) {
  case Condition::And:
  case Condition::Or: {
    std::vector<ExprId> parts;
    for (const Condition &part : c.parts)
      parts.push_back(condition(part, scope));
    return both(parts, c.kind == Condition::And);
  }
  case Condition::Not: return negation(condition(c.parts[0], scope));
  case Condition::Ptx: return expr(ExprOp::PtxAtLeast, true, c.version);
  case Condition::Release: return expr(ExprOp::Ptxas, true, c.version);
  case Condition::Warn: return warning(c);
  case Condition::Target: return targetCondition(c);
  case Condition::Name:
    if (c.text != "independent")
      return nameCondition(c, scope);
    break;
  case Condition::Call: return callCondition(c);
  default: break;
  }
  if (!context) {
    errors.report(c.place, "condition", "`" + c.text + "`: only versions and targets here");
    return True;
  }
  if (c.kind == Condition::Name)
    return expr(ExprOp::Independent, false);
  if (c.kind == Condition::Compare)
    return compareCondition(c, scope);
  if (c.kind == Condition::In) {
    int operand = context->operand(c.text);
    note(c, c.text, operand >= 0);
    if (operand < 0)
      return True;
    context->readsValues = true;
    isa::Span span = intern(output.ranges, c.ranges);
    return expr(ExprOp::OperandIn, false, static_cast<uint32_t>(operand), span.first, span.count);
  }
  return wordCondition(c, scope);
}

ExprId Resolver::targetCondition(const Condition &c) {
  std::string name = c.text;
  bool orHigher = name.back() == '+';
  if (orHigher)
    name.pop_back();
  const isa::Target *base = nullptr;
  std::set<std::string> names;
  for (const isa::Target &target : output.targets) {
    names.insert(output.text(target.name));
    if (output.text(target.name) == name)
      base = &target;
  }
  if (!base || (orHigher && base->variant == 'a')) {
    errors.report(c.place, "unknown-target",
                  base ? "`" + c.text + "`: `a` is exact, nothing is higher"
                       : "unknown target `" + name + "`" + didYouMean(name, names));
    return True;
  }
  isa::TargetBits bits = {0, 0, text(c.text)};
  assert(output.targets.size() <= 128 && "a set of targets has two words of 64 bits");
  for (size_t i = 0; i < output.targets.size(); ++i) {
    const isa::Target &target = output.targets[i];
    bool fits;
    if (!base->variant)
      fits = orHigher ? target.number >= base->number : target.number == base->number;
    else if (!orHigher)
      fits = target.number == base->number && target.variant == base->variant;
    else
      fits = target.variant && target.family == base->family && target.number >= base->number;
    if (fits)
      (i < 64 ? bits.low : bits.high) |= uint64_t(1) << (i % 64);
  }
  return expr(ExprOp::Target, true, internOne(output.targetSets, bits));
}

ExprId Resolver::nameCondition(const Condition &c, const Scope &scope) {
  for (const Scope *at = &scope; at; at = at->parent) {
    auto found = at->gates.find(c.text);
    if (found == at->gates.end())
      continue;
    usage.gates.insert(&found->second);
    if (++insideGate > 20) {
      errors.report(found->second.place, "gate-cycle", "gate `" + c.text + "` needs itself");
      --insideGate;
      return True;
    }
    ExprId body = condition(found->second.condition, *at);
    --insideGate;
    if (body == True || body == False)
      return body;
    uint32_t gate = internOne(output.gates, isa::Gate{text(c.text), body});
    return expr(ExprOp::Gate, output.exprs[body].gateOnly, gate);
  }
  if (context) {
    int operand = context->operand(c.text);
    if (operand >= 0)
      return context->operands[operand].required ? True
                                                 : expr(ExprOp::OperandWritten, false, static_cast<uint32_t>(operand));
    if (insideGate || entryOperands[context->entry].count(c.text))
      return False;
  }
  std::set<std::string> names = context ? entryOperands[context->entry] : std::set<std::string>();
  for (const Scope *at = &scope; at; at = at->parent)
    for (const auto &[name, gate] : at->gates)
      names.insert(name);
  errors.report(c.place, "unknown-name",
                "`" + c.text + "` is neither a gate nor an operand here" + didYouMean(c.text, names));
  return True;
}

ExprId Resolver::warning(const Condition &c) {
  if (!c.argument.empty() && !rules.ids.empty() && !rules.ids.count(c.argument))
    errors.report(c.place, "unknown-rule",
                  "no diagnostic has the id `" + c.argument + "`" + didYouMean(c.argument, rules.ids));
  const isa::StoredText id = text(c.argument);
  auto known = std::find(output.warnings.begin(), output.warnings.end(), id);
  auto index = static_cast<uint32_t>(known - output.warnings.begin());
  if (known == output.warnings.end())
    output.warnings.push_back(id);
  return expr(ExprOp::Warn, false, index);
}

ExprId Resolver::callCondition(const Condition &c) {
  static const std::map<std::string, ExprOp> questions = {{"imm", ExprOp::OperandIsImmediate},
                                                          {"sym", ExprOp::OperandIsSymbol},
                                                          {"neg", ExprOp::OperandNegated},
                                                          {"offset", ExprOp::OperandHasOffset}};
  auto question = questions.find(c.text);
  if (question == questions.end() || !context) {
    errors.report(c.place, "condition", "`" + c.text + "()` is not a question here");
    return True;
  }
  int operand = context->operand(c.argument);
  note(c, c.argument, operand >= 0);
  return operand < 0 ? False : expr(question->second, false, static_cast<uint32_t>(operand));
}

/// Returns whether some slot of the form can hold one of the words.
bool Resolver::alive(const std::set<std::string> &words) const {
  for (const FormSlot &slot : context->slots)
    for (const Value &value : slot.values)
      if (words.count(value.word))
        return true;
  return false;
}

ExprId Resolver::slotIs(size_t index, const std::set<std::string> &words) {
  const FormSlot &slot = context->slots[index];
  std::set<std::string> held;
  for (const Value &value : slot.values)
    if (words.count(value.word))
      held.insert(value.word);
  if (held.empty())
    return False;
  if (held.size() == slot.values.size()) {
    if (!slot.optional || held.count(slot.fallback))
      return True;
    if (slot.fallback.empty())
      return expr(ExprOp::SlotWritten, false, static_cast<uint32_t>(index));
  }
  isa::Span span = wordRun(held);
  return expr(ExprOp::SlotIs, false, static_cast<uint32_t>(index), span.first, span.count);
}

ExprId Resolver::anyWord(const std::set<std::string> &words) {
  std::vector<ExprId> parts;
  std::set<std::string> held;
  bool inSuffix = false;
  for (size_t i = 0; i < context->slots.size(); ++i) {
    const FormSlot &slot = context->slots[i];
    size_t before = held.size();
    for (const Value &value : slot.values)
      if (words.count(value.word))
        held.insert(value.word);
    ExprId part = slotIs(i, words);
    if (part != False)
      parts.push_back(part);
    inSuffix |= slot.suffix && (part != False || held.size() != before);
  }
  ExprId either = both(parts, false);
  if (parts.size() < 2 || inSuffix || either == True)
    return either;
  isa::Span span = wordRun(held);
  return expr(ExprOp::WordWritten, false, 0, span.first, span.count);
}

ExprId Resolver::wordCondition(const Condition &c, const Scope &scope) {
  if (c.kind == Condition::Word && c.words.size() == 1) {
    int slot = context->slot(c.text);
    if (slot >= 0) {
      note(c, c.text, true);
      return context->slots[slot].optional ? expr(ExprOp::SlotWritten, false, static_cast<uint32_t>(slot)) : True;
    }
    if (!context->fallback(c.text).empty()) {
      note(c, c.text, true);
      return True;
    }
  }
  std::set<std::string> all;
  for (const std::string &word : c.words) {
    std::set<std::string> words = wordsOf(&scope, word, c.place);
    note(c, word, alive(words));
    all.merge(words);
  }
  if (c.kind == Condition::Word && entrySlots[context->entry].count(c.text))
    for (const FormSlot &slot : context->slots)
      for (const Value &value : slot.values)
        if (slot.set && all.count(value.word))
          foreignSlots.insert(c.text);
  return anyWord(all);
}

ExprId Resolver::compareCondition(const Condition &c, const Scope &scope) {
  int slot = context->slot(c.text);
  std::string constant = slot < 0 ? context->fallback(c.text) : "";
  note(c, c.text, slot >= 0 || !constant.empty());
  if (slot < 0 && constant.empty() && !wordIds.count(c.text) && !findSet(&scope, c.text) &&
      !findSet(context->scope, c.text))
    note(c, c.text, false);
  ExprId result = False;
  int other = c.words.size() == 1 ? context->slot(c.words[0]) : -1;
  if (other >= 0 && (slot >= 0 || !constant.empty())) {
    note(c, c.words[0], true);
    result = slot < 0 ? slotIs(other, {constant})
                      : expr(ExprOp::SlotsEqual, false, static_cast<uint32_t>(slot), static_cast<uint32_t>(other));
  } else {
    std::set<std::string> all;
    for (const std::string &word : c.words) {
      std::set<std::string> words = wordsOf(&scope, word, c.place);
      bool held = words.count(constant) > 0;
      if (slot >= 0)
        for (const Value &value : context->slots[slot].values)
          held |= words.count(value.word) > 0;
      note(c, word, held);
      all.merge(words);
    }
    if (slot >= 0)
      result = slotIs(slot, all);
    else if (!constant.empty())
      result = all.count(constant) ? True : False;
  }
  return c.unequal ? negation(result) : result;
}

} // namespace ptxray::isagen
