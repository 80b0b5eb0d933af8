#pragma once
// The files of grammar/isa in parsed form, before names are resolved. The reader produces this model.
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
  std::string argument;           // argument of a Call; rule of a Warn, empty if only ptxas accepts it
  bool unequal = false;           // for a Compare
  uint16_t version = 0;           // for Ptx; for a Release, the version of ptxas
  std::vector<std::string> words; // for Compare and AnyWord
  std::vector<isa::ValueRange> ranges;
  std::vector<Condition> parts;
};

struct Term {
  Place place;
  std::string word; // the slot; empty for a constant
  isa::Term value;  // without its slot
};

struct SetItem {
  std::string word;
  std::shared_ptr<Condition> gate; // shared by items that one pattern spells
  std::string pattern;             // in source spelling
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
  std::vector<std::string> spaces; // words of an address; one of them may be its type
  isa::Access access = isa::Access::None;
  std::string accessType, accessSpace; // `reads .type [.vec]`; for a descriptor, `reads .shared`
  std::vector<Term> accessLengths;
  std::string accessSize; // `reads .type by size`: the operand with the number of bytes
  std::string format;     // `format smem`: the meaning of its bits
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
  std::string name;   // for an Operand
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
  bool ofRegisters; // depends on the numbers in registers
};
struct Fact {
  Place place;
  std::string text;
  isa::FactKind kind;
  std::vector<std::string> subjects;                       // `cp.async` in `commits cp.async`
  std::map<std::string, std::vector<std::string>> clauses; // keyed by their first word: `by size`
  std::optional<Condition> when;
};
struct Gate {
  Place place;
  Condition condition;
};

/// A node of a formula's expression. Its arguments precede it; the last node is the whole expression.
struct ExpressionNode {
  enum Kind { Name, Number, Word, Call, WordCall, Memory, Named, Sign };
  Kind kind;
  isa::StepOp sign = isa::StepOp::Operand; // for a Sign
  std::string text = {};                   // a name, a word, or an address operand
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
/// A conversion that a word applies to numbers of the given types when they are read or stored.
struct ConversionDecl {
  Place place;
  std::string word;
  bool isReading = false, ofIntegers = true, ofFloats = true;
  std::vector<std::string> types;
  Expression value;
};

/// A block, an entry, a file, or everything. Names are looked up from the innermost scope outwards.
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
  std::map<std::string, Place> hints; // words and operands without effect on the result; "" if the instruction has none
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
  std::vector<std::string> mnemonics; // prefixes of instructions; empty for the default
};
/// An example of an instruction, a directive or a pragma.
struct Example {
  Place place;
  std::string right, wrong, refusedBy; // the mistake, or a target that rejects the right text
};

struct Vocabulary {
  std::vector<std::string> types, layouts, spaces, operations;
  std::set<std::string> repeatable, skipped, known, hints;
  std::map<std::string, std::pair<isa::Declarable, Place>> declarable; // types
  std::map<std::string, std::pair<isa::Addresses, Place>> addresses;   // whole spaces
  std::map<std::string, std::set<std::string>> skippedIn, ungatedIn;   // mnemonic to words
  std::map<std::string, std::string> kinds;                            // word to category, such as `rounding`
  std::multimap<std::string, Meaning> meanings; // meanings of words, operands and special registers
  std::map<std::string, Example> examples;      // keyed by name
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
  std::string name; // empty for a `literal`
  std::string literal;
  uint8_t depth = 0; // number of enclosing optional braces
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
  std::string name, means; // `means`: for an alias
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
  std::vector<std::string> files; // names for messages
  std::vector<std::string> names; // relative to grammar/isa
  Scope shared;                   // words.isa and gates.isa
  std::vector<std::unique_ptr<Scope>> fileScopes;
  std::vector<Entry> entries;
  Vocabulary vocabulary;
  std::vector<uint16_t> versions, versionMeanings;
  std::vector<TargetDecl> targets;
  std::vector<std::vector<uint16_t>> families;
  std::vector<RegisterDecl> registers;
  std::vector<DirectiveDecl> directives; // including pragmas
  std::vector<FeatureDecl> features;
  std::vector<LimitDecl> limits;
  std::vector<RuntimeFunctionDecl> runtimeFunctions;
};

/// Collects all errors in the data, and prints them sorted by file and line.
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

/// Reads one file into the model. `name` is its path relative to grammar/isa.
void read(Model &model, const std::string &path, const std::string &name, Errors &errors);

/// Returns all words that a pattern matches: `.shared{|::cta}`, `.m64n{8..256/8}k16`.
std::vector<std::string> spellings(const std::string &pattern);

} // namespace ptxray::isagen
