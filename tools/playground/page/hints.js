// What the server shows between the words: where addresses lead, what the bits of descriptors say.
import { LSPPlugin } from "@codemirror/lsp-client";
import { Decoration, ViewPlugin, WidgetType } from "@codemirror/view";
import { element } from "./element.js";

const pause = 250;

export const tooltipOf = ({ tooltip }) => (typeof tooltip === "string" ? tooltip : (tooltip?.value ?? ""));
const labelOf = ({ label }) => (typeof label === "string" ? label : label.map((part) => part.value).join(""));

class Hint extends WidgetType {
  constructor(hint) {
    super();
    this.label = labelOf(hint);
    this.tooltip = tooltipOf(hint);
  }
  eq(other) {
    return this.label === other.label && this.tooltip === other.tooltip;
  }
  toDOM() {
    return element("span", { class: "cm-hint", title: this.tooltip }, this.label);
  }
}

class Hints {
  constructor(view, client) {
    this.client = client;
    this.decorations = Decoration.none;
    this.askLater(view);
  }
  update(update) {
    if (update.docChanged) this.decorations = this.decorations.map(update.changes);
    if (update.docChanged || update.viewportChanged) this.askLater(update.view);
  }
  destroy() {
    clearTimeout(this.timer);
  }
  askLater(view) {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.ask(view).catch(() => {}), pause);
  }
  async ask(view) {
    const plugin = LSPPlugin.get(view),
      doc = view.state.doc,
      { from, to } = view.viewport;
    if (!plugin) return;
    await this.client.initializing;
    this.client.sync();
    const range = { start: plugin.toPosition(from), end: plugin.toPosition(to) };
    const hints = await this.client.request("textDocument/inlayHint", { textDocument: { uri: plugin.uri }, range });
    if (view.state.doc !== doc || LSPPlugin.get(view) !== plugin || !hints) return;
    const widgets = hints.map((hint) =>
      Decoration.widget({ widget: new Hint(hint), side: 1 }).range(plugin.fromPosition(hint.position)),
    );
    this.decorations = Decoration.set(widgets, true);
    view.dispatch({});
  }
}

export const inlayHints = (client) =>
  ViewPlugin.define((view) => new Hints(view, client), { decorations: (hints) => hints.decorations });
