#pragma once
// From the operands of the Ast to what they mean: declarations, types, spaces.
#include "Resolve/Shape.h"
#include "Diagnostics/Diagnostic.h"
#include "Resolve/Scopes.h"
#include "llvm/ADT/DenseMap.h"
#include <optional>

namespace ptxray {

/// What a declaration is for.
enum class Role : uint8_t { Global, Local, Input, Return };

/// Follows the text: it is told of every declaration, block and function in order, and turns the
/// operands of an instruction into shapes.
class Resolver {
public:
  Resolver(const Ast &ast, DiagnosticSink &sink)
      : ast(ast), sink(sink), scopes(*ast.names) {}

  /// Binds the name; a clash with another of the same scope is reported, but not of the module's.
  void declare(const Declaration &declaration, Role role);
  void declareFunction(uint32_t index);

  void beginFunction(const Function &function);
  void endFunction();
  void beginBlock();
  void endBlock();

  /// One shape for each operand node of the instruction, in the same order.
  void shapes(Slice operands, llvm::SmallVectorImpl<Shape> &out);
  void checkGuard(const Instruction &instruction);

  const Symbol *find(NameId name) { return scopes.find(name); }
  isa::WordId word(SpellingId spelling); // 0: not in the vocabulary
  Extent extentOf(const Declaration &declaration);
  /// The special register of that name, unless a declaration hides it.
  const isa::SpecialRegister *special(NameId name);

private:
  struct BlockLabel {
    uint32_t block;
    NameId name;
    Symbol symbol;
  };
  void readShape(const Operand &operand, Shape &shape);
  static Shape shapeOf(const Symbol &symbol);
  Shape unusualName(const Operand &operand, const Symbol *symbol);
  bool hasDirective(isa::WordId directive);
  isa::WordId suffixWord(SpellingId suffix);
  llvm::StringRef nearestName(llvm::StringRef misspelt); // or an empty text
  void collectLabels(const Function &function);
  void declareLabelsOf(uint32_t block);

  const Ast &ast;
  DiagnosticSink &sink;
  bool isLost(llvm::StringRef name) const;
  Scopes scopes;
  const Function *current = nullptr; // at hand
  std::vector<BlockLabel> labels; // of the function at hand, sorted by block
  size_t nextLabel = 0;
  unsigned nearestAsked = 0;
  uint32_t blocks = 0;
  std::vector<int32_t> wordOfSpelling;                           // -1: not asked for yet
  llvm::DenseMap<uint32_t, const isa::SpecialRegister *> specials; // by NameId; null: none
};

} // namespace ptxray
