"""Tests the extension of tools/vscode in a real VS Code (code-server and Chromium): test_vscode.py PTXRAY [--picture
FILE]

The test compares the grammar's colours with the tokens of `ptxray lsp`. It packages the extension with the program,
installs it, and repeats a user's steps (tools/vscode/test/vscode.mjs) in a browser."""

import json
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

from common import EXTENSION, ROOT, need, npm, npm_packages, run, version, vscode_extension

sys.path.insert(0, str(ROOT / "test"))
import sections

CODE_SERVER = "code-server@4.100.3"
PUPPETEER = "puppeteer-core@24.43.1"
NATIVE = ("@vscode/spdlog", "native-watchdog", "node-pty")
SETTINGS = {
    "editor.hover.above": False,
    "editor.minimap.enabled": False,
    "files.autoSave": "off",
    "security.workspace.trust.enabled": False,
    "telemetry.telemetryLevel": "off",
    "workbench.startupEditor": "none",
}


def code_server():
    """Returns the folder with code-server. Its native parts are compiled here."""
    folder = npm_packages(CODE_SERVER.replace("@", "-"), CODE_SERVER, PUPPETEER)
    if (folder / "complete").exists():
        return folder
    vscode = folder / "node_modules" / "code-server" / "lib" / "vscode"
    for place in (vscode, vscode / "extensions"):
        npm(place, "install", "--omit=dev")
    (vscode / "node_modules.asar").symlink_to("node_modules")
    gyp = pathlib.Path(run(need("npm"), "root", "-g").strip()) / "npm/node_modules/node-gyp/bin/node-gyp.js"
    headers = ["--nodedir=/usr"] if pathlib.Path("/usr/include/node").exists() else []
    for package in NATIVE:
        run(need("node"), gyp, "rebuild", *headers, cwd=vscode / "node_modules" / package)
    run(need("npm"), "rebuild", *headers, "argon2", cwd=folder)
    (folder / "complete").touch()
    return folder


def check_colours(tool, built, place):
    """Compares colours on modules of a fourth of the sections of test/isa. Only the server can classify a wrong
    word."""
    found = [s for path in sorted((ROOT / "test" / "isa").rglob("*.ptx")) for s in sections.sections(path)]
    files = []
    for number, section in enumerate(found[::4]):
        files.append(place / f"{number}.ptx")
        lines = sections.module(*section)[0].splitlines()
        files[-1].write_text("\n".join(line for line in lines if "// error" not in line))
    print(run(need("node"), built / "test" / "colours.mjs", tool, *files, cwd=built).strip())


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def wait_for(url):
    for _ in range(120):
        try:
            return urllib.request.urlopen(url, timeout=5).close()
        except (urllib.error.URLError, OSError):
            time.sleep(0.5)
    sys.exit(f"{url} does not answer")


def check_editor(tool, server, vsix, place, picture):
    entry = server / "node_modules" / "code-server" / "out" / "node" / "entry.js"
    data, work = place / "data", place / "work"
    (data / "User").mkdir(parents=True)
    (data / "User" / "settings.json").write_text(json.dumps(SETTINGS))
    work.mkdir()
    file = pathlib.Path(shutil.copy(ROOT / "docs" / "examples" / "mistakes.ptx", work))
    shutil.copy(ROOT / "test" / "emulate" / "saxpy.ptx", work)
    shutil.copy(ROOT / "tools" / "playground" / "examples" / "pipeline.ptx", work)
    configuration = json.loads((ROOT / "docs" / "debugging.md").read_text().split("```json\n")[1].split("```")[0])
    saxpy = {**configuration, "stopOnEntry": True}
    words = ["--schedule=lazy", "fill:f16:1024:1", "fill:f16:512:2", "zeros:f32:128"]
    pipeline = {**saxpy, "name": "pipeline", "program": "${workspaceFolder}/pipeline.ptx", "args": words}
    launch = {"version": "0.2.0", "configurations": [saxpy, pipeline]}
    (work / ".vscode").mkdir()
    (work / ".vscode" / "launch.json").write_text(json.dumps(launch))
    folders = ["--user-data-dir", data, "--extensions-dir", place / "extensions"]
    environment = {**os.environ, "HOME": str(place)}
    run(need("node"), entry, *folders, "--install-extension", vsix, env=environment)
    port = free_port()
    options = ["--auth", "none", "--bind-addr", f"127.0.0.1:{port}", "--disable-telemetry", "--disable-update-check"]
    log = (place / "log").open("w")
    running = subprocess.Popen([need("node"), entry, *folders, *options], stdout=log, stderr=log, env=environment)
    try:
        url = f"http://127.0.0.1:{port}/"
        wait_for(url)
        steps = EXTENSION / "test" / "vscode.mjs"
        person = [steps, tool, f"{url}?folder={work}", file, need("chromium"), *picture]
        print(run(need("node"), *person, cwd=server).strip())
    finally:
        running.terminate()
        running.wait()


def main():
    tool = pathlib.Path(sys.argv[1]).resolve()
    picture = [pathlib.Path(sys.argv[3]).resolve()] if "--picture" in sys.argv else []
    need("node"), need("chromium")
    manifest = json.loads((EXTENSION / "package.json").read_text())
    assert manifest["version"] == version(), "the extension has the version of the project"
    built, server = vscode_extension(), code_server()
    with tempfile.TemporaryDirectory() as name:
        place = pathlib.Path(name)
        check_colours(tool, built, place)
        vsix = place / "ptxray.vsix"
        run(need("npm"), "run", "package", "--", vsix, cwd=built, env={**os.environ, "PTXRAY": str(tool)})
        check_editor(tool, server, vsix, place, picture)


if __name__ == "__main__":
    main()
