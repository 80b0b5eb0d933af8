// Assembly of Rust for nvptx64, beside that of other machines. //@ skipped 1
#![feature(asm_experimental_arch)]
#![no_std]
use core::arch::asm;

/* a comment /* in a comment */ asm!("add.s33 {0}, 1;") */
const TEXT: &str = "asm!(\"add.s33\")";
const RAW: &str = r#"asm!("add.s33 "{0}", 1;")"#;

pub unsafe fn lifetimes<'a>(p: &'a u32) -> u32 {
    let quote = '"';
    let x: u32;
    asm!("mov.u32 {}, %laneid;", out(reg32) x, options(pure, nomem));
    let y: u32;
    asm!("add.u32 {0}, {1}, {n};", lateout(reg32) y, in(reg32) x, n = const 4);
    asm!("add.u32 {1}, {0}, 1;", in(reg32) x, out(reg32) y);
    asm!("add.s33 {1}, {0}, 1;", in(reg32) x, out(reg32) y); // error: [unknown-qualifier]
    asm!("ld.global.u32 {to}, [{from}];", from = in(reg64) p, to = out(reg32) y);
    asm!("ld.global.u32 {to}, [{from}];", from = in(reg32) x, to = out(reg32) y); // error: [codegen-address-32]
    asm!(
        "{{",
        ".reg .pred %p;",
        "setp.ne.u32 %p, {0}, 0;",
        "@%p trap", // error: [expected-semicolon]
        "}}",
        in(reg32) x,
    );
    asm!("shl.b64 {0}, {0}, 3;", inout(reg64) p => _);
    asm!("mov.u16 {0}, {1};", out(reg16) _, in(reg32) x); // error: [operand-size]
    asm!("mov.u32 {0}, %tid.x;", out(reg32) _); asm!(r"mov.u32 {0}, %tid.w0;", out(reg32) _); // error: [unknown-field]
    asm!("membar.gl;", "bar.sync 0, 33;", options(nostack)); // error: [immediate-value:step]
    asm!("bar.sync {0}, {1};", const 1, const 64);
    asm!("nop {0:e}", in(reg) x);
    asm!("mov eax, {0:e}", in(reg) x, out("eax") _);
    y
}

pub unsafe fn declares(p: u64) -> u32 {
    let x: u32;
    asm!(".reg .pred p;");
    asm!("isspacep.global p, {};", in(reg64) p);
    asm!("selp.u32 {}, 1, 0, p;", out(reg32) x);
    asm!("call ({}), _optix_get_hit_kind, ();", out(reg32) x); // OptiX compiles it, which has that function
    asm!("call ({}), _other_get_hit_kind, ();", out(reg32) x); // error: [undefined-symbol]
    x
}

pub unsafe fn declares_nothing(x: &mut u32) {
    asm!("selp.u32 {}, 1, 0, p;", out(reg32) *x); // error: [undefined-symbol]
}

#[cfg(target_arch = "x86_64")]
pub unsafe fn host() {
    asm!("nop");
    asm!(concat!("mov ", "rax, rax"));
}
