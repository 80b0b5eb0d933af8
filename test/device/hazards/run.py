#!/usr/bin/env python3
"""Shows faults of asynchronous operations on a Hopper GPU: each kernel of this folder and its faulty version.

    run.py build FOLDER --ptxas PATH --launcher PATH   here: assembles both of each
    run.py run FOLDER                                  there: launches them, prints a table

The faulty version, or twin, omits a line that ends in `// not in the twin`, and replaces one with `// in the twin:
TEXT`. It has the fault that the first line of the file names. It is launched repeatedly. The table shows how often
its result was wrong, and how often it hung or failed."""

import argparse
import pathlib
import shutil
import subprocess
import sys

BLOCKS, THREADS, ROUNDS, LAUNCHES = 264, 128, 200, 20
HANGS = 6  # exit status of ptxray-run for a timeout
SOURCE_BYTES = 2048 * (ROUNDS + 2)
RESULT_BYTES = BLOCKS * THREADS * 16


def twin_of(text):
    lines = []
    for line in text.splitlines():
        code, marked, instead = line.partition("  // in the twin: ")
        if marked:
            lines.append("  " + instead)
        elif not line.endswith("  // not in the twin"):
            lines.append(code)
    return "\n".join(lines) + "\n"


def build(folder, ptxas, launcher):
    folder.mkdir(parents=True, exist_ok=True)
    here = pathlib.Path(__file__).parent
    for path in sorted(here.glob("*.ptx")):
        text = path.read_text()
        assert twin_of(text) != text, path
        for name, one in ((path.stem, text), (path.stem + ".twin", twin_of(text))):
            ptx = folder / f"{name}.ptx"
            ptx.write_text(one)
            subprocess.run([ptxas, "-arch=sm_90a", ptx, "-o", folder / f"{name}.cubin"], check=True)
    shutil.copy(launcher, folder / "ptxray-run")
    shutil.copy(__file__, folder / "run.py")


def launch(folder, name, output):
    """Returns the result, or a word for the reason why there is none."""
    output.unlink(missing_ok=True)
    command = [
        folder / "ptxray-run",
        folder / f"{name}.cubin",
        "--kernel=kernel",
        f"--grid={BLOCKS}",
        f"--block={THREADS}",
        "--time-limit=5",
    ]
    command += [
        f"--out=1=file:{output}",
        f"random:f16:{SOURCE_BYTES // 2}:1",
        f"zeros:{RESULT_BYTES}",
        f"u32={ROUNDS}",
    ]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=30)
    except subprocess.TimeoutExpired:
        return "hangs"
    if done.returncode:
        return "hangs" if done.returncode == HANGS else "fails"
    return output.read_bytes()


def run(folder):
    print(
        "| kernel | right one | wrong | hangs | fails | equal | launches of the twin |\n|---|---|---|---|---|---|---|"
    )
    for path in sorted(folder.glob("*.twin.ptx")):
        name = path.name.removesuffix(".twin.ptx")
        right = [launch(folder, name, folder / "output") for _ in range(3)]
        steady = all(isinstance(one, bytes) and one == right[0] for one in right)
        counts = {"wrong": 0, "hangs": 0, "fails": 0, "equal": 0}
        for _ in range(LAUNCHES):
            result = launch(folder, f"{name}.twin", folder / "output")
            kind = result if isinstance(result, str) else "equal" if result == right[0] else "wrong"
            counts[kind] += 1
            if counts["hangs"] == 3:
                break
        words = "same each time" if steady else "/".join(one if isinstance(one, str) else "differs" for one in right)
        print(
            f"| {name} | {words} | "
            + " | ".join(str(count) for count in (*counts.values(), sum(counts.values())))
            + " |"
        )
        sys.stdout.flush()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("step", choices=("build", "run"))
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--ptxas")
    parser.add_argument("--launcher", type=pathlib.Path)
    options = parser.parse_args()
    if options.step == "build":
        build(options.folder, options.ptxas, options.launcher)
    else:
        run(options.folder.resolve())


if __name__ == "__main__":
    main()
