// The words of a launch, as the command line has them, and the bytes of buffers as numbers.

/// Options whose value is the next word.
const valued = new Set(
  (
    "--kernel --grid --block --cluster --shared --buffer --variable --out --expect --type --tolerance --repeat " +
    "--time-limit --device --schedule --schedules --trace --coverage --cores --ptxas --ptxas-time-limit --format " +
    "--config --color --text"
  ).split(" "),
);
const isBuffer = (word) => /^(zeros|iota|random|edges|fill|file):/.test(word);

/// A line as a shell splits it: words between spaces, quotes hold them together.
export function split(line) {
  const words = [];
  for (const [part] of line.matchAll(/(?:[^\s"']+|"[^"]*"|'[^']*')+/g))
    words.push(part.replace(/"([^"]*)"|'([^']*)'/g, (all, double, single) => double ?? single));
  return words;
}

/// {options: {name: [values]}, operands}
export function parse(words) {
  const options = {},
    operands = [];
  for (let at = 0; at < words.length; ++at) {
    const word = words[at];
    if (!word.startsWith("--")) {
      operands.push(word);
      continue;
    }
    const equals = word.indexOf("="),
      name = equals < 0 ? word : word.slice(0, equals);
    const value = equals >= 0 ? word.slice(equals + 1) : valued.has(name) ? words[++at] : "";
    (options[name] ??= []).push(value ?? "");
  }
  return { options, operands };
}

/// What a launch leaves in memory: {name, type, spec} of each buffer.
export function buffersOf(words) {
  const { options, operands } = parse(words);
  const typeOf = (name, spec) => {
    const asked = (options["--out"] ?? []).map((one) => one.split("=")).find(([one]) => one === name)?.[1];
    const named = spec.split(":").find((part) => sizes[part]);
    return sizes[asked] ? asked : (named ?? (options["--type"] ?? []).at(-1) ?? "u32");
  };
  const found = operands.flatMap((spec, at) => (isBuffer(spec) ? [{ name: String(at), spec }] : []));
  for (const text of options["--buffer"] ?? []) {
    const [name, ...rest] = text.split("=");
    found.push({ name, spec: rest.join("=") });
  }
  return found.map((one) => ({ ...one, type: typeOf(one.name, one.spec) }));
}

/// The words with another schedule.
export function withSchedule(line, schedule) {
  const rest = line.replace(/\s*--schedule[= ]\S+/g, "").trim();
  return schedule === "eager" ? rest : `--schedule=${schedule} ${rest}`.trim();
}
export const scheduleOf = (line) => /--schedule[= ](\S+)/.exec(line)?.[1] ?? "eager";

/// Words for the first kernel of a text: memory where it takes an address, and numbers.
export function guess(text) {
  const plain = text.replace(/\/\/.*|\/\*[^]*?\*\//g, "");
  const entry = /\.entry\s+[\w$]+\s*\(([^)]*)\)([^{]*)\{/.exec(plain);
  if (!entry) return "";
  const parameters = entry[1].split(",").filter((one) => one.trim());
  const block = /\.(?:req|max)ntid\s+(\d+(?:\s*,\s*\d+)*)/.exec(entry[2])?.[1].replace(/\s/g, "") ?? "32";
  const wordFor = (parameter, at) => {
    const [, type, size] = /\.([bsuf]\d+)\s+[\w$]+\s*(?:\[(\d+)\])?/.exec(parameter) ?? [];
    if (size) return size === "128" ? `tma=f16:64x64:swizzle=128:&m${at}` : `hex=${"00".repeat(Number(size))}`;
    if (type?.endsWith("64") && !type.startsWith("f"))
      return at + 1 < parameters.length ? "iota:u32:1024" : "zeros:u32:1024";
    return type?.startsWith("f") ? "1.5" : "32";
  };
  const words = parameters.map(wordFor);
  const maps = words.flatMap((word) => /&(m\d+)/.exec(word)?.[1] ?? []);
  const buffers = maps.map((map) => `--buffer ${map}=random:f16:4096:1`);
  return [...(/\.reqntid/.test(entry[2]) ? [] : [`--block ${block}`]), ...buffers, ...words].join(" ");
}

const sizes = {
  ...{ u8: 1, s8: 1, b8: 1, e4m3: 1, e5m2: 1 },
  ...{ u16: 2, s16: 2, b16: 2, f16: 2, bf16: 2 },
  ...{ u32: 4, s32: 4, b32: 4, f32: 4, tf32: 4 },
  ...{ u64: 8, s64: 8, b64: 8, f64: 8 },
};

function half(bits) {
  const sign = bits & 0x8000 ? -1 : 1,
    exponent = (bits >> 10) & 31,
    mantissa = bits & 1023;
  if (exponent === 31) return mantissa ? NaN : sign * Infinity;
  return sign * (exponent ? (1 + mantissa / 1024) * 2 ** (exponent - 15) : mantissa * 2 ** -24);
}

function single(bits) {
  const view = new DataView(new ArrayBuffer(4));
  view.setUint32(0, bits);
  return view.getFloat32(0);
}

const float = (value) => String(Number.isFinite(value) ? Number(value.toPrecision(7)) : value);
const hex = (value, size) => "0x" + value.toString(16).padStart(2 * size, "0");

/// The numbers in bytes, as texts.
export function numbers(bytes, type) {
  const size = sizes[type] ?? 4,
    view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const one = {
    u8: (at) => view.getUint8(at),
    s8: (at) => view.getInt8(at),
    u16: (at) => view.getUint16(at, true),
    s16: (at) => view.getInt16(at, true),
    u32: (at) => view.getUint32(at, true),
    s32: (at) => view.getInt32(at, true),
    u64: (at) => view.getBigUint64(at, true),
    s64: (at) => view.getBigInt64(at, true),
    f16: (at) => float(half(view.getUint16(at, true))),
    bf16: (at) => float(single(view.getUint16(at, true) * 65536)),
    f32: (at) => float(view.getFloat32(at, true)),
    tf32: (at) => float(view.getFloat32(at, true)),
    f64: (at) => String(view.getFloat64(at, true)),
  }[type];
  const raw = {
    1: (at) => view.getUint8(at),
    2: (at) => view.getUint16(at, true),
    4: (at) => view.getUint32(at, true),
    8: (at) => view.getBigUint64(at, true),
  }[size];
  const read = one ?? ((at) => hex(raw(at), size));
  return Array.from({ length: Math.floor(bytes.length / size) }, (none, index) => String(read(index * size)));
}
