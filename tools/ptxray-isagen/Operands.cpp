// Resolves the operands of a form: their declarations refer to its slots.
#include "Resolver.h"

namespace ptxray::isagen {

bool Resolver::resolveTerm(const Term &term, isa::Term &result) {
  result = term.value;
  if (term.word.empty())
    return true;
  int slot = context->slot(term.word);
  if (slot >= 0) {
    result.slot = narrow<int16_t>(slot);
    return true;
  }
  std::string constant = context->fallback(term.word);
  if (constant.empty() || result.letter)
    return false;
  result = {output.words[wordId(constant)].number * result.mul / result.div + result.add, -1, 0, 1, 1, 0};
  return true;
}

struct FoundOperand {
  const Operand &decl;
  const Scope &home; // the block with the declaration
};

/// Finds the declaration of an operand in the blocks around the form. Returns nothing after an error if there is none.
std::optional<FoundOperand> Resolver::findOperand(const std::string &name) {
  std::set<std::string> names;
  for (const Scope *at = context->scope; at; at = at->parent) {
    if (auto found = at->operands.find(name); found != at->operands.end()) {
      usage.operands.insert(&found->second);
      return FoundOperand{found->second, *at};
    }
    for (const auto &[known, operand] : at->operands)
      names.insert(known);
  }
  errors.report(context->form->place, "undeclared-operand",
                "operand `" + name + "` is not declared" + didYouMean(name, names));
  return {};
}

bool Resolver::isType(const std::string &word) const {
  return output.words[wordId(word)].wordClass == isa::WordClass::Type;
}

/// Returns whether a word is a type, or a slot of the form, or has a default for a slot that the form lacks.
bool Resolver::meansType(const std::string &word) const {
  return context->slot(word) >= 0 || !context->fallback(word).empty() || isType(word);
}

/// Returns the word itself, or the default of a slot that the form lacks.
WordId Resolver::fixedWord(const std::string &word) const {
  const std::string constant = context->fallback(word);
  return wordId(constant.empty() ? word : constant);
}

isa::TypeRef Resolver::typeRef(const Operand &decl, const std::string &word) const {
  const int slot = context->slot(word);
  // If the form itself spells the word, there is no choice, and the type is fixed.
  if (slot >= 0 && context->slots[slot].set)
    return {isa::RefKind::Slot, narrow<uint16_t>(slot), decl.factor, decl.divisor};
  return {isa::RefKind::Word, slot >= 0 ? wordId(word) : fixedWord(word), decl.factor, decl.divisor};
}

/// Returns whether a word is a slot that only other forms have. Then any space and any type are allowed.
bool Resolver::isSlotOfOthers(const std::string &word) {
  return context->slot(word) < 0 && context->fallback(word).empty() && findSet(context->scope, word);
}

/// Returns whether a word of an address is the type of the register that holds it, rather than a space.
bool Resolver::isTypeOfAddress(const std::string &word) const {
  const int slot = context->slot(word);
  if (slot < 0)
    return output.words[fixedWord(word)].wordClass == isa::WordClass::Type;
  const std::vector<Value> &values = context->slots[slot].values;
  return !values.empty() && isType(values[0].word);
}

std::optional<isa::SpaceRef> Resolver::spaceRef(const Operand &decl, const std::string &word) {
  if (const int slot = context->slot(word); slot >= 0)
    return isa::SpaceRef{isa::RefKind::Slot, narrow<uint16_t>(slot)};
  const WordId id = fixedWord(word);
  if (output.words[id].wordClass == isa::WordClass::Space)
    return isa::SpaceRef{isa::RefKind::Word, id};
  errors.report(decl.place, "operand-space", "`" + word + "` is neither a state space nor a type");
  return {};
}

void Resolver::typeAndSpaces(const std::string &name, const Operand &decl, isa::OperandDecl &result) {
  result.type = {isa::RefKind::None, 0, decl.factor, decl.divisor};
  if (!decl.type.empty()) {
    if (!meansType(decl.type))
      errors.report(context->form->place, "operand-type",
                    "type `" + decl.type + "` of operand `" + name + "` is neither a slot of this form nor a type");
    result.type = typeRef(decl, decl.type);
  }
  std::vector<isa::SpaceRef> spaces;
  for (const std::string &word : decl.spaces) {
    if (isSlotOfOthers(word))
      continue;
    if (isTypeOfAddress(word))
      result.type = typeRef(decl, word);
    else if (const auto space = spaceRef(decl, word))
      spaces.push_back(*space);
  }
  result.spaces = intern(output.spaceRefs, spaces);
}

/// Returns the lengths of an operand. Returns none, as for a scalar, if the form lacks the slot that determines them.
isa::Span Resolver::lengths(const std::vector<Term> &written, const Scope &home) {
  std::vector<isa::Term> lengths;
  for (const Term &length : written) {
    isa::Term term;
    if (!resolveTerm(length, term)) {
      if (!findSet(context->scope, length.word) && !findSet(&home, length.word))
        errors.report(length.place, "length", "`" + length.word + "` is not a slot");
      return {};
    }
    lengths.push_back(term);
  }
  return intern(output.terms, lengths);
}

void Resolver::access(const FoundOperand &found, isa::OperandDecl &result) {
  const Operand &decl = found.decl;
  result.access = decl.access;
  result.accessSpace = wordId(decl.accessSpace);
  if (!decl.accessSpace.empty() && output.words[result.accessSpace].wordClass != isa::WordClass::Space)
    errors.report(decl.place, "operand-space", "`" + decl.accessSpace + "` is not a state space");
  result.accessType = {isa::RefKind::None, 0, 1, 1};
  if (decl.accessType.empty())
    return;
  if (!meansType(decl.accessType))
    errors.report(decl.place, "operand-type", "`" + decl.accessType + "` is neither a slot nor a type");
  result.accessType = typeRef(decl, decl.accessType);
  result.accessLengths = lengths(decl.accessLengths, found.home);
  result.accessSize = text(decl.accessSize);
}

isa::OperandDecl Resolver::operand(const std::string &name) {
  isa::OperandDecl result = {};
  result.name = text(name);
  const std::optional<FoundOperand> found = findOperand(name);
  if (!found)
    return result;
  const Operand &decl = found->decl;
  result.rules = decl.rules;
  result.format = text(decl.format);
  result.role = decl.role;
  typeAndSpaces(name, decl, result);
  result.lengths = lengths(decl.lengths, found->home);
  access(*found, result);
  result.ranges = intern(output.ranges, decl.ranges);
  context->readsValues |= !decl.ranges.empty();
  if (decl.with) {
    result.hasWith = true;
    result.with = condition(*decl.with, found->home);
  }
  return result;
}

} // namespace ptxray::isagen
