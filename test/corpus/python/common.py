"""Provides functions for all producers: `for arch in archs()` and `write(name, text)`."""

import pathlib
import re
import sys

FOLDER = pathlib.Path(sys.argv[1])


def archs(plain=False):
    """Returns the requested targets as pairs (number, suffix). `plain` omits the a and f variants."""
    for arch in sys.argv[2:]:
        number, suffix = re.fullmatch(r"(\d+)([af]?)", arch).groups()
        if not (plain and suffix):
            yield int(number), suffix


def write(name, text):
    FOLDER.mkdir(parents=True, exist_ok=True)
    (FOLDER / f"{name}.ptx").write_text(text.rstrip("\0"))
