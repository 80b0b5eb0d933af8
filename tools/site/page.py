"""Provides the frame of all pages, and small pieces of HTML."""

import base64
import html
import re
import zlib

MENU = [
    ("instructions/index.html", "Instructions"),
    ("names/index.html", "Names"),
    ("rules/index.html", "Rules"),
    ("layouts.html", "Layouts"),
    ("docs/index.html", "Documents"),
]
PLAYGROUND = ("playground/index.html", "Playground")
has_playground = False  # set if the site contains a playground


def escaped(text):
    return html.escape(text, quote=True)


def up(path):
    """Returns the path from a page to the start page."""
    return "../" * path.count("/")


def door(path, text):
    """Returns a link that opens a module in the playground. Its address contains the module."""
    if not has_playground:
        return ""
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    packed = packer.compress(text.encode()) + packer.flush()
    code = base64.urlsafe_b64encode(packed).decode().rstrip("=")
    return f"<a class='door' href='{up(path)}{PLAYGROUND[0]}#c={code}'>open in the playground</a>"


def frame(path, title, body):
    menu = [*MENU, PLAYGROUND] if has_playground else MENU
    links = "".join(f"<a href='{up(path)}{to}'>{name}</a>" for to, name in menu)
    return (
        "<!doctype html>\n<html lang='en'><head><meta charset='utf-8'>"
        "<meta name='viewport' content='width=device-width, initial-scale=1'>"
        f"<title>{escaped(title)} - ptxray</title><link rel='stylesheet' href='{up(path)}style.css'>"
        "<link rel='icon' href='data:,'></head><body>"
        f"<header><a class='home' href='{up(path)}index.html'>ptxray</a><nav>{links}</nav>"
        f"<form action='{up(path)}search.html'><input name='q' type='search' placeholder='search' aria-label='search'>"
        f"</form></header><main>{body}</main></body></html>\n"
    )


def code(text):
    """Converts text between backquotes to code."""
    return re.sub(r"`([^`]*)`", r"<code>\1</code>", escaped(text))


def linked(text, path, known):
    """Converts code, and links names that have a page."""

    def link(match):
        name = match[1]
        target = known.get(name.replace("&quot;", ""))
        shown = f"<code>{name}</code>"
        return f"<a href='{up(path)}{target}'>{shown}</a>" if target and target != path else shown

    text = re.sub(r"`([^`]*)`", link, escaped(text))
    return re.sub(r"(?<!['\"])(https://\S+)", r"<a href='\1'>\1</a>", text)


def table(header, rows):
    """Returns a table whose cells are HTML."""
    head = "".join(f"<th>{cell}</th>" for cell in header)
    body = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in rows)
    return f"<div class='wide'><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
