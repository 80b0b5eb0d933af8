#pragma once
// Graphs that a program launches. Of each that can be launched, a clone of the graph is kept and changed as the program
// changes it, since the driver does not say what is in one; its nodes are then started one after the other.
#include "Real.h"

namespace ptxray::recorder {

void addExec(void *exec, void *graph);
void removeExec(void *exec);
/// Returns the node in the clone; null if the clone, or which of its nodes that is, is not known.
void *nodeOfClone(void *exec, void *node);
/// The program has changed it in a way that the clone does not follow.
void forgetExec(void *exec);

/// Starts a graph's nodes on a stream, and records the kernels that are wanted. Returns false if the graph is to be
/// launched as a whole, and says why if kernels are wanted.
bool recordGraph(void *exec, void *stream, Result &result);

} // namespace ptxray::recorder
