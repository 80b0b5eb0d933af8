#!/usr/bin/env python3
"""Runs the kernels of test/device/hazards and their faulty versions without a GPU: twins.py PTXRAY

A correct kernel must have no finding with any schedule. The table names the rule that reports each faulty version,
the twin. Other schedules may report another rule if they reach another access first. `-` means that no rule reports
the fault, since no check can show it (docs/hazards.md)."""

import importlib.util
import pathlib
import re
import subprocess
import sys
import tempfile

HAZARDS = pathlib.Path(__file__).resolve().parents[1] / "device" / "hazards"
ROUNDS, BLOCKS, THREADS = 6, 2, 128
SCHEDULES = ("eager", "lazy", "early", "1", "2", "3")
RULES = {
    "bulk_bytes": "run-hang",
    "bulk_expect": "unwaited-bulk-copy",
    "bulk_reuse": "-",
    "bulk_wait": "run-race",
    "cp_async_barrier": "run-race",
    "cp_async_commit": "uncommitted-copy",
    "cp_async_count": "unwaited-copy",
    "cp_async_stages": "unwaited-copy",
    "cp_async_wait": "unwaited-copy",
    "ignored_wait": "unwaited-bulk-copy",
    "init": "uninitialised-barrier",
    "init_fence": "-",
    "init_order": "unordered-init",
    "never_awaited": "unwaited-bulk-copy",
    "parity": "run-race",
    "store_commit": "uncommitted-copy",
    "store_exit": "-",
    "store_fence": "missing-proxy-fence",
    "store_source": "source-in-flight",
    "wgmma_commit": "register-in-flight",
    "wgmma_cp_async": "-",
    "wgmma_fence": "unfenced-registers",
    "wgmma_operand": "missing-proxy-fence",
    "wgmma_wait": "register-in-flight",
}


def twin_of(text):
    spec = importlib.util.spec_from_file_location("run", HAZARDS / "run.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.twin_of(text)


def launch(rounds=ROUNDS):
    sizes = [f"--grid={BLOCKS}", f"--block={THREADS}"]
    return [*sizes, f"random:f16:{1024 * (rounds + 2)}:1", f"zeros:{BLOCKS * THREADS * 16}", str(rounds)]


def found_in(ptxray, text, folder, options):
    """Returns the rules that a run reports, and its exit status."""
    path = folder / "kernel.ptx"
    path.write_text(text)
    command = [ptxray, "run", "--emulate", "--no-config", "--format=short", path]
    command += ["--kernel=kernel", *options, *launch()]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    rules = re.findall(r"error: .*\[([a-z-]+)\]$", done.stdout + done.stderr, re.MULTILINE)
    return rules, done.returncode


def main():
    ptxray = sys.argv[1]
    wrong = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for path in sorted(HAZARDS.glob("*.ptx")):
            text, wanted = path.read_text(), RULES[path.stem]
            for schedule in SCHEDULES:
                right = found_in(ptxray, text, folder, [f"--schedule={schedule}"])
                if right != ([], 0):
                    wrong += 1
                    print(f"{path.stem}, {schedule}: the right kernel has {right}")
                rules, status = found_in(ptxray, twin_of(text), folder, [f"--schedule={schedule}"])
                is_found = rules[:1] == [wanted] if schedule == "eager" else rules != []
                if status != (wanted != "-") or is_found != (wanted != "-"):
                    wrong += 1
                    print(f"{path.stem}, {schedule}: the twin has {rules}, status {status}; wanted: {wanted}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
