#!/usr/bin/env python3
"""The playground in other engines than Chromium's: others.py FOLDER SOURCE-FOLDER

Firefox by its Marionette, WebKit by its WebDriver under Xvfb: each opens the page by an address with a text, counts
marks, shows every panel of two examples, and types. Skipped (77) without any of them or without the page, unless
PTXRAY_REQUIRE names `playground` or `all`."""

import json
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

from page import PANELS, fragment

KEYSTROKES = """
  const done = arguments[arguments.length - 1], { editor, engine } = playground, times = [];
  const middle = editor.view.state.doc.line(3).from;
  (async () => {
    for (let i = 0; i < 30; ++i) {
      const heard = new Promise((next) => engine.listeners.add(function once(message) {
        if (!message.includes('publishDiagnostics')) return;
        engine.listeners.delete(once);
        next();
      }));
      const started = performance.now();
      editor.view.dispatch({ changes: i % 2 ? { from: middle, to: middle + 1 } : { from: middle, insert: 'x' } });
      await heard;
      times.push(performance.now() - started);
      await new Promise((next) => setTimeout(next, 60));
    }
    done(times.sort((one, other) => one - other));
  })();
"""


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


class Firefox:
    """Marionette: `size:[0, number, name, parameters]`, answered by `size:[1, number, error, result]`"""

    def __init__(self, folder):
        self.port, self.number = free_port(), 0
        (folder / "user.js").write_text(f'user_pref("marionette.port", {self.port});\n')
        words = ["firefox-esr", "--headless", "--no-remote", "--marionette", "--profile", str(folder), "about:blank"]
        self.process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for _ in range(300):
            try:
                self.socket = socket.create_connection(("127.0.0.1", self.port), timeout=60)
                break
            except OSError:
                time.sleep(0.1)
        self.rest = b""
        self.message()  # it says what it is
        self.ask("WebDriver:NewSession", {"capabilities": {"alwaysMatch": {"acceptInsecureCerts": True}}})
        self.ask("WebDriver:SetTimeouts", {"script": 60000})

    def message(self):
        while b":" not in self.rest:
            self.rest += self.socket.recv(1 << 16)
        size, self.rest = self.rest.split(b":", 1)
        while len(self.rest) < int(size):
            self.rest += self.socket.recv(1 << 16)
        one, self.rest = self.rest[: int(size)], self.rest[int(size) :]
        return json.loads(one)

    def ask(self, name, parameters):
        self.number += 1
        body = json.dumps([0, self.number, name, parameters]).encode()
        self.socket.sendall(b"%d:%s" % (len(body), body))
        _, _, error, result = self.message()
        if error:
            raise SystemExit(f"{name}: {error}")
        return result.get("value") if isinstance(result, dict) else result

    def open(self, address):
        self.ask("WebDriver:Navigate", {"url": address})

    def value(self, script):
        return self.ask("WebDriver:ExecuteScript", {"script": f"return {script}", "args": []})

    def later(self, script):
        return self.ask("WebDriver:ExecuteAsyncScript", {"script": script, "args": []})

    def close(self):
        self.process.terminate()
        self.process.wait()


class WebKit:
    BROWSERS = (
        "/usr/lib/x86_64-linux-gnu/webkit2gtk-4.1/MiniBrowser",
        "/usr/lib/x86_64-linux-gnu/webkit2gtk-4.0/MiniBrowser",
    )

    def __init__(self, folder):
        self.port = free_port()
        display = f":{90 + os.getpid() % 9000}"
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        self.screen = subprocess.Popen(["Xvfb", display, "-screen", "0", "1400x1000x24"], **quiet)
        settings = {"DISPLAY": display, "LIBGL_ALWAYS_SOFTWARE": "1", "WEBKIT_DISABLE_COMPOSITING_MODE": "1"}
        settings["WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS"] = "1"  # it has none for root
        self.process = subprocess.Popen(
            ["WebKitWebDriver", f"--port={self.port}"], env={**os.environ, **settings}, **quiet
        )
        time.sleep(2)
        browser = next(path for path in self.BROWSERS if pathlib.Path(path).exists())
        options = {"binary": browser, "args": ["--automation"]}
        made = self.ask("POST", "/session", {"capabilities": {"alwaysMatch": {"webkitgtk:browserOptions": options}}})
        self.session = f"/session/{made['sessionId']}"
        self.ask("POST", f"{self.session}/timeouts", {"script": 60000})

    def ask(self, method, path, body=None):
        data = json.dumps(body).encode() if body is not None else None
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}{path}", method=method, data=data)
        request.add_header("Content-Type", "application/json")
        try:
            return json.load(urllib.request.urlopen(request, timeout=90))["value"]
        except urllib.error.HTTPError as error:
            raise SystemExit(f"{path}: {error.read().decode()[:400]}") from None

    def open(self, address):
        self.ask("POST", f"{self.session}/url", {"url": address})

    def value(self, script):
        return self.ask("POST", f"{self.session}/execute/sync", {"script": f"return {script}", "args": []})

    def later(self, script):
        return self.ask("POST", f"{self.session}/execute/async", {"script": script, "args": []})

    def close(self):
        for process in (self.process, self.screen):
            process.terminate()
            process.wait()


def until(browser, script, seconds=30):
    end = time.time() + seconds
    while time.time() < end:
        if found := browser.value(script):
            return found
        time.sleep(0.1)
    return None


def problems_of(browser, name, address, source):
    text = (source / "docs/examples/mistakes.ptx").read_text()
    browser.open(address + fragment(text))
    if not until(browser, "globalThis.playground && playground.state().findings.length > 0"):
        yield f"{name}: no findings; {browser.value('document.body.innerText')[:300]}"
        return
    first = browser.value("performance.now()")
    if not until(browser, "document.querySelectorAll('.cm-lintRange').length > 4"):
        yield f"{name}: no marks"
    if browser.value("getComputedStyle(document.querySelector('.cm-editor')).display") != "flex":
        yield f"{name}: the editor has no style"
    for example in ("product", "fragments"):
        browser.value(f"playground.showExample('{example}')")
        for panel in PANELS:
            browser.value(f"(document.getElementById('{panel}').dataset.turn = '', playground.show('{panel}'), 1)")
            shown = f"document.getElementById('{panel}')"
            picture = f"{shown}.querySelector('.picture')"
            if not until(browser, f"{picture}?.shadowRoot?.querySelector('svg') ? 1 : {shown}.innerText.length", 10):
                yield f"{name}: {example}: the panel {panel} is empty"
    for example, shown in (("late", "#outcome .differs"), ("pipeline", "#scene .warp")):
        browser.value(f"(playground.showExample('{example}'), 1)")
        if not until(browser, f"document.querySelectorAll('{shown}').length"):
            yield f"{name}: {example}: {browser.value('document.body.innerText')[:900]}"
    times = browser.later(KEYSTROKES)
    print(f"{name}: first findings {first:.0f} ms, keystroke {times[len(times) // 2]:.1f} ms, most {times[-1]:.1f} ms")


def main():
    folder, source = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
    kinds = [(Firefox, "firefox-esr"), (WebKit, "WebKitWebDriver")]
    there = [kind for kind, program in kinds if shutil.which(program)]
    required = bool({"playground", "all"} & set(os.environ.get("PTXRAY_REQUIRE", "").split(",")))
    if not (folder / "index.html").exists() or not there or (required and len(there) < len(kinds)):
        print("skipped: no page (tools/dev playground makes it), no firefox-esr or no webkit2gtk-driver")
        return 1 if required else 77
    problems = []
    for kind in there:
        with tempfile.TemporaryDirectory() as profile:
            browser = kind(pathlib.Path(profile))
            problems += problems_of(browser, kind.__name__, (folder / "index.html").as_uri(), source)
            browser.close()
    print("\n".join(problems))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
