#pragma once
// The input of the engine for one instruction.
#include "Isa/Availability.h"
#include "Match/Opcode.h"
#include "Resolve/Shape.h"

namespace ptxray {

struct WrittenInstruction {
  const Opcode &opcode;
  llvm::ArrayRef<Shape> shapes; // one for each operand node, in the order of the Ast
  const Availability &availability;
};

} // namespace ptxray
