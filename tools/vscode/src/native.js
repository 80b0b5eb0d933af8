// Where there are processes: the language server, the debug adapter and the emulator are commands of the program.
const fs = require("node:fs");
const path = require("node:path");
const vscode = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");
const coverage = require("./coverage.js");
const { activate, deactivate } = require("./extension.js");

const name = process.platform === "win32" ? "ptxray.exe" : "ptxray";

/** The program in PATH, by its whole path: Windows would look for a bare name in the folder that is open first. */
function installed() {
  const folders = (process.env.PATH ?? "").split(path.delimiter).filter((folder) => path.isAbsolute(folder));
  return folders.map((folder) => path.join(folder, name)).find((file) => fs.existsSync(file));
}

/** The program: as set, the one in the extension, the one in PATH. A folder may set it only when it is trusted. */
function program(context) {
  const set = vscode.workspace.getConfiguration("ptxray").get("path");
  const bundled = path.join(context.extensionPath, "bin", name);
  return set || (fs.existsSync(bundled) ? bundled : (installed() ?? bundled));
}

function host(context) {
  return {
    client: (options) => new LanguageClient("ptxray", "ptxray", { command: program(context), args: ["lsp"] }, options),
    adapter: () => new vscode.DebugAdapterExecutable(program(context), ["dap"]),
    whyNot: "`ptxray lsp` does not start; the setting ptxray.path names the program.",
  };
}

function start(context) {
  context.subscriptions.push(...coverage.register(() => program(context)));
  return activate(context, host(context));
}

module.exports = { activate: start, deactivate };
