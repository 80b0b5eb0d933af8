// Evaluates conditions. Each operation reads the words, the operands or the gates.
#include "Match/Evaluate.h"
#include "Match/TypeRules.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"

namespace ptxray {

using isa::Expr;
using isa::ExprId;
using isa::ExprOp;

bool inRange(const isa::ValueRange &range, int64_t value) {
  return value >= range.low && value <= range.high && (range.step <= 1 || (value - range.low) % range.step == 0);
}

bool inRanges(llvm::ArrayRef<isa::ValueRange> ranges, int64_t value) {
  return llvm::any_of(ranges, [value](const isa::ValueRange &range) { return inRange(range, value); });
}

static bool isImmediate(const Shape *shape) {
  if (shape && shape->kind == ShapeKind::Vector) // ptxas treats a vector that begins with a constant as a constant
    ++shape;
  return shape && isConstant(*shape);
}

static bool isSymbol(const Shape &shape, isa::OperandRole role) {
  return shape.kind == ShapeKind::Variable || shape.kind == ShapeKind::Function || shape.kind == ShapeKind::Label ||
         (shape.kind == ShapeKind::Special && role == isa::OperandRole::Address);
}

/// Evaluates a condition on words or operands that contains no other condition.
static bool evaluateLeaf(const FormView &view, const Expr &e) {
  const isa::Tables &t = isa::tables();
  auto listed = [&](isa::WordId word) { return word && llvm::is_contained(t.wordLists.slice(e.b, e.c), word); };
  switch (e.op) {
  case ExprOp::SlotIs: return listed(view.word(e.a));
  case ExprOp::SlotWritten: return view.word(e.a) != 0;
  case ExprOp::SlotsEqual: return view.word(e.a) == view.word(e.b);
  case ExprOp::WordWritten:
    return llvm::any_of(view.written.opcode.words, [&](const OpcodeWord &w) { return listed(w.id); }) ||
           llvm::any_of(llvm::seq<size_t>(0, view.slots.size()),
                        [&](size_t j) { return view.slotAt[j] < 0 && listed(view.slotWord[j]); });
  case ExprOp::Independent: return view.written.availability.module().independent;
  default: break;
  }
  const Shape *shape = view.operand(e.a);
  switch (e.op) {
  case ExprOp::OperandWritten: return shape != nullptr;
  case ExprOp::OperandIsImmediate: return isImmediate(shape);
  case ExprOp::OperandIsSymbol: return shape && isSymbol(*shape, view.operands[e.a].role);
  case ExprOp::OperandNegated: return shape && (shape->flags & ShapeNegated);
  case ExprOp::OperandHasOffset: return shape && (shape->flags & ShapeOffset);
  case ExprOp::OperandIn: return !shape || !isNumber(*shape) || inRanges(t.ranges.slice(e.b, e.c), shape->value);
  default: return true;
  }
}

// NOLINTNEXTLINE(misc-no-recursion): the tables are constant: no input nests their conditions
bool asksForUnknown(const FormView &view, ExprId condition) {
  if (!condition)
    return false;
  const isa::Tables &t = isa::tables();
  const Expr &e = t.exprs[condition];
  if (e.op == ExprOp::OperandIn) {
    const Shape *shape = view.operand(e.a);
    return shape && shape->kind == ShapeKind::Integer && !isNumber(*shape);
  }
  if (e.op == ExprOp::Not)
    return asksForUnknown(view, e.a);
  return (e.op == ExprOp::And || e.op == ExprOp::Or) &&
         // NOLINTNEXTLINE(misc-no-recursion): the tables are constant: no input nests their conditions
         llvm::any_of(t.exprArgs.slice(e.a, e.b), [&](ExprId part) { return asksForUnknown(view, part); });
}

// NOLINTNEXTLINE(misc-no-recursion): the tables are constant: no input nests their conditions
Truth evaluate(const FormView &view, ExprId condition, Assume assume) {
  if (!condition)
    return {};
  const isa::Tables &t = isa::tables();
  const Expr &e = t.exprs[condition];
  if (e.gateOnly)
    return {assume == Assume::GatesHold || view.written.availability.holds(condition), {}};
  switch (e.op) {
  case ExprOp::True:
  case ExprOp::Ptxas: return {};
  case ExprOp::Warn: return {true, {narrow<uint16_t>(e.a)}};
  case ExprOp::And: {
    Truth all;
    for (ExprId argument : t.exprArgs.slice(e.a, e.b)) {
      const Truth part = evaluate(view, argument, assume);
      if (!part.holds)
        return {false, {}};
      all.warnings.append(part.warnings.begin(), part.warnings.end());
    }
    return all;
  }
  case ExprOp::Or:
    for (ExprId argument : t.exprArgs.slice(e.a, e.b))
      if (Truth part = evaluate(view, argument, assume); part.holds)
        return part;
    return {false, {}};
  case ExprOp::Not: return {!holds(view, e.a, assume), {}};
  case ExprOp::Gate: return evaluate(view, t.gates[e.a].expr, assume);
  case ExprOp::PtxAtLeast:
  case ExprOp::Target: return {assume == Assume::GatesHold || view.written.availability.holds(condition), {}};
  default: return {evaluateLeaf(view, e), {}};
  }
}

} // namespace ptxray
