#include "Module/Limits.h"
#include "Isa/Directives.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallSet.h"

namespace ptxray {

std::string targetName(const ModuleContext &context) {
  return context.target == anyTarget ? "this target" : std::string(isa::targets()[context.target].name);
}

/// Functions that ptxas itself brings.
static bool isBuiltIn(llvm::StringRef function) {
  return function == "vprintf" || function == "malloc" || function == "free" || function == "__assertfail" ||
         function.starts_with("__cuda_syscall");
}

void Limits::variable(const Declaration &declaration, uint64_t bytes) {
  const llvm::StringRef space = ast.text(declaration.space);
  const bool isExtern = declaration.linkage != SpellingId::None && ast.text(declaration.linkage) == ".extern";
  if (space == ".reg" || space == ".local")
    hasAbi = false;
  attributes(declaration.attributes);
  if (declaration.name == NameId::None)
    return; // `_`: reported as no name
  if (space == ".global" || space == ".const") {
    // ptxas itself ends an `.extern` whose size is known, and leaves out shared memory.
    Declared &known = declared[static_cast<uint32_t>(declaration.name)];
    known.range = declaration.nameRange;
    known.isVariable = known.isExtern = true;
    known.isDefined |= !isExtern || bytes;
  }
  if (isExtern)
    return;
  if (space == ".shared")
    shared[static_cast<uint32_t>(declaration.name)] = bytes;
  if (space != ".const")
    return;
  const uint64_t constantLimit = isa::limit(isa::LimitId::ConstBytes, availability);
  const bool fitted = constantBytes <= constantLimit;
  constantBytes += bytes;
  if (fitted && constantBytes > constantLimit)
    sink.report(DiagId::CodegenConstantSize, declaration.nameRange,
                {ast.text(declaration.name).str(), std::to_string(constantBytes), std::to_string(constantLimit)});
}

void Limits::function(const Function &function) {
  hasAbi &= function.returns.count < 2;
  Declared &known = declared[static_cast<uint32_t>(function.name)];
  if (!known.range.size())
    known.range = function.nameRange;
  known.isDefined |= function.hasBody;
  known.isExtern |= function.linkage != SpellingId::None && ast.text(function.linkage) == ".extern";
  attributes(function.directives);
  performance(function);
}

void Limits::attributes(Slice directives) {
  for (uint32_t i = directives.first; i < directives.end(); ++i)
    for (const Operand &operand : ast.operandsOf(ast.directives[i].operands))
      if (operand.suffix != SpellingId::None && ast.text(operand.suffix) == ".unified")
        sink.report(DiagId::CompileOnlyAttribute, operand.range);
}

/// Values of performance directives that no kernel can have.
void Limits::performance(const Function &function) {
  auto limit = [&](isa::LimitId id) { return static_cast<int64_t>(isa::limit(id, availability)); };
  const int64_t registerLimit = limit(isa::LimitId::ThreadRegisters), threadLimit = limit(isa::LimitId::BlockThreads),
                depthLimit = limit(isa::LimitId::BlockDepth);
  for (uint32_t i = function.directives.first; i < function.directives.end(); ++i) {
    const Directive &directive = ast.directives[i];
    const llvm::StringRef name = ast.text(directive.name);
    const llvm::ArrayRef<Operand> operands = ast.operandsOf(directive.operands);
    if (name == ".maxnreg") {
      if (!operands.empty() && operands.front().value > registerLimit)
        sink.report(DiagId::TooManyRegisters, operands.front().range,
                    {std::to_string(operands.front().value), std::to_string(registerLimit)});
    } else if (name == ".maxntid" || name == ".reqntid") {
      int64_t threads = 1;
      for (const Operand &operand : operands)
        threads *= std::clamp<int64_t>(operand.value, 1, threadLimit + 1);
      const bool isDeep = operands.size() > 2 && operands[2].value > depthLimit;
      if (threads > threadLimit || isDeep)
        sink.report(DiagId::TooManyThreads, directive.range,
                    {name.str(), isDeep ? std::to_string(depthLimit) + " in the third dimension"
                                        : std::to_string(threadLimit) + " in a block"});
    }
  }
}

void Limits::alias(NameId function) { declared[static_cast<uint32_t>(function)].isDefined = true; }

void Limits::body(FunctionSummary summary) {
  summaryOf[static_cast<uint32_t>(summary.name)] = static_cast<uint32_t>(summaries.size());
  summaries.push_back(std::move(summary));
}

void Limits::finish() {
  if (options.isFragment)
    return;
  visits.assign(summaries.size(), 0);
  uint32_t kernels = 0;
  for (const FunctionSummary &summary : summaries)
    if (summary.kind == FunctionKind::Entry)
      kernel(summary, ++kernels);
  unresolved();
}

/// What a kernel is compiled with: itself, and all functions that it names.
void Limits::kernel(const FunctionSummary &kernel, uint32_t number) {
  struct Step {
    uint32_t function;
    uint32_t next = 0; // of its references
  };
  std::vector<Step> path = {{summaryOf.lookup(static_cast<uint32_t>(kernel.name))}};
  const uint32_t onPath = number * 2, done = onPath + 1;
  visits[path.front().function] = onPath;
  llvm::DenseMap<uint32_t, bool> named;
  uint64_t bytes = 0;
  Range oneCta, ctaPair;
  auto enter = [&](const FunctionSummary &summary) {
    bytes += summary.sharedBytes;
    for (NameId variable : summary.shared)
      if (named.try_emplace(static_cast<uint32_t>(variable), true).second)
        bytes += shared.lookup(static_cast<uint32_t>(variable));
    if (!oneCta.size())
      oneCta = summary.oneCta;
    if (!ctaPair.size())
      ctaPair = summary.ctaPair;
  };
  enter(kernel);
  while (!path.empty()) {
    Step &step = path.back();
    const FunctionSummary &summary = summaries[step.function];
    if (step.next == summary.functions.size()) {
      visits[step.function] = done;
      path.pop_back();
      continue;
    }
    const FunctionSummary::Reference &reference = summary.functions[step.next++];
    auto found = summaryOf.find(static_cast<uint32_t>(reference.name));
    if (found == summaryOf.end() || (!hasAbi && !reference.isCall))
      continue;
    uint32_t &there = visits[found->second];
    if (there == onPath && !hasAbi)
      sink.report(DiagId::CodegenRecursion, reference.range, {ast.text(reference.name).str()});
    if (there >= onPath)
      continue;
    there = onPath;
    enter(summaries[found->second]);
    path.push_back({found->second});
  }
  const uint64_t most = context.target == anyTarget ? UINT64_MAX : isa::targets()[context.target].sharedBytes;
  if (bytes > most)
    sink.report(DiagId::CodegenSharedSize, kernel.nameRange,
                {ast.text(kernel.name).str(), std::to_string(bytes), targetName(context), std::to_string(most)});
  if (oneCta.size() && ctaPair.size()) {
    const bool pairIsLast = ctaPair.begin > oneCta.begin;
    sink.report(DiagId::CodegenCtaGroup, pairIsLast ? ctaPair : oneCta, {ast.text(kernel.name).str()})
        .notes.push_back({"the other group is used here", pairIsLast ? oneCta : ctaPair});
  }
}

/// Functions that are declared, or named, and never defined.
void Limits::unresolved() {
  for (const auto &[name, one] : declared) {
    const std::string text = ast.text(static_cast<NameId>(name)).str();
    if (!one.isDefined && !one.isExtern)
      sink.report(DiagId::UndefinedFunction, one.range, {text});
    else if (!one.isDefined && one.isVariable && options.wholeProgram)
      sink.report(DiagId::CodegenUnresolved, one.range, {text});
  }
  llvm::DenseMap<uint32_t, bool> reported;
  for (const FunctionSummary &summary : summaries)
    for (const FunctionSummary::Reference &reference : summary.functions) {
      const Declared &function = declared[static_cast<uint32_t>(reference.name)];
      const std::string name = ast.text(reference.name).str();
      if (function.isDefined || !reported.try_emplace(static_cast<uint32_t>(reference.name), true).second)
        continue;
      if (isBuiltIn(name)) {
        if (!reference.isCall)
          sink.report(DiagId::CodegenFunctionAddress, reference.range, {name});
        continue;
      }
      if (!options.wholeProgram && !function.isExtern)
        continue; // told at its declaration
      Diagnostic &d = sink.report(DiagId::CodegenUnresolved, reference.range, {name});
      d.notes.push_back({"declared here", function.range});
      if (!options.wholeProgram)
        d.severity = Severity::Pedantic;
    }
}

} // namespace ptxray
