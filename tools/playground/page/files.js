// Files that are dropped on the page, or chosen: texts go into the editor, of binaries their PTX is listed. They are read
// here and go nowhere.
import { element } from "./element.js";
import { languageOf } from "./share.js";

const mostText = 16 << 20;
const mostBinary = 1 << 30;

/// Binaries begin with bytes that no text has.
function isText(bytes) {
  return !bytes.subarray(0, 4096).includes(0);
}

export class Files {
  constructor(engine, { open, show, say }) {
    Object.assign(this, { engine, open, show, say });
    document.addEventListener("dragover", (event) => {
      event.preventDefault();
      document.body.classList.add("dropping");
    });
    document.addEventListener(
      "dragleave",
      (event) => event.relatedTarget ?? document.body.classList.remove("dropping"),
    );
    document.addEventListener(
      "drop",
      (event) => {
        event.preventDefault();
        document.body.classList.remove("dropping");
        if (event.dataTransfer.files.length) this.take(event.dataTransfer.files[0]);
        else if (event.dataTransfer.getData("text")) this.open(event.dataTransfer.getData("text"));
      },
      true,
    );
  }

  async take(file) {
    if (file.size > mostBinary)
      return this.say(`${file.name} is larger than 1 GB: use ptxray extract on the command line`);
    const bytes = new Uint8Array(await file.arrayBuffer());
    if (!isText(bytes)) return this.takeBinary(file.name, bytes);
    if (bytes.length > mostText)
      return this.say(`${file.name} is larger than 16 MB: use ptxray check on the command line`);
    return this.open(new TextDecoder().decode(bytes), languageOf(file.name) ?? "ptx", file.name);
  }

  async takeBinary(name, bytes) {
    this.say(`reading ${name}`);
    const safe = name.replace(/[^\w.-]/g, "_"),
      files = { [safe]: bytes };
    const listed = await this.engine.command(["extract", "--list", "--format=json", safe], files);
    const entries = listed.stdout ? JSON.parse(listed.stdout).entries : [];
    if (!entries.length) return this.say(listed.stderr.trim() || `${name} contains no code for GPUs`);
    const checked = await this.engine.command(["check", safe], files);
    this.show(
      this.table(name, entries, safe, files),
      element("pre", { class: "wide" }, (checked.stdout + checked.stderr).trim()),
    );
    this.say(`${name}: ${entries.length} entries`);
  }

  table(name, entries, safe, files) {
    const columns = ["entry", "member", "kind", "target", "version", "packing", "unpacked", "source"];
    const used = columns.filter((column) =>
      entries.some((entry) => entry[column] !== "" && entry[column] !== undefined),
    );
    const cell = (entry, column) => element("td", {}, String(entry[column] ?? ""));
    const rows = entries.map((entry) =>
      element(
        "tr",
        {},
        ...used.map((column) => cell(entry, column)),
        element(
          "td",
          {},
          entry.kind === "PTX" &&
            element("button", { onclick: () => this.openEntry(name, entry, safe, files) }, "open"),
        ),
      ),
    );
    return element(
      "div",
      { class: "wide" },
      element("h2", {}, name),
      element(
        "table",
        {},
        element("thead", {}, element("tr", {}, ...used.map((column) => element("th", {}, column)), element("th", {}))),
        element("tbody", {}, ...rows),
      ),
    );
  }

  async openEntry(name, entry, safe, files) {
    const { written, stderr } = await this.engine.command(["extract", "-o=out", safe], files);
    const found = Object.keys(written ?? {}).find(
      (path) => path.startsWith("out/") && path.includes(`.${entry.entry}.`),
    );
    if (!found) return this.say(stderr.trim() || `entry ${entry.entry} cannot be read`);
    return this.open(new TextDecoder().decode(written[found]), "ptx", `${name}, entry ${entry.entry}`);
  }
}
