// `--explain NAME` prints the meaning of all forms of a mnemonic, collected from the files that define it, with gates
// in words. It needs only the model, so an entry can be examined while its data cannot be compiled yet.
#include "Resolve.h"
#include <algorithm>
#include <cctype>
#include <fstream>

namespace ptxray::isagen {

namespace {

class Explainer {
public:
  Explainer(const Model &model, std::ostream &out) : model(model), out(out) {}
  void entry(const Entry &entry);

private:
  void scope(const Scope &scope);
  void form(const Form &form, const Scope &scope);
  void set(const std::string &word, const Scope &scope);
  void operand(const PatternNode &node, const Scope &scope);
  void rules(const Scope &scope);
  void table(const Table &table);
  void gatesOf(const Condition &condition, const Scope &scope);

  /// Returns the declaration of an operand as its file has it.
  std::string declaration(Place place, const std::string &name);
  std::string where(Place place) const { return model.names[place.file] + ":" + std::to_string(place.line); }

  const Model &model;
  std::ostream &out;
  std::map<uint16_t, std::vector<std::string>> lines; // lines of each file
  std::map<std::string, std::string> gates;           // gates met so far, from name to meaning
};

/// Returns the first scope, from the inside out, in which `find` finds something.
template <typename T, typename Find> const T *lookUp(const Scope *scope, Find find) {
  for (; scope; scope = scope->parent)
    if (const T *found = find(*scope))
      return found;
  return nullptr;
}

template <typename T> const T *findIn(const std::map<std::string, T> &map, const std::string &name) {
  auto found = map.find(name);
  return found == map.end() ? nullptr : &found->second;
}

std::string listed(const std::vector<std::string> &words, const std::string &between) {
  std::string text;
  for (const std::string &word : words)
    text += (text.empty() ? "" : between) + word;
  return text;
}

std::string versionText(uint16_t version) {
  return std::to_string(version / 100) + "." + std::to_string(version % 100);
}

std::string inWords(const Condition &condition) {
  std::vector<std::string> parts;
  const bool ofConjunctions = std::any_of(condition.parts.begin(), condition.parts.end(),
                                          [](const Condition &part) { return part.kind == Condition::And; });
  for (const Condition &part : condition.parts) {
    const bool needsParentheses = condition.kind != Condition::Or && part.kind == Condition::Or;
    parts.push_back(needsParentheses ? "(" + inWords(part) + ")" : inWords(part));
  }
  switch (condition.kind) {
  case Condition::And: return listed(parts, " and ");
  case Condition::Or: return listed(parts, ofConjunctions ? "; or " : " or ");
  case Condition::Not: return "not " + listed(parts, "");
  case Condition::Ptx: return "PTX " + versionText(condition.version) + " or newer";
  case Condition::Release: return "with a note: since ptxas " + versionText(condition.version);
  case Condition::Warn:
    return "with a warning: " + (condition.argument.empty() ? "only ptxas accepts it" : condition.argument);
  case Condition::Target:
    return condition.text.back() == '+' ? condition.text.substr(0, condition.text.size() - 1) + " or newer"
                                        : condition.text;
  case Condition::Word: return listed(condition.words, " or ") + " is written";
  case Condition::AnyWord: return "one of " + listed(condition.words, ", ") + " is written";
  case Condition::Compare:
    return condition.text + (condition.unequal ? " is none of " : " is ") + listed(condition.words, " or ");
  case Condition::Call: return condition.text + "(" + condition.argument + ")";
  case Condition::In: return condition.text + " is in its range";
  case Condition::Name: return condition.text;
  }
  return "";
}

} // namespace

static bool isBlank(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }
static bool isOfName(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-'; }

/// Returns the place of the colon after a name and the names listed with it, as in `a, b : ...`, or npos if there is
/// none.
static size_t colonBehind(const std::string &text, size_t at) {
  auto skip = [&](bool (*isSkipped)(char)) {
    while (at < text.size() && isSkipped(text[at]))
      ++at;
  };
  for (skip(isBlank); at < text.size() && text[at] == ','; skip(isBlank)) {
    ++at;
    skip(isBlank);
    skip(isOfName);
  }
  return at < text.size() && text[at] == ':' ? at : std::string::npos;
}

std::string Explainer::declaration(Place place, const std::string &name) {
  std::vector<std::string> &text = lines[place.file];
  if (text.empty()) {
    std::ifstream stream(model.files[place.file]);
    for (std::string line; std::getline(stream, line);)
      text.push_back(line.substr(0, line.find("//")));
  }
  constexpr size_t mostLines = 10;
  std::string statements;
  for (size_t i = place.line - 1; i < std::min(text.size(), place.line + mostLines); ++i)
    statements += text[i] + " ";
  for (size_t at = statements.find(name); at != std::string::npos; at = statements.find(name, at + 1)) {
    const size_t colon = colonBehind(statements, at + name.size());
    if ((at > 0 && isOfName(statements[at - 1])) || colon == std::string::npos)
      continue;
    std::string declared = name + " :";
    for (const char c : statements.substr(colon + 1, statements.find_first_of(";{}", colon) - colon - 1))
      if (!isBlank(c) || !isBlank(declared.back()))
        declared += isBlank(c) ? ' ' : c;
    return declared;
  }
  return name;
}

void Explainer::gatesOf(const Condition &condition, const Scope &scope) {
  for (const Condition &part : condition.parts)
    gatesOf(part, scope);
  if (condition.kind != Condition::Name || gates.count(condition.text))
    return;
  const Gate *gate = lookUp<Gate>(&scope, [&](const Scope &at) { return findIn(at.gates, condition.text); });
  if (!gate)
    return; // the name is an operand
  gates[condition.text] = inWords(gate->condition) + "  (" + where(gate->place) + ")";
  gatesOf(gate->condition, scope);
}

void Explainer::set(const std::string &word, const Scope &scope) {
  const Set *set = lookUp<Set>(&scope, [&](const Scope &at) { return findIn(at.sets, word); });
  if (!set)
    return; // the name is a word itself
  out << "    " << word << " is one of";
  for (const SetItem &item : set->items) {
    out << (&item == &set->items.front() ? " " : ", ") << item.word;
    if (!item.gate)
      continue;
    out << " [" << inWords(*item.gate) << "]";
    gatesOf(*item.gate, scope);
  }
  if (!set->fallback.empty())
    out << "; " << set->fallback << " if none is written";
  out << "  (" << where(set->place) << ")\n";
  for (const SetItem &item : set->items)
    if (item.word != word)
      this->set(item.word, scope);
}

void Explainer::operand(const PatternNode &node, const Scope &scope) {
  for (const PatternNode &child : node.children)
    operand(child, scope);
  if (node.name.empty())
    return;
  const Operand *declared = lookUp<Operand>(&scope, [&](const Scope &at) { return findIn(at.operands, node.name); });
  if (declared)
    out << "    " << declaration(declared->place, node.name) << "  (" << where(declared->place) << ")\n";
  else
    out << "    " << node.name << " is not declared\n";
}

void Explainer::rules(const Scope &scope) {
  for (const Rule &rule : scope.rules) {
    out << "    " << rule.text << "  (" << where(rule.place) << ")\n";
    gatesOf(rule.require, scope);
    if (rule.when)
      gatesOf(*rule.when, scope);
  }
  for (const Check &check : scope.checks)
    out << "    check " << check.name << "  (" << where(check.place) << ")\n";
  for (const Table &table : scope.tables)
    this->table(table);
}

void Explainer::table(const Table &table) {
  std::vector<std::string> columns;
  for (const Column &column : table.columns)
    columns.push_back(column.text);
  out << "    table " << listed(columns, " | ") << "  (" << where(table.place) << ")\n";
  for (const Table::Row &row : table.rows) {
    std::vector<std::string> cells;
    for (const Cell &cell : row.cells)
      cells.push_back(cell.text);
    out << "      " << listed(cells, " | ") << "\n";
  }
}

void Explainer::form(const Form &form, const Scope &scope) {
  out << "\n  " << form.text << "  (" << where(form.place) << ")\n";
  for (const Element &element : form.elements)
    set(element.word, scope);
  for (const PatternNode &node : form.operands)
    operand(node, scope);
}

void Explainer::scope(const Scope &scope) {
  for (const Form &one : scope.forms)
    form(one, scope);
  if (!scope.rules.empty() || !scope.checks.empty() || !scope.tables.empty()) {
    out << "\n  for all forms " << (scope.forms.empty() ? "that follow" : "above") << "\n";
    rules(scope);
  }
  for (const std::unique_ptr<Scope> &block : scope.blocks)
    this->scope(*block);
}

void Explainer::entry(const Entry &entry) {
  out << listed(entry.mnemonics, ", ") << ": " << entry.title << "\nmanual " << entry.manual << ", "
      << where(entry.place) << "\n";
  gates.clear();
  scope(*entry.scope);
  if (!gates.empty())
    out << "\n  gates\n";
  for (const auto &[name, meaning] : gates)
    out << "    " << name << ": " << meaning << "\n";
}

bool explain(const Model &model, const std::string &mnemonic, std::ostream &out) {
  bool any = false;
  for (const Entry &entry : model.entries) {
    if (std::find(entry.mnemonics.begin(), entry.mnemonics.end(), mnemonic) == entry.mnemonics.end())
      continue;
    out << (any ? "\n" : "");
    Explainer(model, out).entry(entry);
    any = true;
  }
  return any;
}

std::string nearestMnemonic(const Model &model, const std::string &mnemonic) {
  std::set<std::string> known;
  for (const Entry &entry : model.entries)
    known.insert(entry.mnemonics.begin(), entry.mnemonics.end());
  return didYouMean(mnemonic, known);
}

} // namespace ptxray::isagen
