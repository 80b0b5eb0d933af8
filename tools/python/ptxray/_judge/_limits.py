"""Limits the processes that the judge starts: time, memory, files and network."""

import contextlib
import ctypes
import os
import resource
import signal
import struct
import sys
import typing

_NEW_USER, _NEW_NETWORK = 0x10000000, 0x40000000
_DEATH_SIGNAL, _NO_NEW_PRIVILEGES = 1, 38  # options of prctl
_MOVE_ACCESS = 0x2000  # permission to move files between folders, since the second version of Landlock
_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446  # system calls of Landlock
_ALL_ACCESS, _READ_ACCESS, _FILE_ACCESS = 0x1FFF, 0xD, 0x7  # execute, write, read a file, read a folder ...


# Any program needs these folders, and no user keeps a task in them.
SYSTEM = ("/usr", "/lib", "/lib64", "/bin", "/etc/alternatives", "/etc/ld.so.cache", "/dev")


def _lower(kind: int, value: int) -> None:
    _, most = resource.getrlimit(kind)
    value = value if most == resource.RLIM_INFINITY else min(value, most)
    with contextlib.suppress(ValueError, OSError):  # the system has no such limit
        resource.setrlimit(kind, (value, value))


def without_network() -> bool:
    """Removes network access from this process. Returns whether the system allows it."""
    if not sys.platform.startswith("linux"):
        return False
    try:
        call = ctypes.CDLL(None, use_errno=True)
        return any(call.unshare(flags) == 0 for flags in (_NEW_USER | _NEW_NETWORK, _NEW_NETWORK))
    except (OSError, AttributeError):
        return False


def end_with_parent() -> None:
    """Makes the system kill this process when its parent ends."""
    if sys.platform.startswith("linux"):
        ctypes.CDLL(None).prctl(_DEATH_SIGNAL, signal.SIGKILL, 0, 0, 0)


def limit(seconds: int, memory: int, file_bytes: typing.Optional[int] = None) -> None:
    """Limits this process and its children: CPU time, bytes of memory, and the size of files that they may write."""
    _lower(resource.RLIMIT_CORE, 0)
    _lower(resource.RLIMIT_CPU, max(1, seconds))
    _lower(resource.RLIMIT_DATA, memory)
    if file_bytes is not None:
        _lower(resource.RLIMIT_FSIZE, file_bytes)


def only_files(readable: typing.Iterable[str], writable: typing.Iterable[str] = ()) -> bool:
    """Hides all files except those below these folders from this process, with Landlock. Returns whether the system
    has Landlock."""
    if not sys.platform.startswith("linux"):
        return False
    call = ctypes.CDLL(None, use_errno=True).syscall
    call.restype = ctypes.c_long
    version = call(_CREATE_RULESET, None, ctypes.c_size_t(0), ctypes.c_uint32(1))
    every = _ALL_ACCESS | (_MOVE_ACCESS if version >= 2 else 0)
    handled = struct.pack("<Q", every)
    rules = call(_CREATE_RULESET, handled, ctypes.c_size_t(len(handled)), ctypes.c_uint32(0))
    if rules < 0:
        return False
    try:
        for allowed, folders in ((_READ_ACCESS, readable), (every, writable)):
            for folder in folders:
                _allow(call, rules, folder, allowed)
        ctypes.CDLL(None).prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0)
        return bool(call(_RESTRICT_SELF, ctypes.c_int(rules), ctypes.c_uint32(0)) == 0)
    finally:
        os.close(rules)


def _allow(call: typing.Any, rules: int, folder: str, allowed: int) -> None:
    try:
        file = os.open(folder, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return
    try:
        rule = struct.pack("<Qi", allowed if os.path.isdir(folder) else allowed & _FILE_ACCESS, file)
        call(_ADD_RULE, ctypes.c_int(rules), ctypes.c_int(1), rule, ctypes.c_uint32(0))
    finally:
        os.close(file)


def environment(keep: typing.Iterable[str] = ()) -> dict[str, str]:
    """Returns the environment of a process that the judge starts, without variables that could contain a secret."""
    names = {"PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "LD_LIBRARY_PATH", "PYTHONHOME", "VIRTUAL_ENV", *keep}
    threads = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    return {**{name: value for name, value in os.environ.items() if name in names}, **threads}
