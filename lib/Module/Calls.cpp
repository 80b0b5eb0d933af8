#include "Isa/Words.h"
#include "Module/ModuleRules.h"
#include "llvm/ADT/STLExtras.h"

namespace ptxray {

static void checkArguments(const Operand &callee, llvm::ArrayRef<Formal> formals, Slice list, Range callRange,
                           bool areReturns, ModuleState &module) {
  llvm::ArrayRef<Operand> actuals = list.empty() ? llvm::ArrayRef<Operand>() : module.ast.operandsOf(list).drop_front();
  const bool optionalLast = !formals.empty() && formals.back().isOpen();
  const size_t least = formals.size() - optionalLast;
  if (actuals.size() < least || actuals.size() > formals.size()) {
    Diagnostic &d = module.sink.report(
        DiagId::CallArgumentCount, list.empty() ? callRange : module.ast.operands[list.first].range,
        areReturns ? "results" : "arguments", module.ast.text(callee.name), formals.size(), actuals.size());
    if (const Symbol *symbol = module.resolver.find(callee.name); symbol && symbol->kind == SymbolKind::Function)
      d.notes.push_back({"declared here", symbol->nameRange});
    return;
  }
  for (auto [formal, actual] : llvm::zip(formals, actuals)) {
    auto wrong = [&](const std::string &what) {
      module.sink.report(DiagId::CallArgumentType, actual.range, what, formal.name);
    };
    const isa::Word &type = isa::word(formal.type);
    const bool isInteger = type.typeKind == isa::TypeKind::Unsigned || type.typeKind == isa::TypeKind::Signed;
    const bool isFloat = type.typeKind == isa::TypeKind::Float;
    if (actual.kind == OperandKind::Integer || actual.kind == OperandKind::Float) {
      const bool misfits = actual.kind == OperandKind::Integer ? isFloat : isInteger;
      if (misfits || formal.extent.isArray || type.typeKind == isa::TypeKind::Predicate)
        wrong("a number");
      continue;
    }
    if (actual.kind == OperandKind::Sink && !areReturns)
      wrong("`_`");
    if (actual.kind != OperandKind::Name)
      continue;
    const Symbol *symbol = module.resolver.find(actual.name);
    if (!symbol) {
      if (module.resolver.special(actual.name))
        module.sink.report(DiagId::CallArgumentSpace, actual.range, module.ast.text(actual.name));
      continue; // reported with the operand
    }
    if (symbol->kind == SymbolKind::Variable && symbol->space != isa::words::param) {
      module.sink.report(DiagId::CallArgumentSpace, actual.range, module.ast.text(actual.name));
      continue;
    }
    if (symbol->kind == SymbolKind::Variable && (symbol->isParameter || symbol->isReturn)) {
      module.sink.report(DiagId::CallArgumentSpace, actual.range, module.ast.text(actual.name));
      continue;
    }
    if (symbol->kind != SymbolKind::Variable && symbol->kind != SymbolKind::Register) {
      wrong("a label or function");
      continue;
    }
    if (!formal.isOpen() &&
        (symbol->extent.bytes != formal.extent.bytes || symbol->extent.isArray != formal.extent.isArray))
      wrong("`" + module.ast.text(actual.name).str() + "` of " + std::to_string(symbol->extent.bytes) +
            (symbol->extent.bytes == 1 ? " byte" : " bytes"));
    else if (const isa::TypeKind kind = isa::word(symbol->type).typeKind;
             (isFloat && (kind == isa::TypeKind::Unsigned || kind == isa::TypeKind::Signed)) ||
             (isInteger && kind == isa::TypeKind::Float) ||
             (kind == isa::TypeKind::Predicate) != (type.typeKind == isa::TypeKind::Predicate))
      wrong("`" + module.ast.text(actual.name).str() + "` of type `" + std::string(isa::word(symbol->type).text) + "`");
    else if (symbol->extent.align != formal.extent.align || symbol->extent.isArray != formal.extent.isArray)
      wrong("`" + module.ast.text(actual.name).str() + "` aligned to " + std::to_string(symbol->extent.align));
  }
}

/// The only instruction with parenthesised operands is the call; without any, its only operand is a
/// function.
void checkCall(const Instruction &instruction, ModuleState &module) {
  llvm::ArrayRef<Operand> nodes = module.ast.operandsOf(instruction.operands);
  if (nodes.empty())
    return;
  const Slice none;
  Slice returned = none, passed = none;
  const Operand *target = nullptr, *list = nullptr;
  for (uint32_t i = 0; i < nodes.size(); i += nodes[i].extent) {
    const uint32_t node = instruction.operands.first + i;
    if (nodes[i].kind == OperandKind::List)
      (target ? passed : returned) = {node, nodes[i].extent};
    else if (nodes[i].kind != OperandKind::Name)
      return;
    else
      (target ? list : target) = &nodes[i];
  }
  if (!target)
    return;
  const Symbol *symbol = module.resolver.find(target->name);
  const Signature *signature = nullptr;
  if (symbol && symbol->kind == SymbolKind::Function && !list) {
    auto found = module.functions.find(static_cast<uint32_t>(target->name));
    if (found == module.functions.end())
      return;
    signature = &found->second;
    if (signature->kind == FunctionKind::Entry) {
      module.sink.report(DiagId::CallTarget, target->range, module.ast.text(target->name), "is an entry");
      return;
    }
  } else if (list) {
    auto found = module.prototypes.find(static_cast<uint32_t>(list->name));
    const Symbol *listSymbol = module.resolver.find(list->name);
    if (listSymbol && (!returned.empty() || !passed.empty()) &&
        (listSymbol->kind == SymbolKind::BranchTargets || listSymbol->kind == SymbolKind::Label))
      module.sink.report(DiagId::CallTarget, list->range, module.ast.text(list->name), "names no functions");
    const bool isTable =
        listSymbol && listSymbol->extent.isArray && isa::word(listSymbol->type).typeKind == isa::TypeKind::Unsigned;
    if (isTable && !module.functionTables.contains(static_cast<uint32_t>(list->name)))
      module.sink.report(DiagId::CallTarget, list->range, module.ast.text(list->name),
                         "does not begin with the address of a function");
    if (found == module.prototypes.end())
      return;
    signature = &found->second;
  } else {
    // What is neither function nor register the instruction's own operand refuses.
    if (symbol && symbol->kind == SymbolKind::Register && (!returned.empty() || !passed.empty()))
      module.sink.report(DiagId::CallWithoutPrototype, target->range, module.ast.text(target->name));
    return;
  }
  checkArguments(*target, signature->returns, returned, instruction.opcodeRange, /*areReturns=*/true, module);
  checkArguments(*target, signature->parameters, passed, instruction.opcodeRange, /*areReturns=*/false, module);
}

} // namespace ptxray
