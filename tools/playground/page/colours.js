// Semantic colours: the client of CodeMirror does not ask for them.
import { LSPPlugin } from "@codemirror/lsp-client";
import { RangeSetBuilder } from "@codemirror/state";
import { Decoration, MatchDecorator, ViewPlugin } from "@codemirror/view";

const pause = 60;
const margin = 100; // lines above and below what is shown
const marks = new Map();

function mark(type) {
  if (!marks.has(type)) marks.set(type, Decoration.mark({ class: `tok-${type}` }));
  return marks.get(type);
}

/// `data` as the protocol packs it: lines and columns count from the word before.
function decorationsOf(data, types, doc) {
  const builder = new RangeSetBuilder();
  for (let i = 0, line = 0, column = 0; i < data.length; i += 5) {
    column = data[i] ? data[i + 1] : column + data[i + 1];
    line += data[i];
    const from = doc.line(line + 1).from + column;
    builder.add(from, from + data[i + 2], mark(types[data[i + 3]]));
  }
  return builder.finish();
}

class Colours {
  constructor(view, client) {
    this.client = client;
    this.decorations = Decoration.none;
    this.askLater(view, 0);
  }
  update(update) {
    const isOther = LSPPlugin.get(update.view)?.uri !== this.uri;
    if (update.docChanged) this.decorations = this.decorations.map(update.changes);
    if (update.docChanged || update.viewportChanged || isOther) this.askLater(update.view, pause);
    this.uri = LSPPlugin.get(update.view)?.uri;
  }
  destroy() {
    clearTimeout(this.timer);
  }
  askLater(view, wait) {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.ask(view).catch(() => this.askLater(view, 1000)), wait);
  }
  async ask(view) {
    const plugin = LSPPlugin.get(view),
      doc = view.state.doc;
    if (!plugin) return;
    await this.client.initializing;
    this.client.sync();
    const { from, to } = view.viewport;
    const line = (at, more) => Math.min(Math.max(doc.lineAt(at).number - 1 + more, 0), doc.lines - 1);
    const range = {
      start: { line: line(from, -margin), character: 0 },
      end: { line: line(to, margin), character: doc.line(line(to, margin) + 1).length },
    };
    const textDocument = { uri: plugin.uri };
    const answer = await this.client.request("textDocument/semanticTokens/range", { textDocument, range });
    if (view.state.doc !== doc || LSPPlugin.get(view) !== plugin || !answer) return;
    const legend = this.client.serverCapabilities.semanticTokensProvider.legend;
    this.decorations = decorationsOf(answer.data, legend.tokenTypes, doc);
    view.dispatch({});
  }
}

export const semanticColours = (client) =>
  ViewPlugin.define((view) => new Colours(view, client), { decorations: (colours) => colours.decorations });

/// The server has no colour for comments.
function commentsAs(regexp) {
  const matcher = new MatchDecorator({ regexp, decoration: Decoration.mark({ class: "tok-comment" }) });
  return ViewPlugin.define(
    (view) => ({
      decorations: matcher.createDeco(view),
      update(update) {
        this.decorations = matcher.updateDeco(update, this.decorations);
      },
    }),
    { decorations: (plugin) => plugin.decorations },
  );
}

export function comments(language) {
  return commentsAs({ python: /#.*/g, llvm: /;.*/g }[language] ?? /\/\/.*|\/\*.*?\*\//g);
}
