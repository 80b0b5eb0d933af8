#!/usr/bin/env python3
"""Checks prose by those rules of docs/writing.md that a program can check.

    prose.py ROOT               pages, and the subjects of commits that are not in main yet
    prose.py ROOT FILE...       only these Markdown, C++ or Python files
    prose.py --fix ROOT FILE... puts each sentence of these Markdown files on its own line

Exits with 1 and prints a line for each fault, or with 77 outside a git checkout.
"""

import pathlib
import re
import subprocess
import sys

MAX_WORDS, MAX_CELL_WORDS = 30, 20
MAX_SUBJECT = 72

# Programs make the pages in these folders, or the pages quote other sources.
UNREAD = ("docs/reference/", "test/corpus/", "test/inline/", "test/device/found/")

# `ptxray explain` prints these pages unchanged, so that they are wrapped for terminals.
PRINTED = ("docs/concepts/", "docs/diagnostics/")

ITEM = re.compile(r"\s*(> |[-*+] |\d+\. )")
LEAD = re.compile(r"\*\*[^*]{1,40}\*\*$")  # the bold words at the beginning of an item
ABBREVIATION = re.compile(r"\b(e\.g|i\.e|etc|vs|cf|Fig|No|approx|incl|resp)\.$")
SENTENCE_END = re.compile(r"[.!?][)\"*_]*(\s+)(?=[A-Z`\"(*\[]|ptxas |ptxray )")
PRONOUN = re.compile(
    r"(The same|It|They|Those|These|That|Such|This|Both|Else|Nothing|Everybody|Of|Or|And|As|By|From|In what|Where|"
    r"Whose|Who|What|Is true|Says|Tells|Holds what)\b",
    re.I,
)
NO_VERB = re.compile(r"(Is|Are|Has|Have|Does|Do|Says?|Holds?|Tells?|Notes?|The|A|An|All|Each|Every|One|Some|No)\b")
SUBJECT = re.compile(r"[a-z][\w/+., -]*: (?!Say\b|Tell\b|Let\b|Note\b|Have\b)[A-Z][a-z]+ \S")


def git(root, *words):
    done = subprocess.run(["git", "-C", root, *words], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    return done.stdout.splitlines() if done.returncode == 0 else []


def pairs(root):
    """Reads the table of words: (pattern, replacement)."""
    text = (root / "docs/writing.md").read_text().split("<!-- pairs:")[1]
    for found, replacement in re.findall(r"^\| ([^|]+) \| ([^|]+) \|$", text, re.M):
        if found != "not":
            words = "|".join(re.escape(word) for word in found.split(", "))
            yield re.compile(rf"\b({words})\b", re.I), replacement


def plain(text):
    """Replaces code and the targets of links, which are not prose."""
    return re.sub(r"\]\([^)]*\)", "]", re.sub(r"``.*?``|`[^`]*`", "`x`", text))


def sentences(text):
    begin = 0
    for found in SENTENCE_END.finditer(text):
        part = text[begin : found.start(1)]
        if not ABBREVIATION.search(part) and not LEAD.match(part):
            yield part
            begin = found.end(1)
    yield text[begin:]


def words_of(sentence):
    """Returns the number of words. A long list of names counts as one word."""
    items = [len(item.split()) for item in sentence.split(",")]
    if len(items) > 8 and sum(items) <= 3 * len(items):
        return 1
    return len(re.findall(r"\S*\w\S*", sentence))


def parts_of_page(lines):
    """Yields (is it a cell, line number, text) for each table cell, paragraph and list item."""
    paragraph, start, in_code, in_comment = "", 0, False, False
    for number, line in enumerate([*lines, ""], 1):
        text = line.strip()
        in_code ^= text.startswith("```")
        in_comment = in_comment or text.startswith("<!--")
        is_prose = is_text(text) and not in_code and not in_comment
        if in_comment:
            in_comment = "-->" not in text
        if paragraph and (not is_prose or ITEM.match(line)):
            yield False, start, paragraph
            paragraph = ""
        if is_prose:
            start = start if paragraph else number
            paragraph += " " * bool(paragraph) + re.sub(r"^(> |[-*+] |\d+\. )+", "", text)
        elif text.startswith("|") and not re.fullmatch(r"[|\s:-]+", text) and not in_code:
            yield from ((True, number, cell.strip()) for cell in re.split(r"(?<!\\)\|", text.strip("|")))


def is_text(text):
    """Returns whether a line without its leading blanks belongs to a paragraph or an item."""
    return bool(text) and not re.match(r"[#|<]|```|\[[^]]+\]:|!\[", text)


def faults_of_page(file, lines, found_pairs):
    for is_cell, number, text in parts_of_page(lines):
        if text.startswith("Also: "):  # the other names of a concept
            continue
        prose = plain(text)
        for pattern, replacement in found_pairs if file != "docs/writing.md" else ():
            if hit := pattern.search(prose):
                yield f"{file}:{number}: `{hit[1]}`: write {replacement}"
        limit, name = (MAX_CELL_WORDS, "cell") if is_cell else (MAX_WORDS, "sentence")
        for part in [prose] if is_cell else sentences(prose):
            if words_of(part) > limit:
                yield f"{file}:{number}: a {name} of {words_of(part)} words, at most {limit} are allowed: {part[:40]}"
    if not file.startswith(PRINTED):
        for number, (line, wanted) in enumerate(zip(lines, one_sentence_a_line(lines)), 1):
            if line != wanted:
                yield f"{file}:{number}: put each sentence into its own line, or run test/prose.py --fix . {file}"
                break


def one_sentence_a_line(lines):
    """Yields the lines of a page, with paragraphs joined and split into sentences."""
    paragraph, first, in_code = None, "", False

    def split(text, first):
        held = re.findall(r"\]\([^)]*\)|``.*?``|`[^`]*`", text)
        parts = sentences(re.sub(r"\]\([^)]*\)|``.*?``|`[^`]*`", "`\0`", text))
        restored = [re.sub("`\0`", lambda _: held.pop(0), part) for part in parts]
        yield first + restored[0]
        yield from (" " * len(first) + part for part in restored[1:])

    for line in [*lines, None]:
        text = (line or "").strip()
        item = ITEM.match(line or "")
        is_prose = is_text(text) and not in_code
        if paragraph is not None and (not is_prose or item):
            yield from split(paragraph, first)
            paragraph = None
        in_code ^= text.startswith("```")
        if not is_prose:
            if line is not None:
                yield line
        elif paragraph is None:
            first = item[0] if item else re.match(r"\s*", line)[0]
            paragraph = line.rstrip()[len(first) :]
        else:
            paragraph += " " + text


def comments(lines, mark):
    """Yields (line number, indented text of the comment, is it above a function, is it after code)."""
    block = []
    for number, line in enumerate(lines, 1):
        if whole := re.match(rf"\s*{mark} (.*)", line):
            block.append((number, whole[1]))
            continue
        if block:
            is_function = bool(re.match(r"(?!\s*(if|for|while)\b)\s*[\w:<>*&,\s\[\]~]+\(.*", line))
            yield block[0][0], " ".join(text for _, text in block), is_function, False
            block = []
        if after := re.search(rf"[;{{}},)]\s+{mark} (.+)$", line):
            yield number, after[1], False, True


def faults_of_comments(file, lines, found_pairs):
    mark = "#" if file.endswith(".py") else "//[/!]?<?"
    for number, text, is_function, _ in comments(lines, mark):
        prose = plain(text)
        for pattern, replacement in found_pairs:
            if hit := pattern.search(prose):
                yield f"{file}:{number}: `{hit[1]}`: write {replacement}"
        if hit := PRONOUN.match(prose):
            yield f"{file}:{number}: a comment begins with `{hit[1]}`: begin with a noun or a verb"
        elif is_function and (hit := NO_VERB.match(prose)):
            yield f"{file}:{number}: a function's comment begins with `{hit[1]}`: begin with a verb (Returns, Adds)"
        for part in sentences(prose):
            if words_of(part) > MAX_WORDS:
                yield f"{file}:{number}: a sentence of {words_of(part)} words, at most {MAX_WORDS} are allowed"


def faults_of_subjects(subjects):
    for subject in subjects:
        if not SUBJECT.match(subject) or len(subject) > MAX_SUBJECT:
            yield f"commit `{subject}`: write `area: Verb object` in at most {MAX_SUBJECT} characters"


def pages(root):
    """Returns the hand-written pages."""
    files = git(root, "ls-files", "*.md")
    return [file for file in files if not file.startswith(UNREAD) and (root / file).is_file()]


def main():
    if sys.argv[1] == "--fix":
        for path in [pathlib.Path(sys.argv[2]) / file for file in sys.argv[3:]]:
            path.write_text("\n".join(one_sentence_a_line(path.read_text().split("\n"))))
        return
    root = pathlib.Path(sys.argv[1]).resolve()
    found_pairs = list(pairs(root))
    assert len(found_pairs) > 15, "docs/writing.md has no table of pairs"
    files = sys.argv[2:] or pages(root)
    if not files:
        print("not a git checkout")
        sys.exit(77)
    found = []
    for file in files:
        lines = (root / file).read_text().split("\n")
        read = faults_of_page if file.endswith(".md") else faults_of_comments
        found += read(file, lines, found_pairs)
    if not sys.argv[2:]:
        found += faults_of_subjects(git(root, "log", "--no-merges", "--format=%s", "main..HEAD"))
    print("\n".join(found))
    sys.exit(bool(found))


if __name__ == "__main__":
    main()
