"""Compiles kernels with NVIDIA Warp."""

import pathlib
import tempfile

import warp as wp
from common import archs, write

wp.config.quiet = True
wp.init()


@wp.kernel
def particles(x: wp.array(dtype=wp.vec3), v: wp.array(dtype=wp.vec3), dt: float):
    i = wp.tid()
    v[i] = v[i] + wp.vec3(0.0, -9.8, 0.0) * dt
    x[i] = x[i] + v[i] * dt + wp.normalize(v[i]) * wp.sin(dt)


@wp.kernel
def rotations(q: wp.array(dtype=wp.quat), m: wp.array(dtype=wp.mat33), out: wp.array(dtype=wp.vec3)):
    i = wp.tid()
    out[i] = wp.quat_rotate(q[i], wp.vec3(1.0, 2.0, 3.0)) + m[i] * wp.vec3(1.0, 0.0, 0.0)
    wp.atomic_add(out, 0, wp.cross(out[i], out[i + 1]))


@wp.kernel
def noise(seed: int, out: wp.array(dtype=float), halves: wp.array(dtype=wp.float16)):
    i = wp.tid()
    state = wp.rand_init(seed, i)
    out[i] = wp.noise(state, wp.vec2(float(i), 0.5)) + wp.randf(state)
    halves[i] = wp.float16(out[i])


module = wp.get_module("__main__")
with tempfile.TemporaryDirectory() as folder:
    wanted = sorted({number for number, _ in archs(plain=True)})
    wp.compile_aot_module(module, device=None, arch=wanted, module_dir=folder, use_ptx=True)
    for file in pathlib.Path(folder).glob("*.ptx"):
        write("kernels-" + file.name.split(".")[-2], file.read_text())
