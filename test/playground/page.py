#!/usr/bin/env python3
"""Tests the playground in headless Chromium, opened from its file: page.py FOLDER SOURCE-FOLDER [--screenshots FOLDER]
[--smoke]

The test opens addresses, types, hovers, opens each panel and each example, drops files, and opens hostile texts. The
console must stay silent, and no element may be wider than a phone. Times are compared with the budgets of
docs/playground.md. others.py does the same in Firefox and WebKit. Skipped (77) without Chromium or the page, unless
PTXRAY_REQUIRE names `playground` or `all`."""

import base64
import json
import os
import pathlib
import shutil
import sys
import tempfile
import time
import zlib

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "site"))
from chromium import Browser

PANELS = ("findings", "explain", "layout", "hazards", "graph", "targets", "report")
HEAD = ".version 8.0\n.target sm_80\n.address_size 64\n"
HOSTILE = HEAD + ".visible .entry k()\n{\n  .reg .b32 </text><script>alert(1)</script>;\n  ret;\n}\n"
BAD_NAME = "<img src=x onerror=alert(1)><script>alert(1)"
BAD_NAMES = HEAD + f'.file 1 "{BAD_NAME}.cu"\n.visible .entry k()\n{{\n  bar.sync 0;\n  .loc 1 7 1\n  ret;\n}}\n'
CLEAR = "(document.getElementById('count').textContent = '...')"
IS_CHECKED = "document.getElementById('count').textContent !== '...'"
STATUS = "document.getElementById('status').textContent"
LISTEN = """(window.heard = [], ['error', 'unhandledrejection', 'securitypolicyviolation'].forEach((kind) =>
  addEventListener(kind, ({ message, reason, violatedDirective }) =>
    window.heard.push(`${kind}: ${message ?? reason ?? violatedDirective}`))), 0)"""


def fragment(text):
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    packed = packer.compress(text.encode()) + packer.flush()
    return "#c=" + base64.urlsafe_b64encode(packed).decode().rstrip("=")


class Chromium(Browser):
    def after(self, script):
        """Returns the value of a promise."""
        asked = self.ask("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        return asked["result"].get("value")

    def type(self, text):
        self.ask("Input.insertText", text=text)

    def press_control(self, key):
        event = {"key": key, "code": "Period", "windowsVirtualKeyCode": 190, "modifiers": 2}
        self.ask("Input.dispatchKeyEvent", type="rawKeyDown", **event)
        self.ask("Input.dispatchKeyEvent", type="keyUp", **event)

    def move(self, x, y):
        self.ask("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)

    def close(self):
        self.process.kill()
        self.process.wait()


class Page:
    """Tests the page. `browser` has open(address), value(expression), after(promise), type(text),
    press_control(key), move(x, y) and errors."""

    def __init__(self, browser, address):
        self.browser, self.address, self.problems = browser, address, []
        self.value, self.after = browser.value, browser.after

    def expect(self, holds, what):
        if not holds:
            self.problems.append(what)

    def open(self, end=""):
        self.browser.open("about:blank")
        self.browser.open(self.address + end)
        self.until("globalThis.playground ? 1 : 0", "the page")
        self.value(LISTEN)

    def expect_silence(self, where):
        heard = self.browser.errors + (self.value("window.heard") or [])
        self.expect(not heard, f"{where}: {heard[:2]}")

    def do(self, *steps):
        self.value(f"({', '.join(steps)}, 0)")

    def until(self, script, what, seconds=20):
        end = time.time() + seconds
        while time.time() < end:
            if (found := self.value(script)) not in (None, False, 0, ""):
                return found
            time.sleep(0.02)
        self.problems.append(f"{what}: not within {seconds} s; the status is {self.value(STATUS)!r}")
        return None

    def set_text(self, text, language="ptx"):
        self.do(CLEAR, f"playground.editor.setText({json.dumps(text)}, {json.dumps(language)})")
        self.until(IS_CHECKED, "findings of a new text")

    def findings(self):
        return self.value("playground.state().findings.map((one) => one.code)")

    def panel(self, name):
        """Returns the contents of a panel, or the number of words in its picture."""
        self.do(f"document.querySelector('#{name}').dataset.turn = ''", f"playground.show('{name}')")
        if name != "findings":
            self.until(f"document.querySelector('#{name}').dataset.turn !== ''", f"panel {name}")
        return self.value(
            f"(() => {{ const box = document.querySelector('#{name}'), picture = box.querySelector('.picture');"
            "return picture?.shadowRoot ? picture.shadowRoot.querySelectorAll('svg text').length : box.innerText; })()"
        )


def opens(page, source):
    text = (source / "docs/examples/mistakes.ptx").read_text()
    page.open(fragment(text))
    page.until("globalThis.playground?.state().findings.length > 0", "first findings")
    marks = page.value("performance.getEntriesByType('mark').map((one) => [one.name, Math.round(one.startTime)])")
    first = dict(reversed(marks))["findings"]
    print("the first", ", ".join(f"{name} after {time} ms" for name, time in reversed(dict(reversed(marks)).items())))
    page.expect(page.value("playground.editor.text") == text, "the text of the address is not in the editor")
    marks = page.until("document.querySelectorAll('.cm-lintRange').length", "marks")
    page.expect(marks and marks >= len(page.findings()) - 1, f"{marks} marks of {page.findings()}")
    page.until("document.querySelectorAll('#findings .fix').length", "fixes")
    page.until("document.querySelectorAll('[class^=tok-]').length > 20", "colours")
    return first


def types(page):
    page.set_text(HEAD + ".visible .entry k()\n{\n  .reg .b32 %r<4>;\n\n  ret;\n}\n")
    page.expect(page.findings() == [], f"a good text: {page.findings()}")
    page.do("playground.editor.showLine(7)")
    page.browser.type("  add.s32 %r1, %r2, %r3")
    page.until("playground.state().findings.length > 0", "a mistake that is typed")
    page.until("playground.state().fixes?.size > 0", "its fix")
    page.browser.press_control(".")
    page.until("playground.state().findings.length === 0", "the key that fixes")
    page.expect("%r3;" in page.value("playground.editor.text"), "the key that fixes wrote no semicolon")


def hovers(page, source):
    page.set_text((source / "docs/examples/transpose.ptx").read_text())
    page.do("playground.editor.showLine(39)")
    time.sleep(0.4)
    at = "playground.editor.view.state.doc.line(39).from + 6"
    x, y = page.value(f"(({{ left, top }}) => [left, top + 5])(playground.editor.view.coordsAtPos({at}))")
    page.browser.move(x - 40, y)
    page.browser.move(x, y)
    page.until("document.querySelector('.cm-tooltip-hover')?.innerText.length > 20", "a hover")


def panels(page):
    for example in page.value("[...document.querySelector('#example').options].map((one) => one.value)")[1:]:
        page.do(CLEAR, f"playground.showExample('{example}')")
        page.until(IS_CHECKED, f"findings of {example}")
        for name in PANELS:
            shown = page.panel(name)
            page.expect(shown not in (None, "", 0), f"{example}: the panel {name} is empty")
        page.expect_silence(example)
    page.do("playground.showExample('product')")
    page.expect((page.panel("graph") or 0) and isinstance(page.panel("graph"), int), "no picture of a graph")
    page.expect(isinstance(page.panel("hazards"), int), "no picture of hazards")
    page.do("playground.showExample('fragments')")
    page.expect(isinstance(page.panel("layout"), int), "no picture of a layout")
    page.do("playground.showExample('copy')")
    page.until(
        "playground.state().findings.some((one) => one.code === 'unwaited-copy')",
        "the warning of the example of cp.async",
    )
    page.do("playground.showExample('inline')")
    page.until("playground.state().findings.length === 3", "the mistakes of the example in CUDA")


OUTCOME = "document.getElementById('outcome').innerText"
ENDLESS = HEAD + ".visible .entry k()\n{\nagain:\n  bra again;\n}\n"


def runs(page):
    """Returns the milliseconds until the first number of a kernel is visible."""
    started = time.time()
    page.do("playground.showExample('late')")
    page.until("document.querySelector('#outcome .differs')", "the wrong number of a late copy")
    first = (time.time() - started) * 1000
    cells = "[...document.querySelectorAll('#outcome .other')].map((one) => one.innerText + one.title)"
    page.expect(page.value(cells) == ["4293853166[0], by the eager schedule 42"], f"numbers: {page.value(cells)}")
    page.expect("unwaited-copy" in page.value(OUTCOME), "the late copy is not reported")
    cut = "[...document.querySelectorAll('#outcome .cell')].filter((one) => one.scrollWidth > one.clientWidth).length"
    page.expect(page.value(cut) == 0, "a number is cut off")
    page.do("schedule.value = 'eager'", "schedule.onchange()")
    right = "outcome.innerText.includes('zeros') && !document.querySelector('#outcome .differs')"
    page.until(right, "the right number")
    page.do("schedule.value = 'lazy'", "schedule.onchange()")
    page.until("document.querySelector('#outcome .differs')", "the wrong number again")
    page.do("share.click()")
    page.until(STATUS + ".includes('address')", "the address")
    address = page.value("location.href")
    page.expect("&p=run" in address and "&r=--schedule%3Dlazy" in address, f"the address is {address[-200:]}")
    page.open(address[address.index("#") :])
    page.until("document.querySelector('#outcome .differs')", "the wrong number, from its address")
    for words in ("<img src=x onerror=alert(1)>", "--block=99999 zeros:u32:1 zeros:u32:1", "file:</pre><script> 1"):
        page.do(f"words.value = {json.dumps(words)}", "outcome.replaceChildren()", "go.click()")
        page.until("outcome.innerText.includes('ptxray:')", f"a word about {words}")
        bad = page.value("document.querySelector('#outcome img, #outcome script') !== null")
        page.expect(not bad, f"{words}: unescaped")
    page.do("playground.showExample('fragments')", "playground.show('run')", "counted.click()")
    page.until("document.querySelector('#outcome .picture')?.shadowRoot.querySelector('svg')", "a picture of counters")
    page.do("counted.click()")
    page.set_text(ENDLESS)
    page.do("words.value = ''", "go.click()")
    button = "document.getElementById('stop')"
    page.until(f"!{button}.hidden", "a button that stops a kernel")
    time.sleep(0.5)
    page.do(f"{button}.click()")
    page.until(STATUS + " === 'stopped'", "the end of a kernel that is stopped", 5)
    page.do("words.value = '--time-limit=1'", "go.click()")
    page.until("outcome.innerText.includes('has not ended after 1 s')", "the end of a kernel that takes too long", 10)
    return first


def steps(page, source):
    """Steps through the tour of the pipeline, and by hand."""
    examples = json.loads((source / "tools/playground/examples/index.json").read_text())
    example = next(one for one in examples if one["name"] == "pipeline")
    page.do("playground.showExample('pipeline')")
    is_halted = page.until("playground.stepper.state && true", "a launch that is halted")
    for number, stop in enumerate(example["tour"] if is_halted else [], 1):
        count = json.dumps(f"{number} of {len(example['tour'])}")
        is_there = f"document.getElementById('tour-count').textContent === {count} && playground.stepper.isDrawn"
        page.until(is_there, f"stop {number}")
        line = page.value("playground.editor.text.split('\\n')[playground.stepper.state.line - 1] ?? ''")
        page.expect(stop["at"] in line, f"stop {number} of the tour is at {line}")
        warps, texts = (page.value(f"document.querySelectorAll('#scene {what}').length") for what in (".warp", "pre"))
        page.expect(warps == 2 or not stop["at"], f"stop {number}: {warps} warps")
        page.expect(texts >= len(stop["watch"]), f"stop {number}: {texts} texts")
        if number == 5:
            bars = page.value("[...document.querySelectorAll('#scene progress')].map((one) => [one.value, one.max])")
            page.expect([512, 768] in bars, f"the bars are {bars}")
            page.expect(page.value("document.querySelectorAll('.cm-place-focus').length") == 1, "no mark in the text")
        page.do("document.getElementById('tour-forth').click()")
    moves = [("step-first", 0), ("step-after", 1), ("step-forth", 2), ("step-before", 1)]
    for button, wanted in moves:
        page.do(f"document.getElementById('{button}').click()")
        page.until(f"playground.stepper.isDrawn && playground.stepper.state.time === {wanted}", button)
    page.do("document.getElementById('time').value = 120", "document.getElementById('time').oninput()")
    page.until("playground.stepper.isDrawn && playground.stepper.state.time === 120", "the slider")
    page.do("document.querySelectorAll('#scene .lane')[37].click()")
    page.until("playground.stepper.state.warp === 1 && playground.stepper.state.lane === 5", "a lane that is chosen")
    page.do("document.querySelector('#scene .registers .name').click()")
    page.until("document.querySelectorAll('#scene .registers .cell').length === 32", "the lanes of a register")
    page.do("document.getElementById('step-play').click()")
    page.until("playground.stepper.state.time >= 123", "playing")
    page.do("document.getElementById('step-play').click()")
    page.do("command.value = 'x [tiles_a] 4 f16'", "document.getElementById('watch').click()")
    page.until("[...document.querySelectorAll('#scene pre')].some((one) => /: 1 1 1 1/.test(one.innerText))", "a watch")
    page.do("playground.editor.view.dispatch({ changes: { from: 0, insert: '// ' } })")
    page.until("document.querySelectorAll('#scene .warp').length === 0", "the end of stepping after an edit")
    page.do("playground.show('step')", "begin.click()")
    page.until("document.querySelectorAll('#scene .warp').length === 2", "a launch by hand")
    page.do("playground.run.words = 'zeros:u32:1'", "begin.click()")
    page.until("document.getElementById('scene').innerText.includes('3 parameters')", "why it is not launched")


SCRIPTS = """[document, ...[...document.querySelectorAll('.picture')].map((one) => one.shadowRoot)].flatMap((tree) =>
  [...(tree?.querySelectorAll('script:not([src]), img[src], iframe, [onerror]') ?? [])].map((one) => one.outerHTML))"""
INJECT = """(document.body.insertAdjacentHTML('beforeend', '<i style="top:0"><img src=x onerror="heard.push(`run`)">'),
  document.body.append(Object.assign(document.createElement('script'), { textContent: "window.heard.push('run')" })),
  fetch('https://example.org/').catch(() => window.heard.push('no fetch')), 0)"""


def hostile(page):
    page.open(fragment(HOSTILE))
    page.until("playground.state().findings.length > 0", "findings of a hostile name")
    for name in PANELS:
        page.panel(name)
        page.expect(page.value(SCRIPTS) == [], f"{name}: {page.value(SCRIPTS)} of the text")
    # File names are arbitrary: those in a text, and those of dropped files.
    page.set_text(BAD_NAMES)
    for name in PANELS:
        page.panel(name)
        page.expect(page.value(SCRIPTS) == [], f"{name}: {page.value(SCRIPTS)} of a name of a file")
    page.do("playground.editor.showLine(8)")
    page.until("document.querySelector('.cm-hint')?.innerText.includes('<script>')", "the name of a file, as a hint")
    page.do(f"playground.files.take(new File(['ret;'], {json.dumps(BAD_NAME + '.ptx')}))")
    page.until(f"story.innerText.includes({json.dumps(BAD_NAME)})", "the name of a file that is dropped")
    page.expect(page.value(SCRIPTS) == [], f"{page.value(SCRIPTS)} of a file that is dropped")
    bomb = zlib.compressobj(9, zlib.DEFLATED, -15)
    packed = bomb.compress(b"/" * (256 << 20)) + bomb.flush()
    page.open("#c=" + base64.urlsafe_b64encode(packed).decode().rstrip("="))
    page.until("story.innerText.includes('1 MB')", "a word about a text that is too long")
    page.open("#c=!!!!")
    page.until("story.innerText.includes('no text')", "a word about an address without text")
    deep = HEAD + ".func f()\n" + "{" * 20000 + "}" * 20000
    page.set_text(deep)
    page.expect(page.findings() != [], "nothing is said of 20000 braces")
    page.expect_silence("hostile")


def forbids(page):
    """Tests what the policy forbids: inline scripts and styles, and all requests."""
    policy = page.value("document.querySelector('meta[http-equiv]').content")
    page.expect(policy.startswith("default-src 'none'; ") and "unsafe-inline" not in policy, f"the policy: {policy}")
    page.open()
    page.do(INJECT)
    page.until("window.heard.includes('no fetch')", "a request that is refused")
    heard = page.value("window.heard")
    page.expect("run" not in heard, "a script that was written into the page runs")
    for part in ("script-src", "style-src", "connect-src"):
        page.expect(any(part in one for one in heard), f"{part} is not refused: {heard}")
    page.browser.errors.clear()  # Chromium's messages about the blocked requests


def restarts(page):
    page.open()
    page.until("globalThis.playground?.state().findings.length > 0", "findings of the first example")
    page.do("playground.engine.take({broken: 'a trap', isServer: true})")
    page.until(STATUS + ".includes('started again')", "a word about a restart", 5)
    page.set_text(HOSTILE)
    page.expect(page.findings() != [], "no findings after a restart")


def takes_files(page, source):
    data = base64.b64encode((source / "docs/examples/library.so").read_bytes()).decode()
    page.do(f"playground.files.take(new File([Uint8Array.from(atob('{data}'), (c) => c.charCodeAt(0))], 'library.so'))")
    page.until("document.querySelectorAll('#file button').length > 0", "the list of a library")
    page.do("document.querySelector('#file button').click()")
    page.until("playground.editor.text.includes('.version')", "the PTX of a library")
    page.do("playground.files.take(new File(['int x; // no assembly'], 'a.cu'))")
    page.until("playground.editor.language === 'cuda'", "a source in CUDA")


def keystrokes(page, count=60):
    """Returns median and p95 of the milliseconds from an edit to its findings, in a text of 100 KB."""
    body = "".join(f"  add.s32 %r{1 + at % 8}, %r{at % 7}, {at};\n" for at in range(3600))
    page.set_text(HEAD + ".visible .entry k()\n{\n  .reg .b32 %r<16>;\n" + body + "  ret;\n}\n")
    times = page.after(
        f"""(async () => {{
          const {{ editor }} = playground, times = [], middle = editor.view.state.doc.line(1800).from;
          for (let i = 0; i < {count}; ++i) {{
            const heard = new Promise((done) => playground.engine.listeners.add(function once(message) {{
              if (!message.includes('publishDiagnostics')) return;
              playground.engine.listeners.delete(once);
              setTimeout(done);
            }}));
            const started = performance.now();
            const end = i % 2 ? middle + 1 : middle;
            editor.view.dispatch({{ changes: {{ from: middle, to: end, insert: i % 2 ? '' : 'x' }} }});
            await heard;
            times.push(performance.now() - started);
            await new Promise((done) => setTimeout(done, 80));
          }}
          return times;
        }})()"""
    )
    times.sort()
    return times[len(times) // 2], times[int(len(times) * 0.95)]


def memory(page):
    """Returns the memory of the programs in bytes, for a small text and for a small kernel."""
    page.open("#e=late")
    page.until("document.querySelector('#outcome .differs')", "a number")
    files = "{ 'a.ptx': new TextEncoder().encode(playground.editor.text) }"
    check = f"playground.engine.command(['check', 'a.ptx'], {files})"
    launch = f"engine.command(['run', '--emulate', 'a.ptx', 'fill:u32:4:21', 'zeros:u32:1'], {files})"
    asked = (check, f"playground.run.machine().then((engine) => {launch})")
    return [page.after(f"{one}.then((answer) => answer.memory)") for one in asked]


def phone(page):
    page.browser.screen(390, 800)
    page.open()
    page.until("globalThis.playground?.state().findings.length > 0", "findings on a phone")
    is_wide = "document.documentElement.scrollWidth > innerWidth"
    for name in PANELS:
        page.panel(name)
        page.expect(not page.value(is_wide), f"{name}: wider than a phone")
    page.do("playground.showExample('late')")
    page.until("document.querySelector('#outcome .differs')", "a number on a phone")
    page.expect(not page.value(is_wide), "run: wider than a phone")
    page.do("playground.showExample('pipeline')")
    page.until("document.querySelectorAll('#scene .warp').length", "warps on a phone")
    page.expect(not page.value(is_wide), "step: wider than a phone")
    page.browser.screen(1300, 900)


def screenshots(page, folder):
    folder.mkdir(parents=True, exist_ok=True)
    shots = [
        ("mistakes", ""),
        ("product", "graph"),
        ("copy", ""),
        ("fragments", ""),
        ("tcgen05", ""),
        ("inline", "explain"),
        ("late", "run"),
        ("pipeline", "step"),
    ]
    for width, theme in ((1300, "light"), (1300, "dark"), (390, "light")):
        page.browser.screen(width, 850, theme)
        page.open()
        page.until("globalThis.playground?.state().findings.length > 0", "findings")
        for example, name in shots:
            page.do(f"playground.showExample('{example}')")
            if name == "step":
                page.until("playground.stepper.isDrawn", "a launch")
                page.do("playground.stepper.visit(4)")
            elif name and name != "run":
                page.panel(name)
            time.sleep(1.2)
            page.browser.picture(folder / f"{example}-{width}-{theme}.png")


def in_any_engine(page, source):
    first = opens(page, source)
    page.expect(first < 2000, f"first findings after {first:.0f} ms")
    types(page)
    hovers(page, source)
    panels(page)
    takes_files(page, source)
    number = runs(page)
    steps(page, source)
    page.expect_silence("run and step")
    hostile(page)
    restarts(page)
    forbids(page)
    # Engines are still compiling the program at first.
    middle, most = min((keystrokes(page) for _ in range(3)), key=lambda times: times[1])
    page.expect(most < 50, f"keystroke: p95 is {most:.1f} ms")
    sizes = memory(page)
    page.expect(max(sizes) < 16 << 20, f"{sizes} bytes of memory")
    print(f"first findings {first:.0f} ms, keystroke {middle:.1f} ms, p95 {most:.1f} ms")
    print(f"first number of a kernel {number:.0f} ms; memory {' and '.join(f'{size / 1e6:.1f}' for size in sizes)} MB")


def sizes(folder):
    from gzip import compress

    script = len(compress((folder / "app.js").read_bytes(), 9))
    whole = sum(path.stat().st_size for path in folder.iterdir())
    texts = [(folder / f"ptxray-{name}.wasm.js").read_text("utf-16").split('"')[1] for name in ("page", "machine")]
    page, machine = (2 * (len(text) - 1 - text.count("\1")) - int(text[0]) for text in texts)
    print(f"as gzip: script {script / 1e3:.0f} KB, program {page / 1e6:.2f} MB, emulator {machine / 1e6:.2f} MB")
    print(f"{whole / 1e6:.2f} MB on disk")
    most = {"the script": (script, 180_000), "the program": (page, 1_800_000), "the emulator": (machine, 1_800_000)}
    most["all files"] = (whole, 3_000_000)
    return [f"{name}: {size} bytes, more than {limit}" for name, (size, limit) in most.items() if size > limit]


def main():
    folder, source = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
    program = shutil.which("chromium") or shutil.which("chromium-browser")
    if not program or not (folder / "index.html").exists():
        print("skipped: no chromium, or no page (tools/dev playground makes it)")
        return 1 if {"playground", "all"} & set(os.environ.get("PTXRAY_REQUIRE", "").split(",")) else 77
    problems = sizes(folder)
    with tempfile.TemporaryDirectory() as profile:
        browser = Chromium(program, profile)
        browser.screen(1300, 900)
        page = Page(browser, (folder / "index.html").as_uri())
        if "--screenshots" in sys.argv:
            screenshots(page, pathlib.Path(sys.argv[sys.argv.index("--screenshots") + 1]))
        elif "--smoke" in sys.argv:
            opens(page, source)
            types(page)
        else:
            in_any_engine(page, source)
            phone(page)
        problems += page.problems + browser.errors
        browser.close()
    print("\n".join(problems))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
