#!/usr/bin/env python3
"""Compares the checklist docs/ptxas-messages.md with the list of ptxas's messages, with its tests, and with ptxas.

    messages.py ROOT            tests that rows, rules, tests and attempts exist
    messages.py ROOT --ptxas    tests that ptxas prints each message in its test, and no other in any attempt

The first table has the rows of test/ptxas-messages.txt, each once and in that order. The second table is about code
generation. Its rows name a rule, and ptxas prints the message for the example on the rule's page. A row names a rule
and a test in which ptxas and ptxray both report an error, or `tried`: then test/ptxas-attempts.txt has at least
three texts that were written to cause the message, without success. ptxas is $PTXRAY_PTXAS or the 13.5 of `tools/dev
cuda`; without it, the second command ends with 77."""

import functools
import os
import pathlib
import re
import subprocess
import sys
import tempfile

root = pathlib.Path(sys.argv[1])
templates = (root / "test/ptxas-messages.txt").read_text().splitlines()
faults = []


# ---- the page and the attempts


def rows():
    for line in (root / "docs/ptxas-messages.md").read_text().splitlines():
        if row := re.match(r"\| ``(.*)`` \| (.*?) \| (.*?) \|$", line):
            yield row[1].strip(), row[2].strip("`"), row[3].strip("`")


def code_rows():
    for line in (root / "docs/ptxas-messages.md").read_text().splitlines():
        if row := re.match(r"\| ``([^|]*)`` \| `(codegen-[\w-]+)` \|$", line):
            yield row[1], row[2]


def attempts():
    found, current = {}, None
    for line in (root / "test/ptxas-attempts.txt").read_text().splitlines():
        if line.startswith("== "):
            current = found.setdefault(line[3:].strip(), [])
        elif line and not line.startswith("//"):
            current.append(line)
    return found


def expects(line, rule):
    """Returns whether the test expects the rule. `[missing-qualifier:scope]` is expected if `missing-qualifier` is."""
    return re.search(r"//.*\[" + re.escape(rule) + r"[\]:]", line)


def check_page():
    rules = set(re.findall(r'^DIAG\(\w+, +"([\w-]+)"', (root / "lib/Diagnostics/Diagnostics.def").read_text(), re.M))
    tried = attempts()
    listed = list(rows())
    for text, rule, place in listed:
        if place == "tried":
            if len(tried.pop(text, [])) < 3:
                faults.append(f"{text}: fewer than three attempts")
            continue
        offence = rule.split(":")[0]
        if offence not in rules:
            faults.append(f"{text}: there is no rule {rule}")
        # snippet-tests runs those two folders, and fails if an expectation is not met. page-tests does the same with
        # the examples of the pages.
        if place == f"docs/diagnostics/{offence}.md":
            continue
        if not re.match(r"test/(isa|module)/.*\.ptx$", place) or not (root / place).is_file():
            faults.append(f"{text}: {place} is not a test of ptxray")
        elif not any(expects(line, rule) for line in (root / place).read_text().splitlines()):
            faults.append(f"{text}: {place} does not expect {rule}")
    faults.extend(f"attempts for what is not marked as tried: {text}" for text in tried)
    names = [text for text, _, _ in listed]
    if names != templates:
        faults.append(
            f"rows are not those of test/ptxas-messages.txt: missing {set(templates) - set(names)}, "
            f"unknown {set(names) - set(templates)}"
        )
    return listed


# ---- texts


def version_of(text):
    major, minor = text.split(".")
    return int(major) * 100 + int(minor)


def in_kernel(version, targets, lines):
    """Returns the lines in the kernel of test/isa/prelude.ptx, in the same way as snippet-tests."""
    number = int(re.search(r"\d+", targets).group())

    def reached(condition):
        return all(
            version_of(version) >= version_of(part[4:])
            if part.startswith("ptx ")
            else number >= int(part[3:])
            if part.startswith("sm_")
            else part in targets
            for part in map(str.strip, condition.split(","))
        )

    out = [f".version {version}", f".target {targets}"]
    for line in (root / "test/isa/prelude.ptx").read_text().splitlines():
        code, _, mark = line.partition("//@ ")
        if mark == "snippet":
            out += lines
        elif not (mark.startswith("from ") and not reached(mark[5:])) and not (
            mark.startswith("before ") and reached(mark[7:])
        ):
            out.append(code)
    return "\n".join(out) + "\n"


def texts_of_test(path, rule):
    """Yields unchanged modules first. Then it yields each line that expects the rule without other wrong lines,
    after which ptxas may stop. For snippets, it yields each such line separately, and for a page its example."""
    if path.suffix == ".md":
        yield from re.findall(r"```ptx[^\n]*\n(.*?)```", path.read_text(), re.S)
        return
    lines = path.read_text().splitlines()
    if not any(line.startswith("//@ ptx ") for line in lines):
        yield "\n".join(lines) + "\n"
        for kept in lines:
            if expects(kept, rule):
                yield "\n".join(line for line in lines if line is kept or "error: [" not in line) + "\n"
        return
    version = targets = None
    for line in lines:
        if header := re.match(r"//@ ptx ([\d.]+), (.*)$", line):
            version, targets = header[1], header[2].replace(", pedantic", "")
        elif expects(line, rule):
            yield in_kernel(version, targets, [line])


def text_of_attempt(line):
    """Returns the text and the options of ptxas for `kernel V, TARGETS: line`, `module V, TARGETS: what follows the
    header`, or `text: all of it`. `\\n`, `\\x7f` and `\\\\` are escapes; `{a#*300}` is a0a1a2...; `compile sm_90 -g`
    before the colon makes ptxas generate code."""
    kind, head, compiled, body = re.fullmatch(
        r"(kernel|module|text)(?: ([^:]*?))?(?: compile ([^:]*))?: (.*)", line
    ).groups()
    body = re.sub(r"\{(.+?)\*(\d+)\}", lambda m: "".join(m[1].replace("#", str(i)) for i in range(int(m[2]))), body)
    body = re.sub(r"\\(n|\\|x[0-9a-f]{2})", lambda m: {"n": "\n", "\\": "\\"}.get(m[1]) or chr(int(m[1][1:], 16)), body)
    arguments = (compiled or "").split()
    if arguments:
        arguments[0] = "-arch=" + arguments[0]
    if kind == "text":
        return body, arguments
    version, _, targets = head.partition(", ")
    text = (
        in_kernel(version, targets, [body]) if kind == "kernel" else f".version {version}\n.target {targets}\n{body}\n"
    )
    return text, arguments


# ---- ptxas


def architecture(text, kind="compute"):
    """Returns the architecture: `compute` only checks, and `sm` generates code."""
    target = re.search(r"\.target\s+\w+?_0*(\d+)(?:([af])\b)?", text)
    if not target or int(target[1]) < 75:
        return f"-arch={kind}_100"
    return f"-arch={kind}_{target[1]}{target[2] or ''}"


@functools.cache
def pattern(template):
    out = ""
    for part in re.split(r"(%%|%l*[duxsfc])", template.rstrip(".")):
        out += re.escape("%") if part == "%%" else ".*?" if re.fullmatch(r"%l*[duxsfc]", part) else re.escape(part)
    return re.compile(out)


def draws(template, messages):
    """Returns whether the output contains the message. Some messages are parts of others."""
    return any(pattern(template).search(message) for message in messages)


class Ptxas:
    def __init__(self, program):
        self.program = program
        self.folder = tempfile.TemporaryDirectory()

    def messages(self, text, arguments=()):
        path = pathlib.Path(self.folder.name) / "m.ptx"
        path.write_text(text, encoding="latin-1", newline="")
        run = subprocess.run(
            [self.program, *(arguments or [architecture(text)]), path, "-o", path.with_suffix(".o")],
            capture_output=True,
            text=True,
            errors="replace",
        )
        return [
            re.sub(r"^ptxas .*?(error|fatal|warning|info)\s*: ", "", line)
            for line in (run.stdout + run.stderr).splitlines()
            if "aborted due to errors" not in line
        ]


def check_ptxas(listed, ptxas):
    unreachable = [text for text, _, place in listed if place == "tried"]
    for text, rule, place in listed:
        if place == "tried":
            continue
        modules = list(texts_of_test(root / place, rule))
        if not any(draws(text, ptxas.messages(module)) for module in modules) and not any(
            draws(text, ptxas.messages(module, [architecture(module, "sm")])) for module in modules
        ):
            faults.append(f"{text}: ptxas does not say it where {place} expects {rule}")
    for text, rule in code_rows():
        modules = texts_of_test(root / f"docs/diagnostics/{rule}.md", rule)
        if not any(draws(text, ptxas.messages(module, [architecture(module, "sm")])) for module in modules):
            faults.append(f"{text}: ptxas does not say it of the example of {rule}")
    for lines in attempts().values():
        for line in lines:
            messages = ptxas.messages(*text_of_attempt(line))
            faults.extend(f"{other}: drawn by `{line}`" for other in unreachable if draws(other, messages))


def main():
    listed = check_page()
    of_code = list(code_rows())
    unknown = [rule for _, rule in of_code if not (root / f"docs/diagnostics/{rule}.md").is_file()]
    faults.extend(f"there is no rule {rule}" for rule in unknown)
    if len(of_code) < 15:
        faults.append(f"{len(of_code)} messages of code generation")
    if "--ptxas" in sys.argv and not faults:
        program = os.environ.get("PTXRAY_PTXAS", str(root / "build/cuda/13.5/bin/ptxas"))
        if not os.access(program, os.X_OK):
            print("no ptxas 13.5: `tools/dev cuda 13.5` fetches it")
            sys.exit("ptxas" in os.environ.get("PTXRAY_REQUIRE", "").split(",") or 77)
        check_ptxas(listed, Ptxas(program))
    tried = sum(place == "tried" for _, _, place in listed)
    print("\n".join(faults) or f"{len(listed)} messages: {len(listed) - tried} with rule and test, {tried} never drawn")
    sys.exit(bool(faults))


main()
