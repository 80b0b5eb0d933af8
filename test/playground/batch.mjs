// Runs commands of ptxray.wasm, one after another: node batch.mjs WASI-FOLDER PTXRAY.WASM, with jobs as JSON lines on standard
// input: {args, cwd, stdin}. Each is answered with a line: {status, stdout, stderr, memory}, outputs as base64.
import { readFileSync } from "node:fs";
import path from "node:path";

const [folder, program] = process.argv.slice(2);
const load = (name) => import(path.resolve(folder, name));
const [{ instantiate, run }, { input, output }, { disk }] = await Promise.all(
  ["wasi.mjs", "memory.mjs", "npm/disk.mjs"].map(load),
);
const module = new WebAssembly.Module(readFileSync(program));

for (const line of readFileSync(0, "utf8").split("\n").filter(Boolean)) {
  const { args, cwd, stdin } = JSON.parse(line);
  const streams = [input(stdin ? readFileSync(path.resolve(cwd, stdin)) : new Uint8Array()), output(), output()];
  let status,
    trap = "",
    memory;
  try {
    const exports = instantiate(module, { args, env: { PWD: cwd }, disk, streams });
    status = run(exports);
    memory = exports.memory.buffer.byteLength;
  } catch (error) {
    trap = String(error);
  }
  const [stdout, stderr] = streams.slice(1).map((stream) => Buffer.from(stream.take()).toString("base64"));
  console.log(JSON.stringify({ status, trap, memory, stdout, stderr }));
}
