// Matches the written operands with the operand list of a form: brackets, braces, pairs and optional operands. Types
// are not considered yet.
#include "Match/Bind.h"
#include "Match/Describe.h"
#include "Match/Wording.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace ptxray {

using isa::Pattern;
using isa::PatternKind;

namespace {

class Binder {
public:
  explicit Binder(const FormView &view)
      : view(view), patterns(isa::run(isa::tables().patterns, view.form().patterns)), shapes(view.written.shapes) {
    current.nodeOf.assign(view.operands.size(), -1);
  }

  llvm::SmallVector<Binding, 2> best() {
    for (allowed = 0; results.empty() && allowed <= most; ++allowed)
      list(0, patterns.size(), 0, shapes.size(), [&] { results.push_back(current); });
    if (results.empty()) {
      allowed = 0;
      compare(0, patterns.size(), 0, shapes.size());
      results.push_back(current);
    }
    return std::move(results);
  }

private:
  using Next = llvm::function_ref<void()>;
  static constexpr unsigned most = 3;     // maximum number of mismatches; beyond it, the lists have nothing in common
  static constexpr unsigned enough = 256; // maximum number of bindings

  /// If nothing matches, reports operands at the same position, and the first missing or superfluous operands.
  // NOLINTNEXTLINE(misc-no-recursion): each step takes a pattern of the form or one of three misfits
  void compare(unsigned p, unsigned pEnd, unsigned n, unsigned nEnd) {
    auto add = [&](int pattern, int node) {
      if (current.misfits.size() <= most)
        current.misfits.push_back({narrow<int16_t>(pattern), narrow<int16_t>(node)});
    };
    for (; p < pEnd && n < nEnd; p += patterns[p].extent, n += shapes[n].extent) {
      bool fits = false;
      bindOne(p, n, [&] { fits = true; });
      if (!fits && isSameBracket(patterns[p].kind, shapes[n].kind))
        compare(p + 1, p + patterns[p].extent, n + 1, n + shapes[n].extent);
      else if (!fits)
        add(p, n);
    }
    for (; p < pEnd; p += patterns[p].extent)
      add(p, -1);
    for (; n < nEnd; n += shapes[n].extent)
      add(-1, n);
  }

  static bool isSameBracket(PatternKind pattern, ShapeKind shape) {
    return (pattern == PatternKind::Address && shape == ShapeKind::Address) ||
           (pattern == PatternKind::Vector && shape == ShapeKind::Vector) ||
           (pattern == PatternKind::List && shape == ShapeKind::List);
  }

  void recordMisfit(int pattern, int node, Next next) {
    if (current.misfits.size() >= allowed)
      return;
    current.misfits.push_back({narrow<int16_t>(pattern), narrow<int16_t>(node)});
    next();
    current.misfits.pop_back();
  }

  // NOLINTNEXTLINE(misc-no-recursion): each step takes a pattern of the form or one of three misfits
  void list(unsigned p, unsigned pEnd, unsigned n, unsigned nEnd, Next next) {
    if (results.size() >= enough)
      return;
    const unsigned pNext = p < pEnd ? p + patterns[p].extent : p;
    const unsigned nNext = n < nEnd ? n + shapes[n].extent : n;
    if (p == pEnd && n == nEnd)
      return next();
    if (p < pEnd && n < nEnd) {
      bindOne(p, n, [&] { list(pNext, pEnd, nNext, nEnd, next); });
      if (isOpen(p, n))
        bindAcrossBrackets(p, pEnd, n, nEnd, next);
      else if (isPair(p, n))
        list(p + 1, pNext, n + 1, second(n), [&] { list(pNext, pEnd, second(n), nEnd, next); });
    }
    if (p < pEnd) {
      // NOLINTNEXTLINE(misc-no-recursion): each step takes a pattern of the form or one of three misfits
      auto skip = [&] { list(pNext, pEnd, n, nEnd, next); };
      if (patterns[p].optional && patterns[p].kind != PatternKind::Pair)
        skip();
      else
        recordMisfit(p, -1, skip);
    }
    if (n < nEnd)
      recordMisfit(-1, n, [&] { list(p, pEnd, nNext, nEnd, next); });
  }

  /// Returns the number of elements within the brackets.
  unsigned inside(unsigned n) const {
    unsigned count = 0;
    for (unsigned at = n + 1; at < n + shapes[n].extent; at += shapes[at].extent)
      ++count;
    return count;
  }

  unsigned second(unsigned n) const { return n + 1 + shapes[n + 1].extent; }

  /// Returns whether ptxas ignores the end of the brackets: after the name of a texture or surface, and a single
  /// register.
  bool isOpen(unsigned p, unsigned n) const {
    return patterns[p].kind == PatternKind::Address && shapes[n].kind == ShapeKind::Address && inside(n) >= 2 &&
           isOpaque(view.operands[patterns[p + 1].operand].role) && shapes[second(n)].kind != ShapeKind::Vector;
  }

  /// Returns whether `[a, b]` or `[a, b, c]` may stand for `[a], b, c`, if the brackets of `a` are optional.
  bool isPair(unsigned p, unsigned n) const {
    if (patterns[p].kind != PatternKind::Address || patterns[p].extent != 2 || shapes[n].kind != ShapeKind::Address ||
        !(view.operands[patterns[p + 1].operand].rules & isa::BareAllowed))
      return false;
    return inside(n) == 2 || (inside(n) == 3 && shapes[second(n)].kind != ShapeKind::Vector);
  }

  /// Accepts `[a, b], c` for `[a, b, c]`, and the reverse.
  // NOLINTNEXTLINE(misc-no-recursion): each step takes a pattern of the form or one of three misfits
  void bindAcrossBrackets(unsigned p, unsigned pEnd, unsigned n, unsigned nEnd, Next next) {
    const unsigned pNext = p + patterns[p].extent, nNext = n + shapes[n].extent;
    if (inside(n) == 2 && nNext < nEnd) {
      for (unsigned c = p + 3; c < pNext; ++c)
        list(p + 1, c, n + 1, nNext,
             [&] { bindOne(c, nNext, [&] { list(pNext, pEnd, nNext + shapes[nNext].extent, nEnd, next); }); });
    } else if (inside(n) == 3) {
      const unsigned third = second(n) + shapes[second(n)].extent;
      list(p + 1, pNext, n + 1, third, [&] { list(pNext, pEnd, third, nEnd, next); });
    }
  }

  // NOLINTNEXTLINE(misc-no-recursion): each step takes a pattern of the form or one of three misfits
  void bindOne(unsigned p, unsigned n, Next next) {
    const Pattern &pattern = patterns[p];
    const Shape &shape = shapes[n];
    const bool suffixed = shape.suffix != 0;
    if (!suffixed || pattern.suffixSlot < 0) {
      if (suffixed && shape.kind == ShapeKind::Address)
        return recordMisfit(p, n, next);
      if (!suffixed && pattern.suffixSlot >= 0 && !view.slots[pattern.suffixSlot].optional)
        return recordMisfit(p, n, next);
      return inner(p, n, next);
    }
    current.suffixes.push_back({narrow<uint16_t>(pattern.suffixSlot), narrow<int16_t>(n)});
    inner(p, n, next);
    current.suffixes.pop_back();
  }

  // NOLINTNEXTLINE(misc-no-recursion): each step takes a pattern of the form or one of three misfits
  void inner(unsigned p, unsigned n, Next next) {
    const Pattern &pattern = patterns[p];
    const Shape &shape = shapes[n];
    const unsigned pEnd = p + pattern.extent, nEnd = n + shape.extent;
    if (shape.kind == ShapeKind::Unknown && pattern.kind != PatternKind::Operand)
      return next();
    switch (pattern.kind) {
    case PatternKind::Operand:
      if (discardsSecond(pattern, n))
        return bind(pattern.operand, n + 1, next);
      if (fitsOperand(pattern, shape))
        return bind(pattern.operand, n, next);
      break;
    case PatternKind::Address:
      if (shape.kind == ShapeKind::Address)
        return list(p + 1, pEnd, n + 1, nEnd, next);
      if (pattern.extent == 2 && patterns[p + 1].kind == PatternKind::Operand &&
          mayBeBare(view.operands[patterns[p + 1].operand], shape))
        return bindOne(p + 1, n, next);
      break;
    case PatternKind::Vector:
      if (shape.kind == ShapeKind::Vector)
        return list(p + 1, pEnd, n + 1, nEnd, next);
      break;
    case PatternKind::List:
      if (shape.kind != ShapeKind::List)
        break;
      // One name may represent any number of elements, which the form does not restrict.
      if (pattern.extent == 2 && patterns[p + 1].kind == PatternKind::Operand)
        return bind(patterns[p + 1].operand, n, next);
      return list(p + 1, pEnd, n + 1, nEnd, next);
    case PatternKind::Pair:
      if (pattern.optional && discardsSecond(patterns[p + 1], n))
        return bindOne(p + 1, n + 1, next);
      if (shape.kind == ShapeKind::Pair) {
        const unsigned second = n + 1 + shapes[n + 1].extent;
        return bindOne(p + 1, n + 1, [&] { bindOne(p + 1 + patterns[p + 1].extent, second, next); });
      }
      if (pattern.optional)
        return bindOne(p + 1, n, next);
      break;
    }
    recordMisfit(p, n, next);
  }

  static bool mayBeBare(const isa::OperandDecl &address, const Shape &shape) {
    const bool indexed = shape.flags & ShapeSubscript;
    const bool named = shape.kind == ShapeKind::Register || shape.kind == ShapeKind::Variable;
    const bool untyped = address.type.kind == isa::RefKind::None && shape.kind == ShapeKind::Float;
    return (address.rules & isa::BareAllowed && (named || untyped)) ||
           (address.rules & isa::SinkAllowed && shape.kind == ShapeKind::Sink) ||
           (address.rules & isa::Subscript && indexed);
  }

  /// Returns whether `d|_` is written for `d`, as is allowed in every instruction.
  bool discardsSecond(const Pattern &result, unsigned n) const {
    return shapes[n].kind == ShapeKind::Pair && shapes[n + 1].kind == ShapeKind::Register &&
           shapes[n + 1 + shapes[n + 1].extent].kind == ShapeKind::Sink &&
           (view.operands[result.operand].rules & isa::Destination);
  }

  bool fitsOperand(const Pattern &pattern, const Shape &shape) const {
    switch (shape.kind) {
    case ShapeKind::Address:
    case ShapeKind::Pair: return false;
    case ShapeKind::List: return view.operands[pattern.operand].role == isa::OperandRole::List;
    case ShapeKind::Register: // distinguishes optional operands before a predicate from those after it
      return !(view.operands[pattern.operand].rules & isa::Vec) ||
             viewType(shape.type).kind != isa::TypeKind::Predicate;
    default: return true;
    }
  }

  void bind(unsigned operand, unsigned node, Next next) {
    const int16_t before = current.nodeOf[operand];
    current.nodeOf[operand] = narrow<int16_t>(node);
    next();
    current.nodeOf[operand] = before;
  }

  const FormView &view;
  llvm::ArrayRef<Pattern> patterns;
  llvm::ArrayRef<Shape> shapes;
  unsigned allowed = 0;
  Binding current;
  llvm::SmallVector<Binding, 2> results;
};

const char *patternName(PatternKind kind) {
  switch (kind) {
  case PatternKind::Operand: return "an operand without brackets";
  case PatternKind::Address: return "an address in brackets";
  case PatternKind::Vector: return "a vector";
  case PatternKind::List: return "a list in parentheses";
  case PatternKind::Pair: return "a pair";
  }
  return "";
}

} // namespace

const char *shapeName(ShapeKind kind) {
  switch (kind) {
  case ShapeKind::Register: return "a register";
  case ShapeKind::Special: return "a special register";
  case ShapeKind::Variable: return "a variable";
  case ShapeKind::Label: return "a label";
  case ShapeKind::Function: return "a function";
  case ShapeKind::Prototype: return "a prototype";
  case ShapeKind::Integer: return "an integer";
  case ShapeKind::Float: return "a floating-point constant";
  case ShapeKind::Sink: return "`_`";
  case ShapeKind::Vector: return "a vector";
  case ShapeKind::Address: return "an address in brackets";
  case ShapeKind::List: return "a list in parentheses";
  case ShapeKind::Pair: return "a pair";
  case ShapeKind::Unknown: return "an unknown name";
  case ShapeKind::Invalid: return "no value";
  }
  return "";
}

llvm::SmallVector<Binding, 2> bindOperands(const FormView &view) { return Binder(view).best(); }

/// Reports an operand of the wrong shape; perhaps only brackets are missing or superfluous.
static void reportShape(const Shape &shape, const Pattern &pattern, FindingPlace place, Judgement &judgement) {
  Finding &f = judgement.report(Phase::Shape, DiagId::OperandShape, place, textThere, shapeName(shape.kind),
                                patternName(pattern.kind));
  if (pattern.kind == PatternKind::Address && shape.extent == 1 && !(shape.flags & ShapeSubscript))
    f.remedy = {Remedy::AddBrackets, 0, "["};
  if (pattern.kind == PatternKind::Operand && shape.kind == ShapeKind::Address) {
    f.notes.push_back("use `ld` to read memory and `st` to write it");
    if (shape.extent == 2)
      f.remedy = {Remedy::RemoveBrackets, 0, ""};
  }
}

/// Returns the number of operands that a form requires, and whether the form allows more.
static std::pair<unsigned, bool> countRequired(llvm::ArrayRef<Pattern> patterns) {
  unsigned required = 0;
  bool hasOptional = false;
  for (unsigned p = 0; p < patterns.size(); p += patterns[p].extent) {
    const bool isOptional = patterns[p].optional && patterns[p].kind != PatternKind::Pair;
    required += !isOptional;
    hasOptional |= isOptional;
  }
  return {required, hasOptional};
}

/// Reports missing operands: several in one report, or one within brackets.
static void reportMissing(const FormView &view, Binding::Misfit misfit, Judgement &judgement) {
  const std::string instruction = quote(view.written.opcode.mnemonic->text());
  const auto patterns = isa::run(isa::tables().patterns, view.form().patterns);
  unsigned at = misfit.pattern;
  while (patterns[at].kind != PatternKind::Operand)
    ++at;
  const isa::OperandDecl &declared = view.operands[patterns[at].operand];
  const bool mayBeSink = declared.rules & isa::SinkAllowed && declared.rules & isa::Destination;
  const std::string what = operandKind(view, patterns[at].operand) + (mayBeSink ? " or `_`" : "") + ", `" +
                           std::string(declared.name()) + "` in the form";
  const auto known = llvm::find_if(
      judgement.findings, [](const Finding &f) { return f.id == DiagId::MissingOperand && f.phase == Phase::Shape; });
  if (known != judgement.findings.end()) {
    judgement.weigh(Phase::Shape);
    known->notes.push_back("missing: " + what);
    return;
  }
  const auto [required, hasOptional] = countRequired(patterns);
  unsigned found = 0;
  const auto &shapes = view.written.shapes;
  for (unsigned n = 0; n < shapes.size(); n += shapes[n].extent)
    ++found;
  const std::string expected = found < required
                                   ? std::string(hasOptional ? "at least " : "") + std::to_string(required) +
                                         (required == 1 ? " operand" : " operands") + ", found " + std::to_string(found)
                                   : "one more operand";
  judgement.report(Phase::Shape, DiagId::MissingOperand, placeBefore(view, patterns[at].operand), instruction, expected)
      .notes.push_back("missing: " + what);
}

static void reportMisfit(const FormView &view, Binding::Misfit misfit, Judgement &judgement) {
  const std::string instruction(view.written.opcode.mnemonic->text());
  const auto patterns = isa::run(isa::tables().patterns, view.form().patterns);
  if (misfit.node < 0)
    return reportMissing(view, misfit, judgement);
  const FindingPlace place = FindingPlace::at(FindingPlace::Operand, misfit.node);
  if (misfit.pattern < 0) {
    judgement.report(Phase::Shape, DiagId::ExtraOperand, place, textThere, "`" + instruction + "`");
  } else {
    const Shape &shape = view.written.shapes[misfit.node];
    const Pattern &pattern = patterns[misfit.pattern];
    if (shape.kind == ShapeKind::Pair)
      judgement.report(Phase::Shape, DiagId::UnexpectedPair, place, textThere, instruction);
    else if (pattern.kind == PatternKind::Pair)
      judgement.report(Phase::Shape, DiagId::PairExpected, place, textThere, instruction);
    else if (shape.suffix && shape.kind == ShapeKind::Address)
      judgement.report(Phase::Shape, DiagId::UnexpectedSelector, place, textThere);
    else
      reportShape(shape, pattern, place, judgement);
  }
}

void applyBinding(FormView &view, const Binding &binding, Judgement &judgement) {
  view.nodeOf.assign(binding.nodeOf.begin(), binding.nodeOf.end());
  const isa::Tables &t = isa::tables();
  for (auto [slot, node] : binding.suffixes) {
    const isa::WordId suffix = view.written.shapes[node].suffix;
    const bool known = llvm::any_of(isa::run(t.slotValues, view.slots[slot].values),
                                    [&](const isa::SlotValue &v) { return v.word == suffix; });
    if (known) {
      view.slotWord[slot] = suffix;
      view.slotAt[slot] = narrow<int16_t>(-1 - node);
    } else {
      const FindingPlace place = FindingPlace::at(FindingPlace::Suffix, node);
      judgement.report(Phase::Shape, DiagId::IllegalSelector, place, textThere);
    }
  }
  for (Binding::Misfit misfit : binding.misfits)
    reportMisfit(view, misfit, judgement);
}

} // namespace ptxray
