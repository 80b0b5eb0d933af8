"""Launches kernels with only the CUDA driver, libcuda.so.1. Scripts that are copied to a GPU machine use this
module."""

import ctypes


class Gpu:
    library = "libcuda.so.1"

    def __init__(self):
        self.cuda = ctypes.CDLL(self.library)
        self.call("cuInit", 0)
        self.device = ctypes.c_int()
        self.call("cuDeviceGet", ctypes.byref(self.device), 0)
        self.begin()

    def begin(self):
        context = ctypes.c_void_p()
        self.call("cuDevicePrimaryCtxRetain", ctypes.byref(context), self.device)
        self.call("cuCtxSetCurrent", context)

    def reset(self):
        """Resets the context, which is required before the next launch after a fault. All memory is lost."""
        self.call("cuDevicePrimaryCtxReset_v2", self.device)
        self.begin()

    def name(self):
        text = ctypes.create_string_buffer(256)
        self.call("cuDeviceGetName", text, 256, self.device)
        return text.value.decode()

    def call(self, name, *args):
        result = getattr(self.cuda, name)(*args)
        if result != 0:
            raise RuntimeError(f"{name}: error {result}")

    def allocate(self, size):
        pointer = ctypes.c_uint64()
        self.call("cuMemAlloc_v2", ctypes.byref(pointer), ctypes.c_size_t(max(size, 1)))
        return pointer

    def free(self, pointer):
        self.call("cuMemFree_v2", pointer)

    def write(self, pointer, data):
        self.call("cuMemcpyHtoD_v2", pointer, data, ctypes.c_size_t(len(data)))

    def clear(self, pointer, size, value=0):
        self.call("cuMemsetD8_v2", pointer, value, ctypes.c_size_t(size))

    def read(self, pointer, size):
        data = ctypes.create_string_buffer(size)
        self.call("cuMemcpyDtoH_v2", data, pointer, ctypes.c_size_t(size))
        return data.raw

    def memory(self, data):
        pointer = self.allocate(len(data))
        self.write(pointer, data)
        return pointer

    def launch(self, cubin, kernel, grid, block, arguments):
        """Launches a kernel and waits for its end. The arguments are numbers of ctypes."""
        module, function = ctypes.c_void_p(), ctypes.c_void_p()
        self.call("cuModuleLoadData", ctypes.byref(module), cubin)
        self.call("cuModuleGetFunction", ctypes.byref(function), module, kernel.encode())
        words = (ctypes.c_void_p * len(arguments))(*[ctypes.addressof(one) for one in arguments])
        self.call("cuLaunchKernel", function, grid, 1, 1, block, 1, 1, 0, None, words, None)
        self.call("cuCtxSynchronize")
        self.call("cuModuleUnload", module)
