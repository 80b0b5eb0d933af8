"""Provides a client of the Debug Adapter Protocol for tests."""

import base64
import json
import subprocess


class Failed(Exception):
    """Reports a rejected request, with the reason as its text."""


class Client:
    """Runs `ptxray dap` and communicates with it. Events are kept until a test waits for them."""

    def __init__(self, ptxray, folder=None):
        self.process = subprocess.Popen(
            [ptxray, "dap"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=folder
        )
        self.number = 0
        self.events = []

    def send_bytes(self, data):
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def send(self, command, arguments=None):
        self.number += 1
        message = {"seq": self.number, "type": "request", "command": command}
        if arguments is not None:
            message["arguments"] = arguments
        body = json.dumps(message).encode()
        self.send_bytes(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        return self.number

    def read(self):
        length = None
        while True:
            line = self.process.stdout.readline()
            if not line:
                raise EOFError(self.process.stderr.read().decode())
            if line == b"\r\n":
                break
            name, value = line.split(b":")
            assert name == b"Content-Length", line
            length = int(value)
        return json.loads(self.process.stdout.read(length))

    def ask(self, command, **arguments):
        """Sends a request and returns the body of the answer."""
        number = self.send(command, arguments)
        while True:
            message = self.read()
            if message["type"] == "event":
                self.events.append(message)
                continue
            assert message["request_seq"] == number and message["command"] == command, message
            if not message["success"]:
                raise Failed(message["message"])
            return message.get("body")

    def wait(self, name):
        """Returns the body of the next event with that name, and drops other events before it."""
        while True:
            event = self.events.pop(0) if self.events else self.read()
            if event["type"] == "event" and event["event"] == name:
                return event.get("body")

    def launch(self, program, *words, stop=True, lines=(), **more):
        self.ask("initialize", adapterID="ptxray", linesStartAt1=True)
        self.ask("launch", program=str(program), args=list(words), stopOnEntry=stop, **more)
        self.wait("initialized")
        if lines:
            self.ask("setBreakpoints", source={"path": str(program)}, breakpoints=[{"line": line} for line in lines])
        self.ask("configurationDone")

    def move(self, command, thread=1):
        """Moves, and returns the `stopped` event, or None if the kernel has ended."""
        self.ask(command, threadId=thread)
        while True:
            event = self.events.pop(0) if self.events else self.read()
            if event.get("event") == "stopped":
                return event["body"]
            if event.get("event") == "terminated":
                return None

    def top(self, thread=1):
        return self.ask("stackTrace", threadId=thread)["stackFrames"][0]

    def variables(self, scope):
        """Returns the variables of a scope by name."""
        frame = self.top()
        for one in self.ask("scopes", frameId=frame["id"])["scopes"]:
            if one["name"].startswith(scope):
                return self.ask("variables", variablesReference=one["variablesReference"])["variables"]
        raise KeyError(scope)

    def memory(self, reference, count):
        return base64.b64decode(self.ask("readMemory", memoryReference=reference, count=count)["data"])

    def end(self):
        """Ends the process in any case."""
        self.process.kill()
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            pipe.close()

    def close(self):
        """Returns the exit status after a regular end."""
        self.ask("disconnect")
        self.process.stdin.close()
        return self.process.wait(timeout=20)
