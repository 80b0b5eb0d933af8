#include "Generate/Blueprint.h"
#include "Generate/Registers.h"
#include "Semantics/Recipe.h"
#include "llvm/ADT/STLExtras.h"
#include <map>

namespace ptxray {

using isa::FactKind;
using isa::StepOp;
using llvm::StringRef;

namespace {

/// A sample, split into operands.
struct Draft {
  std::string opcode;
  std::vector<std::string> texts;         // texts of the operands
  std::vector<std::vector<Shape>> shapes; // for each operand, its shape and those of nested operands

  std::vector<Shape> all() const {
    std::vector<Shape> flat;
    for (const std::vector<Shape> &one : shapes)
      llvm::append_range(flat, one);
    return flat;
  }
  /// Returns the operand that contains a node.
  std::optional<unsigned> operandOf(int node) const {
    if (node < 0)
      return {};
    for (unsigned i = 0; i < shapes.size(); ++i) {
      if (node < static_cast<int>(shapes[i].size()))
        return i;
      node -= static_cast<int>(shapes[i].size());
    }
    return {};
  }
  void put(unsigned operand, StringRef text, const Shape &shape) {
    texts[operand] = text.str();
    shapes[operand] = {shape};
  }
};

} // namespace

static std::vector<std::string> operandTexts(StringRef text) {
  std::vector<std::string> texts;
  unsigned depth = 0;
  for (const char c : text.trim(" ;")) {
    depth += StringRef("[{(").contains(c);
    depth -= StringRef("]})").contains(c);
    if (texts.empty() || (c == ',' && depth == 0))
      texts.emplace_back();
    if (c != ',' || depth != 0)
      texts.back() += c;
  }
  for (std::string &one : texts)
    one = StringRef(one).trim().str();
  return texts;
}

static std::optional<Draft> draftOf(const Sample &sample) {
  Draft draft{sample.opcode, operandTexts(StringRef(sample.text).drop_front(sample.opcode.size())), {}};
  const llvm::ArrayRef<Shape> all = sample.shapes;
  for (size_t at = 0; at < all.size(); at += std::max<size_t>(all[at].extent, 1))
    draft.shapes.emplace_back(all.slice(at, all[at].extent).vec());
  return draft.texts.size() == draft.shapes.size() ? std::optional(std::move(draft)) : std::nullopt;
}

static Shape constantShape(int64_t value) {
  Shape shape;
  shape.kind = ShapeKind::Integer;
  shape.value = value;
  return shape;
}

static Shape registerShape(StringRef type) {
  Shape shape;
  shape.kind = ShapeKind::Register;
  shape.type = isa::findWord(type);
  return shape;
}

/// Returns whether the value of a special register depends only on the launch.
static bool isOfLaunch(StringRef name) {
  return llvm::is_contained({"%tid", "%ntid", "%ctaid", "%nctaid", "%laneid"}, name) || name.starts_with("%lanemask_");
}

/// Returns whether all names in an operand are registers of programs, or special registers that depend only on the
/// launch.
static bool hasKnownNames(StringRef text) {
  bool isKnown = true;
  withNames(text, [&](StringRef name) {
    const bool isComponent = llvm::is_contained({"x", "y", "z", "w"}, name);
    isKnown &=
        findRegister(name) || isOfLaunch(name) || name == "_" || isComponent || name == policyName || name == keptName;
    return name.str();
  });
  return isKnown;
}

/// Returns whether ptxas may contract the instruction, because it has no rounding qualifier.
static bool leavesRounding(const FormMatch &match) {
  const isa::WordId nearest = isa::findWord(".rn");
  for (unsigned i = 0; i < match.slots.size(); ++i) {
    const isa::Slot &slot = match.slots[i];
    if (slot.optional && !slot.literal && !match.isWritten(i) &&
        llvm::any_of(isa::run(isa::tables().slotValues, slot.values),
                     [&](const isa::SlotValue &value) { return value.word == nearest; }))
      return true;
  }
  return false;
}

/// Returns whether the instruction reads memory that must not change during the grid.
static bool readsUnchanging(StringRef spelling) {
  return spelling.contains(".nc") || spelling.contains(".proxy::readonly");
}

/// Returns whether the instruction reads from an address that must be uniform.
static bool readsUniformly(StringRef spelling) { return spelling.split('.').first == "ldu"; }

/// Returns whether the instruction is a scalar video instruction. ptxas implements these differently from the manual
/// (docs/reference/device-report.md).
static bool isVideoOfScalars(StringRef spelling) {
  return llvm::is_contained({"vadd", "vsub", "vabsdiff", "vmin", "vmax", "vshl", "vshr", "vmad", "vset"},
                            spelling.split('.').first);
}

/// Returns whether generic addresses of the instruction must refer to global memory.
static bool isForGlobalAlone(StringRef spelling) {
  return spelling.contains(".mmio") || spelling.contains(".L1::") || spelling.contains(".L2::");
}

/// Returns whether the manual does not specify which thread holds which element of a fragment, so that only loads and
/// stores of the same kind agree.
static bool hasOpenFragments(StringRef spelling) { return spelling.starts_with("wmma."); }

/// Assigns distinct registers to the result operands. Returns nothing if there are not enough registers.
static std::optional<std::string> withDifferentRegisters(StringRef result) {
  std::map<StringRef, unsigned> used;
  bool isEnough = true;
  std::string text = withNames(result, [&](StringRef name) {
    const GeneratedRegister *found = findRegister(name);
    if (!found)
      return name.str();
    std::string other = found->family + std::to_string(used[found->family]++);
    isEnough &= findRegister(other) != nullptr;
    return other;
  });
  return isEnough ? std::optional(std::move(text)) : std::nullopt;
}

/// Returns whether a constant differs in width from the computation, such as `0d...` for a 32-bit operation.
static bool hasOddConstant(const Draft &draft) {
  const StringRef spelling = draft.opcode;
  return llvm::any_of(draft.texts, [&](StringRef text) {
    return (text.contains("0d") && !spelling.contains("64")) || (text.contains("0f") && !spelling.contains("32"));
  });
}

/// Returns whether a result may be a NaN that the manual does not specify. With two 64-bit NaNs, the result may be
/// either one, because ptxas may swap the operands. The sign of a NaN is also unspecified.
static bool passesOpenNan(const Recipe &recipe) {
  return llvm::any_of(recipe.results, [&](const RecipeResult &result) {
    const auto isSource = [&](const RecipeOperand &one) {
      return &one != &recipe.operands[result.operand] && one.type.isFloat() && one.type.bits == 64;
    };
    const StepOp last = recipe.steps[result.step].op;
    if (!result.type.isFloat())
      return false;
    const bool isOfSign = last == StepOp::Negate || last == StepOp::Absolute;
    if (result.type.bits == 64)
      return isOfSign || result.target == isa::FormulaTarget::Memory || llvm::count_if(recipe.operands, isSource) > 1;
    return result.type.bits == 32 && (isOfSign || last == StepOp::Flushed);
  });
}

/// Returns whether the results are known, deterministic and exact.
static bool isWellDefined(const Recipe &recipe, bool isJoint) {
  static constexpr StepOp never[] = {StepOp::Undefined, StepOp::Active, StepOp::CarryOf, StepOp::Carry,
                                     StepOp::RoundRandom};
  static constexpr StepOp amongLanes[] = {StepOp::Lane, StepOp::Leader, StepOp::Everyone, StepOp::Fold, StepOp::At};
  if (!recipe.refusal.empty() || llvm::any_of(recipe.results, [](const auto &one) { return one.isApproximate; }))
    return false;
  return llvm::none_of(recipe.steps, [&](const RecipeStep &step) {
    return llvm::is_contained(never, step.op) || (!isJoint && llvm::is_contained(amongLanes, step.op));
  });
}

/// Returns whether the order of several threads' updates does not matter: the update is one integer operation on memory
/// and a value.
static bool commutes(const Recipe &recipe) {
  static constexpr StepOp orderless[] = {StepOp::Add, StepOp::And,     StepOp::Or,
                                         StepOp::Xor, StepOp::Minimum, StepOp::Maximum};
  for (const RecipeResult &result : recipe.results)
    if (result.target == isa::FormulaTarget::Memory) {
      const RecipeStep &step = recipe.steps[result.step];
      if (!llvm::is_contained(orderless, step.op) || step.args.size() != 2 || result.type.isFloat() ||
          step.type.isFloat() || step.type.count != 1)
        return false;
      const StepOp first = recipe.steps[step.args[0]].op, second = recipe.steps[step.args[1]].op;
      if (first != StepOp::Memory || second != StepOp::Operand)
        return false;
    }
  return true;
}

/// Returns the region for a generic address, according to the spaces that could be written instead.
static Region genericRegion(const FormMatch &match, int node, StringRef spelling) {
  const isa::Tables &t = isa::tables();
  bool isGlobal = false, isShared = false;
  for (unsigned i = 0; i < match.operands.size(); ++i)
    for (const isa::SpaceRef &ref : isa::run(t.spaceRefs, match.operands[i].spaces)) {
      if (match.nodeOf[i] != node || ref.kind != isa::RefKind::Slot)
        continue;
      for (const isa::SlotValue &value : isa::run(t.slotValues, match.slots[ref.index].values)) {
        const StringRef space = isa::word(isa::wholeSpace(value.word)).text();
        isGlobal |= space == ".global";
        isShared |= space == ".shared";
      }
    }
  if (isGlobal == isShared)
    return isForGlobalAlone(spelling) ? Region::Global : Region::Generic;
  return isShared ? Region::GenericShared : Region::Global;
}

static std::optional<Region> regionOf(const Access &access, const FormMatch &match, StringRef spelling) {
  if (readsUnchanging(spelling))
    return Region::Input;
  if (readsUniformly(spelling))
    return Region::Uniform;
  if (!access.space)
    return genericRegion(match, access.node, spelling);
  const StringRef space = isa::word(isa::wholeSpace(access.space)).text();
  static constexpr std::pair<llvm::StringLiteral, Region> regions[] = {{".global", Region::Global},
                                                                       {".shared", Region::Shared},
                                                                       {".local", Region::Local},
                                                                       {".const", Region::Constant}};
  for (const auto &[name, region] : regions)
    if (name == space)
      return region;
  return {};
}

/// Replaces the address of an access by `[%base+0]`, using a register of programs.
static std::optional<BlueprintMemory> withOpenAddress(Draft &draft, const Facts &facts, const FormMatch &match) {
  if (facts.accesses.size() != 1)
    return {};
  const Access &access = facts.accesses.front();
  const std::optional<unsigned> operand = draft.operandOf(access.node);
  const std::optional<Region> region = regionOf(access, match, draft.opcode);
  if (!operand || !region || !access.bytes || access.isLeast || access.isDescribed ||
      !(access.reads() || access.writes()))
    return {};
  std::vector<Shape> &shapes = draft.shapes[*operand];
  const StringRef text = draft.texts[*operand];
  if (shapes.size() != 2 || shapes[0].suffix || shapes[0].kind != ShapeKind::Address || !text.starts_with("[") ||
      !text.contains(']'))
    return {};
  BlueprintMemory memory;
  memory.operand = *operand;
  memory.after = text.substr(text.rfind(']')).str();
  memory.region = *region;
  memory.bytes = access.bytes;
  memory.align = std::max<unsigned>(access.align, 1);
  memory.reads = access.reads();
  memory.writes = access.writes();
  const uint16_t suffix = shapes[1].suffix;
  shapes[1] = registerShape(*region == Region::Shared ? ".b32" : ".b64");
  shapes[1].suffix = suffix;
  shapes[1].flags |= ShapeOffset;
  shapes[1].value = memory.align;
  draft.texts[*operand] = "[]";
  return memory;
}

/// Fills in operands with required values: masks of all lanes, barriers, policies, metadata of sparse matrices.
static bool fillIn(Draft &draft, Blueprint &made, const Judged &judged, const Recipe &recipe) {
  const FormMatch &match = *judged.match;
  const auto node = [&](int operand) { return operand < 0 ? -1 : match.nodeOf[static_cast<unsigned>(operand)]; };
  for (const Action &action : judged.facts.actions) {
    if (action.kind == FactKind::Among) {
      const std::optional<unsigned> mask = draft.operandOf(action.node);
      if (!mask)
        return false;
      draft.put(*mask, "-1", constantShape(-1));
    }
    if (action.kind == FactKind::Syncs && action.scope() == isa::Scope::Cta) {
      const std::optional<unsigned> which = draft.operandOf(action.which), amount = draft.operandOf(action.amount);
      if (which) {
        made.barrier = static_cast<int>(*which);
        draft.put(*which, "0", constantShape(0));
      }
      if (amount) {
        made.threads = static_cast<int>(*amount);
        draft.put(*amount, "32", constantShape(32));
      }
    }
  }
  if (const auto policy = match.findOperand("cache-policy"))
    if (const auto operand = draft.operandOf(match.nodeOf[*policy]))
      draft.put(*operand, policyName, registerShape(".b64"));
  if (const auto metadata = draft.operandOf(node(recipe.product.metadata)))
    draft.put(*metadata, keptName, registerShape(".b32"));
  return true;
}

static Judged judgedOf(const Draft &draft, const std::vector<Shape> &shapes, const Availability &availability) {
  return judge({Opcode(draft.opcode), shapes, availability});
}

/// Returns the family of an instruction, or nothing if programs must not use it.
static std::optional<Family> familyOf(const Judged &judged, const Recipe &recipe) {
  const Facts &facts = judged.facts;
  constexpr FactKinds allowed = bitOf(FactKind::Copies) | bitOf(FactKind::Converged) | bitOf(FactKind::Among) |
                                bitOf(FactKind::Syncs) | bitOf(FactKind::Releases) | bitOf(FactKind::Acquires) |
                                bitOf(FactKind::Strong) | bitOf(FactKind::Per) | bitOf(FactKind::Occupies) |
                                bitOf(FactKind::Multiplies);
  if (!facts.known || facts.kinds & ~allowed || !facts.ranges.empty())
    return {};
  bool isJoint = false, isBarrier = false;
  for (const Action &action : facts.actions) {
    isJoint |=
        action.kind == FactKind::Among || (action.kind == FactKind::Converged && action.scope() == isa::Scope::Warp);
    isBarrier |= action.kind == FactKind::Syncs && action.scope() == isa::Scope::Cta;
    if (action.kind == FactKind::Converged && action.scope() > isa::Scope::Warp)
      return {};
  }
  if (isBarrier)
    return facts.accesses.empty() ? std::optional(Family::Barriers) : std::nullopt;
  if (isJoint)
    return recipe.product.function || recipe.move.function || !facts.accesses.empty() ? Family::Matrices : Family::Warp;
  if (facts.accesses.empty()) {
    const bool isPlain = !recipe.results.empty() && !(facts.noted & (NotedNumber | NotedOther));
    return isPlain ? std::optional(Family::Compute) : std::nullopt;
  }
  return facts.accesses.front().kind == isa::Access::Updates ? Family::Atomics : Family::Memory;
}

std::optional<Blueprint> blueprintOf(const Sample &sample, const Availability &availability) {
  std::optional<Draft> draft = draftOf(sample);
  if (!sample.accepted || !draft || hasOpenFragments(sample.opcode) || isVideoOfScalars(sample.opcode))
    return {};
  Judged judged = judgedOf(*draft, sample.shapes, availability);
  if (!judged.isAccepted() || !judged.match)
    return {};
  const Opcode opcode(draft->opcode);
  Blueprint made;
  if (!fillIn(*draft, made, judged, recipeOf({opcode, sample.shapes, availability}, *judged.match)))
    return {};
  if (!judged.facts.accesses.empty()) {
    made.memory = withOpenAddress(*draft, judged.facts, *judged.match);
    if (!made.memory)
      return {};
  }
  for (unsigned i = 0; i < draft->texts.size(); ++i)
    if (!hasKnownNames(draft->texts[i]) || (StringRef(draft->texts[i]).starts_with("[") && !made.memory))
      return {};
  if (!draft->texts.empty() && !StringRef(draft->texts[0]).starts_with("[")) {
    const std::optional<std::string> result = withDifferentRegisters(draft->texts[0]);
    if (!result)
      return {};
    draft->texts[0] = *result;
  }
  // The filled-in text is checked without further changes.
  const std::vector<Shape> shapes = draft->all();
  judged = judgedOf(*draft, shapes, availability);
  if (!judged.findings.empty() || !judged.match || leavesRounding(*judged.match))
    return {};
  const Recipe recipe = recipeOf({opcode, shapes, availability}, *judged.match);
  const std::optional<Family> family = familyOf(judged, recipe);
  if (!family)
    return {};
  made.family = *family;
  made.isCommon = judged.facts.computation.isKnown;
  made.isJoint = *family == Family::Warp || *family == Family::Matrices || *family == Family::Barriers;
  if (*family != Family::Barriers && !isWellDefined(recipe, made.isJoint))
    return {};
  made.passesNan = passesOpenNan(recipe);
  if ((made.passesNan && *family != Family::Compute) || hasOddConstant(*draft))
    return {};
  made.resultBits = recipe.results.empty() ? 0 : recipe.results.front().type.bits;
  if (made.memory) {
    made.memory->crossesLanes = made.isJoint;
    made.memory->hasResult =
        llvm::any_of(recipe.results, [](const RecipeResult &one) { return one.target == isa::FormulaTarget::Operand; });
    const bool mayDiscard = judged.match->operands[0].rules & isa::SinkAllowed;
    made.memory->commutes = *family == Family::Atomics && commutes(recipe) && (!made.memory->hasResult || mayDiscard);
  }
  made.opcode = std::move(draft->opcode);
  made.operands = std::move(draft->texts);
  return made;
}

} // namespace ptxray
