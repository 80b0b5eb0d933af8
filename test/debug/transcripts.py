#!/usr/bin/env python3
"""Replays transcripts of `ptxray debug` sessions: transcripts.py PTXRAY REPOSITORY [--write]

A transcript `NAME.txt` begins with the command, `$ ptxray debug FILE ARGUMENT...`; its lines that begin with the
prompt `(ptxray) ` are the input, and all others are the answers of the debugger. `--write` updates the answers. The
session in docs/debugging.md is a transcript as well."""

import difflib
import pathlib
import shlex
import subprocess
import sys

PROMPT = "(ptxray) "
FOLDER = pathlib.Path(__file__).resolve().parent


def replayed(ptxray, repository, transcript):
    """Returns the transcript with the current answers."""
    first, *lines = transcript.splitlines()
    typed = [line.removeprefix(PROMPT) for line in lines if line.startswith(PROMPT)]
    command = [ptxray, *shlex.split(first.removeprefix("$ ptxray "))]
    answer, result = "", [first]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=repository
    ) as process:
        # After each command, an unknown command marks the end of its answer.
        answer, _ = process.communicate("".join(f"{line}\n---\n" for line in ["---", *typed, "quit"]), timeout=60)
    answers = answer.split("there is no command `---`; `help` shows all\n")
    answers = [answers[0] + "", *answers[2:]]
    for line, text in zip(["", *typed], answers):
        if line:
            result.append(PROMPT + line)
        result += text.splitlines()
    return "\n".join(result) + "\n"


def main():
    ptxray, repository = sys.argv[1:3]
    transcripts = sorted(FOLDER.glob("*.txt"))
    transcripts.remove(FOLDER / "CMakeLists.txt")
    assert len(transcripts) >= 5, "the transcripts are missing"
    failed = 0
    for transcript in transcripts:
        found = replayed(ptxray, repository, transcript.read_text())
        if "--write" in sys.argv:
            transcript.write_text(found)
        wanted = transcript.read_text()
        failed += wanted != found
        sys.stdout.writelines(difflib.unified_diff(wanted.splitlines(True), found.splitlines(True), transcript.name))
    page = (pathlib.Path(repository) / "docs" / "debugging.md").read_text()
    shown = page.split("```console\n")[1].split("```")[0]
    if shown != replayed(ptxray, repository, shown):
        failed += 1
        print("docs/debugging.md shows another session:", replayed(ptxray, repository, shown), sep="\n")
    print(f"{len(transcripts)} transcripts, {failed} differ")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
