#include "Operate/Graph.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

namespace ptxray::machine {

bool Node::operator==(const Node &other) const {
  return kind == other.kind && code == other.code && type == other.type && from == other.from && args == other.args &&
         number == other.number && handler == other.handler && more == other.more && place.slot == other.place.slot &&
         bits == other.bits && value == other.value;
}

NodeId TermGraph::add(Node node) {
  for (size_t i = 0; i < nodes.size(); ++i) // there are only tens of them
    if (nodes[i] == node)
      return static_cast<NodeId>(i);
  nodes.push_back(node);
  return static_cast<NodeId>(nodes.size() - 1);
}

NodeId TermGraph::leaf(Place place) {
  Node node;
  node.kind = Node::Kind::Register;
  node.place = place;
  node.bits = place.bits;
  return add(node);
}

NodeId TermGraph::constant(unsigned bits, Bits value) {
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

// NOLINTNEXTLINE(misc-no-recursion): a simplified node is added again, made of existing nodes.
NodeId TermGraph::add(Code code, Lane type, NodeId a, NodeId b, NodeId c, int64_t number, Lane from) {
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

NodeId TermGraph::fold(Code code, Lane type, NodeId a, NodeId group) {
  Node node;
  node.kind = Node::Kind::Fold;
  node.code = code;
  node.type = type;
  node.args = {a, noNode, group};
  node.bits = 32;
  hasFailed |= !foldHandlerOf(code, type);
  return add(node);
}

NodeId TermGraph::call(Handler handler, const void *more, unsigned bits, std::array<NodeId, 3> args, int64_t number) {
  Node node;
  node.kind = Node::Kind::Call;
  node.handler = handler;
  node.more = more;
  node.bits = static_cast<uint8_t>(bits);
  node.args = args;
  node.number = number;
  return add(node);
}

TermGraph::Lives TermGraph::living() const {
  Lives lives(nodes.size());
  for (const Result &result : results)
    lives[result.node] = true;
  for (size_t i = nodes.size(); i-- > 0;)
    if (lives[i])
      for (const NodeId arg : nodes[i].args)
        if (arg != noNode)
          lives[arg] = true;
  return lives;
}

/// Returns the number of operations and results that read the register.
unsigned TermGraph::readers(Slot slot, const Lives &lives) const {
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

/// Loads an element directly into the register that receives it, if nothing else uses either.
void TermGraph::loadDirectly(MemoryUses &reads, const Lives &lives) {
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

/// Stores an element directly from the register that holds it.
void TermGraph::storeDirectly(MemoryUses &writes) {
  for (MemoryUse &use : writes)
    for (Place &element : use.elements) {
      const auto result = llvm::find_if(results, [&](const Result &one) { return one.to.slot == element.slot; });
      if (result == results.end() || nodes[result->node].kind != Node::Kind::Register ||
          nodes[result->node].bits != element.bits)
        continue;
      const Slot slot = nodes[result->node].place.slot;
      if (llvm::any_of(results, [&](const Result &one) { return one.to.slot == slot; }))
        continue; // written before it is stored
      element = nodes[result->node].place;
      results.erase(result);
    }
}

/// Lets an operation write its result to the final register, if nothing later reads the previous value.
void TermGraph::placeResults(const Lives &lives) {
  llvm::SmallVector<Result, 4> kept;
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

Op TermGraph::operation(const Node &node, Place to) const {
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
  if (node.kind == Node::Kind::Operation && isGivenSlot(node.code, node.type)) {
    op.whole = op.d;
    op.keeps = llvm::Log2_32(bitsOf(node.type) / 8) & 7;
  }
  return op;
}

static Lane wordsOf(unsigned bits) {
  return bits == 1 ? Lane::Mask : bits == 16 ? Lane::U16 : bits == 32 ? Lane::U32 : bits == 64 ? Lane::U64 : Lane::U128;
}

llvm::SmallVector<Op, 2> TermGraph::operations(RegisterFile &file, MemoryUses &reads, MemoryUses &writes) {
  loadDirectly(reads, living());
  storeDirectly(writes);
  const Lives lives = living();
  places.assign(nodes.size(), Place());
  for (size_t i = 0; i < nodes.size(); ++i)
    if (nodes[i].kind == Node::Kind::Register)
      places[i] = nodes[i].place;
    else if (nodes[i].kind == Node::Kind::Constant && lives[i])
      places[i] = file.constant(nodes[i].bits, nodes[i].value);
  placeResults(lives);
  // Only the participating lanes of a memory element are stored.
  const auto isElement = [&](Slot slot) {
    return llvm::any_of(writes, [&](const MemoryUse &use) {
      return llvm::any_of(use.elements, [&](Place element) { return element.slot == slot; });
    });
  };
  llvm::SmallVector<Op, 2> ops;
  for (size_t i = 0; i < nodes.size(); ++i) {
    if (!lives[i] || nodes[i].kind < Node::Kind::Operation)
      continue;
    const bool isTemporary = !places[i].slot;
    if (isTemporary)
      places[i] = file.temporary(nodes[i].bits);
    ops.push_back(operation(nodes[i], places[i]));
    if (isTemporary || isElement(places[i].slot)) // other lanes may receive any value
      ops.back().keeps = 0;
  }
  for (size_t i = 0; i < results.size(); ++i) { // copies read the values from before all of them
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
