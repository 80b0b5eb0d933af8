#include "Targets/TargetNeeds.h"
#include "Isa/Isa.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace ptxray {

/// Returns the cells of targets for which a test holds, with all versions that support them.
template <typename Test> static CellSet cellsOf(Test test) {
  CellSet cells;
  for (uint16_t t = 0; t < isa::targets().size(); ++t)
    if (test(isa::targets()[t]))
      for (uint16_t v = 0; v < isa::versions().size(); ++v)
        if (isa::targets()[t].since <= isa::versions()[v])
          cells.set(Requirements::index({v, t}));
  return cells;
}

TargetNeeds::TargetNeeds(std::unique_ptr<SourceBuffer> ptx) {
  Part &part = parts.emplace_back();
  part.text = std::move(ptx);
  part.needs = std::make_unique<Requirements>(*part.text);
  part.targets.set();
  all = part.needs->passes();
  for (const Requirements::Demand &demand : part.needs->demands())
    needs.push_back({demand.passes, 0, demand.line});
}

TargetNeeds::TargetNeeds(std::unique_ptr<SourceBuffer> given, Language language, llvm::StringRef path)
    : source(std::move(given)) {
  InlineUnits inlined = inlineUnits(*source, language, path);
  units = std::move(inlined.units);
  summary = std::move(inlined.summary);
  constexpr uint16_t firstWithoutFloats = 100;
  const CellSet below = cellsOf([](const isa::Target &target) { return target.number < firstWithoutFloats; });
  const CellSet from100 = cellsOf([](const isa::Target &target) { return target.number >= firstWithoutFloats; });
  all = below | from100;
  for (const InlineUnit &unit : units)
    addUnit(unit, below, from100);
}

TargetNeeds::Part &TargetNeeds::addPart(const MappedText &text, const PieceContext &context, const CellSet &targets) {
  Part &part = parts.emplace_back();
  part.text = SourceBuffer::fromText("", text.text());
  part.needs = std::make_unique<Requirements>(*part.text, context);
  part.targets = targets;
  part.map = &text;
  return part;
}

/// Returns the opcode at the beginning of a line of PTX.
static std::string opcodeIn(llvm::StringRef line) {
  line = line.ltrim("{ \t");
  if (line.starts_with("@"))
    line = line.drop_until([](char c) { return llvm::isSpace(c); }).ltrim();
  return line.take_until([](char c) { return llvm::isSpace(c) || c == ';'; }).str();
}

void TargetNeeds::addUnit(const InlineUnit &unit, const CellSet &below, const CellSet &from100) {
  CellSet passes;
  Statement &statement = found.emplace_back();
  statement.line = source->lineColumn(unit.place.begin).line;
  statement.isGuarded = unit.isGuarded;
  size_t fewest = CellSet().size() + 1;
  for (const auto &[text, targets] : {std::pair(&unit.floats, &below), std::pair(&unit.bits, &from100)}) {
    Part &part = addPart(*text, unit.context, *targets);
    part.isGuarded = unit.isGuarded;
    passes |= part.needs->passes() & *targets;
    for (const Requirements::Demand &demand : part.needs->demands()) {
      if (!unit.isGuarded)
        needs.push_back({demand.passes | ~*targets, parts.size() - 1, demand.line});
      const std::string opcode = opcodeIn(part.text->lineText(demand.line));
      if (demand.passes.count() < fewest &&
          !llvm::StringRef(opcode).starts_with(".")) { // otherwise, part of the header
        fewest = demand.passes.count();
        statement.instruction = opcode;
      }
    }
  }
  statement.passes = passes;
  if (!unit.isGuarded)
    all &= passes;
}

Obstacle TargetNeeds::inSource(Obstacle obstacle, const Part &part) const {
  if (!part.map || !obstacle.line)
    return obstacle;
  const llvm::StringRef line = part.text->lineText(obstacle.line);
  const auto begin = static_cast<uint32_t>(line.ltrim().data() - part.text->text().data());
  obstacle.line = source->lineColumn(part.map->placeOf(Range{begin, begin + 1}).begin).line;
  return obstacle;
}

Obstacle TargetNeeds::obstacle(Requirements::Place place) const {
  const size_t cell = Requirements::index(place);
  for (const Part &part : parts)
    if (!part.isGuarded && part.targets.test(cell) && !part.needs->passes().test(cell))
      return inSource(part.needs->obstacle(place), part);
  return {};
}

Obstacle TargetNeeds::obstacle(Requirements::Place place, const Demand &demand) const {
  const Part &part = parts[demand.part];
  return inSource(part.needs->obstacle(place, demand.line), part);
}

} // namespace ptxray
