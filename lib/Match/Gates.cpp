// From a gate that is closed to the versions and targets that open it.
#include "Match/Gates.h"
#include "Match/Evaluate.h"

namespace ptxray {

using isa::Expr;
using isa::ExprId;
using isa::ExprOp;

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
  const llvm::StringRef text = llvm::StringRef(isa::tables().targetSets[set].text).rtrim('+');
  return text.ends_with("a") || text.ends_with("f");
}

void reportGate(const FormView &view, const GateAlternatives &ways, const Subject &subject, uint32_t line,
                Judgement &judgement) {
  const auto &[place, what, found] = subject;
  const ModuleContext &module = view.written.availability.module();
  const std::string target = module.target == anyTarget ? "" : std::string(isa::tables().targets[module.target].name);
  const GateAlternative *newer = nullptr; // only the version is too low
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
  const bool ofWord = place.kind == Place::Word || place.kind == Place::Suffix;
  const Kind kind = ofWord ? Kind::Qualifier : Kind::Instruction;
  Finding *f;
  if (removed && !newer) {
    f = &judgement.report(Phase::Gate, DiagId::RemovedInPtx, place,
                          {what, wording(ways), isa::versionText(module.ptx)});
  } else if (newer || (versionInTheWay && !targetInTheWay)) {
    const uint16_t least = newer ? newer->least : ways.front().least;
    f = &judgement.report(Phase::Gate, DiagId::RequiresPtx, place,
                          {what, isa::versionText(least), isa::versionText(module.ptx)});
    f->kind = kind;
    f->remedy = {Remedy::RaiseVersion, least, isa::versionText(least)};
  } else {
    bool variantsOnly = true;
    for (const GateAlternative &way : ways)
      for (uint16_t set : way.targets)
        variantsOnly &= namesVariant(set);
    if (versionInTheWay) {
      uint16_t least = UINT16_MAX;
      for (const GateAlternative &way : ways)
        least = std::min(least, way.least);
      Finding &first = judgement.report(Phase::Gate, DiagId::RequiresPtx, place,
                                        {what, isa::versionText(least), isa::versionText(module.ptx)});
      first.kind = kind;
      first.line = line;
    }
    const DiagId id = variantsOnly ? DiagId::RequiresTargetVariant : DiagId::RequiresTarget;
    f = &judgement.report(Phase::Gate, id, place, {what, wording(ways), target});
    f->kind = kind;
  }
  f->line = line;
}

} // namespace ptxray
