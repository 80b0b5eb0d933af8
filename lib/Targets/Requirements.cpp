#include "Targets/Requirements.h"
#include "Check/CheckModule.h"
#include "Match/Match.h"
#include "Parse/Ast.h"
#include "Source/Narrow.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"

namespace ptxray {

namespace {

using Place = Requirements::Place;

/// All pairs of a version and a target, and the gates that hold for each.
class Cells {
public:
  static Cells &get() {
    static Cells cells;
    return cells;
  }
  std::vector<Place> list;
  CellSet all;

  const CellSet &where(isa::ExprId gate);
  const Availability &at(Place place, bool independent);

private:
  Cells();
  CellSet find(isa::ExprId gate);
  template <typename Test> CellSet those(Test test) const {
    CellSet set;
    for (Place place : list)
      if (test(place))
        set.set(Requirements::index(place));
    return set;
  }

  std::vector<std::unique_ptr<CellSet>> gates;                  // indexed by ExprId
  std::vector<std::unique_ptr<Availability>> availabilities[2]; // indexed by texture mode and cell
};

Cells::Cells() : gates(isa::tables().exprs.size()) {
  for (auto &ofMode : availabilities)
    ofMode.resize(all.size());
  for (uint16_t v = 0; v < isa::versions().size(); ++v)
    for (uint16_t t = 0; t < isa::targets().size(); ++t)
      if (isa::targets()[t].since <= isa::versions()[v]) {
        list.push_back({v, t});
        all.set(Requirements::index(list.back()));
      }
}

// NOLINTNEXTLINE(misc-no-recursion): the tables are constant: no input nests their conditions
const CellSet &Cells::where(isa::ExprId gate) {
  if (!gates[gate])
    gates[gate] = std::make_unique<CellSet>(find(gate));
  return *gates[gate];
}

// NOLINTNEXTLINE(misc-no-recursion): the tables are constant: no input nests their conditions
CellSet Cells::find(isa::ExprId gate) {
  const isa::Tables &t = isa::tables();
  const isa::Expr &e = t.exprs[gate];
  CellSet set;
  switch (e.op) {
  case isa::ExprOp::And:
    set = all;
    for (isa::ExprId argument : t.exprArgs.slice(e.a, e.b))
      set &= where(argument);
    return set;
  case isa::ExprOp::Or:
    for (isa::ExprId argument : t.exprArgs.slice(e.a, e.b))
      set |= where(argument);
    return set;
  case isa::ExprOp::Not: return all & ~where(e.a);
  case isa::ExprOp::PtxAtLeast: return those([&](Place place) { return isa::versions()[place.version] >= e.a; });
  case isa::ExprOp::Target: return those([&](Place place) { return inTargetSet(e.a, place.target); });
  case isa::ExprOp::Gate: return where(t.gates[e.a].expr);
  default: return all;
  }
}

const Availability &Cells::at(Place place, bool independent) {
  std::unique_ptr<Availability> &made = availabilities[independent][Requirements::index(place)];
  if (!made) {
    ModuleContext context;
    context.ptx = isa::versions()[place.version];
    context.target = place.target;
    context.independent = independent;
    made = std::make_unique<Availability>(context);
  }
  return *made;
}

CellSet judgeEverywhere(const Opcode &opcode, llvm::ArrayRef<Shape> shapes, bool independent) {
  Cells &cells = Cells::get();
  CellSet passes, open = cells.all;
  std::vector<isa::ExprId> asked;
  for (Place place : cells.list) {
    const size_t cell = Requirements::index(place);
    if (!open.test(cell))
      continue;
    asked.clear();
    const bool accepted = accepts({opcode, shapes, cells.at(place, independent)}, asked);
    // The verdict holds wherever the gates that it depends on have the same values.
    CellSet same = open;
    llvm::sort(asked);
    asked.erase(std::unique(asked.begin(), asked.end()), asked.end());
    for (isa::ExprId gate : asked) {
      const CellSet &holds = cells.where(gate);
      same &= holds.test(cell) ? holds : ~holds;
    }
    if (accepted)
      passes |= same;
    open &= ~same;
  }
  return passes;
}

} // namespace

size_t Requirements::index(Place place) { return place.version * isa::targets().size() + place.target; }

uint16_t Requirements::leastVersion(const CellSet &set, uint16_t target) {
  for (uint16_t v = 0; v < isa::versions().size(); ++v)
    if (set.test(index({v, target})))
      return isa::versions()[v];
  return 0;
}

/// Returns the options for checking a module with many versions and targets.
static CheckOptions optionsOf() {
  CheckOptions options;
  options.isFragment = true; // versions do not depend on functions as a whole
  return options;
}

Requirements::Requirements(const SourceBuffer &source, PieceContext given)
    : context(std::move(given)), module(readModule(source, optionsOf(), context.constants)), source(source),
      all(Cells::get().all) {
  addInstructions();
  addModule();
}

void Requirements::add(uint32_t line, const CellSet &passes) {
  all &= passes;
  if (llvm::none_of(needs, [&](const Demand &d) { return d.passes == passes; }))
    needs.push_back({line, passes});
}

void Requirements::addInstructions() {
  llvm::DenseSet<const Verdict *> seen;
  for (const Body &body : module.bodies())
    for (uint32_t number = 0; number < body.size(); ++number) {
      const Verdict *verdict = body.verdicts[number];
      if (verdict->opcode && seen.insert(verdict).second)
        add(source.lineColumn(body.instruction(number).range.begin).line,
            judgeEverywhere(*verdict->opcode, verdict->shapes, module.context().independent));
    }
}

/// Returns the errors for that version and target. Checks only instructions that begin in the range.
DiagnosticList Requirements::errors(Place place, Range instructions) const {
  CheckOptions options = optionsOf();
  options.wideAddresses = context.wideAddresses;
  options.ptx = isa::versionText(isa::versions()[place.version]);
  options.target = isa::targets()[place.target].name();
  DiagnosticList found = checkAgain(module, options, instructions);
  llvm::erase_if(found, [&](const Diagnostic &d) {
    return d.severity != Severity::Error || (d.id == DiagId::UndefinedSymbol && context.declares(d.args[0]));
  });
  return found;
}

/// Returns the line of the first error outside of instructions for that version and target.
std::optional<uint32_t> Requirements::moduleFailure(Place place) const {
  const DiagnosticList found = errors(place, {});
  return found.empty() ? std::nullopt : std::optional(source.lineColumn(found.front().range.begin).line);
}

static uint16_t newestVersion() { return isa::versions().size() - 1; }

static bool hasTarget(uint16_t version, uint16_t target) {
  return isa::targets()[target].since <= isa::versions()[version];
}

/// Returns the targets of the version without variants, in ascending order.
static std::vector<uint16_t> plainTargets(uint16_t version) {
  const auto targets = isa::targets();
  std::vector<uint16_t> found;
  for (uint16_t t = 0; t < targets.size(); ++t)
    if (!targets[t].variant && hasTarget(version, t))
      found.push_back(t);
  llvm::sort(found, [&](uint16_t a, uint16_t b) { return targets[a].number < targets[b].number; });
  return found;
}

static uint16_t bestTarget(uint16_t version) {
  const auto targets = isa::targets();
  uint16_t found = 0;
  for (uint16_t t = 0; t < targets.size(); ++t)
    if (!targets[t].variant && hasTarget(version, t) && targets[t].number >= targets[found].number)
      found = t;
  return found;
}

/// Returns the first passing place. The last one must pass, and all places after a passing one.
size_t Requirements::firstPassing(llvm::ArrayRef<Place> places, uint32_t &firstFailure) const {
  size_t low = 0, last = places.size() - 1;
  while (low < last) {
    const size_t middle = (low + last) / 2;
    if (const std::optional<uint32_t> line = moduleFailure(places[middle])) {
      firstFailure = firstFailure ? firstFailure : *line;
      low = middle + 1;
    } else {
      last = middle;
    }
  }
  return last;
}

/// Determines which variants of targets pass with the newest version, and the first version with a passing variant.
/// Called if the module uses features of variants.
Requirements::Passing Requirements::passingVariants() const {
  const uint16_t newest = newestVersion();
  Passing passing{std::vector<bool>(newest + 1), std::vector<bool>(isa::targets().size())};
  for (uint16_t t = 0; t < passing.targets.size(); ++t)
    passing.targets[t] = !moduleFailure({newest, t});
  const auto variant = llvm::find(passing.targets, true);
  if (variant == passing.targets.end())
    return passing;
  const auto target = narrow<uint16_t>(variant - passing.targets.begin());
  std::vector<Place> places;
  for (uint16_t v = 0; v <= newest; ++v)
    if (!places.empty() || hasTarget(v, target))
      places.push_back({v, target});
  uint32_t failure = 0;
  const uint16_t first = places[firstPassing(places, failure)].version;
  std::fill(passing.versions.begin() + first, passing.versions.end(), true);
  return passing;
}

/// Determines which versions pass, if a feature was removed from the language. No version may pass.
std::vector<bool> Requirements::passingVersions() const {
  std::vector<bool> passes(newestVersion() + 1);
  for (uint16_t v = 0; v < newestVersion(); ++v)
    passes[v] = !moduleFailure({v, bestTarget(v)});
  return passes;
}

std::vector<bool> Requirements::versionsFromFirst(uint32_t &firstFailure) const {
  std::vector<Place> places;
  for (uint16_t v = 0; v <= newestVersion(); ++v)
    places.push_back({v, bestTarget(v)});
  std::vector<bool> passes(places.size());
  std::fill(passes.begin() + firstPassing(places, firstFailure), passes.end(), true);
  return passes;
}

std::vector<bool> Requirements::targetsFromFirst(const std::vector<bool> &versions, uint32_t &firstFailure) const {
  uint16_t witness = newestVersion();
  while (witness && !versions[witness])
    --witness;
  std::vector<Place> places;
  for (const uint16_t target : plainTargets(witness))
    places.push_back({witness, target});
  const auto targets = isa::targets();
  const size_t first = firstPassing(places, firstFailure);
  std::vector<bool> passes(targets.size());
  for (uint16_t t = 0; t < targets.size(); ++t)
    passes[t] = !first || targets[t].number >= targets[places[first].target].number;
  return passes;
}

/// Adds the demands of directives and declarations. They have independent minimum versions and targets. Further queries
/// are necessary only for removed features, and for variants of a target.
void Requirements::addModule() {
  if (all.none())
    return;
  const std::optional<uint32_t> newestFailure = moduleFailure({newestVersion(), bestTarget(newestVersion())});
  const auto lowest = llvm::find_if(Cells::get().list, [&](Place place) { return all.test(index(place)); });
  if (!newestFailure && !moduleFailure(*lowest))
    return; // the instructions have higher requirements
  uint32_t line = newestFailure.value_or(0);
  Passing passing;
  if (newestFailure)
    passing = passingVariants();
  if (!llvm::is_contained(passing.targets, true)) {
    passing.versions = newestFailure ? passingVersions() : versionsFromFirst(line);
    passing.targets = targetsFromFirst(passing.versions, line);
  }
  CellSet passes;
  for (Place place : Cells::get().list)
    if (passing.versions[place.version] && passing.targets[place.target])
      passes.set(index(place));
  if (line)
    add(line, passes);
}

/// Returns the demand of a diagnostic, without the version and target of the trial.
static std::string demandOf(const Diagnostic &d) {
  return llvm::StringRef(d.message()).split("; this module is PTX ").first.str();
}

Obstacle Requirements::obstacle(Place place, uint32_t line) const {
  const bool anywhere = !line;
  for (const Demand &demand : needs)
    if (anywhere && !demand.passes.test(index(place)))
      line = line ? std::min(line, demand.line) : demand.line;
  const llvm::StringRef text = line ? source.lineText(line) : llvm::StringRef();
  const auto begin = static_cast<uint32_t>(line ? text.data() - source.text().data() : 0);
  for (const Diagnostic &d : errors(place, {begin, begin + static_cast<uint32_t>(text.size())})) {
    const uint32_t at = source.lineColumn(d.range.begin).line;
    if (anywhere || at == line)
      return {at, info(d.id).id.str(), source.text(d.range).take_until([](char c) { return c == '\n'; }).str(),
              demandOf(d)};
  }
  return {};
}

} // namespace ptxray
