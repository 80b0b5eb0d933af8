#pragma once
// A recipe is the computation of one checked instruction: the formulas that apply, as one flat list of steps.
// Qualifiers are replaced by their meaning, and modifiers for reading and storing are also steps.
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
  uint16_t operand = 0;                 // for Operand and Memory
  isa::WordId word = 0;                 // for Word; for Saturated, the type
  isa::WordId part = 0;                 // for Saturated: the qualifier that selects the part
  isa::StepOp joins = isa::StepOp::Add; // for Fold
  int64_t constant = 0;
  ElementType type;   // for steps that read: type of the number; otherwise type of the first argument
  ElementType target; // type that the formula stores
  bool operator==(const RecipeStep &) const = default;
};
/// An operand of a recipe: the source at one operand position.
struct RecipeOperand {
  struct Register {
    int16_t node = -1; // node of the instruction; -1 for none
    uint8_t part = 0;  // element of a register of vector type
    bool isConstant = false, isNot = false;
    Bits constant = 0;
    bool operator==(const Register &) const = default;
  };
  ElementType type;
  llvm::SmallVector<Register, 4> registers;
  isa::WordId space = 0; // for an address; 0 for generic
  bool operator==(const RecipeOperand &) const = default;
};
struct RecipeResult {
  isa::FormulaTarget target;
  uint16_t operand;  // the result, or the address
  uint16_t first;    // first step of the formula
  uint16_t step;     // step whose value is stored
  ElementType type;  // type of the stored value
  uint16_t elements; // 0 for all
  bool isWhole;      // one number represents all elements together
  bool isApproximate;
  bool isNamed = false; // computed by `Recipe::product` or `move`, not by a formula
  uint16_t written = 0; // index of its first register among all written ones
  bool operator==(const RecipeResult &) const = default;
};

/// A matrix product, which no formula expresses. Members are operand numbers of the form; -1 for none.
struct RecipeProduct {
  std::shared_ptr<const MatrixProduct> function; // null if there is no matrix product
  int16_t a = -1, b = -1, c = -1, d = -1, metadata = -1, scalesOfA = -1, scalesOfB = -1;
};
struct RecipeMove {
  std::shared_ptr<const MatrixMove> function; // null if there is no matrix move
  bool isStore = false;
  int16_t registers = -1, address = -1, stride = -1;
};

struct Recipe {
  std::string refusal; // why the instruction cannot be computed; empty if it can
  std::vector<RecipeStep> steps;
  std::vector<RecipeOperand> operands; // in the order of the form
  std::vector<RecipeResult> results;
  RecipeProduct product;
  RecipeMove move;
  int16_t among = -1;      // operand with the mask of participating lanes; -1 for none
  bool isOneByOne = false; // lanes are processed in sequence, because memory changes
  bool flushes = false;    // `.ftz` is written
  bool isFull = false;     // `.full` is written
};

/// Returns the recipe of an accepted instruction. `matched` is the result of `judge`.
Recipe recipeOf(const WrittenInstruction &written, const FormMatch &matched);
/// Adapts a recipe to another instruction with the same verdict, by replacing its constants. (Conditions on constants
/// are part of the verdict.) Recipes with a matrix product or a refusal must be created again instead.
void setConstants(Recipe &recipe, llvm::ArrayRef<Shape> shapes, llvm::ArrayRef<Operand> nodes);

} // namespace ptxray
