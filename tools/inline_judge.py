"""Judges errors of ptxray in inline assembly with nvcc and ptxas.

nvcc judges C++: it compiles the statement itself, with variables in place of its expressions. For other languages,
and for statements in macros, ptxas judges the module that ptxray made."""

import itertools
import os
import pathlib
import re
import subprocess
import tempfile

OLD = [("6.3", "70"), ("6.0", "60")]  # later versions no longer support these targets
OF_NVCC = {"inline-clobber", "inline-constraint", "inline-operand-index", "inline-operand-name", "codegen-address-32"}
NUMBERS = ["1", "2", "4", "8", "16", "32", "64", "128", "0"]
MOST_WAYS = 81
TYPES = {
    "h": "unsigned short",
    "r": "unsigned",
    "l": "unsigned long long",
    "q": "__int128",
    "f": "float",
    "d": "double",
}
WORD = re.compile(
    r'R"(?P<end>[^(]{0,16})\((?s:.*?)\)(?P=end)"|"(?:\\(?s:.)|[^"\\])*"'  # literals
    r"|//[^\n]*|/\*(?s:.*?)\*/|[\w.]+|\S|\s+"
)


def words_of(statement):
    """Returns literals, names and signs, without comments."""
    return [m.group() for m in WORD.finditer(statement) if not m.group().startswith(("//", "/*"))]


def parts_of(statement):
    """Returns the words between the colons of `asm(...)`, or None for another statement."""
    words = words_of(statement)
    while words and not words[0].strip():
        words.pop(0)
    if not words or words[0] not in ("asm", "__asm__", "__asm") or "(" not in words or ")" not in words:
        return None
    inside = words[words.index("(") + 1 : len(words) - 1 - words[::-1].index(")")]
    parts, depth = [[]], 0
    for word in inside:
        depth += (word in ("(", "[", "{")) - (word in (")", "]", "}"))
        if word == ":" and depth == 0:
            parts.append([])
        else:
            parts[-1].append(word)
    return parts


def is_literal(word):
    return word.startswith(('"', 'R"'))


def operands_of(words):
    """Returns (constraint, expression) for each operand, or None if a macro defines them."""
    operands, text = [], "".join(words)
    while text.strip(" \n\t,\r\\"):
        found = re.match(r'[\s,\\]*(?:\[\w+\]\s*)?"([^"]*)"\s*\(', text)
        if not found:
            return None
        depth, end = 1, found.end()
        while depth and end < len(text):
            depth += (text[end] == "(") - (text[end] == ")")
            end += 1
        operands.append((found.group(1), text[found.end() : end - 1].strip()))
        text = text[end:]
    return operands


def kernels_of(statement):
    """Yields C++ kernels with the statement, one for each choice of its unknown numbers. Yields none if the
    statement cannot be compiled separately."""
    parts = parts_of(statement)
    if not parts or any(not is_literal(word) for word in parts[0] if word.strip()):
        return []
    sections = [operands_of(part) for part in parts[1:3]]
    if None in sections:
        return []
    variables, numbers, texts = [], 0, []
    for section in sections:
        operands = []
        for constraint, expression in section:
            letter = constraint.lstrip("=+&%")
            if letter in TYPES:
                variables.append(letter)
                operands.append(f'"{constraint}"(v{len(variables) - 1})')
            elif letter == "n":
                is_known = re.fullmatch(r"\(*-?(0x)?[\da-fA-F]+[uUlL]*\)*|true|false", expression)
                operands.append(f'"{constraint}"({expression if is_known else f"(NUMBER{numbers})"})')
                numbers += not is_known
            else:  # nvcc must reject this
                variables.append("r")
                operands.append(f'"{constraint}"(v{len(variables) - 1})')
        texts.append(", ".join(operands))
    template = " ".join(word for word in parts[0] if word.strip())
    rest = [*texts, *("".join(part) for part in parts[3:])]
    one = f"asm volatile({' : '.join([template, *rest])});"
    before = "".join(f"  {TYPES[v]} v{i} = *({TYPES[v]}*)(p + {16 * i});\n" for i, v in enumerate(variables))
    after = "".join(f"  *({TYPES[v]}*)(p + {16 * i}) = v{i};\n" for i, v in enumerate(variables))
    kernels = []
    for way in itertools.islice(itertools.product(NUMBERS, repeat=numbers), MOST_WAYS):
        with_numbers = re.sub(r"NUMBER(\d+)", lambda found, way=way: way[int(found.group(1))], one)
        name = f"kernel{len(kernels)}"
        kernels.append(f"__global__ void {name}(char *p) {{\n{before}  {with_numbers}\n{after}}}\n")
    return kernels


class Judge:
    """Judges statements. If `nvcc` is missing, ptxas judges all of them."""

    def __init__(self, ptxas, nvcc=None):
        self.ptxas = str(ptxas)
        self.nvcc = str(nvcc) if nvcc and os.access(nvcc, os.X_OK) else None
        helps = subprocess.run([ptxas, "--help"], stdout=subprocess.PIPE, text=True, check=True).stdout
        self.targets = sorted(
            set(re.findall(r"'sm_(\d+[af]?)'", helps)), key=lambda name: (int(name.rstrip("af")), name)
        )
        listed = subprocess.run([ptxas, "--list-version"], stdout=subprocess.PIPE, text=True, check=True).stdout
        self.newest = listed.split()[-1]

    def ask_ptxas(self, text, arch):
        """Returns the errors of ptxas for a text, or an empty string."""
        done = subprocess.run(
            [self.ptxas, f"-arch={arch}", "-", "-o", os.devnull],
            input=text,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        said = re.findall(r"(?:error|fatal)\s*: (.*)", done.stdout)
        return (said or [f"status {done.returncode}"])[0] if done.returncode else ""

    def ask_module(self, text, version, target, makes_code=False):
        """Returns the errors for a module that ptxray made, for another version and target. `makes_code` also
        generates code."""
        number = int(target.rstrip("af"))
        text = re.sub(r"(?m)^\.version .*", ".version " + version, text)
        text = re.sub(r"(?m)^\.target .*", ".target sm_" + target, text)
        if number >= 100:  # nvcc has one class of 32-bit registers for these
            text = text.replace(".reg .f32 %", ".reg .b32 %").replace(".reg .f64 %", ".reg .b64 %")
        return self.ask_ptxas(text, ("sm_" if makes_code else "compute_") + ("75" if number < 75 else target))

    def ask_nvcc(self, kernels, target):
        """Returns the errors of nvcc, and the PTX that it makes of each kernel. nvcc does not read the text of a
        statement."""
        with tempfile.TemporaryDirectory() as folder:
            source = pathlib.Path(folder) / "kernels.cu"
            source.write_text("".join(kernels))
            ptx = source.with_suffix(".ptx")
            words = [self.nvcc, "-ptx", f"-arch=compute_{target}", source, "-o", ptx]
            done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            if not ptx.exists():  # otherwise, ptxas may have rejected it: nvcc calls it at once
                said = re.findall(r"(?:error|fatal|Internal Compiler Error).*?: (.*)", done.stdout)
                return (said or [f"status {done.returncode}"])[0], []
            header, *entries = re.split(r"(?m)^(?=\s*// \.globl|\.visible \.entry)", ptx.read_text())
        return "", [header + entry for entry in entries if ".entry" in entry]

    def confirm_with_nvcc(self, kernels, target, makes_code):
        said, accepted = "", []
        # These are the oldest and the newest classes of registers.
        of_nvcc = {name: self.ask_nvcc(kernels, name) for name in ("90a", "100a")}
        for name in [target, *(other for other in self.targets if other != target)]:
            said_by_nvcc, modules = of_nvcc["100a" if int(name.rstrip("af")) >= 100 else "90a"]
            answers = [self.ask_module(module, self.newest, name, makes_code) for module in modules]
            if name == target:
                said = said_by_nvcc or answers[0]
            if "" in answers:
                return said, [name]
        return said, accepted

    def confirm(self, rule, module, statement):
        """Returns (the judge, its errors for the judged target, targets for which it accepts the text; with nvcc
        only one)."""
        found = re.search(r"(?m)^\.target sm_(\w+)", module or "")
        target = found.group(1) if found else "90a"
        makes_code = rule.startswith("codegen-")
        kernels = kernels_of(statement) if self.nvcc and statement else []
        if kernels:
            return "nvcc", *self.confirm_with_nvcc(kernels, target if target in self.targets else "75", makes_code)
        if rule in OF_NVCC:
            return "nobody", "(nvcc refuses it, or has no such addresses)", []
        if not module:
            return "nobody", "", []
        said = self.ask_module(module, self.newest if int(target.rstrip("af")) >= 75 else "6.3", target, makes_code)
        cases = [(self.newest, name) for name in self.targets] + OLD
        accepted = [name for version, name in cases if not self.ask_module(module, version, name, makes_code)]
        return "ptxas", said, accepted


def errors_of(report):
    """Yields the errors in ptxray's JSON, one per line: rule, message, position, the module that was judged and, for
    C++, the statement in the source."""
    modules = (report.get("inline") or {}).get("expansions", [])
    found = {}
    for d in report["diagnostics"]:
        if d["severity"] != "error":
            continue
        ranges = [d["range"], *(n["range"] for n in d["notes"] if "range" in n)]
        owner = next(
            (
                m
                for r in ranges
                for m in modules
                if m["range"]["start"]["offset"] <= r["start"]["offset"] <= m["range"]["end"]["offset"]
            ),
            None,
        )
        statement = None
        if owner and not report["path"].endswith((".py", ".ll", ".mlir", ".rs")):
            text = pathlib.Path(report["path"]).read_bytes()
            begin, end = (owner["range"][side]["offset"] for side in ("start", "end"))
            statement = text[begin:end].decode(errors="replace")
        place = (report["path"], d["range"]["start"]["line"])
        one = {"place": place, "rule": d["rule"], "message": d["message"], "fingerprint": d.get("fingerprint")}
        found.setdefault(place, {**one, "module": owner and owner["text"], "statement": statement})
    return list(found.values())
