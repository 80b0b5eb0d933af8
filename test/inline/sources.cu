//@ skipped 6
// Sources in literals: of NVRTC, of a program that writes CUDA, of a module.
const char *raw = R"cuda(
__global__ void k(unsigned *o) {
  unsigned r;
  asm volatile("mov.gobal.u32 %0, 1;" : "=r"(r)); // error: [unknown-qualifier]
  asm volatile("mov.u32 %0, {value};" : "=r"(r));
  *o = r;
}
)cuda";
const char *escaped = "__device__ unsigned f(unsigned x) {\n"
                      "  asm(\"add.u33 %0, %0, 1;\" : \"+r\"(x)); return x; }\n"; // error: [unknown-qualifier]
const char *part = "  asm volatile(\"add.u33 %0, %0, 1;\" : \"+r\"(x));\n";
const char *open_ended = "  asm volatile(\"add.u33 %%0, %%0, ";
const char *module = ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k() { ret; }\n";
const char *llvm_text = "target triple = \"nvptx64-nvidia-cuda\"\ndefine void @f() {\n  call void asm sideeffect \"trapp;\", \"\"()\n ret void\n}\n"; // error: [unknown-instruction]
const char *plain = "no asm (\"here\")";
void host(const char *name) {
#if 0
  asm("mov.b33 %0, %0;" : "+r"(x));
#endif
  compile(R"(__device__ void g() { asm("mov.b32 %0, %s;" : "=r"(x)); })", name);
}
