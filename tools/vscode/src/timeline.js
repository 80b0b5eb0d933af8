// The time line beside the view of warps: what each warp and each asynchronous operation did before now, and what
// barriers wait for. The adapter answers `ptxray/timeline`.
const WIDTH = 1000; // of a row, which is as wide as there is room

function escaped(text) {
  return text.replace(/[&<>"]/g, (found) => `&#${found.charCodeAt(0)};`);
}

/** A bar from one time to another. */
function bar(answer, begin, end, kind, title) {
  const scale = WIDTH / Math.max(answer.time - answer.from, 1);
  const x = ((begin - answer.from) * scale).toFixed(1);
  const width = Math.max((end - begin) * scale, 1).toFixed(1);
  return `<rect x="${x}" width="${width}" height="1" class="${kind}"><title>${escaped(title)}</title></rect>`;
}

function row(bars) {
  return `<td class="past"><svg viewBox="0 0 ${WIDTH} 1" preserveAspectRatio="none">${bars.join("")}</svg></td>`;
}

/** A cell of what a warp executed, and between that what it waited for at a barrier. */
function pastOf(answer, id) {
  const stretches = answer.stretches.filter((one) => one.id === id);
  return row(
    stretches.flatMap((one, i) => {
      const lanes = one.lanes === 0xffffffff ? "" : `, lanes ${one.lanes.toString(16)}`;
      const bars = [bar(answer, one.begin, one.end, "running", `${one.begin} to ${one.end}, line ${one.line}${lanes}`)];
      const next = stretches[i + 1]?.begin ?? answer.time;
      if (one.waits && next > one.end)
        bars.push(bar(answer, one.end, next, "waiting", `waits at line ${one.line} from ${one.end} to ${next}`));
      return bars;
    }),
  );
}

/** A name and a cell for each operation. */
function operations(answer) {
  return answer.operations.map((one) => {
    const text = `line ${one.line}, begun at ${one.begin}, ${one.end === undefined ? "in flight" : `ended at ${one.end}`}`;
    return { name: `operation of line ${one.line}`, past: row([bar(answer, one.begin, one.end ?? answer.time, "flight", text)]) };
  });
}

/** A list of the barriers. */
function barriers(answer) {
  const all = answer.barriers.map(({ block, name, variable, state }) => {
    return `<li>${escaped(`${block.join(",")} ${variable || name}: ${state}`)}</li>`;
  });
  return all.length ? `<ul>${all.join("")}</ul>` : "";
}

module.exports = { escaped, pastOf, operations, barriers };
