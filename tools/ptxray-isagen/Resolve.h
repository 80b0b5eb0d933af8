#pragma once
// Converts the Model into the tables, by resolving each name in each form that uses it.
#include "Model.h"
#include <ostream>

namespace ptxray::isagen {

/// The arrays of the tables during construction. Equal ranges are stored once.
struct Output {
  std::vector<isa::Word> words;
  std::vector<isa::StoredText> wordKinds, warnings, checkNames;
  std::vector<isa::WordId> wordLists;
  std::vector<isa::Expr> exprs;
  std::vector<isa::ExprId> exprArgs;
  std::vector<isa::Gate> gates;
  std::vector<isa::TargetBits> targetSets;
  std::vector<isa::ValueRange> ranges;
  std::vector<isa::Term> terms;
  std::vector<isa::SpaceRef> spaceRefs;
  std::vector<isa::OperandDecl> operands;
  std::vector<isa::Pattern> patterns;
  std::vector<isa::SlotValue> slotValues;
  std::vector<isa::Slot> slots;
  std::vector<uint16_t> columnMembers;
  std::vector<isa::Column> columns;
  std::vector<isa::Cell> cells;
  std::vector<uint32_t> rowLines;
  std::vector<isa::Table> tables;
  std::vector<isa::Rule> rules;
  std::vector<uint32_t> formTables, formRules, formChecks;
  std::vector<isa::StoredText> groups;
  std::vector<isa::Fact> facts;
  std::vector<isa::Step> steps;
  std::vector<uint16_t> stepArgs;
  std::vector<int64_t> stepNumbers;
  std::vector<isa::WordDefinition> wordDefinitions;
  std::vector<isa::WordCall> wordCalls;
  std::vector<isa::StoredText> namedFunctions;
  std::vector<isa::Formula> formulas;
  std::vector<isa::Conversion> conversions;
  std::vector<uint16_t> formConversions;
  std::vector<isa::Form> forms;
  std::vector<isa::Entry> entries;
  std::vector<uint32_t> entryMnemonics, mnemonicForms;
  std::vector<isa::Mnemonic> mnemonics;
  std::vector<isa::Target> targets;
  std::vector<uint16_t> versions, versionMeanings;
  std::vector<isa::SpecialRegister> registers;
  std::vector<isa::StoredText> directiveTexts;
  std::vector<isa::DirectiveArgument> arguments;
  std::vector<uint16_t> directiveLists;
  std::vector<isa::Directive> directives, pragmas; // sorted by name, like the following arrays
  std::vector<isa::Feature> features;
  std::vector<isa::LimitValue> limitValues;
  std::vector<isa::Limit> limits;
  std::vector<isa::RuntimeFunction> runtimeFunctions;
  std::vector<isa::MeaningRow> meanings; // sorted by name, then mnemonic
  std::vector<isa::Example> examples;
  std::string sources;                       // source texts of the entries
  std::string characters;                    // characters of all StoredTexts
  std::vector<uint32_t> textStarts = {0, 0}; // offset of each text in `characters`, and the end of the last one

  std::string text(isa::StoredText stored) const {
    const uint32_t start = textStarts[stored.number];
    return characters.substr(start, textStarts[stored.number + 1] - start);
  }
};

/// Records which items of the data are used, for lints. `false` means that an item was considered but never applied.
struct Usage {
  std::set<const Set *> sets;
  std::set<const Operand *> operands;
  std::set<const Gate *> gates;
  std::map<std::pair<const Condition *, std::string>, bool> conditionWords;
  std::map<std::pair<const Cell *, std::string>, bool> cellWords;
  /// Whether the values of a set's declaration are used, by line, because one line may declare several sets; false if
  /// no row of any form uses it.
  std::map<std::pair<std::pair<uint16_t, uint32_t>, std::string>, bool> slotValues;
  std::map<const Rule *, bool> triggers;
  std::map<const Fact *, bool> facts;
  std::map<std::pair<const Fact *, std::string>, bool> factOperands;
  std::map<const Formula *, bool> formulas;
  std::set<const Definition *> definitions;
  std::map<std::pair<const Scope *, std::string>, bool> hints;
  std::map<const Table::Row *, bool> rows;
  std::map<std::pair<const Table *, std::string>, bool> columns;
  std::map<std::pair<const Entry *, std::string>, bool> mnemonics;
  std::map<std::pair<const Set *, std::string>, bool> mnemonicWords;
  std::vector<std::pair<Place, bool>> deadGates; // for directives, features and limits; whether they always hold
};

/// The rule ids that `warn(id)` may name, from Diagnostics.def. If empty, all names are allowed.
struct RuleNames {
  std::set<std::string> ids, kinds;
};
RuleNames readRuleNames(const std::string &path);

void resolve(const Model &model, const RuleNames &rules, Output &output, Usage &usage, Errors &errors);
/// Reports unused items in formulas.
void lintFormulas(const Model &model, const Usage &usage, Errors &errors);
/// Reports words without a meaning in vocabularies that define meanings.
void lintExplanations(const Model &model, const Output &output, Errors &errors);
/// Runs the lints that need only the model and its usage.
void lint(const Model &model, const Output &output, const Usage &usage, Errors &errors);
/// Writes one element of an array in the syntax of the generated file.
void write(std::ostream &out, uint16_t value);
void write(std::ostream &out, uint32_t value);
void write(std::ostream &out, isa::StoredText value);
void write(std::ostream &out, isa::Span value);
void write(std::ostream &out, isa::TextRange value);
void write(std::ostream &out, const isa::Word &value);
void write(std::ostream &out, const isa::Expr &value);
void write(std::ostream &out, const isa::Gate &value);
void write(std::ostream &out, const isa::TargetBits &value);
void write(std::ostream &out, const isa::ValueRange &value);
void write(std::ostream &out, const isa::Term &value);
void write(std::ostream &out, const isa::SpaceRef &value);
void write(std::ostream &out, const isa::TypeRef &value);
void write(std::ostream &out, const isa::OperandDecl &value);
void write(std::ostream &out, const isa::Pattern &value);
void write(std::ostream &out, const isa::SlotValue &value);
void write(std::ostream &out, const isa::Slot &value);
void write(std::ostream &out, const isa::Column &value);
void write(std::ostream &out, const isa::Cell &value);
void write(std::ostream &out, const isa::Table &value);
void write(std::ostream &out, const isa::Rule &value);
void write(std::ostream &out, const isa::Form &value);
void write(std::ostream &out, const isa::Fact &value);
void write(std::ostream &out, int64_t value);
void write(std::ostream &out, const isa::Step &value);
void write(std::ostream &out, const isa::WordDefinition &value);
void write(std::ostream &out, const isa::WordCall &value);
void write(std::ostream &out, const isa::Formula &value);
void write(std::ostream &out, const isa::Conversion &value);
void write(std::ostream &out, const isa::Entry &value);
void write(std::ostream &out, const isa::Mnemonic &value);
void write(std::ostream &out, const isa::Target &value);
void write(std::ostream &out, const isa::SpecialRegister &value);
void write(std::ostream &out, const isa::DirectiveArgument &value);
void write(std::ostream &out, const isa::Directive &value);
void write(std::ostream &out, const isa::Feature &value);
void write(std::ostream &out, const isa::LimitValue &value);
void write(std::ostream &out, const isa::Limit &value);
void write(std::ostream &out, const isa::RuntimeFunction &value);
void write(std::ostream &out, const isa::MeaningRow &value);
void write(std::ostream &out, const isa::Example &value);
void emitTables(const Output &output, std::ostream &out);
void emitSources(const Output &output, std::ostream &out);
void emitChecks(const Output &output, std::ostream &out);
void emitWords(const Output &output, std::ostream &out);
/// Writes the names that C++ refers to: `enum class FeatureId`.
void emitNames(const Output &output, std::ostream &out);

/// Prints everything in the entries of a mnemonic. Returns false if there are none.
bool explain(const Model &model, const std::string &mnemonic, std::ostream &out);
std::string nearestMnemonic(const Model &model, const std::string &mnemonic);

/// Returns a suggestion from `candidates`; empty if none is close enough.
std::string didYouMean(const std::string &word, const std::set<std::string> &candidates);

} // namespace ptxray::isagen
