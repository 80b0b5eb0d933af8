"""The parts of lib/Machine: machine_parts.py. The core of the machine includes no observer, units include each other in no
large cycle, and structs stay small. A limit may only be lowered, towards the target in its comment."""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
MACHINE = ROOT / "lib" / "Machine"
# What watches a launch, beside Observer.h, the interface by which the core notifies it.
OBSERVERS = {
    *("Clock", "Conflicts", "Counters", "FlightRaces", "GlobalRaces", "GlobalShadow", "Halt", "Order", "RaceState"),
    *("Races", "RegisterWatch", "SharedShadow", "Trace", "Unwritten", "Watch", "WatchedAccess"),
}
# What uses both: it selects the observers of a launch, and puts what they have found into words.
USERS = {"CountersJson", "FaultWords", "FlightWords", "Halted", "Hangs", "Launch"}
MAX_CYCLE = 2  # units; the target is 4
MAX_FIELDS = 25  # of any struct
MAX_WARP_FIELDS = 20


def units():
    """The units that each unit includes: a header and its source are one."""
    included = {}
    for path in sorted(MACHINE.iterdir()):
        if path.suffix in (".h", ".cpp"):
            names = re.findall(r'^#include "Machine/(\w+)\.h"', path.read_text(), re.MULTILINE)
            included.setdefault(path.stem, set()).update(name for name in names if name != path.stem)
    return included


def reachable(included, start):
    found, open_ends = set(), [start]
    while open_ends:
        for name in included.get(open_ends.pop(), ()):
            if name not in found:
                found.add(name)
                open_ends.append(name)
    return found


def structs(text):
    """The name and the text between the braces of each struct and class, without the functions in it."""
    text = re.sub(r"//[^\n]*", "", text)
    for match in re.finditer(r"^(?:template[^\n]*\n)?(?:struct|class) (\w+)[^;{()]*\{", text, re.MULTILINE):
        depth, at, body = 1, match.end(), ""
        while depth:
            depth += {"{": 1, "}": -1}.get(text[at], 0)
            body += text[at] if depth == 1 else ""
            at += 1
        yield match[1], body


def fields(body):
    """The number of members with names. `body` has lost what is between inner braces."""
    count = 0
    for statement in body.split(";"):
        statement = re.sub(r"^\s*(public|private|protected):", "", statement.replace("}", " "), flags=re.MULTILINE).strip()
        declaration = re.sub(r"<[^<>]*>", "", re.sub(r"<[^<>]*>", "", re.sub(r"<[^<>]*>", "", statement)))
        declaration = re.sub(r"alignas\([^)]*\)|= [^,]*(\([^)]*\))?", "", declaration)
        if re.match(r"(enum|struct|class)\b.*\s\w+\s\s+\w+$", declaration):
            count += 1  # a member of a type that is declared with it
            continue
        if not declaration or "(" in declaration or re.match(r"(static|using|friend|typedef|enum|struct|class)\b", declaration):
            continue
        count += declaration.count(",") + 1
    return count


def main():
    included, problems = units(), []
    core = set(included) - OBSERVERS - USERS
    for name in sorted(OBSERVERS | USERS):
        if name not in included:
            problems.append(f"{name} is no unit of lib/Machine")
    for name in sorted(core):
        for other in sorted(included[name] & (OBSERVERS | USERS)):
            problems.append(f"{name}, which is of the core, includes {other}")
    for name in sorted(OBSERVERS):
        for other in sorted(included[name] & USERS):
            problems.append(f"{name}, which is an observer, includes {other}")
    reached = {name: reachable(included, name) for name in included}
    cycles = {frozenset(other for other in reached[name] if name in reached[other]) for name in included}
    for cycle in cycles:
        if len(cycle) > MAX_CYCLE:
            problems.append(f"{len(cycle)} units include each other: {', '.join(sorted(cycle))}")
    sizes = {}
    for path in sorted(MACHINE.glob("*.h")):
        for name, body in structs(path.read_text()):
            sizes[name] = fields(body)
            limit = MAX_WARP_FIELDS if name == "Warp" else MAX_FIELDS
            if sizes[name] > limit:
                problems.append(f"{path.name}: {name} has {sizes[name]} fields, more than {limit}")
    if sizes.get("Warp", 0) < 10:
        problems.append("the fields of Warp are not counted")
    print("\n".join(problems))
    largest = max(sizes, key=sizes.get)
    print(
        f"{len(core)} units of the core, {len(OBSERVERS)} of observers; the largest cycle has"
        f" {max(map(len, cycles))} units; Warp has {sizes['Warp']} fields, {largest} {sizes[largest]}"
    )
    sys.exit(bool(problems))


main()
