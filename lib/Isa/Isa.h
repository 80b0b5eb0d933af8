#pragma once
// Gives access to the generated tables. They are constant and independent of any particular module.
#include "Isa/DirectiveTables.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <optional>
#include <string>

namespace ptxray::isa {

/// All arrays of the tables. The engine receives them as a value, so that tests can pass small tables.
struct Tables {
  llvm::ArrayRef<Word> words;           // 0 is no word
  llvm::ArrayRef<StoredText> wordKinds; // `rounding`; 0 is empty
  llvm::ArrayRef<WordId> wordLists;
  llvm::ArrayRef<Expr> exprs; // 0 is always true
  llvm::ArrayRef<ExprId> exprArgs;
  llvm::ArrayRef<Gate> gates;
  llvm::ArrayRef<StoredText> warnings; // rule ids of `warn(id)`; 0 is empty, for a plain `warn`
  llvm::ArrayRef<TargetBits> targetSets;
  llvm::ArrayRef<ValueRange> ranges;
  llvm::ArrayRef<Term> terms;
  llvm::ArrayRef<SpaceRef> spaceRefs;
  llvm::ArrayRef<OperandDecl> operands;
  llvm::ArrayRef<Pattern> patterns;
  llvm::ArrayRef<SlotValue> slotValues;
  llvm::ArrayRef<Slot> slots;
  llvm::ArrayRef<uint16_t> columnMembers;
  llvm::ArrayRef<Column> columns;
  llvm::ArrayRef<Cell> cells;
  llvm::ArrayRef<uint32_t> rowLines;
  llvm::ArrayRef<Table> tables;
  llvm::ArrayRef<Rule> rules;
  llvm::ArrayRef<uint32_t> formTables, formRules, formChecks; // into tables, rules, checkNames
  llvm::ArrayRef<StoredText> checkNames;
  llvm::ArrayRef<StoredText> groups; // names of groups of asynchronous operations: `cp.async`
  llvm::ArrayRef<Fact> facts;
  llvm::ArrayRef<Step> steps;
  llvm::ArrayRef<uint16_t> stepArgs;
  llvm::ArrayRef<int64_t> stepNumbers;
  llvm::ArrayRef<WordDefinition> wordDefinitions;
  llvm::ArrayRef<WordCall> wordCalls;
  llvm::ArrayRef<StoredText> namedFunctions; // functions that no formula expresses: `mma`
  llvm::ArrayRef<Formula> formulas;
  llvm::ArrayRef<Conversion> conversions;
  llvm::ArrayRef<uint16_t> formConversions; // into conversions
  llvm::ArrayRef<Form> forms;
  llvm::ArrayRef<Entry> entries;
  llvm::ArrayRef<uint32_t> entryMnemonics, mnemonicForms; // into mnemonics, forms
  llvm::ArrayRef<Mnemonic> mnemonics;                     // sorted by text
  llvm::ArrayRef<Target> targets;
  llvm::ArrayRef<uint16_t> versions;                // ascending; 806 for 8.6
  llvm::ArrayRef<uint16_t> versionMeanings;         // the version that ptxas treats each version as
  llvm::ArrayRef<SpecialRegister> specialRegisters; // sorted by name
  llvm::ArrayRef<StoredText> directiveTexts;
  llvm::ArrayRef<DirectiveArgument> arguments;
  llvm::ArrayRef<uint16_t> directiveLists;       // into directives
  llvm::ArrayRef<Directive> directives, pragmas; // sorted by name, like all following arrays
  llvm::ArrayRef<Feature> features;
  llvm::ArrayRef<LimitValue> limitValues;
  llvm::ArrayRef<Limit> limits;
  llvm::ArrayRef<RuntimeFunction> runtimeFunctions;
  llvm::ArrayRef<MeaningRow> meanings; // sorted by name, then mnemonic
  llvm::ArrayRef<Example> examples;
  llvm::StringRef characters;          // the characters of all texts
  llvm::ArrayRef<uint32_t> textStarts; // offset of each text in `characters`, and the end of the last one
};
/// Returns the tables generated from grammar/isa. Tests can define this function themselves to replace the tables.
const Tables &tables();

/// Returns the part of an array that `span` describes.
template <typename T> llvm::ArrayRef<T> run(llvm::ArrayRef<T> all, Span span) {
  return all.slice(span.first, span.count);
}

const Word &word(WordId id);
WordId findWord(llvm::StringRef text); // 0 if there is no such word
uint8_t wordKind(Text name);           // value of `kind` for words of this kind
WordId wholeSpace(WordId space);       // the part before the colons: `.shared` for `.shared::cta`
const Mnemonic *findMnemonic(llvm::StringRef dotted);
llvm::ArrayRef<Mnemonic> mnemonics();
llvm::ArrayRef<Entry> entries();
llvm::ArrayRef<Target> targets();
int findTarget(llvm::StringRef name);      // an index; aliases are resolved; -1 if unknown
llvm::ArrayRef<uint16_t> versions();       // ascending; 806 for 8.6
uint16_t versionMeaning(uint16_t version); // 600 for 501, which ptxas treats as 6.0; other versions are unchanged
std::string versionText(uint16_t version); // `8.6` for 806
llvm::ArrayRef<SpecialRegister> specialRegisters(); // sorted by name
const SpecialRegister *findSpecialRegister(llvm::StringRef name);
const Directive *findDirective(llvm::StringRef name); // `.maxntid`
const Directive *findPragma(llvm::StringRef name);
const RuntimeFunction *findRuntimeFunction(llvm::StringRef name);
Meaning meaning(MeaningRow row);
/// Returns the meaning of a word, an operand or a special register in instructions that begin with `mnemonic`. Returns
/// nothing if no meaning is recorded.
std::optional<Meaning> findMeaning(llvm::StringRef name, llvm::StringRef mnemonic = "");
const Example *findExample(llvm::StringRef name);

} // namespace ptxray::isa
