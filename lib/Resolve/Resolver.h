#pragma once
// Determines the meaning of operands in the Ast: declarations, types, spaces.
#include "Diagnostics/Diagnostic.h"
#include "Parse/Fingerprint.h"
#include "Resolve/Scopes.h"
#include "Resolve/Shape.h"
#include "Resolve/Words.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include <optional>

namespace ptxray {

/// The purpose of a declaration.
enum class DeclarationRole : uint8_t { Global, Local, Input, Return };

/// Processes every declaration, block and function in source order, and converts the operands of instructions into
/// shapes.
class Resolver {
public:
  /// Constructs a resolver. `scopes` must be empty and belong to the names of the Ast.
  Resolver(const Ast &ast, WordsOfSpellings &words, Scopes &scopes, DiagnosticSink &sink)
      : ast(ast), words(words), sink(sink), scopes(scopes) {}

  /// Binds the name, and reports a conflict with another name of the same scope, except the module's. Returns the size
  /// of the variable.
  Extent declare(const Declaration &declaration, DeclarationRole role);
  void declareFunction(uint32_t index);

  void beginFunction(const Function &function);
  void endFunction();
  void beginBlock();
  void endBlock();

  /// Suppresses reports about a name, because it belongs to code other than PTX.
  void forget(llvm::StringRef name) { lostNames.insert(name); }
  /// Appends one shape for each operand node of the instruction, in order.
  void shapes(Slice operands, llvm::SmallVectorImpl<Shape> &out);
  /// Returns the fingerprint of these shapes if all names are plain and declared above, otherwise 0. Values of numbers
  /// are not part of it.
  uint64_t fingerprint(const Instruction &instruction) {
    if (instruction.hasSuffix) [[unlikely]]
      return 0;
    // Prefetch the symbols of upcoming instructions.
    constexpr size_t ahead = 10;
    const llvm::ArrayRef<NameId> names = ast.operandNames;
    Fingerprint whole(instruction.print);
    for (size_t i = instruction.names.first, end = instruction.names.end(); i < end; ++i) {
      if (i + ahead < names.size())
        scopes.expect(names[i + ahead]);
      const uint64_t declared = scopes.printOf(names[i]);
      if (!declared) [[unlikely]]
        return fingerprintOfNew(instruction);
      whole.add(declared);
    }
    return whole.value();
  }
  /// Reports a guard that is no plain predicate register. Returns whether it is one.
  bool checkGuard(const Instruction &instruction) {
    if (instruction.guard == NameId::None)
      return true;
    const Symbol *symbol = scopes.find(instruction.guard);
    if (symbol && symbol->isPredicate)
      return true;
    unusualGuard(instruction, symbol);
    return false;
  }

  bool isInBlock() const { return scopes.depth() > 1; }

  const Symbol *find(NameId name) { return scopes.find(name); }
  /// Returns the index of the symbol in `symbols`, plus 1; 0 if there is none.
  uint32_t numberOf(NameId name) { return scopes.numberOf(name); }
  /// Returns the symbols that `find` returns, valid until the current function ends.
  llvm::ArrayRef<Symbol> symbols() const { return scopes.all(); }
  /// Reports an undeclared name, unless a line with a syntax error may have declared it.
  void reportUnknown(NameId name, Range range, bool isGuard = false);
  /// Removes the report about an undeclared guard.
  void takeBackGuard(NameId guard);
  /// Returns whether some name was not declared. In that case, all names of the module were searched for suggestions.
  bool hasUnknownNames() const { return unknownNames != 0; }
  isa::WordId word(SpellingId spelling) { return words.of(ast, spelling); } // 0 if not in the vocabulary
  /// Returns null if there is no such directive.
  const isa::Directive *directive(SpellingId name) { return words.directive(ast, name); }
  Extent extentOf(const Declaration &declaration);
  /// Returns the special register of that name, unless a declaration hides it.
  const isa::SpecialRegister *special(NameId name);

private:
  struct BlockLabel {
    uint32_t block;
    NameId name;
    SymbolKind kind;
    uint32_t index;
    Range range;
  };
  uint64_t fingerprintOfNew(const Instruction &instruction);
  Shape shapeOf(const Operand &operand);
  static void setShape(Symbol &symbol);
  Shape unusualName(const Operand &operand, const Symbol *symbol);
  void unusualGuard(const Instruction &instruction, const Symbol *symbol);
  bool hasDirective(llvm::StringRef directive);
  isa::WordId suffixWord(SpellingId suffix);
  std::string numberedNames(llvm::StringRef name);
  void reportField(Range range, llvm::StringRef suffix, const isa::SpecialRegister &reg);
  std::string similarName(llvm::StringRef name, bool isGuard);
  void finishUnknown();
  void collectLabels(const Function &function);
  void declareLabelsOf(uint32_t block);

  const Ast &ast;
  WordsOfSpellings &words;
  DiagnosticSink &sink;
  bool isLost(llvm::StringRef name);
  Scopes &scopes;
  const Function *current = nullptr; // the current function
  std::vector<BlockLabel> labels;    // in the current function, sorted by block
  size_t nextLabel = 0;
  unsigned unknownNames = 0;
  /// An undeclared name in the current function, which is reported once.
  struct Unknown {
    size_t report = 0; // index of the report in the sink
    unsigned moreUses = 0;
  };
  static constexpr uint32_t asmOperands = UINT32_MAX - 2; // all of `%0`, `%1` ...
  llvm::DenseMap<uint32_t, Unknown> unknown;              // keyed by NameId
  bool hasRegisters = false;                              // the current function declares registers
  uint32_t blocks = 0;
  size_t lostRead = 0; // number of processed lines of `ast.lost`
  llvm::DenseSet<llvm::StringRef> lostNames;
  llvm::SmallDenseMap<uint32_t, const isa::SpecialRegister *, 8> specials; // keyed by NameId; null if there is none
};

} // namespace ptxray
