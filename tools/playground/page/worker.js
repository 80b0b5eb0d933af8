// Runs ptxray: one instance is the language server, another the launch that is stepped through, and each command has one of
// its own, so that what is wrong in one reaches no other.
import { command } from "../memory.mjs";
import { instantiate } from "../wasi.mjs";
import { DebugAdapter, memoryDisk, Server } from "../server.mjs";

let module, server, adapter;
const decoder = new TextDecoder();

/// The bytes in a string of page.py, two a character.
function bytesOf(text) {
  const words = new Uint16Array(text.length);
  let count = 0;
  for (let at = 1; at < text.length; ++at) {
    const word = text.charCodeAt(at);
    words[count++] = word === 1 ? text.charCodeAt(++at) ^ 0x8000 : word;
  }
  return new Uint8Array(words.buffer, 0, 2 * count - Number(text[0]));
}

function unpacked(text) {
  const unpacker = new DecompressionStream("gzip"),
    writer = unpacker.writable.getWriter();
  writer.write(bytesOf(text)); // of a blob WebKit says at times that it cannot be read
  writer.close();
  return new Response(unpacker.readable).arrayBuffer();
}

/// Another program, of what it has besides `mine`, that of this worker.
async function other({ mine, besides }) {
  const known = new Uint8Array(await unpacked(mine)),
    packed = bytesOf(besides);
  const program = instantiate(module, { streams: [] }),
    place = program.room(known.length + packed.length);
  new Uint8Array(program.memory.buffer).set(known, place);
  new Uint8Array(program.memory.buffer).set(packed, place + known.length);
  const size = program.unpack(place, known.length, packed.length),
    at = program.unpacked();
  if (!size) throw new Error("the emulator cannot be unpacked");
  return program.memory.buffer.slice(at, at + size);
}

async function start(program) {
  const isCompiled = program instanceof WebAssembly.Module;
  const bytes = typeof program === "string" ? await unpacked(program) : program;
  module = isCompiled ? program : await WebAssembly.compile(bytes);
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
    else if (data.besides) postMessage({ id: data.id, program: await other(data) });
    else answer(data.id, data);
  } catch (error) {
    postMessage({ broken: String(error), id: data.id, isServer: Boolean(data.lsp || data.program) });
  }
};
