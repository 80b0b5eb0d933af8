#include "Machine/Fidelity.h"
#include "Machine/InstructionKinds.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

namespace ptxray::machine {

const char *nameOf(Fidelity fidelity) {
  switch (fidelity) {
  case Fidelity::Exact: return "exact";
  case Fidelity::AsHopper:
  case Fidelity::Models:
  case Fidelity::Words: return "modelled";
  case Fidelity::Coordinates: return "approximate";
  default: return "open";
  }
}

const char *reasonOf(Fidelity fidelity) {
  switch (fidelity) {
  case Fidelity::Exact: return "";
  case Fidelity::AsHopper: return "as an H100 computes it";
  case Fidelity::Models: return "products follow the published models of the chip";
  case Fidelity::Words: return "follows the manual; no such chip was measured";
  case Fidelity::Order: return "floats are added in the order in which the emulator executes";
  case Fidelity::Coordinates:
    return "three-dimensional filters differ in the last bits; levels from gradients differ by more";
  case Fidelity::Chip: return "the value is specific to the emulator";
  case Fidelity::Requests: return "no request succeeds";
  }
  return "";
}

namespace {

constexpr unsigned hopper = 90;

bool isProduct(const Recipe &recipe) {
  return recipe.product.function || llvm::StringSwitch<bool>(recipe.refusal)
                                        .Case("warpgroup-product", true)
                                        .Case("sparse-warpgroup-product", true)
                                        .Case("tensor-product", true)
                                        .Default(false);
}

} // namespace

bool saysSomethingOfChip(llvm::StringRef special) {
  static constexpr llvm::StringLiteral names[] = {"%clock",  "%globaltimer", "%smid",  "%nsmid",        "%gridid",
                                                  "%warpid", "%nwarpid",     "%pm",    "%envreg",       "%clock64",
                                                  "%hw",     "%reserved",    "%graph", "%current_graph"};
  return llvm::any_of(names, [special](llvm::StringRef name) { return special.starts_with(name); });
}

Fidelity fidelityOf(const InstructionKind &kind, const Verdict &verdict, unsigned architecture) {
  const llvm::StringRef refusal = kind.recipe.refusal;
  if (isProduct(kind.recipe))
    return architecture == hopper ? Fidelity::Exact : Fidelity::Models;
  if (refusal == "texel" || refusal == "four-texels") {
    if (hasWord(*verdict.opcode, ".grad") || hasWord(*verdict.opcode, ".3d"))
      return Fidelity::Coordinates;
    return architecture == hopper ? Fidelity::Exact : Fidelity::AsHopper;
  }
  if (refusal == "shifted-rows")
    return Fidelity::Words;
  if (refusal == "canceled-cluster")
    return Fidelity::Requests;
  if (architecture != hopper &&
      llvm::any_of(kind.recipe.results, [](const RecipeResult &result) { return result.isApproximate; }))
    return Fidelity::AsHopper;
  const bool isSum = kind.reduction && kind.reduction->how == Reduction::How::Add && kind.reduction->type.isFloat();
  const bool writes = llvm::any_of(verdict.facts->accesses, [](const Access &access) { return access.writes(); });
  return isSum && writes ? Fidelity::Order : Fidelity::Exact;
}

} // namespace ptxray::machine
