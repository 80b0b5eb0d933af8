#include "Operate/Compile.h"
#include "Operate/Evaluated.h"
#include "Operate/Lowering.h"
#include "Operate/Products.h"
#include "llvm/ADT/STLExtras.h"

namespace ptxray::machine {

/// Compiles operations of one kind for all lanes. Returns false if something in the recipe has no operation.
static bool isLowered(const Lowering::Input &input, ElementType packed, RegisterFile &file, Compiled &compiled) {
  Lowering lowering(input, packed);
  if (!lowering.run())
    return false;
  compiled.ops = lowering.graph.operations(file, compiled.reads, compiled.writes);
  return true;
}

/// Returns whether a part of the recipe is computed for the whole warp.
static bool isNamed(const Recipe &recipe) {
  return llvm::any_of(recipe.steps, [](const RecipeStep &step) { return step.op == isa::StepOp::Named; });
}

static bool hasVectors(const Recipe &recipe) {
  return llvm::any_of(recipe.operands, [](const RecipeOperand &operand) {
    return llvm::any_of(operand.registers, [](const RecipeOperand::Register &one) { return one.part != 0; });
  });
}

Compiled compile(const Recipe &recipe, llvm::ArrayRef<Place> byNode, Place carry, RegisterFile &file, Kept &kept) {
  if (hasVectors(recipe)) {
    Compiled refused;
    refused.refusal = "a register of vector type";
    return refused;
  }
  if (std::optional<Compiled> product = recipe.refusal.empty() ? productOf(recipe, byNode, file, kept) : std::nullopt)
    return std::move(*product);
  if (isNamed(recipe) || recipe.results.empty())
    return evaluated(recipe, byNode, carry, file, kept);
  Compiled compiled = withMemory(recipe, file);
  if (!compiled.refusal.empty())
    return compiled;
  const MemoryUses reads = compiled.reads, writes = compiled.writes;
  const Lowering::Input input{recipe, byNode, carry, reads, writes, kept};
  for (const RecipeResult &result : recipe.results)
    if (result.type.count > 1 && isLowered(input, result.type, file, compiled))
      return compiled;
  if (isLowered(input, ElementType{ElementType::Kind::Unsigned, 0, 1, nullptr}, file, compiled))
    return compiled;
  return evaluated(recipe, byNode, carry, file, kept);
}

} // namespace ptxray::machine
