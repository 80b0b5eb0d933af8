#!/usr/bin/env python3
"""The checklist docs/ptxas-messages.md against the list of ptxas's messages and the tests that it names.

Usage: messages.py <root of the repository>

Its rows are those of test/ptxas-messages.txt, each once and in that order. A row names a rule and a test in which
ptxas and ptxray both speak, or the number of the paragraph that says why no text draws the message."""
import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1])
templates = (root / "test/ptxas-messages.txt").read_text().splitlines()
page = (root / "docs/ptxas-messages.md").read_text()
rules = set(re.findall(r'^DIAG\(\w+, +"([\w-]+)"', (root / "lib/Diagnostics/Diagnostics.def").read_text(), re.M))
paragraphs = set(re.findall(r"^### (\d+)\.", page, re.M))
faults = []
rows = []
for line in page.splitlines():
    row = re.match(r"\| ``(.*)`` \| (.*?) \| (.*?) \|$", line)
    if not row:
        continue
    text, rule, place = row.groups()
    rows.append(text.strip())
    if place.startswith("see "):
        if place[4:] not in paragraphs:
            faults.append(f"{text}: there is no paragraph {place[4:]}")
        continue
    rule = rule.strip("`")
    if rule not in rules:
        faults.append(f"{text}: there is no rule {rule}")
    test = root / place.strip("`")
    if not test.is_file():
        faults.append(f"{text}: there is no test {place}")
    elif f"[{rule}]" not in test.read_text():
        faults.append(f"{text}: {place} does not expect {rule}")
if rows != templates:
    missing = [t for t in templates if t not in rows]
    extra = [t for t in rows if t not in templates]
    faults.append(f"rows are not those of test/ptxas-messages.txt: missing {missing}, unknown {extra}")
print("\n".join(faults) or f"{len(rows)} messages")
sys.exit(bool(faults))
