#pragma once
// Evaluates the recipe of an instruction on terms, for the lanes of a warp.
#include "Equal/Terms.h"
#include "Machine/Warp.h"
#include <functional>

namespace ptxray::equal {

/// A register of an instruction, by its place among the registers of a warp.
struct SiteRegister {
  machine::Place place;  // of no bits: it is not a register, so nothing is known of it
  uint32_t number = ~0u; // in `ValueFlows`
};

/// What is known of one instruction of a program.
struct Site {
  Recipe recipe;
  bool isKnown = false; // the recipe can be evaluated on terms
  bool isVague = false; // it names something that is not followed
  bool mixesLanes = false, keepsNan = false;
  std::vector<llvm::SmallVector<SiteRegister, 4>> operands; // for each operand of the recipe, its registers
};

Site siteOf(const machine::FunctionCode &code, uint32_t instruction, const ReadModule &module);

/// The terms of a lane of a register; `none`: it holds the same number for all contents.
using TermOf = std::function<Term(const SiteRegister &, unsigned lane)>;

/// The terms that an instruction leaves in its results.
class Symbolic {
public:
  Symbolic(Terms &terms, const Site &site, const machine::Frame &frame, TermOf termOf)
      : terms(terms), site(site), recipe(site.recipe), frame(frame), termOf(termOf) {}

  /// The bytes at the address of the instruction, by lane.
  std::array<std::vector<Ref>, machine::warpSize> memory;

  /// Evaluates all steps in some lanes. Returns false if something is not known.
  bool run(uint32_t lanes);
  /// Returns the term that register `index` of a result gets, as wide as the register; a constant if it is known.
  Term resultOf(const RecipeResult &result, size_t index, unsigned lane);
  /// Returns the bits of all elements that a result stores in memory.
  llvm::SmallVector<Term, 8> storedBy(const RecipeResult &result, unsigned lane);
  /// Returns what a register holds, as a constant.
  Term known(const SiteRegister &one, unsigned lane) {
    const std::optional<Bits> bits = knownBits(one, lane);
    return bits ? terms.constant(*bits, one.place.bits) : unknown;
  }
  /// Returns the term of a register as the instruction reads it; a constant if it is known.
  Term registerTerm(const RecipeOperand &operand, size_t index, unsigned lane);

private:
  /// An element of a step.
  struct Item {
    bool isKnown = false; // it is `value`
    Value value;
    Term number = none;
    Term bits = none; // its bits, as long as they are copied
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
