#include "Graph.h"
#include "State.h"
#include <algorithm>

namespace ptxray::driver {

Graph::~Graph() {
  for (const auto &node : nodes)
    state().nodes.erase(node.get());
}

Graph *graphOf(void *handle) { return state().graphs.contains(handle) ? static_cast<Graph *>(handle) : nullptr; }
Node *nodeOf(void *handle) { return state().nodes.contains(handle) ? static_cast<Node *>(handle) : nullptr; }

Graph *newGraph() {
  auto *graph = new Graph;
  graph->number = ++state().lastGraph;
  state().graphs.insert(graph);
  return graph;
}

void destroyGraph(Graph *graph) {
  std::vector<Graph *> left = {graph};
  while (!left.empty()) {
    Graph *next = left.back();
    left.pop_back();
    for (const auto &node : next->nodes)
      left.insert(left.end(), node->graphs.begin(), node->graphs.end());
    state().graphs.erase(next);
    delete next;
  }
}

Node &addNode(Graph &graph, NodeKind kind, Work work, std::vector<Node *> after) {
  auto node = std::make_unique<Node>();
  node->graph = &graph;
  node->kind = kind;
  node->work = std::move(work);
  node->after = std::move(after);
  node->number = graph.nextNode++;
  state().nodes.insert(node.get());
  graph.nodes.push_back(std::move(node));
  return *graph.nodes.back();
}

/// Returns a copy of the nodes of one graph, whose child graphs are still those of the original.
static Graph *copyOfNodes(const Graph &graph) {
  Graph *made = newGraph();
  made->references = graph.references;
  std::map<const Node *, Node *> copies;
  for (const auto &node : graph.nodes) {
    Node &copy = addNode(*made, node->kind, node->work, {});
    copy.clonedFrom = node.get();
    copy.graphs = node->graphs;
    copies[node.get()] = &copy;
  }
  for (const auto &node : graph.nodes)
    for (const Node *before : node->after)
      copies[node.get()]->after.push_back(copies[before]);
  return made;
}

Graph *clone(const Graph &graph) {
  Graph *made = copyOfNodes(graph);
  std::vector<Graph *> left = {made};
  while (!left.empty()) {
    const Graph *next = left.back();
    left.pop_back();
    for (const auto &node : next->nodes)
      for (Graph *&inner : node->graphs) {
        inner = copyOfNodes(*inner);
        inner->parent = node.get();
        left.push_back(inner);
      }
  }
  return made;
}

bool hasConditions(const Graph &graph) {
  std::vector<const Graph *> left = {&graph};
  while (!left.empty()) {
    const Graph *next = left.back();
    left.pop_back();
    for (const auto &node : next->nodes) {
      if (node->kind == ConditionNode)
        return true;
      left.insert(left.end(), node->graphs.begin(), node->graphs.end());
    }
  }
  return false;
}

const Graph *outermost(const Graph *graph) {
  while (graph->parent)
    graph = graph->parent->graph;
  return graph;
}

std::optional<std::vector<Node *>> ordered(const Graph &graph) {
  std::map<const Node *, size_t> waitsFor;
  std::map<const Node *, std::vector<Node *>> next;
  std::vector<Node *> order;
  for (const auto &node : graph.nodes) {
    waitsFor[node.get()] = node->after.size();
    for (const Node *before : node->after)
      next[before].push_back(node.get());
    if (node->after.empty())
      order.push_back(node.get());
  }
  for (size_t i = 0; i < order.size(); ++i)
    for (Node *node : next[order[i]])
      if (!--waitsFor[node])
        order.push_back(node);
  if (order.size() != graph.nodes.size())
    return std::nullopt;
  return order;
}

} // namespace ptxray::driver
