// Runs ptxray: one instance is the language server, another the launch that is stepped through, and each command has one of
// its own, so that what is wrong in one reaches no other.
import { command, memoryDisk } from "../memory.mjs";
import { DebugAdapter, Server } from "../server.mjs";

let module, server, adapter;
const decoder = new TextDecoder();

function bytesOf(binary) {
  const bytes = new Uint8Array(binary.length);
  for (let at = 0; at < bytes.length; ++at) bytes[at] = binary.charCodeAt(at);
  return bytes;
}

function unpacked(base64) {
  const packed = Uint8Array.fromBase64?.(base64) ?? bytesOf(atob(base64));
  return new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();
}

async function start(program) {
  const isCompiled = program instanceof WebAssembly.Module;
  module = isCompiled ? program : await WebAssembly.compile(await unpacked(program));
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

/// Requests for the debug adapter, until one fails; with files a new one begins.
function debug(id, { requests, files }) {
  if (files) adapter = new DebugAdapter(module, { disk: memoryDisk(files) });
  const answers = [];
  for (const [name, args] of requests) {
    answers.push(adapter.request(name, args));
    if (!answers.at(-1).success) break;
  }
  postMessage({ id, answers });
}

function languageServer() {
  server ??= new Server(module);
  return server;
}

onmessage = async ({ data }) => {
  try {
    if (data.program) await start(data.program);
    else if (data.lsp) for (const message of languageServer().send(data.lsp)) postMessage({ lsp: message });
    else if (data.requests) debug(data.id, data);
    else answer(data.id, data);
  } catch (error) {
    postMessage({ broken: String(error), id: data.id, isServer: Boolean(data.lsp || data.program) });
  }
};
