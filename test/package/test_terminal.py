"""Tests the output that only a terminal shows, progress and summary: test_terminal.py PTXRAY."""

import os
import pathlib
import pty
import subprocess
import sys
import tempfile
import threading
import time

from common import GOOD

binary = pathlib.Path(sys.argv[1]).resolve()


def check(folder, *options, terminal):
    """Returns the text on standard output and on standard error, each of which is a terminal or a pipe."""
    pipe = folder / "a.ptx"
    pipe.unlink(missing_ok=True)
    os.mkfifo(pipe)

    def feed():
        with open(pipe, "w") as out:
            time.sleep(0.7)  # only long runs show progress
            out.write(GOOD)

    feeder = threading.Thread(target=feed)
    feeder.start()
    ends = [pty.openpty() if terminal else os.pipe() for _ in range(2)]
    run = subprocess.Popen(
        [binary, "check", "--jobs=1", *options, "a.ptx", "b.ptx", "c.ptx"],
        cwd=folder,
        stdout=ends[0][1],
        stderr=ends[1][1],
        env={**os.environ, "TERM": "xterm"},
    )
    for _, write in ends:
        os.close(write)
    texts = []
    for read, _ in ends:
        text = b""
        try:
            while chunk := os.read(read, 4096):
                text += chunk
        except OSError:  # a terminal ends with this error
            pass
        os.close(read)
        texts.append(text.decode())
    feeder.join()
    assert run.wait() == 0
    return texts


with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    for file in ("b.ptx", "c.ptx"):
        (folder / file).write_text(GOOD)
    # pty.openpty returns (master, slave). As with a pipe, the test reads the first and the program writes to the
    # second.
    out, err = check(folder, terminal=True)
    assert out == "3 files, no errors\r\n", out
    assert "1 of 3 files, 0 errors" in err and err.endswith("\r\x1b[K"), err
    assert check(folder, "--quiet", terminal=True) == ["", ""]
    assert check(folder, terminal=False) == ["", ""]
    out, err = check(folder, "--format=json", terminal=True)
    assert out.startswith('{"version":1') and out.endswith("]}\r\n")
    (folder / "a.ptx").unlink()
    (folder / "a.ptx").write_text(GOOD.replace("ret;", "add.f23 %f0, %f1, %f2; ret;"))
    for forced, count in (("1", 2), ("0", 0)):
        done = subprocess.run(
            [binary, "check", "--color=always", "a.ptx"],
            cwd=folder,
            capture_output=True,
            text=True,
            env={**os.environ, "TERM": "xterm", "FORCE_HYPERLINK": forced},
        )
        assert done.stdout.count("\x1b]8;;") == count, done.stdout
        assert count == 0 or "\x1b]8;;https://docs.nvidia.com/cuda/parallel-thread-execution/" in done.stdout
print("progress and summary go to terminals alone")
