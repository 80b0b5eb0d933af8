// Runs the kernel on the emulated machine, in a worker of its own: what is wrong, what the buffers hold afterwards, what was
// counted. The words are those of `ptxray run --emulate`.
import { element } from "./element.js";
import { findingList } from "./findings.js";
import { showPicture } from "./picture.js";
import { buffersOf, guess, numbers, scheduleOf, split, withSchedule } from "./words.js";

const encoder = new TextEncoder();
const timeLimit = 10; // seconds
const mostShown = 256; // elements of a buffer

/// A finding of `--format=jsonl` as the language server has them.
function asFinding({ severity, rule, message, range, notes }) {
  const place = ({ line, column }) => ({ line: line - 1, character: column - 1 });
  const placed = ({ start, end }) => ({ start: place(start), end: place(end) });
  return {
    severity: severity === "error" ? 1 : 2,
    code: rule,
    message,
    range: placed(range),
    relatedInformation: notes.map((note) => ({ message: note.message, location: { range: placed(note.range ?? range) } })),
  };
}

/// The findings at the beginning of an output, and what follows them.
function parted(stdout) {
  const lines = stdout.split("\n"),
    findings = [];
  while (lines[0]?.startsWith('{"path":')) findings.push(asFinding(JSON.parse(lines.shift())));
  return { findings, rest: lines.join("\n").trim() };
}

const differs = (one, other) => one && other && (one.length !== other.length || one.some((byte, at) => byte !== other[at]));

export class Run {
  /// `machine()` is a promise of the engine that emulates.
  constructor({ machine, editor, say, explain }) {
    Object.assign(this, { machine, editor, say, explain });
    this.$ = (id) => document.getElementById(id);
    this.turn = 0;
    this.$("launch").onsubmit = (event) => {
      event.preventDefault();
      this.run();
    };
    this.$("stop").onclick = () => this.stop();
    this.$("guess").onclick = () => (this.words = guess(this.editor.text));
    this.$("schedule").onchange = () => {
      this.words = withSchedule(this.words, this.$("schedule").value);
      this.run();
    };
    this.$("words").oninput = () => this.showSchedule();
    this.$("words").onkeydown = (event) => {
      if (event.key !== "Enter" || event.shiftKey) return;
      event.preventDefault();
      this.run();
    };
    this.$("counted").onchange = () => this.run();
  }

  get words() {
    return this.$("words").value;
  }
  set words(line) {
    this.$("words").value = line;
    this.showSchedule();
  }
  showSchedule() {
    const choice = this.$("schedule"),
      schedule = scheduleOf(this.words);
    if (![...choice.options].some((one) => one.value === schedule)) choice.add(new Option(schedule, schedule));
    choice.value = schedule;
  }

  /// When a text comes that has none: words that fit it.
  prepare(words = "") {
    this.stop();
    this.words = words;
    this.$("outcome").replaceChildren();
  }

  async stop() {
    if (!this.isRunning) return;
    ++this.turn;
    (await this.machine()).restart("stopped");
    this.idle("stopped");
  }
  idle(text) {
    this.isRunning = false;
    this.$("stop").hidden = true;
    this.say(text);
  }

  async run() {
    if (this.editor.language !== "ptx") return this.show([this.nothing("Only PTX can be run; this is another language.")]);
    if (!this.words.trim()) this.words = guess(this.editor.text);
    const mine = ++this.turn;
    this.isRunning = true;
    this.$("stop").hidden = false;
    this.say("the kernel runs");
    if (!this.$("outcome").hasChildNodes()) this.show([this.nothing("The kernel runs.")]);
    const engine = await this.machine().catch((error) => ({ error }));
    if (mine !== this.turn) return null;
    if (engine.error) return this.idle(`the emulator does not start: ${engine.error.message}`);
    const answers = await this.launches(engine, split(this.words));
    if (mine !== this.turn) return null;
    this.idle(this.summary(answers));
    return this.show(this.parts(answers));
  }

  /// The launch as it is asked for; without checks, which goes on after a fault; and that by the eager schedule.
  async launches(engine, words) {
    const buffers = buffersOf(words),
      files = { "playground.ptx": encoder.encode(this.editor.text) };
    const outputs = buffers.flatMap(({ name }) => ["--out", `${name}=file:buffer-${name}`]);
    const launch = (...more) => {
      const limit = words.some((word) => word.startsWith("--time-limit")) ? [] : [`--time-limit=${timeLimit}`];
      const format = ["--color=never", "--format=jsonl"];
      return engine.command(["run", "--emulate", ...format, ...limit, "playground.ptx", ...words, ...more], files);
    };
    const counting = this.$("counted").checked ? ["--counters=counters.svg"] : [];
    const checked = await launch(...outputs, ...counting);
    let plain = checked;
    if (![-1, 0, 2, 7].includes(checked.status)) plain = await launch(...outputs, "--no-checks");
    const isOther = scheduleOf(words.join(" ")) !== "eager";
    const eager = isOther && plain.status === 0 ? await launch(...outputs, "--no-checks", "--schedule=eager") : null;
    return { buffers, checked, plain, eager };
  }

  summary({ checked, plain }) {
    const errors = parted(checked.stdout).findings.filter((one) => one.severity === 1).length;
    if (errors) return `the kernel ran: ${errors} ${errors === 1 ? "fault" : "faults"}`;
    return checked.status === 0 ? `the kernel ran, in ${Math.max(1, Math.round(plain.ms))} ms here` : "the kernel failed";
  }

  nothing(text) {
    return element("p", { class: "nothing" }, text);
  }

  parts({ buffers, checked, plain, eager }) {
    const { findings, rest } = parted(checked.stdout);
    const list = findingList(this.editor, findings, null, this.explain);
    const printed = (plain === checked ? rest : parted(plain.stdout).rest) + "\n" + checked.stderr.trim();
    const parts = [];
    if (list.length) parts.push(element("ul", { class: "findings" }, ...list));
    if (printed.trim()) parts.push(element("pre", { class: "wide", tabindex: "0" }, printed.trim()));
    if (checked.status === 0 && !list.length) parts.push(this.nothing("This run has no findings."));
    if (plain !== checked && plain.status === 0)
      parts.push(this.nothing("The numbers are from a run without checks, which continues after a fault."));
    if (plain.status === 0) parts.push(...buffers.map((buffer) => this.buffer(buffer, plain, eager)));
    const counters = checked.written?.["counters.svg"];
    if (counters) parts.push(element("h3", {}, "Counters"), this.picture(new TextDecoder().decode(counters)));
    return parts;
  }

  picture(svg) {
    const box = element("div", { class: "picture fit", title: "what was counted" });
    showPicture(box, svg, (line) => this.editor.showLine(line));
    return box;
  }

  buffer({ name, spec, type }, plain, eager) {
    const bytes = plain.written[`buffer-${name}`],
      before = eager?.written?.[`buffer-${name}`];
    if (!bytes) return "";
    const all = numbers(bytes, type),
      others = differs(bytes, before) ? numbers(before, type) : null;
    const wrong = others ? all.filter((one, at) => one !== others[at]).length : 0;
    const cells = all.slice(0, mostShown).map((one, at) => {
      const isOther = others && one !== others[at];
      const title = `[${at}]${isOther ? `, by the eager schedule ${others[at]}` : ""}`;
      return element("span", { class: isOther ? "cell other" : "cell", title }, one);
    });
    const heading = element("h3", {}, `${/^\d/.test(name) ? "argument " : ""}${name} `, element("small", {}, `${spec} as ${type}`));
    const difference =
      wrong > 0 && element("p", { class: "differs" }, `${wrong} of ${all.length} numbers differ from those of the eager schedule.`);
    const more = all.length > mostShown && this.nothing(`and ${all.length - mostShown} more`);
    return element("div", {}, heading, difference, element("div", { class: "cells" }, ...cells), more);
  }

  show(parts) {
    this.$("outcome").replaceChildren(...parts);
  }
}

