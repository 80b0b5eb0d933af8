// Steps through the kernel on the emulated machine: its warps with their 32 lanes, registers, barriers and copies that are on
// their way are drawn after each movement. The commands are those of `ptxray debug`.
import { element, withCode } from "./element.js";
import { guess, split } from "./words.js";

const encoder = new TextEncoder();
const mostWarps = 64;
const lanesOfWarp = 32;
const stateWords = { running: "is next", ready: "can go on", waiting: "waits", ended: "has ended" };

const evaluate = (expression) => ["evaluate", { expression, context: "repl" }];
const heading = (text, ...more) => element("h3", {}, text, ...more);
const blockText = (block) => block.join(",");

/// What each lane of a warp does: {state, line, waitsFor}
function lanesOf(warp) {
  const all = Array.from({ length: lanesOfWarp }, () => ({ state: "ended" }));
  for (const { lanes, ...group } of warp.groups)
    for (let lane = 0; lane < lanesOfWarp; ++lane) if ((lanes >>> lane) & 1) all[lane] = group;
  return all;
}

export class Stepper {
  /// `machine()` is a promise of the engine that emulates, `words()` are those of the launch.
  constructor({ machine, editor, say, words }) {
    Object.assign(this, { machine, editor, say, words });
    this.$ = (id) => document.getElementById(id);
    this.turn = 0;
    this.watched = [];
    this.open = new Set(); // registers whose lanes are shown
    this.tour = null;
    const commands = { first: "run", back: "reverse-step", forth: "step", rest: "continue", return: "reverse-continue" };
    for (const [name, command] of Object.entries(commands)) this.$(`step-${name}`).onclick = () => this.move(command);
    this.$("step-before").onclick = () => this.goTo(this.state.time - 1);
    this.$("step-after").onclick = () => this.goTo(this.state.time + 1);
    this.$("time").oninput = () => this.goTo(Number(this.$("time").value));
    this.$("step-play").onclick = () => this.play();
    this.$("tour-back").onclick = () => this.visit(this.stop - 1);
    this.$("tour-forth").onclick = () => this.visit(this.stop + 1);
    this.$("console").onsubmit = (event) => {
      event.preventDefault();
      const command = this.$("command").value.trim();
      this.$("command").value = "";
      if (command) this.move(command);
    };
    this.$("watch").onclick = () => this.watch(this.$("command").value.trim());
    this.$("step").onkeydown = (event) => this.heedKey(event);
  }

  /// A tour: [{do: [commands], say, watch: [commands]}]
  prepare({ tour = null, watch = [] } = {}) {
    this.end();
    this.tour = tour;
    this.watched = [...watch];
  }

  /// The text has changed, or another one came.
  end() {
    ++this.turn;
    clearTimeout(this.player);
    this.player = null;
    if (this.state) this.editor.showPlaces([]);
    this.state = null;
    this.$("scene").replaceChildren();
    this.$("controls").hidden = true;
    this.$("tour").hidden = true;
  }

  async begin() {
    this.end();
    if (this.editor.language !== "ptx") return this.complain("Only PTX can be run; this is another language.");
    const mine = this.turn,
      words = split(this.words() || guess(this.editor.text));
    this.complain("The kernel is launched.");
    const engine = await this.machine().catch((error) => this.complain(`The emulator does not start: ${error.message}`));
    if (!engine || mine !== this.turn) return null;
    const file = "playground.ptx",
      launch = { program: file, args: words, stopOnEntry: true };
    const requests = [["initialize"], ["launch", launch], ["configurationDone"], evaluate("continue"), ["ptxray/state"]];
    const { answers, stderr } = await engine.debug(requests, { [file]: encoder.encode(this.editor.text) });
    if (mine !== this.turn) return null;
    const last = answers?.at(-1);
    if (!last?.success) return this.complain(last?.message ?? stderr);
    this.$("time").max = last.body.time;
    this.length = last.body.time;
    this.$("controls").hidden = false;
    this.$("tour").hidden = !this.tour;
    await (this.tour ? this.visit(0) : this.move("run"));
    return this.say("halted; the keys are those of the buttons' names");
  }

  complain(text) {
    this.$("scene").replaceChildren(element("p", { class: "nothing" }, text));
  }

  goTo(time) {
    return this.move(`goto ${Math.min(Math.max(time, 0), this.length)}`);
  }

  /// Makes movements one after the other, and shows where they lead.
  async move(...commands) {
    if (!this.state && this.$("controls").hidden) return;
    const mine = ++this.turn;
    this.isDrawn = false;
    const engine = await this.machine(),
      asked = [...commands.map(evaluate), ["ptxray/state"], ...this.watched.map(evaluate)];
    const { answers, stderr } = await engine.debug(asked);
    if (mine !== this.turn) return;
    if (!answers) {
      this.end();
      this.complain(stderr);
      return;
    }
    const state = answers[commands.length]?.body,
      texts = answers.map((one) => one.body?.result ?? one.message ?? "");
    if (state) this.draw(state, commands.length ? texts[commands.length - 1] : "", texts.slice(commands.length + 1));
    this.isDrawn = true;
  }

  watch(command) {
    if (command) this.watched.push(command);
    this.$("command").value = "";
    this.move();
  }

  /// One instruction of any warp after the other.
  play() {
    const isOver = this.player !== null || this.state?.time >= this.length;
    clearTimeout(this.player);
    this.player = null;
    this.$("step-play").setAttribute("aria-pressed", !isOver);
    if (isOver) return;
    const on = async () => {
      await this.goTo(this.state.time + 1);
      if (this.player === null) return;
      if (this.state && this.state.time < this.length) this.player = setTimeout(on, 250);
      else this.play();
    };
    this.player = setTimeout(on, 0);
  }

  visit(stop) {
    if (!this.tour?.[stop]) return null;
    this.stop = stop;
    const { do: commands, say, watch } = this.tour[stop];
    if (watch) this.watched = [...watch];
    this.$("tour-text").replaceChildren(...withCode(say));
    this.$("tour-count").textContent = `${stop + 1} of ${this.tour.length}`;
    this.$("tour-back").disabled = stop === 0;
    this.$("tour-forth").disabled = stop + 1 === this.tour.length;
    return this.move(...commands);
  }

  heedKey(event) {
    if (!this.state || event.target.matches("input, textarea, select") || event.ctrlKey || event.altKey || event.metaKey) return;
    const keys = { s: "step", b: "reverse-step", c: "continue", r: "run" };
    if (keys[event.key]) this.move(keys[event.key]);
    else if (event.key === ".") this.goTo(this.state.time + 1);
    else if (event.key === ",") this.goTo(this.state.time - 1);
    else if (event.key === "n") this.visit(this.stop + 1);
    else if (event.key === "p") this.visit(this.stop - 1);
    else return;
    event.preventDefault();
  }

  // ---- drawing

  draw(state, said, watched) {
    const before = this.state;
    this.state = state;
    this.$("time").value = state.time;
    this.$("time-text").textContent = `time ${state.time} of ${this.length}`;
    this.mark(state);
    const { scrollTop } = this.$("step");
    this.$("scene").replaceChildren(
      ...[this.faults(state), this.here(state), this.warps(state), this.barriers(state, before)],
      ...[this.operations(state), this.tensor(state), ...this.watches(watched)],
      ...[this.registers(state, before), this.answer(said)].filter(Boolean),
    );
    this.$("step").scrollTop = scrollTop;
  }

  /// Where warps are, in the text.
  mark(state) {
    const places = state.warps.flatMap(({ groups }) => groups.map(({ line, state: what }) => ({ line, what })));
    if (state.line) places.push({ line: state.line, what: "focus" });
    this.editor.showPlaces(places, state.line);
  }

  faults({ faults, hasEnded }) {
    if (faults.length) return element("pre", { class: "fault" }, faults.join("\n"));
    return hasEnded ? element("p", { class: "note" }, "All threads have ended.") : "";
  }

  here({ block, warp, lane, line, hasEnded }) {
    if (!line || hasEnded) return "";
    const place = element("button", { class: "place", onclick: () => this.editor.showLine(line, false) }, `line ${line}`);
    const text = this.editor.view.state.doc.line(line).text.trim().replace(/\s*\/\/.*/, "");
    return element("p", { class: "here" }, `block ${blockText(block)} warp ${warp} lane ${lane} `, place, element("code", {}, text));
  }

  warps({ warps, block, warp: number, lane: focus }) {
    const rows = warps.slice(0, mostWarps).map((warp) => {
      const isFocus = warp.warp === number && blockText(warp.block) === blockText(block);
      const cells = lanesOf(warp).map(({ state, line, waitsFor }, lane) => {
        const what = line ? `line ${line}: ${waitsFor ? `waits: ${waitsFor}` : stateWords[state]}` : stateWords.ended;
        const mark = isFocus && lane === focus ? " focus" : "";
        return element("i", { class: `lane ${state}${mark}`, title: `lane ${lane}, ${what}`, "data-lane": lane });
      });
      const choose = (lane) => this.move(`block ${blockText(warp.block)}`, `warp ${warp.warp}`, ...(lane ? [`lane ${lane}`] : []));
      const name = element("button", { class: "quiet", onclick: () => choose() }, `${blockText(warp.block)} : ${warp.warp}`);
      const lines = warp.groups.map((group) => this.groupText(group, warp));
      const row = element("div", { class: "lanes", onclick: (event) => choose(event.target.dataset.lane) }, ...cells);
      return element("div", { class: isFocus ? "warp focus" : "warp" }, name, row, element("div", { class: "where" }, ...lines));
    });
    const more = warps.length > mostWarps && element("p", { class: "nothing" }, `and ${warps.length - mostWarps} more`);
    return element("div", {}, heading("Warps ", element("small", {}, "block : warp, a cell for each lane")), ...rows, more);
  }

  groupText({ lanes, line, state, waitsFor }, warp) {
    const count = [...(lanes >>> 0).toString(2)].filter((bit) => bit === "1").length;
    const who = lanes === warp.alive ? "" : `${count} ${count === 1 ? "lane" : "lanes"}: `;
    const text = `${who}line ${line} ${waitsFor ? `waits: ${waitsFor}` : stateWords[state]}`;
    return element("p", { class: waitsFor ? "waiting" : state }, text);
  }

  bar(title, value, most) {
    return element("label", { class: "bar" }, `${title} ${value} of ${most}`, element("progress", { value, max: Math.max(most, 1) }));
  }

  barriers({ barriers }, before) {
    if (!barriers.length) return "";
    const keyOf = (one) => `${one.block} ${one.name}`;
    const old = new Map((before?.barriers ?? []).map((one) => [keyOf(one), one.state]));
    const boxes = barriers.map((one) => {
      const { block, name, state, missing, expected, came, due, phase, variable } = one;
      const isNew = before && old.get(keyOf(one)) !== state;
      const bars = [expected && this.bar("arrivals", expected - missing, expected), due > 0 && this.bar("bytes", came, due)];
      const title = `${variable || name} of block ${blockText(block)}${phase === undefined ? "" : `, phase ${phase} (parity ${phase % 2})`}`;
      return element("div", { class: isNew ? "barrier changed" : "barrier" }, element("b", {}, title), ...bars, element("p", { class: "note" }, state));
    });
    return element("div", {}, heading("Barriers"), ...boxes);
  }

  operations({ operations }) {
    if (!operations.length) return "";
    const items = operations.map(({ block, warp, line, waiting }) => {
      const text = this.editor.view.state.doc.line(line).text.trim();
      const place = element("button", { class: "place", onclick: () => this.editor.showLine(line, false) }, `line ${line}`);
      return element("li", {}, place, element("code", {}, text.slice(0, 80)), ` of block ${blockText(block)} warp ${warp}, ${waiting}`);
    });
    return element("div", {}, heading("In flight ", element("small", {}, "begun, and not ended")), element("ul", { class: "flight" }, ...items));
  }

  tensor({ tensor }) {
    if (!tensor.length) return "";
    const items = tensor.map(({ block, first, count }) =>
      element("p", {}, `block ${blockText(block)}: columns ${first} to ${first + count - 1} are allocated`),
    );
    return element("div", {}, heading("Tensor memory"), ...items);
  }

  watches(texts) {
    return texts.map((text, at) => {
      const forget = element("button", { class: "quiet", "aria-label": "forget it", onclick: () => this.forget(at) }, "\u00d7");
      return element("div", {}, heading(this.watched[at], " ", forget), element("pre", { class: "wide", tabindex: "0" }, text));
    });
  }
  forget(at) {
    this.watched.splice(at, 1);
    this.move();
  }

  registers({ registers, lane, line, warp, block }, before) {
    if (!registers.length) return "";
    const isSame = before && before.warp === warp && blockText(before.block) === blockText(block);
    const old = new Map((isSame ? before.registers : []).map((one) => [one.name, one.lanes]));
    const text = line ? this.editor.view.state.doc.line(line).text : "";
    const isHere = ({ name }) => new RegExp(`${name.replace(/[$.*+?^()[\]{}|]/g, "\\$&")}(?![\\w$])`).test(text);
    const rows = [...registers.filter(isHere), ...registers.filter((one) => !isHere(one))].flatMap((one) => {
      const was = old.get(one.name),
        isNew = was && was.some((value, at) => value !== one.lanes[at]);
      const isOpen = this.open.has(one.name);
      const show = element("button", { class: "name", "aria-expanded": isOpen, onclick: () => this.unfold(one.name) }, one.name);
      const cells = [show, one.type, one.lanes[lane], one.lanes.every((value) => value === one.lanes[0]) ? "all lanes" : ""];
      const marks = [isHere(one) && "used", isNew && "changed"].filter(Boolean).join(" ");
      const row = element("tr", { class: marks }, ...cells.map((cell) => element("td", {}, cell)));
      return isOpen ? [row, this.lanes(one, was)] : [row];
    });
    const name = element("small", {}, `lane ${lane}; a name opens its lanes`);
    return element("div", {}, heading("Registers ", name), element("table", { class: "registers" }, element("tbody", {}, ...rows)));
  }
  unfold(name) {
    if (!this.open.delete(name)) this.open.add(name);
    this.move();
  }

  lanes({ lanes }, was) {
    const cells = lanes.map((value, lane) => {
      const isNew = was && was[lane] !== value;
      return element("span", { class: isNew ? "cell other" : "cell", title: `lane ${lane}` }, value.replace(/ \(.*/, ""));
    });
    return element("tr", {}, element("td", { colspan: 4 }, element("div", { class: "cells" }, ...cells)));
  }

  answer(said) {
    const text = said.replace(/^block \(.*\n.*$/, "").trim();
    return text && element("pre", { class: "wide", tabindex: "0" }, text);
  }
}
