// Replaces several nodes by one that computes the same.
#include "Operate/Graph.h"

namespace ptxray::machine {

// NOLINTBEGIN(misc-no-recursion): a simplified node is added again, made of existing nodes.

bool TermGraph::isOperation(NodeId node, Code code) const {
  return node != noNode && nodes[node].kind == Node::Kind::Operation && nodes[node].code == code;
}

/// Returns the lane type of the wide width with the signedness of the narrow one.
static Lane withSignOf(Lane wide, Lane narrow) {
  if (narrow != Lane::S16 && narrow != Lane::S32 && narrow != Lane::S64)
    return wide;
  return wide == Lane::U32 ? Lane::S32 : wide == Lane::U64 ? Lane::S64 : wide == Lane::U128 ? Lane::S128 : wide;
}
static bool isInteger(Lane type) { return type != Lane::Mask && type < Lane::F16; }

bool TermGraph::isWidened(NodeId node) const {
  return isOperation(node, Code::Convert) && nodes[node].type == Lane::U64 && nodes[node].from == Lane::U32;
}

/// Shifts two 32-bit registers as one 64-bit number.
NodeId TermGraph::funnel(NodeId shifted, unsigned first) {
  const Node node = nodes[shifted];
  const auto isPair = [&](NodeId one) { return isOperation(one, Code::Join) && nodes[one].type == Lane::U64; };
  if (isPair(shifted) && first)
    return add(Code::FunnelRight, Lane::U32, node.args[0], node.args[1], constant(32, first));
  const bool isLeftBy = isOperation(shifted, Code::ShiftLeftBy), isLeft = isOperation(shifted, Code::ShiftLeft);
  const bool isRight = isOperation(shifted, Code::ShiftRight) && node.type == Lane::U64;
  if ((!isLeftBy && !isLeft && !isRight) || !isPair(node.args[0]) || first != (isRight ? 0 : 32))
    return noNode;
  if (!isLeftBy && !isWidened(node.args[1]))
    return noNode;
  const NodeId by = isLeftBy ? constant(32, static_cast<Bits>(node.number)) : nodes[node.args[1]].args[0];
  const Node pair = nodes[node.args[0]];
  return add(isRight ? Code::FunnelRight : Code::FunnelLeft, Lane::U32, pair.args[0], pair.args[1], by);
}

/// Merges a product or a carry with a summand.
NodeId TermGraph::simplifiedSum(const Node &node) {
  if (!isInteger(node.type))
    return noNode;
  for (const unsigned i : {0, 1}) {
    const Node arg = nodes[node.args[i]];
    const NodeId other = node.args[1 - i];
    if (isOperation(node.args[i], Code::FromMask) && arg.number == 1 && arg.bits == node.bits)
      return add(Code::AddMask, node.type, arg.args[0], other);
    if (isOperation(node.args[i], Code::Multiply) && arg.type == node.type)
      return add(Code::MultiplyAdd, node.type, arg.args[0], arg.args[1], other);
    if (isOperation(node.args[i], Code::MultiplyWide) && arg.bits == node.bits)
      return add(Code::MultiplyWideAdd, arg.type, arg.args[0], arg.args[1], other);
  }
  return noNode;
}

NodeId TermGraph::simplifiedOr(const Node &node) {
  const Node a = nodes[node.args[0]], b = nodes[node.args[1]];
  if (node.type == Lane::Mask) { // less or greater
    const bool isEither = isOperation(node.args[0], Code::Less) && isOperation(node.args[1], Code::Less) &&
                          a.type == b.type && a.args[0] == b.args[1] && a.args[1] == b.args[0];
    return isEither ? add(isInteger(a.type) ? Code::Unequal : Code::Differ, a.type, a.args[0], a.args[1]) : noNode;
  }
  for (const bool isSecond : {false, true}) { // the two halves of 64 bits
    const NodeId high = node.args[isSecond ? 1 : 0], low = node.args[isSecond ? 0 : 1];
    if (node.type == Lane::U64 && isOperation(high, Code::ShiftLeftBy) && nodes[high].number == 32 &&
        isWidened(nodes[high].args[0]) && isWidened(low))
      return add(Code::Join, Lane::U64, nodes[low].args[0], nodes[nodes[high].args[0]].args[0]);
  }
  return noNode;
}

/// Merges nested extractions, and extractions of shifted numbers.
NodeId TermGraph::simplifiedConversion(const Node &node) {
  const Node arg = nodes[node.args[0]];
  const bool isCut = isOperation(node.args[0], Code::Extract);
  if (node.code == Code::Extract) {
    if (isCut && node.number == (arg.number & ~255))
      return add(Code::Extract, node.type, arg.args[0], noNode, noNode, arg.number, arg.from);
    const bool isHalf = node.type == Lane::U32 && node.from == Lane::U64 && node.number >> 8 == 32;
    return isHalf ? funnel(node.args[0], static_cast<unsigned>(node.number & 255)) : noNode;
  }
  if (!isInteger(node.type) || !isInteger(node.from))
    return noNode;
  if (isCut && arg.type == node.from && node.bits > arg.bits)
    return add(Code::Extract, withSignOf(node.type, node.from), arg.args[0], noNode, noNode, arg.number, arg.from);
  if (node.type == Lane::U32 && node.from == Lane::U64 && isOperation(node.args[0], Code::ShiftRight))
    return funnel(node.args[0], 0);
  if (isOperation(node.args[0], Code::ShiftRightBy) && static_cast<unsigned>(arg.number) + node.bits <= arg.bits)
    return add(Code::Extract, node.type, arg.args[0], noNode, noNode, arg.number | node.bits << 8,
               arg.bits == 128  ? Lane::U128
               : arg.bits == 64 ? Lane::U64
                                : Lane::U32);
  return noNode;
}

/// Merges flushing into an operation all of whose operands are flushed. The rounded product does not show whether it
/// must be flushed.
NodeId TermGraph::simplifiedFlush(const Node &node) {
  static constexpr std::pair<Code, Code> pairs[] = {
      {Code::Add, Code::AddFlushed},           {Code::Subtract, Code::SubtractFlushed},
      {Code::Multiply, Code::MultiplyFlushed}, {Code::MultiplyAdd, Code::MultiplyAddFlushed},
      {Code::Divide, Code::DivideFlushed},     {Code::SquareRoot, Code::SquareRootFlushed}};
  const Node arg = nodes[node.args[0]];
  const auto unflushed = [&](NodeId source) {
    return isOperation(source, Code::Flush) ? nodes[source].args[0] : source;
  };
  // When f64 is converted to f32, flushing precedes rounding. `cvt.ftz` to f16 does not flush the result.
  if (isOperation(node.args[0], Code::Convert) && node.type == Lane::F32 && arg.from == Lane::F64) {
    const NodeId source = add(Code::FlushTiny, arg.from, unflushed(arg.args[0]));
    return add(Code::Convert, node.type, source, noNode, noNode, 0, arg.from);
  }
  for (const auto &[plain, flushed] : pairs)
    if (isOperation(node.args[0], plain) && arg.type == node.type && handlerOf(flushed, node.type, Lane::U32)) {
      std::array<NodeId, 3> sources = arg.args;
      for (NodeId &source : sources) {
        const bool isFlushed = source == noNode || isOperation(source, Code::Flush) || isConstant(source);
        hasFailed |= !isFlushed && (plain == Code::Multiply || plain == Code::MultiplyAdd);
        if (!isFlushed)
          return noNode;
        source = unflushed(source);
      }
      return add(flushed, node.type, sources[0], sources[1], sources[2]);
    }
  return noNode;
}

NodeId TermGraph::simplified(const Node &node) {
  switch (node.code) {
  case Code::Add: return simplifiedSum(node);
  case Code::Or: return simplifiedOr(node);
  case Code::Convert:
  case Code::Extract: return simplifiedConversion(node);
  case Code::Flush: return simplifiedFlush(node);
  default: return noNode;
  }
}
// NOLINTEND(misc-no-recursion)

} // namespace ptxray::machine
