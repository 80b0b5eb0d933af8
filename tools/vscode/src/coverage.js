// What a launch executes, in the editor: each launch configuration of the type `ptxray` is a test that is run with
// coverage, which `ptxray run --emulate --coverage` finds.
const { execFile } = require("node:child_process");
const fs = require("node:fs");
const os = require("node:os");
const path = require("node:path");
const vscode = require("vscode");

/** The lines of the tracefiles of one kernel: how often each was executed, and the lanes of each guard. */
function detailsOf(tracefiles) {
  const lines = new Map();
  for (const row of tracefiles.join("").split("\n")) {
    const [kind, numbers] = row.split(":");
    if (kind !== "BRDA" && kind !== "DA") continue;
    const [line, ...rest] = numbers.split(",");
    if (!lines.has(line)) lines.set(line, { executed: 0, branches: new Map() });
    const { branches } = lines.get(line);
    const count = Number(rest.pop()) || 0; // `-`: nobody came to the guard
    if (kind === "DA") lines.get(line).executed += count;
    else branches.set(rest.join(), (branches.get(rest.join()) ?? 0) + count);
  }
  return [...lines].map(([line, { executed, branches }]) => {
    const lanes = [...branches].map(([branch, count]) => {
      const label = branch.endsWith(",0") ? "lanes that the guard allows" : "lanes that the guard does not allow";
      return new vscode.BranchCoverage(count, undefined, label);
    });
    return new vscode.StatementCoverage(executed, new vscode.Position(line - 1, 0), lanes);
  });
}

function launches() {
  const all = vscode.workspace.getConfiguration("launch").get("configurations") ?? [];
  return all.filter(({ type, request }) => type === "ptxray" && request === "launch");
}

/** `${file}` is the text in the editor. */
function resolved(text) {
  const editor = vscode.window.activeTextEditor?.document.uri;
  const folder = vscode.workspace.workspaceFolders?.[0].uri;
  return text.replaceAll("${file}", editor?.fsPath ?? "").replaceAll("${workspaceFolder}", folder?.fsPath ?? "");
}

/** What a launch says that fails, at the first place that it names. */
function messageOf(said, folder) {
  const message = new vscode.TestMessage(said);
  const place = /^(\S.*?):(\d+):(\d+): /m.exec(said);
  if (place) {
    const [, file, line, column] = place;
    const at = new vscode.Position(line - 1, column - 1);
    message.location = new vscode.Location(vscode.Uri.file(path.resolve(folder, file)), at);
  }
  return message;
}

/** What belongs to the extension. `program`: returns the path of `ptxray`. */
function register(program) {
  const tests = vscode.tests.createTestController("ptxray", "PTX without a GPU");
  const details = new WeakMap();
  function find() {
    tests.items.replace(launches().map(({ name }) => tests.createTestItem(name, name)));
  }

  /** Gives the tracefile; nothing if the kernel was not launched. */
  function runOne(run, item, { kernel, cwd, args = [] }, token) {
    const folder = cwd ? resolved(cwd) : path.dirname(kernel);
    const place = fs.mkdtempSync(path.join(os.tmpdir(), "ptxray-"));
    const tracefile = path.join(place, "lcov.info");
    const words = ["run", "--emulate", `--coverage=${tracefile}`, kernel, ...args.map((word) => resolved(String(word)))];
    run.started(item);
    return new Promise((resolve) => {
      const child = execFile(program(), words, { cwd: folder }, (error, output, complaints) => {
        const said = `${output}${complaints}`;
        run.appendOutput(said.replaceAll("\n", "\r\n"), undefined, item);
        if (error) run.failed(item, messageOf(said || error.message, folder));
        else run.passed(item);
        resolve(fs.existsSync(tracefile) ? fs.readFileSync(tracefile, "utf8") : undefined);
        fs.rmSync(place, { recursive: true });
      });
      token.onCancellationRequested(() => child.kill());
    });
  }
  async function start(request, token) {
    const wanted = request.include?.map(({ id }) => id);
    const run = tests.createTestRun(request);
    const tracefiles = {};
    for (const launch of launches()) {
      const item = tests.items.get(launch.name);
      if (!item || token.isCancellationRequested || !(wanted?.includes(launch.name) ?? true)) continue;
      const kernel = resolved(launch.program);
      const tracefile = await runOne(run, item, { ...launch, kernel }, token);
      if (tracefile) (tracefiles[kernel] ??= []).push(tracefile);
    }
    for (const [kernel, all] of Object.entries(tracefiles)) {
      const found = detailsOf(all);
      const coverage = vscode.FileCoverage.fromDetails(vscode.Uri.file(kernel), found);
      details.set(coverage, found);
      run.addCoverage(coverage);
    }
    run.end();
  }

  find();
  tests.refreshHandler = find;
  const profile = tests.createRunProfile("Coverage of a launch", vscode.TestRunProfileKind.Coverage, start, true);
  profile.loadDetailedCoverage = async (run, coverage) => details.get(coverage) ?? [];
  const changed = (event) => event.affectsConfiguration("launch") && find();
  return [tests, vscode.workspace.onDidChangeConfiguration(changed)];
}

module.exports = { register };
