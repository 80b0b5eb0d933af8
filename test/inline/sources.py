# These texts contain sources for load_inline and RawModule. //@ skipped 3
load_inline("m", cuda_sources=r"""
__global__ void k(unsigned *o) {
  unsigned r;
  asm volatile("ld.gobal.u32 %0, [%1];" : "=r"(r) : "l"(o)); // error: [unknown-qualifier]
}
""")
made = f'__global__ void k() {{ asm volatile("mov.{kind} %0, 1;" : "=r"(r)); }}'
called = asm("cp.async.cg.shared.global [%0], [%1], 16;", inputs=[a, b])
module.load(".version 8.0\n.target sm_80\n.address_size 64\n")
