"""docs/instructions.md is what `ptxray isa --table` prints, and has every instruction of test/isa/instructions.txt:
instruction_table.py PTXRAY SOURCE_FOLDER. With PTXRAY_BLESS set it writes the table."""

import os
import pathlib
import subprocess
import sys


def main():
    ptxray, root = sys.argv[1], pathlib.Path(sys.argv[2])
    table = subprocess.run([ptxray, "isa", "--table"], stdout=subprocess.PIPE, text=True, check=True).stdout
    page = root / "docs/instructions.md"
    if os.environ.get("PTXRAY_BLESS"):
        page.write_text(table)
    names = {line.split("`")[1] for line in table.splitlines() if line.startswith("| `")}
    wrong = 0
    if page.read_text() != table:
        print("docs/instructions.md is not what `ptxray isa --table` prints")
        wrong = 1
    for name in (root / "test/isa/instructions.txt").read_text().split():
        if name not in names:
            print(f"no entry for `{name}`")
            wrong = 1
    sys.exit(wrong)


if __name__ == "__main__":
    main()
