// Statements that order memory, comments without an end, and declarations that a kernel would contain twice.
__device__ void sync_named(int number) {
  asm volatile("bar.sync %0, 128;" ::"r"(number)); // warning: [missing-memory-clobber] "`bar.sync` orders memory"
}
__device__ void wait_for_grid() {
  asm volatile("griddepcontrol.wait;" ::); // warning: [missing-memory-clobber]
}
__device__ void wait_for_grid_right() { asm volatile("griddepcontrol.wait;" ::: "memory"); }
__device__ int exchanged(int a) {
  int d;
  asm volatile("shfl.sync.bfly.b32 %0, %1, 1, 31, -1;" : "=r"(d) : "r"(a));
  return d;
}
__device__ void nobody_calls() { asm volatile("fence.proxy.async;"); }
__global__ void rotated(int *p) {
  wait_for_grid();
  p[threadIdx.x] = 1;
  sync_named(1);
  p[threadIdx.x + 1] = exchanged(2);
  asm volatile("griddepcontrol.launch_dependents;");
  asm volatile("cp.async.wait_group 0;");
  __syncthreads();
}
__global__ void published(int *p, volatile int *flag) {
  *p = 1;
  asm volatile("membar.gl;"); // warning: [missing-memory-clobber]
  *flag = 1;
}
__global__ void swallowed(float *p) {
  float x;
  asm("// load it" // warning: [endless-comment]
      " ld.global.f32 %0, [%1];" : "=f"(x) : "l"(p));
  *p = x;
}
__global__ void commented(int *p, int a) {
  int d;
  asm("add.s32 %0, %1, 1; // the next one" // warning: [endless-comment]
      "shl.b32 %0, %0, 2;"
      : "=&r"(d)
      : "r"(a));
  p[0] = d;
  asm("add.s32 %0, %1, 1; // a comment that goes "
      "on\nshl.b32 %0, %0, 2;"
      : "=&r"(d)
      : "r"(a));
  p[1] = d;
}
__device__ int declared(int a) {
  int d;
  asm(".reg .pred p; setp.gt.s32 p, %1, 0; selp.s32 %0, 1, 0, p;" : "=r"(d) : "r"(a)); // warning: [repeated-declaration]
  return d;
}
__device__ int declared_once(int a) {
  int d;
  asm(".reg .pred q; setp.gt.s32 q, %1, 0; selp.s32 %0, 1, 0, q;" : "=r"(d) : "r"(a));
  return d;
}
__device__ int in_braces(int a) {
  int d;
  asm("{ .reg .pred p; setp.gt.s32 p, %1, 0; selp.s32 %0, 1, 0, p; }" : "=r"(d) : "r"(a));
  return d;
}
__global__ void twice(int *p) {
  p[0] = declared(p[1]) + declared(p[2]) + declared_once(p[3]) + in_braces(p[4]) + in_braces(p[5]);
}
template <int n> __global__ void chosen(int *p) {
  int d = 0;
  if (n == 1) {
    asm(".reg .pred r; setp.gt.s32 r, %1, 0; selp.s32 %0, 1, 0, r;" : "=r"(d) : "r"(p[0]));
  } else {
    asm(".reg .pred r; setp.gt.s32 r, %1, 0; selp.s32 %0, 2, 0, r;" : "=r"(d) : "r"(p[0]));
  }
  p[1] = d;
}
__global__ void same_block(int *p) {
  int d = 0, e = 0;
  asm(".reg .pred s; setp.gt.s32 s, %1, 0; selp.s32 %0, 1, 0, s;" : "=r"(d) : "r"(p[0]));
  asm(".reg .pred s; setp.gt.s32 s, %1, 1; selp.s32 %0, 1, 0, s;" : "=r"(e) : "r"(p[0])); // warning: [repeated-declaration]
  p[1] = d + e;
}
