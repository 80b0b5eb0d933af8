// Stores the results of a recipe.
#include "Operate/Exactly.h"
#include "Operate/Lowering.h"
#include "Semantics/Operators.h"

namespace ptxray::machine {

using isa::StepOp;

/// Stores bits of a number in a register, extended according to the type.
void Lowering::storeTo(Place place, NodeId node, unsigned bits, bool isSigned) {
  if (!place.bits || node == noNode)
    return;
  const unsigned width = graph.at(node).bits;
  const auto lane = [](unsigned wide, bool withSign) {
    return wide == 16   ? (withSign ? Lane::S16 : Lane::U16)
           : wide == 32 ? (withSign ? Lane::S32 : Lane::U32)
           : wide == 64 ? (withSign ? Lane::S64 : Lane::U64)
                        : (withSign ? Lane::S128 : Lane::U128);
  };
  if (width == 1 || place.bits == 1) {
    hasFailed |= width != place.bits;
    graph.result(place, node);
  } else if (bits >= place.bits) {
    graph.result(place, width == place.bits ? node
                                            : graph.add(Code::Convert, lane(place.bits, false), node, noNode, noNode, 0,
                                                        lane(width, false)));
  } else if (bits == width) {
    graph.result(place,
                 graph.add(Code::Convert, lane(place.bits, false), node, noNode, noNode, 0, lane(width, isSigned)));
  } else {
    graph.result(place, graph.add(Code::Extract, lane(place.bits, isSigned), node, noNode, noNode, bits << 8,
                                  lane(width, false)));
  }
}

/// Returns an integer with at least the width of the type.
NodeId Lowering::toInteger(const Term &term, const ElementType &type, unsigned &width) {
  width = type.bits <= 16 ? 16 : type.bits <= 32 ? 32 : type.bits <= 64 ? 64 : 128;
  if (packed.count > 1)
    width = packed.bits;
  if (term.isTruth())
    return atWidth(numberOfTruth(term), width);
  if (!term.isFloat() || (term.isConstant && !term.value.isFloat())) {
    if (!term.isConstant && packed.count == 1 && term.width >= width)
      width = term.width;
    return atWidth(term, width);
  }
  if (term.isConstant)
    return graph.constant(width, storeElement(term.value, type));
  const Term a = settled(term);
  if (packed.count > 1 || !a.isFloat())
    return fail(noNode);
  if (type.bits >= 16 && a.format->width() >= 16 && a.format->width() != 19 && a.format != &numbers::tf32)
    return graph.add(Code::Convert, integerLane(width, type.isSigned()), a.node, noNode, noNode, 0,
                     floatLane(*a.format));
  auto work = std::make_shared<ExactWork>();
  work->types[0] = {ElementType::Kind::Float, static_cast<uint16_t>(a.format->width()), 1, a.format};
  work->count = 1;
  work->integer = type;
  const void *more = work.get();
  input.kept.push_back(std::move(work));
  return graph.call(computeExactly, more, width, {a.node, noNode, noNode});
}

NodeId Lowering::approximation(const RecipeResult &result, unsigned element) {
  const RecipeStep &step = recipe.steps[result.step];
  std::array<NodeId, 3> args = {noNode, noNode, noNode};
  if (packed.count > 1 || step.args.size() > 2 || !step.type.isFloat() || step.type.bits < 16)
    return fail(noNode);
  for (size_t i = 0; i < step.args.size(); ++i) {
    const Terms &all = terms[step.args[i]];
    const Term &arg = all[all.size() == 1 ? 0 : element];
    args[i] = arg.isConstant ? graph.constant(step.type.bits, arg.value.bits) : arg.isRaw ? arg.node : fail(noNode);
  }
  const Handler single = step.type.format == &numbers::f32 ? approximationOf(step.op, recipe.isFull) : nullptr;
  if (single)
    return graph.call(single, nullptr, 32, args, recipe.flushes);
  const Bits zeros[2] = {};
  if (!approximated(step, zeros, recipe.flushes, recipe.isFull))
    return fail(noNode);
  auto work = std::make_shared<ApproximateWork>(ApproximateWork{step, recipe.flushes, recipe.isFull});
  const void *more = work.get();
  input.kept.push_back(std::move(work));
  return graph.call(approximate, more, step.type.bits, args);
}

/// Returns the bits of an element in lanes of at least its width.
NodeId Lowering::storedBits(const RecipeResult &result, unsigned element, unsigned &width) {
  const ElementType &type = result.type;
  width = type.bits;
  if (result.isApproximate)
    return approximation(result, element);
  const Terms &all = terms[result.step];
  if (all.empty())
    return fail(noNode);
  const Term &term = all[all.size() == 1 ? 0 : element];
  if (term.kind == Term::Kind::Integer && !type.isFloat() && type.kind != ElementType::Kind::Truth)
    return toInteger(term, type, width);
  if (type.kind == ElementType::Kind::Truth) {
    width = 1;
    if (term.isTruth())
      return maskOf(term);
    return term.isFloat() ? fail(noNode) : maskOf(compared(StepOp::Unequal, term, Term::constant(Value())));
  }
  if (!type.isFloat())
    return toInteger(term, type, width);
  if (term.isConstant) {
    const bool keeps = term.value.hasBits && term.value.isFloat() && recipe.steps[result.step].type.bits == type.bits;
    const Bits code = keeps ? lowBits(term.value.bits, type.bits) : storeElement(term.value, type);
    Bits bits = code;
    for (unsigned i = 1; i < packed.count; ++i)
      bits |= code << type.bits * i;
    width = std::max<unsigned>(type.bits, 16);
    return graph.constant(width * packed.count, bits);
  }
  width = std::max<unsigned>(type.bits, 16);
  const Term number = term.isTruth() ? numberOfTruth(term) : term;
  if (number.isFloat() && number.format == type.format && !number.isPending())
    return number.node;
  return rounded(number, *type.format, numbers::Rounding::Nearest).node;
}

void Lowering::storeWhole(const RecipeResult &result) {
  const RecipeOperand &operand = recipe.operands[result.operand];
  const unsigned whole = result.type.bits * result.type.count;
  const Term &term = terms[result.step][0];
  if (term.kind != Term::Kind::Integer) {
    hasFailed = true;
    return;
  }
  const unsigned total = whole * operand.registers.size();
  const unsigned width = total <= 16 ? 16 : total <= 32 ? 32 : total <= 64 ? 64 : 128;
  const NodeId node = atWidth(term, std::max<unsigned>(width, term.isConstant ? 0 : term.width));
  if (node == noNode)
    return;
  for (size_t i = 0; i < operand.registers.size(); ++i) {
    const Place place = placeOf(operand.registers[i]);
    if (!place.bits)
      continue;
    const bool isSigned = result.type.isSigned() && result.type.count == 1;
    if (i == 0)
      storeTo(place, node, whole, isSigned);
    else if (whole < 8 || place.bits == 1)
      hasFailed = true;
    else
      graph.result(place, graph.add(Code::Extract, integerLane(place.bits, isSigned), node, noNode, noNode,
                                    (whole * i) | std::min<unsigned>(whole, place.bits) << 8,
                                    integerLane(graph.at(node).bits, false)));
  }
}

void Lowering::storeElements(const RecipeResult &result) {
  const RecipeOperand &operand = recipe.operands[result.operand];
  const ElementType &type = result.type;
  unsigned element = 0;
  for (const RecipeOperand::Register &reg : operand.registers) {
    const Place place = placeOf(reg);
    unsigned width = 0;
    if (packed.count > 1) {
      if (type.count != packed.count || type.bits != packed.bits)
        hasFailed = true;
      else
        storeTo(place, storedBits(result, element++, width), type.bits * type.count, false);
      continue;
    }
    if (type.count == 1) {
      storeTo(place, storedBits(result, element++, width), type.bits, type.isSigned());
      continue;
    }
    NodeId all = noNode;
    const unsigned total = type.bits * type.count, wide = total <= 16 ? 16 : total <= 32 ? 32 : total <= 64 ? 64 : 128;
    std::vector<NodeId> parts;
    for (unsigned i = 0; i < type.count && !hasFailed; ++i) {
      const NodeId bits = storedBits(result, element++, width);
      if (bits == noNode)
        return;
      ElementType part{ElementType::Kind::Unsigned, type.bits, 1, nullptr};
      parts.push_back(atWidth(piece(Term::integer(bits, graph.at(bits).bits, LaneRange::any()), part, 0),
                              type.count == 2 && type.bits >= 16 ? type.bits : wide));
    }
    if (hasFailed)
      return;
    if (type.count == 2 && type.bits >= 16) {
      all = graph.add(Code::Join, integerLane(wide, false), parts[0], parts[1]);
    } else {
      all = parts[0];
      for (unsigned i = 1; i < type.count; ++i)
        all =
            graph.add(Code::Or, integerLane(wide, false), all,
                      graph.add(Code::ShiftLeftBy, integerLane(wide, false), parts[i], noNode, noNode, type.bits * i));
    }
    storeTo(place, all, total, false);
  }
}

void Lowering::storeMemory(const RecipeResult &result) {
  for (const MemoryUse &use : input.writes)
    if (use.operand == result.operand && packed.count == 1) {
      for (unsigned i = 0; i < use.elements.size() && !hasFailed; ++i) {
        unsigned width = 0;
        if (terms[result.step].size() > 1 && i >= terms[result.step].size())
          hasFailed = true;
        else
          storeTo(use.elements[i], storedBits(result, i, width), std::max<unsigned>(result.type.bits, 16), false);
      }
      return;
    }
  hasFailed = true;
}

void Lowering::store(const RecipeResult &result) {
  current = result.step;
  storedFormat = result.type.format;
  switch (result.target) {
  case isa::FormulaTarget::Operand: return result.isWhole ? storeWhole(result) : storeElements(result);
  case isa::FormulaTarget::Memory: return storeMemory(result);
  case isa::FormulaTarget::Carry: {
    const Term &term = terms[result.step][0];
    if (term.isTruth())
      storeTo(input.carry, maskOf(term), 1, false);
    else
      hasFailed = true;
    return;
  }
  case isa::FormulaTarget::Nothing: return;
  }
}

} // namespace ptxray::machine
