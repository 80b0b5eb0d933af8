#include "Flow/Body.h"
#include "Isa/Isa.h"
#include "Parse/Interner.h"
#include "llvm/ADT/STLExtras.h"

namespace ptxray {

void BodyChecker::begin(const Function &function) {
  resizeUses(ast.names->size()); // the whole body is read
  sequence.clear();
  references.clear();
  firstInstruction = static_cast<uint32_t>(ast.instructions.size());
  for (uint32_t i = function.body.first; i < function.body.end(); ++i)
    if (ast.statements[i].kind == StatementKind::Instruction) {
      firstInstruction = ast.statements[i].index;
      break;
    }
  reportsBefore = sink.diagnostics().size();
  summary = {};
  summary.name = function.name;
  summary.kind = function.kind;
  summary.nameRange = function.nameRange;
  registerCountAt = {};
  segments.assign(1, {});
  segmentLabels.clear();
  isOpen = isEmpty = true;
  for (Slice formals : {function.returns, function.parameters})
    for (const Declaration &formal : llvm::ArrayRef(ast.declarations).slice(formals.first, formals.count))
      if (formal.name != NameId::None)
        mark(formal.name, Writes);
}

void BodyChecker::resizeUses(size_t registers) {
  if (registers <= uses.size())
    return;
  uses.resize(registers);
  touched.resize(registers + 1); // `mark` writes behind the last
}

/// What the name stands for at that place, which `knownRegisterAt` tells when its block is left.
inline NameId BodyChecker::registerAt(NameId name, Range place) {
  const NameId reg = resolver.registerOf(name);
  if (reg != name) {
    ofBlocks[place.begin] = reg;
    resizeUses(static_cast<size_t>(reg) + 1);
  }
  return reg;
}

NameId BodyChecker::knownRegisterAt(NameId name, Range place) const {
  auto found = ofBlocks.find(place.begin);
  return found == ofBlocks.end() ? name : found->second;
}

void BodyChecker::instruction(const Instruction &instruction, const Usage &usage) {
  const bool ends = use(instruction, usage);
  append(instruction, usage);
  if (ends && instruction.guard == NameId::None) {
    isOpen = false;
    isEmpty = true;
    segments.push_back({{}, static_cast<uint32_t>(segmentLabels.size()), 0});
  }
}

void BodyChecker::beginSegment(const Instruction &instruction) {
  Segment &segment = segments.back();
  segment.first = instruction.range;
  segment.leading = static_cast<uint32_t>(segmentLabels.size()) - segment.labels;
  isEmpty = false;
}

/// Registers, control, memory behind the names of variables, and what has effects. Whether control ends here.
bool BodyChecker::use(const Instruction &instruction, const Usage &usage) {
  bool ends = usage.has(isa::Effect::Ends);
  const Operand *nodes = ast.operands.data() + instruction.operands.first;
  for (NodeUse use : usage.nodes) {
    const Operand &operand = nodes[use.node];
    const NameId reg = registerAt(operand.name, operand.range);
    if (use.uses & (Calls | Names | Targets)) {
      if ((use.uses & (Calls | Names)) && !(usesOf(reg) & (Calls | Names))) {
        references.push_back({operand.name, operand.range, (use.uses & Calls) != 0});
        rules.requireFunction(operand.name, operand.range);
      }
      ends |= (use.uses & Calls) && rules.neverReturns(operand.name);
      if ((use.uses & Targets) && usage.has(isa::Effect::Ends))
        branch(operand);
    }
    mark(reg, use.uses);
  }
  if (instruction.guard != NameId::None)
    mark(registerAt(instruction.guard, instruction.guardRange), Reads);
  for (Access one : usage.accesses)
    access(nodes[one.node], one, usage.hasResult, instruction.guard != NameId::None);
  if (usage.effects)
    effects(instruction, usage);
  return ends;
}

void BodyChecker::effects(const Instruction &instruction, const Usage &usage) {
  if (usage.has(isa::Effect::OneCta) && !summary.oneCta.size())
    summary.oneCta = instruction.opcodeRange;
  if (usage.has(isa::Effect::CtaPair) && !summary.ctaPair.size())
    summary.ctaPair = instruction.opcodeRange;
  if (usage.has(isa::Effect::RegisterCount) && !registerCountAt.size())
    registerCountAt = instruction.opcodeRange;
  if (usage.has(isa::Effect::Traces))
    rules.trace(instruction.opcodeRange, ast.text(instruction.opcode));
  if (usage.has(isa::Effect::Address32) && has64BitAddressesOnly(context))
    sink.report(DiagId::CodegenAddress32, instruction.opcodeRange,
                {ast.text(instruction.opcode).str(), targetName(context)});
}

/// Does what lies behind the name of a variable, and its offset, stay inside and fit its alignment?
void BodyChecker::access(const Operand &operand, const Access &one, bool isLoad, bool isGuarded) {
  const Symbol *symbol = resolver.find(operand.name);
  if (!symbol || symbol->kind != SymbolKind::Variable)
    return;
  const int64_t offset = operand.flags & HasOffset ? operand.value : 0;
  auto report = [&](DiagId id, std::initializer_list<std::string> args) {
    sink.report(id, operand.range, args).notes.push_back({"declared here", symbol->nameRange});
  };
  auto name = [&] { return ast.text(operand.name).str(); };
  const bool isDynamicShared = !symbol->extent.bytes && isa::word(symbol->space).text == ".shared";
  const bool isOfCall = symbol->depth > 0 && !symbol->isParameter && isa::word(symbol->space).text == ".param";
  if (isGuarded && isOfCall && !symbol->isReturn)
    report(DiagId::GuardedArgument, {name()});
  const Extent &extent = symbol->extent;
  if (extent.bytes && (offset < 0 || static_cast<uint64_t>(offset) + one.taken > extent.bytes))
    report(DiagId::AccessOutOfBounds,
           {std::to_string(one.bytes), std::to_string(offset), name(), std::to_string(extent.bytes)});
  // Dynamic shared memory is aligned by the driver, whatever the open array says.
  else if (offset % one.align || (extent.align % one.align && !isDynamicShared))
    report(DiagId::AccessMisaligned,
           {std::to_string(one.bytes), std::to_string(offset), name(), std::to_string(extent.align)});
  // A variable for arguments holds something only when a call has returned it.
  else if (isLoad && isOfCall && !options.isFragment && !(usesOf(resolver.registerOf(operand.name)) & Writes))
    report(DiagId::ParameterWithoutCall, {name()});
}

/// A branch through a list goes to labels, not to functions.
void BodyChecker::branch(const Operand &target) {
  const Symbol *symbol = resolver.find(target.name);
  if (symbol && (symbol->kind == SymbolKind::Prototype || symbol->kind == SymbolKind::CallTargets))
    sink.report(DiagId::BranchTargetsExpected, target.range, {ast.text(target.name).str()})
        .notes.push_back({"declared here", symbol->nameRange});
}

void BodyChecker::label(const Label &label) {
  segmentLabels.push_back(resolver.registerOf(label.name));
  isOpen = true;
}

void BodyChecker::directive(const Directive &directive) {
  if (directive.label == NameId::None)
    return;
  for (const Operand &target : ast.operandsOf(directive.operands))
    if (target.name != NameId::None)
      mark(registerAt(target.name, target.range), Targets);
}

void BodyChecker::declaration(const Declaration &declaration) {
  if (ast.text(declaration.space) == ".shared" && declaration.linkage == SpellingId::None)
    summary.sharedBytes += resolver.extentOf(declaration).bytes;
}

FunctionSummary BodyChecker::end(const Function &function) {
  // What is wrong in a single instruction would be told a second time, in another way.
  const bool isBroken = llvm::any_of(llvm::drop_begin(sink.diagnostics(), reportsBefore),
                                     [](const Diagnostic &d) { return d.severity == Severity::Error; });
  if (!options.isFragment && !isBroken) {
    registerCount(function);
    flow(function);
    if (llvm::any_of(registers(), [this](NameId name) { return isUnwritten(name); }))
      unwritten(function);
  }
  for (FunctionSummary::Reference one : references)
    if (const Symbol *symbol = resolver.find(one.name); symbol && symbol->depth == 0) {
      if (symbol->kind == SymbolKind::Function)
        summary.functions.push_back(one);
      else if (symbol->kind == SymbolKind::Variable && isa::word(symbol->space).text == ".shared")
        summary.shared.push_back(one.name);
    }
  for (NameId name : registers())
    uses[static_cast<size_t>(name)] = 0;
  touchedCount = 0;
  ofBlocks.clear();
  return std::move(summary);
}

/// ptxas does not know how many registers a warp of the kernel starts with, and ignores the change.
void BodyChecker::registerCount(const Function &function) {
  if (!registerCountAt.size() || function.kind != FunctionKind::Entry)
    return;
  bool isKnown = false;
  for (uint32_t i = function.directives.first; i < function.directives.end(); ++i) {
    const llvm::StringRef name = ast.text(ast.directives[i].name);
    isKnown |= name == ".maxnreg" || name == ".maxntid" || name == ".reqntid";
  }
  if (!isKnown)
    sink.report(DiagId::RegisterCountUnknown, registerCountAt, {ast.text(function.name).str()});
}

Range BodyChecker::lastStatement(const Function &function) const {
  for (uint32_t at = function.body.end(); at-- > function.body.first;) {
    const Statement statement = ast.statements[at];
    if (statement.kind == StatementKind::Instruction)
      return ast.instructions[statement.index].range;
    if (statement.kind == StatementKind::Label)
      return ast.labels[statement.index].range;
  }
  return function.nameRange;
}

/// Whether control comes to the end of the function, and what it never comes to.
void BodyChecker::flow(const Function &function) {
  auto isTarget = [this](NameId label) { return (usesOf(label) & Targets) != 0; };
  const llvm::ArrayRef<NameId> labels = segmentLabels;
  for (const Segment &segment : llvm::drop_begin(segments))
    if (segment.first.size() && llvm::none_of(labels.slice(segment.labels, segment.leading), isTarget))
      sink.report(DiagId::UnreachableCode, segment.first);
  // Where nothing but labels stands at the end, compilers lead what cannot happen.
  const Segment &end = segments.back();
  const bool isReached =
      segments.size() == 1 || (end.first.size() && llvm::any_of(labels.drop_front(end.labels), isTarget));
  if (isOpen && isReached && !rules.neverReturns(function.name))
    sink.report(DiagId::ControlReachesEnd, lastStatement(function), {ast.text(function.name).str()});
}

/// Read as a register, and nowhere written.
bool BodyChecker::isUnwritten(NameId reg) const {
  const uint8_t use = usesOf(reg);
  return (use & Reads) && !(use & (Writes | Targets | Calls | Names));
}

/// Follows what is in registers that were never written, in the order of the text, to where it matters:
/// an address, a guard, or an instruction without a result. Copies carry undefined values on purpose.
void BodyChecker::unwritten(const Function &function) {
  llvm::DenseMap<uint32_t, NameId> origins; // by register: the unwritten register that it comes from
  for (NameId reg : registers())
    if (isUnwritten(reg)) {
      const Symbol *symbol = resolver.isOfBlock(reg) ? nullptr : resolver.find(reg);
      if (!symbol || symbol->depth > 0)
        origins[static_cast<uint32_t>(reg)] = reg;
    }
  enum : uint8_t { Noted = 1, Warned = 2 };
  llvm::DenseMap<uint32_t, uint8_t> reported;
  for (uint32_t at = function.body.first; at < function.body.end(); ++at) {
    const Statement statement = ast.statements[at];
    if (statement.kind != StatementKind::Instruction)
      continue;
    const Usage &usage = *sequence[statement.index - firstInstruction];
    const Instruction &instruction = ast.instructions[statement.index];
    NameId carried = NameId::None;
    auto read = [&](NameId name, Range range, bool matters) {
      auto origin = origins.find(static_cast<uint32_t>(knownRegisterAt(name, range)));
      if (origin == origins.end())
        return;
      carried = origin->second;
      uint8_t &before = reported[static_cast<uint32_t>(carried)];
      if (before & (matters ? Warned : Noted | Warned))
        return;
      before |= matters ? Warned : Noted;
      if (matters)
        sink.report(DiagId::UndefinedValue, range, {ast.text(name).str(), ast.text(resolver.nameOf(carried)).str()});
      else
        sink.report(DiagId::UnwrittenRegister, range, {ast.text(resolver.nameOf(carried)).str()});
    };
    if (instruction.guard != NameId::None)
      read(instruction.guard, instruction.guardRange, true);
    carried = NameId::None;
    bool passes = !usage.known;
    for (NodeUse use : usage.nodes)
      if (use.uses & Reads) {
        const Operand &operand = ast.operands[instruction.operands.first + use.node];
        passes |= (use.uses & Passes) != 0;
        read(operand.name, operand.range, !passes && ((use.uses & Addresses) || !usage.hasResult));
      }
    if (carried == NameId::None || passes || instruction.guard != NameId::None)
      continue;
    for (NodeUse use : usage.nodes)
      if (use.uses & Writes) {
        const Operand &operand = ast.operands[instruction.operands.first + use.node];
        const NameId reg = knownRegisterAt(operand.name, operand.range);
        if (!(usesOf(reg) & WritesAgain))
          origins.try_emplace(static_cast<uint32_t>(reg), carried);
      }
  }
}

} // namespace ptxray
