#pragma once
// Stream capture: work that is started on a captured stream becomes nodes of a graph.
#include "Graph.h"

namespace ptxray::driver {

/// One capture. Other streams join it by waiting for its events.
struct Capture {
  Graph *graph = nullptr;
  bool ownsGraph = true; // false if the client provided the graph
  int mode = 0;
  unsigned long long id = 0;
  bool isInvalid = false;
  const Stream *origin = nullptr;
  std::map<const Stream *, std::vector<Node *>> last; // for each stream, the dependencies of its next node
  std::vector<std::array<uint8_t, 8>> edges; // edge data of these dependencies, which a client may request: zeros
};

/// Adds work as a node to the graph of a captured stream.
Result capture(Stream &stream, Work work);

} // namespace ptxray::driver
