// The time line under the view of warps: what each warp and each asynchronous operation did before now, and what
// barriers wait for. The adapter answers `ptxray/timeline`.
const WIDTH = 300;
const ROW = 9;

function escaped(text) {
  return text.replace(/[&<>"]/g, (found) => `&#${found.charCodeAt(0)};`);
}

/** A bar from one time to another, in a row. */
function bar(answer, row, begin, end, kind, title) {
  const scale = WIDTH / Math.max(answer.time - answer.from, 1);
  const x = (begin - answer.from) * scale;
  const width = Math.max((end - begin) * scale, 1);
  const place = `x="${x.toFixed(1)}" y="${row * ROW + 1}" width="${width.toFixed(1)}" height="${ROW - 2}"`;
  return `<rect ${place} class="${kind}"><title>${escaped(title)}</title></rect>`;
}

/** The bars of a warp: what it executed, and between these what it waited for at a barrier. */
function barsOfWarp(answer, stretches, row) {
  return stretches.flatMap((one, i) => {
    const lanes = one.lanes === 0xffffffff ? "" : `, lanes ${one.lanes.toString(16)}`;
    const bars = [bar(answer, row, one.begin, one.end, "running", `${one.begin} to ${one.end}, line ${one.line}${lanes}`)];
    const next = stretches[i + 1]?.begin ?? answer.time;
    if (one.waits && next > one.end)
      bars.push(bar(answer, row, one.end, next, "waiting", `waits at line ${one.line} from ${one.end} to ${next}`));
    return bars;
  });
}

/** A picture of the answer, and a list of barriers. `warps`: those that have a row, with their names. */
function timeline(answer, warps) {
  const rows = warps.map(({ id }, row) => barsOfWarp(answer, answer.stretches.filter((one) => one.id === id), row));
  answer.operations.forEach((one, i) => {
    const text = `line ${one.line}, begun at ${one.begin}, ${one.end === undefined ? "in flight" : `ended at ${one.end}`}`;
    rows.push([bar(answer, warps.length + i, one.begin, one.end ?? answer.time, "flight", text)]);
  });
  const height = rows.length * ROW;
  const barriers = answer.barriers.map(({ block, name, state }) => `<li>${escaped(`${block.join(",")} ${name}: ${state}`)}</li>`);
  return (
    `<p>from time ${answer.from} to ${answer.time}: warps` +
    `${answer.operations.length ? `, then ${answer.operations.length} asynchronous operations` : ""}</p>` +
    `<svg viewBox="0 0 ${WIDTH} ${height}" width="100%" height="${height}" preserveAspectRatio="none">` +
    `${rows.flat().join("")}</svg>${barriers.length ? `<ul>${barriers.join("")}</ul>` : ""}`
  );
}

module.exports = { escaped, timeline };
