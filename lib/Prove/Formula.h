#pragma once
// The formulas of one instruction over terms: what its recipe computes from terms in place of numbers. Where nothing
// exact is known (floats, mostly), a result is an opaque function of what the instruction reads.
#include "Prove/Terms.h"
#include "Semantics/Recipe.h"
#include <optional>

namespace ptxray::prove {

/// The values that an instruction reads. Registers are terms of their own width.
struct FormulaInput {
  std::map<std::pair<int, unsigned>, Term> registers; // by node and part
  std::vector<Term> loaded;                           // the elements of memory, in the order of the recipe
  Term carry = Term::None;
  Term unknown = Term::None; // of one bit: makes results of this instruction differ from those of others; None: equal
  bool isCommon = false;     // results depend on nothing else
};
struct FormulaOutput {
  struct Register {
    int node;
    unsigned part;
    Term bits; // as wide as its type
    bool isSigned;
  };
  std::vector<Register> registers;
  std::vector<std::pair<uint16_t, std::vector<Term>>> stores; // the operand of the address, and the elements
  Term carry = Term::None;                                    // None: as before
};

/// The steps of a recipe that read memory, with the elements that each reads.
struct MemoryRead {
  uint16_t operand, elements, bits;
};
std::vector<MemoryRead> memoryReads(const Recipe &recipe);
/// The result depends on other lanes of the warp.
bool asksLanes(const Recipe &recipe);

FormulaOutput computed(Terms &terms, const Recipe &recipe, llvm::StringRef opcode, const FormulaInput &input);

} // namespace ptxray::prove
