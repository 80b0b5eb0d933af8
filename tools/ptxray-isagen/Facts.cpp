// Resolves facts for one form. A fact about an operand that the form lacks is dropped.
#include "Isa/FactNames.h"
#include "Resolver.h"

namespace ptxray::isagen {

namespace {

using isa::FactKind;

/// The syntax of a kind of fact: its subjects, and the clauses that it may have.
struct FactSyntax {
  enum Subjects {
    Nothing,
    Detail,
    Details,
    Operand,
    Operands,
    Groups,
    Number,
    OperandOrScope,
    ScopeAndOperands,
    NumberOrOperands,
    Slot
  };
  Subjects subjects;
  std::set<std::string> clauses;
};

const FactSyntax &syntaxOf(FactKind kind) {
  using enum FactKind;
  static const std::map<FactKind, FactSyntax> all = {{Ends, {FactSyntax::Detail, {}}},
                                                     {Branches, {FactSyntax::Operand, {}}},
                                                     {Calls, {FactSyntax::Operand, {}}},
                                                     {Copies, {FactSyntax::Nothing, {}}},
                                                     {Converged, {FactSyntax::Detail, {}}},
                                                     {Among, {FactSyntax::Operand, {}}},
                                                     {Async, {FactSyntax::Detail, {"in", "completes", "by"}}},
                                                     {Holds, {FactSyntax::Operands, {}}},
                                                     {Commits, {FactSyntax::Groups, {}}},
                                                     {Waits, {FactSyntax::Groups, {"until", "for"}}},
                                                     {Arrives, {FactSyntax::OperandOrScope, {"at", "by", "after"}}},
                                                     {Expects, {FactSyntax::Operand, {"by"}}},
                                                     {Completes, {FactSyntax::Operand, {"by"}}},
                                                     {Awaits, {FactSyntax::OperandOrScope, {"at", "if"}}},
                                                     {Syncs, {FactSyntax::Detail, {"at", "by"}}},
                                                     {Inits, {FactSyntax::Operand, {"by"}}},
                                                     {Invalidates, {FactSyntax::Operand, {}}},
                                                     {Orders, {FactSyntax::Details, {"on"}}},
                                                     {Releases, {FactSyntax::Nothing, {}}},
                                                     {Acquires, {FactSyntax::Nothing, {}}},
                                                     {Allocates, {FactSyntax::Operand, {"by"}}},
                                                     {Frees, {FactSyntax::Operand, {"by"}}},
                                                     {Relinquishes, {FactSyntax::Nothing, {}}},
                                                     {Ctas, {FactSyntax::Number, {}}},
                                                     {Grows, {FactSyntax::Operand, {}}},
                                                     {Shrinks, {FactSyntax::Operand, {}}},
                                                     {Strong, {FactSyntax::Nothing, {}}},
                                                     {Per, {FactSyntax::ScopeAndOperands, {"if"}}},
                                                     {Elects, {FactSyntax::Operand, {}}},
                                                     {Traces, {FactSyntax::Nothing, {}}},
                                                     {Occupies, {FactSyntax::NumberOrOperands, {"if"}}},
                                                     {Bounded, {FactSyntax::Number, {}}},
                                                     {Multiplies, {FactSyntax::Slot, {}}},
                                                     {Requests, {FactSyntax::Operand, {}}},
                                                     {Answers, {FactSyntax::Operand, {}}},
                                                     {Presumes, {FactSyntax::Operand, {}}}};
  return all.at(kind);
}

constexpr size_t mostGroups = 8 * sizeof(isa::Fact::groups);

bool isNumber(const std::string &word) { return isdigit(static_cast<unsigned char>(word[0])); }

/// Returns the number of the detail with this spelling, or -1 if there is none.
int detailOf(FactKind kind, const std::string &word) {
  const isa::DetailNames names = isa::detailNames(kind);
  const isa::Text *found = std::find(names.first, names.first + names.count, word);
  return found == names.first + names.count || word.empty() ? -1 : static_cast<int>(found - names.first);
}

} // namespace

uint16_t Resolver::groupBits(const std::vector<std::string> &names) {
  uint16_t bits = 0;
  for (const std::string &name : names) {
    const auto known = std::find(output.groups.begin(), output.groups.end(), text(name));
    const size_t number = known - output.groups.begin();
    if (number == mostGroups) {
      errors.report({}, "group",
                    "`" + name + "` is one group more than the " + std::to_string(mostGroups) +
                        " that facts have bits for");
      continue;
    }
    if (known == output.groups.end())
      output.groups.push_back(text(name));
    bits |= narrow<uint16_t>(1u << number);
  }
  return bits;
}

int8_t Resolver::factOperand(const Fact &fact, const std::string &name) {
  const int operand = context->operand(name);
  usage.factOperands[{&fact, name}] |= operand >= 0;
  return narrow<int8_t>(operand);
}

/// Resolves the clauses of a fact. Drops those about operands that the form lacks.
isa::Fact Resolver::fact(const Fact &fact) {
  isa::Fact result = {};
  result.kind = fact.kind;
  auto operand = [&](const char *clause) {
    const auto found = fact.clauses.find(clause);
    return found == fact.clauses.end() ? int8_t(-1) : factOperand(fact, found->second.front());
  };
  for (const char *clause : {"by", "until"})
    if (const auto found = fact.clauses.find(clause); found != fact.clauses.end()) {
      if (isNumber(found->second.front()))
        result.number = narrow<int16_t>(std::stoi(found->second.front()));
      else
        result.amount = factOperand(fact, found->second.front());
    }
  result.which = operand("at");
  result.condition = operand("if");
  for (const char *clause : {"in", "after"})
    if (const auto found = fact.clauses.find(clause); found != fact.clauses.end())
      result.groups = groupBits(found->second);
  result.isReads = fact.clauses.count("for");
  if (const auto found = fact.clauses.find("on"); found != fact.clauses.end()) {
    const int slot = context->slot(found->second.front());
    if (slot >= 0)
      result.space = {isa::RefKind::Slot, narrow<uint16_t>(slot)};
    else if (const WordId word = wordId(found->second.front()))
      result.space = {isa::RefKind::Word, word};
  }
  return result;
}

/// Resolves the subjects of a fact. Returns false if it is not a fact of this form.
bool Resolver::subjects(const Fact &fact, isa::Fact result, std::vector<isa::Fact> &stated) {
  const auto add = [&](int8_t operand) {
    result.operand = operand;
    stated.push_back(result);
    return true;
  };
  const auto addOperands = [&](size_t first) {
    bool any = false;
    for (size_t i = first; i < fact.subjects.size(); ++i)
      if (const int8_t operand = factOperand(fact, fact.subjects[i]); operand >= 0)
        any |= add(operand);
    return any;
  };
  switch (syntaxOf(fact.kind).subjects) {
  case FactSyntax::Nothing: return add(-1);
  case FactSyntax::Details:
    result.other = fact.subjects.size() > 1 ? narrow<uint8_t>(detailOf(fact.kind, fact.subjects[1])) : 0;
    [[fallthrough]];
  case FactSyntax::Detail: {
    result.detail = narrow<uint8_t>(detailOf(fact.kind, fact.subjects[0]));
    const auto barrier = fact.clauses.find("completes");
    if (barrier == fact.clauses.end())
      return add(-1);
    const int8_t operand = factOperand(fact, barrier->second.front());
    return operand >= 0 && add(operand);
  }
  case FactSyntax::Groups: result.groups = groupBits(fact.subjects); return add(-1);
  case FactSyntax::NumberOrOperands:
    if (!isNumber(fact.subjects[0]))
      return addOperands(0);
    [[fallthrough]];
  case FactSyntax::Number: result.number = narrow<int16_t>(std::stoi(fact.subjects[0])); return add(-1);
  case FactSyntax::Slot: {
    const int slot = context->slot(fact.subjects[0]);
    result.space = {isa::RefKind::Slot, narrow<uint16_t>(std::max(slot, 0))};
    return slot >= 0 && add(-1);
  }
  case FactSyntax::OperandOrScope:
    if (const int scope = detailOf(fact.kind, fact.subjects[0]); scope >= 0) {
      result.detail = narrow<uint8_t>(scope);
      return add(-1);
    }
    return addOperands(0);
  case FactSyntax::Operand:
  case FactSyntax::Operands: return addOperands(0);
  case FactSyntax::ScopeAndOperands:
    result.detail = narrow<uint8_t>(detailOf(fact.kind, fact.subjects[0]));
    return fact.subjects.size() == 1 ? add(-1) : addOperands(1);
  }
  return false;
}

/// Returns whether a fact has the right number of subjects, and only clauses that it may have.
bool Resolver::isWellFormed(const Fact &fact) {
  const FactSyntax &syntax = syntaxOf(fact.kind);
  const size_t count = fact.subjects.size();
  bool fits = true;
  switch (syntax.subjects) {
  case FactSyntax::Nothing: fits = count == 0; break;
  case FactSyntax::Detail: fits = count == 1 && detailOf(fact.kind, fact.subjects[0]) >= 0; break;
  case FactSyntax::Details:
    fits = (count == 1 || count == 2) && std::all_of(fact.subjects.begin(), fact.subjects.end(),
                                                     [&](auto &word) { return detailOf(fact.kind, word) >= 0; });
    break;
  case FactSyntax::Operand:
  case FactSyntax::OperandOrScope: fits = count == 1; break;
  case FactSyntax::Operands:
  case FactSyntax::Groups: fits = count > 0; break;
  case FactSyntax::NumberOrOperands: fits = count > 0 && (count == 1 || !isNumber(fact.subjects[0])); break;
  case FactSyntax::Number: fits = count == 1 && isNumber(fact.subjects[0]); break;
  case FactSyntax::Slot: fits = count == 1 && fact.subjects[0][0] == '.'; break;
  case FactSyntax::ScopeAndOperands: fits = count > 0 && detailOf(fact.kind, fact.subjects[0]) >= 0; break;
  }
  for (const auto &[clause, words] : fact.clauses)
    fits &= syntax.clauses.count(clause) && !words.empty();
  if (!fits)
    errors.report(fact.place, "fact", "`" + fact.text + "` says more or less than such a fact does");
  return fits;
}

void Resolver::facts(const Scope &scope, std::vector<isa::Fact> &stated) {
  for (const Fact &one : scope.facts) {
    if (!isWellFormed(one)) {
      usage.facts[&one] = true;
      continue;
    }
    const ExprId when = one.when ? condition(*one.when, scope) : True;
    usage.facts[&one] |= false;
    if (when == False)
      continue;
    isa::Fact result = fact(one);
    result.when = when;
    usage.facts[&one] |= subjects(one, result, stated);
  }
}

} // namespace ptxray::isagen
