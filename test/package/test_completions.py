"""Tests the manual page and the completions with the programs that read them: test_completions.py PTXRAY."""

import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from common import ROOT, need, run, skip

binary = pathlib.Path(sys.argv[1]).resolve()
bash, missing = need("bash"), []
options = re.findall(r"^  (--[a-z-]+)", run(binary, "check", "--help"), re.M)
assert len(options) > 10

with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    for kind in ("man", "bash", "zsh", "fish"):
        (folder / kind).write_text(run(binary, "generate", kind))

    # This code completes a line in bash, with the words that readline passes.
    def completed(*words):
        script = (
            f"source {folder}/bash; compopt() {{ :; }}; COMP_WORDS=({' '.join(words)}); "
            f"COMP_CWORD={len(words) - 1}; _ptxray; printf '%s\\n' \"${{COMPREPLY[@]}}\""
        )
        return run(bash, "-c", script, cwd=ROOT / "docs").split()

    assert "check" in completed("ptxray", "''") and completed("ptxray", "ch") == ["check"]
    assert completed("ptxray", "check", "--form") == ["--format="]
    assert completed("ptxray", "check", "--format", "=", "s") == ["short", "sarif"]
    assert completed("ptxray", "check", "--format", "=") == completed("ptxray", "check", "--format", "''")
    assert {option.rstrip("=") for option in completed("ptxray", "check", "--")} == {*options, "--help"}
    assert completed("ptxray", "explain", "vector-l") == ["vector-length"]
    assert completed("ptxray", "check", "exampl") == ["examples"]

    if shutil.which("zsh"):
        run("zsh", "-n", folder / "zsh")
        (folder / "_ptxray").write_text((folder / "zsh").read_text())
        # This function completes in a terminal and returns the shown text within half a minute.
        script = (
            f"zmodload zsh/zpty; zpty z zsh -f; zpty -w z 'PROMPT=; fpath=({folder} $fpath); autoload -U compinit; "
            f"compinit -u -d {folder}/dump; LISTMAX=1000'; zpty -w -n z $'ptxray check --format=\\t\\t'; "
            "for ((i = 0; i < 300; ++i)); do while zpty -r -t z more; do out+=$more; done; "
            "[[ $out == *jsonl* ]] && break; sleep 0.1; done; print -r -- $out"
        )
        shown = run("zsh", "-c", script, cwd=folder)
        assert all(format in shown for format in ("sarif", "github", "jsonl")), shown
    else:
        missing.append("zsh")
    if shutil.which("fish"):
        run("fish", "-n", folder / "fish")

        def fish(line):
            return run(
                "fish",
                "--no-config",
                "-c",
                f"source {folder}/fish; complete -C '{line}'",
                env={"HOME": name, "PATH": "/usr/bin:/bin"},
            )

        assert "sarif" in fish("ptxray check --format=") and "vector-length" in fish("ptxray explain vector-l")
        assert set(re.findall(r"^(--[a-z-]+)", fish("ptxray check --"), re.M)) >= set(options)
    else:
        missing.append("fish")
    if shutil.which("mandoc"):
        lint = run("mandoc", "-T", "lint", "-W", "warning", folder / "man", status=None).splitlines()
        assert all("missing date" in line for line in lint), lint  # the text must not change from day to day
        text = re.sub(r".\x08", "", run("mandoc", "-T", "utf8", folder / "man"))
        assert all(option in text for option in options)
        for title in ("EXAMPLES", "ENVIRONMENT", "EXIT STATUS", "FILES", "SEE ALSO"):
            assert f"\n{title}\n" in text, title
        assert not re.search(r"[.?]\.(\s|$)", text.replace("...", "")), "a sentence ends twice"
    else:
        missing.append("mandoc")
    if shutil.which("groff"):
        warnings = subprocess.run(
            ["groff", "-man", "-Tutf8", "-ww", "-z", folder / "man"], stderr=subprocess.PIPE
        ).stderr
        assert warnings == b"", warnings
if missing:
    skip(missing[0], f"not tried with {', '.join(missing)}; the rest is right")
print("manual page and completions are right")
