#include "Isa/Words.h"
#include "Module/ModuleRules.h"
#include "llvm/ADT/STLExtras.h"

namespace ptxray {

static bool isInteger(isa::TypeKind kind) { return kind == isa::TypeKind::Unsigned || kind == isa::TypeKind::Signed; }

/// Describes how a register or variable differs from the function's declaration; empty if it does not.
static std::string difference(const Symbol &symbol, llvm::StringRef name, const Formal &formal) {
  const isa::TypeKind kind = isa::word(symbol.type).typeKind, wanted = isa::word(formal.type).typeKind;
  const std::string shown = "`" + name.str() + "`";
  if (!formal.isOpen() &&
      (symbol.extent.bytes != formal.extent.bytes || symbol.extent.isArray != formal.extent.isArray))
    return shown + " of " + std::to_string(symbol.extent.bytes) + (symbol.extent.bytes == 1 ? " byte" : " bytes");
  if ((wanted == isa::TypeKind::Float && isInteger(kind)) || (isInteger(wanted) && kind == isa::TypeKind::Float) ||
      (kind == isa::TypeKind::Predicate) != (wanted == isa::TypeKind::Predicate))
    return shown + " of type `" + std::string(isa::word(symbol.type).text()) + "`";
  if (symbol.extent.align != formal.extent.align || symbol.extent.isArray != formal.extent.isArray)
    return shown + " aligned to " + std::to_string(symbol.extent.align);
  return "";
}

static bool fitsNumber(const Formal &formal, OperandKind number) {
  const isa::TypeKind kind = isa::word(formal.type).typeKind;
  const bool misfits = number == OperandKind::Integer ? kind == isa::TypeKind::Float : isInteger(kind);
  return !misfits && !formal.extent.isArray && kind != isa::TypeKind::Predicate;
}

/// Returns whether a symbol cannot be an argument: a variable in another space, or a parameter of the caller.
static bool cannotBePassed(const Symbol &symbol) {
  return symbol.kind == SymbolKind::Variable &&
         (symbol.space != isa::words::param || symbol.isParameter || symbol.isReturn);
}

static void checkNamedArgument(const Formal &formal, const Operand &actual, ModuleState &module) {
  const llvm::StringRef name = module.ast.text(actual.name);
  const Symbol *symbol = module.resolver.find(actual.name);
  if (!symbol && !module.resolver.special(actual.name))
    return; // reported with the operand
  if (!symbol || cannotBePassed(*symbol)) {
    module.sink.report(DiagId::CallArgumentSpace, actual.range, name);
    return;
  }
  const bool isValue = symbol->kind == SymbolKind::Variable || symbol->kind == SymbolKind::Register;
  const std::string what = isValue ? difference(*symbol, name, formal) : "a label or function";
  if (!what.empty())
    module.sink.report(DiagId::CallArgumentType, actual.range, what, formal.name);
}

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
    if (areReturns && actuals.empty())
      d.notes.push_back({"results are in parentheses before the function: `call (result), " +
                             module.ast.text(callee.name).str() + ", (argument)`",
                         std::nullopt});
    return;
  }
  for (auto [formal, actual] : llvm::zip(formals, actuals)) {
    const bool isNumber = actual.kind == OperandKind::Integer || actual.kind == OperandKind::Float;
    if (isNumber && !fitsNumber(formal, actual.kind))
      module.sink.report(DiagId::CallArgumentType, actual.range, "a number", formal.name);
    else if (actual.kind == OperandKind::Sink && !areReturns)
      module.sink.report(DiagId::CallArgumentType, actual.range, "`_`", formal.name);
    else if (actual.kind == OperandKind::Name)
      checkNamedArgument(formal, actual, module);
  }
}

/// Only calls have operands in parentheses. In a call without any, the function is the only operand.
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
      (target ? passed : returned) = Slice{node, nodes[i].extent};
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
    // The operand of the form accepts only functions and registers.
    if (symbol && symbol->kind == SymbolKind::Register && (!returned.empty() || !passed.empty()))
      module.sink.report(DiagId::CallWithoutPrototype, target->range, module.ast.text(target->name));
    return;
  }
  checkArguments(*target, signature->returns, returned, instruction.opcodeRange, /*areReturns=*/true, module);
  checkArguments(*target, signature->parameters, passed, instruction.opcodeRange, /*areReturns=*/false, module);
}

} // namespace ptxray
