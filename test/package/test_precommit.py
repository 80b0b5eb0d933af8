"""Tests the hooks with the real pre-commit: test_precommit.py PTXRAY. They run the `ptxray` in PATH, and compile
nothing."""

import os
import pathlib
import sys
import tempfile

from common import BAD, GOOD, ROOT, need, python_with, run


def main():
    git = need("git")
    python = python_with("pre-commit==4.7.0")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        environment = {
            **os.environ,
            "PATH": f"{folder / 'bin'}:{os.environ['PATH']}",
            "HOME": name,
            "PRE_COMMIT_HOME": str(folder / "cache"),
            "GIT_CONFIG_NOSYSTEM": "1",
        }
        identity = ["-c", "user.name=test", "-c", "user.email=test@localhost"]

        def commit(where):
            run(git, "init", "-q", ".", cwd=where)
            run(git, "add", "-A", ".", cwd=where)
            run(git, *identity, "commit", "-q", "-m", "all", cwd=where)
            return run(git, "rev-parse", "HEAD", cwd=where).strip()

        hooks = folder / "hooks"
        hooks.mkdir()
        run("cp", ROOT / ".pre-commit-hooks.yaml", hooks)
        revision = commit(hooks)

        project = folder / "project"
        project.mkdir()
        (project / "good.ptx").write_text(GOOD)
        (project / "bad.txt").write_text(BAD)

        def config(hook):
            (project / ".pre-commit-config.yaml").write_text(
                f"repos:\n- repo: {hooks}\n  rev: {revision}\n  hooks:\n  - id: {hook}\n"
            )

        def hook(status):
            run(git, "add", "-A", ".", cwd=project)
            return run(
                python,
                "-m",
                "pre_commit",
                "run",
                "--all-files",
                "--color=never",
                status=status,
                cwd=project,
                env=environment,
            )

        config("ptxray")
        commit(project)
        assert "ptxray" in hook(1) and "Passed" not in hook(1)  # the program is not in PATH
        (folder / "bin").mkdir()
        (folder / "bin" / "ptxray").symlink_to(pathlib.Path(sys.argv[1]).resolve())
        assert "Passed" in hook(0)
        (project / "bad.ptx").write_text(BAD)
        out = hook(1)
        assert "bad.ptx:7:" in out and "undefined-symbol" in out and "good.ptx" not in out, out
        config("ptxray-fix")
        out = hook(1)
        assert "files were modified by this hook" in out, out
        assert (project / "bad.ptx").read_text() == BAD.replace("%r1\n", "%r1;\n")
        config("ptxray-fmt")
        (project / "bad.ptx").write_text(GOOD + "\n\n")
        assert "files were modified by this hook" in hook(1)
        assert "Passed" in hook(0)
    print("pre-commit runs the hooks")


if __name__ == "__main__":
    main()
