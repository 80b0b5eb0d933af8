"""Runs PyTorch's own operations, without their kernels, on tensors of the emulated GPU.

The wheels of PyTorch contain machine code only, which the emulated GPU cannot run. After `ptxray.torch.install()`
each operation copies its tensors to the CPU, computes there, and copies the results back. Kernels of Triton and
others still run on the emulated GPU: `ptxray emulate -- python3 program.py`."""

# mypy: ignore-errors
import ctypes
import functools

import torch
from torch.utils import _pytree

# These operations need no kernel: they allocate, make views, or copy bytes.
KEPT = {
    "_copy_from_and_resize",
    "_fused_sdp_choice",
    "_local_scalar_dense",
    "_pin_memory",
    "_reshape_alias",
    "as_strided",
    "empty.memory_format",
    "empty_strided",
    "is_pinned",
    "is_set_to",
    "record_stream",
    "resize_",
    "set_",
    "set_.source_Storage",
    "set_.source_Storage_storage_offset",
    "set_.source_Tensor",
    "unfold",
    "view",
    "view.dtype",
}
# These operations have no CUDA kernel of their own, but call one.
ADDED = {"copy_"}
# These are other ways to compute an operation: by name, a function of the overload and its arguments on the CPU.
TABLE = {}

_installed = []  # the registrations, which must outlive the operations


@functools.cache
def _runtime():
    runtime = ctypes.CDLL("libcudart.so.13")
    runtime.cudaMemcpy.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
    return runtime


def _copy(to, source, size):
    """Copies bytes between the CPU and the GPU, in the order of all streams."""
    anywhere = 4
    if size:
        bad = _runtime().cudaDeviceSynchronize() or _runtime().cudaMemcpy(to, source, size, anywhere)
        if bad:
            raise RuntimeError(f"the emulated CUDA runtime cannot copy: error {bad}")


class _Call:
    """Holds the arguments of one operation on the CPU. Tensors that share memory on the GPU also share memory there."""

    def __init__(self):
        self.storages, self.tensors = {}, []

    def moved(self, value):
        if isinstance(value, torch.device):
            return torch.device("cpu") if value.type == "cuda" else value
        if isinstance(value, torch.Generator):
            return None if value.device.type == "cuda" else value
        if not isinstance(value, torch.Tensor) or not value.is_cuda:
            return value
        for original, copy in self.tensors:
            if original is value:
                return copy
        storage = value.untyped_storage()
        if storage.data_ptr() not in self.storages:
            held = torch.UntypedStorage(storage.nbytes())
            _copy(held.data_ptr(), storage.data_ptr(), storage.nbytes())
            self.storages[storage.data_ptr()] = held
        copy = torch.empty(0, dtype=value.dtype)
        copy.set_(self.storages[storage.data_ptr()], value.storage_offset(), value.size(), value.stride())
        copy = copy.conj() if value.is_conj() else copy
        self.tensors.append((value, copy))
        return copy

    def write_back(self, value):
        for original, copy in self.tensors:
            if original is value:
                if original.shape != copy.shape:
                    original.resize_(copy.shape)
                held, storage = copy.untyped_storage(), original.untyped_storage()
                _copy(storage.data_ptr(), held.data_ptr(), min(held.nbytes(), storage.nbytes()))

    def result(self, value):
        if not isinstance(value, torch.Tensor):
            return value
        for original, copy in self.tensors:
            if copy is value:
                return original
        dense = value.detach().clone(memory_format=torch.preserve_format)
        made = torch.empty_strided(dense.size(), dense.stride(), dtype=dense.dtype, device="cuda")
        _copy(made.untyped_storage().data_ptr(), dense.untyped_storage().data_ptr(), dense.untyped_storage().nbytes())
        return made


def _on_cpu(name, operation, *arguments, **options):
    call = _Call()
    compute = functools.partial(TABLE[name], operation) if name in TABLE else operation
    parameters = operation._schema.arguments
    moved, named = _pytree.tree_map(call.moved, (arguments, options))
    # PyTorch passes a number instead of a tensor without dimensions.
    moved = [
        torch.tensor(value) if isinstance(value, (int, float, complex)) and str(parameter.type) == "Tensor" else value
        for value, parameter in zip(moved, parameters, strict=False)
    ]
    result = compute(*moved, **named)
    for index, parameter in enumerate(parameters):
        if parameter.alias_info and parameter.alias_info.is_write:
            given = arguments[index] if index < len(arguments) else options.get(parameter.name)
            _pytree.tree_map(call.write_back, given)
    return _pytree.tree_map(call.result, result)


def _overload(name):
    packet, _, overload = name.partition(".")
    return getattr(getattr(torch.ops.aten, packet), overload or "default")


def install(operations=None):
    """Makes the CPU compute these operations (`add.Tensor`), or all that have a CUDA kernel except those of KEPT."""
    if _installed:
        return
    if operations is None:
        known = torch._C._dispatch_get_registrations_for_dispatch_key("CUDA")
        operations = {name.removeprefix("aten::") for name in known if name.startswith("aten::")} - KEPT | ADDED
    library = torch.library.Library("aten", "IMPL")
    _installed.append(library)
    for name in sorted(operations):
        operation = _overload(name)
        library.impl(name, functools.partial(_on_cpu, name, operation), "CUDA", allow_override=True)
    # If there are several ways to compute, this chooses those that the CPU also supports.
    torch.backends.cudnn.enabled = False
    torch.backends.cuda.enable_flash_sdp(False)
    torch.backends.cuda.enable_mem_efficient_sdp(False)
    torch.backends.cuda.enable_cudnn_sdp(False)


def pytest_configure(config):
    """Makes this module a plugin: `pytest -p ptxray.torch`."""
    install()
