// What is wrong: marks in the editor, with a fix where there is one, and the list beside it.
import { setDiagnostics } from "@codemirror/lint";
import { LSPPlugin } from "@codemirror/lsp-client";
import { element, withCode } from "./element.js";

const severities = [, "error", "warning", "info", "hint"];
const pause = 150;
const capabilities = {
  textDocument: {
    // The client says that it asks for findings and never does; so they are to be sent to it.
    diagnostic: false,
    publishDiagnostics: { versionSupport: true, relatedInformation: true, codeDescriptionSupport: true },
    codeAction: { codeActionLiteralSupport: { codeActionKind: { valueSet: ["quickfix", "source.fixAll"] } } },
  },
};

const known = new WeakMap(); // what is known of a view's findings
const isSilencing = (action) => action.title.startsWith("silence ");
const keyOf = ({ range, code, message }) => `${range.start.line}:${range.start.character}:${code}:${message}`;

/// The extension of the client. `found(findings, fixes)`: fixes is undefined until they are known, then a map by keyOf.
export function diagnostics(editor, found) {
  return {
    clientCapabilities: capabilities,
    notificationHandlers: {
      "textDocument/publishDiagnostics": (client, params) => {
        const file = client.workspace.getFile(params.uri),
          view = file?.getView();
        if (view && params.version === file.version) take(editor, view, params.diagnostics, found);
        return true;
      },
    },
  };
}

function take(editor, view, findings, found) {
  const state = { findings, editor, fixes: new Map(), doc: view.state.doc };
  clearTimeout(known.get(view)?.timer);
  known.set(view, state);
  showMarks(view, state);
  found(findings);
  if (findings.length) state.timer = setTimeout(() => askFixes(view, state, found).catch(() => {}), pause);
}

async function askFixes(view, state, found) {
  const range = { start: { line: 0, character: 0 }, end: { line: view.state.doc.lines, character: 0 } };
  const actions = await state.editor.ask("textDocument/codeAction", { range, context: { diagnostics: [] } });
  if (known.get(view) !== state) return;
  for (const action of actions ?? []) {
    if (action.kind !== "quickfix" || isSilencing(action)) continue;
    for (const finding of action.diagnostics ?? []) {
      const key = keyOf(finding);
      state.fixes.set(key, [...(state.fixes.get(key) ?? []), action]);
    }
  }
  showMarks(view, state);
  found(state.findings, state.fixes);
}

function showMarks(view, state) {
  const plugin = LSPPlugin.get(view);
  if (!plugin) return;
  const place = (position) => plugin.unsyncedChanges.mapPos(plugin.fromPosition(position, plugin.syncedDoc));
  const marks = state.findings.map((finding) => ({
    from: place(finding.range.start),
    to: place(finding.range.end),
    severity: severities[finding.severity ?? 1],
    message: finding.code ? `${finding.message} [${finding.code}]` : finding.message,
    actions: (state.fixes.get(keyOf(finding)) ?? []).map((action) => ({
      name: action.title,
      apply: () => applyFix(view, action),
    })),
  }));
  view.dispatch(setDiagnostics(view.state, marks));
}

/// Makes the edits of an action of the server.
export function applyFix(view, action) {
  const plugin = LSPPlugin.get(view),
    edits = Object.values(action.edit?.changes ?? {}).flat();
  const place = (position) => plugin.unsyncedChanges.mapPos(plugin.fromPosition(position, plugin.syncedDoc));
  const changes = edits.map(({ range, newText }) => ({
    from: place(range.start),
    to: place(range.end),
    insert: newText,
  }));
  view.dispatch({ changes, userEvent: "input.fix" });
  return true;
}

/// The key that fixes: the first finding of the cursor's line that can be fixed. It may be pressed before the fixes of what
/// was typed are known, so the server is asked.
export function fixAtCursor(view) {
  const { editor } = known.get(view) ?? {};
  if (editor) fixLine(view, editor).catch(() => {});
  return Boolean(editor);
}

async function fixLine(view, editor) {
  const { doc, selection } = view.state,
    line = doc.lineAt(selection.main.head);
  const at = (character) => ({ line: line.number - 1, character });
  const range = { start: at(0), end: at(line.length) };
  const actions = await editor.ask("textDocument/codeAction", { range, context: { diagnostics: [] } });
  const action = (actions ?? []).find(({ kind, ...one }) => kind === "quickfix" && !isSilencing(one));
  if (action && view.state.doc === doc) applyFix(view, action);
}

/// The safe ones at once.
export async function fixAll(editor) {
  const range = { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } };
  const context = { diagnostics: [], only: ["source.fixAll.ptxray"] };
  const [action] = (await editor.ask("textDocument/codeAction", { range, context })) ?? [];
  return action ? applyFix(editor.view, action) : false;
}

const mostListed = 200;

/// A button that goes to a range.
function placeButton(editor, { start, end }) {
  const show = () => {
    const doc = editor.view.state.doc;
    const at = (position) =>
      Math.min(doc.line(Math.min(position.line + 1, doc.lines)).from + position.character, doc.length);
    editor.select(at(start), at(end));
  };
  return element("button", { class: "place", onclick: show }, `${start.line + 1}:${start.character + 1}`);
}

function noteOf(editor, finding, { location, message }) {
  const isElsewhere = location.range.start.line !== finding.range.start.line;
  return element("p", { class: "note" }, isElsewhere && placeButton(editor, location.range), ...withCode(message));
}

/// The list, as elements. `explain(rule)` is called for the rule of one.
export function findingList(editor, findings, fixes, explain) {
  const items = findings.slice(0, mostListed).map((finding) => {
    const rule =
      finding.code && element("button", { class: "rule", onclick: () => explain(finding.code) }, finding.code);
    const notes = (finding.relatedInformation ?? []).map((note) => noteOf(editor, finding, note));
    const actions = (fixes?.get(keyOf(finding)) ?? []).map((action) =>
      element("button", { class: "fix", onclick: () => applyFix(editor.view, action) }, ...withCode(action.title)),
    );
    const kind = severities[finding.severity ?? 1];
    return element(
      "li",
      { class: kind },
      placeButton(editor, finding.range),
      element("span", { class: "kind" }, kind),
      " ",
      ...withCode(finding.message),
      " ",
      rule,
      ...notes,
      element("div", {}, ...actions),
    );
  });
  if (findings.length > mostListed) items.push(element("li", {}, `and ${findings.length - mostListed} more`));
  return items;
}
