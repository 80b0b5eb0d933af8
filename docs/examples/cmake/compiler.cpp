// A compiler that checks what it has just written, without a file: exit status 1 when it is wrong.
#include <iostream>
#include <ptxray/ptxray.h>

static std::string kernel(const std::string &statement) {
  return ".version 8.0\n.target sm_90a\n.visible .entry k()\n{\n\t.reg .f32 %x<2>;\n\tmov.f32 %x0, 0f3F800000;\n\t" +
         statement + "\n\tret;\n}\n";
}

int main(int argc, char **argv) {
  const std::string text = kernel(argc > 1 ? argv[1] : "add.f32 %x1, %x0, %x0;");
  const ptxray::Result result = ptxray::check(text, ptxray::Options().set("arch", "sm_90a"));
  for (const ptxray::Diagnostic &d : result.diagnostics) {
    std::cout << d.begin.line << ':' << d.begin.column << ": " << d.message << " [" << d.rule << "]\n";
    if (d.fix)
      std::cout << "  fix: " << d.fix->title << '\n';
  }
  return result.hasErrors();
}
