# These calls have valid and invalid arguments of all kinds. //@ skipped 1
import triton
import triton.language as tl
from cutlass._mlir.dialects import llvm

ASM_OK = "cvt.rn.f16x2.e4m3x2 $0, $1;"
ASM_BAD = "cvt.rn.f16x2.e4m3x3 $0, $1;"  # // error: [unknown-qualifier]

@triton.jit
def k1(x):
    y = tl.inline_asm_elementwise(ASM_BAD, "=r,h", [x], dtype=tl.float16, is_pure=True, pack=2)
    z = tl.inline_asm_elementwise(ASM_OK, "=r,h", [x], dtype=tl.float16, is_pure=True, pack=2)
    (a, b) = tl.inline_asm_elementwise(
        asm="""
        {
            .reg .b8 tmp<4>;
            mov.b32 {tmp0, tmp1, tmp2, tmp3}, $8;
            cvt.u32.u8 $0, tmp0;
            cvt.u32.u8 $1, tmp1;
            cvt.u32.u8 $2, tmp2;
            cvt.u32.u8 $3, tmp3;
            cvt.u32.u9 $4, tmp3;  // error: [unknown-qualifier]
        }
        """,
        constraints=("=r,=r,=r,=r,=r,=r,=r,=r,"
                     "r,r,r,r"),
        args=[x, y], dtype=(tl.int32, tl.float32), is_pure=True, pack=4)
    w = tl.inline_asm_elementwise("add.f32 $0, $1, $3;", "=f,f,f", [x, y], dtype=tl.float32, is_pure=True, pack=1)  # // error: [inline-operand-index]
    w = tl.inline_asm_elementwise("globaltimer.u32 $0;", "=r", [], dtype=tl.int32, is_pure=False, pack=1)  # // error: [unknown-instruction]
    w = tl.inline_asm_elementwise("mov.u64 $0, %globaltimer;", "=l", [], dtype=tl.int64, is_pure=False, pack=1)
    w = tl.inline_asm_elementwise("mov.u32 $0, %globaltimer;", "=l", [], dtype=tl.int64, is_pure=False, pack=1)  # // error: [operand-size]
    w = tl.inline_asm_elementwise("mov.u32 $0, %smid;", "=r", [], dtype=tl.int32, is_pure=True, pack=1)
    w = tl.inline_asm_elementwise('''ld.acquire.gpu.global.b32 $0, [$1];''', ("=r, l"), [x], dtype=tl.int32, is_pure=False, pack=1)
    w = tl.inline_asm_elementwise('''ld.aquire.gpu.global.b32 $0, [$1];''', ("=r, l"), [x], dtype=tl.int32, is_pure=False, pack=1)  # // error: [unknown-qualifier]
    w = tl.inline_asm_elementwise("shl.b32 $0, $1, 4", "=r,r", [x], dtype=tl.int32, is_pure=True, pack=1)  # // error: [expected-semicolon]
    w = tl.inline_asm_elementwise("shl.b32 $0, $1, 4;", "=r,q8", [x], dtype=tl.int32, is_pure=True, pack=1)  # // error: [inline-constraint]
    w = tl.inline_asm_elementwise(r"shl.b32 $0, $1, 4;" + f"// {w}", "=r,r", [x], dtype=tl.int32, is_pure=True, pack=1)

def mlir(loc=None, ip=None, name="x"):
    llvm.inline_asm(None, [], "fence.proxy.async.shared::cta;", "", has_side_effects=True, is_align_stack=False, asm_dialect=llvm.AsmDialect.AD_ATT)
    llvm.inline_asm(None, [], "fence.proxy.asynk.shared::cta;", "", has_side_effects=True, is_align_stack=False, asm_dialect=llvm.AsmDialect.AD_ATT)  # // error: [unknown-qualifier]
    llvm.inline_asm(T.i32(), [a, b], "prmt.b32 $0, $1, $2, 0x5410;", "=r,r,r")
    llvm.inline_asm(T.i32(), [a, b], "prmt.b32 $0, $1, $2;", "=r,r,r")  # // error: [missing-operand]
    llvm.inline_asm(T.i32(), [a, b], "prmt.b32 $0, $1, $2, 0x5410;", "=r,r,r,~{memory},~{flags}")
    llvm.inline_asm(llvm.StructType.get_literal([T.f32(), T.f32()]), [a], "mov.b64 {$0, $1}, $2;", "=f,=f,l")
    llvm.inline_asm(llvm.StructType.get_literal([T.f32(), T.f32()]), [a], "mov.b64 {$0, $1}, $2;", "=f,=f,r")  # // error: [operand-size]
