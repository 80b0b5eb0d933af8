#include "Mutants.h"

namespace ptxray::test {

using namespace isagen;

namespace {

class Finder {
public:
  explicit Finder(Model &model) : model(model) {}
  std::vector<Mutant> run();

private:
  /// A mutant that puts `changed` in the place of `target`.
  template <typename T>
  void replace(Place place, const std::string &kind, const std::string &text, T &target, T changed) {
    // Swapped, not copied: the original keeps its place in memory, and other mutants refer to its parts.
    auto other = std::make_shared<T>(std::move(changed));
    mutants.push_back({place, kind, text, entry, [&target, other]() -> std::function<void()> {
                         std::swap(target, *other);
                         return [&target, other] { std::swap(target, *other); };
                       }});
  }
  template <typename T>
  void removeAt(Place place, const std::string &kind, const std::string &text,
                std::vector<T> &from, size_t index, size_t count = 1) {
    std::vector<T> changed = from;
    changed.erase(changed.begin() + index, changed.begin() + index + count);
    replace(place, kind, text, from, std::move(changed));
  }
  void scope(Scope &scope);
  void sets(Scope &scope);
  void table(Table &table);
  /// Each part of a conjunction or disjunction, `whole` excepted.
  void parts(Place place, const std::string &text, Condition &condition);
  /// `ptx 2.0` beside `sm_20+`: no version below 2.0 has such a target. It stands there for those who read it.
  bool isImplied(const Condition &whole, const Condition &part) const;

  Model &model;
  const Scope *entry = nullptr;
  std::map<std::string, uint16_t> since; // of each target
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
  case Condition::And:
    return joined(c, " & ");
  case Condition::Or:
    return "(" + joined(c, " | ") + ")";
  case Condition::Not:
    return "!" + joined(c, "");
  case Condition::Ptx:
    return "ptx " + version();
  case Condition::Ptxas:
    return "ptxas " + version();
  case Condition::Compare:
    return c.text + (c.unequal ? " != " : " = ") + words();
  case Condition::AnyWord:
    return "{ " + words() + " }";
  case Condition::Call:
    return c.text + "(" + c.argument + ")";
  case Condition::In:
    return c.text + " in " + std::to_string(c.ranges.front().low) + "..";
  case Condition::Target:
  case Condition::Word:
  case Condition::Name:
    break;
  }
  return c.text;
}

static Condition always() {
  Condition condition;
  condition.kind = Condition::Ptx; // version 0
  return condition;
}

bool Finder::isImplied(const Condition &whole, const Condition &part) const {
  return whole.kind == Condition::And && part.kind == Condition::Ptx &&
         std::any_of(whole.parts.begin(), whole.parts.end(), [&](const Condition &other) {
           const auto target = since.find(other.text.substr(0, other.text.find('+')));
           return other.kind == Condition::Target && target != since.end() &&
                  target->second >= part.version;
         });
}

void Finder::parts(Place place, const std::string &text, Condition &condition) {
  if (condition.kind == Condition::And || condition.kind == Condition::Or)
    for (size_t i = 0; i < condition.parts.size(); ++i) {
      const Condition &part = condition.parts[i];
      if (part.kind == Condition::Ptxas || isImplied(condition, part))
        continue; // only a note
      if (condition.parts.size() > 1)
        removeAt(place, "part", text + ": " + textOf(part), condition.parts, i);
      parts(place, text, condition.parts[i]);
    }
  else if (condition.kind == Condition::Not)
    parts(place, text, condition.parts.front());
  else if ((condition.kind == Condition::Compare || condition.kind == Condition::AnyWord) &&
           condition.words.size() > 1)
    for (size_t i = 0; i < condition.words.size(); ++i)
      removeAt(place, "part", text + ": " + condition.words[i] + " of " + textOf(condition),
               condition.words, i);
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
      mutants.push_back({set.place, "value", text, entry, [same, i, end]() -> std::function<void()> {
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
          removeAt(row.place, "cell", cell.names[i] + " of " + text, cell.names, i);
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
  for (auto &block : scope.blocks)
    this->scope(*block);
}

std::vector<Mutant> Finder::run() {
  for (const TargetDecl &target : model.targets)
    since[target.name] = target.since;
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
  for (Entry &one : model.entries) {
    entry = one.scope.get();
    scope(*one.scope);
  }
  return std::move(mutants);
}

std::vector<Mutant> findMutants(Model &model) { return Finder(model).run(); }

} // namespace ptxray::test
