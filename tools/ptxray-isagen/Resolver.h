#pragma once
// The state of name resolution: one object for all files, and one FormContext for the current form.
#include "Resolve.h"
#include "Source/Narrow.h"
#include <algorithm>
#include <sstream>
#include <unordered_map>

namespace ptxray::isagen {

using isa::ExprId;
using isa::ExprOp;
using isa::WordId;

inline constexpr ExprId True = 0, False = 1;

/// A word of a set with its gates, from the outermost set to its own.
struct Value {
  std::string word;
  std::vector<std::pair<const Condition *, const Scope *>> gates;
};

struct FormSlot {
  std::string name;
  const Set *set = nullptr; // null for a literal
  std::vector<Value> values;
  bool optional = false, suffix = false;
  std::string fallback;

  bool holds(const std::string &word) const {
    return std::any_of(values.begin(), values.end(), [&](const Value &value) { return value.word == word; });
  }
};
struct FormOperand {
  std::string name;
  bool required; // present in every text of the form
};

/// The parts of a form that its statements mention.
struct Spoken {
  std::set<size_t> slots, operands;
  std::set<std::string> words;
  std::set<size_t> results; // operands that some formula or fact writes
  bool isAll = false;       // a named function receives the whole instruction
};

/// The current form.
struct FormContext {
  const Entry *entry;
  const Scope *scope;
  const Form *form;
  std::vector<FormSlot> slots;
  std::vector<FormOperand> operands;
  bool readsValues = false, readsRegisters = false;
  Spoken spoken;
  Usage *usage;

  int slot(const std::string &name) const {
    for (size_t i = 0; i < slots.size(); ++i)
      if (slots[i].name == name)
        return static_cast<int>(i);
    return -1;
  }
  int operand(const std::string &name) const {
    for (size_t i = 0; i < operands.size(); ++i)
      if (operands[i].name == name)
        return static_cast<int>(i);
    return -1;
  }
  /// Returns the default word of a slot, even if the form lacks the slot.
  std::string fallback(const std::string &name) const {
    for (const Scope *at = scope; at; at = at->parent)
      if (auto set = at->sets.find(name); set != at->sets.end() && !set->second.fallback.empty()) {
        usage->sets.insert(&set->second);
        return set->second.fallback;
      }
    return "";
  }
};

struct FormColumn;
struct FormRow;
struct FoundOperand;
struct Rows;

class Resolver {
public:
  Resolver(const Model &model, const RuleNames &rules, Output &output, Usage &usage, Errors &errors)
      : model(model), rules(rules), output(output), usage(usage), errors(errors) {}
  void run();

private:
  // ---- pools
  isa::StoredText text(const std::string &value);
  template <typename T> isa::Span intern(std::vector<T> &pool, const std::vector<T> &run);
  template <typename T> uint32_t internOne(std::vector<T> &pool, const T &value) {
    return intern(pool, std::vector<T>{value}).first;
  }
  isa::Span wordRun(const std::set<std::string> &words);
  WordId wordId(const std::string &word) const {
    auto found = wordIds.find(word);
    return found == wordIds.end() ? WordId(0) : found->second;
  }

  // ---- sets and words
  const Set *findSet(const Scope *scope, const std::string &name, const Scope **where = nullptr);
  std::vector<Value> expand(const Scope *scope, const std::string &name, int depth = 0);
  std::set<std::string> wordsOf(const Scope *scope, const std::string &name, Place place);
  void collectWords(const Scope &scope, std::set<std::string> &words);
  void collectVocabulary();
  uint8_t wordKind(const std::string &kind);
  isa::Word word(const std::string &spelling);
  isa::Word *listedWord(Place place, const std::string &word);
  void gatesOfWords(const std::map<std::string, std::shared_ptr<Condition>> &gates, ExprId isa::Word::*field);
  void declarableTypes();
  void addressesOfSpaces();
  void meanings();
  void examples();
  void words();
  void targets();
  void registers();

  // ---- directives
  template <typename Decl> std::vector<const Decl *> sortedByName(const std::vector<Decl> &all, const char *what);
  uint16_t directiveIndex(Place place, const std::string &name);
  isa::Span directiveList(const DirectiveDecl &decl, const std::vector<std::pair<Place, std::string>> &names);
  void places(const DirectiveDecl &decl, isa::Directive &result);
  isa::DirectiveArgument argument(const DirectiveDecl &decl, const WrittenArgument &written);
  isa::Directive directive(const DirectiveDecl &decl);
  bool gateHolds(ExprId gate, uint16_t ptx, size_t target) const;
  ExprId usefulGate(Place place, const Condition &gate);
  void directives();
  void features();
  void limits();

  // ---- conditions
  ExprId expr(ExprOp op, bool gateOnly, uint32_t a = 0, uint32_t b = 0, uint32_t c = 0);
  ExprId both(const std::vector<ExprId> &parts, bool isAnd);
  ExprId negation(ExprId part);
  ExprId condition(const Condition &condition, const Scope &scope);
  ExprId targetCondition(const Condition &condition);
  ExprId nameCondition(const Condition &condition, const Scope &scope);
  ExprId callCondition(const Condition &condition);
  ExprId warning(const Condition &condition);
  ExprId wordCondition(const Condition &condition, const Scope &scope);
  ExprId compareCondition(const Condition &condition, const Scope &scope);
  ExprId slotIs(size_t slot, const std::set<std::string> &words);
  ExprId anyWord(const std::set<std::string> &words);
  bool alive(const std::set<std::string> &words) const;
  void note(const Condition &condition, const std::string &word, bool fits) {
    if (!insideGate)
      usage.conditionWords[{&condition, word}] |= fits;
  }

  // ---- forms
  void entry(const Entry &entry);
  void block(const Entry &entry, const Scope &scope);
  void form(const Entry &entry, const Scope &scope, const Form &form);
  FormSlot makeSlot(const Scope &scope, const std::string &word, bool optional, bool suffix, Place place);
  void pattern(const PatternNode &node, bool required, std::vector<isa::Pattern> &patterns);
  bool spellMnemonics(const Entry &entry, isa::Form &result);
  isa::Slot slot(const FormSlot &slot);
  std::optional<uint32_t> rule(const Rule &rule, const Scope &scope);
  uint32_t check(const Check &check);
  void statements(const Scope &innermost, isa::Form &result, std::vector<isa::Fact> &stated);

  // ---- operands
  bool resolveTerm(const Term &term, isa::Term &result);
  std::optional<FoundOperand> findOperand(const std::string &name);
  bool isType(const std::string &word) const;
  bool meansType(const std::string &word) const;
  WordId fixedWord(const std::string &word) const;
  isa::TypeRef typeRef(const Operand &decl, const std::string &word) const;
  bool isSlotOfOthers(const std::string &word);
  bool isTypeOfAddress(const std::string &word) const;
  std::optional<isa::SpaceRef> spaceRef(const Operand &decl, const std::string &word);
  void typeAndSpaces(const std::string &name, const Operand &decl, isa::OperandDecl &result);
  isa::Span lengths(const std::vector<Term> &written, const Scope &home);
  void access(const FoundOperand &found, isa::OperandDecl &result);
  isa::OperandDecl operand(const std::string &name);

  // ---- tables
  std::optional<FormColumn> slotColumn(const Table &table, size_t index);
  FormColumn operandColumn(const Table &table, size_t index);
  std::optional<FormColumn> columnOfSeveral(const Table &table, size_t index);
  std::optional<FormColumn> formColumn(const Table &table, size_t index);
  void misplaced(const Cell &cell, const FormColumn &column);
  bool cellHolds(const Cell &cell, const Scope &scope, const std::string &word);
  std::optional<isa::Cell> cellOfWords(const Cell &cell, const Scope &scope, const FormSlot &slot);
  std::optional<isa::Cell> slotCell(const FormColumn &column, const Cell &cell, const Scope &scope);
  std::optional<isa::Cell> operandCell(const FormColumn &column, const Cell &cell);
  isa::Cell lengthCell(const FormColumn &column, const Cell &cell, bool rowFits);
  isa::Cell valuesCell(const FormColumn &column, const Cell &cell);
  std::optional<isa::Cell> conditionCell(const Cell &cell, const Scope &scope);
  void addCell(const FormColumn &column, const Scope &scope, FormRow &row);
  void noteUse(const std::vector<FormColumn> &slotColumns, const std::vector<FormRow> &rows, const Scope &scope);
  uint32_t addTable(const Table &table, const std::vector<isa::Column> &columns, const std::vector<FormRow> &rows);
  std::optional<uint32_t> table(const Table &table, const Scope &scope);

  // ---- facts
  void facts(const Scope &scope, std::vector<isa::Fact> &stated);
  bool isWellFormed(const Fact &fact);
  isa::Fact fact(const Fact &fact);
  bool subjects(const Fact &fact, isa::Fact result, std::vector<isa::Fact> &stated);
  int8_t factOperand(const Fact &fact, const std::string &name);
  uint16_t groupBits(const std::vector<std::string> &names);

  // ---- formulas
  void formulas(isa::Form &result, const std::vector<isa::Fact> &stated, const std::vector<isa::OperandDecl> &operands);
  std::optional<isa::Formula> formula(const Formula &formula, const Scope &scope, Rows &rows);
  bool target(const Formula &formula, isa::Formula &result, uint8_t value, Rows &rows);
  void conversions();
  std::vector<uint16_t> conversionsOf(const std::set<size_t> &slots, const std::set<std::string> &words);
  uint8_t kindsOf(const isa::OperandDecl &operand) const;
  uint8_t kindsOfType(WordId word) const;
  isa::Span steps(const Rows &rows);
  std::optional<size_t> row(const Expression &all, size_t node, Rows &rows);
  std::optional<size_t> nameRow(const Expression &all, const ExpressionNode &node, Rows &rows);
  std::optional<size_t> callRow(const Expression &all, const ExpressionNode &node, Rows &rows);
  std::optional<size_t> wordCallRow(const Expression &all, const ExpressionNode &node, Rows &rows,
                                    const std::string &word);
  std::optional<size_t> functionRow(const Expression &all, const ExpressionNode &node, isa::StepOp op, Rows &rows);
  std::optional<size_t> definedRow(const Expression &all, const ExpressionNode &node, const Definition &definition,
                                   const Scope &home, Rows &rows);
  std::optional<uint16_t> wordCall(size_t slot, const std::vector<uint8_t> &kinds, Place place, uint8_t &result);
  const Definition *findDefinition(const std::string &name, const Scope **home);
  std::optional<size_t> slotOf(const std::string &word, Place place, const Rows &rows);
  void spokenBy(const Condition &condition, const Scope &scope);
  void spokenBy(const isa::Fact &fact);
  void spokenBy(const isa::OperandDecl &operand);
  void hints();
  void unspoken(const isa::Form &form, const std::vector<isa::Fact> &stated,
                const std::vector<isa::OperandDecl> &operands);

  const Model &model;
  const RuleNames &rules;
  Output &output;
  Usage &usage;
  Errors &errors;
  FormContext *context = nullptr; // null between forms
  int insideGate = 0;
  std::map<std::string, WordId> wordIds;
  std::map<std::string, uint16_t> directiveIds;
  std::set<std::string> vocabulary; // all words, for suggestions
  std::map<std::string, isa::StoredText> textPool = {{"", {}}};
  std::map<const void *, std::unordered_map<std::string, uint32_t>> runs;
  std::map<const Entry *, std::set<std::string>> entryOperands; // in any of its forms
  std::map<const Entry *, std::set<std::string>> entrySets;     // in any of its blocks
  std::map<const Entry *, std::set<std::string>> entrySlots;    // sets in its forms
  std::map<const Entry *, std::set<std::string>> entryWords;    // words in its forms, whether or not they are in sets
  // Slots in the current condition that the form lacks, although it uses their words.
  std::set<std::string> foreignSlots;
  std::map<std::string, uint32_t> mnemonicIds;
  std::vector<std::vector<uint32_t>> formsOf; // indexed by mnemonic
};

template <typename T> isa::Span Resolver::intern(std::vector<T> &pool, const std::vector<T> &run) {
  if (run.empty())
    return {};
  std::ostringstream key;
  for (const T &value : run) {
    write(key, value);
    key << '\n';
  }
  auto [found, isNew] = runs[&pool].insert({key.str(), static_cast<uint32_t>(pool.size())});
  if (isNew)
    pool.insert(pool.end(), run.begin(), run.end());
  return {narrow<uint16_t>(found->second), narrow<uint16_t>(run.size())};
}

} // namespace ptxray::isagen
