#pragma once
// Limits that only code generation looks at, and that the module alone decides.
#include "Isa/Availability.h"
#include "Module/CheckOptions.h"
#include "Parse/Ast.h"
#include "llvm/ADT/DenseMap.h"

namespace ptxray {

std::string targetName(const ModuleContext &context);

/// What the checks of the whole module need to know of a function.
struct FunctionSummary {
  struct Reference {
    NameId name;
    Range range; // where it is named first
    bool isCall;
  };
  NameId name = NameId::None;
  FunctionKind kind = FunctionKind::Func;
  Range nameRange;
  uint64_t sharedBytes = 0;         // declared in it
  std::vector<NameId> shared;       // variables of the module that it names
  std::vector<Reference> functions; // that it names
  Range oneCta, ctaPair;            // the first instruction with that effect; empty: none
};

class Limits {
public:
  Limits(const Ast &ast, const ModuleContext &context, const CheckOptions &options, DiagnosticSink &sink)
      : ast(ast), context(context), availability(context), options(options), sink(sink) {}

  /// Of the module or a body.
  void variable(const Declaration &declaration, uint64_t bytes);
  void function(const Function &function);
  void alias(NameId function);
  void body(FunctionSummary summary);
  void finish();

private:
  struct Declared {
    Range range;
    bool isExtern = false;
    bool isDefined = false;
    bool isVariable = false; // an array whose size is left open
  };
  void attributes(Slice directives);
  void performance(const Function &function);
  /// `number` is its place among the kernels.
  void kernel(const FunctionSummary &kernel, uint32_t number);
  void unresolved();

  const Ast &ast;
  const ModuleContext context;
  const Availability availability;
  const CheckOptions &options;
  DiagnosticSink &sink;
  uint64_t constantBytes = 0;
  bool hasAbi = true;                           // without it, there is no stack to recurse on
  llvm::DenseMap<uint32_t, uint64_t> shared;    // bytes by NameId, of the module
  llvm::DenseMap<uint32_t, Declared> declared;  // by NameId
  llvm::DenseMap<uint32_t, uint32_t> summaryOf; // by NameId: index
  std::vector<FunctionSummary> summaries;
  std::vector<uint32_t> visits; // by summary: which kernel came last, and is it on the path still
};

} // namespace ptxray
