#pragma once
// One form of the tables laid over one written instruction: which word stands in which slot, which
// operand node in which operand, and what is wrong with that. The judge makes one for every form it
// tries; `check` functions read it.
#include "Isa/Availability.h"
#include "Match/Finding.h"
#include "Match/Opcode.h"
#include "Match/TypeRules.h"
#include "Resolve/Shape.h"
#include <array>
#include <optional>

namespace ptxray {

/// What is written, whatever the form.
struct WrittenInstruction {
  const Opcode &opcode;
  llvm::ArrayRef<Shape> shapes;
  const Availability &availability;
};

class FormView {
public:
  FormView(const WrittenInstruction &written, uint32_t form);

  // ---- what is written
  const WrittenInstruction &written;
  const uint32_t formIndex;
  const isa::Form &form;
  llvm::ArrayRef<isa::Slot> slots;
  llvm::ArrayRef<isa::OperandDecl> operands;

  /// The word of a slot, its fallback when it is not written, or 0.
  isa::WordId word(unsigned slot) const { return slotWord[slot] ? slotWord[slot] : slots[slot].fallback; }
  bool isWritten(unsigned slot) const { return slotWord[slot] != 0; }
  Place placeOfSlot(unsigned slot) const; // of its word; the opcode when it is not written
  bool isWritten(llvm::StringRef operand) const;
  /// The shape of an operand, or null when it is not written or the form has none of that name.
  const Shape *operand(llvm::StringRef name) const;
  const Shape *operand(unsigned index) const { return nodeOf[index] < 0 ? nullptr : &written.shapes[nodeOf[index]]; }
  Place placeOfOperand(llvm::StringRef name) const;
  Place placeOfOperand(unsigned index) const;
  std::optional<unsigned> findSlot(llvm::StringRef name) const; // with its dot
  /// The text of the word in a slot, or an empty text.
  llvm::StringRef slotText(llvm::StringRef name) const;

  bool mayNegate(unsigned operand) const; // `{-}a`

  /// The type of an operand as declared, its slot read.
  TypeView typeOf(unsigned operand) const;
  /// A length or bound; none when it is read from a slot that is not written.
  std::optional<int64_t> value(const isa::Term &term) const;

  // ---- conditions
  enum class Assume : uint8_t { Nothing, GatesHold };
  bool holds(isa::ExprId condition, Assume assume = Assume::Nothing);
  /// Warnings of the expressions that held since the last call: indices into tables().warnings.
  llvm::SmallVector<uint16_t, 2> takeWarnings();

  // ---- findings
  Finding &report(Phase phase, DiagId id, Place place, std::initializer_list<std::string> args = {});
  std::vector<Finding> findings;
  std::array<uint16_t, phaseCount> score = {};

  // ---- filled by the steps of the judge
  llvm::SmallVector<isa::WordId, 24> slotWord; // 0: not written
  llvm::SmallVector<int16_t, 24> slotAt;       // index of the opcode's word; -1 - node for a suffix
  llvm::SmallVector<int16_t, 16> nodeOf;       // by operand; -1: not written
  /// The cells of matching table rows that say how long an operand is and which values it has; -1: none.
  llvm::SmallVector<int32_t, 16> lengthCell, valuesCell;

private:
  llvm::SmallVector<uint16_t, 2> warnings;
};

// The steps, in order (Match.cpp, Bind.cpp, Rows.cpp, Conditions.cpp, Operands.cpp; what is said of them: Explain.h).
void matchWords(FormView &view);
/// The same without a report: whether each word has a slot, and each slot that needs one a word.
bool wordsFit(FormView &view);
/// The only word that keeps some form with word `k` from being the one that is meant.
std::optional<unsigned> opponent(const Opcode &opcode, unsigned k);

/// A way to lay the written operands over the operand list of a form.
struct Binding {
  struct Misfit {
    int16_t pattern; // -1: an operand too many
    int16_t node;    // -1: an operand is missing
  };
  llvm::SmallVector<int16_t, 16> nodeOf;
  llvm::SmallVector<std::pair<uint16_t, int16_t>, 2> suffixes; // slot, node
  llvm::SmallVector<Misfit, 2> misfits;
};
/// The best ways: all those with the fewest misfits.
llvm::SmallVector<Binding, 2> bindOperands(const FormView &view);
void applyBinding(FormView &view, const Binding &binding);

void judgeTables(FormView &view);
void judgeRules(FormView &view);
void judgeFormGates(FormView &view); // what the form as a whole needs; part of judgeRules
void judgeWordGates(FormView &view);
void judgePresence(FormView &view);
void judgeOperands(FormView &view);

/// Reports that no word stands in a slot.
void reportMissing(FormView &view, unsigned slot, Phase phase);
/// Reports why an expression that is false is false. `subject` is what needs it.
/// What a diagnostic says where only older releases of ptxas take the text; 13.1 is 1301.
std::string releaseNote(uint16_t release);
/// The release of ptxas that an expression names, or 0.
uint16_t ptxasRelease(isa::ExprId condition);
void explainFailure(FormView &view, isa::ExprId condition, Place subject, std::string subjectText, uint32_t line);
void reportWarnings(FormView &view, Place place, std::string what, uint32_t line, bool value);
bool lengthFits(const FormView &view, unsigned operand, llvm::ArrayRef<isa::Term> terms);
void reportLength(FormView &view, unsigned operand, llvm::ArrayRef<isa::Term> terms, uint32_t line);
bool inRange(const isa::ValueRange &range, int64_t value);
/// A value outside the ranges. The caller may set the line.
Finding &reportRange(FormView &view, Phase phase, Place place, llvm::ArrayRef<isa::ValueRange> ranges, int64_t value);
std::string rangesText(llvm::ArrayRef<isa::ValueRange> ranges);
std::string wordsText(llvm::ArrayRef<isa::WordId> words, const char *conjunction = "or");

/// "missing" and a kind of word make `missing-rounding`; `otherwise` when there is no such id.
DiagId idForKind(llvm::StringRef prefix, isa::WordId word, DiagId otherwise);
std::string kindName(isa::WordId word); // "rounding", or "qualifier"

} // namespace ptxray
