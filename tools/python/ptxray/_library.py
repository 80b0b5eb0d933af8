"""Calls the library libptxray inside this process through ctypes: include/ptxray/ptxray-c.h. ctypes releases the GIL
during a check."""

# mypy: ignore-errors
import contextlib
import ctypes
import os
import pathlib
import typing


class _Place(ctypes.Structure):
    _fields_ = [("line", ctypes.c_uint32), ("column", ctypes.c_uint32), ("offset", ctypes.c_uint32)]


class _Note(ctypes.Structure):
    _fields_ = [("message", ctypes.c_char_p), ("has_range", ctypes.c_int), ("begin", _Place), ("end", _Place)]


class _Edit(ctypes.Structure):
    _fields_ = [("begin", _Place), ("end", _Place), ("text", ctypes.c_char_p)]


class _Diagnostic(ctypes.Structure):
    _fields_ = [
        ("rule", ctypes.c_char_p),
        ("kind", ctypes.c_char_p),
        ("severity", ctypes.c_int),
        ("message", ctypes.c_char_p),
        ("begin", _Place),
        ("end", _Place),
        ("notes", ctypes.POINTER(ctypes.POINTER(_Note))),
        ("note_count", ctypes.c_size_t),
        ("fix_title", ctypes.c_char_p),
        ("fix_is_safe", ctypes.c_int),
        ("edits", ctypes.POINTER(ctypes.POINTER(_Edit))),
        ("edit_count", ctypes.c_size_t),
        ("origin_path", ctypes.c_char_p),
        ("origin_line", ctypes.c_uint32),
        ("manual", ctypes.c_char_p),
    ]


class _TensorMap(ctypes.Structure):
    _fields_ = [
        ("type", ctypes.c_int),
        ("rank", ctypes.c_uint32),
        ("address", ctypes.c_uint64),
        ("extents", ctypes.c_uint64 * 5),
        ("strides", ctypes.c_uint64 * 4),
        ("box", ctypes.c_uint32 * 5),
        ("steps", ctypes.c_uint32 * 5),
        ("interleave", ctypes.c_int),
        ("swizzle", ctypes.c_int),
        ("fill", ctypes.c_int),
    ]


class _Image(ctypes.Structure):
    _fields_ = [
        ("kind", ctypes.c_int),
        ("texels", ctypes.c_char_p),
        ("address", ctypes.c_uint64),
        ("rank", ctypes.c_uint32),
        ("extents", ctypes.c_uint32 * 3),
        ("layers", ctypes.c_uint32),
        ("levels", ctypes.c_uint32),
        ("is_cube", ctypes.c_int),
        ("is_buffer", ctypes.c_int),
        ("is_linear", ctypes.c_int),
        ("is_linear_in_levels", ctypes.c_int),
        ("is_normalized", ctypes.c_int),
        ("reads_fractions", ctypes.c_int),
        ("modes", ctypes.c_int * 3),
        ("bias", ctypes.c_float),
        ("least_level", ctypes.c_float),
        ("most_level", ctypes.c_float),
        ("border", ctypes.c_float * 4),
    ]


_FUNCTIONS = {
    "ptxray_options_new": (ctypes.c_void_p, ()),
    "ptxray_options_set": (ctypes.c_char_p, (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_char_p)),
    "ptxray_options_free": (None, (ctypes.c_void_p,)),
    "ptxray_checker_new": (ctypes.c_void_p, ()),
    "ptxray_checker_check": (ctypes.c_void_p, (ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p)),
    "ptxray_checker_free": (None, (ctypes.c_void_p,)),
    "ptxray_result_count": (ctypes.c_size_t, (ctypes.c_void_p,)),
    "ptxray_result_diagnostic": (ctypes.POINTER(_Diagnostic), (ctypes.c_void_p, ctypes.c_size_t)),
    "ptxray_result_ptx": (ctypes.c_char_p, (ctypes.c_void_p,)),
    "ptxray_result_target": (ctypes.c_char_p, (ctypes.c_void_p,)),
    "ptxray_result_free": (None, (ctypes.c_void_p,)),
    "ptxray_result_printed": (ctypes.c_char_p, (ctypes.c_void_p,)),
    "ptxray_result_refusal": (ctypes.c_char_p, (ctypes.c_void_p,)),
    "ptxray_result_counters": (ctypes.c_char_p, (ctypes.c_void_p,)),
    "ptxray_result_fidelity": (ctypes.c_char_p, (ctypes.c_void_p,)),
    "ptxray_result_certificate": (ctypes.c_char_p, (ctypes.c_void_p,)),
    "ptxray_result_equality": (ctypes.c_char_p, (ctypes.c_void_p,)),
    "ptxray_machine_equal": (
        ctypes.c_void_p,
        (ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_char_p),
    ),
    "ptxray_machine_new": (ctypes.c_void_p, (ctypes.c_char_p, ctypes.c_size_t, ctypes.c_void_p)),
    "ptxray_machine_checked": (ctypes.c_void_p, (ctypes.c_void_p,)),
    "ptxray_machine_parameter": (
        ctypes.c_char_p,
        (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t, ctypes.POINTER(ctypes.c_size_t)),
    ),
    "ptxray_machine_add": (ctypes.c_uint64, (ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_char_p)),
    "ptxray_machine_add_fresh": (ctypes.c_uint64, (ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_char_p)),
    "ptxray_machine_add_image": (
        ctypes.c_uint64,
        (ctypes.c_void_p, ctypes.POINTER(_Image), ctypes.c_char_p, ctypes.POINTER(ctypes.c_char_p)),
    ),
    "ptxray_machine_remove": (None, (ctypes.c_void_p, ctypes.c_uint64)),
    "ptxray_machine_variable": (
        ctypes.c_void_p,
        (ctypes.c_void_p, ctypes.c_char_p, ctypes.POINTER(ctypes.c_size_t)),
    ),
    "ptxray_machine_run": (ctypes.c_void_p, (ctypes.c_void_p, ctypes.c_void_p)),
    "ptxray_machine_free": (None, (ctypes.c_void_p,)),
    "ptxray_reduction_new": (
        ctypes.c_void_p,
        (ctypes.c_char_p, ctypes.c_size_t, ctypes.c_void_p, ctypes.c_char_p),
    ),
    "ptxray_reduction_problem": (ctypes.c_char_p, (ctypes.c_void_p,)),
    "ptxray_reduction_next": (ctypes.c_char_p, (ctypes.c_void_p, ctypes.POINTER(ctypes.c_size_t))),
    "ptxray_reduction_tell": (None, (ctypes.c_void_p, ctypes.c_int)),
    "ptxray_reduction_best": (ctypes.c_char_p, (ctypes.c_void_p, ctypes.POINTER(ctypes.c_size_t))),
    "ptxray_reduction_free": (None, (ctypes.c_void_p,)),
    "ptxray_launch_new": (ctypes.c_void_p, ()),
    "ptxray_launch_set": (ctypes.c_char_p, (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_char_p)),
    "ptxray_launch_argument": (None, (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t)),
    "ptxray_launch_free": (None, (ctypes.c_void_p,)),
    "ptxray_tensor_map_encode": (ctypes.c_char_p, (ctypes.c_char_p, ctypes.POINTER(_TensorMap))),
}
_SEVERITIES = ("error", "warning", "pedantic")


def _text(data):
    return data.decode("utf-8", "replace")


def _place(place):
    return {"line": place.line, "column": place.column, "offset": place.offset}


def _range(of):
    return {"start": _place(of.begin), "end": _place(of.end)}


def _described(d):
    """Returns a diagnostic in the form of `check --format=jsonl`."""
    entry = {
        "rule": _text(d.rule),
        "severity": _SEVERITIES[d.severity],
        "message": _text(d.message),
        "range": _range(d),
        "args": {"kind": _text(d.kind)} if d.kind else {},
        "notes": [],
    }
    for i in range(d.note_count):
        note = d.notes[i].contents
        entry["notes"].append({"message": _text(note.message), **({"range": _range(note)} if note.has_range else {})})
    if d.fix_title is not None:
        edits = [d.edits[i].contents for i in range(d.edit_count)]
        entry["fix"] = {
            "title": _text(d.fix_title),
            "safe": bool(d.fix_is_safe),
            "edits": [
                {"offset": e.begin.offset, "length": e.end.offset - e.begin.offset, "text": _text(e.text)}
                for e in edits
            ],
        }
    if d.origin_path is not None:
        entry["origin"] = {"path": _text(d.origin_path), "line": d.origin_line}
    if d.manual is not None:
        entry["manual"] = _text(d.manual)
    return entry


class Answer:
    """Holds the findings in one text."""

    __slots__ = ("_calls", "_result")

    def __init__(self, calls, result):
        self._calls, self._result = calls, result

    def __del__(self):
        self._calls.ptxray_result_free(self._result)

    def count(self):
        return self._calls.ptxray_result_count(self._result)

    def errors(self):
        at = self._calls.ptxray_result_diagnostic
        return sum(at(self._result, i).contents.severity == 0 for i in range(self.count()))

    def checked_as(self):
        return _text(self._calls.ptxray_result_ptx(self._result)), _text(self._calls.ptxray_result_target(self._result))

    def diagnostics(self):
        at = self._calls.ptxray_result_diagnostic
        return [_described(at(self._result, i).contents) for i in range(self.count())]


class Launched(Answer):
    """Holds the outcome of a launch."""

    __slots__ = ()

    def printed(self):
        return _text(self._calls.ptxray_result_printed(self._result))

    def refusal(self):
        refusal = self._calls.ptxray_result_refusal(self._result)
        return None if refusal is None else _text(refusal)

    def counters(self):
        counters = self._calls.ptxray_result_counters(self._result)
        return None if counters is None else _text(counters)

    def fidelity(self):
        fidelity = self._calls.ptxray_result_fidelity(self._result)
        return None if fidelity is None else _text(fidelity)

    def equality(self):
        equality = self._calls.ptxray_result_equality(self._result)
        return None if equality is None else _text(equality)

    def certificate(self):
        certificate = self._calls.ptxray_result_certificate(self._result)
        return None if certificate is None else _text(certificate)


class _Checked(Answer):
    """Holds the findings of a check, which belong to the machine."""

    __slots__ = ("_machine",)

    def __init__(self, machine):
        super().__init__(machine.calls, machine.calls.ptxray_machine_checked(machine.handle))
        self._machine = machine

    def __del__(self):
        pass


class Machine:
    """Represents a module on an emulated GPU."""

    def __init__(self, calls, data, options):
        self.calls, self.handle = calls, calls.ptxray_machine_new(data, len(data), options.handle)
        if not self.handle:
            raise MemoryError("ptxray: out of memory, or the text is longer than 4 GiB")

    def __del__(self):
        self.calls.ptxray_machine_free(self.handle)

    def checked(self):
        return _Checked(self)

    def parameter(self, kernel, index):
        """Returns type and size of a parameter, or None."""
        size = ctypes.c_size_t()
        name = kernel.encode() if kernel is not None else None
        type = self.calls.ptxray_machine_parameter(self.handle, name, index, ctypes.byref(size))
        return None if type is None else (_text(type), size.value)

    def add(self, address, size, name, is_fresh=False):
        add = self.calls.ptxray_machine_add_fresh if is_fresh else self.calls.ptxray_machine_add
        return add(self.handle, address, size, name.encode())

    def remove(self, address):
        self.calls.ptxray_machine_remove(self.handle, address)

    def add_image(self, name, **fields):
        """Returns the handle of a texture, a surface or a sampler. Raises ValueError if the image is impossible."""
        image, problem = _Image(), ctypes.c_char_p()
        types = dict(_Image._fields_)
        for field, value in fields.items():
            setattr(image, field, types[field](*value) if isinstance(value, tuple) else value)
        variable = name.encode() if name is not None else None
        handle = self.calls.ptxray_machine_add_image(self.handle, ctypes.byref(image), variable, ctypes.byref(problem))
        if not handle:
            raise ValueError(f"an image: {_text(problem.value)}")
        return handle

    def tensor_map(self, **fields):
        """Returns the bytes of a tensor map. Raises ValueError if the driver would reject it."""
        map = _TensorMap(rank=len(fields["extents"]))
        types = dict(_TensorMap._fields_)
        for name, value in fields.items():
            setattr(map, name, types[name](*value) if isinstance(value, tuple) else value)
        encoded = ctypes.create_string_buffer(128)
        problem = self.calls.ptxray_tensor_map_encode(encoded, ctypes.byref(map))
        if problem is not None:
            raise ValueError(f"a tensor map: {_text(problem)}")
        return encoded.raw

    def variable(self, name):
        size = ctypes.c_size_t()
        address = self.calls.ptxray_machine_variable(self.handle, name.encode(), ctypes.byref(size))
        if address is None:
            raise KeyError(name)
        memory = (ctypes.c_ubyte * size.value).from_address(address)
        memory.machine = self  # the machine must outlive the memory
        return memoryview(memory).cast("B")

    @contextlib.contextmanager
    def _launch(self, options, arguments):
        launch = self.calls.ptxray_launch_new()
        try:
            for name, value in options.items():
                problem = self.calls.ptxray_launch_set(launch, name.encode(), value.encode())
                if problem is not None:
                    raise ValueError(_text(problem))
            for argument in arguments:
                self.calls.ptxray_launch_argument(launch, argument, len(argument))
            yield launch
        finally:
            self.calls.ptxray_launch_free(launch)

    def run(self, options, arguments):
        with self._launch(options, arguments) as launch:
            result = self.calls.ptxray_machine_run(self.handle, launch)
        if not result:
            raise MemoryError("ptxray: out of memory")
        return Launched(self.calls, result)

    def equal(self, options, arguments, other, other_options, other_arguments, types):
        """Compares a launch with one of another machine."""
        others = other._launch(other_options, other_arguments)
        with self._launch(options, arguments) as launch, others as other_launch:
            result = self.calls.ptxray_machine_equal(self.handle, launch, other.handle, other_launch, types.encode())
        if not result:
            raise MemoryError("ptxray: out of memory")
        return Launched(self.calls, result)


class Options:
    """Holds the options of a check. Raises ValueError if one is wrong."""

    def __init__(self, calls, options):
        self._calls, self.handle = calls, calls.ptxray_options_new()
        for name, value in options.items():
            problem = calls.ptxray_options_set(self.handle, name.encode(), value.encode())
            if problem is not None:
                raise ValueError(_text(problem))

    def __del__(self):
        self._calls.ptxray_options_free(self.handle)


class Library:
    """Represents the loaded library. A checker serves one thread at a time: a caller takes an idle one, and puts it
    back. A list supports this without a lock, so that no lock is held after a fork. Checkers that other threads use
    during the fork are lost in the child."""

    def __init__(self, path: typing.Union[str, pathlib.Path]) -> None:
        self._calls = ctypes.CDLL(str(path))
        for name, (result, arguments) in _FUNCTIONS.items():
            function = getattr(self._calls, name, None)
            if function is None:  # a library without the machine has no functions for launches
                continue
            function.restype, function.argtypes = result, arguments
        self._idle = []

    def options(self, options):
        return Options(self._calls, options)

    def machine(self, data, options):
        if not hasattr(self._calls, "ptxray_machine_new"):
            raise RuntimeError("this libptxray launches no kernels: `cmake -DPTXRAY_MACHINE=ON` builds one that does")
        return Machine(self._calls, data, options)

    def reduce(self, data, test, options, rule):
        """The smallest text that is found. Raises ValueError when there is nothing to reduce."""
        calls, size = self._calls, ctypes.c_size_t()
        reduction = calls.ptxray_reduction_new(data, len(data), options.handle, rule.encode() if rule else None)
        if not reduction:
            raise MemoryError("ptxray: out of memory")
        try:
            problem = calls.ptxray_reduction_problem(reduction)
            if problem is not None:
                raise ValueError(_text(problem))
            while (text := calls.ptxray_reduction_next(reduction, ctypes.byref(size))) is not None:
                calls.ptxray_reduction_tell(reduction, bool(test(_text(text))))
            return _text(calls.ptxray_reduction_best(reduction, ctypes.byref(size)))
        finally:
            calls.ptxray_reduction_free(reduction)

    def check(self, data, options):
        """`data`: bytes, or address and length of bytes that somebody keeps."""
        address, length = data if isinstance(data, tuple) else (data, len(data))
        try:
            checker = self._idle.pop()
        except IndexError:
            checker = self._calls.ptxray_checker_new()
        result = self._calls.ptxray_checker_check(checker, address, length, options.handle)
        self._idle.append(checker)
        if not result:
            raise MemoryError("ptxray: out of memory, or the text is longer than 4 GiB")
        return Answer(self._calls, result)


def load() -> typing.Optional[Library]:
    """None: there is no library for this system."""
    path = os.environ.get("PTXRAY_LIBRARY") or pathlib.Path(__file__).parent / "libptxray.so"
    try:
        return Library(path)
    except OSError:
        return None
