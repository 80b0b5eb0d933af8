// Runs ptxray: one instance is the language server, and each command has one of its own, so that what is wrong in one
// reaches no other.
import { command } from "../memory.mjs";
import { Server } from "../server.mjs";

let module, server;
const decoder = new TextDecoder();

async function start(wasm) {
  module = wasm instanceof WebAssembly.Module ? wasm : await WebAssembly.compile(wasm);
  server = new Server(module);
  postMessage({ ready: module });
}

function answer(id, { args, files, stdin }) {
  const started = performance.now();
  const { status, stdout, stderr, written, memory } = command(module, args, { files, stdin });
  postMessage({
    id,
    status,
    stdout: decoder.decode(stdout),
    stderr: decoder.decode(stderr),
    written,
    memory,
    ms: performance.now() - started,
  });
}

onmessage = async ({ data }) => {
  try {
    if (data.wasm) await start(data.wasm);
    else if (data.lsp) for (const message of server.send(data.lsp)) postMessage({ lsp: message });
    else answer(data.id, data);
  } catch (error) {
    postMessage({ broken: String(error), id: data.id, isServer: Boolean(data.lsp || data.wasm) });
  }
};
