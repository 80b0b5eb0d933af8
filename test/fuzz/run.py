#!/usr/bin/env python3
"""Runs the fuzzer over a corpus of the project's own texts.

    test/fuzz/run.py build/dev/test/fuzz/check-fuzzer --seconds 60
    test/fuzz/run.py build/dev/test/fuzz/check-fuzzer --runs 1000000 --seconds 1800

The folder of the program then contains `seeds/`, which each run makes from test/isa (a few lines with the declarations
they use), test/module, test/hostile.py and the code of docs/. `words.dict` contains the words of grammar/. `found/`
contains the inputs that reached new code; runs add to it. `faults/` contains the inputs that made the program fail.
`build/dev/test/fuzz/check-fuzzer FILE` repeats one of those, and `tools/dev reduce FILE` makes it smaller. Other
fuzzers have folders of their own: format-fuzzer has `format/`, and binary-fuzzer has `binary/`, made from test/binary.
inline-fuzzer has `inline/`, made from test/inline. lsp-fuzzer has `lsp/`, with whole dialogues. kernel-fuzzer has
`kernel/`, with numbers that choose programs. readers-fuzzer has `readers/`, with recordings, the words of launches,
configurations, baselines and compile commands.

    test/fuzz/run.py build/fuzz-coverage/test/fuzz/check-fuzzer --coverage lib/Check

prints how many lines of a folder the seeds and found inputs reach. The program must be built with the preset
`fuzz-coverage`."""

import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
TEST = ROOT / "test"
sys.path.insert(0, str(TEST))
import hostile  # noqa: E402
import sections  # noqa: E402

LINES_A_SEED = 6
TURNS_OF_HOSTILE = 6


def prelude_for(lines, ptx, targets):
    """Returns the lines of the prelude whose names `lines` use: those before them and those after them."""
    words = set(re.findall(r"[A-Za-z_%$][\w$]*", "\n".join(lines)))
    families = {re.sub(r"\d+$", "", word) for word in words}
    return [[code for code in part if is_used(code, words, families)] for part in sections.prelude(ptx, targets)]


def is_used(code, words, families):
    name = re.search(r"([\w%$]+)(<\d+>)?(\[\d*\])?\s*(\(.*\))?\s*;$", code)
    if code.lstrip().startswith((".reg", ".global", ".const", ".shared", ".local", ".extern", ".func")) and name:
        func = re.search(r"\b(fn\d|vprintf)\b", code)
        return (func.group(1) if func else name.group(1)) in (words if not name.group(2) else families)
    return not re.match(r"(pr1|bt1):", code) or code[:3] in words


def snippet_seeds():
    for path in sorted((TEST / "isa").rglob("*.ptx")):
        if path == sections.PRELUDE:
            continue
        for ptx, targets, lines in sections.sections(path):
            code = [re.sub(r"\s*// (error|warning|pedantic|ptxas):.*", "", line) for _, line in lines]
            for i in range(0, len(code), LINES_A_SEED):
                yield path, text_of(ptx, targets, code[i : i + LINES_A_SEED])


def text_of(ptx, targets, lines):
    before, after = prelude_for(lines, ptx, targets)
    version = f".version {ptx // 100}.{ptx % 100}"
    return "\n".join([version, ".target " + ", ".join(targets), *before, *lines, *after, ""])


def document_seeds():
    for path in sorted((ROOT / "docs").rglob("*.md")):
        for block in re.findall(r"```ptx\n(.*?)```", path.read_text(), re.S):
            if ".version" in block:
                yield path, block
                continue
            lines = [line for line in block.splitlines() if not line.startswith("//@")]
            yield path, text_of(900, ["sm_100a"], lines)


def file_seeds():
    for path in [*(TEST / "module").rglob("*.ptx"), *(TEST / "cli").rglob("*.ptx"), *(ROOT / "docs").rglob("*.ptx")]:
        yield path, path.read_text(encoding="latin-1")


def hostile_seeds():
    for name, family in hostile.FAMILIES.items():
        yield pathlib.PurePath(name), family(TURNS_OF_HOSTILE)


def make_seeds(folder):
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    count = 0
    for path, text in [*snippet_seeds(), *document_seeds(), *file_seeds(), *hostile_seeds()]:
        (folder / f"{path.stem}-{count}.ptx").write_bytes(text.encode("latin-1", "replace"))
        count += 1
    return count


def make_dictionary(path):
    words = set()
    for file in [*(ROOT / "grammar").rglob("*.isa"), *(ROOT / "grammar").glob("*.g4")]:
        words |= set(re.findall(r"(?<![\w.])[.%][a-z]\w*(?:::\w+)*", file.read_text()))
    path.write_text("".join(f'"{word}"\n' for word in sorted(words)))


def make_binary_seeds(folder):
    """Writes the binaries that test/binary makes and contains."""
    shutil.rmtree(folder, ignore_errors=True)
    subprocess.run([sys.executable, TEST / "binary" / "make.py", folder], check=True)
    for path in (TEST / "binary" / "nvcc").iterdir():
        if path.suffix != ".json":
            shutil.copy(path, folder)
    return len(list(folder.iterdir()))


def make_binary_dictionary(path):
    magics = [
        b"\x50\xed\x55\xba\1\0\x10\0",
        b"\x7fELF\2\1\1",
        b"!<arch>\n",
        b"`\n",
        b"PK\1\2",
        b"PK\3\4",
        b"PK\5\6",
        b"PK\6\6",
        b"PK\6\7",
        b"MZ",
        b"PE\0\0",
        b"\x64\x86",
        b"\x10\xff\x10\xad",
        b"\x28\xb5\x2f\xfd",
        b".nv_fatbin",
        b"__nv_relfatbin",
        b".llvm.offloading",
        b".nv_debug_ptx_txt",
        b".text.",
        b"\1\0\1\1",
        b"\2\0\1\1",
        b"\0\1\1\1",
        b"\x11\x20\0\0",
        b"\x11\x80\0\0",
    ]
    lines = ["".join(f"\\x{byte:02x}" for byte in magic) for magic in magics]
    path.write_text("".join(f'"{line}"\n' for line in lines))


def make_inline_seeds(folder):
    """Writes the sources of test/inline."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for path in (TEST / "inline").iterdir():
        shutil.copy(path, folder)
        if path.suffix == ".cu":
            for count, text in enumerate(compiled_seeds(path)):
                (folder / f"{path.stem}-{count}.compiled").write_text(text)
    return len(list(folder.iterdir()))


def compiled_seeds(path):
    """Returns each statement of a line as a compiler passes it, with the source."""
    lines = path.read_text().splitlines()
    for number, line in enumerate(lines):
        statement = re.search(r'asm volatile\((.*?)"(.*)"\s*[:)]', line)
        if statement:
            ptx = re.sub(r"%(\d)", r"%r\1", statement.group(2).split('"')[0])
            yield (
                f'.version 9.0\n.target sm_90a\n.address_size 64\n.file 1 "{path.name}"\n.visible .entry k() {{\n'
                f".reg .b32 %r<9>;\n.loc 1 {number + 1} 3\n// begin inline asm\n{ptx}\n// end inline asm\nret;\n}}\n"
                f"\n==== source\n" + "\n".join(lines[max(0, number - 3) : number + 4]) + "\n"
            )


def make_inline_dictionary(path):
    make_dictionary(path)
    words = ["asm", "volatile", "#define", "#if", "#else", "#endif", "__VA_ARGS__", "##", "%0", "$0"]
    words += ['R\\"(', ')\\"']
    words += ["inline_asm(", "inline_asm_elementwise(", "=r", "+f", "asm sideeffect"]
    words += ["\\\\0A", '\\"\\"\\"', "{", "}", "// begin inline asm", "// end inline asm", ".loc 1 2 3", "==== source"]
    with path.open("a") as file:
        file.write("".join(f'"{word}"\n' for word in words))


DIALOGUE = [
    {"id": 1, "method": "initialize", "params": {"capabilities": {}}},
    {"method": "initialized", "params": {}},
    {
        "method": "textDocument/didOpen",
        "params": {"textDocument": {"uri": "file:///a.ptx", "version": 1, "text": ".version 8.0\n.target sm_80\nld"}},
    },
    {
        "id": 2,
        "method": "textDocument/completion",
        "params": {"textDocument": {"uri": "file:///a.ptx"}, "position": {"line": 2, "character": 2}},
    },
    {"method": "$/cancelRequest", "params": {"id": 2}},
    {"id": "x", "method": "shutdown"},
    {"method": "exit"},
]


def make_lsp_seeds(folder):
    count = make_seeds(folder)
    for length in range(1, len(DIALOGUE) + 1):
        bodies = [json.dumps({"jsonrpc": "2.0", **message}).encode() for message in DIALOGUE[:length]]
        stream = b"".join(b"Content-Length: %d\r\n\r\n%s" % (len(body), body) for body in bodies)
        (folder / f"dialogue-{length}").write_bytes(stream)
    return count + len(DIALOGUE)


def make_kernel_seeds(folder):
    """Writes numbers that choose a program, without edits and with some."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for number in range(32):
        edits = bytes((number * 37 + i * 11) % 256 for i in range(4 * (number % 8)))
        (folder / f"program-{number}").write_bytes(bytes([number % 3, number, number * 7 % 256, number * 3]) + edits)
    return 32


# The fuzzer adds the sum.
RECORDING = b"""ptxray recording 1
kernel k
target sm_90
device a GPU
grid 1 1 1
block 1 1 1
cluster 0 0 0
shared 0
cooperative 0
parameter 0000a0dec17f0000
memory 0x7fc1dea00000 4096
%sptx 5
k: ..\0\0"""
IMAGE = b"texels 48\nimage 0 0 0x3 0 tex=f32:4x3:linear:border=0/0/0/0:clamp/clamp/clamp:bias=0:lod=0/0\n"
READERS = [
    b"w--grid=2,1 --block=32 --shared=48 --buffer=a=zeros:u32:4 --parameters 8,4 zeros:u32:64 7",
    b"w--out=0=u32 --expect=0=fill:u32:4:1 --tolerance=1e-3 iota:f32:8 &a+4 --parameters 8,8",
    b"w--variable=x=texture:2d:f32:16,16 tensormap:f16:8,8 --parameters 128",
    b"c# comment\ntarget = sm_90a\noff = hazards, vector-length\n[tests/**.ptx]\npedantic = yes\n\0tests/a.ptx",
    b"bone.ptx vector-length 0123456789abcdef:1\n",
    b'm[{"directory":"/a","file":"b.cu","command":"nvcc -DX=1 -I /inc b.cu"},{"arguments":["cc","-Ix"],"file":"c"}]',
]


def make_reader_seeds(folder):
    """Writes inputs that each reader accepts."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for number, seed in enumerate([*READERS, *(b"r" + RECORDING % image for image in (b"", IMAGE))]):
        (folder / f"seed-{number}").write_bytes(seed)
    return len(list(folder.iterdir()))


def make_reader_dictionary(path):
    words = "--grid= --block= --cluster= --shared= --buffer= --variable= --out= --expect= --type= --tolerance="
    words += " zeros: iota: fill: random: edges: u32: f16: texture: surface: tensormap: target off on pedantic exclude"
    words += " kernel grid block cluster shared parameter memory texels image ptx after directory file command"
    path.write_text("".join(f'"{word}"\n' for word in words.split()))


def coverage(program, folder, inputs):
    """Prints the coverage. The program must be built with -fprofile-instr-generate -fcoverage-mapping."""
    raw, merged = program.parent / "coverage.raw", program.parent / "coverage.data"
    subprocess.run(
        [program, "-runs=0", *inputs],
        check=True,
        env={**os.environ, "LLVM_PROFILE_FILE": str(raw)},
        stderr=subprocess.DEVNULL,
    )
    tools = pathlib.Path("/usr/lib/llvm-22/bin")
    subprocess.run([tools / "llvm-profdata", "merge", "-o", merged, raw], check=True)
    return subprocess.run(
        [
            tools / "llvm-cov",
            "report",
            program,
            f"-instr-profile={merged}",
            ROOT / folder,
            "-show-region-summary=false",
            "-show-branch-summary=false",
        ]
    ).returncode


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("--seconds", type=int, default=20)
    parser.add_argument("--runs", type=int, default=-1)
    parser.add_argument("--seed", type=int, default=0, help="0: another one each time")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="only each Nth of the seeds")
    parser.add_argument("--coverage", metavar="FOLDER")
    options = parser.parse_args()
    program = options.program.resolve()
    place = program.parent
    is_binary = program.name == "binary-fuzzer"
    folder, seeds_of, dictionary_of = {
        "format-fuzzer": ("format", make_seeds, make_dictionary),
        "binary-fuzzer": ("binary", make_binary_seeds, make_binary_dictionary),
        "lsp-fuzzer": ("lsp", make_lsp_seeds, make_dictionary),
        "inline-fuzzer": ("inline", make_inline_seeds, make_inline_dictionary),
        "kernel-fuzzer": ("kernel", make_kernel_seeds, make_dictionary),
        "readers-fuzzer": ("readers", make_reader_seeds, make_reader_dictionary),
    }.get(program.name, (".", make_seeds, make_dictionary))
    place = place / folder
    place.mkdir(exist_ok=True)
    seeds, found, faults, words = place / "seeds", place / "found", place / "faults", place / "words.dict"
    count = seeds_of(seeds)
    for number, path in enumerate(sorted(seeds.iterdir())):
        if number % options.every:
            path.unlink()
    print(f"{(count + options.every - 1) // options.every} of {count} seeds", flush=True)
    dictionary_of(words)
    found.mkdir(exist_ok=True)
    faults.mkdir(exist_ok=True)
    if options.coverage:
        return coverage(program, options.coverage, [found, seeds])
    return subprocess.run(
        [
            program,
            found,
            seeds,
            f"-dict={words}",
            f"-max_total_time={options.seconds}",
            f"-runs={options.runs}",
            f"-seed={options.seed}",
            f"-max_len={65536 if is_binary else 4096}",
            # A dialogue and a template of words cause many checks.
            f"-timeout={60 if program.name in ('lsp-fuzzer', 'inline-fuzzer', 'kernel-fuzzer') else 10}",
            "-rss_limit_mb=2048",
            "-print_final_stats=1",
            "-entropic=0",
            f"-artifact_prefix={faults}/",
        ],
        env={
            **os.environ,
            "UBSAN_OPTIONS": "print_stacktrace=1",
            "ASAN_OPTIONS": "malloc_context_size=4:quarantine_size_mb=16:"
            "detect_leaks=0:detect_stack_use_after_return=0",
        },
    ).returncode


if __name__ == "__main__":
    sys.exit(main())
