#pragma once
// Streams that are captured into a graph: what is started on them becomes nodes.
#include "Graph.h"

namespace ptxray::driver {

/// One capture, which other streams join by waiting for its events.
struct Capture {
  Graph *graph = nullptr;
  bool ownsGraph = true; // it was not given by the client
  int mode = 0;
  unsigned long long id = 0;
  bool isInvalid = false;
  const Stream *origin = nullptr;
  std::map<const Stream *, std::vector<Node *>> last; // the nodes that the next node of a stream comes after
  std::vector<std::array<uint8_t, 8>> edges;          // from these, of which a client may be told: zeros
};

/// Makes work a node of the graph that a stream is captured into.
Result capture(Stream &stream, Work work);

} // namespace ptxray::driver
