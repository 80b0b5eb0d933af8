#include "Isa/Isa.h"
#include "Module/Gates.h"
#include "Module/ModuleRules.h"
#include "llvm/ADT/STLExtras.h"

namespace ptxray {

/// `a+4`, `generic(a)+4`, `0xff00(a+4)`, `0xff(generic(a))`.
static uint32_t checkInitialAddress(const Declaration &declaration, uint32_t node, ModuleState &module) {
  const uint32_t end = node + module.ast.operands[node].extent, begin = declaration.initialiser.first;
  const Range range = module.ast.operands[node].range;
  const bool isFirst = llvm::all_of(llvm::ArrayRef(module.ast.operands).slice(begin, node - begin),
                                    [](const Operand &outer) { return outer.kind == OperandKind::Vector; });
  const bool isMask =
      module.ast.operands[node].kind == OperandKind::List && module.ast.operands[node].name == NameId::None;
  if (isMask) { // eight ones somewhere
    requireFeature(isa::FeatureId::InitialMask, range, module);
    const Operand &mask = module.ast.operands[++node];
    uint64_t bits = static_cast<uint64_t>(mask.value);
    while (bits && !(bits & 0xff))
      bits >>= 8;
    if (bits != 0xff)
      module.sink.report(DiagId::InitialiserMask, mask.range);
    ++node;
    if (module.ast.operands[node].kind == OperandKind::Integer) {
      if (isa::word(module.resolver.word(declaration.type)).typeKind == isa::TypeKind::Float)
        module.sink.report(DiagId::InitialiserType, range, module.text(declaration.type), "a floating-point value");
      return end;
    }
    if (module.ast.operands[node].kind == OperandKind::Float)
      module.sink.report(DiagId::ConstantType, module.ast.operands[node].range, "an integer");
    if (module.ast.operands[node].kind != OperandKind::Name && module.ast.operands[node].kind != OperandKind::List)
      return end;
  }
  const bool isGeneric = module.ast.operands[node].kind == OperandKind::List;
  bool hasOffset = module.ast.operands[node].flags & HasOffset;
  if (isGeneric) {
    requireFeature(isa::FeatureId::InitialGeneric, module.ast.operands[node].range, module);
    ++node;
  } else if (!isMask) {
    requireFeature(isa::FeatureId::InitialAddress, range, module);
  }
  const Operand &name = module.ast.operands[node];
  hasOffset |= (name.flags & HasOffset) != 0;
  const std::string shown = module.ast.text(name.name).str();
  const Symbol *symbol = module.resolver.find(name.name);
  const bool isItself = !symbol && name.name == declaration.name;
  if (!symbol && !isItself) {
    module.resolver.reportUnknown(name.name, name.range);
    return end;
  }
  const llvm::StringRef space = isItself                               ? module.text(declaration.space)
                                : symbol->kind == SymbolKind::Variable ? llvm::StringRef(isa::word(symbol->space).text)
                                                                       : llvm::StringRef();
  const bool isFunction = symbol && symbol->kind == SymbolKind::Function;
  if (isFunction && isFirst)
    module.functionTables.insert(static_cast<uint32_t>(declaration.name));
  if (isFunction)
    requireFunction(name.name, name.range, module);
  if (isFunction ? isGeneric : space != ".global" && !space.starts_with(".const"))
    module.sink.report(DiagId::InitialiserSymbol, name.range, shown);
  // An address needs an integer type that holds it; a mask also cuts a byte out of it.
  const llvm::StringRef type = module.text(declaration.type);
  const bool holds = type == ".u32" || type == ".u64" || (type == ".u8" && isMask);
  if (!holds || (isFunction && hasOffset))
    module.sink.report(DiagId::InitialiserType, range, type,
                       holds    ? "a function without offset"
                       : isMask ? "`.u8`, `.u32` or `.u64`"
                                : "`.u32` or `.u64`");
  return end;
}

/// Checks one value or brace and gives the node behind it. `level` counts the braces around it.
static uint32_t checkInitialValue(const Declaration &declaration, uint32_t node, uint32_t level, ModuleState &module) {
  const Operand &value = module.ast.operands[node];
  const uint32_t end = node + value.extent;
  const uint32_t vectorLevels = declaration.vector != SpellingId::None;
  const uint32_t levels = declaration.dims.count + vectorLevels;
  auto mismatch = [&](llvm::StringRef expected) {
    module.sink.report(DiagId::InitialiserType, value.range, module.ast.text(declaration.type), expected);
    return end;
  };
  const bool isPair = module.text(declaration.type) == ".f16x2"; // for which ptxas takes any list
  if (value.kind == OperandKind::Vector) {
    if (level >= levels)
      return isPair ? end : mismatch("a single value");
    int64_t room = level < declaration.dims.count ? module.ast.dims[declaration.dims.first + level]
                                                  : isa::word(module.resolver.word(declaration.vector)).number;
    int64_t count = 0;
    for (uint32_t child = node + 1; child < end; ++count) {
      const bool isList = module.ast.operands[child].kind == OperandKind::Vector;
      child = checkInitialValue(declaration, child, level + 1, module);
      if (!isList && level + 1 < levels + isPair)
        return end; // all of them lack their braces
    }
    const bool isVector = level == declaration.dims.count;
    if (level == 0 && room < 0 && count == 0)
      module.sink.report(DiagId::IncompleteType, declaration.nameRange, module.ast.text(declaration.name));
    if (room >= 0 && (count > room || (isVector && count < room)))
      module.sink.report(DiagId::InitialiserCount, value.range, count, room);
    return end;
  }
  if (level < levels || isPair)
    return mismatch("a list in braces");
  const isa::Word &type = isa::word(module.resolver.word(declaration.type));
  const bool isFloat = type.typeKind == isa::TypeKind::Float;
  switch (value.kind) {
  case OperandKind::Integer: return isFloat ? mismatch("a floating-point value") : end;
  case OperandKind::Float: return isFloat || type.typeKind == isa::TypeKind::Bits ? end : mismatch("an integer");
  case OperandKind::Name:
  case OperandKind::List: return checkInitialAddress(declaration, node, module);
  default: return end;
  }
}

void checkInitialiser(const Declaration &declaration, ModuleState &module) {
  const llvm::StringRef space = module.text(declaration.space), type = module.text(declaration.type);
  const bool isExtern = module.text(declaration.linkage) == ".extern";
  const bool isList = !declaration.initialiser.empty() &&
                      module.ast.operands[declaration.initialiser.first].kind == OperandKind::Vector;
  if (isExtern || (space != ".global" && space != ".const" && !space.starts_with(".const[")) || type == ".f16" ||
      (type == ".f16x2" && !isList)) {
    module.sink.report(DiagId::InitialiserNotAllowed, declaration.nameRange, module.ast.text(declaration.name),
                       (isExtern ? llvm::StringRef(".extern") : space).str());
    return;
  }
  const isa::WordId typeWord = module.resolver.word(declaration.type);
  if (declaration.initialiser.empty() || !typeWord)
    return;
  if (isa::word(typeWord).typeKind == isa::TypeKind::Opaque)
    checkOpaqueFields(declaration, declaration.initialiser.first, 0, module);
  else
    checkInitialValue(declaration, declaration.initialiser.first, 0, module);
}

} // namespace ptxray
