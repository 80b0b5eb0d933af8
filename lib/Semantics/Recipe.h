#pragma once
// A recipe says what one judged instruction computes: the formulas that hold for it, as one flat list of steps in which
// words stand for what they say, and what is read and stored is done to numbers as the words of the instruction want
// it.
#include "Match/Match.h"
#include "Semantics/Element.h"
#include "Semantics/Matrix.h"
#include "Semantics/MatrixMove.h"
#include "llvm/ADT/SmallVector.h"
#include <string>

namespace ptxray {

struct RecipeStep {
  isa::StepOp op;
  uint16_t elements = 1;
  llvm::SmallVector<uint16_t, 4> args;  // earlier steps
  uint16_t operand = 0;                 // of Operand and Memory
  isa::WordId word = 0;                 // of Word; of Saturated the type
  isa::WordId part = 0;                 // of Saturated: the word that says which part of it
  isa::StepOp joins = isa::StepOp::Add; // of Fold
  int64_t constant = 0;
  ElementType type;   // of the number, where it was read; of what is computed the type of its first argument
  ElementType target; // of what the formula stores
  bool operator==(const RecipeStep &) const = default;
};
/// An operand of a recipe is what is written at the place of an operand.
struct RecipeOperand {
  struct Register {
    int16_t node = -1; // of the instruction; -1: none
    uint8_t part = 0;  // which element of a register of vector type
    bool isConstant = false, isNot = false;
    Bits constant = 0;
    bool operator==(const Register &) const = default;
  };
  ElementType type;
  llvm::SmallVector<Register, 4> registers;
  isa::WordId space = 0; // of an address; 0: generic
  bool operator==(const RecipeOperand &) const = default;
};
struct RecipeResult {
  isa::FormulaTarget target;
  uint16_t operand;  // the result, or the address
  uint16_t first;    // step of its formula
  uint16_t step;     // whose value is stored
  ElementType type;  // of what is stored
  uint16_t elements; // 0: as many as there are
  bool isWhole;      // one number for all elements together
  bool isApproximate;
  bool isNamed = false; // no formula says it: `Recipe::product` or `move` does
  uint16_t written = 0; // number of its first register among all that are written
  bool operator==(const RecipeResult &) const = default;
};

/// No formula says what a product of matrices is. Operands are those of the form; -1: none.
struct RecipeProduct {
  std::shared_ptr<const MatrixProduct> function; // null: it is no product of matrices
  int16_t a = -1, b = -1, c = -1, d = -1, metadata = -1, scalesOfA = -1, scalesOfB = -1;
};
struct RecipeMove {
  std::shared_ptr<const MatrixMove> function; // null: no matrices are moved
  bool isStore = false;
  int16_t registers = -1, address = -1, stride = -1;
};

struct Recipe {
  std::string refusal; // why it cannot be computed; empty: it can
  std::vector<RecipeStep> steps;
  std::vector<RecipeOperand> operands; // of the form
  std::vector<RecipeResult> results;
  RecipeProduct product;
  RecipeMove move;
  int16_t among = -1;      // operand: the mask of the lanes that take part
  bool isOneByOne = false; // lane after lane, as memory is changed
  bool flushes = false;    // `.ftz` is written
  bool isFull = false;     // `.full` is
};

/// The recipe of an accepted instruction; `matched` is what `judge` found.
Recipe recipeOf(const WrittenInstruction &written, const FormMatch &matched);
/// Makes it the recipe of another instruction with the same verdict, by the constants among its nodes. Conditions that
/// ask for the value of one are part of the verdict; but a product of matrices, and what is refused, is to be made
/// anew.
void setConstants(Recipe &recipe, llvm::ArrayRef<Shape> shapes, llvm::ArrayRef<Operand> nodes);

} // namespace ptxray
