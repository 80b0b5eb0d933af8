"""Provides a client of `ptxray lsp` for tests. It starts the program, counts requests and answers, and fails on an
unrequested or repeated answer."""

import json
import queue
import subprocess
import threading
import time

LATEST = {
    "general": {"positionEncodings": ["utf-16"]},
    "workspace": {"workspaceEdit": {"documentChanges": True}},
    "textDocument": {
        "publishDiagnostics": {
            "relatedInformation": True,
            "codeDescriptionSupport": True,
            "tagSupport": {"valueSet": [1, 2]},
        },
        "hover": {"contentFormat": ["markdown", "plaintext"]},
        "completion": {
            "completionItem": {
                "snippetSupport": True,
                "documentationFormat": ["markdown"],
                "deprecatedSupport": True,
                "tagSupport": {"valueSet": [1]},
            }
        },
        "signatureHelp": {"signatureInformation": {"parameterInformation": {"labelOffsetSupport": True}}},
        "documentSymbol": {"hierarchicalDocumentSymbolSupport": True},
        "codeAction": {"codeActionLiteralSupport": {"codeActionKind": {"valueSet": ["quickfix"]}}},
        "rename": {"prepareSupport": True},
    },
}


class Failure(Exception):
    pass


def framed(body):
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    return b"Content-Length: %d\r\n\r\n" % len(data) + data


class Client:
    def __init__(self, program, capabilities=None, options=None, start=True, timeout=30, words=()):
        self.process = subprocess.Popen(
            [program, "lsp", *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        self.messages = queue.Queue()
        self.timeout = timeout
        self.waiting, self.answers, self.notifications = set(), {}, []
        self.arrived = 0.0  # arrival time of the last message
        self.next_id = 0
        self.versions = {}
        threading.Thread(target=self._read, daemon=True).start()
        if start:
            self.capabilities = self.request(
                "initialize",
                {
                    "processId": None,
                    "rootUri": None,
                    "capabilities": capabilities or LATEST,
                    "initializationOptions": options,
                },
            )["capabilities"]
            self.notify("initialized", {})

    # ---- the stream

    def _read(self):
        stream = self.process.stdout
        while True:
            length = None
            while (line := stream.readline()) not in (b"\r\n", b""):
                name, _, value = line.partition(b":")
                if name.lower() == b"content-length":
                    length = int(value)
            if length is None:
                self.messages.put(None)
                return
            data = stream.read(length)
            self.arrived = time.perf_counter()
            self.messages.put(json.loads(data))

    def send_raw(self, data):
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def send(self, message):
        self.send_raw(framed(message))

    def notify(self, method, params):
        self.send({"jsonrpc": "2.0", "method": method, "params": params})

    def start_request(self, method, params, id=None):
        if id is None:
            self.next_id += 1
            id = self.next_id
        self.waiting.add(id)
        self.send({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
        return id

    def receive(self):
        """Receives one message of the server and stores it by its kind. Returns None at the end of the stream."""
        try:
            message = self.messages.get(timeout=self.timeout)
        except queue.Empty:
            raise Failure("no answer in time") from None
        if message is None:
            return None
        if message.get("jsonrpc") != "2.0":
            raise Failure(f"no jsonrpc: {message}")
        if "method" in message:
            self.notifications.append(message)
            if "id" in message:  # the message is a request
                self.send({"jsonrpc": "2.0", "id": message["id"], "result": None})
        elif message["id"] is None:
            self.answers.setdefault(None, []).append(message)
        else:
            if message["id"] not in self.waiting:
                raise Failure(f"an answer that nobody waits for: {message}")
            self.waiting.remove(message["id"])
            self.answers[message["id"]] = message
        return message

    def wait(self, id):
        while id not in self.answers:
            if self.receive() is None:
                raise Failure("the server ended")
        return self.answers.pop(id)

    def request(self, method, params):
        answer = self.wait(self.start_request(method, params))
        if "error" in answer:
            raise Failure(f"{method}: {answer['error']}")
        return answer["result"]

    def error(self, method, params):
        answer = self.wait(self.start_request(method, params))
        if "error" not in answer:
            raise Failure(f"{method}: an error expected, not {answer['result']}")
        return answer["error"]["code"]

    def finish(self, status=0):
        """Sends shutdown and exit. No message may remain unread."""
        if status == 0:
            self.request("shutdown", None)
        self.notify("exit", None)
        return self.wait_for_end(status)

    def wait_for_end(self, status):
        while self.receive() is not None:
            pass
        ended = self.process.wait(timeout=self.timeout)
        if ended != status:
            raise Failure(f"exit status {ended}, expected {status}: {self.process.stderr.read().decode()}")
        if self.waiting:
            raise Failure(f"requests without an answer: {self.waiting}")

    # ---- documents

    def open(self, uri, text, language="ptx"):
        self.versions[uri] = 1
        self.notify(
            "textDocument/didOpen",
            {"textDocument": {"uri": uri, "languageId": language, "version": 1, "text": text}},
        )

    def change(self, uri, changes):
        self.versions[uri] += 1
        self.notify(
            "textDocument/didChange",
            {"textDocument": {"uri": uri, "version": self.versions[uri]}, "contentChanges": changes},
        )

    def diagnostics(self, uri):
        """Returns the published findings for the latest version."""
        while True:
            for message in reversed(self.notifications):
                params = message["params"]
                if message["method"] == "textDocument/publishDiagnostics" and params["uri"] == uri:
                    if params.get("version") == self.versions[uri]:
                        return params["diagnostics"]
                    break
            if self.receive() is None:
                raise Failure("the server ended")

    def at(self, method, uri, position, **more):
        return self.request(
            method,
            {
                "textDocument": {"uri": uri},
                "position": {"line": position[0], "character": position[1]},
                **more,
            },
        )
