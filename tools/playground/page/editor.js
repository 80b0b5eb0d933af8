// The editor: CodeMirror, its client of the language server, and the colours that the server gives.
import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { bracketMatching } from "@codemirror/language";
import { lintGutter, lintKeymap } from "@codemirror/lint";
import * as lsp from "@codemirror/lsp-client";
import { highlightSelectionMatches, searchKeymap } from "@codemirror/search";
import { Compartment, EditorState } from "@codemirror/state";
import { places, setPlaces } from "./places.js";
import * as cm from "@codemirror/view";
import { comments, semanticColours } from "./colours.js";
import { diagnostics, fixAtCursor } from "./findings.js";
import { inlayHints } from "./hints.js";
import { theme } from "./theme.js";

/// What a text may be: its name for the language server and for commands.
export const languages = {
  ptx: { title: "PTX", file: "playground.ptx", id: "ptx" },
  cuda: { title: "CUDA C++", file: "playground.cu", id: "cuda-cpp" },
  python: { title: "Python", file: "playground.py", id: "python" },
  llvm: { title: "LLVM", file: "playground.ll", id: "llvm" },
  rust: { title: "Rust", file: "playground.rs", id: "rust" },
};

/// After so many milliseconds without a key the server hears of what was typed.
const pause = 4;

export class Editor {
  /// `changed(isEdit)` is called after edits and when the cursor has moved, `found(findings, fixes)` when there are new ones.
  constructor(parent, { changed, found }) {
    this.changed = changed;
    this.language = "ptx";
    this.file = new Compartment();
    this.dark = new Compartment();
    this.client = new lsp.LSPClient({
      timeout: 20000,
      extensions: [lsp.serverCompletion(), lsp.hoverTooltips(), lsp.signatureHelp(), diagnostics(this, found)],
    });
    this.view = new cm.EditorView({ parent, state: EditorState.create({ extensions: this.extensions() }) });
  }

  extensions() {
    const { lineNumbers, highlightActiveLine, highlightActiveLineGutter, drawSelection, dropCursor } = cm;
    const watched = cm.EditorView.updateListener.of((update) => this.heed(update));
    const label = cm.EditorView.contentAttributes.of({
      "aria-label": "text; Escape, then Tab leaves it",
      spellcheck: "false",
    });
    const keys = [
      { key: "Mod-.", run: fixAtCursor },
      ...[closeBracketsKeymap, defaultKeymap, searchKeymap, historyKeymap, completionKeymap, lintKeymap].flat(),
      ...[lsp.formatKeymap, lsp.renameKeymap, lsp.jumpToDefinitionKeymap, lsp.findReferencesKeymap].flat(),
    ];
    return [
      ...[lineNumbers(), highlightActiveLineGutter(), history(), drawSelection(), dropCursor(), bracketMatching()],
      ...[closeBrackets(), autocompletion(), highlightActiveLine(), highlightSelectionMatches(), lintGutter()],
      ...[
        cm.keymap.of(keys),
        label,
        watched,
        theme,
        this.dark.of([]),
        places,
        semanticColours(this.client),
        inlayHints(this.client),
        this.file.of(this.plugin()),
      ],
    ];
  }

  get uri() {
    return `file:///${languages[this.language].file}`;
  }
  get text() {
    return this.view.state.doc.toString();
  }
  plugin() {
    return [this.client.plugin(this.uri, languages[this.language].id), comments(this.language)];
  }

  heed(update) {
    if (update.docChanged) {
      clearTimeout(this.timer);
      this.timer = setTimeout(() => this.client.sync(), pause);
    }
    if (update.docChanged || update.selectionSet) this.changed(update.docChanged);
  }

  /// To a server, or from one that is no more to another.
  connect(transport) {
    this.client.disconnect();
    this.client.connect(transport);
  }

  setText(text, language = this.language, line = 1) {
    const isOther = language !== this.language;
    this.language = language;
    const effects = isOther ? this.file.reconfigure([]) : [];
    const changes = { from: 0, to: this.view.state.doc.length, insert: text };
    this.view.dispatch({ changes, effects, selection: { anchor: 0 } });
    if (isOther) this.view.dispatch({ effects: this.file.reconfigure(this.plugin()) });
    if (line > 1) this.showLine(line, false);
  }

  showLine(number, focuses = true) {
    const line = this.view.state.doc.line(Math.min(Math.max(number, 1), this.view.state.doc.lines));
    const indent = /^\s*([^"']*["'](?=[a-z{@]))?/.exec(line.text)[0].length; // in sources: into the assembly
    this.view.dispatch({
      selection: { anchor: line.from + indent },
      effects: cm.EditorView.scrollIntoView(line.from, { y: "center" }),
    });
    if (focuses) this.view.focus();
  }

  select(from, to) {
    this.view.dispatch({
      selection: { anchor: from, head: to },
      effects: cm.EditorView.scrollIntoView(from, { y: "center" }),
    });
    this.view.focus();
  }

  /// Marks the lines where warps are: [{line, what}]. One of them is scrolled to, if it cannot be seen.
  showPlaces(list, line = 0) {
    const { doc } = this.view.state;
    const effects = [setPlaces.of(list)];
    if (line && line <= doc.lines) effects.push(cm.EditorView.scrollIntoView(doc.line(line).from, { y: "nearest", yMargin: 60 }));
    this.view.dispatch({ effects });
  }

  setDark(isDark) {
    this.view.dispatch({ effects: this.dark.reconfigure(cm.EditorView.darkTheme.of(isDark)) });
  }

  /// Asks the server about this text.
  async ask(method, params = {}) {
    await this.client.initializing;
    this.client.sync();
    return this.client.request(method, { textDocument: { uri: this.uri }, ...params });
  }
}
