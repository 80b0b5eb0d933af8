// Resolves directives, pragmas, features, and limits: it looks up names, and rejects declarations that cannot be
// correct.
#include "Resolver.h"

namespace ptxray::isagen {

namespace {

const std::map<std::string, uint16_t> placeNames = {
    {"module", isa::InModule},
    {"variable", isa::OnVariable},
    {"entry-parameter", isa::OnParameter},
    {"entry", isa::OnEntry},
    {"declared-entry", isa::OnDeclaredEntry},
    {"func", isa::OnFunction},
    {"declared-func", isa::OnDeclaredFunction},
    {"function", isa::OnEntry | isa::OnDeclaredEntry | isa::OnFunction | isa::OnDeclaredFunction},
    {"entry-body", isa::InEntry},
    {"func-body", isa::InFunction},
    {"body", isa::InEntry | isa::InFunction},
};
const std::map<std::string, isa::ArgumentKind> argumentKinds = {
    {"u32", isa::ArgumentKind::U32},       {"u64", isa::ArgumentKind::U64},   {"string", isa::ArgumentKind::String},
    {"name", isa::ArgumentKind::Name},     {"word", isa::ArgumentKind::Word}, {"number", isa::ArgumentKind::Number},
    {"text", isa::ArgumentKind::Text},     {"type", isa::ArgumentKind::Type}, {"space", isa::ArgumentKind::Space},
    {"values", isa::ArgumentKind::Values},
};

template <typename Value> std::set<std::string> keysOf(const std::map<std::string, Value> &map) {
  std::set<std::string> keys;
  for (const auto &[key, value] : map)
    keys.insert(key);
  return keys;
}

} // namespace

/// Sorts declarations by name, and rejects a second one with the same name.
template <typename Decl>
std::vector<const Decl *> Resolver::sortedByName(const std::vector<Decl> &all, const char *what) {
  std::map<std::string, const Decl *> sorted;
  for (const Decl &decl : all)
    if (!sorted.insert({decl.name, &decl}).second)
      errors.report(decl.place, "twice", std::string("a second ") + what + " `" + decl.name + "`");
  std::vector<const Decl *> result;
  for (const auto &[name, decl] : sorted)
    result.push_back(decl);
  return result;
}

uint16_t Resolver::directiveIndex(Place place, const std::string &name) {
  if (auto known = directiveIds.find(name); known != directiveIds.end())
    return known->second;
  errors.report(place, "unknown-directive",
                "unknown directive `" + name + "`" + didYouMean(name, keysOf(directiveIds)));
  return 0;
}

isa::Span Resolver::directiveList(const DirectiveDecl &decl, const std::vector<std::pair<Place, std::string>> &names) {
  std::vector<uint16_t> list;
  for (const auto &[place, name] : names) {
    if (name == decl.name)
      errors.report(place, "directive", "`" + name + "` is in its own list");
    list.push_back(directiveIndex(place, name));
  }
  return intern(output.directiveLists, list);
}

void Resolver::places(const DirectiveDecl &decl, isa::Directive &result) {
  for (const auto &[place, name] : decl.places) {
    if (name[0] == '.') {
      result.owner = directiveIndex(place, name);
      result.places |= isa::InDirective;
      continue;
    }
    const auto known = placeNames.find(name);
    if (known == placeNames.end()) {
      errors.report(place, "directive", "`" + name + "` is not a place" + didYouMean(name, keysOf(placeNames)));
      continue;
    }
    if ((result.places & known->second) == known->second)
      errors.report(place, "twice", "`" + name + "` is among the places already");
    result.places |= known->second;
  }
}

isa::DirectiveArgument Resolver::argument(const DirectiveDecl &decl, const WrittenArgument &written) {
  isa::DirectiveArgument result = {
      text(written.name + written.literal), isa::ArgumentKind::Literal, written.depth, written.repeats, {}, {}};
  if (written.name.empty())
    return result;
  const auto declared = decl.arguments.find(written.name);
  if (declared == decl.arguments.end()) {
    errors.report(decl.place, "undeclared-operand",
                  "argument `" + written.name + "` is not declared" + didYouMean(written.name, keysOf(decl.arguments)));
    return result;
  }
  const ArgumentDecl &argument = declared->second;
  const auto kind = argumentKinds.find(argument.kind);
  if (kind == argumentKinds.end())
    errors.report(argument.place, "directive",
                  "`" + argument.kind + "` is not a kind of argument" +
                      didYouMean(argument.kind, keysOf(argumentKinds)));
  else
    result.kind = kind->second;
  const bool isNumber = result.kind == isa::ArgumentKind::U32 || result.kind == isa::ArgumentKind::U64 ||
                        result.kind == isa::ArgumentKind::Number;
  if (kind != argumentKinds.end() && !isNumber && (!argument.ranges.empty() || !argument.texts.empty()))
    errors.report(argument.place, "directive", "only numbers have a range, or strings in their place");
  const bool isOfPragma = result.kind == isa::ArgumentKind::Number || result.kind == isa::ArgumentKind::Text;
  if (kind != argumentKinds.end() && decl.isPragma != isOfPragma)
    errors.report(argument.place, "directive",
                  decl.isPragma ? "what follows the name of a pragma is a `number` or `text`"
                                : "`" + argument.kind + "` is for pragmas");
  std::vector<isa::StoredText> texts;
  for (const std::string &one : argument.texts)
    texts.push_back(text(one));
  result.ranges = intern(output.ranges, argument.ranges);
  result.texts = intern(output.directiveTexts, texts);
  return result;
}

isa::Directive Resolver::directive(const DirectiveDecl &decl) {
  isa::Directive result = {};
  result.name = text(decl.name);
  result.title = text(decl.title);
  result.manual = text(decl.manual);
  result.syntax = text(decl.syntax);
  result.file = text(model.names[decl.place.file]);
  result.line = decl.place.line;
  result.once = decl.once;
  result.idleSince = decl.idleSince;
  places(decl, result);
  std::vector<isa::DirectiveArgument> arguments;
  std::set<std::string> written;
  for (const WrittenArgument &one : decl.written) {
    arguments.push_back(argument(decl, one));
    written.insert(one.name);
  }
  for (const auto &[name, argument] : decl.arguments)
    if (!written.count(name))
      errors.report(argument.place, "unused-operand",
                    "argument `" + name + "` is not written in `" + decl.syntax + "`");
  result.arguments = intern(output.arguments, arguments);
  result.excludes = directiveList(decl, decl.excludes);
  result.needs = directiveList(decl, decl.needs);
  result.idleWithout = directiveList(decl, decl.idleWithout);
  if (decl.gate)
    result.gate = usefulGate(decl.place, *decl.gate);
  return result;
}

/// Returns whether a gate holds for a version and a target, given as its index.
bool Resolver::gateHolds(ExprId gate, uint16_t ptx, size_t target) const {
  const isa::Expr &e = output.exprs[gate];
  auto part = [&](uint32_t i) { return gateHolds(output.exprArgs[e.a + i], ptx, target); };
  uint32_t held = 0;
  switch (e.op) {
  case ExprOp::And:
  case ExprOp::Or:
    for (uint32_t i = 0; i < e.b; ++i)
      held += part(i);
    return e.op == ExprOp::And ? held == e.b : held > 0;
  case ExprOp::Not: return !gateHolds(e.a, ptx, target);
  case ExprOp::PtxAtLeast: return ptx >= e.a;
  case ExprOp::Gate: return gateHolds(output.gates[e.a].expr, ptx, target);
  case ExprOp::Target: {
    const isa::TargetBits &bits = output.targetSets[e.a];
    return (target < 64 ? bits.low >> target : bits.high >> (target - 64)) & 1;
  }
  default: return true;
  }
}

/// Reports a gate that every version and target passes, or that none passes.
ExprId Resolver::usefulGate(Place place, const Condition &gate) {
  const ExprId result = condition(gate, model.shared);
  bool passes = false, fails = false;
  for (uint16_t ptx : output.versions)
    for (size_t i = 0; i < output.targets.size(); ++i)
      if (output.targets[i].since <= ptx)
        (gateHolds(result, ptx, i) ? passes : fails) = true;
  if (!passes || !fails)
    usage.deadGates.push_back({place, passes});
  return result;
}

void Resolver::directives() {
  std::vector<DirectiveDecl> directives, pragmas;
  for (const DirectiveDecl &decl : model.directives)
    (decl.isPragma ? pragmas : directives).push_back(decl);
  const auto sorted = sortedByName(directives, "directive");
  for (const DirectiveDecl *decl : sorted)
    directiveIds[decl->name] = narrow<uint16_t>(directiveIds.size());
  for (const DirectiveDecl *decl : sorted)
    output.directives.push_back(directive(*decl));
  for (const DirectiveDecl *decl : sortedByName(pragmas, "pragma"))
    output.pragmas.push_back(directive(*decl));
}

void Resolver::features() {
  for (const FeatureDecl *decl : sortedByName(model.features, "feature"))
    output.features.push_back({text(decl->name), text(decl->title), usefulGate(decl->place, decl->gate)});
  for (const RuntimeFunctionDecl *decl : sortedByName(model.runtimeFunctions, "function"))
    output.runtimeFunctions.push_back(
        {text(decl->name), decl->gate ? usefulGate(decl->place, *decl->gate) : True, decl->neverReturns});
}

void Resolver::limits() {
  for (const LimitDecl *decl : sortedByName(model.limits, "limit")) {
    std::vector<isa::LimitValue> values;
    for (size_t i = 0; i < decl->values.size(); ++i) {
      const LimitDecl::Value &value = decl->values[i];
      const bool isLast = i + 1 == decl->values.size();
      if (isLast == value.gate.has_value())
        errors.report(decl->place, "limit", "the last value alone has no gate: the first whose gate holds counts");
      values.push_back({value.value, value.gate ? usefulGate(decl->place, *value.gate) : True});
    }
    output.limits.push_back({text(decl->name), intern(output.limitValues, values)});
  }
}

} // namespace ptxray::isagen
