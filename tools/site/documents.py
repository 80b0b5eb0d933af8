"""Converts the Markdown pages of docs/."""

import html
import pathlib
import posixpath
import re
import sys

import page
import pypi

ROOT = pathlib.Path(__file__).resolve().parents[2]
WHEELS = [
    ("markdown-it-py", "4.3.0", "7aa1511a46c39138de78d9eba92ce47e63124d8003fc98b3a351909e04239efa"),
    ("mdurl", "0.1.2", "84008a41e51615a49fc9966191ff91509e3c40b939176e643fd50a5c2196b8f8"),
]


def library():
    """Returns markdown-it-py, from the system or from PyPI."""
    try:
        from markdown_it import MarkdownIt
    except ImportError:
        folder = ROOT / "build" / "markdown-it"
        for name, version, checksum in WHEELS:
            found = next(folder.glob(f"{name.replace('-', '_')}-{version}-*.whl"), None)
            sys.path.append(str(found or pypi.download(name, version, folder, checksum)))
        from markdown_it import MarkdownIt
    return MarkdownIt("commonmark").enable("table")


def anchor(text):
    """Returns the anchor of a heading, in GitHub's format."""
    return re.sub(r"[^\w\- ]", "", text.lower()).strip().replace(" ", "-")


# These are folders of the sources, and of their pages on the site.
PLACES = {
    "docs/diagnostics": "rules",
    "docs/concepts": "concepts",
    "docs/reference": "docs",
    "docs": "docs",
}
SPECIAL = {"README.md": "index.html", "docs/README.md": "docs/index.html", "docs/concepts": "concepts/index.html"}


def page_of(source):
    """Returns the page of the site for a file of the repository, or None if it has none."""
    if source in SPECIAL:
        return SPECIAL[source]
    folder, name = posixpath.split(source)
    exists = folder in PLACES and name.endswith(".md") and (ROOT / source).exists()
    return f"{PLACES[folder]}/{name[:-3]}.html" if exists else None


def target_of(link, source, path):
    """Returns where a link of the file `source` leads from the page `path`, or None if the site has no such page."""
    file, _, part = link.partition("#")
    if re.match(r"[a-z]+:", link) or not file:
        return link
    page_path = page_of(posixpath.normpath(posixpath.join(posixpath.dirname(source), file)))
    if not page_path:
        return None
    return posixpath.relpath(page_path, posixpath.dirname(path) or ".") + ("#" + part if part else "")


def with_doors(made, path):
    """Adds links that open the modules among the examples in the playground."""

    def opened(match):
        text = html.unescape(match[1])
        return match[0] + (page.door(path, text) if ".version" in text else "")

    return re.sub(r'<pre><code class="language-ptx">(.*?)</code></pre>', opened, made, flags=re.S)


def rendered(text, source, path):
    """Returns the file `source` as HTML for the page `path`, with anchors, and links to pages of the site."""
    markdown = library()
    tokens = markdown.parse(text)
    for at, token in enumerate(tokens):
        if token.type == "heading_open":
            plain = "".join(part.content for part in tokens[at + 1].children or [])
            token.attrSet("id", anchor(plain))
        opened = []
        for part in token.children or []:
            if part.type == "link_open":
                target = target_of(part.attrGet("href"), source, path)
                opened.append(target)
                part.tag = "a" if target else "span"
                part.attrs = {"href": target} if target else {}
            elif part.type == "link_close":
                part.tag = "a" if opened.pop() else "span"
            elif part.type == "image":
                part.attrSet("src", "")
    made = with_doors(markdown.renderer.render(tokens, markdown.options, {}), path)
    return made.replace("<table>", "<div class='wide'><table>").replace("</table>", "</table></div>")


def converted(file):
    """Returns the page, title and body of a Markdown file."""
    text = file.read_text()
    source = file.relative_to(ROOT).as_posix()
    path = page_of(source)
    return path, text.split("\n", 1)[0].lstrip("# "), rendered(text, source, path)


def start_page(readme):
    """Returns the beginning of the README, and links to further pages."""
    first = readme.split("\n## ")[0]
    doors = (
        "<ul class='doors'><li><a href='instructions/index.html'>Instructions</a>: forms, qualifiers, examples</li>"
        "<li><a href='names/index.html'>Names</a>: directives, special registers, targets, qualifiers</li>"
        "<li><a href='rules/index.html'>Rules</a>: what ptxray reports, and what to do</li>"
        "<li><a href='concepts/index.html'>Concepts</a>: tensor cores, barriers, swizzles and others</li>"
        "<li><a href='layouts.html'>Layouts</a>: which thread holds which element</li>"
        "<li><a href='docs/index.html'>Documents</a>: how ptxray is used and how it works</li>"
    )
    if page.has_playground:
        doors += f"<li><a href='{page.PLAYGROUND[0]}'>Playground</a>: ptxray in this browser</li>"
    doors += "</ul>"
    title, _, rest = rendered(first, "README.md", "index.html").partition("</h1>")
    return title + "</h1>" + doors + rest
