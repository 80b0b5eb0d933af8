// Starts `ptxray lsp` and `ptxray dap` and hands them to VS Code's clients; all knowledge of PTX is in these.
const fs = require("node:fs");
const path = require("node:path");
const vscode = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");
const warps = require("./warps.js");

const selector = [{ language: "ptx" }, { language: "cuda-cpp" }, { language: "cuda" }];
let client, log;

/** The program: as set, the one in the extension, the one in PATH. A folder may set it only when it is trusted. */
function program(context) {
  const set = vscode.workspace.getConfiguration("ptxray").get("path");
  const bundled = path.join(context.extensionPath, "bin", process.platform === "win32" ? "ptxray.exe" : "ptxray");
  return set || (fs.existsSync(bundled) ? bundled : "ptxray");
}

function settings() {
  const { target, arch, pedantic, inlayHints } = vscode.workspace.getConfiguration("ptxray");
  return { target, arch, pedantic, inlayHints };
}

async function start(context) {
  const command = program(context);
  const server = { command, args: ["lsp"] };
  client = new LanguageClient("ptxray", "ptxray", server, {
    documentSelector: selector,
    outputChannel: log,
    initializationOptions: settings(),
  });
  try {
    await client.start();
  } catch (error) {
    log.appendLine(`${command}: ${error.message}`);
    vscode.window.showErrorMessage(`\`${command} lsp\` does not start; the setting ptxray.path names the program.`);
  }
}

async function restart(context) {
  if (client) await client.stop().catch(() => {});
  await start(context);
}

async function settingsChanged(context, event) {
  if (event.affectsConfiguration("ptxray.path")) await restart(context);
  else if (event.affectsConfiguration("ptxray") && client)
    await client.sendNotification("workspace/didChangeConfiguration", { settings: { ptxray: settings() } });
}

async function activate(context) {
  log = vscode.window.createOutputChannel("ptxray");
  context.subscriptions.push(
    log,
    vscode.commands.registerCommand("ptxray.restart", () => restart(context)),
    vscode.commands.registerCommand("ptxray.showLog", () => log.show()),
    vscode.debug.registerDebugAdapterDescriptorFactory("ptxray", {
      createDebugAdapterDescriptor: () => new vscode.DebugAdapterExecutable(program(context), ["dap"]),
    }),
    ...warps.register(),
    vscode.workspace.onDidChangeConfiguration((event) => settingsChanged(context, event)),
  );
  await start(context);
}

module.exports = { activate, deactivate: () => client?.stop() };
