#include "Targets/Needs.h"
#include "Isa/Availability.h"
#include "Match/Wording.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <map>

namespace ptxray {

using isa::Expr;
using isa::ExprId;
using isa::ExprOp;

llvm::SmallVector<ExprId, 2> gatesOf(const isa::Form &form) {
  llvm::SmallVector<ExprId, 2> gates;
  for (const uint32_t index : isa::run(isa::tables().formRules, form.rules))
    if (const isa::Rule &rule = isa::tables().rules[index];
        rule.when == 0 && isa::tables().exprs[rule.require].gateOnly)
      gates.push_back(rule.require);
  return gates;
}

// NOLINTNEXTLINE(misc-no-recursion): the tables are constant: no input nests their conditions
static bool gateHoldsFor(ExprId gate, uint16_t ptx, uint16_t target) {
  const isa::Tables &t = isa::tables();
  const Expr &e = t.exprs[gate];
  // NOLINTNEXTLINE(misc-no-recursion): the tables are constant: no input nests their conditions
  const auto part = [&](ExprId id) { return gateHoldsFor(id, ptx, target); };
  switch (e.op) {
  case ExprOp::And: return llvm::all_of(t.exprArgs.slice(e.a, e.b), part);
  case ExprOp::Or: return llvm::any_of(t.exprArgs.slice(e.a, e.b), part);
  case ExprOp::Not: return !part(e.a);
  case ExprOp::PtxAtLeast: return ptx >= e.a;
  case ExprOp::Target: return inTargetSet(e.a, target);
  case ExprOp::Gate: return part(t.gates[e.a].expr);
  default: return true;
  }
}

namespace {

/// The versions for which gates hold for a target.
struct Interval {
  uint16_t first = 0, last = 0; // `last` is 0 for no upper bound
  auto operator<=>(const Interval &) const = default;
};

} // namespace

static bool areMet(const Demands &demands, uint16_t ptx, uint16_t target) {
  const auto hold = [&](const Demands::Gates &gates) {
    return llvm::all_of(gates, [&](ExprId gate) { return gateHoldsFor(gate, ptx, target); });
  };
  return hold(demands.all) && llvm::all_of(demands.choices, [&](const auto &ways) { return llvm::any_of(ways, hold); });
}

static std::optional<Interval> intervalOf(const Demands &demands, uint16_t target) {
  std::optional<Interval> found;
  for (const uint16_t ptx : isa::versions()) {
    const bool passes = areMet(demands, ptx, target);
    if (passes && !found)
      found = {ptx, 0};
    if (passes && found)
      found->last = 0;
    if (!passes && found && !found->last)
      found->last = *std::prev(llvm::lower_bound(isa::versions(), ptx));
  }
  return found;
}

std::optional<uint16_t> leastVersion(llvm::ArrayRef<ExprId> gates, uint16_t target) {
  return leastVersion(Demands{gates.vec()}, target);
}

std::optional<uint16_t> leastVersion(const Demands &demands, uint16_t target) {
  const std::optional<Interval> found = intervalOf(demands, target);
  if (!found)
    return std::nullopt;
  return std::max(found->first, isa::targets()[target].since);
}

bool isOldName(const isa::Target &target) {
  return target.name() !=
         "sm_" + std::to_string(target.number) + (target.variant ? std::string(1, target.variant) : "");
}

/// Returns the targets without old names.
static std::vector<uint16_t> currentTargets() {
  std::vector<uint16_t> all;
  for (uint16_t index = 0; index < isa::targets().size(); ++index)
    if (!isOldName(isa::targets()[index]))
      all.push_back(index);
  llvm::stable_sort(
      all, [](uint16_t one, uint16_t other) { return isa::targets()[one].number < isa::targets()[other].number; });
  return all;
}

static std::string nameOfTarget(uint16_t target) { return std::string(isa::targets()[target].name()); }

/// Returns a range of architectures as text: `sm_90 or higher`, `targets below sm_70`, `sm_20 to sm_72`. Returns
/// nothing if it is no range.
static std::optional<std::string> rangeText(llvm::ArrayRef<uint16_t> targets, llvm::ArrayRef<uint16_t> all) {
  const uint16_t *first = llvm::find(all, targets.front());
  const size_t begin = first - all.begin(), end = begin + targets.size();
  if (end > all.size() || all.slice(begin, targets.size()) != targets)
    return std::nullopt;
  const auto number = [&](size_t at) { return isa::targets()[all[at]].number; };
  if ((begin > 0 && number(begin - 1) == number(begin)) || (end < all.size() && number(end - 1) == number(end)))
    return std::nullopt;
  const std::string lowest = "sm_" + std::to_string(number(begin)), highest = "sm_" + std::to_string(number(end - 1));
  if (begin == 0 && end == all.size())
    return "";
  if (end == all.size())
    return lowest + " or higher";
  if (begin == 0)
    return "a target up to " + highest;
  if (lowest == highest)
    return lowest + (targets.size() > 1 ? " with or without a letter" : "");
  return lowest + " to " + highest;
}

static std::string intervalText(const Interval &versions) {
  const bool isFromFirst = versions.first <= isa::versions().front();
  if (isFromFirst && !versions.last)
    return "";
  if (isFromFirst)
    return "PTX up to " + isa::versionText(versions.last);
  const std::string from = "PTX " + isa::versionText(versions.first);
  return versions.last ? from + " to " + isa::versionText(versions.last) : from;
}

static std::string versionsAndTargets(const std::string &versions, const std::string &targets) {
  if (versions.empty() || targets.empty())
    return versions + targets;
  return versions + " and " + targets;
}

size_t reachOf(const Demands &demands) {
  size_t count = 0;
  for (const uint16_t target : currentTargets())
    for (const uint16_t ptx : isa::versions())
      count += ptx >= isa::targets()[target].since && areMet(demands, ptx, target);
  return count;
}

std::string needsText(llvm::ArrayRef<ExprId> gates) { return needsText(Demands{gates.vec()}); }

std::string needsText(const Demands &demands) {
  const std::vector<uint16_t> all = currentTargets();
  std::map<Interval, std::vector<uint16_t>> groups;
  std::vector<uint16_t> passing;
  for (const uint16_t target : all)
    if (const std::optional<Interval> versions = intervalOf(demands, target)) {
      groups[*versions].push_back(target);
      passing.push_back(target);
    }
  if (passing.empty())
    return "something that no version or target supports";
  if (groups.size() == 1)
    if (const auto range = rangeText(passing, all))
      return versionsAndTargets(intervalText(groups.begin()->first), *range);
  const bool areRanges =
      llvm::all_of(groups, [&](const auto &group) { return rangeText(group.second, all).has_value(); });
  if (!areRanges) { // individual names, each with the first version that supports it
    groups.clear();
    for (const uint16_t target : passing) {
      Interval versions = *intervalOf(demands, target);
      versions.first = std::max(versions.first, isa::targets()[target].since);
      groups[versions].push_back(target);
    }
  }
  llvm::SmallVector<std::string, 4> parts;
  for (const auto &[versions, targets] : groups) {
    llvm::SmallVector<std::string, 4> names;
    for (const uint16_t target : targets)
      names.push_back(nameOfTarget(target));
    parts.push_back(
        versionsAndTargets(intervalText(versions), areRanges ? *rangeText(targets, all) : listText(names, "or")));
  }
  return llvm::join(parts, "; ");
}

bool needsVariant(const Demands &demands) {
  return llvm::all_of(currentTargets(),
                      [&](uint16_t target) { return isa::targets()[target].variant || !intervalOf(demands, target); });
}

} // namespace ptxray
