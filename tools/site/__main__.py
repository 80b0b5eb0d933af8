"""Builds a static site of the documents: rules, instructions, layouts, the pages of docs/, and a search that needs no
server.

usage: tools/site [--ptxray PROGRAM] [--output FOLDER]

docs/site.md describes it. All contents come from the program (`explain`, `rules`, `layout`) and from docs/.
"""

import argparse
import json
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(pathlib.Path(__file__).parent), str(ROOT / "tools")]

import documents  # noqa: E402  (lies beside this file)
import names  # noqa: E402
import page as pages  # noqa: E402

# These are the pictures of layouts: the arguments, and the caption.
LAYOUTS = [
    ("mma.m16n8k16.f16", "the fragments of mma, 16-bit elements"),
    ("mma.m16n8k32.s8", "the fragments of mma, 8-bit elements"),
    ("mma.m16n8k8.tf32", "the fragments of mma, .tf32"),
    ("wmma.mma.m16n16k16.f16", "the fragments of wmma"),
    ("wgmma.mma_async.m64n32k16.f32.f16.f16", "the fragments of wgmma"),
    ("ldmatrix.m8n8.x4.b16", "ldmatrix: which thread gives which address"),
    ("movmatrix", "movmatrix: before and after"),
    ("tcgen05.ld.16x256b.x2", "tensor memory: 16 lanes with 256 bits each"),
    ("tcgen05.ld.32x32b.x8", "tensor memory: 32 lanes with 32 bits each"),
    ("smem --type bf16 --major k --swizzle 128B", "shared memory, 128-byte swizzle"),
    ("smem --type bf16 --major mn --swizzle 64B", "shared memory, 64-byte swizzle"),
]


class Site:
    def __init__(self, program, output):
        self.program = program
        self.output = output
        self.index = []  # entries of the search: title, kind, path, words

    def run(self, *words):
        return subprocess.run([self.program, *words], check=True, capture_output=True, text=True).stdout

    def write(self, path, title, body, kind="", words=""):
        file = self.output / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(pages.frame(path, title, body))
        self.index.append([title, kind, path, words])

    def rules(self):
        rules = json.loads(self.run("rules", "--format=json"))
        groups = {}
        for rule in rules:
            groups.setdefault(rule["group"], []).append(rule)
            text = (ROOT / "docs" / "diagnostics" / f"{rule['id']}.md").read_text()
            self.write(f"rules/{rule['id']}.html", rule["id"], names.rule(rule, text), "rule", rule["message"])
        self.write("rules/index.html", "Rules", names.rule_list(groups), "list")

    def instructions(self):
        described = json.loads(self.run("explain", "--format=json"))
        known = {one["name"]: names.path_of(one) for one in described}
        mentions = names.rules_by_instruction(ROOT / "docs" / "diagnostics", known)
        for one in described:
            shown = any(names.has_layout(one["name"], asked) for asked, _ in LAYOUTS)
            body = names.explained(one, known, mentions.get(one["name"], []), shown)
            self.write(known[one["name"]], one["name"], body, one["kind"], one["title"])
        self.write("instructions/index.html", "Instructions", names.chapters(described, known), "list")
        self.write("names/index.html", "Names", names.name_list(described, known), "list")

    def layouts(self):
        parts = []
        for asked, says in LAYOUTS:
            words = asked.split()
            picture = self.run("layout", *words, "--format=svg")
            parts.append((asked, says, picture))
        self.write("layouts.html", "Layouts", names.layouts(parts), "page", " ".join(asked for asked, _, _ in parts))

    def documents(self):
        for file in sorted([*(ROOT / "docs").glob("*.md"), *(ROOT / "docs/reference").glob("*.md")]):
            path, title, body = documents.converted(file)
            self.write(path, title, body, "page", file.stem.replace("-", " "))

    def concepts(self):
        for file in sorted((ROOT / "docs/concepts").glob("*.md")):
            path, title, body = documents.converted(file)
            others = re.search(r"^Also: (.*?)\n\n", file.read_text(), re.S | re.M)[1]
            self.write(path, title, body, "concept", " ".join(others.split()))
        listed = sorted(entry for entry in self.index if entry[2].startswith("concepts/"))
        self.write("concepts/index.html", "Concepts", names.document_list("Concepts", listed), "list")

    def start(self):
        readme = (ROOT / "README.md").read_text()
        self.write("index.html", "ptxray", documents.start_page(readme), "page", "start")
        search = "<h1>Search</h1><p id='count'></p><ul id='results'></ul><script src='index.js'></script>"
        self.write("search.html", "Search", search + "<script src='search.js'></script>")
        for name in ("style.css", "search.js"):
            shutil.copy(pathlib.Path(__file__).parent / name, self.output / name)
        (self.output / "index.js").write_text("window.siteIndex = " + json.dumps(self.index) + ";\n")


def add_playground(folder, output):
    """Adds the playground of `tools/dev playground`, with a link back."""
    place = output / "playground"
    shutil.copytree(folder, place)
    text = (place / "index.html").read_text()
    (place / "index.html").write_text(text.replace("<h1>ptxray</h1>", '<h1><a href="../index.html">ptxray</a></h1>'))


def main():
    arguments = argparse.ArgumentParser(prog="tools/site", description=__doc__.split("\n")[0])
    arguments.add_argument("--ptxray", default=ROOT / "build/release/tools/ptxray/ptxray", type=pathlib.Path)
    arguments.add_argument("--output", default=ROOT / "build/site", type=pathlib.Path)
    arguments.add_argument("--playground", default=ROOT / "build/playground", type=pathlib.Path)
    given = arguments.parse_args()
    shutil.rmtree(given.output, ignore_errors=True)
    pages.has_playground = (given.playground / "index.html").exists()
    if pages.has_playground:
        add_playground(given.playground, given.output)
    site = Site(given.ptxray.resolve(), given.output)
    site.rules()
    site.instructions()
    site.layouts()
    site.documents()
    site.concepts()
    site.start()
    print(f"{len(site.index)} pages: {given.output / 'index.html'}")


if __name__ == "__main__":
    main()
