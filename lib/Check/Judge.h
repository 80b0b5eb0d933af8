#pragma once
// Judges single instructions against the tables. A verdict depends on nothing but the module's version
// and target, the opcode and the shapes of the operands, so it is found once and then looked up.
#include "Check/FormView.h"
#include "Check/Usage.h"
#include "Parse/Ast.h"
#include <deque>
#include <memory>

namespace ptxray {

class Resolver;
class SourceBuffer;

/// Everything that is wrong with an instruction according to the form that it comes nearest to.
/// Without an error it is accepted, and `usage` says what it does.
std::vector<Finding> findingsOf(const Availability &availability, const Opcode &opcode,
                                llvm::ArrayRef<Shape> shapes, Usage *usage = nullptr);
/// The same, and only those remedies are left that make the instruction right.
std::vector<Finding> judge(const Availability &availability, const Opcode &opcode,
                           llvm::ArrayRef<Shape> shapes, Usage *usage = nullptr);

/// The verdict alone, and which gates it depends on.
bool accepts(const Availability &availability, const Opcode &opcode, llvm::ArrayRef<Shape> shapes,
             std::vector<isa::ExprId> &gates);

/// 64 bits, never 0, that stand for an opcode and its shapes; names and places are no part of them.
uint64_t fingerprint(SpellingId spelling, const Opcode &opcode, llvm::ArrayRef<Shape> shapes);

/// Each spelling of a text, taken apart once.
class Opcodes {
public:
  const Opcode &of(const Ast &ast, const Instruction &instruction) {
    const auto id = static_cast<size_t>(instruction.opcode);
    return id < bySpelling.size() && bySpelling[id] ? *bySpelling[id] : add(ast, instruction.opcode);
  }

private:
  const Opcode &add(const Ast &ast, SpellingId spelling);
  std::vector<std::unique_ptr<Opcode>> bySpelling; // by SpellingId
};

class InstructionChecker {
public:
  explicit InstructionChecker(const ModuleContext &context) : availability(context) {}

  const Opcode &opcode(const Ast &ast, const Instruction &instruction) { return opcodes.of(ast, instruction); }

  /// One shape for each operand node of the instruction, in the order of the Ast.
  const Usage &check(const Opcode &opcode, const Ast &ast, const SourceBuffer &source,
                     const Instruction &instruction, llvm::ArrayRef<Shape> shapes, Resolver &resolver,
                     DiagnosticSink &sink);

  /// An instruction whose operands cannot be read: are its words right?
  void checkWords(const Ast &ast, const SourceBuffer &source, const Instruction &instruction, Resolver &resolver,
                  DiagnosticSink &sink);

private:
  struct Entry {
    uint64_t key = 0; // a fingerprint of opcode and shapes; 0: free
    uint32_t verdict = 0;
    const Usage *usage = nullptr;
  };
  Entry &find(uint64_t key);

  Availability availability;
  Opcodes opcodes;
  std::vector<Entry> memo; // open addressing, a power of two
  size_t memoUsed = 0;
  std::vector<std::vector<Finding>> verdicts = {{}}; // 0: nothing wrong
  std::deque<Usage> usages;
};

/// Gives the findings their places in the text; the resolver knows where what they name was declared.
void report(llvm::ArrayRef<Finding> findings, const Opcode &opcode, const ModuleContext &module,
            const Ast &ast, const SourceBuffer &source, const Instruction &instruction,
            Resolver &resolver, DiagnosticSink &sink);

} // namespace ptxray
