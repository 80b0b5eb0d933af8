"""Tests the structure of the emulator: machine_parts.py. lib/Machine, its core, includes no observer and no code
that selects one. Units must not include each other in large cycles, structs must be small, and no folder may be too
large a part of lib. A limit may only be lowered."""

import pathlib
import re
import sys

LIB = pathlib.Path(__file__).resolve().parents[1] / "lib"
CORE, OBSERVERS, USERS = "Machine", "Observe", "Emulate"  # each folder may include those before it
MAX_CYCLE = 2  # in units
MAX_FIELDS = 25  # in any struct
MAX_WARP_FIELDS = 20
MAX_ROOM = 0.15  # of the lines of lib


def units():
    """Returns the units that each unit includes. A header and its source are one unit."""
    included = {}
    for room in (CORE, OBSERVERS, USERS):
        for path in sorted((LIB / room).iterdir()):
            if path.suffix in (".h", ".cpp"):
                unit = f"{room}/{path.stem}"
                pattern = rf'^#include "((?:{CORE}|{OBSERVERS}|{USERS})/\w+)\.h"'
                names = re.findall(pattern, path.read_text(), re.MULTILINE)
                included.setdefault(unit, set()).update(name for name in names if name != unit)
    return included


def room_sizes():
    """Returns the number of lines in each folder of lib."""
    rooms = [room for room in sorted(LIB.iterdir()) if room.is_dir()]
    files = {room.name: [path for path in room.rglob("*") if path.suffix in (".h", ".cpp", ".def")] for room in rooms}
    return {room: sum(len(path.read_text().splitlines()) for path in paths) for room, paths in files.items()}


def reachable(included, start):
    found, open_ends = set(), [start]
    while open_ends:
        for name in included.get(open_ends.pop(), ()):
            if name not in found:
                found.add(name)
                open_ends.append(name)
    return found


def structs(text):
    """Returns the name of each struct and class, and the text between its braces without functions."""
    text = re.sub(r"//[^\n]*", "", text)
    for match in re.finditer(r"^(?:template[^\n]*\n)?(?:struct|class) (\w+)[^;{()]*\{", text, re.MULTILINE):
        depth, at, body = 1, match.end(), ""
        while depth:
            depth += {"{": 1, "}": -1}.get(text[at], 0)
            body += text[at] if depth == 1 else ""
            at += 1
        yield match[1], body


def fields(body):
    """Returns the number of members with names. `body` no longer contains inner braces."""
    count = 0
    for statement in body.split(";"):
        text = re.sub(r"^\s*(public|private|protected):", "", statement.replace("}", " "), flags=re.MULTILINE).strip()
        declaration = re.sub(r"<[^<>]*>", "", re.sub(r"<[^<>]*>", "", re.sub(r"<[^<>]*>", "", text)))
        declaration = re.sub(r"alignas\([^)]*\)|= [^,]*(\([^)]*\))?", "", declaration)
        if re.match(r"(enum|struct|class)\b.*\s\w+\s\s+\w+$", declaration):
            count += 1  # a member that is declared together with its type
            continue
        is_other = re.match(r"(static|using|friend|typedef|enum|struct|class)\b", declaration)
        if not declaration or "(" in declaration or is_other:
            continue
        count += declaration.count(",") + 1
    return count


def main():
    included, problems = units(), []
    order = [CORE, OBSERVERS, USERS]
    for name in sorted(included):
        for other in sorted(included[name]):
            if order.index(other.split("/")[0]) > order.index(name.split("/")[0]):
                problems.append(f"{name} includes {other}, which is above it")
    reached = {name: reachable(included, name) for name in included}
    cycles = {frozenset(other for other in reached[name] if name in reached[other]) for name in included}
    for cycle in cycles:
        if len(cycle) > MAX_CYCLE:
            problems.append(f"{len(cycle)} units include each other: {', '.join(sorted(cycle))}")
    sizes = {}
    for path in sorted(path for room in order for path in (LIB / room).glob("*.h")):
        for name, body in structs(path.read_text()):
            sizes[name] = fields(body)
            limit = MAX_WARP_FIELDS if name == "Warp" else MAX_FIELDS
            if sizes[name] > limit:
                problems.append(f"{path.name}: {name} has {sizes[name]} fields, more than {limit}")
    if sizes.get("Warp", 0) < 10:
        problems.append("the fields of Warp are not counted")
    rooms = room_sizes()
    for room, lines in rooms.items():
        if lines > MAX_ROOM * sum(rooms.values()):
            share = lines / sum(rooms.values())
            problems.append(f"lib/{room} has {share:.1%} of the lines of lib, more than {MAX_ROOM:.0%}")
    print("\n".join(problems))
    largest = max(sizes, key=sizes.get)
    print(
        f"{len(included)} units; the largest cycle has {max(map(len, cycles))}; Warp has {sizes['Warp']} fields,"
        f" {largest} {sizes[largest]}; lib/{CORE} has {rooms[CORE] / sum(rooms.values()):.1%} of the lines of lib"
    )
    sys.exit(bool(problems))


main()
