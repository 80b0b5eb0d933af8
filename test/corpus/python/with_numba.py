"""Compiles kernels with Numba's CUDA compiler."""

import math

from common import archs, write
from numba import cuda, types


def waves(a, b, n):
    i = cuda.grid(1)
    s = cuda.shared.array(64, types.float32)
    if i < n:
        s[cuda.threadIdx.x] = math.sin(a[i])
        cuda.syncthreads()
        cuda.atomic.add(b, 0, s[0])
        b[i] = math.pow(a[i], 2.5) + math.erf(a[i])


def integers(a, n):
    i = cuda.grid(1)
    if i < n:
        a[i] = cuda.popc(a[i]) + cuda.clz(a[i]) + a[i] // 3 - a[i] % 7
        a[i] += cuda.shfl_xor_sync(0xFFFFFFFF, a[i], 3)
        if cuda.all_sync(0xFFFFFFFF, a[i] > 0):
            cuda.atomic.max(a, 0, a[i])
        local = cuda.local.array(8, types.int32)
        for k in range(8):
            local[k] = a[(i + k) % n]
        a[i] = local[a[i] & 7]


def mandelbrot(image, iterations):
    x, y = cuda.grid(2)
    if x < image.shape[0] and y < image.shape[1]:
        c = complex(x / image.shape[0] - 1.5, y / image.shape[1] - 1.0)
        z = 0j
        for k in range(iterations):
            z = z * z + c
            if z.real * z.real + z.imag * z.imag > 4:
                image[x, y] = k
                return
        image[x, y] = iterations


CASES = {
    "waves": (waves, (types.float32[:], types.float32[:], types.int32)),
    "waves64": (waves, (types.float64[:], types.float64[:], types.int64)),
    "integers": (integers, (types.int32[:], types.int32)),
    "mandelbrot": (mandelbrot, (types.int32[:, :], types.int32)),
}
for number, _ in archs(plain=True):
    for name, (kernel, signature) in CASES.items():
        for debug in (False, True):
            ptx, _ = cuda.compile_ptx(kernel, signature, cc=divmod(number, 10), debug=debug, opt=not debug)
            write(f"{name}-{number}{'-debug' if debug else ''}", ptx)
