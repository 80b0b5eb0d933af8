#pragma once
// Determines what the operands of the Ast mean: declarations, types, spaces.
#include "Diagnostics/Diagnostic.h"
#include "Parse/Fingerprint.h"
#include "Resolve/Scopes.h"
#include "Resolve/Shape.h"
#include "Resolve/Words.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include <optional>

namespace ptxray {

/// The role says what a declaration is for.
enum class DeclarationRole : uint8_t { Global, Local, Input, Return };

/// Follows the text: it is given every declaration, block and function in order, and turns the operands of an
/// instruction into shapes.
class Resolver {
public:
  /// The scopes must be empty and belong to the names of the Ast.
  Resolver(const Ast &ast, WordsOfSpellings &words, Scopes &scopes, DiagnosticSink &sink)
      : ast(ast), words(words), sink(sink), scopes(scopes) {}

  /// Binds the name, and reports a clash with another name of the same scope except the module's. Returns how much
  /// memory the variable takes.
  Extent declare(const Declaration &declaration, DeclarationRole role);
  void declareFunction(uint32_t index);

  void beginFunction(const Function &function);
  void endFunction();
  void beginBlock();
  void endBlock();

  /// Nothing is said of the name: what it belongs to is not PTX.
  void forget(llvm::StringRef name) { lostNames.insert(name); }
  /// Appends one shape for each operand node of the instruction, in the same order.
  void shapes(Slice operands, llvm::SmallVectorImpl<Shape> &out);
  /// Returns the fingerprint that these shapes would have if all names are plain ones that are declared above, else 0.
  /// The values of numbers are not part of it.
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
  /// Returns false if it is not a plain predicate register.
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
  /// Reports that the name is not declared, unless a line with a syntax error may have declared it.
  void reportUnknown(NameId name, Range range, bool isGuard = false);
  /// Takes back what was just reported of a guard that is not declared.
  void takeBackGuard(NameId guard);
  /// Returns whether some name was not declared, so that all names of the text were searched for advice.
  bool hasUnknownNames() const { return unknownNames != 0; }
  isa::WordId word(SpellingId spelling) { return words.of(ast, spelling); } // 0: not in the vocabulary
  /// Null if no directive has that name.
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
  const Function *current = nullptr; // at hand
  std::vector<BlockLabel> labels;    // of the function at hand, sorted by block
  size_t nextLabel = 0;
  unsigned unknownNames = 0;
  /// An undeclared name that the current function uses; it is reported once.
  struct Unknown {
    size_t report = 0; // its number in the sink
    unsigned moreUses = 0;
  };
  static constexpr uint32_t asmOperands = UINT32_MAX - 2; // all of `%0`, `%1` ...
  llvm::DenseMap<uint32_t, Unknown> unknown;              // by NameId
  bool hasRegisters = false;                              // the function at hand declares some
  uint32_t blocks = 0;
  size_t lostRead = 0; // of the lines in `ast.lost`
  llvm::DenseSet<llvm::StringRef> lostNames;
  llvm::SmallDenseMap<uint32_t, const isa::SpecialRegister *, 8> specials; // by NameId; null: none
};

} // namespace ptxray
