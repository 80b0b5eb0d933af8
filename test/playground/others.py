#!/usr/bin/env python3
"""Tests the playground in engines other than Chromium: others.py FOLDER SOURCE-FOLDER

Marionette controls Firefox, and WebDriver controls WebKit under Xvfb. Each repeats the tests of page.py, except for
the width of a phone. The test is skipped (77) without any of them or without the page, unless PTXRAY_REQUIRE names
`playground` or `all`."""

import json
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import typing
import urllib.error
import urllib.request

from page import Page, in_any_engine

CONTROL = "\ue009"


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


class Driven:
    """Provides the common part of both protocols: scripts, and actions of keys and of the mouse."""

    errors: typing.ClassVar = []  # page.py collects the errors itself

    def after(self, promise):
        return self.later(f"const done = arguments[arguments.length - 1]; {promise}.then(done)")

    def keys(self, *steps):
        actions = [{"type": kind, "value": key} for kind, key in steps]
        self.act({"type": "key", "id": "keys", "actions": actions})

    def type(self, text):
        self.keys(*((kind, key) for key in text for kind in ("keyDown", "keyUp")))

    def press_control(self, key):
        self.keys(("keyDown", CONTROL), ("keyDown", key), ("keyUp", key), ("keyUp", CONTROL))

    def move(self, x, y):
        to = {"type": "pointerMove", "x": round(x), "y": round(y), "duration": 0}
        self.act({"type": "pointer", "id": "mouse", "actions": [to]})


class Firefox(Driven):
    """Implements Marionette: `size:[0, number, name, parameters]`, answered by `size:[1, number, error, result]`."""

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
        self.message()  # the first message describes the browser
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

    def act(self, actions):
        self.ask("WebDriver:PerformActions", {"actions": [actions]})

    def close(self):
        self.process.terminate()
        self.process.wait()


class WebKit(Driven):
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
        settings["WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS"] = "1"  # root has no sandbox
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

    def act(self, actions):
        self.ask("POST", f"{self.session}/actions", {"actions": [actions]})

    def close(self):
        for process in (self.process, self.screen):
            process.terminate()
            process.wait()


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
            page = Page(browser, (folder / "index.html").as_uri())
            print(kind.__name__)
            in_any_engine(page, source)
            problems += [f"{kind.__name__}: {problem}" for problem in page.problems]
            browser.close()
    print("\n".join(problems))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
