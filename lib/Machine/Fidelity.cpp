#include "Machine/Fidelity.h"
#include "Machine/Async.h"
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
  case Fidelity::Models: return "products as the published models of the chip say";
  case Fidelity::Words: return "as the words of the manual say; no such chip was asked";
  case Fidelity::Order: return "the sum of floats is in the order in which the emulator executes";
  case Fidelity::Coordinates:
    return "filters of three dimensions differ in the last bits, the level of gradients by more";
  case Fidelity::Chip: return "the number is that of no GPU";
  case Fidelity::Requests: return "no request succeeds";
  }
  return "";
}

namespace {

constexpr unsigned hopper = 90;

/// It reads a special register that says something of the chip or of time.
bool readsChip(const Lowered &one, const BodyLowering &lowering) {
  static constexpr llvm::StringLiteral names[] = {"%clock",  "%globaltimer", "%smid",  "%nsmid",        "%gridid",
                                                  "%warpid", "%nwarpid",     "%pm",    "%envreg",       "%clock64",
                                                  "%hw",     "%reserved",    "%graph", "%current_graph"};
  return llvm::any_of(lowering.namesOf(one), [](llvm::StringRef read) {
    return llvm::any_of(names, [read](llvm::StringRef name) { return read.starts_with(name); });
  });
}

bool isProduct(const Lowered &one) {
  return one.recipe.product.function || llvm::StringSwitch<bool>(one.recipe.refusal)
                                            .Case("warpgroup-product", true)
                                            .Case("sparse-warpgroup-product", true)
                                            .Case("tensor-product", true)
                                            .Default(false);
}

} // namespace

Fidelity fidelityOf(const Lowered &one, const BodyLowering &lowering) {
  const unsigned architecture = lowering.architecture();
  const llvm::StringRef refusal = one.recipe.refusal;
  if (isProduct(one))
    return architecture == hopper ? Fidelity::Exact : Fidelity::Models;
  if (refusal == "texel" || refusal == "four-texels") {
    if (hasWord(one, ".grad") || hasWord(one, ".3d"))
      return Fidelity::Coordinates;
    return architecture == hopper ? Fidelity::Exact : Fidelity::AsHopper;
  }
  if (refusal == "shifted-rows")
    return Fidelity::Words;
  if (refusal == "canceled-cluster")
    return Fidelity::Requests;
  if (architecture != hopper &&
      llvm::any_of(one.recipe.results, [](const RecipeResult &result) { return result.isApproximate; }))
    return Fidelity::AsHopper;
  if (llvm::any_of(one.facts().accesses, [](const Access &access) { return access.writes(); }))
    if (const std::optional<Reduction> reduction = reductionOf(one);
        reduction && reduction->how == Reduction::How::Add && reduction->type.isFloat())
      return Fidelity::Order;
  return readsChip(one, lowering) ? Fidelity::Chip : Fidelity::Exact;
}

} // namespace ptxray::machine
