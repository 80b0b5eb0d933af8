// Puts the page together.
import examples from "examples";
import { fromFragment, toFragment } from "./address.js";
import { Editor, languages } from "./editor.js";
import { element, withCode } from "./element.js";
import { Engine } from "./engine.js";
import { Files } from "./files.js";
import { findingList, fixAll } from "./findings.js";
import { Panels } from "./panels.js";
import { Run } from "./run.js";
import { compilerExplorer, copy, download, markdown } from "./share.js";
import { Stepper } from "./step.js";

performance.mark("page");
const $ = (id) => document.getElementById(id);
const pause = 200;
let findings = [],
  fixes,
  panel = "findings",
  turn = 0,
  timer;

const say = (text) => ($("status").textContent = text);

// ---- ptxray and the editor

const engine = new Engine(globalThis.ptxrayFirst, (reason, isDead) => {
  say(isDead ? `ptxray does not start: ${reason}` : `ptxray stopped (${reason}) and was started again`);
  if (!isDead) editor.connect(engine.transport);
});
const editor = new Editor($("editor"), { changed, found });
const panels = new Panels(engine, editor, open);
panels.onExplain = (name) => {
  show("explain", name);
};
const files = new Files(engine, {
  open,
  say,
  show(...parts) {
    $("file").replaceChildren(...parts);
    $("tab-file").hidden = false;
    show("file");
  },
});
editor.connect(engine.transport);
engine.ready.then(() => performance.mark("program"));

// ---- the emulated machine, in a program and a worker of its own

let machine;
function startMachine() {
  machine ??= new Promise((done, fail) => {
    const script = document.createElement("script");
    script.src = "ptxray-machine.wasm.js";
    script.onload = async () => {
      const { program, stderr } = await engine.unpack(globalThis.ptxrayPage, globalThis.ptxrayMachine);
      if (!program) return fail(new Error(stderr));
      const emulator = new Engine(program, (reason, isDead) => isDead && fail(new Error(reason)));
      return emulator.ready.then(() => done(emulator));
    };
    script.onerror = () => fail(new Error("ptxray-machine.wasm.js cannot be loaded"));
    document.head.append(script);
  });
  return machine;
}
const stepper = new Stepper({ machine: startMachine, editor, say, words: () => run.words });
const run = new Run({ machine: startMachine, editor, say, explain: (name) => panels.onExplain(name) });
$("begin").onclick = () => stepper.begin();

function changed(isEdit) {
  if (isEdit) stepper.end();
  panels.asked = "";
  clearTimeout(timer);
  timer = setTimeout(refresh, pause);
}

function found(all, known) {
  performance.mark("findings");
  findings = all;
  fixes = known;
  const errors = all.filter((one) => one.severity === 1).length;
  $("count").textContent = all.length ? String(all.length) : "";
  $("count").className = errors ? "error" : "warning";
  $("tab-findings").classList.toggle("clean", all.length === 0);
  // What is said meanwhile of something else stays, when only the fixes have come.
  if (!known) say(all.length ? summary(errors, all.length - errors) : "nothing wrong");
  if (panel === "findings") showFindings();
}

function summary(errors, others) {
  const counted = (count, name) => (count ? [`${count} ${name}${count === 1 ? "" : "s"}`] : []);
  return [...counted(errors, "error"), ...counted(others, "warning")].join(", ");
}

function showFindings() {
  const list = findingList(editor, findings, fixes, panels.onExplain);
  const isChecked = performance.getEntriesByName("findings").length > 0;
  const nothing = element("p", { class: "nothing" }, isChecked ? "ptxray finds nothing wrong." : "ptxray is starting ...");
  const isFixable = fixes && [...fixes.values()].flat().some((action) => action.isPreferred);
  const all =
    isFixable && element("button", { class: "fix all", onclick: () => fixAll(editor) }, "apply all safe fixes");
  $("findings").replaceChildren(...(list.length ? [element("ul", {}, ...list), ...(all ? [all] : [])] : [nothing]));
}

/// A text from elsewhere.
function open(text, language = "ptx", name = "", words = "") {
  editor.setText(text, language);
  stepper.prepare();
  run.prepare(words);
  $("language").value = language;
  $("example").value = "";
  tell(name);
}

function tell(text) {
  $("story").replaceChildren(...withCode(text));
  $("story").hidden = !text;
}

// ---- panels

const ownPanels = new Set(["file", "run", "step"]); // which draw themselves

async function refresh() {
  const mine = ++turn,
    shown = panel;
  $("explorer").hidden = editor.language === "ptx";
  if (shown === "findings") return showFindings();
  if (ownPanels.has(shown)) return;
  const box = $(shown),
    drawn = element("div", { class: isFit() ? "picture fit" : "picture", title: `${shown} of the text` });
  const parts = await panels[shown](drawn).catch((error) => [
    element("p", { class: "nothing" }, String(error.message ?? error)),
  ]);
  if (mine !== turn) return;
  const { scrollLeft, scrollTop } = box;
  box.replaceChildren(...parts);
  if (drawn.shadowRoot) box.scrollTo(scrollLeft, scrollTop);
  $("picture").hidden = !drawn.isConnected;
  box.dataset.turn = mine;
}

function show(name, asked = "") {
  panel = name;
  panels.asked = asked;
  for (const tab of document.querySelectorAll("[role=tab]")) {
    const isShown = tab.dataset.panel === name;
    tab.setAttribute("aria-selected", isShown);
    tab.tabIndex = isShown ? 0 : -1;
    $(tab.dataset.panel).hidden = !isShown;
    if (isShown) tab.scrollIntoView({ block: "nearest", inline: "center" });
  }
  $("picture").hidden = true;
  if (asked) $(name).scrollTop = 0;
  clearTimeout(timer);
  if (ownPanels.has(name)) startMachine().catch((error) => say(error.message));
  return refresh();
}

for (const tab of document.querySelectorAll("[role=tab]")) tab.onclick = () => show(tab.dataset.panel);
$("tabs").onkeydown = (event) => {
  const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
  if (!step) return;
  const tabs = [...document.querySelectorAll("[role=tab]")].filter((tab) => !tab.hidden);
  const at = tabs.findIndex((tab) => tab.dataset.panel === panel);
  const next = tabs[(at + step + tabs.length) % tabs.length];
  show(next.dataset.panel);
  next.focus();
};

// ---- examples, languages, files

for (const [name, { title }] of Object.entries(languages)) $("language").add(new Option(title, name));
$("example").add(new Option("Examples", ""));
for (const { name, title } of examples) $("example").add(new Option(title, name));

function showExample(name) {
  const example = examples.find((one) => one.name === name) ?? examples[0];
  editor.setText(example.text, example.language, example.line);
  $("language").value = example.language;
  $("example").value = example.name;
  tell(example.story);
  stepper.prepare(example);
  run.prepare(example.words);
  show(example.panel);
  if (example.panel === "run") run.run();
  if (example.panel === "step") stepper.begin();
}
$("example").onchange = () => $("example").value && showExample($("example").value);
$("language").onchange = () => editor.setText(editor.text, $("language").value);
$("open").onclick = () => $("chosen").click();
$("chosen").onchange = () => $("chosen").files.length && files.take($("chosen").files[0]);

// ---- ways out

async function address() {
  return location.href.replace(/#.*/, "") + (await toFragment({ text: editor.text, language: editor.language, panel, words: run.words }));
}
$("share").onclick = async () => {
  const whole = await address();
  history.replaceState(null, "", whole);
  say("the address now holds the text");
  // A browser may ask its user first, and take any time for it.
  if (await copy(whole)) say("the address, which holds the text, is copied");
};
$("markdown").onclick = async () => {
  say(
    (await copy(markdown(editor, findings, await address())))
      ? "copied as Markdown"
      : "the clipboard cannot be written",
  );
};
$("explorer").onclick = () => {
  const target = compilerExplorer(editor);
  if (target) globalThis.open(target, "_blank", "noopener");
};
$("save").onclick = () => download($(panel).querySelector(".picture"), `${panel}.svg`);
const isFit = () => $("fit").getAttribute("aria-pressed") === "true";
$("fit").onclick = () => {
  $("fit").setAttribute("aria-pressed", !isFit());
  for (const picture of document.querySelectorAll(".picture")) picture.classList.toggle("fit", isFit());
};
$("help").onclick = () => $("keys").showModal();

// ---- light and dark

const prefersDark = matchMedia("(prefers-color-scheme: dark)");
const isDark = () => (document.documentElement.dataset.theme ?? (prefersDark.matches ? "dark" : "light")) === "dark";
const setTheme = () => {
  document.documentElement.classList.toggle("dark", isDark());
  editor.setDark(isDark());
};
prefersDark.onchange = setTheme;
$("theme").onclick = () => {
  document.documentElement.dataset.theme = isDark() ? "light" : "dark";
  setTheme();
};
setTheme();

// ---- the start

async function start() {
  try {
    const said = await fromFragment(location.hash);
    const isPanel = panels[said.panel] || ["findings", "run", "step"].includes(said.panel);
    if (said.text === undefined) return showExample(said.example);
    open(said.text, languages[said.language] ? said.language : "ptx", "", said.words);
    show(isPanel ? said.panel : "findings");
    if (said.panel === "run") run.run();
  } catch (error) {
    showExample();
    tell(error.message);
  }
}
addEventListener("hashchange", start);
start();
engine
  .command(["version"])
  .then(({ stdout }) => ($("version").textContent = stdout.split("\n").slice(0, 2).join(", ")));

// For tests.
globalThis.playground = { editor, engine, files, run, stepper, show, showExample, state: () => ({ findings, fixes, panel }) };
