// Compares the grammar's colours with what the server says each word is: colours.mjs PTXRAY FILE...
import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";

const require = createRequire(`${process.cwd()}/`);
const textmate = require("vscode-textmate");
const oniguruma = require("vscode-oniguruma");
const [tool, ...files] = process.argv.slice(2);
const grammarFile = new URL("../syntaxes/ptx.tmLanguage.json", import.meta.url);

// The order of the server's kinds; what the grammar may call each of them.
const scopes = {
  keyword: ["keyword.mnemonic"],
  modifier: ["entity.other.attribute-name", "storage.modifier", "storage.type", "keyword.control.directive"],
  type: ["storage.type"],
  macro: ["keyword.control.directive", "storage.modifier"],
  variable: ["variable.other"],
  enumMember: ["variable.language.register", "constant.language.target"],
  label: ["entity.name.label", "variable.other"],
  function: ["entity.name.function", "variable.other"],
  parameter: ["variable.other"],
  property: ["variable.other"],
  number: ["constant."],
};

async function semanticTokens(texts) {
  const server = spawn(tool, ["lsp"], { stdio: ["pipe", "pipe", "inherit"] });
  const waiting = new Map();
  let buffer = Buffer.alloc(0);
  server.stdout.on("data", (data) => {
    buffer = Buffer.concat([buffer, data]);
    for (;;) {
      const header = buffer.indexOf("\r\n\r\n");
      if (header < 0) return;
      const length = Number(/Content-Length: (\d+)/i.exec(buffer.subarray(0, header).toString())[1]);
      if (buffer.length < header + 4 + length) return;
      const message = JSON.parse(buffer.subarray(header + 4, header + 4 + length));
      buffer = buffer.subarray(header + 4 + length);
      waiting.get(message.id)?.(message.result);
    }
  });
  const send = (message) => {
    const body = Buffer.from(JSON.stringify({ jsonrpc: "2.0", ...message }));
    server.stdin.write(`Content-Length: ${body.length}\r\n\r\n`);
    server.stdin.write(body);
  };
  let id = 0;
  const ask = (method, params) =>
    new Promise((resolve) => {
      waiting.set(++id, resolve);
      send({ id, method, params });
    });
  const { capabilities } = await ask("initialize", { processId: null, rootUri: null, capabilities: {} });
  send({ method: "initialized", params: {} });
  const names = capabilities.semanticTokensProvider.legend.tokenTypes;
  const all = [];
  for (const [number, text] of texts.entries()) {
    const uri = `untitled:${number}`;
    send({ method: "textDocument/didOpen", params: { textDocument: { uri, languageId: "ptx", version: 1, text } } });
    const { data } = await ask("textDocument/semanticTokens/full", { textDocument: { uri } });
    let line = 0, column = 0;
    const tokens = [];
    for (let i = 0; i < data.length; i += 5) {
      column = data[i] ? data[i + 1] : column + data[i + 1];
      line += data[i];
      tokens.push({ line, column, length: data[i + 2], kind: names[data[i + 3]] });
    }
    all.push(tokens);
  }
  await ask("shutdown");
  send({ method: "exit" });
  return all;
}

async function loadGrammar() {
  const wasm = readFileSync(require.resolve("vscode-oniguruma/release/onig.wasm"));
  await oniguruma.loadWASM(wasm);
  const registry = new textmate.Registry({
    onigLib: Promise.resolve({
      createOnigScanner: (sources) => new oniguruma.OnigScanner(sources),
      createOnigString: (text) => new oniguruma.OnigString(text),
    }),
    loadGrammar: async () => textmate.parseRawGrammar(readFileSync(grammarFile, "utf8"), "ptx.tmLanguage.json"),
  });
  return registry.loadGrammar("source.ptx");
}

const texts = files.map((file) => readFileSync(file, "utf8"));
const [grammar, expected] = await Promise.all([loadGrammar(), semanticTokens(texts)]);
const counts = {};
let wrong = 0;
for (const [number, text] of texts.entries()) {
  let stack = textmate.INITIAL;
  const lines = text.split(/\r?\n/).map((line) => {
    const result = grammar.tokenizeLine(line, stack);
    stack = result.ruleStack;
    return { line, tokens: result.tokens };
  });
  for (const { line, column, length, kind } of expected[number]) {
    const token = lines[line].tokens.find((t) => t.startIndex <= column && column < t.endIndex);
    const scope = token?.scopes.at(-1) ?? "nothing";
    counts[kind] = (counts[kind] ?? 0) + 1;
    if (scopes[kind].some((wanted) => scope.startsWith(wanted))) continue;
    if (++wrong <= 20) {
      const word = lines[line].line.slice(column, column + length);
      console.log(`${files[number]}:${line + 1}:${column + 1}: \`${word}\` is a ${kind}; the grammar says ${scope}`);
    }
  }
}
const total = Object.values(counts).reduce((a, b) => a + b, 0);
console.log(`${total} words of ${files.length} files, ${wrong} of another colour: ${JSON.stringify(counts)}`);
process.exit(wrong || total < 10 * files.length ? 1 : 0);
