"""Sends messages between processes of the judge: JSON, and bytes to which it refers by their order."""

import json
import os
import select
import struct
import time
import typing

_HEAD = struct.Struct("<II")  # number of bytes of the JSON, and number of blobs
_LONGEST = 1 << 30


class Closed(Exception):
    """Reports that the other process has ended, or sent an invalid message."""


class Late(Exception):
    """Reports that the other process has not answered in time."""


class Channel:
    """Represents two pipes to another process."""

    def __init__(self, source: int, target: int) -> None:
        self._source, self._target = source, target

    def send(self, message: dict[str, typing.Any], blobs: typing.Sequence[bytes] = ()) -> None:
        text = json.dumps(message).encode()
        parts = [_HEAD.pack(len(text), len(blobs)), *[struct.pack("<Q", len(blob)) for blob in blobs], text, *blobs]
        data = memoryview(b"".join(parts))
        try:
            while data:
                data = data[os.write(self._target, data) :]
        except OSError:
            raise Closed("the process has ended") from None

    def receive(self, seconds: typing.Optional[float] = None) -> tuple[dict[str, typing.Any], list[bytes]]:
        """Waits for a message. Raises Late after that number of seconds, and Closed."""
        until = None if seconds is None else time.monotonic() + seconds
        length, count = _HEAD.unpack(self._read(_HEAD.size, until))
        if length > _LONGEST or count > 10_000:
            raise Closed("the process sends no messages")
        sizes = struct.unpack(f"<{count}Q", self._read(8 * count, until))
        if sum(sizes) > _LONGEST:
            raise Closed("the process sends too much")
        message = json.loads(self._read(length, until))
        return message, [self._read(size, until) for size in sizes]

    def _read(self, size: int, until: typing.Optional[float]) -> bytes:
        parts = []
        while size:
            if until is not None:
                left = until - time.monotonic()
                if left <= 0 or not select.select([self._source], [], [], left)[0]:
                    raise Late("the process has not answered in its time")
            part = os.read(self._source, min(size, 1 << 20))
            if not part:
                raise Closed("the process has ended")
            parts.append(part)
            size -= len(part)
        return b"".join(parts)
