// ptxray in a worker, for the page: commands that give a promise, and a transport for the client of the language server.
import workerText from "worker-text";

function bytesOf(binary) {
  const bytes = new Uint8Array(binary.length);
  for (let at = 0; at < bytes.length; ++at) bytes[at] = binary.charCodeAt(at);
  return bytes;
}

async function unpacked(base64) {
  const packed = Uint8Array.fromBase64?.(base64) ?? bytesOf(atob(base64));
  return new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();
}

/// How long an answer may take before the worker counts as stuck.
const patience = 60000;

export class Engine {
  /// `onRestart(reason)` is called when a new worker has taken the place of one that broke.
  constructor(base64, onRestart) {
    this.onRestart = onRestart;
    this.listeners = new Set();
    this.waiting = new Map();
    this.number = 0;
    this.address = URL.createObjectURL(new Blob([workerText], { type: "text/javascript" }));
    this.start(unpacked(base64));
  }

  /// `wasm`: a promise of its bytes, or of the compiled module.
  start(wasm) {
    this.worker = new Worker(this.address);
    this.ready = new Promise((done) => (this.isReady = done));
    this.worker.onmessage = ({ data }) => this.take(data);
    this.worker.onerror = (event) => this.restart(event.message);
    wasm.then(
      (code) => this.worker.postMessage({ wasm: code }),
      (error) => this.onRestart(String(error), true),
    );
  }

  take(data) {
    if (data.ready) {
      this.module = data.ready;
      this.isReady();
    } else if (data.lsp) {
      for (const listener of this.listeners) listener(data.lsp);
    } else if (data.isServer) this.restart(data.broken);
    else
      this.finish(data.id, data.broken ? { status: -1, stdout: "", stderr: `ptxray stopped: ${data.broken}` } : data);
  }

  finish(id, answer) {
    const { done, timer } = this.waiting.get(id) ?? {};
    clearTimeout(timer);
    this.waiting.delete(id);
    done?.(answer);
  }

  restart(reason) {
    if (!this.module) return this.onRestart(reason, true);
    this.worker.terminate();
    for (const id of [...this.waiting.keys()])
      this.finish(id, { status: -1, stdout: "", stderr: `ptxray stopped: ${reason}` });
    this.start(Promise.resolve(this.module));
    this.onRestart(reason);
  }

  /// {status, stdout, stderr, ms}
  async command(args, files = {}, stdin = undefined) {
    await this.ready;
    const id = ++this.number;
    return new Promise((done) => {
      const timer = setTimeout(() => this.restart("no answer"), patience);
      this.waiting.set(id, { done, timer });
      this.worker.postMessage({ id, args, files, stdin });
    });
  }

  /// For LSPClient.connect.
  get transport() {
    return {
      send: (message) => this.ready.then(() => this.worker.postMessage({ lsp: message })),
      subscribe: (listener) => this.listeners.add(listener),
      unsubscribe: (listener) => this.listeners.delete(listener),
    };
  }
}
