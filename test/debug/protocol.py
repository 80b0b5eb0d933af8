#!/usr/bin/env python3
"""Tests `ptxray dap` with the client of this folder: protocol.py PTXRAY REPOSITORY"""

import base64
import contextlib
import pathlib
import random
import struct
import sys
import tempfile
import time
import unittest

from client import Client, Failed

PTXRAY, REPOSITORY = sys.argv.pop(1), pathlib.Path(sys.argv.pop(1)).resolve()
SAXPY = REPOSITORY / "test" / "emulate" / "saxpy.ptx"
CALLS = REPOSITORY / "test" / "debug" / "calls.ptx"
SAXPY_WORDS = ("--block=64", "2.5", "iota:f32:64", "fill:f32:64:1", "64")
LOOP = """.version 8.0
.target sm_80
.address_size 64
// line 100 "kernel.cu"
.visible .entry loop(.param .u64 out, .param .u32 rounds)
{
  .reg .b32 %r<4>;
  .reg .b64 %d<3>;
  .reg .pred %p;
  ld.param.u64 %d1, [out];
  ld.param.u32 %r1, [rounds];
  mov.u32 %r2, %tid.x;
again:
  mad.lo.u32 %r2, %r2, 1664525, 1013904223;
  xor.b32 %r2, %r2, %r1;
  sub.u32 %r1, %r1, 1;
  setp.ne.u32 %p, %r1, 0;
  @%p bra again;
  st.global.u32 [%d1], %r2;
  ret;
}
"""
MEET = """.version 8.0
.target sm_80
.address_size 64
.visible .entry meet(.param .u64 from, .param .u64 to)
{
  .reg .b32 %r<4>;
  .reg .b64 %d<4>;
  .shared .align 16 .b8 held[256];
  ld.param.u64 %d1, [from];
  mov.u32 %r1, %tid.x;
  mad.wide.u32 %d1, %r1, 4, %d1;
  mov.u32 %r2, held;
  mad.lo.u32 %r2, %r1, 4, %r2;
  cp.async.ca.shared.global [%r2], [%d1], 4;
  bar.sync 0;
  cp.async.wait_all;
  bar.sync 0;
  ld.param.u64 %d2, [to];
  mad.wide.u32 %d2, %r1, 4, %d2;
  ld.shared.u32 %r3, [%r2];
  st.global.u32 [%d2], %r3;
  ret;
}
"""


class Protocol(unittest.TestCase):
    def setUp(self):
        self.client = Client(PTXRAY)
        self.addCleanup(self.client.end)

    def start(self, program=SAXPY, words=SAXPY_WORDS, **more):
        self.client.launch(program, *words, **more)
        return self.client.wait("stopped")

    def text(self, name, text):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        path = pathlib.Path(folder.name) / name
        path.write_text(text)
        return path

    def test_abilities_are_requests(self):
        """Tests that every request that `initialize` announces is supported."""
        abilities = self.client.ask("initialize", adapterID="ptxray")
        requests = {
            "supportsConfigurationDoneRequest": "configurationDone",
            "supportsFunctionBreakpoints": "setFunctionBreakpoints",
            "supportsInstructionBreakpoints": "setInstructionBreakpoints",
            "supportsDataBreakpoints": "setDataBreakpoints",
            "supportsStepBack": "stepBack",
            "supportsRestartRequest": "restart",
            "supportsTerminateRequest": "terminate",
            "supportsEvaluateForHovers": "evaluate",
            "supportsExceptionInfoRequest": "exceptionInfo",
            "supportsReadMemoryRequest": "readMemory",
            "supportsWriteMemoryRequest": "writeMemory",
            "supportsSetVariable": "setVariable",
            "supportsSetExpression": "setExpression",
            "supportsDisassembleRequest": "disassemble",
        }
        self.assertEqual(set(abilities), set(requests))
        for name in requests.values():
            if name == "terminate":
                continue
            with self.assertRaises(Failed) as refused:
                self.client.ask(name)
            self.assertNotIn("there is no request", str(refused.exception))

    def test_breakpoints(self):
        self.start(lines=[38])
        self.assertEqual(
            self.client.move("continue"), {"threadId": 1, "allThreadsStopped": True, "reason": "breakpoint"}
        )
        self.assertEqual(self.client.top()["line"], 38)
        self.assertEqual(self.client.move("continue")["threadId"], 2)
        answer = self.client.ask(
            "setBreakpoints", source={"path": str(SAXPY)}, breakpoints=[{"line": 1}, {"line": 500}]
        )
        self.assertEqual([one["verified"] for one in answer["breakpoints"]], [True, False])
        self.assertEqual(answer["breakpoints"][0]["line"], 25)
        self.assertIsNone(self.client.move("continue"))
        self.assertEqual(self.client.close(), 0)

    def test_function_and_instruction_breakpoints(self):
        self.start(CALLS, ("--block=3", "zeros:u32:3"))
        answer = self.client.ask("setFunctionBreakpoints", breakpoints=[{"name": "factorial"}, {"name": "nothing"}])
        self.assertEqual([one["verified"] for one in answer["breakpoints"]], [True, False])
        self.client.move("continue")
        self.client.move("continue")
        frames = self.client.ask("stackTrace", threadId=1)["stackFrames"]
        self.assertEqual([one["name"] for one in frames], ["factorial", "factorial", "factorials"])
        here = frames[0]["instructionPointerReference"]
        self.client.ask("setFunctionBreakpoints", breakpoints=[])
        answer = self.client.ask(
            "setInstructionBreakpoints",
            breakpoints=[{"instructionReference": here, "offset": 1}, {"instructionReference": "x"}],
        )
        self.assertEqual([one["verified"] for one in answer["breakpoints"]], [True, False])
        self.client.move("continue")
        self.assertEqual(self.client.top()["line"], 10)
        self.client.ask("setInstructionBreakpoints", breakpoints=[])
        self.client.move("stepOut")
        self.assertEqual(self.client.top()["line"], 18)
        self.client.move("next")
        self.assertEqual(self.client.top()["line"], 20)

    def test_data_breakpoints(self):
        self.start()
        info = self.client.ask("dataBreakpointInfo", name="[y+4]")
        self.assertEqual(info["dataId"], "[y+4]")
        self.assertIsNone(self.client.ask("dataBreakpointInfo", name="[nowhere]")["dataId"])
        answer = self.client.ask("setDataBreakpoints", breakpoints=[{"dataId": "[y+4]"}])
        self.assertTrue(answer["breakpoints"][0]["verified"])
        self.assertEqual(self.client.move("continue")["reason"], "data breakpoint")
        self.assertEqual(self.client.top()["line"], 43)
        self.assertEqual(self.client.move("reverseContinue")["reason"], "entry")
        told = self.client.ask("evaluate", expression="continue", context="repl")["result"]
        self.assertIn("changed: [y+4] from 0x3f800000 to 0x40600000", told)

    def test_phases(self):
        """Tests that the kernel stops when a phase of a barrier object is complete. Its variable shows which threads
        wait, and since when."""
        program = REPOSITORY / "tools/playground/examples/pipeline.ptx"
        self.client.launch(program, "--schedule=lazy", "fill:f16:1024:1", "fill:f16:512:2", "zeros:f32:128", lines=[51])
        self.client.wait("stopped")
        self.client.move("continue")
        barriers = [one["name"] for one in self.client.variables("Barriers")]
        self.assertEqual(barriers[0], "block (0, 0, 0) object at 0x0")
        info = self.client.ask("dataBreakpointInfo", name=barriers[0])
        self.assertEqual(info["dataId"], "[shared:0x0] phase")
        self.client.ask("setBreakpoints", source={"path": str(program)}, breakpoints=[])
        answer = self.client.ask(
            "setDataBreakpoints", breakpoints=[{"dataId": info["dataId"]}, {"dataId": "%no phase"}]
        )
        self.assertEqual([one["verified"] for one in answer["breakpoints"]], [True, False])
        self.assertEqual(self.client.move("continue")["reason"], "data breakpoint")
        values = [one["value"] for one in self.client.variables("Barriers")]
        self.assertIn("in phase 1, of parity 1", values[0])
        self.client.move("continue")
        self.assertEqual(self.client.ask("ptxray/state")["barriers"][0]["phase"], 2)
        with self.assertRaises(Failed):
            self.client.ask("setExpression", expression="[full] phase", value="1")

    def test_variables(self):
        self.start(lines=[41])
        self.client.move("continue")
        registers = {one["name"]: one for one in self.client.variables("Registers")}
        self.assertEqual(registers["%f4"]["value"], "1 (0x3f800000)")
        self.assertEqual(registers["%f4"]["type"], ".f32")
        lanes = {one["name"]: one["variablesReference"] for one in self.client.variables("Lanes")}
        of_f4 = self.client.ask("variables", variablesReference=lanes["%f4"])["variables"]
        self.assertEqual([one["value"] for one in of_f4[:3]], ["1 (0x3f800000)", "3.5 (0x40600000)", "6 (0x40c00000)"])
        self.assertEqual(len(of_f4), 32)
        thread = {one["name"]: one["value"] for one in self.client.variables("Thread")}
        self.assertEqual((thread["%tid"], thread["%ntid"]), ("(0, 0, 0)", "(64, 1, 1)"))
        self.assertEqual(self.client.ask("evaluate", expression="%f1", context="hover")["result"], "2.5 (0x40200000)")
        self.assertEqual(self.client.ask("evaluate", expression="[x] 3 f32")["result"], "0x700000000000: 0 1 2")
        self.assertIn("mad.lo.u32", self.client.ask("evaluate", expression="why %r5")["result"])
        with self.assertRaises(Failed):
            self.client.ask("evaluate", expression="mul", context="hover")
        with self.assertRaises(Failed):
            self.client.ask("variables", variablesReference=10_000)

    def test_terminal_commands_move(self):
        self.start()
        self.client.ask("evaluate", expression="step 3", context="repl")
        self.assertEqual(self.client.wait("stopped")["reason"], "step")
        self.assertEqual(self.client.top()["line"], 28)

    def test_memory_and_disassembly(self):
        self.start()
        self.assertEqual(self.client.memory("0x700000000004", 4), b"\0\0\x80?")
        answer = self.client.ask("readMemory", memoryReference="0x700000000000", offset=252, count=100)
        self.assertEqual(answer["unreadableBytes"], 96)
        with self.assertRaises(Failed):
            self.client.ask("readMemory", memoryReference="nowhere", count=4)
        here = self.client.top()["instructionPointerReference"]
        lines = self.client.ask("disassemble", memoryReference=here, instructionOffset=-1, instructionCount=3)
        self.assertEqual(
            [one["instruction"] for one in lines["instructions"]],
            ["(none)", "25  ld.param.f32 %f1, [a];", "26  ld.param.u64 %d1, [x];"],
        )

    def test_other_values(self):
        """Tests that changed values are valid from that time on, and that earlier times keep the old values."""
        self.start(lines=[41])
        self.client.move("continue")
        frame = self.client.top()["id"]
        scopes = {one["name"]: one["variablesReference"] for one in self.client.ask("scopes", frameId=frame)["scopes"]}
        answer = self.client.ask(
            "setVariable", variablesReference=scopes["Registers of lane 0"], name="%f4", value="8.5"
        )
        self.assertEqual(answer["value"], "8.5 (0x41080000)")
        lanes = self.client.ask("variables", variablesReference=scopes["Lanes of the warp"])["variables"]
        of_f4 = next(one["variablesReference"] for one in lanes if one["name"] == "%f4")
        answer = self.client.ask("setVariable", variablesReference=of_f4, name="2", value="0x40000000")
        self.assertEqual(answer["value"], "2 (0x40000000)")
        answer = self.client.ask("setExpression", expression="[y+12]", value="0x3f000000")
        self.assertEqual(self.client.memory("y+12", 4), b"\0\0\0?")
        data = base64.b64encode(b"\0\0\0@").decode()
        answer = self.client.ask("writeMemory", memoryReference="y", offset=252, data=data)
        self.assertEqual(answer["bytesWritten"], 4)
        self.client.move("stepIn")
        self.client.move("stepIn")
        self.assertEqual(
            [self.client.memory("y", 16), self.client.memory("y+252", 4)],
            [struct.pack("<4f", 8.5, 3.5, 2, 8.5), struct.pack("<f", 2.5 * 63 + 2)],  # lane 3 did not use the value 0.5
        )
        for _ in range(3):
            self.client.move("stepBack")
        self.assertEqual(self.client.memory("y+12", 4), b"\0\0\x80?")
        for arguments in (
            {"variablesReference": scopes["Thread"], "name": "%tid", "value": "1"},
            {"variablesReference": scopes["Registers of lane 0"], "name": "%f77", "value": "1"},
            {"variablesReference": scopes["Registers of lane 0"], "name": "%f4", "value": "much"},
            {"variablesReference": of_f4, "name": "32", "value": "1"},
        ):
            with self.assertRaises(Failed):
                self.client.ask("setVariable", **arguments)
        for reference, written in (("y", "!"), ("y+253", data), ("nowhere", data), ("y", "")):
            with self.assertRaises(Failed):
                self.client.ask("writeMemory", memoryReference=reference, data=written)

    def test_memory_can_be_opened(self):
        self.start()
        memory = {one["name"]: (one["value"], one["memoryReference"]) for one in self.client.variables("Memory")}
        self.assertEqual(memory["argument 1 (x)"], ("256 bytes", "0x700000000000"))

    def test_faults(self):
        self.start(words=("--block=16", "1", "iota:f32:12", "zeros:f32:16", "16"))
        with self.assertRaises(Failed):
            self.client.ask("exceptionInfo", threadId=1)
        stopped = self.client.move("continue")
        self.assertEqual(stopped["reason"], "exception")
        self.assertIn("right after the end of `argument 1 (x)`", stopped["text"])
        self.assertEqual(self.client.ask("exceptionInfo", threadId=1)["exceptionId"], "run-out-of-bounds")
        self.assertEqual(self.client.top()["line"], 38)
        self.client.move("stepBack")
        self.assertEqual(self.client.top()["line"], 37)

    def test_warps(self):
        self.start(lines=[38])
        self.client.move("continue")
        self.client.move("continue")
        answer = self.client.ask("ptxray/warps")
        self.assertEqual([one["alive"] for one in answer["warps"]], [0, 0xFFFFFFFF])
        self.assertEqual(
            answer["warps"][1]["groups"], [{"lanes": 0xFFFFFFFF, "state": "running", "line": 38, "waitsFor": ""}]
        )
        self.assertEqual([one["id"] for one in self.client.ask("threads")["threads"]], [2])

    def test_state(self):
        """Tests that both warps of a pipeline wait, and one of two copies has ended."""
        program = REPOSITORY / "tools/playground/examples/pipeline.ptx"
        words = ("--schedule=lazy", "fill:f16:1024:1", "fill:f16:512:2", "zeros:f32:128")
        self.client.launch(program, *words)
        self.client.wait("stopped")
        for command in ("until 62", "warp 1", "until 92", "until 93", "warp 0", "until 51"):
            self.client.ask("evaluate", expression=command)
        state = self.client.ask("ptxray/state")
        self.assertEqual((state["block"], state["warp"], state["lane"], state["line"]), ([0, 0, 0], 0, 0, 51))
        self.assertEqual(state["hasEnded"], False)
        full, _, empty, _ = state["barriers"]
        found = [full[name] for name in ("variable", "phase", "came", "due", "missing")]
        self.assertEqual(found, ["full", 0, 512, 768, 0])
        self.assertEqual([empty[name] for name in ("variable", "expected", "missing")], ["empty", 32, 32])
        self.assertEqual([one["line"] for one in state["operations"]], [61, 60, 61])
        registers = {one["name"]: one["lanes"] for one in state["registers"]}
        self.assertEqual(registers["%thread"][31], "31 (0x1f)")
        self.assertTrue(all(len(lanes) == 32 for lanes in registers.values()))
        self.assertEqual([one["alive"] for one in state["warps"]], [0xFFFFFFFF] * 2)
        self.client.ask("evaluate", expression="continue")
        state = self.client.ask("ptxray/state")
        self.assertEqual((state["hasEnded"], state["faults"], state["registers"]), (True, [], []))

    def test_timeline(self):
        """Tests a timeline: warps run one after the other and wait at a barrier, and a copy is in flight until a
        warp waits for it."""
        kernel = self.text("meet.ptx", MEET)
        self.start(kernel, ("--block=64", "--schedule=lazy", "iota:u32:64", "zeros:u32:64"))
        past = self.client.ask("ptxray/timeline")
        self.assertEqual((past["from"], past["time"], past["stretches"], past["operations"]), (0, 0, [], []))
        self.client.ask("evaluate", expression="goto 20", context="repl")
        self.client.wait("stopped")
        past = self.client.ask("ptxray/timeline", length=20)
        self.assertEqual((past["from"], past["time"]), (0, 20))
        stretches = [tuple(one[name] for name in ("id", "begin", "end", "line", "waits")) for one in past["stretches"]]
        self.assertEqual(stretches, [(1, 0, 7, 15, True), (2, 7, 16, 17, True), (1, 16, 20, 19, False)])
        operations = [(one["id"], one["line"], one["begin"], one["end"]) for one in past["operations"]]
        self.assertEqual(operations, [(2, 14, 12, 15), (1, 14, 5, 17)])
        self.client.ask("evaluate", expression="goto 13", context="repl")
        self.client.wait("stopped")
        past = self.client.ask("ptxray/timeline", length=5)
        self.assertEqual((past["from"], past["stretches"][0]["begin"]), (8, 8))
        self.assertEqual(past["operations"], [{"id": 1, "line": 14, "begin": 8}, {"id": 2, "line": 14, "begin": 12}])
        self.assertIn("barrier 0", past["barriers"][0]["name"])
        self.client.move("stepBack")
        self.assertEqual(self.client.ask("ptxray/timeline")["time"], 6)  # the earlier time of the first warp

    def test_restart(self):
        self.start(lines=[38])
        self.client.move("continue")
        self.client.ask("restart")
        self.assertEqual(self.client.wait("stopped")["reason"], "entry")
        self.assertEqual(self.client.top()["line"], 25)

    def test_terminate(self):
        self.start()
        self.client.ask("terminate")
        self.assertEqual(self.client.process.wait(timeout=20), 0)

    def test_output(self):
        program = REPOSITORY / "test" / "emulate" / "printed.ptx"
        self.client.launch(program, "--grid=2", "--block=2", "5", stop=False)
        self.assertEqual(self.client.wait("output")["output"].splitlines()[0], "thread 0 of block 0 has 5 and 0.500000")
        self.client.wait("terminated")

    def test_pause_and_speed(self):
        loop = self.text("loop.ptx", LOOP)
        self.start(loop, ("--block=32", "--time-limit=0", "zeros:u32:1", "0"))  # 2^32 iterations
        self.client.ask("continue", threadId=1)
        time.sleep(0.3)
        self.client.ask("pause", threadId=1)
        self.assertEqual(self.client.wait("stopped")["reason"], "pause")
        self.assertIn(self.client.top()["line"], range(14, 19))
        self.assertEqual(self.client.close(), 0)

    def test_step_late_in_a_long_kernel(self):
        """Tests steps after 10^8 lane instructions. In either direction, a step takes at most two seconds in a slow
        build."""
        loop = self.text("loop.ptx", LOOP)
        self.start(loop, ("--block=32", "zeros:u32:1", "625000"))
        self.client.ask("evaluate", expression="goto 3000000", context="repl")
        self.client.wait("stopped")
        began = time.monotonic()
        self.client.move("stepIn")
        self.client.move("stepBack")
        self.assertLess(time.monotonic() - began, 20)
        thread = {one["name"]: one["value"] for one in self.client.variables("Thread")}
        self.assertEqual(thread["time"], "3000000")

    def test_what_cannot_be_launched(self):
        self.client.ask("initialize", adapterID="ptxray")
        broken = self.text("broken.ptx", LOOP.replace("mad.lo.u32", "mad.low.u32"))
        for program, words, why in (
            ("nowhere.ptx", [], "No such file"),
            (str(SAXPY), ["--block=64"], "4 parameters"),
            (str(SAXPY), ["--blocks=64"], "--blocks"),
            (str(SAXPY), ["--block=64", "2.5", "iota:f33:64", "zeros:4", "64"], "f33"),
            (str(SAXPY), ["--block=4096", "2.5", "iota:f32:64", "zeros:4", "64"], "4096"),
            (str(broken), ["zeros:4", "1"], "mad.low.u32"),
        ):
            with self.assertRaises(Failed) as refused:
                self.client.ask("launch", program=program, args=words)
            self.assertIn(why, str(refused.exception))
        for arguments in (
            {},
            {"program": 5},
            {"program": str(SAXPY), "args": 7},
            {"program": str(SAXPY), "args": [[]]},
        ):
            with self.assertRaises(Failed):
                self.client.ask("launch", **arguments)
        self.assertEqual(self.client.close(), 0)

    def test_hostile_requests(self):
        """Tests that requests with arguments of any kind are answered, before and after a launch."""
        pick = random.Random(7)
        values = [
            "continue",
            "watch %f4",
            "watch [x] 4",
            "lanes %f4",
            "why %r5",
            "x [x] 9999 f64",
            "goto 30",
            "delete w1",
            "set %r5 1",
            "set [x] 1,2 f16",
            "matrix a",
            "%f4",
            "AAAA",
        ]
        values += [
            None,
            -1,
            0,
            1 << 60,
            1.5,
            "",
            "x" * 5000,
            [],
            [1],
            {},
            {"path": 3},
            True,
            "%r1",
            "[0]",
            "0x100000000",
        ]
        names = ["threadId", "frameId", "variablesReference", "source", "breakpoints", "expression", "memoryReference"]
        names += ["count", "offset", "instructionOffset", "instructionCount", "name", "lines", "args", "granularity"]
        names += ["value", "data"]
        commands = [
            "threads",
            "stackTrace",
            "scopes",
            "variables",
            "evaluate",
            "exceptionInfo",
            "readMemory",
            "disassemble",
        ]
        commands += ["setBreakpoints", "setFunctionBreakpoints", "setInstructionBreakpoints", "setDataBreakpoints"]
        commands += [
            "dataBreakpointInfo",
            "setVariable",
            "setExpression",
            "writeMemory",
            "setExceptionBreakpoints",
            "ptxray/timeline",
            "ptxray/warps",
            "ptxray/state",
            "stepBack",
            "next",
            "stepIn",
            "nothing",
        ]

        def storm(count):
            for _ in range(count):
                arguments = {name: pick.choice(values) for name in pick.sample(names, pick.randrange(6))}
                with contextlib.suppress(Failed):
                    self.client.ask(pick.choice(commands), **arguments)

        storm(300)
        self.start()
        storm(700)
        self.client.events.clear()
        self.client.ask("restart")
        self.assertEqual(self.client.wait("stopped")["reason"], "entry")

    def test_what_is_no_message(self):
        for body in (
            b"{",
            b"[]",
            b"7",
            b'{"type":"request"}',
            b'{"seq":"a","type":"request","command":"threads"}',
            b"\xff",
        ):
            self.client.send_bytes(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        self.assertEqual(self.client.ask("threads"), {"threads": []})
        self.client.send_bytes(b"no header\r\n\r\n")
        self.client.process.stdin.close()
        self.assertEqual(self.client.process.wait(timeout=20), 1)

    def test_memory_of_many_movements(self):
        self.start(lines=[38])

        def pages():
            """Returns the numbers of reserved and of resident pages of the program."""
            return [int(one) for one in pathlib.Path(f"/proc/{self.client.process.pid}/statm").read_text().split()[:2]]

        if pages()[0] > 1 << 30:
            self.skipTest("a build with sanitizers keeps what is freed")
        for count in range(1000):
            if count == 200:
                before = pages()[1]
            self.client.ask("restart")
            self.client.wait("stopped")
        self.assertLess(pages()[1], 1.2 * before + 500)


if __name__ == "__main__":
    unittest.main()
