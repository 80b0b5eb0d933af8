#!/usr/bin/env python3
"""Packs, installs and uses the npm package: npm.py PTXRAY PTXRAY.WASM SOURCE-FOLDER

Skipped (77) without npm or without the program for WebAssembly, unless PTXRAY_REQUIRE names `playground` or `all`."""

import importlib.util
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "package"))
from common import npm_packages

HEAD = ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k()\n{\n"
BAD = HEAD + "  .reg .b32 %r<4>;\n  add.s32 %r1, %r2\n}\n"
INITIALIZE = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"capabilities": {}}}
SCRIPT = """
import { check, command, format } from "ptxray";
import { Server } from "ptxray/server";
import { compiled } from "ptxray";
const [text, initialize] = process.argv.slice(2);
const report = check(text, { target: "sm_90" });
console.log(JSON.stringify({
  rules: report.diagnostics.map((one) => one.rule),
  target: report.target,
  formatted: format("  ret;"),
  targets: command(["targets", "a.ptx"], { files: { "a.ptx": text } }).status,
  server: new Server(compiled()).send(initialize).length,
  refused: (() => { try { check(text, { target: "sm_x" }); } catch (error) { return error.message; } })(),
}));
"""


# This code uses a wrong type, to show that the types are checked.
TYPED = """
import { check, command, compiled, format, type Diagnostic } from "ptxray";
import { DebugAdapter, memoryDisk, Server } from "ptxray/server";
const first: Diagnostic | undefined = check("", { target: "sm_90a", language: "ptx" }).diagnostics[0];
const line: number = first?.range.start.line ?? 0;
const answers: string[] = new Server(compiled()).send("{}");
const adapter = new DebugAdapter(compiled(), { disk: memoryDisk({ "a.ptx": new Uint8Array() }) });
const isDone: boolean = adapter.request("launch", { program: "a.ptx" }).success;
const status: number = command(["version"]).status;
// @ts-expect-error
const wrong: number = format("");
export { line, answers, isDone, status, wrong };
"""
TYPESCRIPT = "typescript@5.9.3"
KERNEL = (
    HEAD.replace("k()", "k(.param .u64 out)")
    + """  .reg .b32 %r<2>;
  .reg .b64 %d<2>;
  ld.param.u64 %d1, [out];
  mov.u32 %r1, 42;
  st.global.u32 [%d1], %r1;
  ret;
}
"""
)


def packed(source, wasm, folder):
    """Returns the package as a file, in the same way as tools/release."""
    sys.path.append(str(source / "tools" / "release"))
    spec = importlib.util.spec_from_file_location("npm_package", source / "tools/playground/npm.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    name, data = module.build(source, wasm.read_bytes(), "0.1.0", 1, "licences\n")
    assert data == module.build(source, wasm.read_bytes(), "0.1.0", 1, "licences\n")[1]
    (folder / name).write_bytes(data)
    return folder / name


def run(*words, cwd, status=0, **more):
    done = subprocess.run([str(word) for word in words], cwd=cwd, capture_output=True, text=True, **more)
    assert done.returncode == status, f"{words}: {done.returncode}\n{done.stdout}{done.stderr}"
    return done.stdout


def tried(ptxray, package, folder):
    (folder / "package.json").write_text('{"name": "user", "version": "1.0.0", "type": "module"}')
    run("npm", "install", "--offline", "--no-audit", "--no-fund", package, cwd=folder)
    (folder / "bad.ptx").write_text(BAD)
    (folder / "sub").mkdir()
    (folder / "sub" / "good.ptx").write_text(BAD.replace("%r2\n", "%r2, %r3;\n  ret;\n"))
    npx = ["npx", "--no-install", "ptxray"]
    for words in (
        ["check", "bad.ptx"],
        ["check", "."],
        ["check", "sub"],
        ["fmt", "--diff", "bad.ptx"],
        ["targets", "sub"],
    ):
        mine = subprocess.run([*npx, *words], cwd=folder, capture_output=True, text=True)
        other = subprocess.run([ptxray, *words], cwd=folder, capture_output=True, text=True)
        for name in ("returncode", "stdout", "stderr"):
            assert getattr(mine, name) == getattr(other, name), (words, mine, other)
    assert run(*npx, "check", "-", cwd=folder, input=BAD, status=1).startswith("<stdin>:")
    run(*npx, "check", "--fix", "bad.ptx", cwd=folder, status=1)
    assert (folder / "bad.ptx").read_text() != BAD, "--fix writes nothing"
    run(*npx, "fmt", "sub", cwd=folder)
    messages = [json.dumps(INITIALIZE), json.dumps({"jsonrpc": "2.0", "method": "exit"})]
    framed = "".join(f"Content-Length: {len(one)}\r\n\r\n{one}" for one in messages)
    said = run(*npx, "lsp", cwd=folder, input=framed)
    assert '"capabilities"' in said, said
    (folder / "kernel.ptx").write_text(KERNEL)
    run(*npx, "run", "--emulate", "kernel.ptx", "zeros:u32:1", "--expect", "0=fill:u32:1:42", cwd=folder)
    wrong = ["--expect", "0=fill:u32:1:41"]
    run(*npx, "run", "--emulate", "kernel.ptx", "zeros:u32:1", *wrong, cwd=folder, status=6)
    (folder / "use.mjs").write_text(SCRIPT)
    used = json.loads(run("node", "use.mjs", BAD, json.dumps(INITIALIZE), cwd=folder))
    assert "expected-semicolon" in used["rules"] and used["target"] == "sm_90", used
    assert used["formatted"].strip() == "ret;" and used["server"] == 1 and "sm_x" in used["refused"], used


def typed(folder):
    (folder / "use.ts").write_text(TYPED)
    packages = npm_packages(TYPESCRIPT.replace("@", "-"), TYPESCRIPT)
    (packages / "complete").touch()
    compiler = packages / "node_modules/typescript/bin/tsc"
    run("node", compiler, "--noEmit", "--strict", "--module", "nodenext", "--target", "es2022", "use.ts", cwd=folder)


def from_file(package, folder):
    """Runs the file in an empty folder, without an installation."""
    (folder / "bad.ptx").write_text(BAD)
    npx = ["npx", "--yes", "--offline", f"--package={package}", "ptxray"]
    assert "[expected-semicolon]" in run(*npx, "check", "bad.ptx", cwd=folder, status=1)


def main():
    ptxray, wasm, source = (pathlib.Path(word).resolve() for word in sys.argv[1:4])
    if not wasm.exists() or not shutil.which("npm"):
        print("skipped: no npm, or no ptxray.wasm (tools/dev playground makes it)")
        return 1 if {"playground", "all"} & set(os.environ.get("PTXRAY_REQUIRE", "").split(",")) else 77
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for place in ("user", "empty"):
            (folder / place).mkdir()
        package = packed(source, wasm, folder)
        tried(ptxray, package, folder / "user")
        typed(folder / "user")
        from_file(package, folder / "empty")
        print(f"{package.name}: {package.stat().st_size / 1e6:.2f} MB, installed and used")
    return 0


if __name__ == "__main__":
    sys.exit(main())
