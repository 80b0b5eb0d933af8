// What a person does at VS Code in Chromium, for vscode.mjs and web.mjs.
import { createRequire } from "node:module";

const puppeteer = createRequire(`${process.cwd()}/`)("puppeteer-core");
export const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

export async function person(executablePath) {
  const browser = await puppeteer.launch({
    executablePath,
    args: ["--no-sandbox", "--disable-gpu", "--force-device-scale-factor=1"],
    defaultViewport: { width: 1280, height: 800 },
  });
  const page = await browser.newPage();
  page.setDefaultNavigationTimeout(120_000); // a busy machine takes long

  /** Asks again until there is something. */
  async function until(what, ask, seconds = 30) {
    for (let tries = 0; tries < seconds * 4; ++tries) {
      const answer = await ask().catch(() => undefined);
      if (answer) return answer;
      await pause(250);
    }
    await page.screenshot({ path: "failed.png" });
    throw new Error(`${what}: nothing after ${seconds} seconds (failed.png shows the screen)`);
  }

  async function press(keys) {
    const [last, ...held] = keys.split("+").reverse();
    for (const key of held.reverse()) await page.keyboard.down(key);
    await page.keyboard.press(last);
    for (const key of held) await page.keyboard.up(key);
  }

  const textOf = (selector) =>
    page.$$eval(selector, (found) => found.map((element) => element.innerText.replaceAll("\u00a0", " ")));
  const isShown = async (text) => (await textOf(".view-line")).some((line) => line.includes(text));

  async function command(name) {
    await press("F1");
    await until("the commands", () => page.$(".quick-input-widget input:focus"));
    await page.keyboard.type(name);
    const first = async () => (await textOf(".quick-input-list .monaco-list-row"))[0];
    await until(`the command ${name}`, async () => (await first())?.includes(name));
    await press("Enter");
    await pause(300);
  }

  async function goTo(line, column) {
    await press("Control+g");
    await pause(300);
    await page.keyboard.type(`:${line}:${column}`.slice(1));
    await press("Enter");
    await pause(300);
  }

  async function open(name, line) {
    const entry = await until(name, () => page.$(`.explorer-folders-view [aria-label^="${name}"]`));
    await entry.click({ count: 2 });
    await until(`the text of ${name}`, () => isShown(line));
  }

  /** How many lanes of each warp run, in the view of warps. */
  async function warps() {
    await command("Warps: Focus on Warps View");
    return until("the rows of warps", async () => {
      for (const frame of page.frames()) {
        const rows = await frame.$$eval("table tr", (found) => found.map((row) => row.querySelectorAll("td.running").length));
        if (rows.length) return rows;
      }
    });
  }

  const problems = () => textOf(".markers-panel .monaco-list-row");
  const variables = async (text) => (await textOf(".debug-variables .monaco-list-row")).some((row) => row.includes(text));
  return { browser, page, until, press, textOf, isShown, command, goTo, open, warps, problems, variables };
}
