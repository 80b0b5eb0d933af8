"""Tests texts that ptxas judged differently before one of its releases, and that ptxray's diagnostic states this:
releases.py PTXRAY SOURCE_FOLDER. $PTXRAY_PTXAS_RELEASES names the folders with releases of ptxas; the default is the
folder of `tools/dev cuda`."""

import os
import pathlib
import subprocess
import sys
import tempfile

# The columns are PTX version, target, line, and the first release that rejects it.
CASES = [
    ("9.0", "sm_100a", "tcgen05.ld.sync.16x64b.x1.b32 {%r1}, [%r2];", (13, 1)),
    ("9.0", "sm_100a", "tcgen05.st.sync.16x64b.x1.b32 [%r2], {%r1};", (13, 1)),
    ("9.0", "sm_103a", "tcgen05.ld.red.sync.32x32b.x2.max.u32 {%r1, %r2}, %r3, [%r4];", (13, 1)),
    ("9.0", "sm_100", "st.async.mmio.release.gpu.b32 [%rd1], %r1;", (13, 1)),
    ("9.0", "sm_100", "red.async.mmio.release.gpu.add.u32 [%rd1], %r2;", (13, 1)),
    ("9.0", "sm_90", "mbarrier.init.b64 [%rd1], 0;", (13, 1)),
    ("8.0", "sm_70", "fence.release.gpu;", (13, 1)),
    ("8.0", "sm_70", "fence.acquire.cta;", (13, 1)),
    ("9.0", "sm_100a", "cvt.rn.satfinite.e2m1x2.f16x2 %b1, %r1;", (13, 1)),
    ("9.0", "sm_120a", "cvt.rn.satfinite.relu.e2m1x2.f16x2 %b1, %r1;", (13, 1)),
    ("9.0", "sm_90", "ld.param::func.u32 %r1, [%rd1];", (13, 1)),
    ("9.0", "sm_90", "st.param::func.u32 [%rd1], %r1;", (13, 1)),
    ("9.0", "sm_90", "ld.param::entry.u32 %r1, [of_call];", (13, 1)),
    ("9.0", "sm_90", "min.bf16x2 %r1, %r2, {%r3, %r4};", (13, 1)),
    ("7.8", "sm_90", "fma.rn.bf16 %h1, %h2, {%h3}, %h4;", (13, 1)),
    ("8.0", "sm_90", "cvt.rn.bf16.f32 {%h1}, 0f3F800000;", (13, 1)),
    ("9.0", "sm_100a", "tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r1, 0;", (13, 2)),
    ("9.0", "sm_100a", "tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r1, 1024;", (13, 2)),
    (
        "9.0",
        "sm_90",
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [shared], [%rd1], 16, "
        "[shared], 65536;",
        (13, 4),
    ),
    (
        "9.0",
        "sm_90",
        "cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster [shared], "
        "[%rd1, {%r1}], [shared], -1;",
        (13, 4),
    ),
    (
        "8.6",
        "sm_90",
        "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes "
        "[shared], [shared], 4294967312, [shared];",
        (13, 2),
    ),
    (
        "8.6",
        "sm_90",
        "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%rd1], [shared], 4294967312;",
        (13, 2),
    ),
]

ptxray, root = sys.argv[1:]
folder = pathlib.Path(os.environ.get("PTXRAY_PTXAS_RELEASES") or pathlib.Path(root, "build/cuda"))
releases = {}
for path in [*folder.glob("13.*/ptxas"), *folder.glob("13.*/bin/ptxas")]:
    name = path.relative_to(folder).parts[0]
    releases[tuple(int(part) for part in name.split(".")[:2])] = path
if len(releases) < 2:
    print("skipped: fewer than two releases of ptxas")
    sys.exit(77)

wrong = 0
for version, target, line, first in CASES:
    text = f""".version {version}
.target {target}
.address_size 64
.shared .align 16 .b8 shared[16];
.visible .entry k()
{{
.reg .b8 %b<5>;
.reg .b16 %h<5>;
.reg .b32 %r<5>;
.reg .b64 %rd<5>;
.param .b32 of_call;
{line}
ret;
}}
"""
    with tempfile.NamedTemporaryFile("w", suffix=".ptx") as file:
        file.write(text)
        file.flush()
        shown = subprocess.run([ptxray, "check", file.name], stdout=subprocess.PIPE, text=True).stdout
        if f"ptxas before {first[0]}.{first[1]}" not in shown:
            print(f"{line} no note about ptxas before {first[0]}.{first[1]}:\n{shown}")
            wrong = 1
        arch = "compute_75" if target == "sm_70" else target.replace("sm_", "compute_")
        for release, ptxas in sorted(releases.items()):
            accepted = (
                subprocess.run(
                    [ptxas, "-arch=" + arch, file.name, "-o", os.devnull],
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                ).returncode
                == 0
            )
            if accepted != (release < first):
                print(f"{line} ptxas {release[0]}.{release[1]} {'takes' if accepted else 'refuses'} it")
                wrong = 1
sys.exit(wrong)
