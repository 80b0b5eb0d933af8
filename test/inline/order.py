# The result may be the last constraint, and a text may refer to declarations of another text.
def last(address, value):
    return llvm.inline_asm(i32, [address, value], "st.shared::cluster.f32 [$0], $1; mov.u32 $2, 0;", "r,f,=r")


def wrong(address, value):
    return llvm.inline_asm(i32, [address, value], "st.shared::cluster.f32 [$0], $2; mov.u32 $1, 0;", "r,f,=r")  # // warning: [input-operand-written]; warning: [output-read-first]; warning: [inline-register-type]


def between(value):
    return llvm.inline_asm(i32, [value], "add.u32 $1, $0, 1; add.u32 $2, $0, 2;", "r,=r,=r,~{memory}")


def first(x):
    return tl.inline_asm_elementwise(
        """
        .shared .align 4 .b8 scratch[64];
        .reg .pred %seen<2>;
        st.shared.f32 [scratch], $1; mov.f32 $0, $1;""",
        "=f,f", [x], dtype=tl.float32, is_pure=False, pack=1)


def second(x):
    return tl.inline_asm_elementwise("@%seen1 ld.shared.f32 $0, [scratch];", "=f,f", [x], dtype=tl.float32, is_pure=False, pack=1)


def third(x):
    return tl.inline_asm_elementwise("ld.shared.f32 $0, [scrtch];", "=f,f", [x], dtype=tl.float32, is_pure=False, pack=1)  # // error: [undefined-symbol]
