// The view of all warps while a kernel is debugged: a row for each, a cell for each lane, coloured by what it does. The
// adapter answers `ptxray/warps`. The time line is beside it.
const vscode = require("vscode");
const { barriers, escaped, operations, pastOf } = require("./timeline.js");

const LANES = 32;
const STATES = { running: "runs", ready: "can go on", waiting: "waits", ended: "has ended" };

/** What each lane of a warp does, and where. */
function cells(warp, focus) {
  const all = Array.from({ length: LANES }, () => ({ state: "ended", title: STATES.ended }));
  for (const { lanes, state, line, waitsFor, since } of warp.groups) {
    const does = waitsFor ? `waits${since === undefined ? "" : ` since ${since}`}: ${waitsFor}` : STATES[state];
    for (let lane = 0; lane < LANES; ++lane)
      if ((lanes >>> lane) & 1) all[lane] = { state, title: `line ${line}: ${does}` };
  }
  return all
    .map(({ state, title }, lane) => {
      const mark = lane === focus ? " focus" : "";
      return `<td class="${state}${mark}" title="lane ${lane}, ${escaped(title)}"></td>`;
    })
    .join("");
}

/** A page of the answers, without scripts. `past`: the time line. */
function page(answer, past) {
  const rows = answer.warps.map((warp) => {
    const lines = [...new Set(warp.groups.map((group) => group.line))].join(", ");
    const name = `${warp.block.join(",")}:${warp.warp}`;
    return `<tr><th>${name}</th>${cells(warp, answer.lane)}<td class="line">${lines}</td>${pastOf(past, warp.id)}</tr>`;
  });
  for (const one of operations(past)) rows.push(`<tr><th colspan="${LANES + 2}">${one.name}</th>${one.past}</tr>`);
  return `<!DOCTYPE html>
<html><head>
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<style>
table { border-collapse: separate; border-spacing: 1px; font: 11px var(--vscode-editor-font-family); width: 100%; }
td { min-width: 7px; height: 12px; padding: 0; }
th { font-weight: normal; text-align: right; padding-right: 6px; white-space: nowrap; }
.line { padding: 0 6px; white-space: nowrap; }
.past { width: 100%; }
svg { display: block; width: 100%; height: 10px; }
.running { background: var(--vscode-charts-green); fill: var(--vscode-charts-green); }
.ready { background: var(--vscode-charts-blue); }
.waiting { background: var(--vscode-charts-orange); fill: var(--vscode-charts-orange); }
.ended { background: var(--vscode-charts-lines); opacity: 0.3; }
.flight { fill: var(--vscode-charts-purple); }
.focus { outline: 1px solid var(--vscode-focusBorder); }
p, ul { font-size: 11px; margin: 4px 0; }
</style></head>
<body><p>time ${answer.time}; block and warp, a cell for each lane, lines; what was executed (green), waited for (orange)
and in flight (purple) from time ${past.from} on</p><table>${rows.join("")}</table>${barriers(past)}</body></html>`;
}

/** What belongs to the extension: the view, and who tells it that the kernel has stopped. */
function register() {
  let view;
  async function show(session) {
    if (!view) return;
    const asked = ["ptxray/warps", "ptxray/timeline"].map((name) => session.customRequest(name));
    const [answer, past] = await Promise.all(asked).catch(() => []);
    if (answer && view) view.webview.html = page(answer, past);
  }
  const provider = {
    resolveWebviewView(resolved) {
      view = resolved;
      view.onDidDispose(() => (view = undefined));
      if (vscode.debug.activeDebugSession?.type === "ptxray") show(vscode.debug.activeDebugSession);
    },
  };
  const tracker = {
    createDebugAdapterTracker: (session) => ({
      onDidSendMessage: (message) => {
        if (message.type === "event" && message.event === "stopped") show(session);
      },
    }),
  };
  return [
    vscode.window.registerWebviewViewProvider("ptxray.warps", provider),
    vscode.debug.registerDebugAdapterTrackerFactory("ptxray", tracker),
  ];
}

module.exports = { register, page };
