// The text in the address: `#c=` and the text, deflated, as base64 of the kind for addresses.

/// No more is unpacked: a short address can hold a very long text.
export const mostText = 1 << 20;

async function through(bytes, stream, most = Infinity) {
  const writer = stream.writable.getWriter(),
    reader = stream.readable.getReader();
  Promise.all([writer.write(bytes), writer.close()]).catch(() => {}); // the reader says the same
  const parts = [];
  for (let size = 0; ;) {
    const { done, value } = await reader.read();
    if (done) return Uint8Array.from(parts.flatMap((part) => [...part]));
    parts.push(value);
    if ((size += value.length) > most) {
      reader.cancel();
      throw new RangeError("the text in the address is longer than 1 MB");
    }
  }
}

export async function toFragment({ text, language, panel, words = "" }) {
  const packed = await through(new TextEncoder().encode(text), new CompressionStream("deflate-raw"));
  let binary = "";
  for (const byte of packed) binary += String.fromCharCode(byte);
  const code = btoa(binary).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
  return `#c=${code}${language === "ptx" ? "" : `&l=${language}`}${panel === "findings" ? "" : `&p=${panel}`}${words && `&r=${encodeURIComponent(words)}`}`;
}

/// {text, language, panel, example, words}, as far as the address says; throws what can be shown.
export async function fromFragment(hash) {
  const said = new URLSearchParams(hash.slice(1));
  const found = { language: said.get("l") ?? "ptx", panel: said.get("p") ?? "findings", example: said.get("e") };
  found.words = said.get("r") ?? "";
  const code = said.get("c");
  if (!code) return found;
  let bytes;
  try {
    bytes = Uint8Array.from(atob(code.replace(/-/g, "+").replace(/_/g, "/")), (character) => character.charCodeAt(0));
    found.text = new TextDecoder().decode(await through(bytes, new DecompressionStream("deflate-raw"), mostText));
  } catch (error) {
    throw error instanceof RangeError ? error : new Error("the address contains no readable text");
  }
  return found;
}
