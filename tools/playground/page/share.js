// Ways out of the page: a link, Markdown, Compiler Explorer, a picture.
export async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

/// The text and what was found in it, for an issue or a chat.
export function markdown(editor, findings, address) {
  const fence = "`".repeat(Math.max(3, ...[...editor.text.matchAll(/`+/g)].map(([run]) => run.length + 1)));
  const lines = findings.map(
    ({ range, severity, message, code }) =>
      `- line ${range.start.line + 1}: ${severity === 1 ? "error" : "warning"}: ${message}${code ? ` [${code}]` : ""}`,
  );
  const found = lines.length ? lines.join("\n") : "ptxray finds nothing wrong.";
  return `${fence}${editor.language}\n${editor.text.trimEnd()}\n${fence}\n\n${found}\n\n[in the playground](${address})\n`;
}

/// The address at which Compiler Explorer opens the text, or nothing for PTX, for which it has no editor.
export function compilerExplorer(editor) {
  const { language } = editor;
  if (language === "ptx") return null;
  const state = { sessions: [{ id: 1, language, source: editor.text, compilers: [] }] };
  const bytes = new TextEncoder().encode(JSON.stringify(state));
  let binary = "";
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return `https://godbolt.org/clientstate/${encodeURIComponent(btoa(binary))}`;
}

/// Saves the picture of a panel as it is shown.
export function download(box, name) {
  const shown = box.shadowRoot?.querySelector("svg");
  if (!shown) return;
  const picture = shown.cloneNode(true),
    style = document.createElementNS("http://www.w3.org/2000/svg", "style");
  style.textContent = [...box.shadowRoot.adoptedStyleSheets[0].cssRules].map((rule) => rule.cssText).join("");
  picture.prepend(style);
  const link = document.createElement("a");
  link.href = URL.createObjectURL(
    new Blob([new XMLSerializer().serializeToString(picture)], { type: "image/svg+xml" }),
  );
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

export function languageOf(name) {
  const ending = /\.(\w+)$/.exec(name.toLowerCase())?.[1];
  const kinds = { ptx: "ptx", cuda: "cu cuh cpp cc h hpp", python: "py", llvm: "ll mlir", rust: "rs" };
  return Object.keys(kinds).find((language) => kinds[language].split(" ").includes(ending)) ?? null;
}
