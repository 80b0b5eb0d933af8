#include "Check/KnownFunctions.h"
#include "Flow/BodyRules.h"
#include "Parse/Interner.h"
#include "llvm/ADT/STLExtras.h"

namespace ptxray {

/// The number of bodies that are kept, each of about a kilobyte.
static constexpr uint32_t mostKnown = 1 << 13;

// ---- one body

static bool isOrdinary(const Declaration &declaration, const Ast &ast) {
  const llvm::StringRef space = ast.text(declaration.space);
  return (space == ".reg" || space == ".shared" || space == ".local" || space == ".param") &&
         declaration.linkage == SpellingId::None && !declaration.initialiser.count;
}

/// Whether nothing in the body affects other functions or the module. A `.loc` does affect functions after it that have
/// one, too.
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

/// Calls `see` with each place of a finding.
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
  const uint32_t shift = function.range.begin - body.function.begin; // may wrap: so do the sums
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

void KnownFunctions::edited(Range part, uint32_t newSize) {
  const auto hit = llvm::partition_point(items, [&](const Item &item) { return item.range.end <= part.begin; });
  if (hit == items.end())
    return forget();
  const bool isInBody = hit->brace && hit->brace < part.begin && part.end < hit->range.end;
  if (!isInBody)
    return forget();
  const uint32_t shift = newSize - part.size();
  hit->body.reset();
  hit->isEdited = true;
  hit->range.end += shift;
  for (Item &item : llvm::make_range(std::next(hit), items.end())) {
    item.range = {item.range.begin + shift, item.range.end + shift};
    item.brace += item.brace ? shift : 0;
  }
}

std::vector<Range> KnownFunctions::bodies() const {
  std::vector<Range> found;
  for (const Item &item : items)
    if (item.body)
      found.push_back({item.brace, item.range.end});
  return found;
}

void KnownFunctions::begin() {
  fresh.clear();
  open = {};
  at = kept = 0;
  recalling = !items.empty();
  failed = false;
}

bool KnownFunctions::changesOthers(const Ast &ast, const Function &function, bool isQuiet) const {
  if (at >= items.size() || !items[at].isEdited)
    return false;
  return items[at].isQuiet != isQuiet || !isSelfContained(ast, function, /*mayHaveLocations=*/true);
}

void KnownFunctions::read(std::unique_ptr<KnownBody> body, bool isQuiet) {
  if (body && kept < mostKnown) {
    open.body = std::move(body);
    ++kept;
  }
  open.isQuiet = isQuiet;
}

const KnownBody *KnownFunctions::passedOver(const Function &function) {
  if (at >= items.size() || items[at].brace != function.brace)
    return nullptr;
  open.body = items[at].body;
  open.isQuiet = items[at].isQuiet;
  return open.body.get();
}

static Range placeOf(const Ast &ast, Statement statement) {
  switch (statement.kind) {
  case StatementKind::Declaration: return ast.declarations[statement.index].range;
  case StatementKind::Directive: return ast.directives[statement.index].range;
  case StatementKind::Function: return ast.functions[statement.index].range;
  default: return {};
  }
}

void KnownFunctions::item(const Ast &ast, Statement statement) {
  open.kind = statement.kind;
  open.range = placeOf(ast, statement);
  open.brace = statement.kind == StatementKind::Function ? ast.functions[statement.index].brace : 0;
  if (recalling) {
    const bool lies = at < items.size() && items[at].kind == open.kind && items[at].range == open.range &&
                      items[at].brace == open.brace;
    failed |= !lies;
    if (lies && !open.body && !items[at].isEdited) // it was read beside a fault
      open.body = items[at].body;
    ++at;
  }
  fresh.push_back(std::exchange(open, {}));
}

bool KnownFunctions::end() {
  const bool holds = !recalling || (!failed && at == items.size());
  items = failed ? std::vector<Item>() : std::move(fresh);
  fresh.clear();
  if (!holds)
    items.clear();
  return holds;
}

} // namespace ptxray
