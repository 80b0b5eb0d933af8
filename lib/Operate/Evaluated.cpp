#include "Operate/Evaluated.h"
#include "llvm/ADT/STLExtras.h"
#include <cstring>
#include <set>

namespace ptxray::machine {

using isa::StepOp;

namespace {

struct Source {
  int node;
  Place place;
};
/// The memory of one operand: what the machine has loaded, or will store.
struct Part {
  uint16_t operand;
  unsigned bytes; // size of one element
  llvm::SmallVector<Place, 4> read, written;
};
struct Evaluation final : ManyPlaces {
  std::shared_ptr<const Recipe> recipe;
  std::vector<Source> sources;
  std::vector<Place> targets; // the written registers, in the order of the outcome
  std::vector<Part> parts;
  Place carry;
  // Slot of each register; a product needs it to recognise a register that occurs twice.
  std::map<RegisterAt, uint32_t> names;

  std::shared_ptr<const ManyPlaces> renamed(Rename rename) const override;
};

std::shared_ptr<const ManyPlaces> Evaluation::renamed(Rename rename) const {
  auto result = std::make_shared<Evaluation>(*this);
  for (Source &source : result->sources)
    rename(source.place.slot);
  for (Place &target : result->targets)
    rename(target.slot);
  for (Part &part : result->parts)
    for (auto *places : {&part.read, &part.written})
      for (Place &place : *places)
        rename(place.slot);
  rename(result->carry.slot);
  for (auto &[node, slot] : result->names)
    rename(slot);
  return result;
}

/// Bytes of memory per operand and lane.
constexpr uint64_t partBytes = 512;

/// Returns the bits that a lane holds, or 0 if there is no register.
Bits load(const char *registers, Place place, unsigned lane) {
  if (!registers)
    return 0;
  if (place.bits == 1) {
    uint32_t lanes;
    std::memcpy(&lanes, registers + place.slot, 4);
    return lanes >> lane & 1;
  }
  Bits bits = 0;
  std::memcpy(&bits, registers + place.slot + size_t(lane) * (place.bits / 8), place.bits / 8);
  return bits;
}

void store(char *registers, Place place, unsigned lane, Bits bits) {
  if (place.bits == 1) {
    uint32_t lanes;
    std::memcpy(&lanes, registers + place.slot, 4);
    lanes = (lanes & ~(1u << lane)) | uint32_t(bits & 1) << lane;
    std::memcpy(registers + place.slot, &lanes, 4);
    return;
  }
  std::memcpy(registers + place.slot + size_t(lane) * (place.bits / 8), &bits, place.bits / 8);
}

/// The values that the lanes hold before the operation. Addresses are invented, because the machine has already
/// resolved them.
class Holding {
public:
  Holding(const Evaluation &evaluation, const char *registers, uint32_t mask);
  Lanes lanes;
  uint8_t *at(size_t part, unsigned lane) { return memory.data() + (part * warpSize + lane) * partBytes; }

private:
  std::vector<uint8_t> memory;
};

} // namespace

Holding::Holding(const Evaluation &evaluation, const char *registers, uint32_t mask)
    : memory(evaluation.parts.size() * warpSize * partBytes) {
  lanes.active = mask;
  lanes.names = evaluation.names;
  for (const Source &source : evaluation.sources) {
    LaneBits &bits = lanes.nodes[source.node];
    for (unsigned lane = 0; lane < warpSize; ++lane)
      bits[lane] = load(registers, source.place, lane);
  }
  for (unsigned lane = 0; lane < warpSize; ++lane)
    lanes.carry[lane] = load(registers, evaluation.carry, lane) != 0;
  for (size_t i = 0; i < evaluation.parts.size(); ++i) {
    const Part &part = evaluation.parts[i];
    const RecipeOperand &operand = evaluation.recipe->operands[part.operand];
    const uint64_t first = (i * warpSize + 1) * partBytes;
    lanes.memory.push_back({operand.space, first, {at(i, 0), warpSize * partBytes}});
    for (unsigned lane = 0; lane < warpSize; ++lane) {
      lanes.nodes[operand.registers[0].node][lane] = first + lane * partBytes;
      for (size_t element = 0; element < part.read.size(); ++element) {
        const Bits bits = load(registers, part.read[element], lane);
        std::memcpy(at(i, lane) + element * part.bytes, &bits, part.bytes);
      }
    }
  }
}

Bits filledUp(Bits bits, const ElementType &type, unsigned width) {
  const unsigned own = type.bits * type.count;
  if (type.isSigned() && type.count == 1 && own < width && bits >> (own - 1) & 1)
    bits |= ~lowBits(~Bits(0), own);
  return lowBits(bits, width);
}

static void run(char *registers, const Op &op, uint32_t mask, Warp & /*warp*/) {
  const auto &evaluation = static_cast<const Evaluation &>(*static_cast<const ManyPlaces *>(op.more));
  Holding holding(evaluation, registers, mask);
  const EvaluationOutcome outcome = evaluate(*evaluation.recipe, holding.lanes);
  if (!outcome.refusal.empty())
    return;
  for (unsigned lane = 0; lane < warpSize; ++lane) {
    if (!(mask >> lane & 1))
      continue;
    for (size_t i = 0; i < outcome.registers.size(); ++i) {
      const WrittenRegister &written = outcome.registers[i];
      if (const Place to = evaluation.targets[i]; to.bits)
        store(registers, to, lane, filledUp(written.bits[lane], written.type, to.bits));
    }
    if (outcome.writesCarry)
      store(registers, evaluation.carry, lane, holding.lanes.carry[lane]);
    for (size_t i = 0; i < evaluation.parts.size(); ++i)
      for (size_t element = 0; element < evaluation.parts[i].written.size(); ++element) {
        Bits bits = 0;
        std::memcpy(&bits, holding.at(i, lane) + element * evaluation.parts[i].bytes, evaluation.parts[i].bytes);
        store(registers, evaluation.parts[i].written[element], lane, bits);
      }
  }
}

namespace {

/// The operands whose memory is read or written, with registers for their elements.
class PartList {
public:
  PartList(const Recipe &recipe, RegisterFile &file);
  std::vector<Part> parts;
  void describe(Compiled &compiled) const;

private:
  void add(uint16_t operand, unsigned bits, unsigned elements, llvm::SmallVector<Place, 4> Part::*which);
  RegisterFile &file;
};

PartList::PartList(const Recipe &recipe, RegisterFile &file) : file(file) {
  for (const RecipeStep &step : recipe.steps)
    if (step.op == StepOp::Memory)
      add(step.operand, step.type.bits, step.elements, &Part::read);
  for (const RecipeResult &result : recipe.results)
    if (result.target == isa::FormulaTarget::Memory)
      add(result.operand, result.type.bits, std::max(recipe.steps[result.step].elements, result.type.count),
          &Part::written);
}

void PartList::add(uint16_t operand, unsigned bits, unsigned elements, llvm::SmallVector<Place, 4> Part::*which) {
  auto part = llvm::find_if(parts, [&](const Part &one) { return one.operand == operand; });
  if (part == parts.end())
    part = parts.insert(parts.end(), {operand, bits / 8, {}, {}});
  while (((*part).*which).size() < elements)
    ((*part).*which).push_back(file.temporary(bits));
}

void PartList::describe(Compiled &compiled) const {
  for (const Part &part : parts) {
    const auto bits = static_cast<uint16_t>(part.bytes * 8);
    if (!part.read.empty())
      compiled.reads.push_back({part.operand, bits, part.read});
    if (!part.written.empty())
      compiled.writes.push_back({part.operand, bits, part.written});
  }
}

} // namespace

/// Lists the registers that a recipe reads, except those of addresses.
static std::vector<Source> sourcesOf(const Recipe &recipe, llvm::ArrayRef<Place> byNode) {
  std::set<uint16_t> operands;
  for (const RecipeStep &step : recipe.steps)
    if (step.op == StepOp::Operand)
      operands.insert(step.operand);
  if (recipe.among >= 0)
    operands.insert(static_cast<uint16_t>(recipe.among));
  std::vector<Source> sources;
  for (const uint16_t operand : operands)
    for (const RecipeOperand::Register &one : recipe.operands[operand].registers)
      if (!one.isConstant && one.node >= 0 && size_t(one.node) < byNode.size() && byNode[one.node].bits)
        sources.push_back({one.node, byNode[one.node]});
  return sources;
}

/// Returns why the recipe cannot be computed, if that is known only after it ran.
static std::string refusalOf(const Evaluation &evaluation) {
  if (evaluation.recipe->product.function)
    return ""; // the recipe uses registers only
  Holding holding(evaluation, nullptr, 1);
  return evaluate(*evaluation.recipe, holding.lanes).refusal;
}

Compiled withMemory(const Recipe &recipe, RegisterFile &file) {
  Compiled compiled;
  compiled.isOneByOne = recipe.isOneByOne;
  compiled.refusal = recipe.refusal;
  if (compiled.refusal.empty())
    PartList(recipe, file).describe(compiled);
  return compiled;
}

Compiled evaluated(const Recipe &recipe, llvm::ArrayRef<Place> byNode, Place carry, RegisterFile &file, Kept &kept) {
  Compiled compiled;
  compiled.isOneByOne = recipe.isOneByOne;
  compiled.refusal = recipe.refusal;
  if (!compiled.refusal.empty())
    return compiled;
  const PartList list(recipe, file);
  list.describe(compiled);
  auto evaluation = std::make_shared<Evaluation>();
  evaluation->recipe = std::make_shared<const Recipe>(recipe);
  evaluation->sources = sourcesOf(recipe, byNode);
  evaluation->parts = list.parts;
  evaluation->carry = carry;
  for (const RecipeResult &result : recipe.results)
    if (result.target == isa::FormulaTarget::Operand)
      for (const RecipeOperand::Register &one : recipe.operands[result.operand].registers)
        evaluation->targets.push_back(one.node >= 0 && size_t(one.node) < byNode.size() ? byNode[one.node] : Place());
  for (size_t node = 0; recipe.product.function && node < byNode.size(); ++node)
    if (byNode[node].bits)
      evaluation->names[static_cast<int>(node)] = byNode[node].slot;
  compiled.refusal = refusalOf(*evaluation);
  if (!compiled.refusal.empty() || recipe.results.empty())
    return compiled;
  Op &op = compiled.ops.emplace_back();
  op.run = run;
  compiled.places = evaluation.get();
  op.more = compiled.places;
  kept.push_back(std::move(evaluation));
  return compiled;
}

} // namespace ptxray::machine
