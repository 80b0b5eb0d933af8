#pragma once
// Graphs that a program launches. The driver does not reveal the contents of an executable graph. Therefore a clone of
// the original graph is kept, and updated along with it; for recording, its nodes are launched one by one.
#include "Real.h"

namespace ptxray::recorder {

void addExec(void *exec, void *graph);
void removeExec(void *exec);
/// Returns the node in the clone, or null if the clone or the node is unknown.
void *nodeOfClone(void *exec, void *node);
/// Discards the clone, because the program changed the graph in a way that the clone does not follow.
void forgetExec(void *exec);

/// Starts a graph's nodes on a stream, and records the wanted kernels. Returns false if the graph must be launched as a
/// whole; prints the reason if kernels are wanted.
bool recordGraph(void *exec, void *stream, Result &result);

} // namespace ptxray::recorder
