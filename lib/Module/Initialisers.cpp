#include "Isa/Isa.h"
#include "Isa/Words.h"
#include "Module/Gates.h"
#include "Module/ModuleRules.h"
#include "llvm/ADT/STLExtras.h"

namespace ptxray {

/// Returns the index of the byte that a mask selects from an address. Its eight set bits must be contiguous and
/// aligned; otherwise returns nothing.
static std::optional<uint32_t> checkMasked(const Declaration &declaration, uint32_t node, ModuleState &module) {
  const Range range = module.ast.operands[node].range;
  requireFeature(isa::FeatureId::InitialMask, range, module);
  const Operand &mask = module.ast.operands[node + 1];
  uint64_t bits = static_cast<uint64_t>(mask.value);
  while (bits && !(bits & 0xff))
    bits >>= 8;
  if (bits != 0xff)
    module.sink.report(DiagId::InitialiserMask, mask.range);
  const Operand &masked = module.ast.operands[node + 2];
  const bool isFloat = isa::word(module.resolver.word(declaration.type)).typeKind == isa::TypeKind::Float;
  if (masked.kind == OperandKind::Integer && isFloat)
    module.sink.report(DiagId::InitialiserType, range, module.text(declaration.type), "a floating-point value");
  if (masked.kind == OperandKind::Float)
    module.sink.report(DiagId::ConstantType, masked.range, "an integer");
  const bool isAddress = masked.kind == OperandKind::Name || masked.kind == OperandKind::List;
  return isAddress ? std::optional(node + 2) : std::nullopt;
}

namespace {

/// A name in an initialiser, and its context.
struct InitialAddress {
  const Operand &name;
  const Range range; // includes the context
  const bool isMasked, isGeneric, hasOffset;
  const bool isFirst; // value of the initialiser
};

} // namespace

/// Checks that the type is an integer that can hold an address, or the byte that a mask selects from it.
static void checkTypeOfAddress(const Declaration &declaration, const InitialAddress &address, bool isFunction,
                               ModuleState &module) {
  const llvm::StringRef type = module.text(declaration.type);
  const bool holds = type == ".u32" || type == ".u64" || (type == ".u8" && address.isMasked);
  if (!holds || (isFunction && address.hasOffset))
    module.sink.report(DiagId::InitialiserType, address.range, type,
                       holds              ? "a function without offset"
                       : address.isMasked ? "`.u8`, `.u32` or `.u64`"
                                          : "`.u32` or `.u64`");
}

static void checkAddressee(const Declaration &declaration, const InitialAddress &address, ModuleState &module) {
  const Operand &name = address.name;
  const Symbol *symbol = module.resolver.find(name.name);
  const bool isItself = !symbol && name.name == declaration.name;
  if (!symbol && !isItself) {
    module.resolver.reportUnknown(name.name, name.range);
    return;
  }
  const llvm::StringRef space = isItself ? module.text(declaration.space)
                                : symbol->kind == SymbolKind::Variable
                                    ? llvm::StringRef(isa::word(symbol->space).text())
                                    : llvm::StringRef();
  const bool isFunction = symbol && symbol->kind == SymbolKind::Function;
  if (isFunction && address.isFirst)
    module.functionTables.insert(static_cast<uint32_t>(declaration.name));
  if (isFunction)
    requireFunction(name.name, name.range, module);
  if (isFunction ? address.isGeneric : space != ".global" && !space.starts_with(".const"))
    module.sink.report(DiagId::InitialiserSymbol, name.range, module.ast.text(name.name));
  checkTypeOfAddress(declaration, address, isFunction, module);
}

/// Checks `a+4`, `generic(a)+4`, `0xff00(a+4)` or `0xff(generic(a))`. Returns the following node.
static uint32_t checkInitialAddress(const Declaration &declaration, uint32_t node, ModuleState &module) {
  const llvm::ArrayRef<Operand> operands = module.ast.operands;
  const uint32_t end = node + operands[node].extent, begin = declaration.initialiser.first;
  const Range range = operands[node].range;
  const bool isFirst = llvm::all_of(operands.slice(begin, node - begin),
                                    [](const Operand &outer) { return outer.kind == OperandKind::Vector; });
  const bool isMasked = operands[node].kind == OperandKind::List && operands[node].name == NameId::None;
  if (isMasked) {
    const std::optional<uint32_t> masked = checkMasked(declaration, node, module);
    if (!masked)
      return end;
    node = *masked;
  }
  const Operand &outer = operands[node];
  const bool isGeneric = outer.kind == OperandKind::List;
  if (isGeneric)
    requireFeature(isa::FeatureId::InitialGeneric, outer.range, module);
  else if (!isMasked)
    requireFeature(isa::FeatureId::InitialAddress, range, module);
  const Operand &name = operands[isGeneric ? node + 1 : node];
  const bool hasOffset = ((outer.flags | name.flags) & HasOffset) != 0;
  checkAddressee(declaration, {name, range, isMasked, isGeneric, hasOffset, isFirst}, module);
  return end;
}

namespace {

/// The values of one declaration.
class InitialValues {
public:
  InitialValues(const Declaration &declaration, ModuleState &module)
      : declaration(declaration), module(module),
        levels(declaration.dims.count + (declaration.vector != SpellingId::None)),
        type(isa::word(module.resolver.word(declaration.type))), isFloat(type.typeKind == isa::TypeKind::Float),
        isPair(module.resolver.word(declaration.type) == isa::words::f16x2) {}
  /// Checks one value or brace, and returns the following node. `level` is the number of enclosing braces.
  uint32_t check(uint32_t node, uint32_t level);

private:
  /// Returns whether a value is an integer that fits an integer type, which is the case for nearly all values.
  bool isOrdinary(const Operand &value) const {
    return value.kind == OperandKind::Integer && !isFloat && !isPair && fitsInto(type.bits, value.value);
  }

  const Declaration &declaration;
  ModuleState &module;
  const uint32_t levels; // nesting depth of braces
  const isa::Word &type;
  const bool isFloat, isPair; // ptxas accepts any list for them
};

} // namespace

// NOLINTNEXTLINE(misc-no-recursion): braces nest at most `deepestInitialiser` deep
uint32_t InitialValues::check(uint32_t node, uint32_t level) {
  const Operand &value = module.ast.operands[node];
  const uint32_t end = node + value.extent;
  auto mismatch = [&](llvm::StringRef expected) {
    module.sink.report(DiagId::InitialiserType, value.range, module.ast.text(declaration.type), expected);
    return end;
  };
  if (value.kind == OperandKind::Vector) {
    if (level >= levels)
      return isPair ? end : mismatch("a single value");
    int64_t room = level < declaration.dims.count ? module.ast.dims[declaration.dims.first + level]
                                                  : isa::word(module.resolver.word(declaration.vector)).number;
    int64_t count = value.value;
    for (uint32_t child = node + 1; child < end; ++count) {
      if (level + 1 == levels && isOrdinary(module.ast.operands[child])) {
        ++child;
        continue;
      }
      const bool isList = module.ast.operands[child].kind == OperandKind::Vector;
      child = check(child, level + 1);
      if (!isList && level + 1 < levels + isPair)
        return end; // all values lack their braces
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
  switch (value.kind) {
  case OperandKind::Integer:
    if (isFloat)
      return mismatch("a floating-point value");
    if (!fitsInto(type.bits, value.value))
      module.sink.report(DiagId::TruncatedConstant, value.range, std::to_string(value.value), type.bits)
          .notes.push_back({"ptxas keeps its lower bits", std::nullopt});
    return end;
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
  const bool isType = isa::word(typeWord).typeKind != isa::TypeKind::None; // otherwise, the type was reported
  if (declaration.initialiser.empty() || !isType)
    return;
  if (isa::word(typeWord).typeKind == isa::TypeKind::Opaque)
    checkOpaqueFields(declaration, declaration.initialiser.first, 0, module);
  else
    InitialValues(declaration, module).check(declaration.initialiser.first, 0);
}

} // namespace ptxray
