#pragma once
// The graph of a recipe: its computations as operations on registers, without duplicates, before registers are assigned
// to results.
#include "Operate/Codes.h"
#include "Operate/Compile.h"
#include "llvm/ADT/SmallVector.h"
#include <array>
#include <optional>

namespace ptxray::machine {

using NodeId = int;
inline constexpr NodeId noNode = -1;

/// A register, a constant, or the result of a handler on other nodes.
struct Node {
  enum class Kind : uint8_t { Register, Constant, Operation, Fold, Call };

  Kind kind = Kind::Operation;
  Code code = Code::Copy; // for a Fold, the code of the combining operation
  Lane type = Lane::U32, from = Lane::U32;
  std::array<NodeId, 3> args = {noNode, noNode, noNode};
  int64_t number = 0;
  Handler handler = nullptr; // for a Call
  const void *more = nullptr;
  Place place; // for a Register
  uint8_t bits = 0;
  Bits value = 0; // for a Constant
  bool operator==(const Node &other) const;
};

class TermGraph {
public:
  NodeId leaf(Place place);
  NodeId constant(unsigned bits, Bits value);
  NodeId add(Code code, Lane type, NodeId a, NodeId b = noNode, NodeId c = noNode, int64_t number = 0,
             Lane from = Lane::U32);
  NodeId fold(Code code, Lane type, NodeId a, NodeId group);
  /// Adds a call of a handler that has no code, with its parameters.
  NodeId call(Handler handler, const void *more, unsigned bits, std::array<NodeId, 3> args, int64_t number = 0);
  const Node &at(NodeId node) const { return nodes[node]; }
  bool isConstant(NodeId node) const { return node != noNode && nodes[node].kind == Node::Kind::Constant; }
  void result(Place to, NodeId node) { results.push_back({to, node}); }
  /// set if a node has no handler
  bool hasFailed = false;

  /// Returns the operations, in order. Values that are only loaded or stored are not copied: `reads` and `writes` then
  /// name the registers themselves.
  llvm::SmallVector<Op, 2> operations(RegisterFile &file, MemoryUses &reads, MemoryUses &writes);

private:
  struct Result {
    Place to;
    NodeId node;
  };
  NodeId add(Node node);
  /// Returns a node that computes the same value in one operation, or none.
  NodeId simplified(const Node &node);
  NodeId simplifiedSum(const Node &node);
  NodeId simplifiedOr(const Node &node);
  NodeId simplifiedConversion(const Node &node);
  NodeId simplifiedFlush(const Node &node);
  bool isOperation(NodeId node, Code code) const;
  NodeId funnel(NodeId shifted, unsigned first);
  bool isWidened(NodeId node) const;
  /// For each node, whether a result depends on it.
  using Lives = llvm::SmallVector<bool, 32>;
  Lives living() const;
  unsigned readers(Slot slot, const Lives &lives) const;
  void loadDirectly(MemoryUses &reads, const Lives &lives);
  void storeDirectly(MemoryUses &writes);
  void placeResults(const Lives &lives);
  Op operation(const Node &node, Place to) const;

  llvm::SmallVector<Node, 16> nodes;
  llvm::SmallVector<Result, 4> results;
  llvm::SmallVector<Place, 32> places; // registers of the nodes
};

} // namespace ptxray::machine
