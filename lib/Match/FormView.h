#pragma once
// A form that is tried on a written instruction, for the steps of the judge and the named checks.
#include "Match/FormMatch.h"
#include "Match/Written.h"
#include <cassert>

namespace ptxray {

/// A match, together with the objects from which it was created.
struct FormView : FormMatch {
  FormView(const WrittenInstruction &written, uint32_t form) : FormMatch(form), written(written) {}
  FormView(const WrittenInstruction &written, const FormMatch &match) : FormMatch(match), written(written) {}

  /// Returns the shape of an operand, or null if it is not written or the form has no such operand.
  const Shape *operand(llvm::StringRef name) const {
    const std::optional<unsigned> index = findOperand(name);
    return index ? operand(*index) : nullptr;
  }
  const Shape *operand(unsigned index) const {
    assert(nodeOf[index] < static_cast<int>(written.shapes.size()) && "the match is of this instruction");
    return nodeOf[index] < 0 ? nullptr : &written.shapes[nodeOf[index]];
  }

  const WrittenInstruction &written;
};

} // namespace ptxray
