#!/usr/bin/env python3
"""The parts of ptxray (docs/packaging.md): parts.py BUILD-FOLDER CMAKE [CHECKER]

- No file of the checker includes a file of the machine or of the clients, directly or through other files.
- Each file of tools/ptxray belongs to a command or to the program, and docs/packaging.md lists the commands by part.
- With -DPTXRAY_MACHINE=OFF, the project can be configured, and the program is made of the checker's files alone.
- CHECKER, which a full build links from the checker's commands, has these commands."""

import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
# Sources of lib/Api and folders of tools that belong to the machine or to the clients.
MACHINE_FILES = ("Api/Emulate.cpp", "Api/Images.cpp", "Api/MachineStruct.h")
MACHINE_TOOLS = ("ptxray-run", "driver", "recorder", "runtime", "cuda")
LAUNCH = "Launch"  # the size of a launch: recordings have it too, which `as` and `reduce` read


def machine_rooms():
    """The folders of lib that lib/Machine.cmake makes rooms of."""
    return set(re.findall(r"ptxray_library\(\w+ (\w+)\)", (ROOT / "lib/Machine.cmake").read_text()))


def includes(path):
    """The files of this repository that a file includes."""
    for name in re.findall(r'^#include "([^"]+)"', path.read_text(), re.MULTILINE):
        for folder in (path.parent, ROOT / "lib", ROOT / "tools/ptxray", ROOT / "tools/launcher", ROOT / "include"):
            if (folder / name).is_file():
                yield (folder / name).resolve()
                break


def closure(files):
    """These files and all that they include, each with the file that includes it."""
    found, open_ends = dict.fromkeys(files), list(files)
    while open_ends:
        file = open_ends.pop()
        for other in includes(file):
            if other not in found:
                found[other] = file
                open_ends.append(other)
    return found


def of_machine(path, rooms):
    """whether a file belongs to the machine or to the clients"""
    folder, *rest = path.relative_to(ROOT).parts
    if folder == "lib":
        return rest[0] in rooms or "/".join(rest) in MACHINE_FILES
    return folder == "tools" and rest[0] in MACHINE_TOOLS


def checker_commands():
    """The commands and the files of the checker, of the parts besides it, and those of the program."""
    text = (ROOT / "tools/ptxray/Commands.cmake").read_text()
    commands, files, others = [], set(), set()
    for name, words in re.findall(r"^ptxray_command\((\w+)([^)]*)\)", text, re.MULTILINE):
        part = re.search(r"PART (\w+)", words)
        named = set(re.findall(r"\w+\.cpp", words))
        if part:
            others |= named
        else:
            commands.append(name)
            files |= named
    others |= set(re.findall(r"\w+\.cpp", re.search(r"set\(launch_files([^)]*)\)", text)[1])) | {"RunOnGpu.cpp"}
    program = (ROOT / "tools/ptxray/CMakeLists.txt").read_text()
    shared = set(re.findall(r"\w+\.cpp", re.search(r"set\(program_sources([^)]*)\)", program)[1]))
    return commands, files, others - files, shared | {"Unwind.cpp", "UserDatabase.cpp"}


def check_files(commands, files, others, shared):
    rooms = machine_rooms()
    assert {"Machine", "Observe", "Emulate", "Equal", "Prove", "Debug", "Operate"} <= rooms, rooms
    assert LAUNCH not in rooms
    tools = ROOT / "tools/ptxray"
    there = {path.name for path in tools.glob("*.cpp")}
    assert there == (files | others | shared) & there, f"no command has {sorted(there - files - others - shared)}"
    begin = [tools / name for name in (files | shared) & there] + list(tools.glob("lsp/*.cpp"))
    begin += [
        path for path in (ROOT / "lib").rglob("*") if path.suffix in (".cpp", ".h") and not of_machine(path, rooms)
    ]
    found = closure(begin)
    wrong = [
        f"{found[path].relative_to(ROOT)} includes {path.relative_to(ROOT)}"
        for path in found
        if of_machine(path, rooms)
    ]
    assert not wrong, "\n".join(wrong)
    assert len(found) > 400, len(found)
    page = (ROOT / "docs/packaging.md").read_text()
    row = re.search(r"^\| checker \|.*$", page, re.MULTILINE)[0].split("|")[3]
    assert re.findall(r"`(\w+)`", row) == sorted(commands), row


def check_configuration(build, cmake):
    """A fresh folder with the compiler of BUILD-FOLDER."""
    cache = (build / "CMakeCache.txt").read_text()
    kept = re.findall(
        r"^((?:CMAKE_(?:C|CXX)_COMPILER|LLVM_DIR|CMAKE_BUILD_TYPE|PTXRAY_UNITY):\w+=.+)$", cache, re.MULTILINE
    )
    with tempfile.TemporaryDirectory() as folder:
        words = [
            cmake,
            "-G",
            "Ninja",
            "-S",
            ROOT,
            "-B",
            folder,
            "-DPTXRAY_MACHINE=OFF",
            *[f"-D{line}" for line in kept],
        ]
        done = subprocess.run(words, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
        shown = subprocess.run(["ninja", "-C", folder, "-t", "inputs", "all"], capture_output=True, text=True)
        inputs = shown.stdout.split()
        assert shown.returncode == 0 and len(inputs) > 300, shown.stderr
        rooms = "|".join(machine_rooms())
        pattern = rf"/lib/(?:{rooms})/|(?:^|/)(?:machine|clients)-commands|tools/(?:{'|'.join(MACHINE_TOOLS)})/"
        wrong = [name for name in inputs if re.search(pattern, name)]
        assert not wrong, f"a build without the machine makes {wrong[:5]}"
        listed = pathlib.Path(folder, "tools/ptxray/ptxray-commands.cpp").read_text()
        for name, option in (("run", "PTXRAY_MACHINE=ON"), ("record", "PTXRAY_CLIENTS=ON")):
            assert re.search(rf'{{"{name}", "[^"]*{option}', listed), listed


def check_program(checker, commands):
    """The program has the checker's commands and no other."""
    shown = subprocess.run([checker, "--help"], capture_output=True, text=True, check=True).stdout
    assert re.findall(r"^  (\w+) ", shown, re.MULTILINE) == sorted(commands), shown
    example = ROOT / "docs/examples/pipeline.ptx"
    found = subprocess.run([checker, "check", example], capture_output=True, text=True, check=True)
    assert "[unwaited-copy]" in found.stdout, found


def main(build, cmake, checker=""):
    lists = checker_commands()
    check_files(*lists)
    check_configuration(pathlib.Path(build), cmake)
    if checker:
        check_program(checker, lists[0])


if __name__ == "__main__":
    main(*sys.argv[1:])
