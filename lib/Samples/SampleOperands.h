#pragma once
// Generates the operands of a sample. They fit the form, or with some probability do not.
#include "Match/Match.h"
#include "Samples/Sample.h"
#include <random>

namespace ptxray {

/// The source of all random choices.
struct Dice {
  std::mt19937_64 random;
  unsigned errorPercent = 0; // percentage of choices that are made invalid on purpose

  unsigned pick(size_t count) { return std::uniform_int_distribution<size_t>(0, count - 1)(random); }
  bool chance(unsigned percent) { return pick(100) < percent; }
};

/// One row of each table of a form.
using ChosenRows = llvm::SmallVector<std::pair<const isa::Table *, uint32_t>, 4>;
/// Returns null if the table has no such column.
const isa::Cell *cellOf(const isa::Table &table, uint32_t row, isa::ColumnKind kind, unsigned member);

/// Operands as text and as shapes.
struct MadeOperands {
  std::string text;
  std::vector<Shape> shapes;
};

class OperandSampler {
public:
  OperandSampler(Dice &dice, const Availability &availability, const ChosenRows &chosenRows)
      : dice(dice), availability(availability), chosenRows(chosenRows) {}
  MadeOperands make(FormMatch &match);

private:
  unsigned pick(size_t count) { return dice.pick(count); }
  bool chance(unsigned percent) { return dice.chance(percent); }
  /// Returns true for one in `share` errors.
  bool errs(unsigned share = 1) { return chance(dice.errorPercent / share); }
  void list(FormMatch &match, unsigned from, unsigned to, MadeOperands &out);
  bool isWanted(FormMatch &match, const isa::Pattern &pattern, unsigned at);
  void pattern(FormMatch &match, unsigned at, MadeOperands &out);
  void inBrackets(FormMatch &match, unsigned at, MadeOperands &out);
  void pair(FormMatch &match, unsigned at, MadeOperands &out);
  void suffix(const FormMatch &match, const isa::Pattern &pattern, size_t node, MadeOperands &out);
  void decorate(const isa::Pattern &pattern, size_t node, size_t text, MadeOperands &out);
  void operand(FormMatch &match, unsigned index, MadeOperands &out);
  void address(FormMatch &match, const isa::OperandDecl &declared, MadeOperands &out);
  void scalar(const isa::OperandDecl &declared, TypeView type, bool inVector, MadeOperands &out);
  void registerOf(TypeView type, MadeOperands &out);
  void special(MadeOperands &out);
  void constant(const isa::OperandDecl &declared, TypeView type, MadeOperands &out);
  void offset(MadeOperands &out);

  Dice &dice;
  const Availability &availability;
  const ChosenRows &chosenRows;
};

} // namespace ptxray
