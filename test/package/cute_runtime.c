// What the host's code of CuTe DSL calls, over the driver API: in the place of the DSL's own libcute_dsl_runtime.so, in
// which there is NVIDIA's static CUDA runtime. Each function does what that of the CUDA runtime with its name is
// documented to do; which there are is said by the declarations in the code that the DSL makes.
#include <stdint.h>
#include <stdlib.h>

typedef struct {
  unsigned grid[3], block[3];
  size_t shared;
  void *stream, *attributes;
  unsigned count;
} RuntimeConfig;
typedef struct {
  unsigned grid[3], block[3], shared;
  void *stream, *attributes;
  unsigned count;
} DriverConfig;

int cuDeviceGetAttribute(int *, int, int);
int cuLibraryLoadData(void **, const void *, int *, void **, unsigned, int *, void **, unsigned);
int cuLibraryGetKernel(void **, void *, const char *);
int cuKernelGetAttribute(int *, int, void *, int);
int cuKernelSetAttribute(int, int, void *, int);
int cuLaunchKernelEx(const DriverConfig *, void *, void **, void **);
int cuTensorMapEncodeTiled(void *, int, unsigned, void *, const uint64_t *, const uint64_t *, const uint32_t *,
                           const uint32_t *, int, int, int, int);

int _cudaLibraryLoadData(void **library, const void *code, int *options, void **values, unsigned count, int *more,
                         void **moreValues, unsigned moreCount) {
  return cuLibraryLoadData(library, code, options, values, count, more, moreValues, moreCount);
}
int _cudaLibraryGetKernel(void **kernel, void *library, const char *name) {
  return cuLibraryGetKernel(kernel, library, name);
}
int _cuKernelGetAttribute(int *to, int which, void *kernel, int device) {
  return cuKernelGetAttribute(to, which, kernel, device);
}
int _cudaDeviceGetAttribute(int *to, int which, int device) { return cuDeviceGetAttribute(to, which, device); }
int _cudaGetDevice(int *to) { return *to = 0; }
int _cudaKernelSetAttributeForDevice(void *kernel, int which, int value, int device) {
  return cuKernelSetAttribute(which, value, kernel, device);
}
int _cudaFuncSetAttribute(void *kernel, int which, int value) { return cuKernelSetAttribute(which, value, kernel, 0); }
int _cudaLaunchKernelEx(const RuntimeConfig *from, void *kernel, void **arguments) {
  const DriverConfig config = {{from->grid[0], from->grid[1], from->grid[2]},
                               {from->block[0], from->block[1], from->block[2]},
                               (unsigned)from->shared,
                               from->stream,
                               from->attributes,
                               from->count};
  return cuLaunchKernelEx(&config, kernel, arguments, 0);
}
int _cuTensorMapEncodeTiled(void *map, int type, unsigned rank, void *at, const uint64_t *extents,
                            const uint64_t *strides, const uint32_t *box, const uint32_t *steps, int interleave,
                            int swizzle, int promotion, int fill) {
  return cuTensorMapEncodeTiled(map, type, rank, at, extents, strides, box, steps, interleave, swizzle, promotion,
                                fill);
}
void cuda_dialect_assert_success(int error) {
  if (error)
    abort();
}
