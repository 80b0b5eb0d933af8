#pragma once
// Questions to the generated tables. Constant data; nothing here is about a particular module.
#include "Isa/DirectiveTables.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <optional>
#include <string>

namespace ptxray::isa {

/// All arrays of the tables. The engine receives them as a value, so that a test can give it small ones.
struct Tables {
  llvm::ArrayRef<Word> words;           // 0: no word
  llvm::ArrayRef<StoredText> wordKinds; // `rounding`; 0 is empty
  llvm::ArrayRef<WordId> wordLists;
  llvm::ArrayRef<Expr> exprs; // 0: always true
  llvm::ArrayRef<ExprId> exprArgs;
  llvm::ArrayRef<Gate> gates;
  llvm::ArrayRef<StoredText> warnings; // rule ids of `warn(id)`; 0 is empty: plain `warn`
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
  llvm::ArrayRef<StoredText> groups; // of asynchronous operations: `cp.async`
  llvm::ArrayRef<Fact> facts;
  llvm::ArrayRef<Step> steps;
  llvm::ArrayRef<uint16_t> stepArgs;
  llvm::ArrayRef<int64_t> stepNumbers;
  llvm::ArrayRef<WordDefinition> wordDefinitions;
  llvm::ArrayRef<WordCall> wordCalls;
  llvm::ArrayRef<StoredText> namedFunctions; // what no formula can say: `mma`
  llvm::ArrayRef<Formula> formulas;
  llvm::ArrayRef<Conversion> conversions;
  llvm::ArrayRef<uint16_t> formConversions; // into conversions
  llvm::ArrayRef<Form> forms;
  llvm::ArrayRef<Entry> entries;
  llvm::ArrayRef<uint32_t> entryMnemonics, mnemonicForms; // into mnemonics, forms
  llvm::ArrayRef<Mnemonic> mnemonics;                     // sorted by text
  llvm::ArrayRef<Target> targets;
  llvm::ArrayRef<uint16_t> versions;                // ascending, 8.6 is 806
  llvm::ArrayRef<uint16_t> versionMeanings;         // the version that ptxas reads each as
  llvm::ArrayRef<SpecialRegister> specialRegisters; // sorted by name
  llvm::ArrayRef<StoredText> directiveTexts;
  llvm::ArrayRef<DirectiveArgument> arguments;
  llvm::ArrayRef<uint16_t> directiveLists;       // into directives
  llvm::ArrayRef<Directive> directives, pragmas; // sorted by name, as all that follow
  llvm::ArrayRef<Feature> features;
  llvm::ArrayRef<LimitValue> limitValues;
  llvm::ArrayRef<Limit> limits;
  llvm::ArrayRef<RuntimeFunction> runtimeFunctions;
  llvm::ArrayRef<MeaningRow> meanings; // sorted by name, then mnemonic
  llvm::ArrayRef<Example> examples;
  llvm::StringRef characters;          // of all texts
  llvm::ArrayRef<uint32_t> textStarts; // in them, and where the last one ends
};
/// Returns the tables made from grammar/isa; a test may define this function to replace them.
const Tables &tables();

/// Returns the run of one of the arrays above that belongs to an element.
template <typename T> llvm::ArrayRef<T> run(llvm::ArrayRef<T> all, Span span) {
  return all.slice(span.first, span.count);
}

const Word &word(WordId id);
WordId findWord(llvm::StringRef text); // 0: no such word
uint8_t wordKind(Text name);           // what words of that kind have as their `kind`
WordId wholeSpace(WordId space);       // the part before the colons: `.shared::cta` lies in `.shared`
const Mnemonic *findMnemonic(llvm::StringRef dotted);
llvm::ArrayRef<Mnemonic> mnemonics();
llvm::ArrayRef<Entry> entries();
llvm::ArrayRef<Target> targets();
int findTarget(llvm::StringRef name);               // index, aliases followed; -1: unknown
llvm::ArrayRef<uint16_t> versions();                // ascending, 8.6 is 806
uint16_t versionMeaning(uint16_t version);          // 501 is 600 to ptxas; another one is itself
std::string versionText(uint16_t version);          // 806 as `8.6`
llvm::ArrayRef<SpecialRegister> specialRegisters(); // sorted by name
const SpecialRegister *findSpecialRegister(llvm::StringRef name);
const Directive *findDirective(llvm::StringRef name); // `.maxntid`
const Directive *findPragma(llvm::StringRef name);
const RuntimeFunction *findRuntimeFunction(llvm::StringRef name);
Meaning meaning(MeaningRow row);
/// Returns the meaning of a word, an operand or a special register in instructions that begin with the mnemonic;
/// nothing if none is written down.
std::optional<Meaning> findMeaning(llvm::StringRef name, llvm::StringRef mnemonic = "");
const Example *findExample(llvm::StringRef name);

} // namespace ptxray::isa
