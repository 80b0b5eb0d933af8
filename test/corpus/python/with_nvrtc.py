"""Compiles CUDA C++ with NVRTC."""

import ctypes
import glob
import site

from common import archs, write

SOURCE = r"""
template <typename T> __device__ T mix(T a, T b) { return a * b + (a > b ? a : b); }
extern "C" __global__ void mixed(float *f, double *d, int *i, unsigned long long *u, short *h) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  f[t] = mix(f[t], __expf(f[t + 1]));
  d[t] = mix(d[t], sqrt(d[t + 1]));
  i[t] = mix(i[t], __popc(i[t + 1]));
  u[t] = mix(u[t], u[t + 1] % 12345);
  h[t] = mix(h[t], h[t + 1]);
  __shared__ float tile[16][17];
  tile[threadIdx.y][threadIdx.x] = f[t];
  __syncthreads();
  f[t] = tile[threadIdx.x][threadIdx.y];
  if (__any_sync(0xffffffff, i[t] == 3)) atomicAdd(f, f[t]);
  asm volatile("{ .reg .b64 p; cvta.to.global.u64 p, %0; red.global.add.f32 [p], %1; }" :: "l"(f), "f"(1.0f));
}
extern "C" __global__ void __launch_bounds__(128, 4) bounded(char4 *c, const float4 *__restrict__ f) {
  char4 v = c[threadIdx.x];
  float4 w = f[threadIdx.x];
  v.x += v.y * 3 + w.x;
  c[threadIdx.x] = v;
}
"""

path = next(
    p for folder in site.getsitepackages() for p in glob.glob(folder + "/nvidia/**/libnvrtc.so.*", recursive=True)
)
nvrtc = ctypes.CDLL(path)


def compile_for(arch, *options):
    program = ctypes.c_void_p()
    arguments = [f"--gpu-architecture=compute_{arch}".encode(), *[option.encode() for option in options]]
    nvrtc.nvrtcCreateProgram(ctypes.byref(program), SOURCE.encode(), b"kernels.cu", 0, None, None)
    array = (ctypes.c_char_p * len(arguments))(*arguments)
    if nvrtc.nvrtcCompileProgram(program, len(arguments), array):
        size = ctypes.c_size_t()
        nvrtc.nvrtcGetProgramLogSize(program, ctypes.byref(size))
        log = ctypes.create_string_buffer(size.value)
        nvrtc.nvrtcGetProgramLog(program, log)
        raise SystemExit(f"nvrtc refused the source for {arch}: {log.value.decode()}")
    size = ctypes.c_size_t()
    nvrtc.nvrtcGetPTXSize(program, ctypes.byref(size))
    text = ctypes.create_string_buffer(size.value)
    nvrtc.nvrtcGetPTX(program, text)
    return text.value.decode()


for number, suffix in archs():
    write(f"kernels-{number}{suffix}", compile_for(f"{number}{suffix}"))
    write(
        f"kernels-{number}{suffix}-fast",
        compile_for(f"{number}{suffix}", "--use_fast_math", "--extra-device-vectorization"),
    )
    write(f"kernels-{number}{suffix}-lineinfo", compile_for(f"{number}{suffix}", "-lineinfo"))
    write(f"kernels-{number}{suffix}-G", compile_for(f"{number}{suffix}", "-G"))
