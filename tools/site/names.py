"""Makes pages of rules, instructions and other names, from the output of the program."""

import re

import documents
from page import code, door, escaped, linked, table, up

FOLDERS = {"instruction": "instructions", "qualifier": "qualifiers", "target": "targets", "pragma": "pragmas"}


def path_of(one):
    """Returns the path of the page of a name, without `%`, `.` in front and `:`."""
    folder = FOLDERS.get(one["kind"], one["kind"].replace(" ", "-") + "s")
    return f"{folder}/{re.sub(r'[^A-Za-z0-9_.]+', '-', one['name'].lstrip('.%'))}.html"


def words_of(row, path, known):
    return " ".join(linked(f"`{word}`", path, known) for word in row.get("words", []))


def listed(section, path, known):
    rows = []
    for row in section["rows"]:
        note = f" <span class='note'>{linked(row['note'], path, known)}</span>" if "note" in row else ""
        depth = row.get("depth", 0)
        rows.append(
            f"<tr class='depth{depth}'><td>{words_of(row, path, known)}</td>"
            f"<td>{linked(row.get('text', ''), path, known)}{note}</td></tr>"
        )
    return "<div class='wide'><table class='list'><tbody>" + "".join(rows) + "</tbody></table></div>"


def coded(section, path, known):
    parts = []
    for row in section["rows"]:
        number = f"<span class='number'>{row['words'][0].strip()}</span> " if "words" in row else ""
        note = f"<p class='note'>{linked(row['note'], path, known)}</p>" if "note" in row else ""
        module = door(path, row["module"]) if "module" in row else ""
        parts.append(f"<pre>{number}{escaped(row['text'])}</pre>{module}{note}")
    return "".join(parts)


def section_of(section, path, known):
    title = f"<h3>{code(section['title'])}</h3>"
    if section["kind"] == "part":
        return f"<h2>{code(section['title'])}</h2>"
    if section["kind"] == "text":
        return title + "".join(f"<p>{linked(row['text'], path, known)}</p>" for row in section["rows"])
    if section["kind"] == "code":
        return title + coded(section, path, known)
    if section["kind"] == "list":
        return title + listed(section, path, known)
    if section["kind"] == "picture":
        return title + "".join(f"<pre>{escaped(row['text'])}</pre>" for row in section["rows"])
    header, *rows = [row["words"] for row in section["rows"]]
    return title + table([escaped(cell) for cell in header], [[code(cell) for cell in row] for row in rows])


def has_layout(name, asked):
    """Returns whether a layout is one of the instruction `name`."""
    return (asked.split()[0] + ".").startswith(name + ".")


def explained(one, known, rules, has_picture):
    path = known[one["name"]]
    body = f"<h1>{escaped(one['name'])}</h1><p class='title'>{code(one['title'])}</p>"
    body += "".join(section_of(section, path, known) for section in one["sections"])
    if has_picture:
        body += f"<p><a href='{up(path)}layouts.html#{one['name']}'>Layouts of its matrices</a></p>"
    if rules:
        links = ", ".join(f"<a href='{up(path)}rules/{rule}.html'>{rule}</a>" for rule in rules)
        body += f"<h2>Rules with an example of it</h2><p>{links}</p>"
    return body


def rules_by_instruction(folder, known):
    """Returns for each instruction the rules whose pages show it."""
    mentions = {}
    for source in sorted(folder.glob("*.md")):
        found = set()
        for block in re.findall(r"```ptx\n(.*?)```", source.read_text(), re.S):
            for opcode in re.findall(r"^\s*(?:@!?%\w+ )?([a-z][\w.:]+)", block, re.M):
                words = opcode.split(".")
                beginnings = [".".join(words[:length]) for length in range(len(words), 0, -1)]
                found |= set([name for name in beginnings if name in known][:1])
        for name in found:
            mentions.setdefault(name, []).append(source.stem)
    return mentions


def rule(one, text):
    fix = ", with a fix" if one["fixable"] else ""
    kinds = f"<p>Kinds: {', '.join(f'<code>{kind}</code>' for kind in one['kinds'])}</p>" if one["kinds"] else ""
    head = (
        f"<p class='title'>{one['level']}{fix}; group <a href='index.html#{one['group']}'>{one['group']}</a></p>"
        f"<p><code>{escaped(one['message'])}</code></p>{kinds}"
    )
    shown = re.sub(r"^//@.*\n", "", text, flags=re.M)
    source, path = f"docs/diagnostics/{one['id']}.md", f"rules/{one['id']}.html"
    title, end, rest = documents.rendered(shown, source, path).partition("</h1>")
    return title + end + head + rest


def rule_list(groups):
    body = "<h1>Rules</h1>"
    for group, rules in groups.items():
        rows = [
            [
                f"<a href='{one['id']}.html'>{one['id']}</a>",
                one["level"],
                "yes" if one["fixable"] else "",
                code(one["message"]),
            ]
            for one in rules
        ]
        body += f"<h2 id='{group}'>{group}</h2>" + table(["rule", "level", "fix", "message"], rows)
    return body


def manual_of(one):
    """Returns the first section of the manual, as numbers."""
    for section in one["sections"]:
        if section["title"] == "Manual" and (found := re.match(r"[\d.]+", section["rows"][0]["text"])):
            return [int(number) for number in found[0].strip(".").split(".")]
    return [99]


CHAPTERS = {
    1: "Integers",
    2: "Integers with carry",
    3: "Floating point",
    4: "Half precision",
    5: "Mixed precision",
    6: "Comparison and selection",
    7: "Half precision comparison",
    8: "Logic and shifts",
    9: "Data movement and conversion",
    10: "Textures and the fabric",
    11: "Surfaces",
    12: "Control flow",
    13: "Synchronisation and communication",
    14: "Matrices of a warp",
    15: "Matrices of a warpgroup",
    16: "Tensor cores of the 5th generation",
    17: "Stack",
    18: "Video",
    19: "Miscellaneous",
}


def chapters(described, known):
    of_chapter = {}
    for one in described:
        if one["kind"] == "instruction":
            number = manual_of(one)
            of_chapter.setdefault(number[2] if number[:2] == [9, 7] else 99, []).append(one)
    body = "<h1>Instructions</h1>"
    for number in sorted(of_chapter):
        rows = [[_door(one, "instructions/index.html", known), code(one["title"])] for one in of_chapter[number]]
        body += f"<h2>{CHAPTERS.get(number, 'Others')}</h2>" + table(["instruction", ""], rows)
    return body


def _door(one, path, known):
    return f"<a href='{up(path)}{known[one['name']]}'><code>{escaped(one['name'])}</code></a>"


def name_list(described, known):
    body = "<h1>Names</h1>"
    for kind in ("directive", "pragma", "special register", "target", "qualifier"):
        rows = [[_door(one, "names/index.html", known), code(one["title"])] for one in described if one["kind"] == kind]
        body += f"<h2>{kind.capitalize()}s</h2>" + table([kind, ""], rows)
    return body


def layouts(parts):
    body = "<h1>Layouts</h1><p>As <code>ptxray layout WHAT --format=svg</code> draws them.</p>"
    seen = set()
    for asked, says, picture in parts:
        drawn = picture[picture.index("<svg") :]
        words = asked.split()[0].split(".")
        prefixes = {".".join(words[:length]) for length in range(1, len(words) + 1)} - seen
        seen |= prefixes
        body += "".join(f"<a id='{prefix}'></a>" for prefix in sorted(prefixes))
        body += f"<h2>{escaped(says)}</h2><p><code>ptxray layout {escaped(asked)}</code></p>"
        body += f"<div class='picture'>{drawn}</div>"
    return body


def document_list(heading, entries):
    rows = [[f"<a href='{path.rsplit('/', 1)[1]}'>{escaped(title)}</a>"] for title, _, path, _ in entries]
    return f"<h1>{heading}</h1>" + table(["page"], rows)
