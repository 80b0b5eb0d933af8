// ptxray for node: `import { check } from "ptxray"`. Nothing is written and no other program is called.
import fs from "node:fs";
import { command as commandOf } from "../memory.mjs";

const encoder = new TextEncoder();
const decoder = new TextDecoder();
let module;

/// The compiled program; the first call takes some 50 ms.
export function compiled() {
  module ??= new WebAssembly.Module(fs.readFileSync(new URL("./ptxray.wasm", import.meta.url)));
  return module;
}

export function command(args, { files = {}, stdin = "" } = {}) {
  const bytes = (data) => (typeof data === "string" ? encoder.encode(data) : data);
  const given = Object.fromEntries(Object.entries(files).map(([name, data]) => [name, bytes(data)]));
  const { status, stdout, stderr, written } = commandOf(compiled(), args, { files: given, stdin: bytes(stdin) });
  return { status, stdout: decoder.decode(stdout), stderr: decoder.decode(stderr), written };
}

function optionsOf({ target, ptx, arch, language, pedantic, off = [] }) {
  const options = Object.entries({ target, ptx, arch, language }).filter(([, value]) => value !== undefined);
  return [
    ...options.map(([name, value]) => `--${name}=${value}`),
    ...(pedantic ? ["--pedantic"] : []),
    ...(off.length ? [`--off=${off.join(",")}`] : []),
  ];
}

function expectReport({ status, stdout, stderr }) {
  if (status > 1 || status < 0) throw new Error(stderr.trim() || `ptxray ends with ${status}`);
  return stdout;
}

export function check(text, options = {}) {
  const name = options.name ?? "text.ptx";
  const words = ["check", "--no-config", "--format=json", ...optionsOf(options), `--stdin-filename=${name}`, "-"];
  return JSON.parse(expectReport(command(words, { stdin: text }))).files[0];
}

export function format(text) {
  return expectReport(command(["fmt", "-"], { stdin: text }));
}
