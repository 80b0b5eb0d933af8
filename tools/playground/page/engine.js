// ptxray in a worker, for the page: commands that give a promise, and a transport for the client of the language server.
/// How long an answer may take before the worker counts as stuck.
const patience = 60000;

export class Engine {
  /// The program is bytes, or in the hands of a worker that start.js has started. `onRestart(reason)` is called
  /// when a new worker has taken the place of one that broke.
  constructor(program, onRestart) {
    this.onRestart = onRestart;
    this.listeners = new Set();
    this.waiting = new Map();
    this.number = 0;
    this.start(program instanceof Worker ? program : globalThis.ptxrayWorker(program));
  }

  start(worker) {
    this.worker = worker;
    this.ready = new Promise((done) => (this.isReady = done));
    worker.onmessage = ({ data }) => this.take(data);
    for (const data of worker.early.splice(0)) this.take(data);
    worker.onerror = (event) => this.restart(event.message);
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
    this.start(globalThis.ptxrayWorker(this.module));
    this.onRestart(reason);
  }

  async asked(message) {
    await this.ready;
    const id = ++this.number;
    return new Promise((done) => {
      const timer = setTimeout(() => this.restart("no answer"), patience);
      this.waiting.set(id, { done, timer });
      this.worker.postMessage({ id, ...message });
    });
  }

  /// {status, stdout, stderr, ms}
  command(args, files = {}, stdin = undefined) {
    return this.asked({ args, files, stdin });
  }

  /// Requests of the Debug Adapter Protocol, as [name, arguments]; with files for a new launch. {answers}, or {stderr}.
  debug(requests, files) {
    return this.asked({ requests, files });
  }

  /// Another program, of what it has besides that of this engine: {program}, or {stderr}.
  unpack(mine, besides) {
    return this.asked({ mine, besides });
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
