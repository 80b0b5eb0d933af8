#pragma once
// Judges one instruction against the tables: which form is meant, how the text fits it, what is wrong and what the
// instruction does. Other rooms include no other header of this one.
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
  /// The form of an accepted instruction, else the nearest form; none if the name is unknown.
  std::optional<FormMatch> match;
  std::vector<Finding> findings; // remedies are guesses until `advise` has tried them
  Facts facts;

  bool isAccepted() const; // warnings do not count
};
Judged judge(const WrittenInstruction &written);
/// The limit on operands, counting nested ones: the engine has 15 bits for their numbers.
inline constexpr uint32_t mostOperands = 10'000;
/// Keeps only those remedies that make the instruction right, and puts the findings into words. `isBare`: tries
/// nothing, and keeps no remedy.
void advise(std::vector<Finding> &findings, const WrittenInstruction &written, bool isBare = false);
/// Returns the findings about the words of an instruction whose operands cannot be read, in words.
std::vector<Finding> judgeWords(const Opcode &opcode, const Availability &availability);

/// Returns whether a condition of a form holds for the words in its slots alone.
bool isAllowed(const FormMatch &match, isa::ExprId condition, const Availability &availability);
/// Returns whether the instruction is accepted; adds the gates that this depends on.
bool accepts(const WrittenInstruction &written, std::vector<isa::ExprId> &gates);

// ---- an opcode that is not written to its end
/// Returns the forms that have a place for all written words; if `complete`, only those that lack no word.
std::vector<FormMatch> formsFor(const Opcode &opcode, bool complete);
/// A word that may follow.
struct NextWord {
  isa::WordId word;
  isa::ExprId lacking; // what the module would need for it; 0: nothing
  uint32_t form;       // the first form that it continues
};
/// Returns the words that may follow, in the order of the forms they continue.
std::vector<NextWord> nextWords(const Opcode &opcode, const Availability &availability);

/// The place of an instruction in the text.
struct InstructionSite {
  const Opcode &opcode;
  ModuleContext module;
  const Ast &ast;
  const SourceBuffer &source;
  const Instruction &instruction;
  llvm::function_ref<const Symbol *(NameId)> find; // what its names mean; null: no declaration
};
/// Reports the findings at their places in the text.
void reportFindings(llvm::ArrayRef<Finding> findings, const InstructionSite &site, DiagnosticSink &sink);

// ---- the instructions of texts
/// The spellings of opcodes, each taken apart once.
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

/// Like Resolver::fingerprint, but also for names that are not plain. Values of numbers are part of it if the opcode
/// reads them.
uint64_t fingerprint(const Instruction &instruction, const Opcode &opcode, llvm::ArrayRef<Operand> nodes,
                     llvm::ArrayRef<Shape> shapes);
/// Returns the fingerprint with the values of these nodes.
uint64_t withValues(uint64_t fingerprint, llvm::ArrayRef<Operand> nodes);

/// The work that advice on the faulty instructions of a text may take, in trials (`Availability::trials`). Instructions
/// after that are reported without advice, so that the time for a text is proportional to its length.
struct AdviceBudget {
  uint64_t left = UINT64_MAX;
  uint32_t text = 0; // the number of the text that it is for

  /// Begins a text of so many bytes.
  void begin(size_t bytes);
  /// Leaves no advice while it lives.
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

/// Holds what is known of all instructions with one opcode and one shape.
struct Verdict {
  const Opcode *opcode = nullptr;
  llvm::ArrayRef<Shape> shapes;
  const Facts *facts = nullptr;
  const std::vector<Finding> *findings = nullptr; // null: nothing wrong
  PlainUses plain;
  const FormMatch *match = nullptr; // as in Judged; null: none
  const std::vector<Finding> *advised = nullptr,
                             *bare = nullptr; // the findings with and without advice, once asked for
  uint64_t trials = 0;                        // that the advice took
  uint32_t text = 0;                          // the text whose budget `findings` are for
};

/// The verdicts for one version and target. A verdict depends on nothing else but the opcode and the shapes of the
/// operands, so it is found once and then looked up.
class Verdicts {
public:
  Verdicts(const ModuleContext &context, Opcodes &opcodes, AdviceBudget &budget)
      : availability(context), opcodes(opcodes), budget(budget) {}

  size_t size() const { return verdicts.size(); }
  /// Tells what the version and target allow. It does not know where the header is.
  const Availability &allows() const { return availability; }
  const Opcode &opcode(const Ast &ast, const Instruction &instruction) { return opcodes.of(ast, instruction); }
  /// Null if there was no such instruction yet, or no such faulty one in this text.
  const Verdict *find(uint64_t fingerprint) const {
    const Verdict *verdict = memo[placeOf(fingerprint)].verdict;
    return verdict && verdict->findings && verdict->text != budget.text ? nullptr : verdict;
  }
  /// Returns the verdict. There is one shape for each operand node of the instruction, in the order of the Ast.
  const Verdict &of(const Opcode &opcode, const Instruction &instruction, llvm::ArrayRef<Operand> nodes,
                    llvm::ArrayRef<Shape> shapes);
  /// Returns whether an instruction found by its fingerprint would get the same verdict; for assertions.
  bool isStillRight(const Verdict &verdict, const Opcode &opcode, llvm::ArrayRef<Shape> shapes) const;
  std::vector<Finding> ofWords(const Opcode &opcode) const { return judgeWords(opcode, availability); }

private:
  struct Known {
    uint64_t fingerprint = 0;
    Verdict *verdict = nullptr; // null: none
  };
  /// Returns the place of the verdict with that fingerprint, or the free place for it.
  size_t placeOf(uint64_t fingerprint) const {
    size_t i = fingerprint >> 32 & (memo.size() - 1);
    while (memo[i].verdict && memo[i].fingerprint != fingerprint)
      i = (i + 1) & (memo.size() - 1);
    return i;
  }
  void growMemo();
  Judged judged(const WrittenInstruction &written) const;
  /// Gives the verdict the findings that the budget of this text allows, from those of its judgement. `trials` are
  /// those before the judgement.
  void adviseOn(Verdict &verdict, std::vector<Finding> found, uint64_t trials);

  Availability availability;
  Opcodes &opcodes;
  AdviceBudget &budget;
  std::vector<Known> memo = std::vector<Known>(1024); // open addressing, a power of two
  std::deque<Verdict> verdicts;
  llvm::BumpPtrAllocator shapesOfVerdicts;
  std::deque<std::vector<Finding>> findings;
  std::deque<Facts> allFacts;
  std::deque<FormMatch> matches;
};

/// Everything known of spellings, and of the instructions written with them. It outlives a text.
class Knowledge {
public:
  WordsOfSpellings words;
  AdviceBudget budget;

  /// Returns the verdicts for modules of that version and target.
  Verdicts &verdictsFor(const ModuleContext &module);
  /// Returns how many verdicts it holds; each version and target counts as several, since it takes memory.
  size_t size() const;

private:
  using Key = std::tuple<uint16_t, uint16_t, std::optional<uint16_t>, bool, bool>;
  Opcodes opcodes;
  std::map<Key, Verdicts> byModule;
};

} // namespace ptxray
