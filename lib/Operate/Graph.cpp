#include "Operate/Graph.h"
#include "llvm/ADT/STLExtras.h"

namespace ptxray::machine {

bool Node::operator==(const Node &other) const {
  return kind == other.kind && code == other.code && type == other.type && from == other.from && args == other.args &&
         number == other.number && handler == other.handler && more == other.more && place.slot == other.place.slot &&
         bits == other.bits && value == other.value;
}

NodeId Graph::add(Node node) {
  for (size_t i = 0; i < nodes.size(); ++i) // there are some tens of them
    if (nodes[i] == node)
      return static_cast<NodeId>(i);
  nodes.push_back(node);
  return static_cast<NodeId>(nodes.size() - 1);
}

NodeId Graph::leaf(Place place) {
  Node node;
  node.kind = Node::Kind::Register;
  node.place = place;
  node.bits = place.bits;
  return add(node);
}

NodeId Graph::constant(unsigned bits, Bits value) {
  Node node;
  node.kind = Node::Kind::Constant;
  node.bits = static_cast<uint8_t>(bits);
  node.value = lowBits(value, bits);
  return add(node);
}

static bool givesMask(Code code, Lane type) {
  const bool isPacked = type == Lane::U8x4 || type == Lane::S8x4 || type == Lane::U16x2 || type == Lane::S16x2 ||
                        type == Lane::F16x2 || type == Lane::BF16x2 || type == Lane::F32x2;
  return code == Code::CarryOf || (code >= Code::Less && code <= Code::IsNan && !isPacked);
}

/// Lanes as wide, that have a sign if the others have one.
static Lane withSignOf(Lane wide, Lane narrow) {
  if (narrow != Lane::S16 && narrow != Lane::S32 && narrow != Lane::S64)
    return wide;
  return wide == Lane::U32 ? Lane::S32 : wide == Lane::U64 ? Lane::S64 : wide == Lane::U128 ? Lane::S128 : wide;
}
bool Graph::isWidened(NodeId node) const {
  return nodes[node].kind == Node::Kind::Operation && nodes[node].code == Code::Convert &&
         nodes[node].type == Lane::U64 && nodes[node].from == Lane::U32;
}
/// 32 bits of two registers that are shifted as one.
NodeId Graph::funnel(NodeId shifted, unsigned first) {
  const Node node = nodes[shifted];
  const auto isJoined = [&](NodeId one) { // of 64 bits
    return nodes[one].kind == Node::Kind::Operation && nodes[one].code == Code::Join && nodes[one].type == Lane::U64;
  };
  if (isJoined(shifted) && first)
    return add(Code::FunnelRight, Lane::U32, node.args[0], node.args[1], constant(32, first));
  const bool isLeft = node.code == Code::ShiftLeft || node.code == Code::ShiftLeftBy;
  if (node.kind != Node::Kind::Operation || (!isLeft && (node.code != Code::ShiftRight || node.type != Lane::U64)) ||
      !isJoined(node.args[0]) || first != (isLeft ? 32 : 0))
    return noNode;
  const bool isBy = node.code == Code::ShiftLeftBy;
  if (!isBy && !isWidened(node.args[1]))
    return noNode;
  const NodeId by = isBy ? constant(32, static_cast<Bits>(node.number)) : nodes[node.args[1]].args[0];
  const Node pair = nodes[node.args[0]];
  return add(isLeft ? Code::FunnelLeft : Code::FunnelRight, Lane::U32, pair.args[0], pair.args[1], by);
}
/// A node that computes the same at once.
NodeId Graph::simplified(const Node &node) { // NOLINT(misc-no-recursion): of what it finds nothing is made again
  const auto arg = [&](unsigned i) -> const Node & { return nodes[node.args[i]]; };
  const auto isOperation = [&](unsigned i, Code code) {
    return node.args[i] != noNode && arg(i).kind == Node::Kind::Operation && arg(i).code == code;
  };
  switch (node.code) {
  case Code::Add:
    for (const unsigned i : {0, 1})
      if (node.type < Lane::F16 && isOperation(i, Code::FromMask) && arg(i).number == 1 && node.type != Lane::U8x4)
        return add(Code::AddMask, node.type, arg(i).args[0], node.args[1 - i]);
      else if (node.type < Lane::F16 && isOperation(i, Code::Multiply) && arg(i).type == node.type)
        return add(Code::MultiplyAdd, node.type, arg(i).args[0], arg(i).args[1], node.args[1 - i]);
      else if (node.type < Lane::F16 && isOperation(i, Code::MultiplyWide) && arg(i).bits == node.bits)
        return add(Code::MultiplyWideAdd, arg(i).type, arg(i).args[0], arg(i).args[1], node.args[1 - i]);
    return noNode;
  case Code::Or:
    if (node.type == Lane::Mask) // less or greater
      return isOperation(0, Code::Less) && isOperation(1, Code::Less) && arg(0).type == arg(1).type &&
                     arg(0).args[0] == arg(1).args[1] && arg(0).args[1] == arg(1).args[0]
                 ? add(arg(0).type < Lane::F16 ? Code::Unequal : Code::Differ, arg(0).type, arg(0).args[0],
                       arg(0).args[1])
                 : noNode;
    // The two halves of 64 bits:
    for (const unsigned i : {0, 1})
      if (node.type == Lane::U64 && isOperation(i, Code::ShiftLeftBy) && arg(i).number == 32 &&
          isWidened(arg(i).args[0]) && isWidened(node.args[1 - i]))
        return add(Code::Join, Lane::U64, nodes[node.args[1 - i]].args[0], nodes[arg(i).args[0]].args[0]);
    return noNode;
  case Code::Extract:
    if (isOperation(0, Code::Extract) && node.number == (arg(0).number & ~255))
      return add(Code::Extract, node.type, arg(0).args[0], noNode, noNode, arg(0).number, arg(0).from);
    if (node.type == Lane::U32 && node.from == Lane::U64 && node.number >> 8 == 32)
      return funnel(node.args[0], static_cast<unsigned>(node.number & 255));
    return noNode;
  case Code::Convert:
    if (node.type < Lane::F16 && isOperation(0, Code::Extract) && arg(0).type == node.from && node.bits > arg(0).bits)
      return add(Code::Extract, withSignOf(node.type, node.from), arg(0).args[0], noNode, noNode, arg(0).number,
                 arg(0).from);
    // To narrower lanes:
    if (node.type == Lane::U32 && node.from == Lane::U64 && isOperation(0, Code::ShiftRight))
      return funnel(node.args[0], 0);
    if (node.type < Lane::F16 && node.from < Lane::F16 && node.bits < arg(0).bits &&
        isOperation(0, Code::ShiftRightBy) && unsigned(arg(0).number) + node.bits <= arg(0).bits)
      return add(Code::Extract, node.type, arg(0).args[0], noNode, noNode, arg(0).number | node.bits << 8,
                 arg(0).bits == 128  ? Lane::U128
                 : arg(0).bits == 64 ? Lane::U64
                                     : Lane::U32);
    return noNode;
  case Code::Flush: {
    if (node.type != Lane::F32 && node.type != Lane::F32x2)
      return noNode;
    static constexpr std::pair<Code, Code> pairs[] = {
        {Code::Add, Code::AddFlushed},           {Code::Subtract, Code::SubtractFlushed},
        {Code::Multiply, Code::MultiplyFlushed}, {Code::MultiplyAdd, Code::MultiplyAddFlushed},
        {Code::Divide, Code::DivideFlushed},     {Code::SquareRoot, Code::SquareRootFlushed}};
    for (const auto &[plain, flushed] : pairs)
      if (isOperation(0, plain) && arg(0).type == node.type) {
        std::array<NodeId, 3> sources = arg(0).args;
        for (NodeId &source : sources)
          if (source != noNode && nodes[source].kind == Node::Kind::Operation && nodes[source].code == Code::Flush)
            source = nodes[source].args[0];
          else if (source != noNode && !isConstant(source))
            return noNode;
        return add(flushed, node.type, sources[0], sources[1], sources[2]);
      }
    return noNode;
  }
  default: return noNode;
  }
}

NodeId Graph::add(Code code, Lane type, NodeId a, NodeId b, NodeId c, int64_t number, Lane from) {
  Node node;
  node.code = code;
  node.type = type;
  node.from = from;
  node.args = {a, b, c};
  node.number = number;
  node.bits = static_cast<uint8_t>(givesMask(code, type) ? 1 : code == Code::Alike ? 32 : bitsOf(type));
  if (const NodeId simple = simplified(node); simple != noNode)
    return simple;
  hasFailed |= !handlerOf(code, type, from);
  return add(node);
}

NodeId Graph::fold(Code code, Lane type, NodeId a, NodeId group) {
  Node node;
  node.kind = Node::Kind::Fold;
  node.code = code;
  node.type = type;
  node.args = {a, noNode, group};
  node.bits = 32;
  hasFailed |= !foldHandlerOf(code, type);
  return add(node);
}

NodeId Graph::call(Handler handler, const void *more, unsigned bits, std::array<NodeId, 3> args, int64_t number) {
  Node node;
  node.kind = Node::Kind::Call;
  node.handler = handler;
  node.more = more;
  node.bits = static_cast<uint8_t>(bits);
  node.args = args;
  node.number = number;
  return add(node);
}

std::vector<bool> Graph::living() const {
  std::vector<bool> lives(nodes.size());
  for (const Result &result : results)
    lives[result.node] = true;
  for (size_t i = nodes.size(); i-- > 0;)
    for (const NodeId arg : nodes[i].args)
      if (lives[i] && arg != noNode)
        lives[arg] = true;
  return lives;
}

/// How many operations and results read the register.
unsigned Graph::readers(Slot slot, const std::vector<bool> &lives) const {
  unsigned count = 0;
  const auto reads = [&](NodeId node) {
    return node != noNode && nodes[node].kind == Node::Kind::Register && nodes[node].place.slot == slot;
  };
  for (size_t i = 0; i < nodes.size(); ++i)
    if (lives[i])
      count += llvm::count_if(nodes[i].args, reads);
  for (const Result &result : results)
    count += reads(result.node);
  return count;
}

/// What is loaded and goes to a register as it is, is loaded into that register, if nobody else uses either.
void Graph::loadDirectly(std::vector<MemoryUse> &reads, const std::vector<bool> &lives) {
  for (MemoryUse &use : reads)
    for (Place &element : use.elements) {
      const auto result = llvm::find_if(results, [&](const Result &one) {
        return nodes[one.node].kind == Node::Kind::Register && nodes[one.node].place.slot == element.slot;
      });
      if (result == results.end() || result->to.bits != element.bits || use.bits != element.bits ||
          readers(element.slot, lives) != 1 || readers(result->to.slot, lives) != 0)
        continue;
      const Slot slot = result->to.slot;
      if (llvm::count_if(results, [&](const Result &one) { return one.to.slot == slot; }) != 1)
        continue;
      element = result->to;
      results.erase(result);
    }
}

/// What is stored as it is in a register, is stored from that register.
void Graph::storeDirectly(std::vector<MemoryUse> &writes) {
  for (MemoryUse &use : writes)
    for (Place &element : use.elements) {
      const auto result = llvm::find_if(results, [&](const Result &one) { return one.to.slot == element.slot; });
      if (result == results.end() || nodes[result->node].kind != Node::Kind::Register ||
          nodes[result->node].bits != element.bits)
        continue;
      const Slot slot = nodes[result->node].place.slot;
      if (llvm::any_of(results, [&](const Result &one) { return one.to.slot == slot; }))
        continue; // it is written before it is stored
      element = nodes[result->node].place;
      results.erase(result);
    }
}

/// Lets an operation write its result where it belongs, if nothing after it reads what was there.
void Graph::placeResults(const std::vector<bool> &lives) {
  std::vector<Result> kept;
  for (const Result &result : results) {
    const Node &node = nodes[result.node];
    const auto readsIt = [&](NodeId arg) {
      return arg != noNode && nodes[arg].kind == Node::Kind::Register && nodes[arg].place.slot == result.to.slot;
    };
    bool isFree = node.kind >= Node::Kind::Operation && node.bits == result.to.bits && !places[result.node].slot;
    for (size_t later = result.node + 1; later < nodes.size(); ++later)
      isFree &= !lives[later] || llvm::none_of(nodes[later].args, readsIt);
    isFree &= llvm::none_of(results, [&](const Result &other) { return readsIt(other.node); });
    isFree &= llvm::count_if(results, [&](const Result &other) { return other.to.slot == result.to.slot; }) == 1;
    if (isFree)
      places[result.node] = result.to;
    else
      kept.push_back(result);
  }
  results = kept;
}

Op Graph::operation(const Node &node, Place to) const {
  const auto slotOf = [&](NodeId arg) { return arg == noNode ? noSlot : places[arg].slot; };
  Op op;
  op.d = to.slot;
  op.a = slotOf(node.args[0]);
  op.b = slotOf(node.args[1]);
  op.c = slotOf(node.args[2]);
  op.number = node.number;
  op.run = node.kind == Node::Kind::Call   ? node.handler
           : node.kind == Node::Kind::Fold ? foldHandlerOf(node.code, node.type)
                                           : handlerOf(node.code, node.type, node.from);
  if (node.more)
    op.more = node.more;
  return op;
}

static Lane wordsOf(unsigned bits) {
  return bits == 1 ? Lane::Mask : bits == 16 ? Lane::U16 : bits == 32 ? Lane::U32 : bits == 64 ? Lane::U64 : Lane::U128;
}

std::vector<Op> Graph::operations(RegisterFile &file, std::vector<MemoryUse> &reads, std::vector<MemoryUse> &writes) {
  std::vector<bool> lives = living();
  loadDirectly(reads, lives);
  storeDirectly(writes);
  lives = living();
  places.assign(nodes.size(), Place());
  for (size_t i = 0; i < nodes.size(); ++i)
    if (nodes[i].kind == Node::Kind::Register)
      places[i] = nodes[i].place;
    else if (nodes[i].kind == Node::Kind::Constant && lives[i])
      places[i] = file.constant(nodes[i].bits, nodes[i].value);
  placeResults(lives);
  const auto isElement = [&](Slot slot) { // of memory: only the lanes that take part are stored
    return llvm::any_of(writes, [&](const MemoryUse &use) {
      return llvm::any_of(use.elements, [&](Place element) { return element.slot == slot; });
    });
  };
  std::vector<Op> ops;
  for (size_t i = 0; i < nodes.size(); ++i) {
    if (!lives[i] || nodes[i].kind < Node::Kind::Operation)
      continue;
    const bool isTemporary = !places[i].slot;
    if (isTemporary)
      places[i] = file.temporary(nodes[i].bits);
    ops.push_back(operation(nodes[i], places[i]));
    ops.back().isTemporary = isTemporary || isElement(places[i].slot);
  }
  for (size_t i = 0; i < results.size(); ++i) { // copies see what was there before all of them
    NodeId &node = results[i].node;
    const bool isOverwritten = llvm::any_of(llvm::ArrayRef(results).take_front(i),
                                            [&](const Result &other) { return other.to.slot == places[node].slot; });
    if (isOverwritten && nodes[node].kind == Node::Kind::Register) {
      Node copy;
      copy.type = wordsOf(nodes[node].bits);
      const Place kept = file.temporary(nodes[node].bits);
      Op op = operation(copy, kept);
      op.a = places[node].slot;
      ops.insert(ops.begin(), op);
      places.push_back(kept);
      nodes.push_back(nodes[node]);
      node = static_cast<NodeId>(nodes.size() - 1);
    }
  }
  for (const Result &result : results) {
    Node copy;
    copy.type = wordsOf(result.to.bits);
    Op op = operation(copy, result.to);
    op.a = places[result.node].slot;
    if (op.a != op.d)
      ops.push_back(op);
  }
  return ops;
}

} // namespace ptxray::machine
