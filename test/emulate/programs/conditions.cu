// Graphs that a kernel repeats and chooses.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

static void check(cudaError_t error, const char *what) {
  if (error == cudaSuccess)
    return;
  std::printf("%s: %s\n", what, cudaGetErrorName(error));
  std::exit(1);
}
#define CALL(call) check(call, #call)

__global__ void turn(cudaGraphConditionalHandle again, cudaGraphConditionalHandle choice, int *left) {
  *left -= 1;
  cudaGraphSetConditional(again, *left);
  cudaGraphSetConditional(choice, *left % 3);
}
__global__ void add(int *to, int number) { *to += number; }

static cudaGraphNode_t branch(cudaGraph_t graph, const cudaGraphNode_t *after, cudaGraphConditionalHandle handle,
                              cudaGraphConditionalNodeType type, unsigned count, cudaGraph_t *graphs) {
  cudaGraphNodeParams asked = {};
  asked.type = cudaGraphNodeTypeConditional;
  asked.conditional.handle = handle;
  asked.conditional.type = type;
  asked.conditional.size = count;
  cudaGraphNode_t node;
  CALL(cudaGraphAddNode(&node, graph, after, nullptr, after ? 1 : 0, &asked));
  for (unsigned i = 0; i < count; ++i)
    graphs[i] = asked.conditional.phGraph_out[i];
  return node;
}

int main() {
  int *numbers; // what is left, and how often each graph was launched
  CALL(cudaMallocManaged(&numbers, 4 * sizeof(int)));
  CALL(cudaMemset(numbers, 0, 4 * sizeof(int)));
  CALL(cudaDeviceSynchronize());
  cudaGraph_t graph, body, choices[3];
  cudaGraphConditionalHandle again, choice;
  cudaStream_t stream;
  cudaGraphExec_t ready;
  CALL(cudaGraphCreate(&graph, 0));
  CALL(cudaGraphConditionalHandleCreate(&again, graph, 1, cudaGraphCondAssignDefault));
  CALL(cudaGraphConditionalHandleCreate(&choice, graph, 0, 0));
  branch(graph, nullptr, again, cudaGraphCondTypeWhile, 1, &body);
  CALL(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  CALL(cudaStreamBeginCaptureToGraph(stream, body, nullptr, nullptr, 0, cudaStreamCaptureModeRelaxed));
  turn<<<1, 1, 0, stream>>>(again, choice, numbers);
  CALL(cudaStreamEndCapture(stream, nullptr));
  cudaGraphNode_t first;
  size_t count = 1;
  CALL(cudaGraphGetNodes(body, &first, &count));
  branch(body, &first, choice, cudaGraphCondTypeSwitch, 3, choices);
  for (int i = 0; i < 3; ++i) {
    CALL(cudaStreamBeginCaptureToGraph(stream, choices[i], nullptr, nullptr, 0, cudaStreamCaptureModeRelaxed));
    add<<<1, 1, 0, stream>>>(numbers + 1 + i, i + 1);
    CALL(cudaStreamEndCapture(stream, nullptr));
  }
  CALL(cudaGraphInstantiate(&ready, graph, 0));
  for (int launch = 0; launch < 2; ++launch) {
    numbers[0] = 7;
    CALL(cudaGraphLaunch(ready, stream));
    CALL(cudaStreamSynchronize(stream));
  }
  std::printf("%d %d %d %d\n", numbers[0], numbers[1], numbers[2], numbers[3]);
}
