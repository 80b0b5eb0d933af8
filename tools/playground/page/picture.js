// Pictures of ptxray. Each is in a shadow tree, since it brings rules of style that would reach the others; and these are
// made to a style sheet, since the page allows no style that is written into it.

/// Puts a picture into `box`. `goTo(line)` is called when a word of it that names a line is chosen.
export function showPicture(box, text, goTo) {
  const rules = [];
  const bare = text.replace(/<style>([^<]*)<\/style>/g, (_, rule) => (rules.push(rule), ""));
  const parsed = new DOMParser().parseFromString(bare, "image/svg+xml").documentElement;
  const shadow = box.shadowRoot ?? box.attachShadow({ mode: "open" });
  if (parsed.localName !== "svg") throw new Error("not a picture");
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(
    ":host{display:block} svg{display:block;max-width:none;margin:0 auto} :host(.fit) svg{max-width:100%;height:auto} .line{cursor:pointer} .line:hover,.line:focus{text-decoration:underline}" +
      rules.join(""),
  );
  for (const word of parsed.querySelectorAll("text")) linkLine(word);
  parsed.setAttribute("role", parsed.querySelector(".line") ? "group" : "img");
  parsed.setAttribute("aria-label", box.title);
  if (!parsed.hasAttribute("viewBox"))
    parsed.setAttribute("viewBox", `0 0 ${parsed.getAttribute("width")} ${parsed.getAttribute("height")}`);
  shadow.adoptedStyleSheets = [sheet];
  shadow.replaceChildren(document.importNode(parsed, true));
  shadow.onclick = (event) => goToLineOf(event.target, goTo);
  shadow.onkeydown = (event) => event.key === "Enter" && goToLineOf(event.target, goTo);
}

/// `38 mbarrier.try_wait`, `block 1, lines 24-33`, `kernel product, lines 21 to 113`
function linkLine(word) {
  const found = /^(\d+) \w|lines? (\d+)/.exec(word.textContent);
  if (!found) return;
  word.setAttribute("class", `${word.getAttribute("class") ?? ""} line`.trim());
  word.setAttribute("tabindex", "0");
  word.setAttribute("role", "link");
  word.setAttribute("data-line", found[1] ?? found[2]);
}

function goToLineOf(word, goTo) {
  const line = word.closest?.("[data-line]")?.getAttribute("data-line");
  if (line) goTo(Number(line));
}
