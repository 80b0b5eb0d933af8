// In a browser: the language server and the debug adapter are the program as WebAssembly, each in a worker of its own.
const vscode = require("vscode");
const { LanguageClient } = require("vscode-languageclient/browser");
const { activate, deactivate } = require("./extension.js");

/** `files`: what a debug adapter reads, by name; a language server has none. */
async function peer(context, files) {
  const place = (...names) => vscode.Uri.joinPath(context.extensionUri, ...names);
  const program = await vscode.workspace.fs.readFile(place("bin", "ptxray.wasm"));
  const worker = new Worker(place("dist", "worker.js").toString(true));
  worker.postMessage({ program, files });
  return worker;
}

/** The kernel's file, which a launch names by its path alone, as `${file}` does. */
function fileOf({ configuration, workspaceFolder }) {
  const { program } = configuration;
  return workspaceFolder && !/^[\w+.-]+:/.test(program)
    ? workspaceFolder.uri.with({ path: program })
    : vscode.Uri.parse(program);
}

/** The adapter knows one file, in the folder `/`; VS Code knows it by its address. */
class Adapter {
  constructor(worker, inside, outside) {
    const said = new vscode.EventEmitter();
    Object.assign(this, { worker, inside, outside, onDidSendMessage: said.event });
    worker.onmessage = ({ data }) => said.fire(this.renamed(data, inside, outside));
  }
  renamed(message, from, to) {
    return JSON.parse(JSON.stringify(message), (key, value) => (key === "path" && value === from ? to : value));
  }
  handleMessage(message) {
    const asked = this.renamed(message, this.outside, this.inside);
    if (asked.command === "launch") asked.arguments = { ...asked.arguments, program: this.inside, cwd: "/" };
    this.worker.postMessage(asked);
  }
  dispose() {
    this.worker.terminate();
  }
}

async function adapter(context, session) {
  const file = fileOf(session),
    name = file.path.split("/").at(-1);
  const worker = await peer(context, { [name]: await vscode.workspace.fs.readFile(file) });
  return new vscode.DebugAdapterInlineImplementation(new Adapter(worker, `/${name}`, file.toString()));
}

function host(context) {
  return {
    client: async (options) => new LanguageClient("ptxray", "ptxray", options, await peer(context)),
    adapter: (session) => adapter(context, session),
    whyNot: "ptxray does not start in this browser; its log says why.",
  };
}

module.exports = { activate: (context) => activate(context, host(context)), deactivate };
