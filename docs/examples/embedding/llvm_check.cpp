// Compiles a module of LLVM to PTX in memory and checks it, as a compiler does with what it emits:
//
//   c++ -std=c++20 llvm_check.cpp $(llvm-config --cppflags --ldflags --libs) $(pkg-config --cflags --libs ptxray)
//   ./a.out kernel.ll sm_90
//
// The module never becomes a file. A checker that lives as long as the compiler costs some 100 us a kernel.
#include "ptxray/ptxray.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/IRReader/IRReader.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Triple.h"
#include <optional>

/// Empty: LLVM cannot compile it.
static llvm::SmallString<0> ptxOf(llvm::Module &module, const char *gpu) {
  llvm::InitializeAllTargetInfos();
  llvm::InitializeAllTargets();
  llvm::InitializeAllTargetMCs();
  llvm::InitializeAllAsmPrinters();
  llvm::SmallString<0> ptx;
  std::string reason;
  const llvm::Triple triple("nvptx64-nvidia-cuda");
#if LLVM_VERSION_MAJOR >= 22
  const llvm::Target *target = llvm::TargetRegistry::lookupTarget(triple, reason);
#else
  const llvm::Target *target = llvm::TargetRegistry::lookupTarget(triple.str(), reason);
#endif
  if (!target) {
    llvm::errs() << reason << '\n';
    return ptx;
  }
#if LLVM_VERSION_MAJOR >= 21
  const std::unique_ptr<llvm::TargetMachine> machine(
      target->createTargetMachine(triple, gpu, "+ptx86", llvm::TargetOptions(), std::nullopt));
  module.setTargetTriple(triple);
#else
  const std::unique_ptr<llvm::TargetMachine> machine(
      target->createTargetMachine(triple.str(), gpu, "+ptx86", llvm::TargetOptions(), std::nullopt));
  module.setTargetTriple(triple.str());
#endif
  module.setDataLayout(machine->createDataLayout());
  llvm::raw_svector_ostream out(ptx);
  llvm::legacy::PassManager passes;
  if (!machine->addPassesToEmitFile(passes, out, nullptr, llvm::CodeGenFileType::AssemblyFile))
    passes.run(module);
  return ptx;
}

int main(int argc, char **argv) {
  if (argc != 3)
    return 2;
  llvm::LLVMContext context;
  llvm::SMDiagnostic problem;
  const std::unique_ptr<llvm::Module> module = llvm::parseIRFile(argv[1], problem, context);
  if (!module) {
    problem.print(argv[0], llvm::errs());
    return 2;
  }
  const llvm::SmallString<0> ptx = ptxOf(*module, argv[2]);
  ptxray::Checker checker;
  const ptxray::Result result = checker.check({ptx.data(), ptx.size()});
  for (const ptxray::Diagnostic &d : result.diagnostics)
    llvm::outs() << d.begin.line << ':' << d.begin.column << ": " << d.message << " [" << d.rule << "]\n";
  llvm::outs() << ptx.size() << " bytes for " << result.target << ": " << result.diagnostics.size() << " findings\n";
  return result.target.empty() || !result.diagnostics.empty();
}
