#include "Pages/FormulaText.h"
#include "Isa/FormulaNames.h"
#include "Isa/Isa.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <vector>

namespace ptxray {

using isa::StepOp;

namespace {

/// A row as text. `isSimple` means that it needs no parentheses next to an operator.
struct Piece {
  std::string text;
  bool isSimple = true;
};

class FormulaWriter {
public:
  FormulaWriter(const isa::Form &form, const isa::Formula &formula, const FormMatch *words)
      : formula(formula), words(words), slots(isa::run(isa::tables().slots, form.slots)),
        operands(isa::run(isa::tables().operands, form.operands)) {}
  std::string value() {
    for (const isa::Step &step : isa::run(isa::tables().steps, formula.steps))
      pieces.push_back(piece(step));
    return pieces.back().text;
  }
  std::string target() const {
    switch (formula.target) {
    case isa::FormulaTarget::Operand: return name(formula.operand);
    case isa::FormulaTarget::Memory: return "[" + name(formula.operand) + "]";
    case isa::FormulaTarget::Carry: return "cc";
    case isa::FormulaTarget::Nothing: break;
    }
    return "";
  }

private:
  std::string name(size_t operand) const { return std::string(operands[operand].name()); }
  Piece piece(const isa::Step &step) const;
  Piece wordCall(const isa::Step &step) const;
  Piece sign(const isa::Step &step) const;
  const Piece &arg(const isa::Step &step, size_t index) const {
    return pieces[isa::tables().stepArgs[step.args + index]];
  }
  /// Returns an argument as an operand of an operator.
  std::string part(const isa::Step &step, size_t index) const {
    const Piece &piece = arg(step, index);
    return piece.isSimple ? piece.text : "(" + piece.text + ")";
  }
  std::string call(std::string function, const isa::Step &step) const {
    function += "(";
    for (unsigned i = 0; i < step.count; ++i)
      function += (i ? ", " : "") + arg(step, i).text;
    return function + ")";
  }

  /// Returns the slot's name, or the word in it; empty if it has none.
  std::string inSlot(size_t slot) const {
    if (!words)
      return std::string(slots[slot].name());
    return words->word(slot) ? std::string(isa::word(words->word(slot)).text()) : "";
  }

  const isa::Formula &formula;
  const FormMatch *words; // null for all possible words
  llvm::ArrayRef<isa::Slot> slots;
  llvm::ArrayRef<isa::OperandDecl> operands;
  std::vector<Piece> pieces;
};

/// Returns a number as text: small numbers in decimal, others in hexadecimal.
std::string numberText(int64_t number) {
  return std::abs(number) < 4096 ? std::to_string(number)
                                 : "0x" + llvm::utohexstr(static_cast<uint64_t>(number), /*LowerCase=*/true);
}

} // namespace

Piece FormulaWriter::wordCall(const isa::Step &step) const {
  const isa::Slot &slot = slots[isa::tables().wordCalls[step.value].slot];
  const std::string word = inSlot(isa::tables().wordCalls[step.value].slot);
  if (word.empty()) // the result is then the first argument
    return arg(step, 0);
  if (step.op == StepOp::Fold)
    return {"fold(" + word + ", " + arg(step, 0).text + ")"};
  if (step.count == 2 && !slot.optional)
    return {part(step, 0) + " " + word + " " + part(step, 1), false};
  return {call(word, step)};
}

Piece FormulaWriter::sign(const isa::Step &step) const {
  const std::string sign(isa::functionOf(step.op).name);
  if (step.op == StepOp::Choice)
    return {part(step, 0) + " ? " + part(step, 1) + " : " + part(step, 2), false};
  if (step.count == 1)
    return {sign + part(step, 0)};
  const std::string space = step.op == StepOp::At ? "" : " ";
  return {part(step, 0) + space + sign + space + part(step, 1), step.op == StepOp::At};
}

Piece FormulaWriter::piece(const isa::Step &step) const {
  switch (step.op) {
  case StepOp::Operand: return {name(step.value)};
  case StepOp::Memory: return {"[" + name(step.value) + "]"};
  case StepOp::Constant: return {numberText(isa::tables().stepNumbers[step.value])};
  case StepOp::Parameter: return {"x"}; // only in definitions
  case StepOp::Word:
    return {step.value >= isa::literalWord ? std::string(isa::word(step.value - isa::literalWord).text())
                                           : inSlot(step.value)};
  case StepOp::WordCall:
  case StepOp::Fold: return wordCall(step);
  case StepOp::Named: return {call(std::string(isa::tables().namedFunctions[step.value]()), step)};
  default: break;
  }
  if (!isa::isApplied(step.op))
    return sign(step);
  const isa::FormulaFunction &function = isa::functionOf(step.op);
  if (step.op == StepOp::Joined && step.count == 1)
    return arg(step, 0);
  return {step.count ? call(std::string(function.name), step) : std::string(function.name)};
}

std::string formulaText(const isa::Form &form, const isa::Formula &formula, const FormMatch *words) {
  FormulaWriter writer(form, formula, words);
  const std::string target = writer.target();
  std::string text = writer.value();
  if (!target.empty())
    text = target + (formula.approximate ? " ~ " : " = ") + text;
  return formula.bound().empty() ? text : text + " within " + std::string(formula.bound());
}

std::vector<std::string> functionsOf(const isa::Formula &formula) {
  std::vector<std::string> texts;
  const auto add = [&](std::string text) {
    if (!llvm::is_contained(texts, text))
      texts.push_back(std::move(text));
  };
  for (const isa::Step &step : isa::run(isa::tables().steps, formula.steps)) {
    if (step.op == StepOp::At)
      add("x@n: x as lane n has it");
    const bool isJoinOfOne = step.op == StepOp::Joined && step.count == 1; // not written
    const isa::Text name = step.op == StepOp::Named  ? isa::tables().namedFunctions[step.value]()
                           : step.op == StepOp::Fold ? "fold"
                           : isJoinOfOne             ? ""
                                                     : isa::functionOf(step.op).name;
    if (const std::optional<isa::Meaning> meaning = isa::findMeaning(name); meaning && meaning->topic == "function")
      add(std::string(name) + ": " + std::string(meaning->text));
  }
  return texts;
}

} // namespace ptxray
