#pragma once
// Judges single instructions against the tables. A verdict depends on nothing but the module's version
// and target, the opcode and the shapes of the operands, so it is found once and then looked up.
#include "Match/FormView.h"
#include "Match/Usage.h"
#include "Parse/Ast.h"
#include <deque>
#include <memory>

namespace ptxray {

class Resolver;
class SourceBuffer;

/// Everything that is wrong with an instruction according to the form that it comes nearest to.
/// Without an error it is accepted, and `usage` says what it does.
std::vector<Finding> findingsOf(const Availability &availability, const Opcode &opcode, llvm::ArrayRef<Shape> shapes,
                                Usage *usage = nullptr);
/// The same, and only those remedies are left that make the instruction right.
std::vector<Finding> judge(const Availability &availability, const Opcode &opcode, llvm::ArrayRef<Shape> shapes,
                           Usage *usage = nullptr);

/// The verdict alone, and which gates it depends on.
bool accepts(const Availability &availability, const Opcode &opcode, llvm::ArrayRef<Shape> shapes,
             std::vector<isa::ExprId> &gates);

/// As Resolver::fingerprint, where names are not plain ones, too. The values of numbers are part of it if the opcode
/// reads them.
uint64_t fingerprint(const Instruction &instruction, const Opcode &opcode, llvm::ArrayRef<Operand> nodes,
                     llvm::ArrayRef<Shape> shapes);
/// Adds these values.
uint64_t withValues(uint64_t fingerprint, llvm::ArrayRef<Operand> nodes);

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

  /// What is known of all instructions with that fingerprint.
  struct Verdict {
    uint64_t fingerprint = 0;
    const Usage *usage = nullptr;
    const std::vector<Finding> *findings = nullptr; // null: nothing wrong
    PlainUses plain;
  };
  /// Null: there was no such instruction yet.
  const Verdict *known(uint64_t fingerprint) {
    const Verdict &verdict = placeOf(fingerprint);
    return verdict.fingerprint ? &verdict : nullptr;
  }
  /// One shape for each operand node of the instruction, in the order of the Ast. Good until the next is judged.
  const Verdict &judged(const Opcode &opcode, const Instruction &instruction, llvm::ArrayRef<Operand> nodes,
                        llvm::ArrayRef<Shape> shapes);
  void report(const Verdict &verdict, const Opcode &opcode, const Ast &ast, const SourceBuffer &source,
              const Instruction &instruction, Resolver &resolver, DiagnosticSink &sink) const;

  /// An instruction whose operands cannot be read: are its words right?
  void checkWords(const Ast &ast, const SourceBuffer &source, const Instruction &instruction, Resolver &resolver,
                  DiagnosticSink &sink);

private:
  /// Where the verdict with that fingerprint stands, or is to stand.
  Verdict &placeOf(uint64_t fingerprint) {
    size_t i = fingerprint >> 32 & (memo.size() - 1);
    while (memo[i].fingerprint && memo[i].fingerprint != fingerprint)
      i = (i + 1) & (memo.size() - 1);
    return memo[i];
  }
  void growMemo();

  Availability availability;
  Opcodes opcodes;
  std::vector<Verdict> memo = std::vector<Verdict>(1024); // open addressing, a power of two
  size_t memoUsed = 0;
  std::deque<std::vector<Finding>> findings;
  std::deque<Usage> usages;
};

/// Adds what a report says of each finding wherever the instruction stands.
void putIntoWords(llvm::MutableArrayRef<Finding> findings, const Opcode &opcode);
/// Gives the findings their places in the text; the resolver knows where what they name was declared.
void report(llvm::ArrayRef<Finding> findings, const Opcode &opcode, const ModuleContext &module, const Ast &ast,
            const SourceBuffer &source, const Instruction &instruction, Resolver &resolver, DiagnosticSink &sink);

} // namespace ptxray
