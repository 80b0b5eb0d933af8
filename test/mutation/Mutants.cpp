#include "Mutants.h"
#include "Isa/Isa.h"
#include "llvm/ADT/STLExtras.h"
#include <optional>

namespace ptxray::test {

using namespace isagen;

namespace {

class Finder {
public:
  explicit Finder(Model &model) : model(model) {}
  std::vector<Mutant> run();

private:
  /// Returns a mutant that replaces `target` by `changed`.
  template <typename T>
  void replace(Place place, const std::string &kind, const std::string &text, T &target, T changed) {
    // Swaps instead of copying, so that the original keeps its address in memory: other mutants refer to its parts.
    auto other = std::make_shared<T>(std::move(changed));
    mutants.push_back({place, kind, text, {}, entry, false, [&target, other]() -> std::function<void()> {
                         std::swap(target, *other);
                         return [&target, other] { std::swap(target, *other); };
                       }});
  }
  template <typename T>
  void removeAt(Place place, const std::string &kind, const std::string &text, std::vector<T> &from, size_t index,
                size_t count = 1) {
    std::vector<T> changed = from;
    changed.erase(changed.begin() + index, changed.begin() + index + count);
    replace(place, kind, text, from, std::move(changed));
  }
  void removeWordAt(Place place, const std::string &kind, const std::string &text, std::vector<std::string> &from,
                    size_t index) {
    removeAt(place, kind, text, from, index);
    mutants.back().word = from[index];
  }
  void scope(Scope &scope);
  void sets(Scope &scope);
  void facts(Scope &scope);
  void table(Table &table);
  void directive(DirectiveDecl &decl);
  void limit(LimitDecl &decl);
  /// Returns each part of a conjunction or disjunction, except `whole`.
  void parts(Place place, const std::string &text, Condition &whole) { parts(place, text, whole, whole); }
  void parts(Place place, const std::string &text, Condition &condition, const Condition &whole);
  /// Returns true for `ptx 2.0` beside `sm_20+`, for example: no version below 2.0 has such a target. The part is there
  /// for readers only.
  bool isImplied(const Condition &whole, const Condition &joint, const Condition &part) const;

  Model &model;
  const Scope *entry = nullptr;
  std::vector<Mutant> mutants;
};

} // namespace

static std::string textOf(const Condition &condition);

static std::string joined(const Condition &condition, const char *between) {
  std::string out;
  for (const Condition &part : condition.parts)
    out += (out.empty() ? "" : between) + textOf(part);
  return out;
}

static std::string textOf(const Condition &c) {
  auto version = [&] { return std::to_string(c.version / 100) + "." + std::to_string(c.version % 100); };
  auto words = [&] {
    std::string out;
    for (const std::string &word : c.words)
      out += (out.empty() ? "" : ", ") + word;
    return out;
  };
  switch (c.kind) {
  case Condition::And: return joined(c, " & ");
  case Condition::Or: return "(" + joined(c, " | ") + ")";
  case Condition::Not: return "!" + joined(c, "");
  case Condition::Ptx: return "ptx " + version();
  case Condition::Release: return "since-ptxas " + version();
  case Condition::Warn: return c.argument.empty() ? "ptxas" : "warn(" + c.argument + ")";
  case Condition::Compare: return c.text + (c.unequal ? " != " : " = ") + words();
  case Condition::AnyWord: return "{ " + words() + " }";
  case Condition::Call: return c.text + "(" + c.argument + ")";
  case Condition::In: return c.text + " in " + std::to_string(c.ranges.front().low) + "..";
  case Condition::Target:
  case Condition::Word:
  case Condition::Name: break;
  }
  return c.text;
}

static Condition always() {
  Condition condition;
  condition.kind = Condition::Ptx; // version 0
  return condition;
}

namespace {

/// A condition under one version and target, which decide the condition even without its part `left`.
class UnderContext {
public:
  UnderContext(uint16_t ptx, const isa::Target &target, const Condition *left = nullptr)
      : ptx(ptx), target(target), left(left) {}
  std::optional<bool> operator()(const Condition &c) const {
    switch (c.kind) {
    case Condition::And: return joined(c, false);
    case Condition::Or: return joined(c, true);
    case Condition::Not: {
      const std::optional<bool> inner = (*this)(c.parts.front());
      return inner ? std::optional(!*inner) : std::nullopt;
    }
    case Condition::Ptx: return ptx >= c.version;
    case Condition::Target: return isMeant(c.text);
    case Condition::Release: return true;
    default: return std::nullopt;
    }
  }

private:
  std::optional<bool> joined(const Condition &c, bool decides) const {
    std::optional<bool> all = !decides;
    for (const Condition &part : c.parts) {
      if (&part == left)
        continue;
      const std::optional<bool> one = (*this)(part);
      if (one == decides)
        return one;
      if (!one)
        all = one;
    }
    return all;
  }
  bool isMeant(llvm::StringRef name) const {
    const bool orHigher = name.consume_back("+");
    const auto *base =
        llvm::find_if(isa::targets(), [&](const isa::Target &t) { return llvm::StringRef(t.name()) == name; });
    if (base == isa::targets().end())
      return false;
    if (!orHigher)
      return target.number == base->number && target.variant == base->variant;
    return target.number >= base->number && (!base->variant || (target.variant && target.family == base->family));
  }

  const uint16_t ptx;
  const isa::Target &target;
  const Condition *left;
};

} // namespace

bool Finder::isImplied(const Condition &whole, const Condition &joint, const Condition &part) const {
  const bool neutral = joint.kind == Condition::And;
  for (uint16_t version : isa::versions())
    for (const isa::Target &target : isa::targets()) {
      if (target.since > version || !target.documented || isa::versionMeaning(version) != version ||
          UnderContext(version, target)(part) == neutral)
        continue;
      const std::optional<bool> with = UnderContext(version, target)(whole);
      if (!with || with != UnderContext(version, target, &part)(whole))
        return false;
    }
  return true;
}

void Finder::parts(Place place, const std::string &text, Condition &condition, const Condition &whole) {
  if (condition.kind == Condition::And || condition.kind == Condition::Or)
    for (size_t i = 0; i < condition.parts.size(); ++i) {
      const Condition &part = condition.parts[i];
      if (part.kind == Condition::Release || isImplied(condition, condition, part) || isImplied(whole, condition, part))
        continue; // a note decides nothing
      if (condition.parts.size() > 1)
        removeAt(place, "part", text + ": " + textOf(part), condition.parts, i);
      parts(place, text, condition.parts[i], whole);
    }
  else if (condition.kind == Condition::Not)
    parts(place, text, condition.parts.front(), whole);
  else if ((condition.kind == Condition::Compare || condition.kind == Condition::AnyWord) && condition.words.size() > 1)
    for (size_t i = 0; i < condition.words.size(); ++i)
      removeWordAt(place, "part", text + ": " + condition.words[i] + " of " + textOf(condition), condition.words, i);
}

void Finder::sets(Scope &scope) {
  std::set<std::pair<uint32_t, std::string>> seen; // `.a = .b = {...}` is one set of two names
  for (auto &[name, set] : scope.sets)
    for (size_t i = 0, end; i < set.items.size(); i = end) {
      const SetItem item = set.items[i];
      end = i + 1;
      while (end < set.items.size() && set.items[end].pattern == item.pattern)
        ++end;
      if (!seen.insert({set.place.line, item.pattern}).second)
        continue;
      std::vector<Set *> same;
      for (auto &[other, twin] : scope.sets)
        if (twin.place.line == set.place.line && twin.items.size() == set.items.size() &&
            twin.items[i].pattern == item.pattern)
          same.push_back(&twin);
      const std::string text = item.pattern + " of " + name;
      mutants.push_back(
          {set.place, "value", text, item.pattern, entry, false, [same, i, end]() -> std::function<void()> {
             const std::vector<SetItem> before = same.front()->items;
             for (Set *one : same)
               one->items.erase(one->items.begin() + i, one->items.begin() + end);
             return [same, before] {
               for (Set *one : same)
                 one->items = before;
             };
           }});
      if (!item.gate)
        continue;
      replace(set.place, "gate", text + ": " + textOf(*item.gate), *item.gate, always());
      parts(set.place, text, *item.gate);
    }
}

void Finder::table(Table &table) {
  for (size_t r = 0; r < table.rows.size(); ++r) {
    Table::Row &row = table.rows[r];
    std::string text;
    for (const Cell &cell : row.cells)
      text += (text.empty() ? "" : " | ") + (cell.condition ? textOf(*cell.condition) : cell.text);
    removeAt(row.place, "row", text, table.rows, r);
    for (size_t c = 0; c < row.cells.size(); ++c) {
      Cell &cell = row.cells[c];
      if (cell.condition) {
        replace(row.place, "gate", text, cell.condition, std::optional<Condition>());
        parts(row.place, text, *cell.condition);
      }
      const isa::ColumnKind kind = table.columns[c].kind;
      if (kind == isa::ColumnKind::Slot && cell.names.size() + cell.absent > 1) {
        for (size_t i = 0; i < cell.names.size(); ++i)
          removeWordAt(row.place, "cell", cell.names[i] + " of " + text, cell.names, i);
        if (cell.absent)
          replace(row.place, "cell", "- of " + text, cell.absent, false);
      }
      if (kind == isa::ColumnKind::Values && cell.ranges.size() > 1)
        for (size_t i = 0; i < cell.ranges.size(); ++i)
          removeAt(row.place, "cell", std::to_string(cell.ranges[i].low) + " of " + text, cell.ranges, i);
      if (kind == isa::ColumnKind::Length && cell.terms.size() > 1)
        for (size_t i = 0; i < cell.terms.size(); ++i)
          removeAt(row.place, "cell", "length " + std::to_string(i) + " of " + text, cell.terms, i);
    }
  }
}

void Finder::scope(Scope &scope) {
  sets(scope);
  for (Table &one : scope.tables)
    table(one);
  for (size_t i = 0; i < scope.rules.size(); ++i) {
    Rule &rule = scope.rules[i];
    removeAt(rule.place, "rule", rule.text, scope.rules, i);
    if (rule.when)
      parts(rule.place, rule.text, *rule.when);
    parts(rule.place, rule.text, rule.require);
  }
  for (size_t i = 0; i < scope.checks.size(); ++i)
    removeAt(scope.checks[i].place, "check", scope.checks[i].name, scope.checks, i);
  for (auto &[name, gate] : scope.gates) {
    replace(gate.place, "gate", name, gate.condition, always());
    parts(gate.place, name, gate.condition);
  }
  for (auto &[name, operand] : scope.operands) {
    if (!operand.ranges.empty())
      replace(operand.place, "range", name, operand.ranges, {});
    if (operand.with) {
      replace(operand.place, "with", name, operand.with, std::optional<Condition>());
      parts(operand.place, name, *operand.with);
    }
  }
  const size_t firstOfFacts = mutants.size();
  facts(scope);
  for (size_t i = firstOfFacts; i < mutants.size(); ++i)
    mutants[i].ofFacts = true;
  for (auto &block : scope.blocks)
    this->scope(*block);
}

void Finder::directive(DirectiveDecl &decl) {
  const std::string name = decl.isPragma ? "\"" + decl.name + "\"" : decl.name;
  if (decl.gate) {
    replace(decl.place, "gate", name, decl.gate, std::optional<Condition>());
    parts(decl.place, name, *decl.gate);
  }
  for (auto [what, list] : {std::pair("place", &decl.places), std::pair("excludes", &decl.excludes),
                            std::pair("needs", &decl.needs), std::pair("idle-without", &decl.idleWithout)})
    for (size_t i = 0; i < list->size(); ++i)
      removeAt((*list)[i].first, what, (*list)[i].second + " of " + name, *list, i);
  for (auto &[argument, declared] : decl.arguments) {
    if (!declared.ranges.empty())
      replace(declared.place, "range", argument + " of " + name, declared.ranges, {});
    for (size_t i = 0; i < declared.texts.size(); ++i)
      removeAt(declared.place, "text", declared.texts[i] + " of " + name, declared.texts, i);
    if (declared.kind == "u32")
      replace(declared.place, "kind", argument + " of " + name, declared.kind, std::string("u64"));
  }
  if (decl.once)
    replace(decl.place, "once", name, decl.once, false);
  if (decl.idleSince)
    replace(decl.place, "idle-since", name, decl.idleSince, uint16_t(0));
}

void Finder::limit(LimitDecl &decl) {
  for (size_t i = 0; i < decl.values.size(); ++i) {
    LimitDecl::Value &value = decl.values[i];
    const std::string text = decl.name + " " + std::to_string(value.value);
    replace(decl.place, "limit", text + " + 1", value.value, value.value + 1);
    replace(decl.place, "limit", text + " - 1", value.value, value.value - 1);
    if (!value.gate)
      continue;
    removeAt(decl.place, "limit", text, decl.values, i);
    parts(decl.place, text, *value.gate);
  }
}

void Finder::facts(Scope &scope) {
  for (size_t i = 0; i < scope.facts.size(); ++i) {
    Fact &fact = scope.facts[i];
    removeAt(fact.place, "fact", fact.text, scope.facts, i);
    if (fact.when)
      parts(fact.place, fact.text, *fact.when);
    for (const auto &[clause, words] : fact.clauses) {
      auto fewer = fact.clauses;
      fewer.erase(clause);
      replace(fact.place, "fact", clause + " of " + fact.text, fact.clauses, std::move(fewer));
    }
  }
  for (auto &[name, operand] : scope.operands) {
    if (operand.access != isa::Access::None)
      replace(operand.place, "access", name, operand.access, isa::Access::None);
    if (!operand.accessType.empty())
      replace(operand.place, "access", operand.accessType + " of " + name, operand.accessType, std::string());
    if (!operand.accessLengths.empty())
      replace(operand.place, "access", "length of " + name, operand.accessLengths, {});
    if (!operand.accessSize.empty())
      replace(operand.place, "access", "by " + operand.accessSize + " of " + name, operand.accessSize, std::string());
    if (operand.rules & isa::Updated)
      replace(operand.place, "access", "inout " + name, operand.rules, operand.rules & ~uint32_t(isa::Updated));
  }
}

std::vector<Mutant> Finder::run() {
  scope(model.shared);
  for (auto &file : model.fileScopes)
    scope(*file);
  std::set<const Condition *> seen; // words and registers of one line share a gate
  for (auto &[word, gate] : model.vocabulary.gates)
    if (seen.insert(gate.get()).second) {
      replace(gate->place, "gate", word, *gate, always());
      parts(gate->place, word, *gate);
    }
  for (RegisterDecl &reg : model.registers)
    if (reg.gate && seen.insert(reg.gate.get()).second) {
      replace(reg.place, "gate", reg.name, *reg.gate, always());
      parts(reg.place, reg.name, *reg.gate);
    }
  const size_t first = mutants.size();
  for (DirectiveDecl &one : model.directives)
    directive(one);
  for (FeatureDecl &one : model.features) {
    replace(one.place, "gate", one.name, one.gate, always());
    parts(one.place, one.name, one.gate);
  }
  for (RuntimeFunctionDecl &one : model.runtimeFunctions) {
    if (one.gate)
      replace(one.place, "gate", one.name, *one.gate, always());
    if (one.neverReturns)
      replace(one.place, "noreturn", one.name, one.neverReturns, false);
  }
  for (LimitDecl &one : model.limits)
    limit(one);
  for (auto &[word, declared] : model.vocabulary.declarable) {
    replace(declared.second, "declarable", word, declared.first, isa::Declarable::OfInstructions);
    mutants.back().word = word;
  }
  for (Mutant &mutant : llvm::MutableArrayRef(mutants).drop_front(first))
    mutant.ofModules = true;
  for (Entry &one : model.entries) {
    entry = one.scope.get();
    scope(*one.scope);
  }
  return std::move(mutants);
}

std::vector<Mutant> findMutants(Model &model) { return Finder(model).run(); }

} // namespace ptxray::test
