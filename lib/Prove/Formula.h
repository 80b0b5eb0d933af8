#pragma once
// Evaluates the recipe of one instruction on terms instead of numbers. If no exact result is known (mainly for floats),
// the result is an opaque function of the inputs.
#include "Prove/Terms.h"
#include "Semantics/Recipe.h"
#include <optional>

namespace ptxray::prove {

/// The values that an instruction reads. Registers are terms with the width of the register.
struct FormulaInput {
  std::map<std::pair<int, unsigned>, Term> registers; // keyed by node and part
  std::vector<Term> loaded;                           // elements of memory, in the order of the recipe
  Term carry = Term::None;
  Term unknown = Term::None; // a 1-bit term that distinguishes this instruction's results from those of others; None if
                             // equal inputs have equal results
  bool isCommon = false;     // results depend only on the inputs
};
struct FormulaOutput {
  struct Register {
    int node;
    unsigned part;
    Term bits; // bits with the width of the type
    bool isSigned;
  };
  std::vector<Register> registers;
  std::vector<std::pair<uint16_t, std::vector<Term>>> stores; // address operand, and the stored elements
  Term carry = Term::None;                                    // None if unchanged
};

/// A step of a recipe that reads memory, and the elements that it reads.
struct MemoryRead {
  uint16_t operand, elements, bits;
};
std::vector<MemoryRead> memoryReads(const Recipe &recipe);
/// Returns whether the result depends on other lanes of the warp.
bool asksLanes(const Recipe &recipe);

FormulaOutput computed(Terms &terms, const Recipe &recipe, llvm::StringRef opcode, const FormulaInput &input);

} // namespace ptxray::prove
