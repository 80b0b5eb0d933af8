#!/usr/bin/env python3
"""Uses `ptxray lsp` like an editor and reports wrong answers.

protocol.py PTXRAY ROOT"""

import json
import pathlib
import subprocess
import sys
import tempfile

from client import LATEST, Client, Failure, framed
from texts import as_expected, expected_of

PTXRAY, ROOT = sys.argv[1], pathlib.Path(sys.argv[2])
URI = "file:///kernels/a.ptx"
KERNEL = """.version 8.0
.target sm_80
.address_size 64
.global .align 4 .b8 table[16];
.func helper(.param .b32 x);
// a comment of
// two lines
.visible .entry k(.param .u64 p, .param .u32 n) {
    .reg .b32 %r<4>;
    .reg .b64 %rd<4>;
    .reg .pred %p<2>;
    .shared .align 16 .b8 tile[64];
    ld.param.u64 %rd1, [p];
    mov.u32 %r1, %tid.x;
    setp.eq.u32 %p1, %r1, 3;
    @%p1 bra DONE;
    add.s32 %r2, %r1, 0x10;
    mov.f32 %r3, 0f3F800000;
    mov.u64 %rd2, table;
    st.global.u32 [%rd1+4], %r2;
    { .reg .b32 %r1; mov.u32 %r1, 5; }
    mov.u64 %rd3, tile;
DONE:
    ret;
}
.func helper(.param .b32 x) { .reg .b64 %rd<2>; mov.u64 %rd1, table; ret; }
"""
TESTS = []


def test(function):
    TESTS.append(function)
    return function


def expect(given, wanted, what=""):
    if given != wanted:
        raise Failure(f"{what}: {given!r}, expected {wanted!r}")


def place(text, marked, line=None):
    """Returns the line and column of the bar in `ma|rked`, in a line that contains `line`."""
    sought = marked.replace("|", "")
    for number, content in enumerate(text.split("\n")):
        if sought in content and (line is None or line in content):
            return number, content.index(sought) + marked.index("|")
    raise Failure(f"no `{sought}`")


def span(begin, end):
    return {"start": {"line": begin[0], "character": begin[1]}, "end": {"line": end[0], "character": end[1]}}


def text_of(lines, range):
    start, end = range["start"], range["end"]
    if start["line"] != end["line"]:
        return None
    return lines[start["line"]][start["character"] : end["character"]]


def opened(text=KERNEL, **more):
    client = Client(PTXRAY, **more)
    client.open(URI, text)
    return client


def compare_with_check(client, text, encoding):
    expect(as_expected(client.diagnostics(URI)), expected_of(PTXRAY, text, encoding), "diagnostics")


def capable(**general):
    return {**LATEST, "general": general}


@test
def diagnostics_are_those_of_check():
    text = (ROOT / "docs/examples/mistakes.ptx").read_text()
    for encoding in ("utf-8", "utf-16", "utf-32"):
        client = opened(text, capabilities=capable(positionEncodings=[encoding]))
        expect(client.capabilities["positionEncoding"], encoding)
        compare_with_check(client, text, encoding)
        client.finish()


@test
def whole_texts_among_edits():
    client = opened()
    text = KERNEL.replace("mov.u32", "mov.u3", 1)
    insertion = {"range": span((0, 0), (0, 0)), "text": "// 𝄞\n"}
    client.change(URI, [{"text": text}, insertion, insertion])
    compare_with_check(client, "// 𝄞\n" * 2 + text, "utf-16")
    client.finish()


@test
def what_was_open_before_does_not_show():
    client = opened(".b16 A+4\n")
    expect(client.diagnostics(URI)[0]["message"], "unexpected `.b16`, expected a directive")
    text = ".global.shared .b8 tile[64];\n"
    client.change(URI, [{"text": text}])
    compare_with_check(client, text, "utf-16")
    client.finish()


@test
def places_beyond_the_text_are_moved_into_it():
    text = "add é;\r\nx"
    client = opened(text)
    big = 2**31 + 5
    client.change(URI, [{"range": span((0, big), (0, 2**40)), "text": "1"}])
    client.change(URI, [{"range": span((big, 0), (big, big)), "text": "2"}])
    compare_with_check(client, "add é;1\r\nx2", "utf-16")
    client.finish()


@test
def null_versions_and_odd_uris():
    client = Client(PTXRAY)
    for uri in ("untitled:Untitled-1", "git:/a.ptx?ref", "file:///a%C3%A9.ptx", "file:///a%c3%a9.ptx"):
        client.notify(
            "textDocument/didOpen",
            {"textDocument": {"uri": uri, "languageId": "ptx", "version": None, "text": "x"}},
        )
        client.notify(
            "textDocument/didChange",
            {"textDocument": {"uri": uri, "version": None}, "contentChanges": [{"text": "y"}]},
        )
        client.request("textDocument/foldingRange", {"textDocument": {"uri": uri}})
    while len({m["params"]["uri"] for m in client.notifications}) < 4:
        client.receive()
    client.finish()


@test
def many_edits_are_checked_once():
    client = opened()
    for _ in range(60):
        client.change(URI, [{"range": span((0, 0), (0, 0)), "text": " "}])
    hover = client.at("textDocument/hover", URI, place(KERNEL, "%t|id"))
    expect(hover is not None, True, "a hover among edits")
    client.diagnostics(URI)
    pushed = [m for m in client.notifications if m["method"] == "textDocument/publishDiagnostics"]
    expect(len(pushed) < 30, True, f"{len(pushed)} checks")
    client.finish()


@test
def pulled_diagnostics():
    can = json.loads(json.dumps(LATEST))
    can["textDocument"]["diagnostic"] = {"dynamicRegistration": False}
    client = opened(capabilities=can)
    first = client.request("textDocument/diagnostic", {"textDocument": {"uri": URI}})
    expect(first["kind"], "full")
    again = client.request(
        "textDocument/diagnostic", {"textDocument": {"uri": URI}, "previousResultId": first["resultId"]}
    )
    expect(again["kind"], "unchanged")
    client.change(URI, [{"text": "x"}])
    last = client.request(
        "textDocument/diagnostic", {"textDocument": {"uri": URI}, "previousResultId": first["resultId"]}
    )
    expect(len(last["items"]) > 0, True)
    client.notify("textDocument/didClose", {"textDocument": {"uri": URI}})
    client.open(URI, "y")
    expect(
        client.request("textDocument/diagnostic", {"textDocument": {"uri": URI}, "previousResultId": last["resultId"]})[
            "kind"
        ],
        "full",
        "opened again",
    )
    pushed = [m["params"] for m in client.notifications if m["method"] == "textDocument/publishDiagnostics"]
    expect(pushed[-1]["diagnostics"], [], "what was pushed before the first pull is taken back")
    expect(len(pushed) <= 2, True, "pushed as well")
    client.finish()


@test
def announced_and_never_pulled():
    can = json.loads(json.dumps(LATEST))
    can["textDocument"]["diagnostic"] = {"dynamicRegistration": False}
    client = opened("x", capabilities=can)
    expect(len(client.diagnostics(URI)) > 0, True)
    client.change(URI, [{"text": KERNEL.replace("|", "")}])
    client.diagnostics(URI)
    client.finish()
    del can["textDocument"]["publishDiagnostics"]
    client = opened("x", capabilities=can)
    client.change(URI, [{"text": "y"}])
    client.request("textDocument/documentSymbol", {"textDocument": {"uri": URI}})
    expect(client.notifications, [], "to a client that takes none")
    client.finish()


@test
def what_was_pulled_is_refreshed():
    can = json.loads(json.dumps(LATEST))
    can["textDocument"]["diagnostic"] = {}
    kinds = ("diagnostics", "semanticTokens", "inlayHint")
    can["workspace"] |= {kind: {"refreshSupport": True} for kind in kinds}
    client = opened(capabilities=can)
    pull = {"textDocument": {"uri": URI}}
    first = client.request("textDocument/diagnostic", pull)
    client.notify("workspace/didChangeConfiguration", {"settings": {"ptxray": {"target": "sm_1"}}})
    second = client.request("textDocument/diagnostic", {**pull, "previousResultId": first["resultId"]})
    expect(second["kind"], "full", "after other settings")
    asked = [message for message in client.notifications if "id" in message]
    methods = ["workspace/diagnostic/refresh", "workspace/semanticTokens/refresh", "workspace/inlayHint/refresh"]
    expect([message["method"] for message in asked], methods)
    client.notify("workspace/didChangeWatchedFiles", {"changes": []})
    client.error("textDocument/hover", {})
    asked = [message["id"] for message in client.notifications if "id" in message]
    expect((len(asked), len(set(asked))), (6, 6), "each request has an id of its own")
    client.finish()
    client = opened()
    client.notify("workspace/didChangeConfiguration", {"settings": {"ptxray": {}}})
    client.error("textDocument/hover", {})
    expect([message for message in client.notifications if "id" in message], [], "a client that cannot")
    client.finish()


@test
def at_most_a_thousand():
    text = ".version 8.0\n.target sm_80\n.entry k() {\n" + "foo.x;\n" * 1500 + "}\n"
    client = opened(text)
    found = client.diagnostics(URI)
    expect(len(found), 1001)
    expect("more are not shown" in found[-1]["message"], True)
    client.finish()


@test
def settings_and_configuration():
    client = opened(options={"pedantic": True, "target": "sm_90"})
    lines = {d["severity"] for d in client.diagnostics(URI)}
    expect(4 in lines or not lines, True, "pedantic ones are hints")
    client.finish()
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / ".ptxray").write_text("off = unknown-instruction\n")
        client = Client(PTXRAY)
        uri = f"file://{folder}/a.ptx"
        text = ".version 8.0\n.target sm_80\n.entry k() {\n  foo;\n}\n"
        client.open(uri, text)
        expect(client.diagnostics(uri), [], "with the rule off")
        (pathlib.Path(folder) / ".ptxray").write_text("")
        client.versions[uri] = 2
        client.notify("textDocument/didChange", {"textDocument": {"uri": uri, "version": 2}, "contentChanges": []})
        client.notify("textDocument/didSave", {"textDocument": {"uri": uri}})
        while not (found := client.diagnostics(uri)):
            client.receive()
        expect(found[0]["code"], "unknown-instruction")
        client.finish()
        can = json.loads(json.dumps(LATEST))
        can["workspace"]["didChangeWatchedFiles"] = {"dynamicRegistration": True}
        client = Client(PTXRAY, capabilities=can)
        client.open(uri, text)
        expect(len(client.diagnostics(uri)), 1)
        asked = [message["params"] for message in client.notifications if "id" in message]
        expect(asked[0]["registrations"][0]["registerOptions"], {"watchers": [{"globPattern": "**/.ptxray"}]})
        (pathlib.Path(folder) / ".ptxray").write_text("off = unknown-instruction\n")
        client.notifications.clear()
        changes = [{"uri": f"file://{folder}/.ptxray", "type": 2}]
        client.notify("workspace/didChangeWatchedFiles", {"changes": changes})
        expect(client.diagnostics(uri), [], "told that it changed")
        client.finish()
    client = opened(options={"target": "sm_1234"})
    client.diagnostics(URI)
    expect(client.notifications[0]["method"], "window/showMessage")
    client.finish()


# ---- answers


@test
def fixes():
    text = (ROOT / "docs/examples/mistakes.ptx").read_text()
    client = opened(text)
    lines = text.split("\n")

    def actions(only=None):
        context = {"diagnostics": []} | ({"only": only} if only else {})
        whole = span((0, 0), (len(lines), 0))
        return client.request(
            "textDocument/codeAction", {"textDocument": {"uri": URI}, "range": whole, "context": context}
        )

    quick = actions()
    expect({a["kind"] for a in quick}, {"quickfix"})
    expect([a["title"] for a in quick if a["isPreferred"]], ["insert `;`"])
    expect(any(a["title"].startswith("raise the header") for a in quick), True, "raise")
    (whole,) = actions(["source.fixAll"])
    edits = whole["edit"]["documentChanges"][0]["edits"]
    with tempfile.NamedTemporaryFile("w+", suffix=".ptx") as file:
        file.write(text)
        file.flush()
        subprocess.run([PTXRAY, "check", "--fix", "--no-config", file.name], capture_output=True, check=False)
        expect(applied(text, edits), pathlib.Path(file.name).read_text(), "fix all")
    expect(actions(["refactor"]), [])
    client.finish()


def applied(text, edits):
    lines = text.split("\n")
    for edit in sorted(
        edits, key=lambda e: (e["range"]["start"]["line"], e["range"]["start"]["character"]), reverse=True
    ):
        start, end = edit["range"]["start"], edit["range"]["end"]
        begin = sum(len(line) + 1 for line in lines[: start["line"]]) + start["character"]
        behind = sum(len(line) + 1 for line in lines[: end["line"]]) + end["character"]
        text = text[:begin] + edit["newText"] + text[behind:]
    return text


@test
def silence():
    text = KERNEL.replace("%r2, %r1, 0x10", "%r2, %r0, 0x10")
    client = opened(text)
    found = [d for d in client.diagnostics(URI) if d["severity"] == 2]
    expect(len(found), 1)
    actions = client.request(
        "textDocument/codeAction",
        {"textDocument": {"uri": URI}, "range": found[0]["range"], "context": {"diagnostics": found}},
    )
    (edit,) = (a["edit"] for a in actions if a["title"].startswith("silence"))
    client.change(URI, [{"text": applied(text, edit["documentChanges"][0]["edits"])}])
    expect(client.diagnostics(URI), [])
    client.finish()


@test
def missing_instruction():
    text = """.version 8.6
.target sm_90a
.address_size 64
.shared .align 16 .b8 tile[64];
.visible .entry kernel(.param .u64 in)
{
\t.reg .b32 %r<2>;
\t.reg .b64 %rd<2>;
\tld.param.u64 %rd1, [in];
\tcp.async.ca.shared.global [tile], [%rd1], 8; // ä, which has another length in UTF-16
\tcp.async.wait_group 0;
\tld.shared.u32 %r1, [tile];
\tst.global.u32 [%rd1], %r1;
\tret;
}
"""
    client = opened(text)
    found = client.diagnostics(URI)
    expect([d["code"] for d in found], ["uncommitted-copy"])
    actions = client.request(
        "textDocument/codeAction",
        {"textDocument": {"uri": URI}, "range": found[0]["range"], "context": {"diagnostics": found}},
    )
    (action,) = (a for a in actions if a["title"].startswith("insert `cp.async.commit_group;`"))
    made = applied(text, action["edit"]["documentChanges"][0]["edits"])
    expect(made, text.replace("UTF-16\n", "UTF-16\n\tcp.async.commit_group;\n"))
    client.change(URI, [{"text": made}])
    expect(client.diagnostics(URI), [])
    client.finish()


@test
def hover():
    client = opened()

    def shown(marked, line=None):
        answer = client.at("textDocument/hover", URI, place(KERNEL, marked, line))
        return answer and answer["contents"]["value"]

    expect("add.s32 d, a, b" in shown("ad|d.s32"), True)
    expect("d: a register of the type `.s32` for the result" in shown("ad|d.s32"), True)
    expect("d = a + b" in shown("ad|d.s32"), True)
    expect("add{.sat}.type d, a, b" in shown("add.s|32"), True, "the slot by its name")
    expect("signed integer of 32 bits" in shown("add.s|32"), True)
    expect("`.s32`" in shown("add.s|32"), True)
    expect("cached only in the L2 cache" in str(completed(client, "    ld.global.c")[0]), True)
    client.change(URI, [{"text": KERNEL}])
    expect("one of 4" in shown("%|r2, %r1"), True)
    expect("special register" in shown("%t|id"), True)
    expect("16 = 0x10" in shown("0x|10"), True)
    expect("1 (.f32)" in shown("0f3F|8"), True)
    expect("a label" in shown("DO|NE;"), True)
    expect("a target since" in shown("sm_|80"), True)
    expect("`.target`" in shown(".tar|get"), True)
    expect("16 bytes, aligned to 4" in shown("tab|le;"), True)
    expect("a kernel" in shown("|k("), True)
    expect("64 bytes" in shown("ti|le["), True)
    expect(shown("a com|ment"), None)
    unread = KERNEL.replace("    ret;", "    membar\n    ret;", 1)  # the statement before it is not judged
    client.change(URI, [{"text": unread}])
    value = client.at("textDocument/hover", URI, place(unread, "mem|bar"))["contents"]["value"]
    expect("membar" in value and "```" in value, True, value)
    client.finish()


@test
def hover_says_what_the_target_lacks():
    text = KERNEL.replace("    ret;\n}", "    stmatrix.sync.aligned.m8n8.x1.shared.b16 [%rd3], {%r1};\n    ret;\n}", 1)
    client = opened(text)
    value = client.at("textDocument/hover", URI, place(text, "stm|atrix"))["contents"]["value"]
    expect("not available with PTX 8.0 on sm_80" in value, True, value)
    client.finish()
    plain = json.loads(json.dumps(LATEST))
    plain["textDocument"]["hover"]["contentFormat"] = ["plaintext"]
    client = opened(text, capabilities=plain)
    contents = client.at("textDocument/hover", URI, place(text, "stm|atrix"))["contents"]
    expect(contents["kind"], "plaintext")
    expect("```" in contents["value"], False)
    client.finish()


def completed(client, line, column=None):
    """Returns the completions at the end of a new line in the kernel, or at a column of it, and the line that each
    would produce."""
    text = KERNEL.replace("DONE:", line + "\nDONE:")
    client.change(URI, [{"text": text}])
    number = text.split("\n").index(line)
    column = len(line) if column is None else column
    answer = client.at("textDocument/completion", URI, (number, column))
    items = sorted(answer["items"], key=lambda item: item["sortText"])
    made = {}
    for item in items:
        range = item["textEdit"]["range"]
        expect(range["start"]["line"], number)
        start, end = range["start"]["character"], range["end"]["character"]
        typed = line[start:column]
        expect(item["filterText"].startswith(typed), True, f"`{item['filterText']}` is filtered away by `{typed}`")
        made[item["label"]] = line[:start] + item["textEdit"]["newText"] + line[end:]
    return items, made


@test
def completion():
    client = opened()
    items, made = completed(client, "    ld.glo")
    expect(list(made.values()), ["    ld.global"])
    items, made = completed(client, "    ld.gl.f32 %r1, [%rd1];", 9)
    expect(made[".global"], "    ld.global.f32 %r1, [%rd1];")
    items, made = completed(client, "    ldmatrix.sync.aligned.")
    expect(items[0]["label"], ".m8n8")
    expect({i["label"] for i in items if i.get("tags") == [1]}, {".m8n16", ".m16n16"})
    expect("sm_100a" in items[-1]["detail"], True)
    expect(completed(client, "    @")[1].keys(), {"%p0", "%p1"})
    expect([i["label"] for i in completed(client, "    add.s32 ")[0]][:4], ["%r0", "%r1", "%r2", "%r3"])
    order = [i["label"] for i in completed(client, "    ld.global.u32 %r1, [")[0]]
    expect(order.index("table") < order.index("tile") > order.index("%rd3"), True, "other spaces come later")
    expect([i["label"] for i in completed(client, "    @%p1 bra ")[0]], ["DONE"])
    expect("%tid" in completed(client, "    mov.u32 %r1, %t")[1], True)
    expect(completed(client, "    mov.u32 %r1, %tid.")[1][".x"], "    mov.u32 %r1, %tid.x")
    expect([i["label"] for i in completed(client, "    ld.global.u32 %r1, [%rd")[0]], ["%rd0", "%rd1", "%rd2", "%rd3"])
    expect(list(completed(client, "    .re")[1]), [".reg"])
    expect(".b32" in completed(client, "    .reg .")[1], True)
    for silent in ("    // ld.", "    /* ld.", '    .pragma "ld.', "    mov.u32 %r1, 1"):
        expect(completed(client, silent)[0], [], silent)
    client.change(URI, [{"text": ".version 8.0\n.target sm_9"}])
    labels = [i["label"] for i in client.at("textDocument/completion", URI, (1, 12))["items"]]
    expect("sm_90a" in labels and "sm_80" not in labels, True)
    client.finish()


@test
def signature():
    client = opened()
    help = client.at("textDocument/signatureHelp", URI, place(KERNEL, "%r2, %r1, |0x10"))
    expect(help["activeParameter"], 2)
    first = help["signatures"][0]
    expect([first["label"][slice(*p["label"])] for p in first["parameters"]], ["d", "a", "b"])
    text = KERNEL.replace("DONE:", "@%p1 mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%r1, %r2}, {%r1,\nDONE:")
    client.change(URI, [{"text": text}])
    help = client.at("textDocument/signatureHelp", URI, place(text, "{%r1,|", "mma"))
    expect(help["activeParameter"], 0, "within the first vector")
    row = place(text, "{%r1,|", "mma")[0]
    help = client.at("textDocument/signatureHelp", URI, (row, len(text.split("\n")[row])))
    expect(help["activeParameter"], 1, "within the second vector")
    expect(client.at("textDocument/signatureHelp", URI, (0, 3)), None)
    client.finish()


def shown_places(text, answer):
    lines = text.split("\n")
    return sorted((a["range"]["start"]["line"], text_of(lines, a["range"])) for a in answer)


@test
def names():
    client = opened()

    def ask(method, marked, line=None, **more):
        return client.at(f"textDocument/{method}", URI, place(KERNEL, marked, line), **more)

    both = {"context": {"includeDeclaration": True}}
    number = {line: n for n, line in enumerate(KERNEL.split("\n"))}
    expect(shown_places(KERNEL, ask("definition", "DO|NE;")), [(number["DONE:"], "DONE")])
    found = ask("references", "tab|le;", "%rd2", **both)
    expect([text for _, text in shown_places(KERNEL, found)], ["table"] * 3)
    expect(len(ask("references", "tab|le;", "%rd2", context={"includeDeclaration": False})), 2)
    inner = ask("references", "%|r1, 5", **both)
    expect(len(inner), 2, "the register of the block")
    lines = KERNEL.split("\n")
    of_one = [(text_of(lines, h["range"]), h["kind"]) for h in ask("documentHighlight", "%r|2, %r1")]
    expect(of_one, [("%r", 1), ("%r2", 3), ("%r2", 2)], "the declaration, a write and a read of one register")
    written = [h for h in ask("documentHighlight", "%|r<4>") if h["kind"] == 3]
    expect(len(written), 3, "writes of the family")
    (helper,) = ask("definition", "hel|per(", ".param .b32 x);")
    expect(helper["range"]["start"]["line"], len(KERNEL.split("\n")) - 2, "the function's body")
    expect(ask("definition", "%t|id"), [])
    client.finish()


@test
def renaming():
    client = opened()

    def renamed(marked, name, line=None):
        row, column = place(KERNEL, marked, line)
        answer = client.wait(
            client.start_request(
                "textDocument/rename",
                {"textDocument": {"uri": URI}, "position": {"line": row, "character": column}, "newName": name},
            )
        )
        if "error" in answer:
            return None
        return applied(KERNEL, answer["result"]["documentChanges"][0]["edits"])

    expect(renamed("DO|NE;", "end"), KERNEL.replace("DONE", "end"))
    expect(renamed("tab|le;", "lut", "%rd2"), KERNEL.replace("table", "lut"))
    family = renamed("%|r<4>", "%x")
    expect("add.s32 %x2, %x1, 0x10;" in family and "{ .reg .b32 %r1; mov.u32 %r1, 5; }" in family, True)
    for marked, name in (
        ("DO|NE;", "tile"),
        ("DO|NE;", "1x"),
        ("DO|NE;", "a b"),
        ("DO|NE;", ""),
        ("%|r<4>", "%rd"),
        ("%r|2, %r1", "%x"),
        ("%t|id", "%x"),
        ("ti|le[", "table"),
        ("ti|le[", "%tid"),
    ):
        expect(renamed(marked, name), None, f"{marked} to {name}")
    row, column = place(KERNEL, "DO|NE;")
    prepared = client.at("textDocument/prepareRename", URI, (row, column))
    expect(prepared["placeholder"], "DONE")
    expect(
        client.error(
            "textDocument/prepareRename", {"textDocument": {"uri": URI}, "position": {"line": 0, "character": 0}}
        ),
        -32803,
    )
    client.finish()
    # Half a line, during typing, may look like a label although it begins with a member of a family.
    half = ".version 9.0\n.target sm_90\n.visible .entry k()\n{\n.reg .b32 %r<4>;\n%r1\nmov.b32 %r1, 1;\nret;\n}\n"
    client = opened(half)
    params = {"textDocument": {"uri": URI}, "position": {"line": 5, "character": 1}, "newName": "%x"}
    answer = client.wait(client.start_request("textDocument/rename", params))
    expect("one of a family" in answer["error"]["message"], True)


@test
def structure():
    client = opened()
    lines = KERNEL.split("\n")
    symbols = client.request("textDocument/documentSymbol", {"textDocument": {"uri": URI}})
    expect([s["name"] for s in symbols], ["table", "helper", "k", "helper"])
    expect([s["name"] for s in symbols[2]["children"]], ["p", "n", "%r<4>", "%rd<4>", "%p<2>", "tile", "%r1", "DONE"])
    for symbol in symbols:
        expect(text_of(lines, symbol["selectionRange"]), symbol["name"])
    folds = client.request("textDocument/foldingRange", {"textDocument": {"uri": URI}})
    expect([(f["startLine"], f["endLine"], f.get("kind")) for f in folds], [(5, 6, "comment"), (7, 23, None)])
    row, column = place(KERNEL, "%r2, %|r1")
    (chain,) = client.request(
        "textDocument/selectionRange",
        {"textDocument": {"uri": URI}, "positions": [{"line": row, "character": column}]},
    )
    texts = []
    while chain:
        texts.append(text_of(lines, chain["range"]))
        chain = chain.get("parent")
    expect(texts[:2], ["%r1", "add.s32 %r2, %r1, 0x10;"])
    flat = json.loads(json.dumps(LATEST))
    flat["textDocument"]["documentSymbol"] = {}
    client.finish()
    client = opened(capabilities=flat)
    symbols = client.request("textDocument/documentSymbol", {"textDocument": {"uri": URI}})
    expect({s.get("containerName") for s in symbols} >= {"k"}, True)
    client.finish()


@test
def tokens():
    client = opened()
    legend = client.capabilities["semanticTokensProvider"]["legend"]["tokenTypes"]
    lines = KERNEL.split("\n")

    def decoded(data):
        line = column = 0
        for i in range(0, len(data), 5):
            line += data[i]
            column = data[i + 1] + (column if data[i] == 0 else 0)
            yield line, column, lines[line][column : column + data[i + 2]], legend[data[i + 3]]

    whole = list(decoded(client.request("textDocument/semanticTokens/full", {"textDocument": {"uri": URI}})["data"]))
    end = (-1, 0)
    for line, column, text, _ in whole:
        expect((line, column) >= end and text != "", True, "tokens lie one over another")
        end = (line, column + len(text))
    row = lines.index("    add.s32 %r2, %r1, 0x10;")
    kinds = {text: kind for line, _, text, kind in whole if lines[line].startswith(".target")}
    expect(kinds, {".target": "macro", "sm_80": "enumMember"})
    client.change(URI, [{"text": KERNEL.replace("    ret;", "    ld.global.b32 %r1, [%rd1].unified;\n    ret;", 1)}])
    lines.insert(lines.index("    ret;"), "    ld.global.b32 %r1, [%rd1].unified;")
    suffixed = decoded(client.request("textDocument/semanticTokens/full", {"textDocument": {"uri": URI}})["data"])
    expect([kind for _, _, text, kind in suffixed if text == ".unified"], ["modifier"])
    wanted = [("add", "keyword"), (".s32", "type"), ("%r2", "variable"), ("%r1", "variable"), ("0x10", "number")]
    expect([(text, kind) for line, _, text, kind in whole if line == row], wanted)
    part = client.request(
        "textDocument/semanticTokens/range", {"textDocument": {"uri": URI}, "range": span((row, 0), (row + 1, 0))}
    )
    expect([(text, kind) for line, _, text, kind in decoded(part["data"]) if line == row], wanted)
    client.finish()


HINTS = """.version 8.7
.target sm_100a
.address_size 64
.extern .shared .align 1024 .b8 dyn[];
.visible .entry k() {
    .reg .b32 %r<9>;
    .reg .b64 %rd<3>;
    .reg .pred %p;
    .shared .align 1024 .b8 tile[4096];
    .loc 1 42 5
    mov.u32 %r1, tile;
    add.u32 %r2, %r1, 1024;
    mov.u32 %r3, dyn;
    add.u32 %r4, %r3, -16;
    ld.shared.b32 %r5, [%r2+16];
    st.shared.b32 [%r4], %r5;
    ld.shared.b32 %r5, [tile+16];
    .loc 2 7 3
    setp.ne.u32 %p, %r5, 0;
    mov.u32 %r7, tile;
    @%p add.u32 %r7, %r7, 4;
    ld.shared.b32 %r5, [%r7];
    mov.b64 %rd1, 0x2001004000010040;
    mov.b64 %rd2, %clock64;
    mov.b32 %r6, 136314896;
    tcgen05.mma.cta_group::1.kind::f16 [%r5], %rd1, %rd2, %r6, %p;
    ret;
}
.file 1 "/home/me/kernel.cu"
"""


@test
def inlay_hints():
    lines = HINTS.split("\n")
    whole = len(lines)

    def shown(client, first=0, last=whole):
        params = {"textDocument": {"uri": URI}, "range": span((first, 0), (last, 0))}
        for hint in client.request("textDocument/inlayHint", params):
            line, column = hint["position"]["line"], hint["position"]["character"]
            yield lines[line][:column].split("], ")[-1].split(", ")[-1].strip(), hint["label"]

    client = opened(HINTS)
    wanted = [
        (".loc 1 42 5", "kernel.cu:42"),
        ("[%r2+16]", "tile+1040"),
        ("st.shared.b32 [%r4]", "dyn-16"),
        ("%rd1", "start = 1024, lbo = 16, sbo = 1024, swizzle = 128B-base32B"),
        ("%r6", "d = f32, a = f16, b = f16, n = 128, m = 128"),
    ]
    expect(list(shown(client)), wanted, "%r7 has two values, file 2 no name, %rd2 is not known")
    row = lines.index("    st.shared.b32 [%r4], %r5;")
    expect(list(shown(client, row, row + 1)), wanted[2:3], "of one line")
    value = client.at("textDocument/hover", URI, place(HINTS, "%r|6, %p"))["contents"]["value"]
    expect("whether A is negated" in value and "a register of .b32" in value, True, value)
    client.notify("workspace/didChangeConfiguration", {"settings": {"ptxray": {"inlayHints": False}}})
    expect(list(shown(client)), [], "not wanted")
    client.notify("workspace/didChangeConfiguration", {"settings": {"ptxray": {}}})
    kernel = HINTS[HINTS.index(".visible") : HINTS.index(".file")]
    many = HINTS + "".join(kernel.replace(" k()", f" k{number}()") for number in range(20))
    client.change(URI, [{"text": many}])
    lines = many.split("\n")
    expect(list(shown(client, 0, len(lines))), wanted * 21, "in many functions")
    mma = "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f1, %f1, %f1, %f1}, %rd1, %rd2, %p, 1, 1, 0, 0;"
    text = HINTS.replace("sm_100a", "sm_90a").replace("    .reg .pred", "    .reg .f32 %f<2>;\n    .reg .pred")
    lines = [mma if "tcgen05" in line else line for line in text.split("\n")]
    client.change(URI, [{"text": "\n".join(lines)}])
    (found,) = [label for place, label in shown(client) if place == "%rd1"]
    expect(found, "start = 1024, lbo = 16, sbo = 1024, swizzle = none", "the same bits mean something else")
    client.finish()


@test
def formatting():
    client = opened()
    whole = {"textDocument": {"uri": URI}, "options": {"tabSize": 8, "insertSpaces": True}}
    edits = client.request("textDocument/formatting", whole)
    run = subprocess.run([PTXRAY, "fmt", "-"], input=KERNEL.encode(), capture_output=True, check=True)
    expect(applied(KERNEL, edits), run.stdout.decode())
    row = KERNEL.split("\n").index("    ret;")
    part = client.request("textDocument/rangeFormatting", {**whole, "range": span((row, 0), (row + 1, 0))})
    expect(applied(KERNEL, part), KERNEL.replace("    ret;", "\tret;", 1))
    client.change(URI, [{"text": run.stdout.decode()}])
    expect(client.request("textDocument/formatting", whole), [])
    client.change(URI, [{"text": KERNEL.replace("ret;\n}", "ret;\n}}", 1)}])
    expect(client.request("textDocument/formatting", whole), None, "a brace too many")
    client.finish()


# ---- other languages

CUDA = r"""// ld.global
__device__ int f(int *p, int a) {
  int r, s = 0; // add.s32
  asm volatile("{ .reg .pred %%p;\n"
               "setp.eq.s32 %%p, %1, 3;\n"
               "@%%p add.s32 %0, %1, 7;\n"
               "ld.gl;}" : "+r"(r) : "r"(a));
  return r + s;
}
"""


@test
def inline_assembly():
    client = Client(PTXRAY)
    uri = "file:///kernels/a.cu"
    text = CUDA.replace("ld.gl;", "add.s23 %0, %0, 1;")
    client.open(uri, text, "cuda-cpp")
    lines = text.split("\n")
    (found,) = client.diagnostics(uri)
    expect((found["code"], text_of(lines, found["range"])), ("unknown-qualifier", ".s23"))

    def ask(method, marked, line=None, **more):
        return client.at(f"textDocument/{method}", uri, place(text, marked, line), **more)

    value = ask("hover", "ad|d.s32", "%%p")
    expect("add.s32 d, a, b" in value["contents"]["value"], True)
    expect(text_of(lines, value["range"]), "add")
    expect("a register of .pred" in ask("hover", "%%|p add")["contents"]["value"], True)
    expect(
        ".reg .s32 %0"
        in ask("hover", "%|0, %1, 7")["contents"]["value"].replace(".b32", ".s32").replace(".u32", ".s32"),
        True,
    )
    expect(len(ask("documentHighlight", "%%|p, %1")), 3)
    for silent in ("re|turn", "// add.s|32", "int |r, s"):
        expect(ask("hover", silent), None, silent)
        expect(ask("completion", silent)["items"], [], silent)
    text = CUDA
    client.change(uri, [{"text": text}])
    (item,) = ask("completion", "ld.gl|;")["items"]
    expect((item["label"], item["textEdit"]["newText"]), (".global", "ld.global"))
    expect(text_of(text.split("\n"), item["textEdit"]["range"]), "ld.gl")
    expect(ask("signatureHelp", "%1, |7")["activeParameter"], 2)
    for method in ("documentSymbol", "foldingRange"):
        expect(client.request(f"textDocument/{method}", {"textDocument": {"uri": uri}}), [])
    client.finish()


@test
def python_source():
    client = Client(PTXRAY)
    uri = "file:///kernels/a.py"
    text = (
        'x = tl.inline_asm_elementwise("add.s23 $0, $1, $2;", "=r,r,r", [a, b], dtype=tl.int32, is_pure=True, pack=1)\n'
    )
    client.open(uri, text, "python")
    (found,) = client.diagnostics(uri)
    expect(found["code"], "unknown-qualifier")
    expect(
        "add{.sat}.type d, a, b" in client.at("textDocument/hover", uri, place(text, "ad|d.s23"))["contents"]["value"],
        True,
    )
    client.finish()


# ---- life and bad input


@test
def life():
    client = Client(PTXRAY, start=False)
    expect(client.error("textDocument/hover", {}), -32002)
    bare = client.request("initialize", {"capabilities": {}})["capabilities"]
    expect((bare["renameProvider"], bare["codeActionProvider"]), (True, False))
    expect(client.error("initialize", {"capabilities": {}}), -32600)
    expect(client.error("no/such", {}), -32601)
    expect(client.error("textDocument/hover", {}), -32602)
    expect(client.error("textDocument/hover", None), -32602)
    client.request("shutdown", None)
    expect(client.error("textDocument/hover", {}), -32600)
    client.notify("exit", None)
    client.wait_for_end(0)
    client = opened()
    client.finish(status=1)
    client = opened()
    client.process.stdin.close()
    client.wait_for_end(1)


@test
def cancelling():
    client = opened(KERNEL * 300)
    ids = [client.start_request("textDocument/documentSymbol", {"textDocument": {"uri": URI}}) for _ in range(10)]
    for id in ids:
        client.notify("$/cancelRequest", {"id": id})
    answers = [client.wait(id) for id in ids]
    expect(all("result" in a or a["error"]["code"] == -32800 for a in answers), True)
    expect(any("error" in a for a in answers), True, "none was cancelled")
    client.notify("$/cancelRequest", {"id": 12345})
    client.notify("$/cancelRequest", None)
    client.finish()


@test
def odd_messages():
    client = opened()
    bodies = (
        (b"{", -32700),
        (b"", -32700),
        (b"\xff\xfe", -32700),
        (b"[]", -32600),
        (b"[" * 200_000 + b"]" * 200_000, -32600),
        (b'{"a":' * 200_000 + b"1" + b"}" * 200_000, -32600),
        (b"7", -32600),
        (b"null", -32600),
        (b"{}", -32600),
        (b'{"jsonrpc":"2.0"}', -32600),
        (b'{"jsonrpc":"2.0","id":null,"method":"shutdown"}', -32600),
        (b'{"jsonrpc":"2.0","id":[1],"method":"shutdown"}', -32600),
        (b'{"jsonrpc":"2.0","method":7}', -32600),
    )
    for number, (body, code) in enumerate(bodies, 1):
        client.send_raw(framed(body))
        while len(client.answers.get(None, [])) < number:
            client.receive()
        expect(client.answers[None][-1]["error"]["code"], code, body[:40])
    client.waiting.add(77)
    client.send({"id": 77, "method": "shutdown"})
    expect(client.wait(77)["error"]["code"], -32600, "no jsonrpc")
    client.send({"jsonrpc": "2.0", "id": 99, "result": None})
    client.send({"jsonrpc": "2.0", "method": "$/unknown", "params": {}})
    for params in ({}, [], 7, None, {"textDocument": 7}, {"textDocument": {"uri": URI}, "position": {"line": -1}}):
        for method in ("hover", "completion", "rename", "codeAction", "selectionRange", "semanticTokens/range"):
            client.error(f"textDocument/{method}", params)
        for method in ("didOpen", "didChange", "didClose", "didSave"):
            client.notify(f"textDocument/{method}", params)
    client.open(URI, KERNEL)
    client.waiting.add("text")
    client.send(
        {
            "jsonrpc": "2.0",
            "id": "text",
            "method": "textDocument/foldingRange",
            "params": {"textDocument": {"uri": URI}},
        }
    )
    expect("result" in client.wait("text"), True)
    client.finish()


@test
def headers():
    message = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"capabilities": {}}}).encode()
    for header in (
        b"content-length: %d\r\n\r\n",
        b"Content-Length:%d\r\n\r\n",
        b"CONTENT-LENGTH:   %d  \r\nContent-Type: application/vscode-jsonrpc; charset=utf-8\r\n\r\n",
        b"Content-Length: %d\n\n",
    ):
        client = Client(PTXRAY, start=False)
        client.waiting.add(1)
        client.send_raw(header % len(message) + message)
        expect("result" in client.wait(1), True, header)
        client.finish()
    for lost in (
        b"nonsense\r\n\r\n",
        b"Content-Length: x\r\n\r\n",
        b"\r\n",
        b"Content-Length: -1\r\n\r\n",
        b"a" * 10_000,
        b"Content-Length: 99999999999\r\n\r\n",
    ):
        client = opened()
        client.send_raw(lost)
        client.wait_for_end(1)
    for missing in (1, 2, len(message) // 2):  # the rest of the body has no line end, and no message follows
        client = Client(PTXRAY, start=False)
        client.send_raw(b"Content-Length: %d\r\n\r\n" % (len(message) - missing) + message)
        client.wait_for_end(1)
        expect([answer["error"]["code"] for answer in client.answers[None]], [-32700], missing)


@test
def hostile_texts():
    client = Client(PTXRAY)
    body = ".version 8.0\n.target sm_80\n.entry k() {\n"
    for text in (
        "",
        "\0",
        "{" * 100_000,
        "}" * 100_000,
        body + "{" * 50_000,
        body + "(" * 50_000,
        body + "@" * 1000,
        "/*",
        '"',
        body + "/*",
        body + '"',
        body + "%",
        body + "a:" * 1000,
        "é" * 1000,
        "𝄞\r",
    ):
        client.open(URI, text)
        at = {"textDocument": {"uri": URI}, "position": {"line": 3, "character": min(3, len(text))}}
        whole = {"textDocument": {"uri": URI}, "range": span((0, 0), (9, 9)), "context": {"diagnostics": []}}
        for method in ("hover", "completion", "signatureHelp", "definition", "documentHighlight"):
            client.request(f"textDocument/{method}", at)
        for method in ("documentSymbol", "foldingRange", "semanticTokens/full", "semanticTokens/range", "codeAction"):
            client.request(f"textDocument/{method}", whole)
        client.request("textDocument/inlayHint", whole)
        client.request("textDocument/references", {**at, "context": {"includeDeclaration": True}})
        client.request("textDocument/selectionRange", {"textDocument": {"uri": URI}, "positions": [at["position"]]})
        client.wait(client.start_request("textDocument/rename", {**at, "newName": "x"}))
        client.notify("textDocument/didClose", {"textDocument": {"uri": URI}})
    client.open(URI, body + "{" * 20_000 + "\nret;\n" + "}" * 20_001)
    inside = {"textDocument": {"uri": URI}, "positions": [{"line": body.count("\n") + 1, "character": 1}]}
    (selection,) = client.request("textDocument/selectionRange", inside)
    depth = 0
    while selection := selection.get("parent"):
        depth += 1
    expect(10 < depth < 100, True, f"{depth} selections within each other")
    client.finish()


def main():
    failed = 0
    for function in TESTS:
        try:
            function()
        except (Failure, AssertionError, KeyError, IndexError, TypeError, ValueError, OSError) as problem:
            failed += 1
            print(f"{function.__name__}: {type(problem).__name__}: {problem}")
    print(f"{len(TESTS) - failed} of {len(TESTS)} tests passed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
