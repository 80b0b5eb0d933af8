// The extension in every VS Code: all knowledge of PTX is in `ptxray lsp` and `ptxray dap`, which native.js starts as processes
// and web.js as workers.
const vscode = require("vscode");
const warps = require("./warps.js");

let client, log;

function settings() {
  const { target, arch, pedantic, inlayHints } = vscode.workspace.getConfiguration("ptxray");
  return { target, arch, pedantic, inlayHints };
}

async function start(host) {
  try {
    client = await host.client({
      documentSelector: [{ language: "ptx" }, { language: "cuda-cpp" }, { language: "cuda" }],
      outputChannel: log,
      initializationOptions: settings(),
    });
    await client.start();
  } catch (error) {
    log.appendLine(error.message);
    vscode.window.showErrorMessage(host.whyNot);
  }
}

async function restart(host) {
  if (client) await client.stop().catch(() => {});
  await start(host);
}

async function settingsChanged(host, event) {
  if (event.affectsConfiguration("ptxray.path")) await restart(host);
  else if (event.affectsConfiguration("ptxray") && client)
    await client.sendNotification("workspace/didChangeConfiguration", { settings: { ptxray: settings() } });
}

/** `host`: client(options) is a client of the language server; adapter(session) describes a debug adapter. */
async function activate(context, host) {
  log = vscode.window.createOutputChannel("ptxray");
  context.subscriptions.push(
    log,
    vscode.commands.registerCommand("ptxray.restart", () => restart(host)),
    vscode.commands.registerCommand("ptxray.showLog", () => log.show()),
    vscode.debug.registerDebugAdapterDescriptorFactory("ptxray", { createDebugAdapterDescriptor: host.adapter }),
    ...warps.register(),
    vscode.workspace.onDidChangeConfiguration((event) => settingsChanged(host, event)),
  );
  await start(host);
}

module.exports = { activate, deactivate: () => client?.stop() };
