#!/usr/bin/env python3
"""Builds the site and tests its links: build.py PTXRAY SOURCE-FOLDER OUTPUT

Every `href` and `src` of a page must be a file of the site and, with `#`, an anchor in it. Only links may access the
network. The test is skipped (77) if markdown-it-py cannot be installed, unless PTXRAY_REQUIRE names `site` or `all`."""

import base64
import html.parser
import os
import pathlib
import re
import subprocess
import sys
import urllib.parse
import zlib

WANTED = [
    "index.html",
    "search.html",
    "layouts.html",
    "docs/hazards.html",
    "docs/rules.html",
    "concepts/swizzle.html",
    "rules/operand-type.html",
    "instructions/wgmma.mma_async.html",
    "instructions/tcgen05.mma.html",
    "special-registers/clock64.html",
    "targets/sm_100f.html",
    "directives/maxntid.html",
]


class Page(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.links, self.anchors, self.loads = [], set(), []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        values = dict(attrs)
        if "id" in values:
            self.anchors.add(values["id"])
        if tag == "a" and "href" in values:
            self.links.append(values["href"])
        if tag in ("link", "script", "img", "iframe"):
            self.loads += [values[name] for name in ("href", "src") if values.get(name)]


def handed(code):
    """Returns the text in an address of the playground."""
    return zlib.decompress(base64.urlsafe_b64decode(code + "=" * (-len(code) % 4)), -15).decode()


def problems_of(folder):
    pages = {path: Page(path.read_text()) for path in folder.rglob("*.html")}
    for path, page in pages.items():
        name = path.relative_to(folder)
        for link in page.links + page.loads:
            parts = urllib.parse.urlsplit(link)
            if parts.scheme in ("http", "https"):
                if link in page.loads:
                    yield f"{name} loads {link}"
                continue
            if parts.scheme == "data":
                continue
            target = (path.parent / urllib.parse.unquote(parts.path)).resolve() if parts.path else path.resolve()
            if not target.is_file():
                yield f"{name}: no {link}"
            elif parts.fragment.startswith("c="):
                if ".version" not in handed(parts.fragment[2:]):
                    yield f"{name}: no module is handed to the playground by {link}"
            elif parts.fragment and target in pages and parts.fragment not in pages[target].anchors:
                yield f"{name}: no anchor {link}"
    for wanted in WANTED:
        if not (folder / wanted).is_file():
            yield f"no {wanted}"
    if re.search(r"url\(|@import", (folder / "style.css").read_text()):
        yield "style.css loads something"


def problems_of_links(ptxray, source, folder):
    """Tests that the links in reports are pages of the site."""
    address = folder.as_uri()
    words = [ptxray, "check", "--no-config", "--color=always", f"--site={address}", f"{source}/test/cli/site.ptx"]
    shown = subprocess.run(words, capture_output=True, text=True, env={**os.environ, "FORCE_HYPERLINK": "1"}).stdout
    links = re.findall(r"\033]8;;(file:[^\033]+)\033", shown)
    if not links:
        yield f"no link in {shown!r}"
    for link in links:
        if not pathlib.Path(urllib.parse.urlsplit(link).path).is_file():
            yield f"a report links to {link}"


def main():
    ptxray, source, output = (os.path.abspath(word) for word in sys.argv[1:4])
    made = subprocess.run(
        [sys.executable, f"{source}/tools/site", f"--ptxray={ptxray}", f"--output={output}"],
        capture_output=True,
        text=True,
    )
    if made.returncode:
        print(made.stderr)
        if "No module named 'markdown_it'" in made.stderr or "pip" in made.stderr:
            print("skipped: no markdown-it-py")
            return 1 if {"site", "all"} & set(os.environ.get("PTXRAY_REQUIRE", "").split(",")) else 77
        return 1
    folder = pathlib.Path(output).resolve()
    problems = [*problems_of(folder), *problems_of_links(ptxray, source, folder)]
    print(made.stdout, "\n".join(problems))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
