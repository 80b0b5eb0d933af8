"""Runs Triton on an emulated GPU. After `ptxray.triton.install(target="sm_90")`, kernels compile as for that GPU and
run on the CPU, with torch tensors in CPU memory. No GPU, no CUDA library and no ptxas is needed."""

# mypy: ignore-errors
import atexit
import functools
import os
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile
import time

import triton
from triton.backends.compiler import GPUTarget
from triton.backends.driver import DriverBase

from . import _emulation

try:
    from triton.backends.driver import decompose_descriptor
except ImportError:  # Triton before 3.7

    def decompose_descriptor(arg):
        return [arg.base, *arg.shape, *arg.strides, arg.padding == "nan", *arg.shape, *arg.strides]


# The columns are name, shared memory of a block, and multiprocessors.
_CHIPS = {
    80: ("A100", 163, 108),
    86: ("RTX 3090", 99, 82),
    89: ("RTX 4090", 99, 128),
    90: ("H100", 227, 132),
    100: ("B200", 227, 148),
    103: ("B300", 227, 148),
    120: ("RTX 5090", 99, 170),
}
_INTEGERS = {"i1": "b", "i8": "b", "i16": "h", "i32": "i", "i64": "q", "u1": "B", "u8": "B", "u16": "H", "u32": "I"}
_INTEGERS |= {"u64": "Q"}
_FLOATS = {"fp16": "e", "fp32": "f", "f32": "f", "fp64": "d"}
_TENSOR_TYPES = {8: 10, 9: 8, 10: 9}  # the driver's number for a type that Triton numbers like tensormap.replace
_TF32 = 11

# This class replaces ptxas, so that Triton loads the PTX itself.
_ASSEMBLER = """#!/bin/sh
if [ "$1" = --version ]; then
  cat "$0.version"
  exit
fi
for word; do
  case "$last" in -o) out=$word ;; esac
  case "$word" in *.ptx) in=$word ;; esac
  last=$word
done
cp "$in" "$out"
"""


def _bytes_of(tensor):
    """Returns address and size of all memory that contains a tensor, which views share."""
    tensor = getattr(tensor, "base", None) if type(tensor).__name__ == "TensorWrapper" else tensor
    if hasattr(tensor, "untyped_storage"):
        if tensor.device.type != "cpu":
            raise TypeError("the device of this driver is the CPU: a tensor lies elsewhere")
        storage = tensor.untyped_storage()
        return storage.data_ptr(), storage.nbytes()
    size = tensor.nbytes if hasattr(tensor, "nbytes") else tensor.numel() * tensor.element_size()
    return tensor.data_ptr(), size


class _Module:
    """Represents a kernel on a machine of its own."""

    def __init__(self, name, binary):
        self.name = name
        self.machine = _emulation.Machine(binary, path=f"{name}.ptx")


class _Launch:
    """Collects the arguments of a launch."""

    def __init__(self, machine):
        self.machine, self.values, self.added = machine, [], {}

    def address(self, pointer):
        if pointer is None or isinstance(pointer, int):
            return pointer or 0
        at = pointer.data_ptr()
        if not at:
            return 0
        begin, size = _bytes_of(pointer)
        return self.machine._placed((begin, size), f"argument {len(self.values)}", self.added) + at - begin

    def add(self, type, value):
        """Adds an argument. `type` is Triton's, such as `*fp32`."""
        if type[0] == "*":
            self.values.append(self.address(value).to_bytes(8, "little"))
        elif type in _INTEGERS:
            self.values.append(struct.pack("<" + _INTEGERS[type], int(value)))
        elif type in _FLOATS:
            self.values.append(struct.pack("<" + _FLOATS[type], float(value)))
        elif type == "bf16":
            bits = struct.unpack("<I", struct.pack("<f", float(value)))[0]
            self.values.append(struct.pack("<H", (bits + 0x7FFF + (bits >> 16 & 1)) >> 16))
        else:
            raise TypeError(f"an argument of type {type} is not known")

    def add_map(self, descriptor, meta):
        """Adds a tensor descriptor of the host, and its shape and strides."""
        shape, strides = list(descriptor.shape), list(descriptor.strides)
        size, swizzle, box = meta["elem_size"], meta["swizzle"], meta["block_size"]
        type = _TENSOR_TYPES.get(meta["elem_type"], meta["elem_type"])
        extents = [*shape[:-1], shape[-1] * 2] if meta["fp4_padded"] else shape
        if getattr(descriptor, "round_f32_to_tf32", False):
            type = _TF32
        if meta.get("is_im2col"):
            raise _emulation.EmulationError("tensor maps of im2col cannot be emulated")
        fields = {
            "type": type,
            "address": self.address(descriptor.base),
            "extents": tuple(reversed(extents)),
            "strides": tuple(reversed([stride * size for stride in strides[:-1]])),
            "box": tuple(reversed(box)),
            "steps": (1,) * len(box),
            "swizzle": swizzle,
            "fill": int(descriptor.padding == "nan"),
        }
        self.values.append(self.machine._machine.tensor_map(**fields))
        for number in shape:
            self.add("i32", number)
        for number in strides:
            self.add("i64", number)

    def add_parts(self, descriptor):
        """Adds a tensor descriptor for a GPU without TMA: Triton's kernel takes its parts."""
        base, *numbers = decompose_descriptor(descriptor)
        rank = len(descriptor.shape)
        self.add("*", base)
        flags = len(numbers) - 4 * rank
        for type, number in zip(["i64"] * 2 * rank + ["i1"] * flags + ["i32"] * rank + ["i64"] * rank, numbers):
            self.add(type, number)


class Launcher:
    """Launches a kernel. Triton calls this class for each launch."""

    def __init__(self, src, metadata):
        self.metadata, self.driver = metadata, triton.runtime.driver.active
        self.signature = list(src.signature.values())
        self.maps = list(getattr(metadata, "tensordesc_meta", None) or [])

    def _add(self, launch, signature, args, maps):
        waiting = [*zip(signature, args)][::-1]
        while waiting:
            type, value = waiting.pop()
            if isinstance(type, tuple):
                waiting.extend([*zip(type, value)][::-1])
            elif type.startswith("tensordesc"):
                meta = next(maps, None)
                launch.add_parts(value) if meta is None else launch.add_map(value, meta)
            elif type != "constexpr":
                launch.add(type, value)

    def _scratch(self, launch, size, blocks):
        """Returns memory that Triton requests in addition to the arguments."""
        if not size:
            return launch.values.append(bytes(8)), None
        memory = bytearray(size * blocks * getattr(self.metadata, "num_ctas", 1))
        place = _emulation._memory(memory)
        address = launch.machine._placed(place, "scratch memory of Triton", launch.added)
        return launch.values.append(address.to_bytes(8, "little")), memory

    def __call__(self, x, y, z, stream, module, packed, launch_metadata, enter, leave, *args):
        blocks, metadata = x * y * z, self.metadata
        if not blocks:
            return
        if enter is not None:
            enter(launch_metadata)
        launch = _Launch(module.machine)
        ctas = getattr(metadata, "num_ctas", 1)
        try:
            self._add(launch, self.signature, args, iter(self.maps))
            kept = [
                self._scratch(launch, getattr(metadata, name, 0), blocks)
                for name in ("global_scratch_size", "profile_scratch_size")
            ]
            launched = module.machine.launch(
                launch.values,
                kernel=module.name,
                grid=(x * ctas, y, z),
                block=32 * metadata.num_warps,
                cluster=(ctas, 1, 1) if ctas > 1 else None,
                shared=metadata.shared,
                cooperative=bool(getattr(metadata, "launch_cooperative_grid", False)),
                checks=self.driver.checks,
                schedule=self.driver.schedule,
                time_limit=self.driver.time_limit,
            )
            del kept
        finally:
            for address in launch.added.values():
                module.machine._machine.remove(address)
        sys.stdout.write(launched.printed)
        if leave is not None:
            leave(launch_metadata)


class _Utils:
    """Provides the functions of Triton's own driver that other parts of Triton call."""

    def __init__(self, target):
        self._target = target

    def load_binary(self, name, binary, shared, device):
        """Loads a binary. Registers are not allocated, so it reports 32 registers and no spills."""
        module = _Module(name, binary)
        return module, module, 32, 0, 1024

    def unload_module(self, module):
        pass

    def get_device_properties(self, device):
        _, shared, processors = _CHIPS[self._target]
        return {
            "max_shared_mem": shared * 1024,
            "max_num_regs": 65536,
            "multiprocessor_count": processors,
            "warpSize": 32,
            "sm_clock_rate": 1_000_000,
            "mem_clock_rate": 1_000_000,
            "mem_bus_width": 1024,
        }

    def set_printf_fifo_size(self, size):
        pass

    def cuOccupancyMaxActiveClusters(self, *_):
        return 1


class _Event:
    def __init__(self, enable_timing=True, **_):
        self.time = 0.0

    def record(self, *_):
        self.time = time.perf_counter()

    def synchronize(self):
        pass

    def elapsed_time(self, end):
        return (end.time - self.time) * 1000 or 1e-3  # milliseconds


class _Interface:
    """Provides the functions of torch.cuda that Triton calls."""

    Event = _Event

    def __init__(self, driver):
        self._driver = driver

    def current_device(self):
        return self._driver.get_current_device()

    def set_device(self, device):
        pass

    def synchronize(self, *_):
        pass

    def get_device_capability(self, *_):
        return self._driver.get_device_capability()


class Driver(DriverBase):
    """Describes the emulated GPU to Triton."""

    launcher_cls = Launcher

    def __init__(self, target, checks, time_limit, schedule):
        self.target, self.checks, self.time_limit, self.schedule = target, checks, time_limit, schedule
        self.utils = _Utils(target)

    @staticmethod
    def is_active():
        return True

    def get_current_target(self):
        return GPUTarget("cuda", self.target, 32)

    def get_device_capability(self, device=0):
        return divmod(self.target, 10)

    def get_current_device(self):
        """Returns a device for each kind of GPU, since Triton stores compiled kernels only by the number of the
        device."""
        return list(_CHIPS).index(self.target)

    def set_current_device(self, device):
        pass

    def get_current_stream(self, device=0):
        return 0

    def get_active_torch_device(self):
        import torch

        return torch.device("cpu")

    def get_device_interface(self):
        return _Interface(self)

    def get_benchmarker(self):
        """Returns a benchmarker that runs each configuration once. The first that runs is as good as all others,
        since time is not emulated."""

        def once(call, quantiles=(0.5,), **_):
            call()
            return [1.0] * len(quantiles)

        return once

    def get_empty_cache_for_benchmark(self):
        return None

    def clear_cache(self, cache):
        pass

    def map_python_to_cpp_type(self, ty):
        if ty[0] == "*":
            return "CUdeviceptr"
        return {**{name: f"{'u' * (name[0] == 'u')}int{name[1:]}_t" for name in _INTEGERS}}.get(ty, "double")


@functools.cache
def _assembler():
    """Returns the path of the program that Triton calls instead of its ptxas. Its version is that of Triton's own,
    which chooses the version of PTX, followed by the name ptxray. Triton's cache keys contain it."""
    folder = pathlib.Path(tempfile.mkdtemp(prefix="ptxray-triton-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    programs = {}
    for name in ("ptxas", "ptxas-blackwell"):
        own = pathlib.Path(triton.__file__).parent / "backends" / "nvidia" / "bin" / name
        said = subprocess.run([own, "--version"], stdout=subprocess.PIPE, text=True).stdout if own.exists() else ""
        program = folder / name
        program.write_text(_ASSEMBLER)
        program.chmod(0o755)
        (folder / f"{name}.version").write_text(f"{said or programs.get('said', '')}ptxray emulates\n")
        programs["said"] = said
    return folder


def install(target="sm_90", *, checks=True, time_limit=600, schedule="eager"):
    """Makes an emulated GPU the device of Triton for all following compilations and launches. A second call chooses
    another GPU. `checks`, `schedule` and `time_limit` are those of `ptxray.Machine.launch`."""
    number = int(target.removeprefix("sm_").rstrip("af"))
    if number not in _CHIPS:
        raise ValueError(f"{target} is not one of " + ", ".join(f"sm_{chip}" for chip in _CHIPS))
    folder = _assembler()
    os.environ["TRITON_PTXAS_PATH"] = str(folder / "ptxas")
    os.environ["TRITON_PTXAS_BLACKWELL_PATH"] = str(folder / "ptxas-blackwell")
    driver = Driver(number, checks, time_limit, schedule)
    triton.runtime.driver.set_active(driver)
    return driver
