#pragma once
// The files of grammar/isa as they are written, before anything is looked up. Read makes this model.
#include "Isa/DirectiveTables.h"
#include "Isa/Tables.h"
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace ptxray::isagen {

struct Place {
  uint16_t file = 0; // index into Model::files
  uint32_t line = 0;
};

struct Condition {
  enum Kind { And, Or, Not, Ptx, Target, Word, Compare, AnyWord, Call, In, Name, Warn, Release };
  Kind kind = And;
  Place place;
  std::string text;               // a word, a name, a target, the function of a Call
  std::string argument;           // of a Call; of a Warn the rule, empty: ptxas alone accepts it
  bool unequal = false;           // of a Compare
  uint16_t version = 0;           // of Ptx; of a Release that of ptxas
  std::vector<std::string> words; // of Compare and AnyWord
  std::vector<isa::ValueRange> ranges;
  std::vector<Condition> parts;
};

struct Term {
  Place place;
  std::string word; // the slot; empty: the number alone
  isa::Term value;  // without its slot
};

struct SetItem {
  std::string word;
  std::shared_ptr<Condition> gate; // items that one pattern spells share it
  std::string pattern;             // as written
};
struct Set {
  Place place;
  std::vector<SetItem> items;
  std::string fallback; // `default`
};

struct Operand {
  Place place;
  uint32_t rules = 0;
  isa::OperandRole role = isa::OperandRole::Value;
  std::string type;
  uint8_t factor = 1, divisor = 1;
  std::vector<Term> lengths;
  std::vector<std::string> spaces; // words of an address; one of them may turn out to be its type
  isa::Access access = isa::Access::None;
  std::string accessType, accessSpace; // `reads .type [.vec]`; of a descriptor `reads .shared`
  std::vector<Term> accessLengths;
  std::string accessSize; // `reads .type by size`: the operand that says how many bytes
  std::string format;     // `format smem`: what its bits say
  std::vector<isa::ValueRange> ranges;
  std::optional<Condition> with;
};

struct Element {
  std::string word;
  bool optional;
};
struct PatternNode {
  isa::PatternKind kind;
  bool optional = false, mayNegate = false, mayNot = false;
  std::string name;   // of an Operand
  std::string suffix; // `.unified`
  bool suffixOptional = false;
  std::vector<PatternNode> children;
};
struct Form {
  Place place;
  std::string text, base;
  std::vector<Element> elements;
  std::vector<PatternNode> operands;
};

struct Column {
  isa::ColumnKind kind;
  std::string text;
  std::vector<std::string> names; // the slot, or the operands
};
struct Cell {
  Place place;
  std::string text;
  bool any = false, absent = false;
  std::vector<std::string> names; // words and names
  std::vector<Term> terms;
  std::vector<isa::ValueRange> ranges;
  std::optional<Condition> condition; // in the column `requires`
};
struct Table {
  Place place;
  std::vector<Column> columns;
  struct Row {
    Place place;
    std::vector<Cell> cells;
  };
  std::vector<Row> rows;
};
struct Rule {
  Place place;
  std::string text;
  std::optional<Condition> when;
  Condition require;
};
struct Check {
  Place place;
  std::string name;
  bool ofRegisters; // it reads the numbers that registers hold
};
struct Fact {
  Place place;
  std::string text;
  isa::FactKind kind;
  std::vector<std::string> subjects;                       // `cp.async` of `commits cp.async`
  std::map<std::string, std::vector<std::string>> clauses; // by their first word: `by size`
  std::optional<Condition> when;
};
struct Gate {
  Place place;
  Condition condition;
};

/// An expression of a formula. What a node is made from comes before it; the last one is the whole.
struct ExpressionNode {
  enum Kind { Name, Number, Word, Call, WordCall, Memory, Named, Sign };
  Kind kind;
  isa::StepOp sign = isa::StepOp::Operand; // of a Sign
  std::string text = {};                   // a name, a word, an operand that leads to memory
  int64_t number = 0;
  std::vector<size_t> args = {};
};
struct Expression {
  Place place;
  std::vector<ExpressionNode> nodes;
};
struct Formula {
  Place place;
  std::string text;
  std::optional<Condition> when;
  isa::FormulaTarget target = isa::FormulaTarget::Nothing;
  std::string operand;
  bool approximate = false;
  std::string bound;
  Expression value;
};
/// `let NAME(parameters) = value`
struct Definition {
  Place place;
  std::vector<std::string> parameters;
  Expression value;
};
/// A conversion is done by a word to numbers of the given types when they are read or stored.
struct ConversionDecl {
  Place place;
  std::string word;
  bool isReading = false, ofIntegers = true, ofFloats = true;
  std::vector<std::string> types;
  Expression value;
};

/// A block, an entry, a file, or everything: names are looked up from the inside out.
struct Scope {
  Scope *parent = nullptr;
  std::map<std::string, Set> sets;
  std::map<std::string, Operand> operands;
  std::map<std::string, Gate> gates;
  std::vector<Form> forms;
  std::vector<Table> tables;
  std::vector<Rule> rules;
  std::vector<Check> checks;
  std::vector<Fact> facts;
  std::vector<Formula> formulas;
  std::map<std::string, Definition> definitions;
  std::map<std::string, Place> hints; // words and operands that change no result; "": neither does the instruction
  std::string outside;
  std::vector<std::unique_ptr<Scope>> blocks;
};

struct Entry {
  Place place;
  std::string title, manual, source;
  std::vector<std::string> mnemonics;
  std::unique_ptr<Scope> scope;
};

/// The meaning of a word or an operand.
struct Meaning {
  Place place;
  std::string text, topic;            // `toward zero`, `rounding`
  std::vector<std::string> mnemonics; // empty: wherever nothing else is said
};
/// An example of an instruction, a directive or a pragma.
struct Example {
  Place place;
  std::string right, wrong, refusedBy; // what is wrong, or the target that refuses the right text
};

struct Vocabulary {
  std::vector<std::string> types, layouts, spaces, operations;
  std::set<std::string> repeatable, skipped, known, hints;
  std::map<std::string, std::pair<isa::Declarable, Place>> declarable; // types
  std::map<std::string, std::pair<isa::Addresses, Place>> addresses;   // of whole spaces
  std::map<std::string, std::set<std::string>> skippedIn, ungatedIn;   // mnemonic to words
  std::map<std::string, std::string> kinds;                            // word to `rounding`
  std::multimap<std::string, Meaning> meanings;                        // of a word, an operand or a special register
  std::map<std::string, Example> examples;                             // by name
  std::map<std::string, std::shared_ptr<Condition>> gates, scalarGates;
  std::vector<ConversionDecl> conversions;
};

/// An argument of a directive: a name for a value, or a literal.
struct ArgumentDecl {
  Place place;
  std::string kind;
  std::vector<isa::ValueRange> ranges;
  std::vector<std::string> texts;
};
struct WrittenArgument {
  std::string name; // empty: `literal`
  std::string literal;
  uint8_t depth = 0; // of optional braces around it
  bool repeats = false;
};
struct DirectiveDecl {
  Place place;
  bool isPragma = false;
  std::string name, title, manual, syntax;
  bool documented = true, once = false;
  std::vector<WrittenArgument> written;
  std::map<std::string, ArgumentDecl> arguments;
  std::vector<std::pair<Place, std::string>> places;
  std::vector<std::pair<Place, std::string>> excludes, needs, idleWithout;
  uint16_t idleSince = 0;
  std::optional<Condition> gate;
};
struct FeatureDecl {
  Place place;
  std::string name, title;
  Condition gate;
};
struct LimitDecl {
  struct Value {
    uint64_t value;
    std::optional<Condition> gate;
  };
  Place place;
  std::string name;
  std::vector<Value> values;
};
struct RuntimeFunctionDecl {
  Place place;
  std::string name;
  bool neverReturns = false;
  std::optional<Condition> gate;
};

struct TargetDecl {
  Place place;
  std::string name, means; // `means`: of an alias
  uint16_t since;
  bool documented = true, integrated = false;
  uint32_t sharedBytes = 48 * 1024, threads = 0, blocks = 0;
};
struct RegisterDecl {
  Place place;
  std::string name, type, vector;
  std::string needs; // a directive
  std::string manual;
  isa::Scope scope = isa::Scope::Grid;
  isa::Enumerated enumerates = isa::Enumerated::Nothing;
  bool narrow = false;
  std::shared_ptr<Condition> gate;
};

struct Model {
  std::vector<std::string> files; // as shown in messages
  std::vector<std::string> names; // relative to grammar/isa
  Scope shared;                   // words.isa and gates.isa
  std::vector<std::unique_ptr<Scope>> fileScopes;
  std::vector<Entry> entries;
  Vocabulary vocabulary;
  std::vector<uint16_t> versions, versionMeanings;
  std::vector<TargetDecl> targets;
  std::vector<std::vector<uint16_t>> families;
  std::vector<RegisterDecl> registers;
  std::vector<DirectiveDecl> directives; // and pragmas
  std::vector<FeatureDecl> features;
  std::vector<LimitDecl> limits;
  std::vector<RuntimeFunctionDecl> runtimeFunctions;
};

/// Collects all errors in the data, and prints them in the order of files and lines.
class Errors {
public:
  explicit Errors(const Model &model) : model(model) {}
  void report(Place place, const std::string &lint, const std::string &message) {
    messages.insert({{place.file, place.line}, message + " [" + lint + "]"});
  }
  bool empty() const { return messages.empty(); }
  /// Prints `FILE:LINE: error: ...`.
  void print(const char *severity) const;

private:
  const Model &model;
  std::set<std::pair<std::pair<uint16_t, uint32_t>, std::string>> messages;
};

/// Reads one file into the model. `name` is its path below grammar/isa.
void read(Model &model, const std::string &path, const std::string &name, Errors &errors);

/// Returns all words that a pattern spells: `.shared{|::cta}`, `.m64n{8..256/8}k16`.
std::vector<std::string> spellings(const std::string &pattern);

} // namespace ptxray::isagen
