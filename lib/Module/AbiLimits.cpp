// Rules about features that require the ABI, which a function with several results disables for the whole module. Also
// checks pointers to constants, which ptxas stores separately.
#include "Diagnostics/Diagnostic.h"
#include "Module/ProgramRules.h"

namespace ptxray {
namespace {

/// Finds the first call on a recursive cycle.
class Recursion {
public:
  Recursion(const ProgramSummary &program, const ProgramContext &context)
      : program(program), context(context), states(program.functions.size(), New) {}

  void follow(uint32_t kernel);

private:
  enum State : uint8_t { New, OnPath, Done };
  struct Step {
    uint32_t function;
    uint32_t next = 0; // index of the next reference
  };

  const ProgramSummary &program;
  const ProgramContext &context;
  std::vector<State> states;
};

} // namespace

void Recursion::follow(uint32_t kernel) {
  std::vector<Step> path = {{kernel}};
  states[kernel] = OnPath;
  while (!path.empty()) {
    Step &step = path.back();
    const std::vector<Reference> &references = program.functions[step.function].functions;
    if (step.next == references.size()) {
      states[step.function] = Done;
      path.pop_back();
      continue;
    }
    const Reference &reference = references[step.next++];
    const std::optional<uint32_t> callee = program.bodyOf(reference.name);
    if (!callee || !reference.isCall || states[*callee] == Done)
      continue;
    if (states[*callee] == OnPath) {
      context.sink.report(DiagId::CodegenRecursion, reference.range, context.ast.text(reference.name));
      continue;
    }
    states[*callee] = OnPath;
    path.push_back({*callee});
  }
}

void checkWithoutAbi(const ProgramSummary &program, const ProgramContext &context) {
  if (program.hasAbi)
    return;
  Recursion recursion(program, context);
  for (uint32_t i = 0; i < program.functions.size(); ++i)
    if (program.functions[i].kind == FunctionKind::Entry)
      recursion.follow(i);
  if (!program.severalReturns.size())
    return;
  const auto require = [&](Range range, const std::string &what) {
    context.sink.report(DiagId::CodegenAbi, range, what)
        .notes.push_back({"this function has several results", program.severalReturns});
  };
  if (context.options.linking == Linking::Separate)
    context.sink.report(DiagId::CodegenSeparate, program.severalReturns, "a function with several results");
  std::vector<bool> isReached(program.functions.size());
  Reaches reaches(program, false);
  for (uint32_t i = 0; i < program.functions.size(); ++i)
    if (program.functions[i].kind == FunctionKind::Entry)
      for (const uint32_t index : reaches.of(i).functions)
        isReached[index] = true;
  for (uint32_t i = 0; i < program.functions.size(); ++i) {
    const FunctionSummary &function = program.functions[i];
    if (function.indirectCall.size())
      require(function.indirectCall, "call");
    for (const Reference &reference : function.functions)
      if (reference.isCall ? !program.bodyOf(reference.name) && isOfCompiler(context.ast.text(reference.name))
                           : isReached[i])
        require(reference.range, context.ast.text(reference.name).str());
  }
}

void checkPreserved(const Ast &ast, Slice directives, uint64_t most, DiagnosticSink &sink) {
  for (const Directive &directive : llvm::ArrayRef(ast.directives).slice(directives.first, directives.count)) {
    const llvm::ArrayRef<Operand> operands = ast.operandsOf(directive.operands);
    if (ast.text(directive.name) != llvm::StringRef(isa::directive(isa::DirectiveId::AbiPreserve).name()) ||
        operands.empty() || static_cast<uint64_t>(operands.front().value) <= most ||
        static_cast<uint64_t>(operands.front().value) > UINT32_MAX) // reported by another rule
      continue;
    sink.report(DiagId::CodegenAbiPreserve, operands.front().range, operands.front().value, most);
  }
}

void checkLocalSize(const ProgramSummary &program, const Reach &reach, const ProgramContext &context) {
  if (!program.severalReturns.size())
    return;
  const FunctionSummary &kernel = program.functions[reach.kernel()];
  uint64_t bytes = 0;
  for (const uint32_t index : reach.functions)
    bytes += program.functions[index].localBytes;
  if (const uint64_t most = context.limit(isa::LimitId::StacklessLocalBytes); bytes > most)
    context.sink.report(DiagId::CodegenLocalSize, kernel.nameRange, context.ast.text(kernel.name), bytes, most);
}

void checkConstantPointers(const ProgramSummary &program, const ProgramContext &context) {
  const auto points = [](const FunctionSummary &function) { return function.constantPointer.size() > 0; };
  const auto kernel = std::find_if(program.functions.begin(), program.functions.end(), points);
  if (kernel == program.functions.end())
    return;
  const std::vector<bool> called = Reaches(program, false).called();
  for (uint32_t i = 0; i < program.functions.size(); ++i) {
    const FunctionSummary &function = program.functions[i];
    const bool becomesPartOfCaller = called[i] && !function.isExported;
    if (function.constantConversion.size() && !becomesPartOfCaller)
      context.sink
          .report(DiagId::CodegenConstantPointer, function.constantConversion, context.ast.text(function.conversion))
          .notes.push_back({"this parameter points to `.const`", kernel->constantPointer});
  }
}

} // namespace ptxray
