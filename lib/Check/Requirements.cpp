#include "Check/Requirements.h"
#include "Check/Judge.h"
#include "Parse/Ast.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"

namespace ptxray {

namespace {

/// What the gates answered while a verdict was found: it holds wherever they answer the same.
struct Record {
  std::vector<std::pair<isa::ExprId, bool>> answers;
  bool accepted;
};

/// The availabilities of all cells, made once.
class Cells {
public:
  static const Cells &get() {
    static const Cells cells;
    return cells;
  }
  struct One {
    Requirements::Place place;
    Availability availability;
  };
  std::vector<One> list;

private:
  Cells() {
    for (uint16_t v = 0; v < isa::versions().size(); ++v)
      for (uint16_t t = 0; t < isa::targets().size(); ++t)
        if (isa::targets()[t].since <= isa::versions()[v]) {
          ModuleContext context;
          context.ptx = isa::versions()[v];
          context.target = t;
          list.push_back({{v, t}, Availability(context)});
        }
  }
};

CellSet judgeEverywhere(const Opcode &opcode, llvm::ArrayRef<Shape> shapes) {
  CellSet passes;
  std::vector<Record> records;
  for (const Cells::One &cell : Cells::get().list) {
    auto known = llvm::find_if(records, [&](const Record &record) {
      return llvm::all_of(record.answers, [&](const auto &answer) {
        return cell.availability.holds(answer.first) == answer.second;
      });
    });
    bool accepted;
    if (known != records.end()) {
      accepted = known->accepted;
    } else {
      std::vector<isa::ExprId> asked;
      accepted = accepts(cell.availability, opcode, shapes, asked);
      llvm::sort(asked);
      asked.erase(std::unique(asked.begin(), asked.end()), asked.end());
      Record &record = records.emplace_back();
      record.accepted = accepted;
      for (isa::ExprId gate : asked)
        record.answers.push_back({gate, cell.availability.holds(gate)});
    }
    if (accepted)
      passes.set(Requirements::index(cell.place));
  }
  return passes;
}

} // namespace

size_t Requirements::index(Place place) {
  return place.version * isa::targets().size() + place.target;
}

uint16_t Requirements::leastVersion(const CellSet &set, uint16_t target) {
  for (uint16_t v = 0; v < isa::versions().size(); ++v)
    if (set.test(index({v, target})))
      return isa::versions()[v];
  return 0;
}

Requirements::Requirements(const SourceBuffer &source) : source(source) {
  for (const Cells::One &cell : Cells::get().list)
    all.set(index(cell.place));
  addInstructions();
  addModule();
}

void Requirements::add(uint32_t line, const CellSet &passes) {
  all &= passes;
  if (llvm::none_of(needs, [&](const Demand &d) { return d.passes == passes; }))
    needs.push_back({line, passes});
}

/// Texts of the shapes of an instruction that matter for its verdict.
static std::string keyOf(llvm::StringRef opcode, llvm::ArrayRef<Shape> shapes) {
  std::string key = opcode.str();
  for (const Shape &s : shapes)
    for (uint64_t part : {uint64_t(s.kind) | uint64_t(s.flags) << 8 | uint64_t(s.extent) << 24 |
                              uint64_t(s.type) << 40 | uint64_t(s.vector) << 56,
                          uint64_t(s.space) | uint64_t(s.suffix) << 16, uint64_t(s.value)})
      key.append(reinterpret_cast<const char *>(&part), sizeof part);
  return key;
}

void Requirements::addInstructions() {
  llvm::StringMap<char> seen;
  CheckOptions options;
  options.isFragment = true; // a function as a whole has no version
  options.visitor = [&](const Ast &ast, const Instruction &instruction, llvm::ArrayRef<Shape> shapes) {
    const llvm::StringRef spelling = ast.text(instruction.opcode);
    if (!seen.try_emplace(keyOf(spelling, shapes)).second)
      return;
    add(source.lineColumn(instruction.range.begin).line, judgeEverywhere(Opcode(spelling), shapes));
  };
  DiagnosticSink sink;
  checkSource(source, options, sink);
}

/// Whether what stands around the instructions is refused with that version and target, and where.
bool Requirements::moduleFails(Place place, uint32_t &line) const {
  CheckOptions options;
  options.isFragment = true; // a function as a whole has no version
  options.ptx = isa::versionText(isa::versions()[place.version]);
  options.target = isa::targets()[place.target].name;
  options.visitor = [](const Ast &, const Instruction &, llvm::ArrayRef<Shape>) {};
  DiagnosticSink sink;
  checkSource(source, options, sink);
  sink.sort();
  for (const Diagnostic &d : sink.diagnostics())
    if (d.severity == Severity::Error) {
      line = source.lineColumn(d.range.begin).line;
      return true;
    }
  return false;
}

/// Directives and declarations ask for a least version and a least target, each for itself; only what
/// was removed from the language needs more questions.
void Requirements::addModule() {
  const auto versions = isa::versions();
  const auto targets = isa::targets();
  const uint16_t newest = versions.size() - 1;
  uint16_t highest = 0; // without a variant
  std::vector<uint16_t> plain;
  for (uint16_t t = 0; t < targets.size(); ++t)
    if (!targets[t].variant) {
      plain.push_back(t);
      if (targets[t].number >= targets[highest].number)
        highest = t;
    }
  auto best = [&](uint16_t v) { // the highest target that the version has
    uint16_t found = plain.front();
    for (uint16_t t : plain)
      if (targets[t].since <= versions[v] && targets[t].number >= targets[found].number)
        found = t;
    return found;
  };
  uint32_t line = 0, at = 0;
  std::vector<bool> versionPasses(versions.size(), true);
  if (moduleFails({newest, best(newest)}, line)) {
    for (uint16_t v = 0; v < newest; ++v)
      versionPasses[v] = !moduleFails({v, best(v)}, at);
    versionPasses[newest] = false;
  } else {
    uint16_t low = 0, high = newest; // passes
    while (low < high) {
      const uint16_t middle = (low + high) / 2;
      if (moduleFails({middle, best(middle)}, at)) {
        line = at;
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    for (uint16_t v = 0; v < high; ++v)
      versionPasses[v] = false;
  }
  const auto first = llvm::find(versionPasses, true);
  uint16_t number = 0;
  if (first != versionPasses.end()) {
    const uint16_t v = versionPasses[newest] ? newest : first - versionPasses.begin();
    std::vector<uint16_t> candidates;
    for (uint16_t t : plain)
      if (targets[t].since <= versions[v])
        candidates.push_back(t);
    llvm::sort(candidates, [&](uint16_t a, uint16_t b) { return targets[a].number < targets[b].number; });
    size_t low = 0, high = candidates.size() - 1;
    while (low < high) {
      const size_t middle = (low + high) / 2;
      if (moduleFails({v, candidates[middle]}, at)) {
        line = line ? line : at;
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    number = high ? targets[candidates[high]].number : 0;
  }
  CellSet passes;
  for (const Cells::One &cell : Cells::get().list)
    if (versionPasses[cell.place.version] && targets[cell.place.target].number >= number)
      passes.set(index(cell.place));
  if (line)
    add(line, passes);
}

Obstacle Requirements::obstacle(Place place, uint32_t line) const {
  CheckOptions options;
  options.isFragment = true; // a function as a whole has no version
  options.ptx = isa::versionText(isa::versions()[place.version]);
  options.target = isa::targets()[place.target].name;
  DiagnosticSink sink;
  checkSource(source, options, sink);
  sink.sort();
  for (const Diagnostic &d : sink.diagnostics()) {
    const uint32_t at = source.lineColumn(d.range.begin).line;
    if (d.severity == Severity::Error && (!line || at == line))
      return {at, info(d.id).id.str(), source.text(d.range).take_until([](char c) { return c == '\n'; }).str(),
              d.message()};
  }
  return {};
}

} // namespace ptxray
