#!/usr/bin/env python3
"""Compares the results of generated programs on the emulator, and on a GPU at each optimisation level. A result that
differs from all others is wrong.

    hunt.py run FOLDER [--first N] [--count N] [--seconds S] [--jobs N] [--ptxray PATH] [--ptxas PATH]
    hunt.py judge FILE               prints the results of one program
    hunt.py reduce FOLDER            reduces each found program and keeps its verdict
    hunt.py file FOLDER --file TO    writes each fault once: its smallest program, and the command that shows it
    hunt.py bundle FOLDER            packs everything that another machine needs to run this

A campaign continues where it was stopped. FOLDER/done.txt has a line for each program. FOLDER/found contains the
programs that are rejected or whose results differ, with the positions of the differences. suspects.txt contains the
instructions that only occur in such programs. With `--file TO`, a campaign ends with `reduce` and `file`. With
`--ray`, the machines of a Ray cluster share it. On a machine without a GPU, only the emulator runs programs, with
several schedules, and ptxas compiles them. A verdict groups the levels that agree: `emulator -O0 | -O1 -O2 -O3`."""

import argparse
import collections
import lzma
import multiprocessing.pool
import os
import pathlib
import pickle
import queue
import re
import select
import shutil
import socketserver
import subprocess
import sys
import tarfile
import tempfile
import threading
import time

import cuda

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1] if HERE.name == "device" else HERE
TARGET = "sm_90a"
PACKED = "tools.tar.xz"
LAUNCH = "--grid={blocks} --block={threads} edges:u64:{words}:1 zeros:u64:{words}"
LAUNCH_SECONDS = 10  # time limit of a launch; the driver ends it with its process
SHOWN = 12  # maximum number of differences that are shown for a program
# Programs use these families in turn, so that each kind of step is also tested without other steps around it.
FAMILIES = (
    "compute,memory,atomics,warp,barriers,matrices,control",
    "compute,control",
    "compute",
    "compute,memory,control",
    "compute,memory,atomics,warp,barriers,control",
    "compute,warp,matrices",
)

# docs/found.md lists these bugs of ptxas. Programs avoid them, so that other bugs are found.
KNOWN = ",".join(
    (
        "@testp*,@set.*,@vadd4.*,@vsub4.*,cvt.pack.*",  # wrong code
        "red*.m??.noftz*.v?.bf16,atom*.m??.noftz*.v?.bf16,@setp.eq.*.b*,@setp.ne.*.b*",  # a signal ends ptxas
        "cvt.rna.*tf32.*",  # ptxas rejects a 64-bit constant
    )
)


class NoAnswer(Exception):
    """Reports who gave no answer, and why."""


# -------------------------------------------------------------------------------------------- launches


class Launcher:
    """A separate process that launches kernels: after a fault, the driver cannot be used any more."""

    def __init__(self):
        self.process = None
        self.is_there = self.ask(None) is True

    def ask(self, request):
        if self.process is None:
            command = [sys.executable, __file__, "serve", "."]
            self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        try:
            pickle.dump(request, self.process.stdin)
            self.process.stdin.flush()
            if not select.select([self.process.stdout], [], [], LAUNCH_SECONDS)[0]:
                return "the launch does not end"
            return pickle.load(self.process.stdout)
        except (OSError, EOFError):
            return "the launcher has ended"

    def launch(self, *request):
        """Returns the contents of the second buffer after the kernel."""
        answer = self.ask(request)
        if isinstance(answer, bytes):
            return answer
        self.process.kill()
        self.process.wait()
        self.process = None
        raise NoAnswer(f"GPU: {answer}")


def serve(_):
    """Answers each launch with the resulting contents, or with a text that describes the failure."""
    try:
        gpu = cuda.Gpu()
    except (OSError, RuntimeError):
        gpu = None
    given = left = None
    size = 0
    while True:
        try:
            request = pickle.load(sys.stdin.buffer)
        except EOFError:
            return
        answer = gpu is not None
        if request:
            cubin, kernel, grid, block, data = request
            try:
                if size < len(data):
                    given, left, size = gpu.allocate(len(data)), gpu.allocate(len(data)), len(data)
                gpu.write(given, data)
                gpu.clear(left, len(data))
                gpu.launch(cubin, kernel, grid, block, [given, left])
                answer = gpu.read(left, len(data))
            except RuntimeError as problem:
                answer = str(problem)
        pickle.dump(answer, sys.stdout.buffer)
        sys.stdout.buffer.flush()


def launch_in(text):
    """Returns the launch from the second line of a program."""
    return re.search(r"(?m)^// run: (.*)$", text)[1]


def sizes_of(launch):
    """Returns the sizes that LAUNCH has in braces, by name."""
    numbers = re.match(r"--grid=(\d+) --block=(\d+) edges:u64:(\d+):1 ", launch).groups()
    return dict(zip(("blocks", "threads", "words"), map(int, numbers)))


# --------------------------------------------------------------------------------------------- answers


class Tools:
    def __init__(self, options):
        self.options, self.launcher = options, None

    def has_gpu(self):
        self.launcher = self.launcher or Launcher()
        return self.launcher.is_there

    def run(self, who, *command, seconds=120):
        try:
            ran = subprocess.run(
                [str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=seconds
            )
        except subprocess.TimeoutExpired:
            raise NoAnswer(f"{who} does not end") from None
        text = ran.stdout.decode(errors="replace")
        if ran.returncode != 0:
            raise NoAnswer(f"{who} ends with {ran.returncode}: {text[:2000]}")
        return text

    def generated(self, seed):
        asked = self.options
        size = asked.size or 20 + seed * 7 % 160
        words = [f"--seed={seed}", f"--size={size}", f"--target={TARGET}", f"--blocks={asked.blocks}"]
        words.append(f"--guards={asked.guards}")
        words.append(f"--families={asked.families or FAMILIES[seed % len(FAMILIES)]}")
        words.append(f"--except={KNOWN}" + (f",{asked.without}" if asked.without else ""))
        return self.run("the generator", asked.ptxray, "generate", *words)

    def emulated(self, path, launch, folder, schedule):
        """Returns the contents of a program's first buffer, and the contents of the second one after the run."""
        outs = [f"--out=0=file:{folder / 'given'}", f"--out=1=file:{folder / 'left'}"]
        words = ["run", "--emulate", "--no-config", "--cores=1", f"--schedule={schedule}", *outs]
        words.append("--unwritten=" + ("0x5a" if schedule == "eager" else "0xa5"))  # contents of uninitialised memory
        if said := self.run("emulator", self.options.ptxray, *words, path, *launch.split()):
            raise NoAnswer(f"emulator says {said[:2000]}")
        return (folder / "given").read_bytes(), (folder / "left").read_bytes()

    def answers(self, path, launch, levels):
        """Returns the resulting memory of each run, the emulator first."""
        with tempfile.TemporaryDirectory(dir="/dev/shm" if os.path.isdir("/dev/shm") else None) as name:
            folder, text = pathlib.Path(name), path.read_text()
            given, left = self.emulated(path, launch, folder, "eager")
            if self.options.schedules and self.emulated(path, launch, folder, "7")[1] != left:
                raise NoAnswer("emulator: its answers depend on the schedule")
            answers, built = {"emulator": left}, {}
            for level in levels:
                self.run(f"ptxas {level}", self.options.ptxas, f"-arch={TARGET}", level, path, "-o", folder / "cubin")
                built[level] = (folder / "cubin").read_bytes()
            if not self.has_gpu():
                return answers
            kernel, sizes = re.search(r"\.entry\s+([\w$]+)", text)[1], sizes_of(launch)
            for level, cubin in built.items():
                try:
                    answers[level] = self.launcher.launch(cubin, kernel, sizes["blocks"], sizes["threads"], given)
                except NoAnswer as problem:
                    raise NoAnswer(f"{level}: {problem}") from None
            return answers

    def verdict(self, path, launch=None, levels=None):
        """Returns who agrees, or who gave no answer, and where the answers differ."""
        try:
            answers = self.answers(
                path, launch or launch_in(path.read_text()), levels or self.options.levels.split(",")
            )
        except NoAnswer as problem:
            return re.sub(r"\s+", " ", str(problem)), ""
        groups = {}
        for who, answer in answers.items():
            groups.setdefault(answer, []).append(who)
        verdict = " | ".join(" ".join(group) for group in groups.values())
        return verdict, differences(path.read_text(), answers) if len(groups) > 1 else ""


def agreed(verdict):
    return re.fullmatch(r"emulator( -O\d)*", verdict) is not None


def places_of(text):
    """Returns the offsets of a thread in the buffers, and the contents of every eight bytes."""
    kernel = text[text.find(".entry") :]
    families = re.findall(r"\.reg \.\w+ (%[a-z]+)<(\d+)>;", kernel[: kernel.find("%flag")])
    names = [f"{prefix}{i}" for prefix, count in families for i in range(int(count))]
    names += [f"{space}+{at}" for space in ("global", "shared", "local") for at in range(0, 64, 8)]
    return 8 * len(names), names


def differences(text, answers):
    """Returns lines that name a thread, a register or a position in memory, and the value of each result. There are
    two lines for each position."""
    size, names = places_of(text)
    lines, seen = [], collections.Counter()
    first = answers["emulator"]
    for at in range(0, len(first), 8):
        if len({answer[at : at + 8] for answer in answers.values()}) == 1:
            continue
        name = names[at % size // 8] if at < len(first) // size * size else f"cell+{at % size}"
        seen[name] += 1
        if seen[name] <= 2:
            shown = ", ".join(f"{who} {answer[at : at + 8][::-1].hex()}" for who, answer in answers.items())
            lines.append(f"thread {at // size} {name}: {shown}")
        if len(lines) == SHOWN:
            break
    return "\n".join(lines)


def opcodes_of(text):
    """Returns the opcodes, with `@` before those that have a guard."""
    return {("@" if guard else "") + one for guard, one in re.findall(r"(?m)^ +(@!?%\w+ )?([a-z][\w.:]*)[ ;]", text)}


# ------------------------------------------------------------------------------------------- campaigns


class Worker:
    """Holds the tools of one process of a campaign."""

    tools = None


def begin_worker(options):
    Worker.tools = Tools(options)


def work(seed):
    """Returns the seed, its lanes, the verdict, the program, and the positions of the differences. Returns None when
    the time is over."""
    tools = Worker.tools
    if time.time() > tools.options.until:
        return None
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "program.ptx"
        try:
            text = tools.generated(seed)
        except NoAnswer as problem:
            return seed, 0, str(problem), "", ""
        path.write_text(text)
        sizes = sizes_of(launch_in(text))
        verdict, where = tools.verdict(path)
        return seed, sizes["blocks"] * sizes["threads"], verdict, text, where


class Tally:
    """Counts the results of a campaign so far."""

    def __init__(self, folder, wanted):
        self.folder, self.wanted = folder, wanted
        self.programs = self.lanes = self.found = 0
        self.begin = self.shown = time.time()
        self.verdicts, self.good, self.bad = collections.Counter(), set(), collections.Counter()

    def add(self, seed, lanes, verdict, text, where):
        self.programs, self.lanes = self.programs + 1, self.lanes + lanes
        self.verdicts[re.sub(r"\S*/", "", verdict)[:100]] += 1
        if agreed(verdict):
            self.good |= opcodes_of(text)
            return
        self.found += 1
        self.bad.update(opcodes_of(text))
        (self.folder / "found" / f"{seed}.ptx").write_text(text)
        (self.folder / "found" / f"{seed}.txt").write_text(f"{verdict}\n{where}\n")

    def show(self):
        is_terminal = sys.stderr.isatty()
        if time.time() - self.shown < (1 if is_terminal else 60):
            return
        self.shown = time.time()
        seconds = self.shown - self.begin
        line = f"{self.programs} of {self.wanted} programs, {self.lanes} lanes, {self.found} found, {seconds:.0f} s"
        print(f"\r\033[K{line}" if is_terminal else line, end="" if is_terminal else "\n", file=sys.stderr, flush=True)

    def end(self):
        print(f"{self.programs} programs, {self.lanes} lanes each level, {time.time() - self.begin:.0f} s")
        for verdict, many in self.verdicts.most_common(40):
            print(f"{many:8} {verdict}")
        suspects = sorted(((many, one) for one, many in self.bad.items() if one not in self.good), reverse=True)
        (self.folder / "suspects.txt").write_text("".join(f"{many} {one}\n" for many, one in suspects))


def done_before(path):
    return {int(line.split()[0]) for line in path.read_text().splitlines()} if path.exists() else set()


def spread(options, seeds):
    """Returns the results in any order, from processes of this machine or from the machines of a cluster."""
    if options.ray is None:
        with multiprocessing.Pool(options.jobs, begin_worker, [options]) as pool:
            yield from pool.imap_unordered(work, seeds)
        return
    import hunt_ray

    with tempfile.TemporaryDirectory() as folder:
        bundle(argparse.Namespace(**{**vars(options), "folder": pathlib.Path(folder)}))
        yield from hunt_ray.results(options, seeds, folder)


def run(options):
    folder = options.folder
    (folder / "found").mkdir(parents=True, exist_ok=True)
    done = done_before(folder / "done.txt")
    seeds = [seed for seed in range(options.first, options.first + options.count) if seed not in done]
    tally = Tally(folder, len(seeds))
    with (folder / "done.txt").open("a") as log:
        for result in spread(options, seeds):
            if result is None:
                continue
            print(*result[:3], file=log, flush=True)
            tally.add(*result)
            tally.show()
    tally.end()
    if options.file:
        reduce(options)
        file(options)
    sys.exit(1 if tally.found else 0)


def judge(options):
    print("\n".join(Tools(options).verdict(options.folder)))


# ---------------------------------------------------------------------------------------- reductions

# This is the test of a reduction. It asks the campaign, which already has its tools and GPU contexts.
ASK = (
    "import socket, sys; s = socket.socket(socket.AF_UNIX); s.connect(sys.argv[1]); "
    r"s.sendall('\n'.join(sys.argv[2:]).encode()); s.shutdown(1); sys.exit(s.recv(1) != b'1')"
)


class Judges(socketserver.ThreadingUnixStreamServer):
    """Answers whether a program, launched in this way, has this verdict at these levels, with one line for each
    program."""

    daemon_threads, request_queue_size = True, 128

    def __init__(self, options, address):
        self.address, self.idle = str(address), queue.Queue()
        for _ in range(options.jobs):
            self.idle.put(Tools(options))
        super().__init__(self.address, None)

    def finish_request(self, request, client_address):
        with request, request.makefile("rb") as lines:
            path, launch, levels, verdict = lines.read().decode().split("\n")
            tools = self.idle.get()
            try:
                is_kept = tools.verdict(pathlib.Path(path), launch, levels.split(","))[0] == verdict
            finally:
                self.idle.put(tools)
            request.sendall(b"1" if is_kept else b"0")


def shortened(verdict):
    """Returns the verdict with one of the levels that agree: `emulator -O0 | -O1 -O2 -O3` becomes `emulator -O0 |
    -O3`."""
    return " | ".join(re.sub(r"(-O\d )+(?=-O\d)", "", group) for group in verdict.split(" | "))


def reduction(options, judges, verdict, text):
    """Returns the words of `ptxray reduce` that preserve the finding of a program, or None if there are none."""
    launch = launch_in(text)
    if ended := re.match(r"ptxas (-O\d) ends with -\d", verdict):
        return ["--ptxas-crash", f"--ptxas={options.ptxas}", "--", ended[1]]
    if said := re.match(r"ptxas (-O\d) ends with.*?\b(?:error|fatal) *: (.*?)( ptxas |$)", verdict):
        return [f"--ptxas-says={said[2]}", f"--ptxas={options.ptxas}", "--", said[1]]
    if said := re.match(r"emulator.*\[(run-[a-z-]+)\]", verdict):
        return [f"--keep-finding={said[1]}", "--", *launch.split()]
    if "|" in verdict:
        verdict = shortened(verdict)
        levels = ",".join(re.findall(r"-O\d", verdict))
    elif "depend on the schedule" in verdict:
        levels = "-O3"
    elif ended := re.match(r"(-O\d): GPU", verdict):
        levels = ended[1]
    else:
        return None
    sizes = [f"--size={name}={value}" for name, value in sizes_of(launch).items()]
    asked = [sys.executable, "-I", "-S", "-c", ASK, judges.address, "{}", LAUNCH, levels, verdict]
    return [*sizes, "--", *asked]


def reduce(options):
    """Reduces all found programs at the same time."""
    until, found = time.time() + options.reduce_seconds, []
    for path in sorted((options.folder / "found").glob("*.txt")):
        program, small = path.with_suffix(".ptx"), path.with_suffix(".small.ptx")
        if program.stat().st_size and not small.exists():
            found.append((path.read_text().split("\n")[0], program, small))
    jobs = max(1, 2 * options.jobs // max(1, len(found)))
    with tempfile.TemporaryDirectory() as folder, Judges(options, pathlib.Path(folder) / "judges") as judges:
        threading.Thread(target=judges.serve_forever, daemon=True).start()

        def make_smaller(one):
            verdict, program, small = one
            words, seconds = reduction(options, judges, verdict, program.read_text()), until - time.time()
            if words is None or seconds < 1:
                return
            limit = f"--time-limit={seconds:.0f}"
            command = [options.ptxray, "reduce", f"--jobs={jobs}", limit, program, "-o", small, *words]
            subprocess.run([str(word) for word in command])

        with multiprocessing.pool.ThreadPool(2 * options.jobs) as pool:
            pool.map(make_smaller, found, chunksize=1)
        judges.shutdown()


# ------------------------------------------------------------------------------------------- reports


def launch_after(small, launch):
    """Returns the launch of a reduced program, whose first line contains the remaining sizes."""
    if small.startswith("// sizes: "):
        return LAUNCH.format(**dict(re.findall(r"(\w+)=(\d+)", small.split("\n")[0])))
    if run := re.match(r"// run: (.*)\n", small):
        return run[1]
    return launch


def command_for(verdict, name, launch):
    """Returns one command that shows the fault again, in the folder of the report."""
    if level := re.match(r"ptxas (-O\d)", verdict):
        return f"ptxas -arch={TARGET} {level[1]} {name} -o /dev/null"
    if "|" in verdict or "GPU" in verdict:
        return f"hunt.py judge {name}"
    return f"ptxray run --emulate {name} {launch}"


def machine_code(options, program, verdict, to):
    """Returns the machine code of the levels that differ, if nvdisasm is available."""
    disassembler = os.environ.get("NVDISASM") or shutil.which("nvdisasm")
    levels = re.findall(r"-O\d", verdict) if "|" in verdict and disassembler else []
    for level in {levels[0], levels[-1]} if levels else ():
        with tempfile.TemporaryDirectory() as folder:
            cubin = pathlib.Path(folder) / "k.cubin"
            subprocess.run([options.ptxas, f"-arch={TARGET}", level, program, "-o", cubin], check=True)
            code = subprocess.run([disassembler, "-c", cubin], stdout=subprocess.PIPE, text=True, check=True).stdout
            to.with_name(f"{to.name}{level}.sass").write_text(code)


def file(options):
    """Writes each fault once, with its smallest program and the command that shows it, into the folder
    `options.file`."""
    to, faults = options.file, {}
    for path in sorted((options.folder / "found").glob("*.txt"), key=lambda one: int(one.stem)):
        program, small = path.with_suffix(".ptx"), path.with_suffix(".small.ptx")
        verdict, _, where = path.read_text().partition("\n")
        if not program.stat().st_size:
            continue
        text = small.read_text() if small.exists() else program.read_text()
        launch = launch_after(text, launch_in(program.read_text()))
        fault = (re.sub(r"\S*/|\d+(?!:)", "", verdict)[:60], frozenset(opcodes_of(text)))
        faults.setdefault(fault, []).append((path.stem, verdict, where, text, launch))
    to.mkdir(parents=True, exist_ok=True)
    rows = []
    for (seed, verdict, where, text, launch), *others in faults.values():
        name = f"{seed}.ptx"
        said = [verdict[:200]] if verdict.startswith("ptxas") else [verdict[:200], f"run: {launch}"]
        body = re.sub(r"(?m)^//.*\n", "", text)
        (to / name).write_text("".join(f"// {line}\n" for line in said) + body)
        if "|" in verdict:
            places = (Tools(options).verdict(to / name)[1] or where).splitlines()
            (to / name).write_text("".join(f"// {line}\n" for line in [*said, *places]) + body)
        machine_code(options, to / name, verdict, to / seed)
        again = ", ".join(other[0] for other in others)
        shown = command_for(verdict, name, launch)
        rows.append(f"| `{name}` | {len(body.splitlines())} | {verdict[:120]} | {again} | `{shown}` |")
    head = ["| file | lines | verdict | also found by | command |", "|---|---|---|---|---|"]
    release = Tools(options).run("ptxas", options.ptxas, "--version").strip().splitlines()[-1]
    title = f"# Found by generated programs\n\n{release}; {TARGET}.\n\n"
    (to / "report.md").write_text(title + "\n".join([*head, *rows]) + "\n")
    print(f"{len(rows)} faults are in {to}")


def bundle(options):
    options.folder.mkdir(parents=True, exist_ok=True)
    for name in ("hunt.py", "hunt_ray.py", "cuda.py"):
        shutil.copy(HERE / name, options.folder / name)
    with lzma.open(options.folder / PACKED, "wb", preset=1) as xz, tarfile.open(fileobj=xz, mode="w") as tar:
        tar.add(options.ptxray, "ptxray")
        tar.add(options.ptxas, "ptxas")


def unpack():
    """Unpacks a bundle on the machine that it was copied to."""
    if (HERE / PACKED).exists() and not (HERE / "ptxas").exists():
        with tempfile.TemporaryDirectory(dir=HERE) as folder:  # several processes may start at the same time
            with lzma.open(HERE / PACKED) as xz, tarfile.open(fileobj=xz) as tar:
                tar.extractall(folder)
            for name in ("ptxray", "ptxas"):
                os.replace(pathlib.Path(folder) / name, HERE / name)


def main():
    unpack()
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = {"run": run, "judge": judge, "reduce": reduce, "file": file, "bundle": bundle, "serve": serve}
    parser.add_argument("command", choices=commands)
    parser.add_argument("folder", type=pathlib.Path)
    is_bundle = (HERE / "ptxas").exists()
    ptxray = HERE / "ptxray" if is_bundle else ROOT / "build/release/tools/ptxray/ptxray"
    ptxas = HERE / "ptxas" if is_bundle else ROOT / "build/cuda/13.5/bin/ptxas"
    parser.add_argument("--ptxray", type=pathlib.Path, default=ptxray)
    parser.add_argument("--ptxas", type=pathlib.Path, default=ptxas)
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seconds", type=float, default=1e9, help="that it may take")
    parser.add_argument("--reduce-seconds", type=float, default=300, help="that making all of them smaller may take")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--blocks", type=int, default=32, help="of each launch")
    parser.add_argument("--size", type=int, help="of each program (from 20 to 180)")
    parser.add_argument("--families", help="of instructions: `compute,memory` (several sets of them in turn)")
    parser.add_argument("--except", dest="without", help="none such: `slct.*.f32,@testp*`; `file:PATH`: a line each")
    parser.add_argument("--guards", type=int, default=10, help="per cent of instructions that have one")
    parser.add_argument("--file", type=pathlib.Path, metavar="TO", help="make what is found smaller, and write reports")
    parser.add_argument("--ray", nargs="?", const="auto", metavar="ADDRESS", help="work on a Ray cluster (RAY_ADDRESS)")
    parser.add_argument("--levels", default="-O0,-O1,-O2,-O3", help="of ptxas: `--levels=-O0,-O3`")
    parser.add_argument("--no-schedules", dest="schedules", action="store_false", help="emulate each program once")
    options = parser.parse_args()
    if options.without and options.without.startswith("file:"):
        lines = pathlib.Path(options.without[5:]).read_text().splitlines()
        options.without = ",".join(line.split()[-1] for line in lines)
    options.until = time.time() + options.seconds
    commands[options.command](options)


if __name__ == "__main__":
    main()
