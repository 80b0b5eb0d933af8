#!/usr/bin/env python3
"""Tests the site in a browser: chromium.py PTXRAY SOURCE-FOLDER OUTPUT [--screenshots FOLDER]

Headless Chromium loads every page from its file without an error on the console, the search finds `wgmma`, and no
element is wider than the screen of a phone. Skipped (77) without a program chromium, unless PTXRAY_REQUIRE names
`chromium` or `all`."""

import base64
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import build


class Browser:
    """Implements Chromium's debugging protocol over two pipes. Messages end with a NUL."""

    def __init__(self, program, profile):
        self.to_browser, self.from_browser = os.pipe(), os.pipe()
        words = [program, "--headless=new", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe"]
        words += [f"--user-data-dir={profile}", "--allow-file-access-from-files", "about:blank"]

        read, write = self.to_browser[0], self.from_browser[1]
        shell = ["sh", "-c", f'exec "$@" 3<&{read} 4>&{write}', "sh", *words]
        silent = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        self.process = subprocess.Popen(shell, pass_fds=(read, write), **silent)
        os.close(self.to_browser[0])
        os.close(self.from_browser[1])
        self.rest, self.number, self.session = b"", 0, None
        self.errors = []
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self.ask(f"{domain}.enable")

    def message(self):
        while b"\0" not in self.rest:
            part = os.read(self.from_browser[0], 1 << 16)
            if not part:
                raise SystemExit("the browser is gone")
            self.rest += part
        one, self.rest = self.rest.split(b"\0", 1)
        return json.loads(one)

    def heed(self, message):
        kind, what = message.get("method"), message.get("params", {})
        if kind == "Runtime.exceptionThrown" or (kind == "Log.entryAdded" and what["entry"]["level"] == "error"):
            self.errors.append(json.dumps(what)[:400])
        if kind == "Runtime.consoleAPICalled" and what["type"] in ("error", "warning"):
            self.errors.append(json.dumps(what)[:400])

    def ask(self, method, **params):
        self.number += 1
        request = {"id": self.number, "method": method, "params": params}
        if self.session:
            request["sessionId"] = self.session
        os.write(self.to_browser[1], json.dumps(request).encode() + b"\0")
        while True:
            message = self.message()
            self.heed(message)
            if message.get("id") == self.number:
                if "error" in message:
                    raise SystemExit(f"{method}: {message['error']}")
                return message["result"]

    def open(self, url):
        self.ask("Page.navigate", url=url)
        while True:
            message = self.message()
            self.heed(message)
            if message.get("method") == "Page.loadEventFired":
                return

    def value(self, script):
        return self.ask("Runtime.evaluate", expression=script, returnByValue=True)["result"].get("value")

    def screen(self, width, height, theme="light"):
        self.ask(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 600
        )
        self.ask("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": theme}])

    def picture(self, path):
        data = self.ask("Page.captureScreenshot", format="png")["data"]
        pathlib.Path(path).write_bytes(base64.b64decode(data))


def screenshots(browser, site, folder):
    folder.mkdir(parents=True, exist_ok=True)
    for name in ("index", "instructions/cp.async.bulk.tensor", "instructions/add", "rules/index", "layouts"):
        for width, theme in ((1200, "light"), (1200, "dark"), (390, "light")):
            browser.screen(width, 900, theme)
            browser.open((site / f"{name}.html").as_uri())
            browser.picture(folder / f"{name.replace('/', '-')}-{width}-{theme}.png")


def problems_of(browser, site):
    browser.screen(390, 800)
    pages = sorted(site.rglob("*.html"))
    for path in pages:
        browser.open(path.as_uri())
        name = path.relative_to(site)
        if not browser.value("document.querySelector('h1') !== null"):
            yield f"{name}: no heading"
        if browser.value("document.documentElement.scrollWidth > innerWidth"):
            yield f"{name}: wider than a phone"
        yield from (f"{name}: {error}" for error in browser.errors)
        browser.errors.clear()
    browser.open((site / "search.html").as_uri() + "?q=wgmma")
    found = browser.value("[...document.querySelectorAll('#results a')].map((link) => link.getAttribute('href'))")
    if "instructions/wgmma.mma_async.html" not in (found or []):
        yield f"search: {found}"
    print(f"{len(pages)} pages, wgmma on {len(found or [])}")


def main():
    ptxray, source = sys.argv[1:3]
    site = pathlib.Path(sys.argv[3]).resolve()
    program = shutil.which("chromium") or shutil.which("chromium-browser")
    if not program:
        print("skipped: no chromium")
        return 1 if {"chromium", "all"} & set(os.environ.get("PTXRAY_REQUIRE", "").split(",")) else 77
    sys.argv = [sys.argv[0], ptxray, source, str(site), *sys.argv[4:]]
    if (status := build.main()) != 0:
        return status
    with tempfile.TemporaryDirectory() as profile:
        browser = Browser(program, profile)
        if "--screenshots" in sys.argv:
            screenshots(browser, site, pathlib.Path(sys.argv[-1]))
            problems = []
        else:
            problems = list(problems_of(browser, site))
        browser.process.kill()
        browser.process.wait()
    print("\n".join(problems))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
