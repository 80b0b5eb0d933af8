// The panels beside the editor: each shows what ptxray says of the text, or of what the cursor is on.
import { element } from "./element.js";
import { languages } from "./editor.js";
import { tooltipOf } from "./hints.js";
import { page } from "./names.js";
import { showPicture } from "./picture.js";

const encoder = new TextEncoder();

/// The line where the statement of a line begins: operands may be on lines of their own.
function beginningOf(line, doc) {
  let number = line.number;
  while (number > 1 && line.number - number < 40 && /[,.\w>\]]\s*(\/\/.*)?$/.test(doc.line(number - 1).text)) --number;
  return doc.line(number).text;
}

/// The opcode of the instruction at the cursor, and the word there. In other languages than PTX it is in quotes.
export function wordsAt(state, isPtx = true) {
  const { head } = state.selection.main,
    line = state.doc.lineAt(head),
    text = line.text;
  const statement = isPtx ? beginningOf(line, state.doc) : text.replace(/^[^"']*["']+/, "");
  const instruction = statement.replace(/\/\/.*/, "").replace(/^\s*([\w$]+:\s*)?(\{\s*)?(@!?%?[\w$]+\s+)?/, "");
  const isPart = (character) => /[\w.%:$]/.test(character ?? "");
  let from = head - line.from,
    to = from;
  while (from && isPart(text[from - 1])) --from;
  while (isPart(text[to])) ++to;
  return {
    opcode: /^[a-z]\w*[\w.:]*/.exec(instruction)?.[0] ?? "",
    word: text.slice(from, to),
    at: head - line.from - from,
  };
}

/// The qualifier of a dotted word that the cursor is in: `.aligned` of `ldmatrix.sync.aligned`.
function qualifierAt(word, at) {
  const from = word.lastIndexOf(".", Math.max(at - 1, 0));
  if (from <= 0) return "";
  const end = word.indexOf(".", from + 1);
  return word.slice(from, end < 0 ? undefined : end);
}

function message(text) {
  return element("p", { class: "nothing" }, text.trim());
}

function preformatted(text) {
  return element("pre", { class: "wide", tabindex: "0" }, text.trimEnd());
}

export class Panels {
  get words() {
    return wordsAt(this.editor.view.state, this.editor.language === "ptx");
  }

  constructor(engine, editor, open) {
    this.engine = engine;
    this.editor = editor;
    this.open = open;
    this.asked = ""; // a name that was chosen, shown until the cursor moves
  }

  get file() {
    return languages[this.editor.language].file;
  }
  ask(...args) {
    return this.engine.command(args, { [this.file]: encoder.encode(this.editor.text) });
  }
  picture(box, { stdout, stderr, status }, nothing) {
    if (stdout.startsWith("<svg") && stdout.includes("<text")) {
      showPicture(box, stdout, (line) => this.editor.showLine(line));
      return [box];
    }
    return [message(status ? stderr.replace(/^ptxray: /, "") : nothing)];
  }

  /// Each gives elements; a picture is put into `box`, which is one of them.
  async explain() {
    const { opcode, word, at } = this.words;
    const names = this.asked
      ? [this.asked]
      : [word, qualifierAt(word, at), opcode].filter((name) => /^[.%]?[a-z][\w.:-]*$/i.test(name));
    for (const name of names) {
      const { stdout, status } = await this.engine.command(["explain", "--format=json", name]);
      if (status === 0 && stdout) return JSON.parse(stdout).flatMap((one) => page(one, this.doors));
      const rule = this.asked && (await this.engine.command(["explain", name]));
      if (rule && rule.status === 0) return [preformatted(rule.stdout)];
    }
    return [message("Put the cursor on an instruction, a qualifier, a special register, a directive or a target.")];
  }

  get doors() {
    return { explain: (name) => this.onExplain(name), open: this.open };
  }

  async layout(box) {
    const { opcode } = this.words;
    const nothing =
      "Put the cursor on an instruction that has matrices (mma, wgmma, ldmatrix, tcgen05.ld and others) or on a descriptor.";
    const descriptors = await this.descriptors();
    const answer = opcode ? await this.engine.command(["layout", "--format=svg", opcode]) : { status: 1 };
    if (answer.status !== 0) return descriptors.length ? descriptors : [message(nothing)];
    this.picture(box, answer, nothing);
    return [...descriptors, box];
  }

  /// What the server says of those in the cursor's line, and of constants there that one may be.
  async descriptors() {
    const { state } = this.editor.view,
      line = state.doc.lineAt(state.selection.main.head);
    const range = {
      start: { line: line.number - 1, character: 0 },
      end: { line: line.number - 1, character: line.length },
    };
    const hints = (await this.editor.ask("textDocument/inlayHint", { range }).catch(() => null)) ?? [];
    const shown = hints
      .filter((hint) => /^ +\d+(-\d+)? +\S/.test(tooltipOf(hint)))
      .map((hint) => preformatted(tooltipOf(hint)));
    const kind = /\btcgen05\b/.test(this.editor.text) ? "smem" : "wgmma-smem";
    for (const [constant] of line.text.matchAll(/\b0[xX][\da-fA-F]{9,16}\b/g)) {
      const { stdout, status } = await this.engine.command(["desc", kind, constant]);
      if (status === 0) shown.push(preformatted(stdout));
    }
    return shown;
  }

  async kernel() {
    if (this.editor.language !== "ptx") return null;
    const symbols = await this.editor.ask("textDocument/documentSymbol").catch(() => null);
    const line = this.editor.view.state.doc.lineAt(this.editor.view.state.selection.main.head).number - 1;
    const functions = (symbols ?? []).filter((one) => one.kind === 12);
    const rangeOf = (one) => one.range ?? one.location.range;
    return (
      (functions.find((one) => rangeOf(one).start.line <= line && line <= rangeOf(one).end.line) ?? functions[0])
        ?.name ?? null
    );
  }

  async ofKernel(command, box) {
    if (this.editor.language !== "ptx") return [message("This panel needs PTX; the text is in another language.")];
    const kernel = await this.kernel();
    if (!kernel) return [message("The text has no function with a body.")];
    return this.picture(
      box,
      await this.ask(command, "--format=svg", `--kernel=${kernel}`, this.file),
      "There is nothing to show.",
    );
  }
  graph(box) {
    return this.ofKernel("graph", box);
  }
  hazards(box) {
    return this.ofKernel("hazards", box);
  }

  async targets() {
    const { stdout, stderr } = await this.ask("targets", this.file);
    return [preformatted((stdout || stderr).replaceAll(`${this.file}:`, "line "))];
  }

  async report() {
    const { stdout, stderr } = await this.ask("check", this.file);
    return [stdout || stderr ? preformatted(stdout || stderr) : message("ptxray finds nothing wrong.")];
  }
}
