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
};

struct Node {
  Graph *graph = nullptr;
  NodeKind kind = EmptyNode;
  Work work;
  std::vector<Node *> after; // the nodes that it comes after
  Graph *child = nullptr;    // the graph that the node is
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
  Node *parent = nullptr; // the node whose child it is; null: none
  References references;

  Graph() = default;
  ~Graph();
  Graph(const Graph &) = delete;
  Graph &operator=(const Graph &) = delete;
};

/// A graph that can be launched: its work in an order that it may have.
struct GraphExec {
  struct Step {
    const Node *node; // the node that the client names
    NodeKind kind;
    Work work;
    bool isEnabled = true;
  };
  unsigned long long flags = 0;
  std::vector<Step> steps;
  References references;
};

/// Both return null for a handle that nothing alive has.
Graph *graphOf(void *handle);
Node *nodeOf(void *handle);

Graph *newGraph();
void destroyGraph(Graph *graph);
Node &addNode(Graph &graph, NodeKind kind, Work work, std::vector<Node *> after);
Graph *clone(const Graph &graph);
/// The nodes in an order in which none comes before what it comes after; nothing: there is a cycle.
std::optional<std::vector<Node *>> ordered(const Graph &graph);

} // namespace ptxray::driver
