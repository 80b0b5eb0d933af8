// Rules about single instructions that need the symbols of a body: branch-targets-expected, codegen-abi-preserve of
// prototypes, codegen-address-32, register-count-unknown, functions that require a version, and traced values.
#include "BodyRules/BodyRules.h"
#include "Flow/Values.h"
#include "Module/Gates.h"
#include "Module/KernelHead.h"
#include "Module/ModuleRules.h"
#include "Module/ProgramRules.h"
#include "llvm/ADT/STLExtras.h"

namespace ptxray {

/// Reports a branch through a list of functions: the list must contain labels.
static void checkBranchList(const Body &body, uint32_t number, DiagnosticSink &sink) {
  body.eachUse(number, [&](NamedUse use) {
    const Symbol *symbol = use.uses & Targets ? body.symbol(use.local) : nullptr;
    if (symbol && (symbol->kind == SymbolKind::Prototype || symbol->kind == SymbolKind::CallTargets))
      sink.report(DiagId::BranchTargetsExpected, use.operand.range, body.text(use.local))
          .notes.push_back({"declared here", symbol->nameRange});
  });
}

/// Reports 32-bit addresses, which newer targets do not support.
static void checkAddress32(const Body &body, uint32_t number, const BodyContext &context) {
  if (context.module.codeHas(isa::FeatureId::Address32) && !context.options.wideAddresses)
    return;
  const Instruction &instruction = body.instruction(number);
  const auto nodes = body.ast->operandsOf(instruction.operands);
  const auto *address = llvm::find_if(nodes, [](const Operand &node) { return node.kind == OperandKind::Address; });
  const bool isNamed = address != nodes.end() && address->extent > 1 && address[1].kind == OperandKind::Name;
  context.sink.report(DiagId::CodegenAddress32, isNamed ? address[1].range : instruction.opcodeRange,
                      (isNamed ? body.ast->text(address[1].name) : body.ast->text(instruction.opcode)).str(),
                      targetName(ofArch(context.module.context())));
}

void checkInstructions(const Body &body, const BodyContext &context) {
  body.eachNamed([&](NamedUse use) { requireFunction(use.operand.name, use.operand.range, context.module); });
  for (const uint32_t number : body.notable) {
    const Facts &facts = body.facts(number);
    const Instruction &instruction = body.instruction(number);
    if (facts.has(FactKind::Branches))
      checkBranchList(body, number, context.sink);
    if (facts.hasAddress32)
      checkAddress32(body, number, context);
    if (facts.has(FactKind::Traces))
      checkTrace(instruction.opcodeRange, body.ast->text(instruction.opcode), context.module);
  }
}

/// Reports that ptxas ignores a change of the register count, because the initial register count of the kernel is
/// unknown.
static void checkRegisterCount(const Body &body, uint32_t number, const BodyContext &context) {
  const KernelHead head =
      withOptions(headOf(*body.ast, *body.function), context.options, context.module.availabilityOfCode);
  if (!head.registers && !head.threads)
    context.sink.report(DiagId::RegisterCountUnknown, body.instruction(number).opcodeRange,
                        body.ast->text(body.function->name));
}

static void checkPrototype(const Body &body, uint32_t number, const BodyContext &context) {
  body.eachUse(number, [&](NamedUse use) {
    const Symbol *prototype = use.uses & Targets ? body.symbol(use.local) : nullptr;
    if (prototype && prototype->kind == SymbolKind::Prototype)
      checkPreserved(*body.ast, body.ast->functions[prototype->index].directives,
                     context.module.limitOfCode(isa::LimitId::PreservedByCallee), context.sink);
  });
}

void checkSoundInstructions(const Body &body, const BodyContext &context) {
  bool isCountKnown = body.function->kind != FunctionKind::Entry; // known, or already requested
  for (const uint32_t number : body.notable) {
    const Facts &facts = body.facts(number);
    if (facts.has(FactKind::Calls) && facts.uses & Targets)
      checkPrototype(body, number, context);
    if ((facts.has(FactKind::Grows) || facts.has(FactKind::Shrinks)) && !std::exchange(isCountKnown, true))
      checkRegisterCount(body, number, context);
  }
}

// ---- tables of branches
/// Returns the number of targets. A list may name a label more than once, and `label<4>` stands for four labels.
static uint64_t targetCount(const Body &body, LocalId list) {
  uint64_t count = 0;
  for (const PlacedDirective &placed : body.directives)
    if (const Directive &directive = body.ast->directives[placed.index]; directive.label == body.nameOf(list))
      for (const Operand &target : body.ast->operandsOf(directive.operands))
        count += target.flags & HasOffset ? static_cast<uint64_t>(target.value) : 1;
  return count;
}

/// Returns whether the index of the branch is a register with more than one possible value.
static bool hasIndex(const Body &body, uint32_t number) {
  Values values(body);
  bool isOpen = false;
  body.eachUse(number,
               [&](NamedUse use) { isOpen |= use.uses & Reads && !values.numberOf(sourceOf(use.operand, use.local)); });
  return isOpen;
}

BranchTable branchTable(const Body &body, uint32_t number, uint64_t most) {
  BranchTable table;
  body.eachUse(number, [&](NamedUse use) {
    const Symbol *list = use.uses & Targets ? body.symbol(use.local) : nullptr;
    if (!list || list->kind != SymbolKind::BranchTargets)
      return;
    const uint64_t count = targetCount(body, use.local);
    if (count > most && hasIndex(body, number))
      table = {count, use.operand.range, list->nameRange, body.nameOf(use.local)};
  });
  return table;
}

} // namespace ptxray
