#pragma once
// Evaluates the recipe of an instruction on terms, for the lanes of a warp.
#include "Equal/Terms.h"
#include "Machine/Warp.h"
#include <functional>

namespace ptxray::equal {

/// A register of an instruction, identified by its place among the registers of a warp.
struct SiteRegister {
  machine::Place place;  // has no bits if the operand is not a register, so its value is unknown
  uint32_t number = ~0u; // in `ValueFlows`
};

/// The properties of one instruction of a program that terms need.
struct Site {
  Recipe recipe;
  bool isKnown = false; // terms can represent the recipe
  bool isVague = false; // the instruction uses something that is not tracked
  bool mixesLanes = false, keepsNan = false;
  std::vector<llvm::SmallVector<SiteRegister, 4>>
      operands; // indexed by operand of the recipe: the registers of the operand
};

Site siteOf(const machine::FunctionCode &code, uint32_t instruction, const ReadModule &module);

/// Returns the term of a lane of a register; `none` if the register holds the same number for all contents.
using TermOf = std::function<Term(const SiteRegister &, unsigned lane)>;

/// Computes the terms of the results of an instruction.
class Symbolic {
public:
  Symbolic(Terms &terms, const Site &site, const machine::Frame &frame, TermOf termOf)
      : terms(terms), site(site), recipe(site.recipe), frame(frame), termOf(termOf) {}

  /// The bytes at the address of the instruction, indexed by lane.
  std::array<std::vector<Ref>, machine::warpSize> memory;

  /// Evaluates all steps in some lanes. Returns false if a value is unknown.
  bool run(uint32_t lanes);
  /// Returns the term for register `index` of a result, with the width of the register; a constant if its value is
  /// known.
  Term resultOf(const RecipeResult &result, size_t index, unsigned lane);
  /// Returns the bits of all elements that a result stores in memory.
  llvm::SmallVector<Term, 8> storedBy(const RecipeResult &result, unsigned lane);
  /// Returns the value of a register as a constant.
  Term known(const SiteRegister &one, unsigned lane) {
    const std::optional<Bits> bits = knownBits(one, lane);
    return bits ? terms.constant(*bits, one.place.bits) : unknown;
  }
  /// Returns the term of a register in the form that the instruction reads; a constant if its value is known.
  Term registerTerm(const RecipeOperand &operand, size_t index, unsigned lane);

private:
  /// One element of the value of a step.
  struct Item {
    bool isKnown = false; // the value is `value`
    Value value;
    Term number = none;
    Term bits = none; // bits of the element, if it is an unchanged copy
    unsigned width = 0;
  };
  Item &at(uint16_t step, unsigned lane, unsigned element) {
    const uint16_t elements = recipe.steps[step].elements;
    return items[first[step] + size_t(lane) * elements + (elements == 1 ? 0 : element)];
  }
  Term numberOf(const Item &item);
  Term bitsOf(const Item &item, unsigned width);
  Item itemOf(Term bits, const ElementType &type);
  Item itemOfNumber(Term number);
  bool step(uint16_t number, unsigned lane);
  bool read(uint16_t number, unsigned lane);
  bool load(uint16_t number, unsigned lane);
  std::optional<bool> ofLanes(uint16_t number, unsigned lane);
  bool joinAll(uint16_t number, unsigned lane);
  bool addAll(uint16_t number, unsigned lane);
  std::optional<bool> ofElements(uint16_t number, unsigned lane);
  bool choose(uint16_t number, unsigned lane);
  bool elementwise(uint16_t number, unsigned lane);
  Item ofSign(const RecipeStep &step, const Item &item, llvm::ArrayRef<Term> numbers);
  uint32_t everyone(unsigned lane);
  std::optional<Bits> knownBits(const SiteRegister &one, unsigned lane) const;
  Term storedBits(const RecipeResult &result, unsigned lane, unsigned element);

  Terms &terms;
  const Site &site;
  const Recipe &recipe;
  const machine::Frame &frame;
  TermOf termOf;
  uint32_t active = 0;
  std::vector<Item> items;
  std::vector<size_t> first;
};

} // namespace ptxray::equal
