# These calls use Triton and builders of MLIR. //@ skipped 4
TEMPLATE = """
    cvt.rn.f16x2.f32 $0, $1, $2;
"""
TWICE = "add.s33 $0, $1;"
TWICE = "add.s32 $0, $1, $1;"


def kernel(x, y, inline_asm, loc):
    a = tl.inline_asm_elementwise(
        asm="""
        {
          .reg .b16 h;   // add.s33
          cvt.rn.f16.f32 h, $1;
          mov.b32 $0, {h, h, h};  // error: [vector-length]
        }
        """,
        constraints="=r,f",
        args=[x],
        dtype=tl.int32,
        is_pure=True,
        pack=1,
    )
    tl.inline_asm_elementwise(TEMPLATE, "=r,f,f", [x, y], dtype=tl.int32, is_pure=True, pack=1)
    tl.inline_asm_elementwise(TWICE, "=r,r", [x], dtype=tl.int32, is_pure=True, pack=1)
    tl.inline_asm_elementwise(f"add.{x} $0, $1;", "=r,r", [x], dtype=tl.int32, is_pure=True, pack=1)
    llvm.inline_asm(
        T.i32(),
        [x.ir_value(loc=loc), y],
        "add.s32 $0, $1, " + "$3;",  # // error: [inline-operand-index]
        "=r,r,r",
        has_side_effects=False,
    )
    llvm.inline_asm(None, [x], "{ .reg .pred p; setp.ne.s32 p, $0, 0; @p trap; }", "r,~{memory}")
    llvm.inline_asm(T.i32(), [x], 'add.s32 $0, ${1}, 1;\n' r"mov.u32 $0, %tid.x;", "=r,0")
    tl.inline_asm_elementwise("bar.sync 0;", "=r", [], dtype=tl.int32, is_pure=False, pack=1)
    return a


def grows(x, known):
    text = "{ .reg .pred p; setp.ne.s32 p, $1, 0;"
    text += "@p mov.u32 $0, 1; }"
    tl.inline_asm_elementwise(text, "=r,r", [x], dtype=tl.int32, is_pure=True, pack=1)
    tl.inline_asm_elementwise(known, "=r,r", [x], dtype=tl.int32, is_pure=True, pack=1)
    # The last operand uses the register of the first.
    llvm.inline_asm(T.i32(), [x, x], "add.s32 $0, $0, $1;", "=r,r,0")
    llvm.inline_asm(T.i32(), [x], "add.s32 $0, $0, $1;", "=r,r")  # // warning: [output-read-first]


known = "add.s32 $0, $1;"
