// Finds the versions and targets that satisfy a gate.
#include "Match/Gates.h"
#include "Isa/TargetNames.h"
#include "Match/Evaluate.h"
#include "Match/Wording.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <tuple>

namespace ptxray {

using isa::Expr;
using isa::ExprId;
using isa::ExprOp;

// NOLINTNEXTLINE(misc-no-recursion): the tables are constant: no input nests their conditions
GateAlternatives alternatives(const FormView &view, ExprId id, bool negated) {
  const isa::Tables &t = isa::tables();
  const Expr &e = t.exprs[id];
  GateAlternative one;
  switch (e.op) {
  case ExprOp::PtxAtLeast: (negated ? one.below : one.least) = narrow<uint16_t>(e.a); return {one};
  case ExprOp::Target: (negated ? one.others : one.targets).push_back(narrow<uint16_t>(e.a)); return {one};
  case ExprOp::Gate: return alternatives(view, t.gates[e.a].expr, negated);
  case ExprOp::Not: return alternatives(view, e.a, !negated);
  case ExprOp::And:
  case ExprOp::Or: {
    const bool all = (e.op == ExprOp::And) != negated;
    GateAlternatives result;
    if (all)
      result.push_back(one);
    for (ExprId argument : t.exprArgs.slice(e.a, e.b)) {
      const GateAlternatives part = alternatives(view, argument, negated);
      if (!all) {
        result.append(part.begin(), part.end());
        continue;
      }
      GateAlternatives product;
      for (const GateAlternative &left : result)
        for (const GateAlternative &right : part) {
          GateAlternative both = left;
          both.least = std::max(left.least, right.least);
          both.below =
              left.below && right.below ? std::min(left.below, right.below) : std::max(left.below, right.below);
          both.targets.append(right.targets.begin(), right.targets.end());
          both.others.append(right.others.begin(), right.others.end());
          product.push_back(both);
        }
      result = std::move(product);
    }
    return result;
  }
  default:
    if (holds(view, id) != negated)
      return {one};
    return {};
  }
}

static bool namesVariant(uint16_t set) {
  const llvm::StringRef text = llvm::StringRef(isa::tables().targetSets[set].text()).rtrim('+');
  return text.ends_with("a") || text.ends_with("f");
}

/// Returns the version with which a module for the target satisfies one of the alternatives, or 0.
static uint16_t versionFor(const GateAlternatives &ways, uint16_t target, const ModuleContext &module) {
  ModuleContext changed = module;
  changed.target = target;
  uint16_t least = 0;
  for (const GateAlternative &way : ways) {
    const uint16_t needed = std::max({module.ptx, way.least, isa::targets()[target].since});
    if (targetFits(way, changed) && (!way.below || needed < way.below) && (!least || needed < least))
      least = needed;
  }
  return least;
}

/// Returns the target that changes the least. The order is: targets of the same family, the same architecture with
/// another suffix, the next newer target, older targets, targets of other families.
static Remedy nearestTarget(const GateAlternatives &ways, const ModuleContext &module) {
  const auto targets = isa::targets();
  if (module.target == anyTarget)
    return {};
  const isa::Target &own = targets[module.target];
  auto isOfFamily = [&](const isa::Target &target) { return target.number / 10 == own.number / 10; };
  auto rank = [&](const isa::Target &target) { // architectures first, then plain ones, `a` and `f`
    const int suffix = !target.variant ? 0 : target.variant == (own.variant ? own.variant : 'a') ? 1 : 2;
    return std::tuple(!isOfFamily(target), target.number < own.number, target.number, suffix);
  };
  Remedy remedy;
  const isa::Target *best = nullptr;
  for (uint16_t i = 0; i < targets.size(); ++i) {
    if ((targets[i].number < own.number && !isOfFamily(targets[i])) || nameToday(targets[i]) != targets[i].name() ||
        (best && !(rank(targets[i]) < rank(*best))))
      continue;
    if (const uint16_t version = versionFor(ways, i, module)) {
      best = &targets[i];
      remedy = {Remedy::ChangeTarget, version > module.ptx ? version : uint16_t(0), std::string(targets[i].name())};
    }
  }
  return remedy;
}

/// Returns a set of targets as text, with their current names.
static std::string setText(uint16_t set) {
  const isa::Tables &t = isa::tables();
  llvm::StringRef text = t.targetSets[set].text();
  const bool isOpen = text.consume_back("+");
  std::string name = text.str();
  if (const int target = isa::findTarget(text); target >= 0)
    name = nameToday(isa::targets()[target]);
  if (!isOpen)
    return name;
  return text.ends_with("f") ? "the family of " + name : name + " and higher";
}

/// Returns all alternatives as text, those closest to the module first.
static std::string whereAvailable(const GateAlternatives &ways, const ModuleContext &module) {
  std::vector<std::string> parts;
  for (const GateAlternative &way : ways) {
    std::string text;
    uint16_t since = way.least;
    for (uint16_t set : way.targets) {
      text += (text.empty() ? "" : " and ") + setText(set);
      const int named = isa::findTarget(llvm::StringRef(isa::tables().targetSets[set].text()).rtrim('+'));
      const int target = named < 0 ? named : isa::findTarget(nameToday(isa::targets()[named]));
      since = target >= 0 ? std::max(since, isa::targets()[target].since) : since;
    }
    for (uint16_t set : way.others)
      text += (text.empty() ? "targets below " : " and below ") + setText(set);
    if (since > module.ptx)
      text += (text.empty() ? "PTX " : " (PTX ") + isa::versionText(since) + (text.empty() ? "" : ")");
    if (!text.empty() && !llvm::is_contained(parts, text))
      parts.push_back(text);
  }
  if (module.target != anyTarget)
    llvm::stable_sort(parts, [&](const std::string &a, const std::string &b) {
      const std::string own = "sm_" + std::to_string(isa::targets()[module.target].number);
      return (a.find(own) != std::string::npos) > (b.find(own) != std::string::npos);
    });
  return (parts.size() == 1 && parts.front().ends_with("a") ? "available only on " : "available on ") +
         listText(parts, "or");
}

void reportGate(const FormView &view, const GateAlternatives &ways, const Subject &subject, uint32_t line,
                Judgement &judgement) {
  const auto &[place, what, found] = subject;
  const ModuleContext &module = view.written.availability.module();
  const std::string target = module.target == anyTarget ? "" : std::string(isa::tables().targets[module.target].name());
  const GateAlternative *newer = nullptr; // the alternative for which only the version is too low
  bool removed = false, versionInTheWay = !ways.empty(), targetInTheWay = !ways.empty();
  for (const GateAlternative &way : ways) {
    const bool version = versionFits(way, module), fits = targetFits(way, module);
    versionInTheWay &= !version;
    targetInTheWay &= !fits;
    if (fits && !version && way.below && module.ptx >= way.below)
      removed = true;
    else if (fits && !version && (!newer || way.least < newer->least))
      newer = &way;
  }
  const bool ofWord = place.kind == FindingPlace::Word || place.kind == FindingPlace::Suffix;
  Finding *f;
  if (removed && !newer) {
    const bool isWhole = place.kind == FindingPlace::Opcode; // `shfl` still exists, but `shfl.up.b32` does not
    f = &judgement.report(Phase::Gate, DiagId::RemovedInPtx, place,
                          isWhole ? "`" + view.written.opcode.spelling + "`" : what, wording(ways),
                          isa::versionText(module.ptx));
  } else if (newer || (versionInTheWay && !targetInTheWay)) {
    const uint16_t least = newer ? newer->least : ways.front().least;
    f = &judgement.report(Phase::Gate, DiagId::RequiresPtx, place, what, isa::versionText(least),
                          isa::versionText(module.ptx));
    f->remedy = {Remedy::RaiseVersion, least, isa::versionText(least)};
  } else {
    bool variantsOnly = true;
    for (const GateAlternative &way : ways)
      for (uint16_t set : way.targets)
        variantsOnly &= namesVariant(set);
    f = &judgement.report(Phase::Gate,
                          variantsOnly ? IdTakingTexts<2>(DiagId::RequiresTargetVariant) : DiagId::RequiresTarget,
                          place, what, target);
    f->remedy = nearestTarget(ways, module);
    f->notes.push_back(whereAvailable(ways, module));
  }
  if (f->id != DiagId::RemovedInPtx)
    f->kind = ofWord ? Kind::Qualifier : Kind::Instruction;
  f->line = line;
}

} // namespace ptxray
