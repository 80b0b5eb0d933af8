// A session as VS Code's client has it: node.mjs PACKAGES PTXRAY FILE
// The package checks each message on its way; what the server says of docs/examples/mistakes.ptx is compared here.
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";

const [packages, program, path] = process.argv.slice(2);
const lsp = createRequire(`${packages}/`)("vscode-languageserver-protocol/node");
const uri = `file://${path}`;
const original = readFileSync(path, "utf8");
const textDocument = { uri };
const edited = (text, edits) => lsp.TextDocument.applyEdits(lsp.TextDocument.create(uri, "ptx", 1, text), edits);
const whole = (text) => ({ start: { line: 0, character: 0 }, end: { line: text.split("\n").length, character: 0 } });

setTimeout(() => assert.fail("no answer within 30 seconds"), 30_000).unref();

/** A server and its connection. */
async function start(capabilities, initializationOptions = {}) {
  const server = spawn(program, ["lsp", "--stdio"]);
  const connection = lsp.createProtocolConnection(
    new lsp.StreamMessageReader(server.stdout),
    new lsp.StreamMessageWriter(server.stdin),
  );
  connection.onError(([error]) => assert.fail(error));
  connection.onUnhandledNotification((message) => assert.fail(`nobody expects ${message.method}`));
  connection.listen();
  const ask = { processId: process.pid, rootUri: null, capabilities, initializationOptions };
  const { capabilities: can } = await connection.sendRequest(lsp.InitializeRequest.type, ask);
  await connection.sendNotification(lsp.InitializedNotification.type, {});
  const open = (text) =>
    connection.sendNotification(lsp.DidOpenTextDocumentNotification.type, {
      textDocument: { uri, languageId: "ptx", version: 1, text },
    });
  const change = (version, contentChanges) =>
    connection.sendNotification(lsp.DidChangeTextDocumentNotification.type, {
      textDocument: { uri, version },
      contentChanges,
    });
  async function stop() {
    await connection.sendRequest(lsp.ShutdownRequest.type);
    const ended = once(server, "exit");
    await connection.sendNotification(lsp.ExitNotification.type);
    assert.deepEqual((await ended)[0], 0, "the exit status");
  }
  return { connection, can, open, change, stop };
}

const editor = {
  general: { positionEncodings: ["utf-16"] },
  workspace: { workspaceEdit: { documentChanges: true } },
  textDocument: {
    publishDiagnostics: { relatedInformation: true, codeDescriptionSupport: true, versionSupport: true },
    hover: { contentFormat: ["markdown"] },
    codeAction: { codeActionLiteralSupport: { codeActionKind: { valueSet: ["quickfix", "source"] } } },
    documentSymbol: { hierarchicalDocumentSymbolSupport: true },
    rename: { prepareSupport: true },
  },
};

/** Diagnostics come by themselves. */
async function pushed() {
  const { connection, can, open, change, stop } = await start(editor);
  assert.equal(can.positionEncoding, "utf-16");
  let arrived;
  connection.onNotification(lsp.PublishDiagnosticsNotification.type, (params) => arrived?.(params));
  const diagnosticsAfter = async (action) => {
    const coming = new Promise((resolve) => (arrived = resolve));
    await action();
    return coming;
  };
  const first = await diagnosticsAfter(() => open(original));
  assert.deepEqual([first.uri, first.version, first.diagnostics.length], [uri, 1, 6]);
  const [semicolon] = first.diagnostics;
  assert.equal(semicolon.code, "expected-semicolon");
  assert.equal(semicolon.severity, lsp.DiagnosticSeverity.Error);

  const ask = (type, more) => connection.sendRequest(type, { textDocument, ...more });
  const at = (line, character) => ({ position: { line, character } });
  const [fix] = await ask(lsp.CodeActionRequest.type, {
    range: semicolon.range,
    context: { diagnostics: [semicolon] },
  });
  assert.deepEqual([fix.title, fix.kind], ["insert `;`", lsp.CodeActionKind.QuickFix]);
  const fixed = edited(original, fix.edit.documentChanges[0].edits);
  const second = await diagnosticsAfter(() => change(2, [{ text: fixed }]));
  assert.deepEqual([second.version, second.diagnostics.length], [2, 5]);

  const hover = await ask(lsp.HoverRequest.type, at(14, 6));
  assert.match(hover.contents.value, /ldmatrix\.sync\.aligned/);
  const [place] = await ask(lsp.DefinitionRequest.type, at(16, 48));
  assert.equal(place.range.start.line, 8);
  const { items } = await ask(lsp.CompletionRequest.type, at(13, 0));
  assert(items.some((item) => item.label === "ldmatrix"));
  const [kernel] = await ask(lsp.DocumentSymbolRequest.type);
  assert(kernel.children.some((child) => child.name === "%rd<4>"));
  const renamed = await ask(lsp.RenameRequest.type, { ...at(8, 15), newName: "%wide" });
  assert(edited(fixed, renamed.documentChanges[0].edits).includes(".reg .b64 %wide<4>;"));

  const laidOut = execFileSync(program, ["fmt", "--no-config", "-"], { input: fixed, stdio: ["pipe", "pipe", "ignore"] });
  const edits = await ask(lsp.DocumentFormattingRequest.type, { options: { tabSize: 4, insertSpaces: true } });
  assert.equal(edited(fixed, edits), laidOut.toString());
  const { data } = await ask(lsp.SemanticTokensRequest.type);
  assert(data.length > 200 && data.length % 5 === 0);
  assert.deepEqual(await ask(lsp.InlayHintRequest.type, { range: whole(fixed) }), []);

  // Many edits and a request that is taken back: answered once, by an answer or as cancelled.
  for (let version = 3; version < 100; ++version)
    await change(version, [{ range: { start: at(0, 0).position, end: at(0, 0).position }, text: "// é\n" }]);
  const cancellation = new lsp.CancellationTokenSource();
  const taken = connection.sendRequest(lsp.HoverRequest.type, { textDocument, ...at(14, 6) }, cancellation.token);
  cancellation.cancel();
  await taken.catch((error) => assert.equal(error.code, lsp.LSPErrorCodes.RequestCancelled));
  await assert.rejects(connection.sendRequest("textDocument/nothing", {}), { code: lsp.ErrorCodes.MethodNotFound });
  await stop();
  return first.diagnostics.length;
}

/** Diagnostics are asked for, and again after other settings. */
async function pulled() {
  const capabilities = {
    ...editor,
    workspace: { ...editor.workspace, diagnostics: { refreshSupport: true }, inlayHint: { refreshSupport: true } },
    textDocument: { ...editor.textDocument, diagnostic: {} },
  };
  const { connection, can, open, stop } = await start(capabilities, { target: "sm_90" });
  assert.equal(can.diagnosticProvider.interFileDependencies, false);
  const refreshed = Promise.all(
    [lsp.DiagnosticRefreshRequest.type, lsp.InlayHintRefreshRequest.type].map(
      (type) => new Promise((resolve) => connection.onRequest(type, () => resolve())),
    ),
  );
  await open(original);
  const pull = (previousResultId) =>
    connection.sendRequest(lsp.DocumentDiagnosticRequest.type, { textDocument, previousResultId });
  const before = await pull();
  assert.equal(before.items.length, 5, "sm_90 has stmatrix");
  assert.equal((await pull(before.resultId)).kind, "unchanged");
  const settings = { ptxray: { target: "" } };
  await connection.sendNotification(lsp.DidChangeConfigurationNotification.type, { settings });
  await refreshed;
  assert.equal((await pull(before.resultId)).items.length, 6, "as the text says");
  await stop();
  return before.items.length;
}

console.log(`pushed: ${await pushed()} diagnostics; pulled: ${await pulled()}, and more after other settings`);
process.exit(0);
