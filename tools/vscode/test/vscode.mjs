// A person at VS Code: vscode.mjs PTXRAY URL FILE CHROMIUM [PICTURE]
// The file is docs/examples/mistakes.ptx in the folder that the URL opens. Reads the Problems panel, applies a fix,
// completes, lays out, hovers and debugs saxpy.ptx and pipeline.ptx beside it, and looks at what launches execute; what is on the
// screen is compared, and three screens are kept.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { pause, person } from "./person.mjs";

const [tool, url, file, executablePath, picture] = process.argv.slice(2);
const original = readFileSync(file, "utf8");
const at = await person(executablePath);
const { browser, page, until, press, textOf, isShown, command, goTo, open, warps, problems, variables } = at;

await page.goto(url, { waitUntil: "domcontentloaded" }); // on a busy machine the rest takes longer than is waited for
await until("the editor", () => page.$(".monaco-workbench .part.editor"));
await open("mistakes.ptx", ".version 8.6");

// Colours are the grammar's.
const colours = await until("colours", async () => {
  const found = await page.$$eval(".view-line span span", (spans) =>
    Object.fromEntries(spans.map((span) => [span.textContent.trim(), getComputedStyle(span).color])),
  );
  return new Set([found["ldmatrix"], found[".reg"], found["%tid"], found[".version"]]).size > 1 && found;
});
assert.notEqual(colours["ldmatrix"], undefined);

// What `ptxray check` says stands in the Problems panel.
await command("View: Focus Problems");
const shown = await until("problems", async () => {
  const rows = await problems();
  return rows.length > 6 && rows;
});
assert.match(shown[0], /mistakes\.ptx\s+6$/); // the last of the six is further down
for (const rule of ["expected-semicolon", "unknown-qualifier", "vector-length", "operand-size", "requires-target"])
  assert(shown.some((row) => row.includes(rule)), `${rule} is not among ${shown.join("\n")}`);

// A fix.
await goTo(15, 20);
await press("Control+.");
const fixes = await until("fixes", async () => {
  const rows = (await textOf(".action-widget .monaco-list-row")).filter(Boolean);
  return rows.length && rows;
});
assert(fixes.some((fix) => fix.includes("write `.aligned`")), fixes.join("\n"));
await press("Enter");
await until("the fixed line", () => isShown("ldmatrix.sync.aligned.m8n8.x4"));

await press("Control+s");
await until("the saved text", async () => readFileSync(file, "utf8") === original.replace(".algined", ".aligned"));
await until("one problem less", async () => /mistakes\.ptx\s+5$/.test((await problems())[0]));

// Completion: only what may follow.
await goTo(17, 1);
await press("End");
await press("Enter");
await page.keyboard.type("ldmatrix.sync.aligned.m8n8.x4.tr", { delay: 30 });
const offered = await until("words", async () => {
  const rows = await textOf(".suggest-widget .monaco-list-row");
  return rows.some((row) => row.includes(".trans")) && rows;
});
assert(offered.every((row) => row.includes(".tr")), offered.join("\n"));
await press("Enter");
await until("the word", () => isShown(".x4.trans"));
await press("Control+Shift+K");

// The text laid out as `ptxray fmt` does, and as it was.
// It leaves what it cannot read as it is, and says so by its exit status.
const laidOut = spawnSync(tool, ["fmt", "--no-config", "-"], { input: readFileSync(file) }).stdout;
await command("Format Document");
await press("Control+s");
await until("the text laid out", async () => readFileSync(file).equals(laidOut));

// Hover, over the problems: the picture.
await press("Control+b");
await goTo(14, 1);
await goTo(18, 7);
await command("Show or Focus Hover");
const hover = await until("a hover", async () => {
  const texts = await textOf(".monaco-hover-content");
  return texts.find((text) => text.includes("stmatrix"));
});
assert(hover.includes("sm_90"), hover);
await pause(500);
if (picture) await page.screenshot({ path: picture });

// A kernel under the debugger: it stops before its first instruction, and steps; each of its warps has a row.
await command("View: Close All Editors");
await press("Control+b");
await open("saxpy.ptx", ".visible .entry saxpy");
await press("F5");
await until("registers", () => variables("%f1"));
await press("F10");
await until("the parameter in its register", () => variables("2.5 (0x40200000)"));
const rows = await warps();
assert.deepEqual(rows, [32, 0, 0, 0, 0, 0, 0, 0]);
await press("Shift+F5");

// A pipeline: while a warp waits for the phase of a barrier object, copies are in flight.
await command("View: Show Explorer");
await open("pipeline.ptx", "A pipeline of two stages");
await goTo(51, 1);
await press("F9");
await command("View: Show Run and Debug"); // now, since whatever stops takes the focus
await command("Debug: Select and Start Debugging");
await until("the configurations", async () => (await textOf(".quick-input-list .monaco-list-row")).length);
await page.keyboard.type("pipeline");
await pause(500);
await press("Enter");
await until("the first instruction", () => variables("%thread"));
for (let i = 0; i < 6; ++i) {
  await press("F5");
  await pause(500);
  await until("a stop", async () => (await textOf(".debug-call-stack")).join().includes("PAUSED ON BREAKPOINT"));
}
await pause(1000);
await warps();
const past = await until("the time line", async () => {
  for (const frame of page.frames()) {
    const bars = await frame.$$eval(".past rect", (found) => found.map((bar) => bar.getAttribute("class")));
    if (bars.includes("flight")) return bars;
  }
});
assert(past.includes("waiting") && past.includes("running"), past.join());
await pause(500);
if (picture) await page.screenshot({ path: picture.replace(".png", "-debug.png") });
await press("Shift+F5");

// What launches execute: all, but for the way of lanes without an element; then, of no elements, nothing but the way to the end.
const covered = async (kind) => (await page.$$(`.coverage-deco-gutter.coverage-deco-${kind}`)).length;
await command("View: Show Explorer");
await open("saxpy.ptx", ".visible .entry saxpy");
await command("Test: Run All Tests with Coverage");
await until("what was executed", async () => (await covered("hit")) > 5);
await press("Control+j"); // the panel with the results makes room
await until("a guard that held for no lane", async () => (await covered("miss")) === 1);
const launches = path.join(path.dirname(file), ".vscode", "launch.json");
const { configurations } = JSON.parse(readFileSync(launches, "utf8"));
const none = { ...configurations[0], name: "no elements", args: [...configurations[0].args.slice(0, -1), "0"] };
writeFileSync(launches, JSON.stringify({ version: "0.2.0", configurations: [none] }));
await pause(3000);
await command("Test: Run All Tests with Coverage");
await until("what was not executed", async () => (await covered("miss")) > 1);
await press("Control+j");
await until("the lines below", async () => (await covered("miss")) === 8);
await pause(500);
if (picture) await page.screenshot({ path: picture.replace(".png", "-coverage.png") });
console.log(`rows of problems: ${shown.length}, fixes: ${fixes.length}, words: ${offered.length}; a hover, a layout`);
console.log(`warps under the debugger: ${rows.length}; bars of a time line: ${past.length}`);
await browser.close();
