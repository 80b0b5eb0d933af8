"""Tests `ptxray hazards` on hostile inputs: broken texts, deep nesting, many barriers and operations. The command
must end in time and report a refusal. Its JSON and pictures must stay well formed: timeline_hostile.py PTXRAY
SOURCE_FOLDER"""

import json
import pathlib
import subprocess
import sys
import xml.dom.minidom

binary, root = sys.argv[1], pathlib.Path(sys.argv[2])
HEAD = ".version 8.0\n.target sm_90a\n.address_size 64\n"
REGISTERS = (
    ".reg .pred %p<9>; .reg .b32 %r<99>; .reg .b64 %rd<9>; .shared .align 16 .b8 smem[65536];\n"
    "mov.u32 %r1, %tid.x; mov.u32 %r2, smem; ld.param.u64 %rd1, [in];\n"
)


def kernel(body, name="k"):
    return f".visible .entry {name}(.param .u64 in) {{\n{REGISTERS}{body}\nret;\n}}\n"


COPY = "cp.async.ca.shared.global [%r2], [%rd1], 16;\n"


def nest(depth):
    opened = "".join(f"L{i}: setp.eq.u32 %p1, %r1, {i}; @%p1 bra E{i};\n{COPY}" for i in range(depth))
    closed = "".join(f"setp.eq.u32 %p2, %r1, {i}; @%p2 bra L{i}; E{i}:\n" for i in reversed(range(depth)))
    return opened + closed + "cp.async.wait_all;\n"


def chain(length):
    """Returns a predicate that depends on all earlier ones."""
    return "elect.sync _|%p1, -1;\n" + "and.pred %p1, %p1, %p1;\n" * length + f"@%p1 {COPY}cp.async.wait_all;\n"


def many(count, text):
    return "".join(text.format(i=i) for i in range(count))


TEXTS = {
    "nest": kernel(nest(400)),
    "chain": kernel(chain(3000)),
    "copies": kernel(many(12000, COPY + "cp.async.commit_group;\n") + "cp.async.wait_group 3;\n"),
    "waits": kernel(COPY * 600 + "cp.async.commit_group;\n" + "cp.async.wait_group 1;\n" * 3000),
    "barriers": kernel("".join(f"mbarrier.init.shared.b64 [smem+{8 * i}], 1;\n" for i in range(3000))),
    "endless": kernel("A: " + COPY + "bra A;"),
    "kernels": "".join(kernel(COPY + "cp.async.wait_all;", f"k{i}") for i in range(300)),
    "names": kernel(COPY, "k" * 5000),
}
REFUSED = {
    "empty": "",
    "bytes": '\0\x1b[2J<&>"',
    "half": kernel(COPY)[:-40],
    "wrong": kernel("cp.async.ca.shared.global [%r2], [%rd1];"),
}


def run(text, *options):
    return subprocess.run(
        [binary, "hazards", *options, "-"], input=(HEAD + text).encode(), capture_output=True, timeout=60
    )


for name, text in REFUSED.items():
    for form in ("text", "json", "svg"):
        told = run(text, f"--format={form}")
        status = 2 if name == "empty" else 1  # an empty file has no kernel, the others have errors
        assert told.returncode == status and not told.stdout and told.stderr.startswith(b"ptxray: "), (name, form, told)
for name, text in TEXTS.items():
    plain = run(text)
    assert plain.returncode == 0, (name, plain.stderr[:300])
    assert len(plain.stdout) < 4 << 20 and plain.stdout.startswith(b"kernel k"), (name, plain.stdout[:300])
    events = json.loads(run(text, "--format=json").stdout)["functions"][0]["events"]
    assert 0 < len(events) <= 20000, (name, len(events))
    xml.dom.minidom.parseString(run(text, "--format=svg").stdout)
print(len(TEXTS), "texts shown,", len(REFUSED), "refused")
