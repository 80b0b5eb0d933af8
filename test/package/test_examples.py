"""Runs the Python examples of docs/examples/embedding: test_examples.py WHICH PTXRAY [LIBRARY]. WHICH is score,
triton and cute (which compile kernels), llvmlite, ray (a cluster of two nodes in this machine) or dask (two
processes)."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

from common import BAD, GOOD, ROOT, python_with

EXAMPLES = ROOT / "docs" / "examples" / "embedding"
PACKAGES = {
    "score": (),
    "triton": ("triton==3.9.0", "numpy==2.4.6"),
    "cute": ("nvidia-cutlass-dsl==4.8.1",),
    "llvmlite": ("llvmlite==0.50.0",),
    "ray": ("ray[data]==2.52.1", "dask[dataframe]==2026.8.0", "pyarrow==26.0.1"),
    "dask": ("ray[data]==2.52.1", "dask[dataframe]==2026.8.0", "pyarrow==26.0.1"),
}


HALVES = """.version 9.0
.target sm_120a
.visible .entry k()
{
	.reg .b16 %h<3>;
	mov.b16 %h1, 0x3c00;
	add.f16 %h2, %h1, %h1;
	ret;
}
"""


def score():
    from score import score

    values = [
        score(text).value
        for text in ("", "int main() {}", BAD, BAD.replace("%r1\n", "%r1;\n"), GOOD.replace("b32 %r0", "b33 %r0"), GOOD)
    ]
    assert values == [0.0, 0.0, 0.1, 0.5, 0.4333, 1.0], values
    hazard = (ROOT / "test/module/hazards/copies.ptx").read_text()
    made = score(hazard, target="sm_90a")
    assert made.value == 0.8 and made.hazards["unwaited-copy"] > 1 and made.parses and made.target == "sm_90a", made
    leasts = [score(text, least=True).least for text in ("", BAD, GOOD, HALVES, hazard)]
    assert leasts == ["", "", "sm_10", "sm_53", "sm_80"], leasts
    shown = subprocess.run(
        [sys.executable, EXAMPLES / "score.py", "--least", ROOT / "docs/examples/transpose.ptx"],
        check=True,
        capture_output=True,
    ).stdout
    assert json.loads(shown)["value"] == 1.0 and json.loads(shown)["least"] == "sm_90", shown


def triton():
    sys.path.insert(0, str(ROOT / "tools" / "bench"))
    os.environ["TRITON_CACHE_DIR"] = tempfile.mkdtemp()
    import kernels
    import ptxray
    import triton_guard
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource, compile

    triton_guard.install(raise_errors=True)

    def compiled(capability):
        for kernel, types, constants, warps in list(kernels.variants())[:6]:
            signature = {name: types.get(name, "constexpr") for name in kernel.arg_names}
            target = GPUTarget("cuda", capability, 32)
            compile(ASTSource(kernel, signature, constants), target=target, options={"num_warps": warps})

    compiled(90)
    print(f"checking took {triton_guard.cost():.2%} of compiling")
    assert triton_guard.cost() < 0.01
    triton_guard._checker = ptxray.Checker(target="sm_20")  # these kernels are invalid for this target
    try:
        compiled(80)
    except ptxray.PtxError as error:
        assert error.diagnostics
    else:
        raise AssertionError("nothing is raised")


def cute():
    os.environ["CUTE_DSL_ARCH"] = "sm_90a"
    sys.path.remove(str(ROOT / "tools"))  # its cuda.py hides the package with that name
    import cute_guard
    import ptxray

    cute_guard.install(raise_errors=True)
    import cute_kernels

    for number in range(10):
        cute_kernels.compile_scaled(number)
    assert len(cute_guard._seen) == 10, cute_guard._seen
    print(f"checking took {cute_guard.cost():.2%} of compiling")
    assert cute_guard.cost() < 0.01
    cute_guard._checker = ptxray.Checker(target="sm_10")  # these kernels are invalid for this target
    try:
        cute_kernels.compile_scaled(11)
    except Exception as error:  # CuTe's exception, which wraps that of the guard
        cause = error.__cause__ or error.__context__
        assert isinstance(cause, ptxray.PtxError) and cause.diagnostics, error
    else:
        raise AssertionError("nothing is raised")


def llvmlite():
    import check_llvmlite
    import ptxray

    ptx = check_llvmlite.compiled(check_llvmlite.KERNEL)
    assert ".target sm_90" in ptx and "twice" in ptx, ptx
    found = ptxray.check(ptx)
    assert found.target == "sm_90" and not found, found
    wrong = 'call void asm sideeffect "bar.snyc 0;", ""()'
    wrong = check_llvmlite.compiled(check_llvmlite.KERNEL.replace("ret void", f"{wrong}\n  ret void"))
    assert [d.rule for d in ptxray.check(wrong)] == ["unknown-qualifier"], list(ptxray.check(wrong))


def table(folder):
    """Writes Parquet in four parts. Returns the number of errors in each row; None: the row has no text."""
    import pyarrow
    import pyarrow.parquet

    folder.mkdir()
    texts = [BAD if i % 5 == 0 else None if i % 7 == 0 else GOOD for i in range(2000)]
    for part in range(4):
        rows = range(part * 500, part * 500 + 500)
        columns = {"id": list(rows), "ptx": [texts[i] for i in rows]}
        pyarrow.parquet.write_table(pyarrow.table(columns), folder / f"{part}.parquet")
    return {i: 2 if i % 5 == 0 else None if i % 7 == 0 else 0 for i in range(2000)}


def checked(main, missing):
    import pyarrow.parquet

    with tempfile.TemporaryDirectory() as name:
        source, target = pathlib.Path(name) / "in", pathlib.Path(name) / "out"
        wanted = table(source)
        main(str(source), str(target))
        found = pyarrow.parquet.read_table(target).to_pydict()
        errors = [None if one == missing else one for one in found["errors"]]
        assert dict(zip(found["id"], errors)) == wanted
        assert all(rule == "undefined-symbol" for one, rule in zip(errors, found["first_rule"]) if one)


def ray():
    import check_ray
    import ray
    from ray.cluster_utils import Cluster

    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1})
    cluster.add_node(num_cpus=1)
    ray.init(address=cluster.address, log_to_driver=False)
    checked(check_ray.main, None)
    ray.shutdown()
    cluster.shutdown()


def dask():
    import check_dask
    import dask

    dask.config.set(scheduler="processes", num_workers=2)
    checked(check_dask.main, -1)


def main():
    which, program, *library = sys.argv[1:]
    paths = [str(ROOT / "tools" / "python"), str(EXAMPLES)]
    if "PTXRAY_EXAMPLES" not in os.environ:
        python = python_with(*PACKAGES[which]) if PACKAGES[which] else sys.executable
        environment = {
            **os.environ,
            "PTXRAY_EXAMPLES": "inside",
            "PYTHONPATH": os.pathsep.join(paths),
            "PTXRAY_LIBRARY": str(pathlib.Path(library[0]).resolve()) if library else "/nonexistent",
            "PTXRAY_PROGRAM": str(pathlib.Path(program).resolve()),
        }
        sys.exit(subprocess.run([python, __file__, *sys.argv[1:]], env=environment).returncode)
    {"score": score, "triton": triton, "cute": cute, "llvmlite": llvmlite, "ray": ray, "dask": dask}[which]()
    print(f"docs/examples/embedding: {which} works")


if __name__ == "__main__":
    main()
