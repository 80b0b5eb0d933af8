// Makes ptxray-TARGET.vsix with the program inside: PTXRAY=path/to/ptxray [TARGET=linux-x64] npm run package [-- FILE]
import { execFileSync } from "node:child_process";
import { chmodSync, copyFileSync, existsSync, mkdirSync, rmSync } from "node:fs";

const target = process.env.TARGET ?? "linux-x64";
const program = process.env.PTXRAY ?? "../../build/release/tools/ptxray/ptxray";
const output = process.argv[2] ?? `ptxray-${target}.vsix`;
if (!existsSync(program)) throw new Error(`no program ${program}: PTXRAY names it`);
rmSync("bin", { recursive: true, force: true });
mkdirSync("bin");
const bundled = `bin/ptxray${target.startsWith("win32") ? ".exe" : target === "web" ? ".wasm" : ""}`;
copyFileSync(program, bundled);
chmodSync(bundled, 0o755);
copyFileSync("../../LICENSE", "LICENSE");
const run = (name, ...args) => execFileSync("npx", ["--no-install", name, ...args], { stdio: "inherit" });
execFileSync("npm", ["run", "--silent", "build"], { stdio: "inherit" });
run("vsce", "package", "--target", target, "--no-dependencies", "--allow-missing-repository", "--out", output);
