#include "Operate/Compile.h"
#include "Operate/Evaluated.h"
#include "Operate/Lowering.h"

namespace ptxray::machine {

/// Operations of one kind for all lanes; false: there are none for something in the recipe.
static bool isLowered(const Lowering::Input &input, ElementType packed, RegisterFile &file, Compiled &compiled) {
  Lowering lowering(input, packed);
  if (!lowering.run())
    return false;
  compiled.ops = lowering.graph.operations(file, compiled.reads, compiled.writes);
  return true;
}

Compiled compile(const Recipe &recipe, llvm::ArrayRef<Place> byNode, Place carry, RegisterFile &file, Kept &kept) {
  Compiled compiled = withMemory(recipe, file);
  if (!compiled.refusal.empty() || recipe.results.empty())
    return compiled;
  const std::vector<MemoryUse> reads = compiled.reads, writes = compiled.writes;
  const Lowering::Input input{recipe, byNode, carry, reads, writes, kept};
  for (const RecipeResult &result : recipe.results)
    if (result.type.count > 1 && isLowered(input, result.type, file, compiled))
      return compiled;
  if (isLowered(input, ElementType{ElementType::Kind::Unsigned, 0, 1, nullptr}, file, compiled))
    return compiled;
  return evaluated(recipe, byNode, carry, file, kept);
}

} // namespace ptxray::machine
