// Lowers facts about mbarrier objects, and named functions that copy.
#include "Isa/Words.h"
#include "Machine/Async.h"
#include "Machine/Flight.h"
#include "Machine/Products.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

namespace ptxray::machine {

using isa::FactKind;

bool hasWord(const Lowered &one, llvm::StringRef text) { return hasWord(*one.verdict.opcode, text); }

bool isSequential(const Lowered &fence) {
  const Facts &facts = fence.facts();
  return facts.has(FactKind::Releases) && facts.has(FactKind::Acquires) && !hasWord(fence, ".acq_rel");
}

// ---- facts

static BarrierUse useOf(BarrierUse::What what, const Lowered &one, const Action &action, BodyLowering &lowering) {
  BarrierUse use;
  use.what = what;
  use.object = lowering.addressAt(one, action.node);
  if (action.amount >= 0)
    use.amount = lowering.placeOf(one, action.amount, 32);
  for (const char *name : {"mask", "ctaMask", "ctaMask32"})
    if (const int node = one.node(name); node >= 0 && what != BarrierUse::What::Await)
      use.blocks = lowering.placeOf(one, node, 32);
  use.isRelaxed = (what == BarrierUse::What::Arrive && !one.facts().has(FactKind::Releases)) ||
                  (what == BarrierUse::What::Await && !one.facts().has(FactKind::Acquires));
  return use;
}

/// Returns the size of the formulas' results in memory.
static uint32_t storedBytes(const Recipe &recipe) {
  uint32_t bits = 0;
  for (const RecipeResult &result : recipe.results)
    if (result.target == isa::FormulaTarget::Memory)
      bits += result.type.bits * result.type.count * std::max<uint32_t>(result.elements, 1);
  return bits / 8;
}

/// Counts the bytes of an operation that is performed immediately.
static void completes(const Lowered &one, const Action &action, BodyLowering &lowering) {
  if (action.node < 0 || (action.amount < 0 && !action.number && !one.recipe.refusal.empty()))
    return; // no object counts the bytes, or the operation counts them itself
  if (hasWord(one, ".multicast::cluster::all"))
    return; // the operation counts them in each block
  BarrierUse use = useOf(BarrierUse::What::Complete, one, action, lowering);
  use.number = action.number ? static_cast<uint32_t>(action.number) : storedBytes(one.recipe);
  lowering.emit(useBarrier, use);
}

static std::string arrives(const Lowered &one, const Action &action, BodyLowering &lowering) {
  if (action.node < 0)
    return "";
  if (one.node("counts") >= 0)
    return "arrivals whose number is a vector";
  BarrierUse use = useOf(BarrierUse::What::Arrive, one, action, lowering);
  use.drops = hasWord(one, ".arrive_drop");
  if (const int state = one.node("state"); state >= 0)
    use.result = lowering.placeOf(one, state, 64);
  if (!action.groups)
    lowering.emit(useBarrier, use);
  else {
    // Without `.noinc`, the phase waits for an additional arrival, which takes place when the copies complete.
    const bool isAdded = !hasWord(one, ".noinc") && !hasWord(one, ".mbarrier::arrive::one");
    lowering.emit(arriveAfter, ArrivalAfter{static_cast<unsigned>(engineOf(action)), use.object, use, isAdded});
  }
  return "";
}

static void awaits(const Lowered &one, const Action &action, BodyLowering &lowering) {
  if (action.node < 0)
    return; // all preceding grids have completed
  BarrierUse use = useOf(BarrierUse::What::Await, one, action, lowering);
  use.isParity = action.which == one.node("phaseParity");
  use.phase = lowering.placeOf(one, action.which, use.isParity ? 32 : 64);
  use.result = lowering.placeOf(one, action.condition, 1);
  lowering.emit(useBarrier, use);
}

std::string lowerFacts(const Lowered &one, BodyLowering &lowering) {
  using enum BarrierUse::What;
  for (const Action &action : one.facts().actions)
    switch (action.kind) {
    case FactKind::Inits: lowering.emit(useBarrier, useOf(Init, one, action, lowering)); break;
    case FactKind::Invalidates: lowering.emit(useBarrier, useOf(Invalidate, one, action, lowering)); break;
    case FactKind::Expects: lowering.emit(useBarrier, useOf(Expect, one, action, lowering)); break;
    case FactKind::Completes: lowering.emit(useBarrier, useOf(Complete, one, action, lowering)); break;
    case FactKind::Async: completes(one, action, lowering); break;
    case FactKind::Awaits: awaits(one, action, lowering); break;
    case FactKind::Arrives:
      if (std::string why = arrives(one, action, lowering); !why.empty())
        return why;
      break;
    case FactKind::Relinquishes:
    case FactKind::Allocates:
    case FactKind::Frees: lowerColumns(one, action, lowering); break;
    default: break;
    }
  return "";
}

// ---- named functions

bool pendingArrivals(const Lowered &one, BodyLowering &lowering) {
  Op op;
  op.run = countPending;
  op.d = lowering.placeAt(one, "pending", 32).slot;
  op.a = lowering.placeAt(one, "state", 64).slot;
  lowering.emit(op);
  return true;
}

static Place blocksOf(const Lowered &one, BodyLowering &lowering) {
  for (const char *name : {"ctaMask", "ctaMask32"})
    if (const int node = one.node(name); node >= 0)
      return lowering.placeOf(one, node, 32);
  return {};
}

static BarrierAddress barrierOf(const Lowered &one, BodyLowering &lowering) {
  const int node = one.node("mbar");
  return node < 0 ? BarrierAddress() : BarrierAddress{lowering.addressAt(one, node), true};
}

static BulkCopy bulkCopyOf(const Lowered &one, BodyLowering &lowering) {
  BulkCopy copy;
  copy.to = lowering.addressAt(one, one.node("dstMem"));
  copy.from = lowering.addressAt(one, one.node("srcMem"));
  copy.size = lowering.placeAt(one, "size", 32);
  return copy;
}

bool copyToEachBlock(const Lowered &one, BodyLowering &lowering) {
  BulkCopy copy = bulkCopyOf(one, lowering);
  copy.blocks = blocksOf(one, lowering);
  copy.barrier = barrierOf(one, lowering);
  lowering.emit(copyInBulk, copy);
  return true;
}

bool copyMasked(const Lowered &one, BodyLowering &lowering) {
  if (one.node("bits") >= 0 || one.node("quad") >= 0)
    return false;
  BulkCopy copy = bulkCopyOf(one, lowering);
  copy.byteMask = lowering.placeAt(one, "byteMask", 16);
  copy.left = lowering.placeAt(one, "left", 32);
  copy.right = lowering.placeAt(one, "right", 32);
  lowering.emit(copyInBulk, copy);
  return true;
}

bool reduceInBulk(const Lowered &one, BodyLowering &lowering) {
  const std::optional<Reduction> &reduction = one.kind.reduction;
  if (!reduction)
    return false;
  BulkCopy copy = bulkCopyOf(one, lowering);
  copy.reduction = *reduction;
  lowering.emit(copyInBulk, copy);
  return true;
}

bool fillWithZeros(const Lowered &one, BodyLowering &lowering) {
  BulkCopy copy;
  copy.isFilled = true;
  copy.to = lowering.addressAt(one, one.node("a"));
  copy.size = one.node("size") >= 0 ? lowering.placeAt(one, "size", 64) : lowering.placeAt(one, "size32", 32);
  lowering.emit(copyInBulk, copy);
  return true;
}

/// Writes zeros as the response to a cancellation request, because all clusters are launched already.
bool cancelNothing(const Lowered &one, BodyLowering &lowering) {
  constexpr unsigned bytesOfAnswer = 16;
  BulkCopy copy;
  copy.isFilled = true;
  copy.to = lowering.addressAt(one, one.node("addr"));
  copy.size = lowering.file().constant(32, bytesOfAnswer);
  if (hasWord(one, ".multicast::cluster::all")) {
    copy.blocks = lowering.file().constant(32, ~0u);
    copy.barrier = barrierOf(one, lowering);
  }
  lowering.emit(copyInBulk, copy);
  return true;
}

/// Writes the decoded response: false, and no block.
bool nothingCanceled(const Lowered &one, BodyLowering &lowering) {
  for (const char *name : {"pred", "reg", "ctaid"}) {
    const int node = one.node(name);
    const bool isVector = node >= 0 && one.nodes[node].kind == OperandKind::Vector;
    for (uint32_t at = node + isVector; node >= 0 && at < uint32_t(node) + one.nodes[node].extent; ++at) {
      Op op;
      op.run = [](char *registers, const Op &op, uint32_t mask, Warp &) {
        for (uint32_t left = mask; left; left &= left - 1)
          setNumber(registers, *static_cast<const Place *>(op.more), static_cast<unsigned>(__builtin_ctz(left)), 0);
      };
      op.more = lowering.keep(lowering.placeOf(one, static_cast<int>(at), node == one.node("pred") ? 1 : 32));
      lowering.emit(op);
    }
  }
  return true;
}

/// Returns the tensor map mode that the instruction requires.
static TensorMode modeOf(const Lowered &one) {
  if (hasWord(one, ".im2col") || hasWord(one, ".im2col_no_offs"))
    return TensorMode::Im2col;
  if (hasWord(one, ".im2col::w") || hasWord(one, ".im2col_no_offs::w"))
    return TensorMode::Wide;
  return hasWord(one, ".im2col::w::128") ? TensorMode::Wide128 : TensorMode::Tiled;
}

static void addPlaces(llvm::SmallVectorImpl<Place> &places, const Lowered &one, const char *name, unsigned bits,
                      BodyLowering &lowering) {
  const int node = one.node(name);
  for (uint32_t at = node + 1; node >= 0 && at < uint32_t(node) + one.nodes[node].extent; ++at)
    places.push_back(lowering.placeOf(one, static_cast<int>(at), bits));
}

/// Lowers a tile copy in any direction. Returns false if the instruction overrides fields of the map.
static bool lowerTile(const Lowered &one, BodyLowering &lowering, TileCopy copy, const char *tile) {
  for (const OpcodeWord &word : one.verdict.opcode->words)
    if (word.text.starts_with(".override"))
      return false;
  copy.map = lowering.addressAt(one, one.node("tensorMap"));
  copy.tile = lowering.addressAt(one, one.node(tile));
  copy.isRows = hasWord(one, ".tile::gather4") || hasWord(one, ".tile::scatter4");
  copy.isPair = hasWord(one, ".cta_group::2");
  copy.mode = modeOf(one);
  addPlaces(copy.coordinates, one, "tensorCoords", 32, lowering);
  addPlaces(copy.images, one, "im2colInfo", 16, lowering);
  lowering.emit(copyTile, copy);
  return true;
}

bool loadTile(const Lowered &one, BodyLowering &lowering) {
  TileCopy copy;
  copy.barrier = barrierOf(one, lowering);
  copy.blocks = blocksOf(one, lowering);
  return lowerTile(one, lowering, copy, "dstMem");
}

bool storeTile(const Lowered &one, BodyLowering &lowering) {
  TileCopy copy;
  copy.isStore = true;
  if (const std::optional<Reduction> &reduction = one.kind.reduction) // without a type, the tensor map determines it
    copy.reduction = *reduction;
  return lowerTile(one, lowering, copy, "srcMem");
}

} // namespace ptxray::machine
