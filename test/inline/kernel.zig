// Zig is not read, and its statements are counted. //@ skipped 1
fn lane() u32 {
    return asm volatile ("mov.u32 %[r], %laneid;"
        : [r] "=r" (-> u32),
    );
}
