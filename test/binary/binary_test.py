"""Runs `extract`, `check`, `targets`, `dump` and `as` on binaries of make.py and of nvcc 13.5: binary_test.py PTXRAY
SOURCE_FOLDER"""

import hashlib
import json
import os
import pathlib
import struct
import subprocess
import sys
import tempfile
import zipfile

import make

binary, root = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
folder = tempfile.TemporaryDirectory()
work = pathlib.Path(folder.name)
os.chdir(work)
NVCC = root / "test/binary/nvcc"
faults = []


def expect(condition, what):
    if not condition:
        faults.append(what)
        print("FAILED:", what)


def run(*arguments, stdin=None):
    """Returns the status, standard output, and standard error."""
    result = subprocess.run(
        [binary, *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=stdin, timeout=60
    )
    expect(result.returncode in (0, 1, 2), f"{arguments}: exit status {result.returncode}")
    return result.returncode, result.stdout.decode(), result.stderr.decode()


def extracted(name):
    """Returns the extracted texts of a binary in order, and all messages."""
    out = work / "out"
    for old in out.glob("*"):
        old.unlink()
    status, printed, _ = run("extract", "--format=json", "-o", out, name)
    document = json.loads(printed)
    files = [entry["file"] for entry in document["entries"] if "file" in entry]
    expect(sorted(files) == sorted(str(path) for path in out.glob("*")), f"{name}: other files than {files}")
    problems = [f"byte {p['offset']}: {p['message']}" for p in document["problems"]]
    return status, [pathlib.Path(file).read_bytes() for file in files], problems, document["entries"]


# ---- every text to the byte, and nothing else
sound, damaged = make.sound(), make.damaged()
for name, (data, texts) in sound.items():
    (work / name).write_bytes(data)
    status, found, problems, _ = extracted(name)
    expect(status == 0 and not problems, f"{name}: {status} {problems}")
    expect(found == texts, f"{name}: other texts, {len(found)} instead of {len(texts)}")
    status, _, said = run("check", "--no-config", name)
    expect(status == 0, f"check {name}: {status} {said}")

for kind, (data, texts, message) in damaged.items():
    name = "damaged-" + kind
    (work / name).write_bytes(data)
    status, found, problems, _ = extracted(name)
    expect(status == 2, f"{name}: exit status {status}")
    expect(any(message in problem for problem in problems), f"{name}: {problems} instead of {message!r}")
    expect(found == texts, f"{name}: {len(found)} texts instead of {len(texts)}")
    status, printed, _ = run("check", "--no-config", "--format=short", name)
    expect(status == 2 and "byte " in printed, f"check {name}: {status} {printed}")
    status, _, said = run("targets", name)
    expect(status == 2 and "byte " in said, f"targets {name}: {status} {said}")
expect(not list(work.parent.glob("a.so")), "a file outside of the folder")

for name, texts in json.loads((NVCC / "texts.json").read_text()).items():
    status, found, problems, entries = extracted(NVCC / name)
    listed = [
        [e["target"], e["version"], hashlib.sha256(text).hexdigest()]
        for e, text in zip([e for e in entries if "file" in e], found)
    ]
    expect(status == 0 and listed == texts, f"{name}: {listed}")
    expect(run("check", "--no-config", NVCC / name)[0] == 0, f"check {name}")

# ---- names of entries
_, _, _, entries = extracted("package.whl")
expect(
    [(e["member"], e["section"]) for e in entries]
    == [("pkg/a.so", ".nv_fatbin")] * 2 + [("pkg/one.fatbin", ""), ("pkg/lib.a/k.o", ".nv_fatbin")],
    f"members: {entries}",
)
_, _, _, entries = extracted("loose.so")
expect(
    [e["role"] for e in entries] == ["loaded", "loose", "loose"] and entries[1]["section"] == ".data",
    f"loose: {entries}",
)
_, _, _, entries = extracted("static.a")
expect([e["member"] for e in entries] == ["a.o"] + ["a_name_of_many_letters.o"] * 2, f"archive: {entries}")
# A lone cubin names its compiler. CUDA 13 marks its cubins differently than CUDA 12.
texts = b"\0".join([b"", b"ptxas", b"Cuda compilation tools, release 13.5, V13.5.37", b"Build 1", b"-arch sm_90 ", b""])
offsets = [texts.index(word) for word in (b"ptxas", b"Cuda", b"Build", b"-arch")]
note = struct.pack("<III12sII4I", 12, 24 + len(texts), 2000, b"NVIDIA Corp", 2, 0, *offsets) + texts
sections = [(".text.k", bytes(16)), (".note.nv.tkinfo", note)]
image = make.elf(sections, type=2, machine=190, flags=90 << 8 | 4, osabi=0x41)
(work / "told.cubin").write_bytes(image)
_, listing, _ = run("extract", "--list", "told.cubin")
expect("sm_90" in listing and "-arch sm_90  ptxas 13.5.37" in listing, listing)
entry = json.loads(run("extract", "--list", "--format=json", "told.cubin")[1])["entries"][0]
expect(entry["compiler"]["version"].endswith("V13.5.37") and entry["options"] == "-arch sm_90 ", entry)
(work / "cut.cubin").write_bytes(
    make.elf([(".note.nv.tkinfo", note[:30])], type=2, machine=190, flags=90 << 8, osabi=0x41)
)
expect("compiler" not in run("extract", "--list", "--format=json", "cut.cubin")[1], "half a note")

_, listing, _ = run("extract", "--list", "kinds.fatbin")
expect("kind 0x200" in listing and "NVVM" in listing and "cubin" in listing, listing)
_, listing, _ = run("extract", "--list", "--arch=sm_75", "packed.fatbin")
expect("sm_75" in listing and "sm_90" not in listing and "dir/a.cu" in listing, listing)
status, _, said = run("extract", "host.so")
expect(status == 0 and "holds no device code" in said, said)

# ---- check
wrong = make.ptx(body="mov.b32 %r1, %r2;")
(work / "wrong.so").write_bytes(
    make.elf(
        [
            (
                ".nv_fatbin",
                make.container(make.entry(wrong, packing=make.ZSTD))
                + make.container(make.entry(wrong, packing=make.LZ4, options=b"")),
            )
        ]
    )
)
status, printed, _ = run("check", "--no-config", "--format=short", "wrong.so")
expect(status == 1 and printed.startswith("wrong.so:[.nv_fatbin 1/2 sm_90 PTX 9.0]:6:11: error:"), printed)
document = json.loads(run("check", "--no-config", "--format=json", "wrong.so")[1])
expect(len(document["files"]) == 1, "the same text is checked twice")
expect(
    document["files"][0]["path"] == "wrong.so"
    and document["files"][0]["entry"]
    == {
        "number": 1,
        "name": "[.nv_fatbin 1/2 sm_90 PTX 9.0]",
        "member": "",
        "section": ".nv_fatbin",
        "target": "sm_90",
        "alike": [2],
    },
    document["files"][0].get("entry"),
)
for format in ("jsonl", "sarif", "github"):
    expect(".nv_fatbin 1/2 sm_90 PTX 9.0]" in run("check", "--no-config", f"--format={format}", "wrong.so")[1], format)

# Two texts have the same warning. It is not shown without `--warnings`, and otherwise once with a count.
warned = [
    make.ptx(f"sm_{n}", body=".reg .b32 %r<3>; .shared .align 2 .b8 s[8]; ld.shared.b32 %r1, [s];") for n in (80, 90)
]
(work / "warned.fatbin").write_bytes(
    make.container(*(make.entry(text, target=f"sm_{n}") for text, n in zip(warned, (80, 90))))
)
expect(run("check", "--no-config", "warned.fatbin")[:2] == (0, ""), "warnings that nobody asked for")
status, printed, _ = run("check", "--no-config", "--warnings", "warned.fatbin")
expect(
    status == 0 and printed.count("[access-misaligned]") == 1 and "and 1 more like it in 1 other text" in printed,
    printed,
)
_, printed, _ = run("check", "--no-config", "--warnings", "--no-fold", "warned.fatbin")
expect(printed.count("[access-misaligned]") == 2, printed)

# A text may call an undefined function if it is going to be linked.
calls = make.ptx(body="call outer, ();").replace(b".visible", b".extern .func outer();\n.visible")
for name, options, expected in (("whole.fatbin", b"", 1), ("separate.fatbin", b"--compile-only  ", 0)):
    (work / name).write_bytes(make.container(make.entry(calls, options=options)))
    status, printed, _ = run("check", "--no-config", name)
    expect(status == expected, f"{name}: {printed}")

# With `--arch`, each container that has nothing for the target gets one error.
(work / "arch.so").write_bytes(
    make.elf(
        [
            (
                ".nv_fatbin",
                make.container(make.entry(make.ptx("sm_90a"), target="sm_90a"))
                + make.container(make.entry(make.ptx("sm_75", "8.4"), target="sm_75", version="8.4")),
            )
        ]
    )
)
for arch, errors in (("sm_90", 0), ("sm_120", 1), ("sm_70", 2)):
    _, printed, _ = run("check", "--no-config", "--format=short", f"--arch={arch}", "arch.so")
    expect(printed.count("error:") == errors, f"--arch={arch}: {printed}")

expect(run("check", "--no-config", "--fix", "library.so")[0] == 2, "--fix of a binary")
below = work / "below"
below.mkdir()
(below / "a.so").write_bytes((work / "wrong.so").read_bytes())
(below / "b.ptx").write_bytes(make.ptx())
expect(run("check", "--no-config", below)[0] == 0, "a folder without --binaries")
expect(run("check", "--no-config", "--binaries", below)[0] == 1, "a folder with --binaries")
with open("wrong.so", "rb") as stream:
    expect(run("check", "--no-config", "-", stdin=stream)[1].startswith("<stdin>:[.nv_fatbin 1/2"), "standard input")
expect(
    run("check", "--no-config", "--jobs=1", "library.so", "wrong.so")[1:]
    == run("check", "--no-config", "--jobs=8", "library.so", "wrong.so")[1:],
    "--jobs changes the output",
)

# ---- one entry
expect(run("dump", "--entry=2", "packed.fatbin")[1].startswith(".version 8.4"), "dump --entry")
expect(run("dump", "small.o")[1].startswith(".version 9.2"), "dump of the only entry")
for arguments in (("--entry=3", "packed.fatbin"), ("packed.fatbin",), ("host.so",), ("--entry=2", "kinds.fatbin")):
    expect(run("dump", *arguments)[0] == 2, f"dump {arguments}")


# ---- what the header says and the text does not
text = make.ptx("sm_90")
(work / "header.fatbin").write_bytes(make.container(make.entry(text), make.entry(text, target="sm_75")))
status, printed, _ = run("check", "--no-config", "header.fatbin")
expect(status == 0 and printed.count("[header-disagrees]") == 1, printed)
expect("labels this PTX `sm_75`, but its `.target` is `sm_90`" in printed, printed)


# ---- targets
def verdicts(name):
    document = json.loads(run("targets", "--format=json", name)[1])["files"][0]
    return document, {gpu["gpu"]: gpu["verdict"] for gpu in document["gpus"]}


document, found = verdicts("packed.fatbin")
expect(document["modules"] == 1 and found["sm_70"] == "none" and found["sm_75"] == found["sm_121"] == "compiled", found)
document, found = verdicts("library.so")
expect(document["modules"] == 2 and found["sm_90"] == "some" and found["sm_120"] == "compiled", found)
document, found = verdicts("linked.so")
expect(
    document["modules"] == 1
    and found["sm_90"] == "native"
    and found["sm_100"] == "compiled"
    and found["sm_89"] == "none",
    found,
)
expect(verdicts("empty-link.so")[0]["modules"] == 1, "an empty link is not a module")
# The first bytes of a cubin of nvcc show whether it has code. Other cubins are searched completely.
large = [(".nv.info", os.urandom(1 << 12) * 10)]
for packing in (make.PLAIN, make.LZ4, make.ZSTD):
    for sections, modules in ((large, 0), ([*large, (".text.kernel", bytes(16))], 1)):
        image = make.elf(sections, type=2, machine=190, flags=90 << 8, osabi=41)
        (work / "code.fatbin").write_bytes(make.container(make.entry(image, 2, "sm_90", "1.8", packing=packing)))
        expect(verdicts("code.fatbin")[0]["modules"] == modules, f"{len(sections)} sections, packed {packing:#x}")
expect(
    verdicts("loose.so")[0]["modules"] == 1 and verdicts("loose.so")[0]["loose"] == 1, "loose containers count apart"
)
expect(verdicts("object.o")[0]["modules"] == 1, "an object that is to be linked")


def cubins(*targets):
    name = "-".join(targets) + ".fatbin"
    (work / name).write_bytes(make.container(*(make.entry(make.cubin(), 2, target, "1.8") for target in targets)))
    found = verdicts(name)[1]
    return " ".join(gpu[3:] for gpu, verdict in found.items() if verdict == "native")


expect(cubins("sm_80") == "80 86 88 89", cubins("sm_80"))
expect(cubins("sm_86", "sm_87") == "86 87 88 89", cubins("sm_86", "sm_87"))
expect(cubins("sm_100f") == "100 103 107" and cubins("sm_103f") == "103 107", "families")
expect(cubins("sm_120a") == "120" and cubins("sm_101") == "110", "architecture-specific, and the old name of sm_110")


def answer(name, gpu, driver=None):
    status, printed, _ = run("targets", f"--gpu={gpu}", *([f"--driver={driver}"] if driver else []), name)
    return status, printed


expect(answer("packed.fatbin", "sm_75", "550")[0] == 0, "PTX 8.4 with R550")
status, printed = answer("packed.fatbin", "sm_75", "R535.104.05")
expect(status == 1 and "PTX 8.4 needs R550" in printed, printed)
status, printed = answer("library.so", "sm_90")
expect(status == 1 and printed.startswith("some: 1 of 2 modules"), printed)
status, printed = answer("packed.fatbin", "sm_75", "575")
expect(status == 0, printed)
status, printed = answer("linked.so", "sm_90", "470")
expect(status == 1 and "R470 does not know sm_90" in printed, printed)
old = make.ptx("sm_50", "9.1")
(work / "old.fatbin").write_bytes(make.container(make.entry(old, target="sm_50", version="9.1")))
status, printed = answer("old.fatbin", "sm_61")
expect(status == 1 and "R580 is the last driver that supports sm_61" in printed, printed)
expect(
    verdicts("old.fatbin")[1]["sm_70"] == "none" and verdicts("old.fatbin")[1]["sm_75"] == "compiled",
    "R580 is the last",
)
(work / "new.fatbin").write_bytes(make.container(make.entry(make.ptx("sm_90", "9.5"), target="sm_90", version="9.5")))
status, printed = answer("new.fatbin", "sm_90", "610")
expect(status == 1 and "no known driver supports PTX 9.5" in printed, printed)
expect("no known driver supports it" in run("targets", "new.fatbin")[1], "9.5 in the table")
status, printed, _ = run("targets", "-v", "--gpu=sm_70", "packed.fatbin")
expect("kernel" in printed, printed)
expect(run("targets", "packed.fatbin", below / "b.ptx")[0] == 2, "a binary and a text at once")

# ---- a large member of a wheel: in memory a piece of it at a time
piece, pieces = os.urandom(1 << 14), 24 << 10  # it is also written in pieces: a child's peak is not below its parent's
with (
    zipfile.ZipFile(work / "large.whl", "w", zipfile.ZIP_DEFLATED, compresslevel=1) as file,
    file.open("large.so", "w") as member,
):
    member.write(sound["library.so"][0])
    for _ in range(pieces):
        member.write(piece)
for command in "extract", "targets":
    arguments = [binary, command, *(["--list"] if command == "extract" else []), work / "large.whl"]
    _, status, used = os.wait4(subprocess.Popen(arguments, stdout=subprocess.DEVNULL).pid, 0)
    expect(status == 0, f"{command} of a large wheel: {status}")
    expect(used.ru_maxrss < 250 << 10, f"{command} of a member of 384 MiB takes {used.ru_maxrss >> 10} MiB")

print(len(sound), "sound and", len(damaged), "damaged binaries")
sys.exit(1 if faults else 0)
