// A person at VS Code for the web: web.mjs URL CHROMIUM [PICTURE]
// The folder that the URL opens has mistakes.ptx and saxpy.ptx. Reads the Problems panel, applies a fix, completes, hovers, and
// debugs a kernel: no process is there, all of it happens in workers.
import assert from "node:assert/strict";
import { pause, person } from "./person.mjs";

const [url, executablePath, picture] = process.argv.slice(2);
const at = await person(executablePath);
const { browser, page, until, press, textOf, isShown, command, goTo, open, problems, variables } = at;

await page.goto(url);
await until("the editor", () => page.$(".monaco-workbench .part.editor"));
await open("mistakes.ptx", ".version 8.6");
await command("View: Focus Problems");
const shown = await until("problems", async () => {
  const rows = await problems();
  return rows.length > 6 && rows;
});
assert.match(shown[0], /mistakes\.ptx.*\s6$/s);

await goTo(15, 20);
await press("Control+.");
const fixes = await until("fixes", async () => {
  const rows = (await textOf(".action-widget .monaco-list-row")).filter(Boolean);
  return rows.length && rows;
});
assert(fixes.some((fix) => fix.includes("write `.aligned`")), fixes.join("\n"));
await press("Enter");
await until("the fixed line", () => isShown("ldmatrix.sync.aligned.m8n8.x4"));
await until("one problem less", async () => /mistakes\.ptx.*\s5$/s.test((await problems())[0]));

await goTo(17, 1);
await press("End");
await press("Enter");
await page.keyboard.type("ldmatrix.sync.aligned.m8n8.x4.tr", { delay: 30 });
await until("words", async () => (await textOf(".suggest-widget .monaco-list-row")).some((row) => row.includes(".trans")));
await press("Enter");
await until("the word", () => isShown(".x4.trans"));
await press("Control+Shift+K");

await goTo(18, 7);
await command("Show or Focus Hover");
await until("a hover", async () => (await textOf(".monaco-hover-content")).some((text) => text.includes("stmatrix")));
await pause(500);
if (picture) await page.screenshot({ path: picture });

await open("saxpy.ptx", ".visible .entry saxpy");
await goTo(30, 1);
await press("F9");
await press("F5");
await until("registers", () => variables("%f1"));
await press("F10");
await until("the parameter in its register", () => variables("2.5 (0x40200000)"));
await press("F5");
const isAt = async (line) => (await textOf(".debug-call-stack .monaco-list-row")).some((row) => row.includes(`${line}:`));
await until("the line of the breakpoint", () => isAt(30));
await pause(500);
if (picture) await page.screenshot({ path: picture.replace(".png", "-debug.png") });
console.log(`for the web: rows of problems: ${shown.length}, fixes: ${fixes.length}; a word, a hover, a kernel`);
await browser.close();
