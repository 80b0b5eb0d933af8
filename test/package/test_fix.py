"""Tests --fix and --baseline on files: test_fix.py PTXRAY. git applies the output of --diff."""

import os
import pathlib
import subprocess
import sys
import tempfile

from common import BAD, need, run


def main():
    binary = pathlib.Path(sys.argv[1]).resolve()
    git = need("git")

    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        texts = {
            "one.ptx": BAD,
            "no-end.ptx": BAD.rstrip(),
            "many.ptx": BAD.replace(
                "ret;", "\n" * 5 + "mov.b32 %r0,, %r1;" + "\n" * 8 + "mov.b32 %r0, %r1\n" * 3 + "ret;"
            ),
            "windows.ptx": BAD.replace("\n", "\r\n"),
        }
        for file, text in texts.items():
            (folder / file).write_bytes(text.encode())
        os.chmod(folder / "one.ptx", 0o640)
        (folder / "link.ptx").symlink_to("one.ptx")

        command = [binary, "check", "--fix", "--diff", *texts]
        patch = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE).stdout  # as bytes, to keep line ends
        assert all((folder / file).read_bytes() == text.encode() for file, text in texts.items()), "--diff writes"
        applied = folder / "applied"
        applied.mkdir()
        for file, text in texts.items():
            (applied / file).write_bytes(text.encode())
        run(git, "init", "-q", ".", cwd=applied)
        (folder / "patch").write_bytes(patch)
        run(git, "apply", "--whitespace=nowarn", folder / "patch", cwd=applied)

        out = run(binary, "check", "--fix", "link.ptx", *list(texts)[1:], status=1, cwd=folder)
        assert "fixed" in out, out
        for file in texts:
            assert (folder / file).read_bytes() == (applied / file).read_bytes(), f"{file}: --diff and --fix differ"
            assert (folder / file).read_bytes() != texts[file].encode(), f"{file}: nothing is fixed"
        assert (folder / "link.ptx").is_symlink() and (folder / "one.ptx").stat().st_mode & 0o777 == 0o640
        left = run(binary, "check", "--format=short", *texts, status=1, cwd=folder)
        assert "expected-semicolon" not in left and "undefined-symbol" in left, left
        again = run(binary, "check", "--fix", "--diff", *texts, cwd=folder)
        assert again == "", again

        # Findings in the baseline are accepted from any working folder, and after lines move.
        run(binary, "check", "--baseline=list", "--update-baseline", "one.ptx", "many.ptx", cwd=folder)
        run(binary, "check", "--baseline=list", "one.ptx", "many.ptx", cwd=folder)
        run(binary, "check", "--baseline=../list", "../one.ptx", cwd=applied)
        text = (folder / "one.ptx").read_text()
        (folder / "one.ptx").write_text(text.replace("\tmov.b32 %r0, %r9", "\n\t// moved\n\tmov.b32 %r0, %r9"))
        run(binary, "check", "--baseline=list", "one.ptx", cwd=folder)
        (folder / "one.ptx").write_text(text.replace("ret;", "mov.b32 %r0, %rx;\n\tret;"))
        found = run(binary, "check", "--baseline=list", "--format=short", "one.ptx", status=1, cwd=folder)
        assert found.count("\n") == 1 and "%rx" in found, found
        known = text.replace("ret;", "mov.b33 %r0, 1;\n\tret;")
        (folder / "one.ptx").write_text(known)
        run(binary, "check", "--baseline=list", "--update-baseline", "one.ptx", "many.ptx", cwd=folder)
        run(binary, "check", "--baseline=list", "one.ptx", cwd=folder)
        (folder / "one.ptx").write_text(known.replace("mov.b33 %r0, 1;", "mov.b33 %r0, 1;\n" * 2))
        run(binary, "check", "--baseline=list", "one.ptx", status=1, cwd=folder)  # the second finding is new
        run(binary, "check", "--baseline=list", "missing.ptx", status=2, cwd=folder)
        (folder / "one.ptx").write_text(known.replace("mov.b33 %r0, 1;\n", ""))
        out = run(binary, "check", "--baseline=list", "one.ptx", cwd=folder)
        assert "1 entry of the baseline matches nothing" in out, out
        (folder / "one.ptx").write_text(known)

        # This writes a report into a file, with the usual exit status.
        shown = run(binary, "check", "--format=json", "one.ptx", status=1, cwd=folder)
        out = run(binary, "check", "--format=json", "--output-file=report", "one.ptx", status=1, cwd=folder)
        assert out == "" and (folder / "report").read_text() == shown, out

        # A file without write permission is reported and not changed.
        if os.getuid() != 0:
            (folder / "closed").mkdir()
            (folder / "closed" / "k.ptx").write_text(BAD)
            os.chmod(folder / "closed", 0o555)
            run(binary, "check", "--fix", "closed/k.ptx", status=2, cwd=folder)
            os.chmod(folder / "closed", 0o755)
    print("fixes and baseline agree with git and with the files")


if __name__ == "__main__":
    main()
