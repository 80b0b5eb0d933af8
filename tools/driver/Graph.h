#pragma once
// Graphs: nodes with their work and dependencies.
#include "Work.h"
#include <map>
#include <memory>
#include <optional>
#include <vector>

namespace ptxray::driver {

struct Graph;

/// Kinds of nodes, with the values of the API.
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
  EndOfGraph = -1, // the end of a graph of a conditional node
};

struct Node {
  Graph *graph = nullptr;
  NodeKind kind = EmptyNode;
  Work work;
  std::vector<Node *> after;        // dependencies of the node
  std::vector<Graph *> graphs = {}; // the child graph, or the graphs of a conditional node
  unsigned number = 0;              // index in its graph
  Node *clonedFrom = nullptr;
  std::vector<void *> parameters = {}; // for a kernel node: addresses of parameters that were returned to a client
};

/// An object of the client, which exists as long as references to it.
struct UserObject {
  void (*destroy)(void *);
  void *data;
  ~UserObject();
};
/// References to user objects.
using References = std::vector<std::shared_ptr<UserObject>>;

struct Graph {
  std::vector<std::unique_ptr<Node>> nodes;
  Node *parent = nullptr; // the node that contains the graph; null if there is none
  References references;
  std::vector<std::shared_ptr<Condition>> conditions; // conditions that were created for it
  unsigned number = 0, nextNode = 0;

  Graph() = default;
  ~Graph();
  Graph(const Graph &) = delete;
  Graph &operator=(const Graph &) = delete;
};

struct Step {
  const Node *node; // the node in the client's graph
  NodeKind kind;
  Work work;
  bool isEnabled = true;
  std::vector<size_t> graphs = {}; // for a conditional node: indices of the first step of each graph
  size_t next = 0; // for a conditional node: the step after all its graphs; at the end of a graph: the next step
};
/// Work in a valid order. The graphs of a conditional node follow it, each with a step at its end.
struct Steps {
  std::vector<Step> all;
};

/// An executable graph.
struct GraphExec {
  unsigned long long flags = 0;
  std::vector<Step> steps;
  References references;
  std::vector<std::shared_ptr<Condition>> conditions;
  unsigned number = 0;
};

/// Return null for an invalid handle.
Graph *graphOf(void *handle);
Node *nodeOf(void *handle);

Graph *newGraph();
void destroyGraph(Graph *graph);
Node &addNode(Graph &graph, NodeKind kind, Work work, std::vector<Node *> after);
Graph *clone(const Graph &graph);
/// Returns whether the graph, or a child graph, contains a conditional node.
bool hasConditions(const Graph &graph);
/// Returns the outermost graph that contains the graph.
const Graph *outermost(const Graph *graph);
/// Returns the nodes in an order that respects dependencies, or nothing if there is a cycle.
std::optional<std::vector<Node *>> ordered(const Graph &graph);

} // namespace ptxray::driver
