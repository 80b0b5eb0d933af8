#pragma once
// The parser actions in grammar/Ptx.g4, called in source order. They append to the Ast.
#include "Diagnostics/Diagnostic.h"
#include "Parse/Ast.h"
#include "Parse/Fingerprint.h"
#include "Parse/Parse.h"
#include "Parse/Scanner.h"
#include "llvm/ADT/DenseMap.h"
#include <optional>

namespace ptxray {

/// Thrown by the fast pass at the first token that it cannot read; Parser::parse catches it.
struct FastPassFailed {};

/// Thrown in the recovering pass to unwind all rules up to the one of the statement or the item.
struct SyntaxFault {};

/// Limits on the nesting of blocks, brackets and signs, and on the nesting of initialisers, which are parsed
/// recursively.
inline constexpr uint32_t deepestNesting = 10000;
inline constexpr uint32_t deepestInitialiser = 200;

class Builder {
public:
  Builder(Ast &ast, Interner &names, Interner &spellings) : ast(ast), names(names), spellings(spellings) {}

  void start(llvm::StringRef source, Bodies bodies, Parser::ItemFn onItem);

  /// The sizes of the arrays, for truncating them if a statement cannot be parsed.
  struct Mark {
    size_t module, statements, instructions, brokenInstructions, operands, operandNames, labels, declarations,
        directives, functions, dims;
  };
  Mark mark() const;
  void cut(const Mark &mark);
  /// Removes the incomplete item of the module. Returns the offset of the item.
  uint32_t dropItem();
  /// Records that an item begins after the last token.
  void beginItem() { beforeItem = last; }
  /// The token before the current item.
  Token beforeItem;
  /// Removes everything that the current statement has added to the Ast.
  void dropStatement();
  /// Removes everything that the current statement has added, except the opcode of an instruction.
  void breakStatement();
  bool isInBody() const { return inBody; }
  uint32_t openBlocks() const { return blocks; }
  /// Ends the blocks of a body whose end is missing.
  void closeBlocks(uint32_t offset);
  /// Records the text of a faulty statement, so that names in it are not reported as undeclared.
  void lostText(Range range) {
    const llvm::StringRef lines = source.slice(range.begin, range.end);
    if (ast.lost.empty() || ast.lost.back().end() != lines.end()) // otherwise already recorded
      ast.lost.push_back(lines);
  }
  /// Records the range from the first token of a faulty statement to the last token.
  void passedOver(const Token &first) {
    if (last.end > first.begin)
      ast.unread.push_back({first.begin, last.end});
  }
  /// Null in the fast pass, which stops at the first error.
  DiagnosticSink *sink = nullptr;
  /// Whether the current statement has been reported. It gets no second report.
  bool reported = false;

  // Constant expressions and operands.
  void prefix(const Token &token);
  void openGroup(const Token &token);
  void cast(const Token &token);
  void closeGroup(const Token &token);
  void literal(const Token &token);
  /// Adds an operand that consists of a single number.
  void plainNumber(const Token &token);
  void infix(const Token &token);
  void endExpression();
  void name(const Token &token) {
    if (isDottedCall(token)) [[unlikely]]
      return dottedName(token);
    const bool isSink = token.id == NameSink;
    Operand &operand = push(isSink ? OperandKind::Sink : OperandKind::Name, token.range());
    if (!isSink) [[likely]] {
      operand.name = NameId(token.id);
      ast.operandNames.push_back(operand.name);
    }
    if (!operations.empty()) [[unlikely]]
      nameSigns(operand);
  }
  void dottedName(const Token &token);
  void suffix(const Token &token);
  void beginOffset();
  void endOffset();
  void openSubscript(const Token &token);
  void closeSubscript(const Token &token);
  void beginPair();
  void endPair();
  void openVector(const Token &token) { open(OperandKind::Vector, token); }
  void openAddress(const Token &token) { open(OperandKind::Address, token); }
  void openList(const Token &token) { open(OperandKind::List, token); }
  void close(const Token &token);
  void addressPart(const Token &comma);
  void addressSuffix(const Token &token);
  void integerOnly();

  // Parts of directives and initialisers.
  void number(const Token &token);
  void string(const Token &token);
  void word(const Token &token);
  void dotted(const Token &token);
  void openWord(const Token &token);
  /// Moves the beginning of the word to its second occurrence, and drops the text before it.
  void moveWord(uint32_t begin) { ast.operands[openNodes.back()].range.begin = begin; }
  void closeWord() { close(last); }
  void closeValues();
  /// Returns the bound below which values of the current list may be dropped; none if they are kept.
  std::optional<uint64_t> largestDropped() const;
  /// Returns the bound below which values of the current initialiser may be counted instead of stored; none if they are
  /// stored.
  std::optional<uint64_t> largestCounted() const;
  void countNumbers(uint32_t count) { ast.operands[openNodes.back()].value = count; }
  void openCall(const Token &token);
  void openMask(const Token &token);
  void beginKey();
  void endKey();

  // Directives.
  void beginDirective(const Token &token);
  void endDirective();
  void beginAttribute(const Token &token) { beginDirective(token); }
  void endAttribute(const Token &token);
  void openArguments() { openNodes.push_back(ast.operands.size() - 1); }
  void dwarf(const Token &token);
  void beginLabelled(const Token &token);

  // Declarations.
  void linkage(const Token &token);
  void declAlignValue(const Token &token);
  void declSpace(const Token &token);
  void declType(const Token &token);
  void declPtr();
  void declPtrSpace(const Token &token);
  void declPtrAlign(const Token &token);
  void declName(const Token &token);
  void declCount(const Token &token);
  void openDim();
  void declDim(const Token &token);
  void beginInitialiser();
  void endInitialiser();
  void endDeclarator();
  void endDeclarations();

  // Functions.
  void beginFunction(const Token &token);
  void functionName(const Token &token);
  void beginReturns();
  void endReturns();
  void beginParameters();
  void endParameters();
  void endHead();
  void beginBody();
  /// Returns the end of the current body if it is one of `skippedBodies`.
  std::optional<uint32_t> passBodyOver();
  std::vector<Range> skippedBodies; // including braces, in source order
  void endBody();
  void endFunction();
  void beginPrototype(const Token &token);
  void prototypeName(const Token &token);

  // Statements.
  void blockBegin(const Token &token);
  void blockEnd(const Token &token);
  void guardBegin(const Token &token);
  void guardNot() { guardIsNot = true; }
  void guard(const Token &token);
  void save(const Token &token) { saved = token; }
  void label();
  void opcode(const Token &token);
  void opcodeSaved() { opcode(saved); }
  void qualifier(const Token &token);
  void endInstruction(const Token &token) {
    Instruction &inst = ast.instructions.back();
    inst.operands.count = ast.operands.size() - inst.operands.first;
    inst.names.count = ast.operandNames.size() - inst.names.first;
    Fingerprint print(inst.opcode);
    for (const Operand &operand : ast.operandsOf(inst.operands))
      print.add(writtenPrint(operand));
    inst.print = print.value();
    inst.range.end = token.end;
    ast.statements.push_back({StatementKind::Instruction, uint32_t(ast.instructions.size() - 1)});
    statementEnd();
  }
  void statementEnd() {
    if (sink) // valid text needs no further checks
      resetStatement();
  }
  void itemEnd();

  /// The last token and the next one, which the parser stores here.
  Token last, ahead;

private:
  void resetStatement();
  struct Constant {
    enum Kind : uint8_t { Signed, Unsigned, Real } kind;
    uint8_t flags;
    Range range;
    uint64_t bits;
  };
  struct Operation {
    uint16_t op; // operator characters; 'U' a cast to .u64, 'S' to .s64; '?' and ':' of the ternary operator
    bool unary;
    uint8_t precedence;
    uint32_t begin;
  };

  template <typename... Args>
  [[gnu::noinline, gnu::cold]] void fail(IdFor<Args...> id, Range range, const Args &...args) {
    if (!sink)
      throw FastPassFailed();
    if (!reported)
      sink->report(id, range, args...);
    reported = true;
  }
  Operand &push(OperandKind kind, Range range) {
    lastNode = ast.operands.size();
    Operand &operand = ast.operands.emplace_back();
    operand.kind = kind;
    operand.range = range;
    return operand;
  }
  void open(OperandKind kind, const Token &token);
  void text(Range range);
  void applySigns();
  void applyUnary(const Operation &operation, Constant &value);
  void noValue(Constant &value, const char *expected);
  void reduce();
  void reduceTo(uint8_t precedence);
  Constant ofReals(uint16_t op, const Constant &left, const Constant &right);
  static uint64_t integerBits(uint16_t op, const Constant &left, const Constant &right);
  static Constant::Kind integerKind(uint16_t op, const Constant &left, const Constant &right);
  Constant ofIntegers(uint16_t op, const Constant &left, const Constant &right);
  Constant binary(uint16_t op, Constant left, Constant right);
  Constant finishExpression();
  void nameSigns(Operand &operand);
  const char *adviceOnParentheses() const;
  /// Returns whether the token is `call` with qualifiers, such as `call.uni`. These are interned as a spelling, `call`
  /// as a name.
  static bool isDottedCall(const Token &token) { return token.kind == TokenKind::Call && token.end - token.begin != 4; }
  NameId nameOf(const Token &token) const { return token.id == NameSink ? NameId::None : NameId(token.id); }
  void add(StatementKind kind, uint32_t index);

  Ast &ast;
  Interner &names, &spellings;
  llvm::StringRef source;
  std::optional<Parser::ItemFn> onItem;
  bool keepBodies = true;

  bool inBody = false;
  size_t delivered = 0; // number of module items that `onItem` has seen
  Mark itemMark{}, statementMark{}, bodyMark{};
  uint32_t blocks = 0;
  uint32_t lastNode = 0; // the operand to which a following offset belongs

  llvm::SmallVector<Operation, 16> operations;
  llvm::SmallVector<Constant, 16> values;
  llvm::SmallVector<uint32_t, 8> openNodes; // containers that are still open

  Token saved;
  Directive directive;
  Declaration decl; // the part of a declaration that its declarators share
  Range linkageRange;
  SpellingId pendingLinkage = SpellingId::None;
  uint32_t function = 0;
  llvm::SmallVector<uint32_t, 2> openFunctions;

  NameId guardName = NameId::None;
  bool guardIsNot = false;
  uint32_t guardStart = 0;
  Range guardRange;

  struct Split {
    NameId name = NameId::None;
    SpellingId suffix = SpellingId::None;
  };
  std::vector<Split> splits; // indexed by SpellingId: `%tid.x`
  std::vector<uint32_t> usedSplits;
  llvm::DenseMap<uint64_t, uint32_t> joined; // pairs of spellings that were joined: `add .s32`
};

} // namespace ptxray
