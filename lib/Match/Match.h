#pragma once
// Judges one instruction against the tables: the intended form, its match with the source, its faults and its effects.
// Other folders include only this header of this folder.
#include "Match/Facts.h"
#include "Match/Finding.h"
#include "Match/FormMatch.h"
#include "Match/Written.h"
#include "Parse/Ast.h"
#include "Resolve/Words.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Allocator.h"
#include <deque>
#include <map>
#include <memory>
#include <tuple>

namespace ptxray {

class SourceBuffer;
struct Symbol;

// ---- one instruction
/// The judgement of one instruction.
struct Judged {
  /// The form of an accepted instruction, otherwise the nearest form, or none if the name is unknown.
  std::optional<FormMatch> match;
  std::vector<Finding> findings; // their remedies are guesses until `advise` has checked them
  Facts facts;

  bool isAccepted() const; // ignores warnings
};
Judged judge(const WrittenInstruction &written);
/// The maximum number of operands, including nested ones: the engine has 15 bits for their numbers.
inline constexpr uint32_t mostOperands = 10'000;
/// Keeps only remedies that make the instruction correct, and puts the findings into words. If `isBare` is set, it
/// tries and keeps no remedies.
void advise(std::vector<Finding> &findings, const WrittenInstruction &written, bool isBare = false);
/// Returns the findings about the words of an instruction whose operands cannot be read, with their texts.
std::vector<Finding> judgeWords(const Opcode &opcode, const Availability &availability);

/// Returns whether a condition of a form holds for the words in its slots.
bool isAllowed(const FormMatch &match, isa::ExprId condition, const Availability &availability);
/// Returns whether the instruction is accepted, and adds the gates on which this depends.
bool accepts(const WrittenInstruction &written, std::vector<isa::ExprId> &gates);

// ---- an opcode that is not written to its end
/// Returns the forms that have a slot for every written word. With `complete`, only those that lack no word.
std::vector<FormMatch> formsFor(const Opcode &opcode, bool complete);
/// A word that may come next.
struct NextWord {
  isa::WordId word;
  isa::ExprId lacking; // the gate that the module does not meet; 0 if there is none
  uint32_t form;       // the first form that the word continues
};
/// Returns the words that may come next, in the order of the forms that they continue.
std::vector<NextWord> nextWords(const Opcode &opcode, const Availability &availability);

/// The location of an instruction in the source.
struct InstructionSite {
  const Opcode &opcode;
  ModuleContext module;
  const Ast &ast;
  const SourceBuffer &source;
  const Instruction &instruction;
  llvm::function_ref<const Symbol *(NameId)> find; // returns the symbol of a name; null if it is not declared
};
/// Reports the findings at their locations in the source.
void reportFindings(llvm::ArrayRef<Finding> findings, const InstructionSite &site, DiagnosticSink &sink);

// ---- the instructions of texts
/// The spellings of opcodes, each of which is parsed once.
class Opcodes {
public:
  const Opcode &of(const Ast &ast, const Instruction &instruction) {
    const auto id = static_cast<size_t>(instruction.opcode);
    return id < bySpelling.size() && bySpelling[id] ? *bySpelling[id] : add(ast, instruction.opcode);
  }

private:
  const Opcode &add(const Ast &ast, SpellingId spelling);
  std::vector<std::unique_ptr<Opcode>> bySpelling; // indexed by SpellingId
};

/// Returns a fingerprint like Resolver::fingerprint, but also accepts names other than plain registers. The values of
/// numbers are part of it if the opcode reads them.
uint64_t fingerprint(const Instruction &instruction, const Opcode &opcode, llvm::ArrayRef<Operand> nodes,
                     llvm::ArrayRef<Shape> shapes);
/// Returns the fingerprint, extended by the values of these nodes.
uint64_t withValues(uint64_t fingerprint, llvm::ArrayRef<Operand> nodes);

/// The budget for advice about faulty instructions of a source, in trials (`Availability::trials`). When it is
/// exhausted, instructions are reported without advice, so that the time for a source is proportional to its length.
struct AdviceBudget {
  uint64_t left = UINT64_MAX;
  uint32_t text = 0; // the number of the source to which the budget belongs

  /// Starts the budget for a source with the given number of bytes.
  void begin(size_t bytes);
  /// Suspends advice while the object exists.
  struct Paused {
    explicit Paused(AdviceBudget &budget) : budget(budget), left(std::exchange(budget.left, 0)) { ++budget.text; }
    ~Paused() {
      budget.left = left;
      ++budget.text;
    }
    Paused(const Paused &) = delete;
    Paused &operator=(const Paused &) = delete;

  private:
    AdviceBudget &budget;
    const uint64_t left;
  };
};

/// The facts and findings that all instructions with one opcode and one shape share.
struct Verdict {
  const Opcode *opcode = nullptr;
  llvm::ArrayRef<Shape> shapes;
  const Facts *facts = nullptr;
  const std::vector<Finding> *findings = nullptr; // null if there are none
  PlainUses plain;
  const FormMatch *match = nullptr; // see Judged; null if there is none
  const std::vector<Finding> *advised = nullptr,
                             *bare = nullptr; // the findings with and without advice, once they were requested
  uint64_t trials = 0;                        // trials that the advice needed
  uint32_t text = 0;                          // the source whose budget applied to `findings`
};

/// The verdicts for one version and target. A verdict depends only on the opcode and the shapes of the operands, so it
/// is found once and looked up afterwards.
class Verdicts {
public:
  Verdicts(const ModuleContext &context, Opcodes &opcodes, AdviceBudget &budget)
      : availability(context), opcodes(opcodes), budget(budget) {}

  size_t size() const { return verdicts.size(); }
  /// Returns what the version and the target permit, independently of the position of the header.
  const Availability &allows() const { return availability; }
  const Opcode &opcode(const Ast &ast, const Instruction &instruction) { return opcodes.of(ast, instruction); }
  /// Returns null for a new instruction, or for a faulty one that is new in this source.
  const Verdict *find(uint64_t fingerprint) const {
    const Verdict *verdict = memo[placeOf(fingerprint)].verdict;
    return verdict && verdict->findings && verdict->text != budget.text ? nullptr : verdict;
  }
  /// Returns the verdict. `shapes` has one element for each operand node of the instruction, in the order of the Ast.
  const Verdict &of(const Opcode &opcode, const Instruction &instruction, llvm::ArrayRef<Operand> nodes,
                    llvm::ArrayRef<Shape> shapes);
  /// Returns whether an instruction with this fingerprint still has the same verdict; for assertions.
  bool isStillRight(const Verdict &verdict, const Opcode &opcode, llvm::ArrayRef<Shape> shapes) const;
  std::vector<Finding> ofWords(const Opcode &opcode) const { return judgeWords(opcode, availability); }

private:
  struct Known {
    uint64_t fingerprint = 0;
    Verdict *verdict = nullptr; // null if there is none
  };
  /// Returns the slot of the verdict with that fingerprint, or the free slot for it.
  size_t placeOf(uint64_t fingerprint) const {
    size_t i = fingerprint >> 32 & (memo.size() - 1);
    while (memo[i].verdict && memo[i].fingerprint != fingerprint)
      i = (i + 1) & (memo.size() - 1);
    return i;
  }
  void growMemo();
  Judged judged(const WrittenInstruction &written) const;
  /// Sets the findings of the verdict to those of its judgement, with the advice that the budget of this text allows.
  /// `trials` is the number of trials before the judgement.
  void adviseOn(Verdict &verdict, std::vector<Finding> found, uint64_t trials);

  Availability availability;
  Opcodes &opcodes;
  AdviceBudget &budget;
  std::vector<Known> memo = std::vector<Known>(1024); // open addressing; the size is a power of two
  std::deque<Verdict> verdicts;
  llvm::BumpPtrAllocator shapesOfVerdicts;
  std::deque<std::vector<Finding>> findings;
  std::deque<Facts> allFacts;
  std::deque<FormMatch> matches;
};

/// The known spellings, and the verdicts on instructions with them. The object is reused for several sources.
class Knowledge {
public:
  WordsOfSpellings words;
  AdviceBudget budget;

  /// Returns the verdicts for the version and target of a module.
  Verdicts &verdictsFor(const ModuleContext &module);
  /// Returns the size in verdicts. Each version and target is counted as several verdicts, because it needs memory.
  size_t size() const;

private:
  using Key = std::tuple<uint16_t, uint16_t, std::optional<uint16_t>, bool, bool>;
  Opcodes opcodes;
  std::map<Key, Verdicts> byModule;
};

} // namespace ptxray
