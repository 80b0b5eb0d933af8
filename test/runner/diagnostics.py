"""Tests that each diagnostic is expected by some test, and that no id is another id with a kind: diagnostics.py
SOURCE_FOLDER"""

import pathlib
import re
import sys


def main():
    root = pathlib.Path(sys.argv[1])
    definitions = (root / "lib/Diagnostics/Diagnostics.def").read_text()
    rules = dict(re.findall(r'^DIAG\((\w+), +"([a-z0-9-]+)"', definitions, re.M))
    kinds = re.findall(r'^KIND\(\w+, +"([a-z-]+)", +(.*)\)$', definitions, re.M)
    families = dict(re.findall(r'^DIAG\(\w+, +"([a-z0-9-]+)", .*, (Of\w+)\)$', definitions, re.M))
    reported = set()
    for folder in ("lib", "tools"):
        for path in (root / folder).rglob("*"):
            if path.suffix in (".cpp", ".h"):
                reported.update(re.findall(r"DiagId::(\w+)", path.read_text()))
    data = "".join(path.read_text() for path in (root / "grammar/isa").rglob("*.isa"))
    warned = set(re.findall(r"warn\(([a-z0-9-]+)\)", data))
    wrong = [f"`{id}` is never reported" for name, id in rules.items() if name not in reported and id not in warned]
    ids = set(rules.values())
    for family, kinds_of in families.items():
        for kind in (kind for kind, members in kinds if kinds_of in members.split(" | ")):
            for split in {re.sub("qualifiers?", kind, family), f"{family}-{kind}", f"{kind}-{family}"} - {family}:
                if split in ids:
                    wrong.append(f"`{split}` is `{family}:{kind}`")
    print(f"{len(ids)} rules, {len(families)} of them with kinds", *wrong, sep="\n")
    sys.exit(bool(wrong) or len(families) < 10)


if __name__ == "__main__":
    main()
