#!/usr/bin/env python3
"""Applies every fix that ptxray offers for a text of the tests, each separately.

    each_fix.py PTXRAY SOURCE-FOLDER [--samples]

The texts are all `.ptx` files of test/ and docs/, and each line of test/isa that expects a diagnostic. `--samples` adds
the lines of test/samples that ptxas rejects. The fix of an error must reduce the number of errors, and the fix of a
warning the number of findings. Neither may add an error of any rule.
"""

import collections
import json
import pathlib
import subprocess
import sys

# These fixes cause another error, and are offered for the given reason.
KNOWN = {
    ("test/module/syntax/faults.ptx", "unknown-directive"): "more is wrong with that line",
    ("test/module/syntax/junk.ptx", "extra-token"): "a file of random tokens",
    ("test/targets/exclusive.ptx", "requires-target-variant"): "no target has both instructions",
    ("test/samples", "undefined-symbol"): "a guess: the register with the similar name has another size",
}

root = pathlib.Path(sys.argv[2]).resolve()
sys.path.insert(0, str(root / "test"))
import sections  # noqa: E402


def answers(texts):
    """Returns the report of ptxray for each text, from one process."""
    requests = "".join(json.dumps({"name": "a.ptx", "text": text, "pedantic": "yes"}) + "\n" for text in texts)
    done = subprocess.run([sys.argv[1], "check", "--batch"], input=requests.encode(), capture_output=True, check=True)
    found = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(found) == len(texts), "an answer is missing"
    return [answer["diagnostics"] for answer in found]


def lines_of(path):
    """Yields (position, module) of each line that expects a diagnostic."""
    for ptx, targets, lines in sections.sections(path):
        before, after = sections.prelude(ptx, targets)
        header = f".version {ptx // 100}.{ptx % 100}\n.target {', '.join(targets)}\n"
        for number, line in lines:
            yield f"{path.relative_to(root)}:{number}", header + "\n".join([*before, line, *after]) + "\n"


def texts():
    isa = root / "test/isa"
    for path in sorted(isa.glob("*/*.ptx")):
        marked = path.read_text().splitlines()
        for place, text in lines_of(path):
            if any(word in marked[int(place.rpartition(":")[2]) - 1] for word in ("error:", "warning:", "pedantic:")):
                yield place, text
    for path in sorted([*(root / "test").rglob("*.ptx"), *(root / "docs").rglob("*.ptx")]):
        if isa in path.parents or b"\0" in path.read_bytes():
            continue
        yield str(path.relative_to(root)), path.read_bytes().decode("utf-8", "replace")
    if "--samples" in sys.argv:
        for path in sorted((root / "test/samples").glob("*.lines")):
            marks = path.read_text(encoding="latin-1").splitlines()
            for place, text in lines_of(path):
                if marks[int(place.rpartition(":")[2]) - 1].startswith("-"):
                    yield place, text


def applied(text, edits):
    out, at = b"", 0
    data = text.encode()
    for edit in sorted(edits, key=lambda edit: edit["offset"]):
        out += data[at : edit["offset"]] + edit["text"].encode()
        at = edit["offset"] + edit["length"]
    return (out + data[at:]).decode("utf-8", "replace")


def errors_by_rule(diagnostics):
    """Counts the errors without those of code generation, which are only searched for if there is no other error."""
    errors = (d["rule"] for d in diagnostics if d["severity"] == "error")
    return collections.Counter(rule for rule in errors if not rule.startswith("codegen-"))


def main():
    tried = list(texts())
    fixed = []
    for (place, text), found in zip(tried, answers([text for _, text in tried]), strict=True):
        for d in found:
            if "fix" in d:
                fixed.append((place, d, found, applied(text, d["fix"]["edits"])))
    problems, rules, known = [], collections.Counter(), 0
    for (place, d, before, _), after in zip(fixed, answers([text for *_, text in fixed]), strict=True):
        rules[d["rule"]] += 1
        errors, left = errors_by_rule(before), errors_by_rule(after)
        more = left - errors
        helps = left.total() < errors.total() or (d["severity"] != "error" and len(after) < len(before))
        if (more or not helps) and any(place.startswith(path) and d["rule"] == rule for path, rule in KNOWN):
            known += 1
        elif more or not helps:
            made = dict(more) or "the same"
            problems.append(f"{place}: {d['message']} [{d['rule']}]: {d['fix']['title']}: then {made}")
    print(*problems, sep="\n")
    print(f"{len(fixed)} fixes of {len(rules)} rules in {len(tried)} texts, {len(problems)} wrong, {known} passed over")
    assert len(rules) > 20, "too few kinds of fixes were tried"
    return bool(problems)


if __name__ == "__main__":
    sys.exit(main())
