#pragma once
// Graphs as recorded lists: nodes with their work and what they come after.
#include "Work.h"
#include <map>
#include <memory>
#include <optional>
#include <vector>

namespace ptxray::driver {

struct Graph;

/// The kinds of nodes by their numbers in the API.
enum NodeKind : int {
  KernelNode = 0,
  CopyNode = 1,
  FillNode = 2,
  HostNode = 3,
  ChildNode = 4,
  EmptyNode = 5,
  WaitNode = 6,
  RecordNode = 7,
  AllocNode = 10,
  FreeNode = 11,
  ConditionNode = 13,
  EndOfGraph = -1, // no node: where a graph of a node with a condition ends
};

struct Node {
  Graph *graph = nullptr;
  NodeKind kind = EmptyNode;
  Work work;
  std::vector<Node *> after;        // the nodes that it comes after
  std::vector<Graph *> graphs = {}; // the graph that the node is, or those of a node with a condition
  unsigned number = 0;              // in its graph
  Node *clonedFrom = nullptr;
  std::vector<void *> parameters = {}; // the places that a client was told of, of a kernel
};

/// An object of the client that lives as long as what refers to it.
struct UserObject {
  void (*destroy)(void *);
  void *data;
  ~UserObject();
};
/// References to such objects.
using References = std::vector<std::shared_ptr<UserObject>>;

struct Graph {
  std::vector<std::unique_ptr<Node>> nodes;
  Node *parent = nullptr; // the node whose graph it is; null: none
  References references;
  std::vector<std::shared_ptr<Condition>> conditions; // that were made for it
  unsigned number = 0, nextNode = 0;

  Graph() = default;
  ~Graph();
  Graph(const Graph &) = delete;
  Graph &operator=(const Graph &) = delete;
};

struct Step {
  const Node *node; // the node that the client names
  NodeKind kind;
  Work work;
  bool isEnabled = true;
  std::vector<size_t> graphs = {}; // of a node with a condition: the steps at which they begin
  size_t next = 0;                 // of such a node: the step after all of them; where a graph ends: what comes then
};
/// Work in an order that it may have. Graphs of a node with a condition follow it, each with a step at its end.
struct Steps {
  std::vector<Step> all;
};

/// A graph that can be launched.
struct GraphExec {
  unsigned long long flags = 0;
  std::vector<Step> steps;
  References references;
  std::vector<std::shared_ptr<Condition>> conditions;
  unsigned number = 0;
};

/// Both return null for a handle that nothing alive has.
Graph *graphOf(void *handle);
Node *nodeOf(void *handle);

Graph *newGraph();
void destroyGraph(Graph *graph);
Node &addNode(Graph &graph, NodeKind kind, Work work, std::vector<Node *> after);
Graph *clone(const Graph &graph);
/// Returns whether a node of it, or of a graph that one of its nodes is, has a condition.
bool hasConditions(const Graph &graph);
/// Returns the graph that contains it and is in no other.
const Graph *outermost(const Graph *graph);
/// Returns the nodes in an order in which none comes before what it comes after; nothing: there is a cycle.
std::optional<std::vector<Node *>> ordered(const Graph &graph);

} // namespace ptxray::driver
