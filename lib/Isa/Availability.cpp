#include "Isa/Availability.h"
#include "Isa/TargetNames.h"
#include "Source/Narrow.h"
#include "llvm/ADT/STLExtras.h"
#include <cassert>

namespace ptxray {

using isa::Expr;
using isa::ExprId;
using isa::ExprOp;

ModuleContext ofArch(ModuleContext context) {
  context.target = context.arch.value_or(context.target);
  context.arch.reset();
  return context;
}

std::string targetName(const ModuleContext &context) {
  return context.target == anyTarget ? "this target" : std::string(isa::targets()[context.target].name());
}

Availability::Availability(const ModuleContext &context) : context(context), memo(isa::tables().exprs.size(), -1) {}

const Availability &Availability::ofCode() const {
  if (!context.arch)
    return *this;
  if (!code)
    code = std::make_unique<Availability>(ofArch(context));
  return *code;
}

bool inTargetSet(uint16_t set, uint16_t target) {
  assert(target < isa::targets().size() && "no set has `anyTarget`");
  const isa::TargetBits &bits = isa::tables().targetSets[set];
  return target < 64 ? bits.low >> target & 1 : bits.high >> (target - 64) & 1;
}

bool Availability::holds(ExprId gate) const {
  if (asked)
    asked->push_back(gate);
  return known(gate);
}

/// Evaluates one operation of a gate; `holds` evaluates its parts.
// NOLINTNEXTLINE(misc-no-recursion): the tables are constant: no input nests their conditions
template <typename Holds> static bool evaluate(ExprId gate, const ModuleContext &context, Holds holds) {
  if (context.target == anyTarget)
    return true;
  const isa::Tables &t = isa::tables();
  const Expr &e = t.exprs[gate];
  switch (e.op) {
  case ExprOp::And: return llvm::all_of(t.exprArgs.slice(e.a, e.b), holds);
  case ExprOp::Or: return llvm::any_of(t.exprArgs.slice(e.a, e.b), holds);
  case ExprOp::Not: return !holds(e.a);
  case ExprOp::PtxAtLeast: return context.ptx >= e.a;
  case ExprOp::Target: return inTargetSet(e.a, context.target);
  case ExprOp::Gate: return holds(t.gates[e.a].expr);
  default: return true;
  }
}

// NOLINTNEXTLINE(misc-no-recursion): the tables are constant: no input nests their conditions
bool isMet(ExprId gate, const ModuleContext &context) {
  // NOLINTNEXTLINE(misc-no-recursion): the tables are constant: no input nests their conditions
  return !gate || evaluate(gate, context, [&](ExprId part) { return isMet(part, context); });
}

// NOLINTNEXTLINE(misc-no-recursion): the tables are constant: no input nests their conditions
bool Availability::known(ExprId gate) const {
  if (!gate)
    return true;
  assert(gate < memo.size() && "a gate is a condition of the tables");
  int8_t &answer = memo[gate];
  if (answer < 0)
    // NOLINTNEXTLINE(misc-no-recursion): the tables are constant: no input nests their conditions
    answer = evaluate(gate, context, [this](ExprId part) { return known(part); });
  return answer;
}

bool versionFits(const GateAlternative &alternative, const ModuleContext &context) {
  return context.ptx >= alternative.least && (!alternative.below || context.ptx < alternative.below);
}

bool targetFits(const GateAlternative &alternative, const ModuleContext &context) {
  auto holds = [&](uint16_t set) { return inTargetSet(set, context.target); };
  return llvm::all_of(alternative.targets, holds) && llvm::none_of(alternative.others, holds);
}

std::string nameToday(const isa::Target &target) {
  std::string name = "sm_" + std::to_string(target.number);
  if (target.variant)
    name += target.variant;
  return name;
}

static std::string targetText(uint16_t set) {
  llvm::StringRef text = isa::tables().targetSets[set].text();
  const bool isOpen = text.consume_back("+");
  const int target = isa::findTarget(text);
  std::string name = target < 0 ? text.str() : nameToday(isa::targets()[target]);
  if (!isOpen)
    return name;
  return name + (text.ends_with("f") ? " or higher in that family" : " or higher");
}

/// Returns the negation of a set: `a target below sm_70`, `a target other than sm_90a`.
static std::string otherTargetText(uint16_t set) {
  llvm::StringRef text = isa::tables().targetSets[set].text();
  const bool isBelow = text.consume_back("+") && !text.ends_with("f");
  return isBelow ? "a target below " + text.str() : "a target other than " + targetText(set);
}

static std::string targetsText(const GateAlternative &alternative) {
  std::string out;
  for (uint16_t set : alternative.targets)
    out += (out.empty() ? "" : " and ") + targetText(set);
  for (uint16_t set : alternative.others)
    out += (out.empty() ? "" : " and ") + otherTargetText(set);
  return out;
}

static std::string versionsText(const GateAlternative &alternative) {
  std::string out;
  if (alternative.least)
    out = "PTX " + isa::versionText(alternative.least);
  if (alternative.below)
    out += (out.empty() ? "PTX below " : " and below ") + isa::versionText(alternative.below);
  return out;
}

std::string wording(llvm::ArrayRef<GateAlternative> alternatives) {
  std::string common = alternatives.empty() ? "" : versionsText(alternatives.front());
  for (const GateAlternative &a : alternatives)
    if (versionsText(a) != common)
      common.clear();
  llvm::SmallVector<std::string, 4> parts;
  for (const GateAlternative &a : alternatives) {
    std::string targets = targetsText(a), versions = common.empty() ? versionsText(a) : "";
    std::string part = targets.empty() ? versions : versions.empty() ? targets : targets + " (" + versions + ")";
    if (!part.empty() && !llvm::is_contained(parts, part))
      parts.push_back(part);
  }
  std::string list;
  for (size_t i = 0; i < parts.size(); ++i) {
    if (i)
      list += i + 1 < parts.size() ? ", " : parts.size() > 2 ? ", or " : " or ";
    list += parts[i];
  }
  if (common.empty() || list.empty())
    return common + list;
  return common + " and " + list;
}

// NOLINTNEXTLINE(misc-no-recursion): the tables are constant: no input nests their conditions
std::string gateText(ExprId gate) {
  const isa::Tables &t = isa::tables();
  const Expr &e = t.exprs[gate];
  // NOLINTNEXTLINE(misc-no-recursion): the tables are constant: no input nests their conditions
  auto joined = [&](llvm::StringRef word) {
    std::string out;
    for (ExprId part : t.exprArgs.slice(e.a, e.b))
      out += (out.empty() ? "" : word.str()) + gateText(part);
    return out;
  };
  switch (e.op) {
  case ExprOp::And: return joined(" and ");
  case ExprOp::Or: return joined(", or ");
  case ExprOp::Not: return "less than " + llvm::StringRef(gateText(e.a)).split(" or higher").first.str();
  case ExprOp::PtxAtLeast: return "PTX " + isa::versionText(narrow<uint16_t>(e.a));
  case ExprOp::Target: return targetText(narrow<uint16_t>(e.a));
  case ExprOp::Gate: return gateText(t.gates[e.a].expr);
  default: return "";
  }
}

std::string versionOf(ExprId gate) { return llvm::StringRef(gateText(gate)).split(' ').second.str(); }

} // namespace ptxray
