#pragma once
// Names of facts and operands, as grammar/isa spells them and as messages show them; indexed by their enumerators.
#include "Isa/Tables.h"
#include <array>

namespace ptxray::isa {

inline constexpr std::array factNames = std::to_array<Text>(
    {"ends",        "branches", "calls",    "copies",   "converged", "among",  "async",        "holds",
     "commits",     "waits",    "arrives",  "expects",  "completes", "awaits", "syncs",        "inits",
     "invalidates", "orders",   "releases", "acquires", "allocates", "frees",  "relinquishes", "ctas",
     "grows",       "shrinks",  "strong",   "per",      "elects",    "traces", "occupies",     "bounded",
     "multiplies",  "requests", "answers",  "presumes"});
inline constexpr std::array endNames = std::to_array<Text>({"function", "thread", "grid"});
inline constexpr std::array scopeNames = std::to_array<Text>({"lane", "warp", "warpgroup", "cta", "cluster", "grid"});
inline constexpr std::array enumeratedNames = std::to_array<Text>({"", "lanes", "threads"});
inline constexpr std::array proxyNames = std::to_array<Text>({"generic", "async", "tensormap"});
inline constexpr std::array orderedNames =
    std::to_array<Text>({"", "generic", "async", "tensormap", "registers", "barriers", "tcgen05"});
inline constexpr std::array operationNames =
    std::to_array<Text>({"mov", "add",  "sub",  "mul",  "mad",  "div", "rem",        "min",          "max",
                         "neg", "abs",  "not",  "and",  "or",   "xor", "shl",        "shr",          "bfe",
                         "bfi", "lop3", "popc", "selp", "setp", "cvt", "to-generic", "from-generic", "mapa"});
inline constexpr std::array accessNames =
    std::to_array<Text>({"", "names", "reads", "writes", "updates", "barrier", "tensormap"});
static_assert(factNames.size() == static_cast<size_t>(FactKind::Presumes) + 1);
static_assert(endNames.size() == static_cast<size_t>(End::Grid) + 1);
static_assert(scopeNames.size() == static_cast<size_t>(Scope::Grid) + 1);
static_assert(proxyNames.size() == static_cast<size_t>(Proxy::TensorMap) + 1);
static_assert(orderedNames.size() == static_cast<size_t>(Ordered::Tcgen05) + 1);
static_assert(operationNames.size() == static_cast<size_t>(Operation::Mapa) + 1);
static_assert(accessNames.size() == static_cast<size_t>(Access::TensorMap) + 1);

/// Returns the kind of operand as text; empty for values and registers, for which the type is more specific.
constexpr Text roleText(OperandRole role) {
  switch (role) {
  case OperandRole::Address: return "an address in brackets";
  case OperandRole::Predicate: return "a predicate";
  case OperandRole::Immediate: return "an integer constant";
  case OperandRole::Label: return "a label";
  case OperandRole::Function: return "the name of a function";
  case OperandRole::List: return "a list in parentheses";
  case OperandRole::Texture: return "a texture";
  case OperandRole::Sampler: return "a sampler";
  case OperandRole::Surface: return "a surface";
  case OperandRole::Symbol: return "a name";
  case OperandRole::Value:
  case OperandRole::Register: break;
  }
  return "";
}

/// The allowed names for the detail of a fact; empty if it has no detail.
struct DetailNames {
  const Text *first = nullptr;
  size_t count = 0;
  template <size_t n> static constexpr DetailNames of(const std::array<Text, n> &names) { return {names.data(), n}; }
};
constexpr DetailNames detailNames(FactKind kind) {
  switch (kind) {
  case FactKind::Ends: return DetailNames::of(endNames);
  case FactKind::Converged:
  case FactKind::Syncs:
  case FactKind::Arrives:
  case FactKind::Awaits:
  case FactKind::Per: return DetailNames::of(scopeNames);
  case FactKind::Async: return DetailNames::of(proxyNames);
  case FactKind::Orders: return DetailNames::of(orderedNames);
  default: return {};
  }
}

} // namespace ptxray::isa
