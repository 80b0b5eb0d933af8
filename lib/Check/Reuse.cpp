#include "Check/Reuse.h"
#include "BodyRules/BodyRules.h"
#include "Parse/Interner.h"
#include "llvm/ADT/STLExtras.h"

namespace ptxray {

// ---- one body

static bool isOrdinary(const Declaration &declaration, const Ast &ast) {
  const llvm::StringRef space = ast.text(declaration.space);
  return (space == ".reg" || space == ".shared" || space == ".local" || space == ".param") &&
         declaration.linkage == SpellingId::None && !declaration.initialiser.count;
}

/// Returns whether the body does not affect other functions or the module. A `.loc` affects later ones, if there are
/// any.
static bool isSelfContained(const Ast &ast, const Function &function, bool mayHaveLocations) {
  const auto body = llvm::ArrayRef(ast.statements).slice(function.body.first, function.body.count);
  return llvm::all_of(body, [&](Statement one) {
    switch (one.kind) {
    case StatementKind::Declaration: return isOrdinary(ast.declarations[one.index], ast);
    case StatementKind::Directive: {
      const llvm::StringRef name = ast.text(ast.directives[one.index].name);
      return name == ".pragma" || (mayHaveLocations && name == ".loc");
    }
    case StatementKind::Function: return false;
    default: return true;
    }
  });
}

namespace {

/// Calls `see` with each location in a finding.
template <typename See> void eachPlace(Diagnostic &d, See see) {
  see(d.range);
  for (Note &note : d.notes)
    if (note.range)
      see(*note.range);
  if (d.fix)
    for (Edit &edit : d.fix->edits)
      see(edit.range);
}

template <typename See> void eachPlace(FunctionSummary &summary, See see) {
  for (Reference &one : summary.functions)
    see(one.range);
  for (Range *place : {&summary.indirectCall, &summary.oneCta, &summary.ctaPair, &summary.spilling,
                       &summary.occupied.range, &summary.bounded.range})
    if (place->size())
      see(*place);
}

} // namespace

std::unique_ptr<KnownBody> knownBody(const Ast &ast, const Function &function, const FunctionSummary &summary,
                                     DiagnosticList findings) {
  const bool isRare = !summary.members.empty() || summary.constantConversion.size() || summary.grows.registers ||
                      summary.shrinks.registers || summary.table.targets;
  if (isRare || !isSelfContained(ast, function, /*mayHaveLocations=*/false))
    return nullptr;
  bool isInside = true;
  auto within = [&](Range place) {
    isInside &= function.range.begin <= place.begin && place.end <= function.range.end;
  };
  auto known = std::make_unique<KnownBody>();
  known->function = function.range;
  known->findings = std::move(findings);
  known->summary = summary;
  for (Diagnostic &d : known->findings)
    eachPlace(d, within);
  eachPlace(known->summary, within);
  if (!isInside)
    return nullptr;
  for (const NameId name : summary.variables)
    known->variables.push_back(ast.text(name).str());
  for (const Reference &one : summary.functions)
    known->functions.push_back(ast.text(one.name).str());
  auto spelled = [&](const RegisterUse &use) { return use.registers ? ast.text(use.instruction).str() : ""; };
  known->occupied = spelled(summary.occupied);
  known->bounded = spelled(summary.bounded);
  return known;
}

FunctionSummary recalled(const KnownBody &body, const Ast &ast, const Function &function) {
  FunctionSummary summary = summaryOfHead(ast, function);
  const FunctionSummary &known = body.summary;
  summary.shared = known.shared;
  summary.localBytes = known.localBytes;
  summary.functions = known.functions;
  summary.indirectCall = known.indirectCall;
  summary.oneCta = known.oneCta;
  summary.ctaPair = known.ctaPair;
  summary.spilling = known.spilling;
  summary.occupied = known.occupied;
  summary.bounded = known.bounded;
  for (const std::string &name : body.variables)
    summary.variables.push_back(static_cast<NameId>(ast.names->internCopy(name)));
  for (auto [one, name] : llvm::zip_equal(summary.functions, body.functions))
    one.name = static_cast<NameId>(ast.names->internCopy(name));
  if (summary.occupied.registers)
    summary.occupied.instruction = static_cast<SpellingId>(ast.spellings->internCopy(body.occupied));
  if (summary.bounded.registers)
    summary.bounded.instruction = static_cast<SpellingId>(ast.spellings->internCopy(body.bounded));
  const uint32_t shift = function.range.begin - body.function.begin; // may wrap around, like the sums below
  eachPlace(summary, [&](Range &place) { place = {place.begin + shift, place.end + shift}; });
  return summary;
}

DiagnosticList recalledFindings(const KnownBody &body, const Function &function) {
  const uint32_t shift = function.range.begin - body.function.begin;
  DiagnosticList findings = body.findings;
  for (Diagnostic &d : findings)
    eachPlace(d, [&](Range &place) { place = {place.begin + shift, place.end + shift}; });
  return findings;
}

// ---- all of them

/// Shifts the items after a change. Returns false if the change is not inside one body, so that the whole module must
/// be read.
static bool shift(std::vector<KnownItem> &items, const TextChange &change) {
  const Range part = change.part;
  const auto hit = llvm::partition_point(items, [&](const KnownItem &item) { return item.range.end <= part.begin; });
  if (hit == items.end() || !hit->brace || hit->brace >= part.begin || part.end >= hit->range.end)
    return false;
  const uint32_t shift = change.newSize - part.size(); // may wrap around, like the sums below
  hit->body.reset();
  hit->isEdited = true;
  hit->range.end += shift;
  for (KnownItem &item : llvm::make_range(std::next(hit), items.end())) {
    item.range = {item.range.begin + shift, item.range.end + shift};
    item.brace += item.brace ? shift : 0;
  }
  return true;
}

Reuse planReuse(std::vector<KnownItem> items, llvm::ArrayRef<TextChange> changes) {
  const bool holds = llvm::all_of(changes, [&](const TextChange &change) { return shift(items, change); });
  return holds ? Reuse{std::move(items)} : Reuse();
}

std::vector<Range> Reuse::bodies() const {
  std::vector<Range> found;
  for (const KnownItem &item : items)
    if (item.body)
      found.push_back({item.brace, item.range.end});
  return found;
}

const KnownItem *Reuse::find(size_t number, const KnownItem &place) const {
  if (number >= items.size())
    return nullptr;
  const KnownItem &item = items[number];
  return item.kind == place.kind && item.range == place.range && item.brace == place.brace ? &item : nullptr;
}

bool changesOthers(const Ast &ast, const Function &function, const KnownItem &before, const KnownItem &now) {
  return before.isEdited && (before.isQuiet != now.isQuiet || before.accessesGlobal != now.accessesGlobal ||
                             !isSelfContained(ast, function, /*mayHaveLocations=*/true));
}

KnownItem placeOfItem(const Ast &ast, Statement statement) {
  KnownItem item;
  item.kind = statement.kind;
  switch (statement.kind) {
  case StatementKind::Declaration: item.range = ast.declarations[statement.index].range; break;
  case StatementKind::Directive: item.range = ast.directives[statement.index].range; break;
  case StatementKind::Function:
    item.range = ast.functions[statement.index].range;
    item.brace = ast.functions[statement.index].brace;
    break;
  default: break;
  }
  return item;
}

} // namespace ptxray
