"""Compares the lists of CUDA's functions with CUDA's headers: api_test.py COMPILER HEADERS LIBCUDA LIBCUDART.

Exit status 77: there are no headers (`tools/dev cuda --nvcc`)."""

import ctypes
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
LISTS = ROOT / "tools" / "cuda"
compiler, headers, driver, runtime = sys.argv[1], *map(pathlib.Path, sys.argv[2:5])
if not (headers / "cuda.h").exists():
    print(f"there is no {headers}/cuda.h")
    sys.exit(1 if {"all", "nvcc"} & set(os.environ.get("PTXRAY_REQUIRE", "").split(",")) else 77)

NOT_FOUND, NOT_SUPPORTED = 500, 801
FOUND, UNKNOWN, NEWER = range(3)  # results of cuGetProcAddress
# These functions do not return an error; the runtime declares them by hand.
OTHER_RESULTS = {"cudaCreateChannelDesc", "cudaGetErrorName", "cudaGetErrorString"}
PROFILER = {"cuProfilerInitialize", "cuProfilerStart", "cuProfilerStop"}  # other headers declare these
PTXRAY_ROW = re.compile(r"^PTXRAY_(\w+)\((\w+), (.*?)\)$", re.MULTILINE)


def rows(file):
    """Returns the rows of a list: the kind, the name, and the other columns as text."""
    text = re.sub(r"\n +", " ", (LISTS / file).read_text().split("#endif\n")[-1])
    return PTXRAY_ROW.findall(text)


def names(file):
    """Returns all names that the rows define, including those for per-thread default streams."""
    found = set()
    for kind, name, rest in rows(file):
        suffix = re.search(r"\b(_pt[sd][sz])\b", rest)
        found |= {name, name + suffix[1]} if suffix and "STREAM COPY".find(kind.split("_")[-1]) >= 0 else {name}
    return found


def preprocessed(header, *options):
    words = [compiler, "-E", "-P", "-x", "c++", "-I", headers, *options, headers / header]
    return subprocess.run(words, capture_output=True, text=True, check=True).stdout


def declared_names():
    """Returns the functions that the headers declare, under each name that a program can use."""
    of_driver = set(re.findall(r"\bCUresult\s+(cu\w+)\s*\(", preprocessed("cuda.h", "-D__CUDA_API_VERSION_INTERNAL")))
    raw = (headers / "cuda.h").read_text()
    of_driver |= {f"{name}_{how.lower()}" for how, name in re.findall(r"__CUDA_API_(PT[SD][ZS])\((cu\w+)\)", raw)}
    raw = (headers / "cuda_runtime_api.h").read_text()
    of_runtime = set(re.findall(r"CUDARTAPI\s+(cuda\w+)\s*\(", raw))
    of_runtime |= {f"{name}_{how.lower()}" for how, name in re.findall(r"__CUDART_API_(PT[SD][ZS])\((cuda\w+)\)", raw)}
    return of_driver, of_runtime


def exported(library):
    lines = subprocess.run(["nm", "-D", library], capture_output=True, text=True, check=True).stdout.splitlines()
    return {line.split()[-1].split("@")[0] for line in lines if line.split()[-2] in "TWi"}


CHECK = """
template <typename Type> constexpr bool isFunction = std::is_function_v<std::remove_pointer_t<Type>>;

/// Returns whether both types are passed in the same way, and lead to data of the same size.
template <typename Theirs, typename Ours> constexpr bool areAlike() {
  if constexpr (isFunction<Theirs> || isFunction<Ours>)
    return sizeof(Theirs) == sizeof(Ours) && std::is_pointer_v<Theirs> && std::is_pointer_v<Ours>;
  else if constexpr (std::is_pointer_v<Theirs> && std::is_pointer_v<Ours>) {
    using Their = std::remove_pointer_t<Theirs>;
    using Our = std::remove_pointer_t<Ours>;
    if constexpr (std::is_void_v<Our> || std::is_void_v<Their>)
      return true;
    else if constexpr (std::is_pointer_v<Our> || std::is_pointer_v<Their>)
      return areAlike<std::remove_cv_t<Their>, std::remove_cv_t<Our>>();
    else if constexpr (requires { sizeof(Our); sizeof(Their); })
      return sizeof(Our) == sizeof(Their);
    else
      return true;
  } else
    return sizeof(Theirs) == sizeof(Ours) && std::is_pointer_v<Theirs> == std::is_pointer_v<Ours> &&
           std::is_floating_point_v<Theirs> == std::is_floating_point_v<Ours> &&
           std::is_class_v<Theirs> == std::is_class_v<Ours>;
}
template <typename Theirs, typename Ours> struct Same { static constexpr bool holds = false; };
template <typename Their, typename... Theirs, typename Our, typename... Ours>
struct Same<Their (*)(Theirs...), Our (*)(Ours...)> {
  static constexpr bool holds = [] {
    if constexpr (sizeof...(Theirs) == sizeof...(Ours))
      return (areAlike<Theirs, Ours>() && ... && (sizeof(Their) == sizeof(Our)));
    else
      return false;
  }();
};
"""


def compare_signatures(header, file, names, options, types, kinds):
    """Compiles a comparison of the type of each function with its type in the header."""
    lines = [f'#include "{LISTS}/{types}"', "#include <type_traits>", f"#include <{header}>", CHECK]
    lines += ["namespace ours {", "using namespace ptxray::driver;"]
    lines += ["using namespace ptxray::runtime;", "using Stream = void *;"] if "Runtime" in types else []
    lines += [kinds, f'#include "{LISTS}/{file}"', "}"]
    lines += [f'static_assert(Same<decltype(&::{name}), ours::{name} *>::holds, "{name}");' for name in sorted(names)]
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder, "check.cpp")
        source.write_text("\n".join(lines) + "\n")
        words = [compiler, "-std=c++20", "-fsyntax-only", "-w", "-ferror-limit=0", "-I", headers, *options, source]
        if "clang" not in compiler:
            words.remove("-ferror-limit=0")
        done = subprocess.run(words, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr[:8000]


def check_attributes():
    """Compares the numbers of attributes with cuda.h."""
    theirs = dict(re.findall(r"\b(CU_\w+)\s*=\s*(\w+)", (headers / "cuda.h").read_text()))
    ours = re.findall(r"\b(CU_\w+) = (\d+)", (LISTS / "Attributes.h").read_text())
    assert len(ours) > 200
    for name, number in ours:  # cuda.h gives no numbers for most attributes of pools
        assert int(theirs.get(name, number), 0) == int(number), name


def check_versions():
    """Compares the list's versions with cudaTypedefs.h, in which every version of a function has a type of its own."""
    text = (headers / "cudaTypedefs.h").read_text()
    known = {}
    for name, version in re.findall(r"\*PFN_(cu\w+?)_v(\d+)\)\(", text):
        known.setdefault(name, set()).add(int(version))
    ours = {}
    for _, name, rest in rows("DriverApi.def"):
        ours.setdefault(re.sub(r"_v\d$", "", name), []).append(int(rest.split(",")[0]))
    for name, versions in ours.items():
        wanted = sorted(known.get(name, versions))[: len(versions)]
        assert name.endswith(("_ptsz", "_ptds")) or sorted(versions) == wanted, (name, versions, wanted)


def check_calls():
    """Tests that cuGetProcAddress finds every function, and that unsupported ones return an error for any arguments."""
    cuda, cudart = ctypes.CDLL(str(driver)), ctypes.CDLL(str(runtime))
    address, status = ctypes.c_void_p(), ctypes.c_int(-1)
    find = cuda.cuGetProcAddress_v2
    find.argtypes = [ctypes.c_char_p, ctypes.c_void_p, ctypes.c_int, ctypes.c_uint64, ctypes.c_void_p]
    for kind, name, rest in rows("DriverApi.def"):
        version = int(rest.split(",")[0])
        base = re.sub(r"_v\d$", "", name).encode()
        assert find(base, ctypes.byref(address), version, 0, ctypes.byref(status)) == 0 and address.value, name
        if kind.startswith("ABSENT"):
            assert getattr(cuda, name)(*[None] * 12) == NOT_SUPPORTED, name
    # An H200 returns no error for these if the caller requests the status.
    for name, version, found in (
        (b"cuInit", 1000, NEWER),
        (b"cuNothing", 13000, UNKNOWN),
        (b"cuMemAlloc_v2", 13000, UNKNOWN),
        (b"cuMemAlloc", 2000, FOUND),
        (b"cuGraphInstantiate", 12000, FOUND),
    ):
        assert find(name, ctypes.byref(address), version, 0, ctypes.byref(status)) == 0, name
        assert status.value == found and (address.value is not None) == (found == FOUND), name
    assert find(b"cuNothing", ctypes.byref(address), 13000, 0, None) == NOT_FOUND
    for kind, name, _ in rows("RuntimeApi.def"):
        if kind.startswith("ABSENT"):
            assert getattr(cudart, name)(*[None] * 12) == NOT_SUPPORTED, name
    assert cudart.cudaGetLastError() == NOT_SUPPORTED


of_driver, of_runtime = declared_names()
assert len(of_driver) > 600 and len(of_runtime) > 300, (len(of_driver), len(of_runtime))
for wanted, file, library, others in (
    (of_driver, "DriverApi.def", driver, PROFILER),
    (of_runtime, "RuntimeApi.def", runtime, OTHER_RESULTS),
):
    ours = names(file)
    assert not wanted - ours - others, f"{file} lacks {sorted(wanted - ours - others)}"
    assert not wanted - exported(library), f"{library} does not export {sorted(wanted - exported(library))}"
    assert not ours - exported(library), f"{library} does not export {sorted(ours - exported(library))}"

ALIASES = """
#define PTXRAY_FUNCTION(name, version, parameters) using name = Result parameters;
#define PTXRAY_STREAM(name, version, suffix, parameters) using name = Result parameters; using name##suffix = name;
#define PTXRAY_ABSENT(name, version, parameters) using name = Result parameters;
#define PTXRAY_ABSENT_STREAM(name, version, suffix, parameters) PTXRAY_STREAM(name, version, suffix, parameters)
"""
# The first version of a function that has a later version may have smaller structures and 32-bit addresses.
newest = {name for name in of_driver if not name.endswith(("_ptsz", "_ptds")) and name + "_v2" not in of_driver}
forwards = {name for kind, name, _ in rows("DriverApi.def") if kind == "FORWARD"}
compare_signatures("cuda.h", "DriverApi.def", newest - forwards, ["-D__CUDA_API_VERSION_INTERNAL"], "Types.h", ALIASES)
compare_signatures(
    "cuda_runtime_api.h",
    "RuntimeApi.def",
    {name for name in of_runtime if not name.endswith(("_ptsz", "_ptds"))} - OTHER_RESULTS,
    [],
    "RuntimeTypes.h",
    "#define PTXRAY_FUNCTION(name, parameters) using name = Error parameters;",
)
check_attributes()
check_versions()
check_calls()
print(f"{len(of_driver)} functions of the driver, {len(of_runtime)} of the runtime")
