"""The hooks with the real pre-commit: test_precommit.py PTXRAY. The hooks' repository is a clone of this one, with what
is not committed yet; pip builds the wheel from it, around the program given."""

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
            "PTXRAY_BINARY": str(pathlib.Path(sys.argv[1]).resolve()),
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
        for part in (
            "pyproject.toml",
            ".pre-commit-hooks.yaml",
            "CMakeLists.txt",
            "LICENSE",
            "docs/python.md",
            "tools/python",
        ):
            (hooks / part).parent.mkdir(parents=True, exist_ok=True)
            run("cp", "-r", ROOT / part, hooks / part)
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
        assert "Passed" in hook(0)
        (project / "bad.ptx").write_text(BAD)
        out = hook(1)
        assert "bad.ptx:7:" in out and "undefined-symbol" in out and "good.ptx" not in out, out
        config("ptxray-fix")
        out = hook(1)
        assert "files were modified by this hook" in out, out
        assert (project / "bad.ptx").read_text() == BAD.replace("%r1\n", "%r1;\n")
    print("pre-commit installs and runs both hooks")


if __name__ == "__main__":
    main()
