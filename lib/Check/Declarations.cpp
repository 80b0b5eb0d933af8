#include "Check/ModuleRules.h"
#include "Isa/Isa.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/MathExtras.h"

namespace ptxray {

/// The manual's fundamental types and opaque types: what a variable can be declared as. All other
/// types are only instruction types.
static bool isDeclarable(llvm::StringRef type) {
  static const llvm::StringSet<> types = {
      ".b8",  ".b16", ".b32", ".b64", ".b128", ".u8",    ".u16", ".u32",    ".u64",       ".s8",
      ".s16", ".s32", ".s64", ".f16", ".f32",  ".f16x2", ".f64", ".texref", ".samplerref", ".surfref",
      ".pred"};
  return types.contains(type);
}

Formal ModuleRules::formalOf(const Declaration &declaration) {
  Formal formal;
  formal.type = resolver.word(declaration.type);
  formal.extent = resolver.extentOf(declaration);
  formal.isRegister = ast.text(declaration.space) == ".reg";
  if (declaration.name != NameId::None)
    formal.name = ast.text(declaration.name).str();
  return formal;
}

/// A word of a directive or declaration that the version or target does not have.
void ModuleRules::requireWord(SpellingId spelling, Range range) {
  isa::WordId id = resolver.word(spelling);
  if (!id || availability.holds(isa::word(id).gate))
    return;
  ModuleSummary module = header.summary();
  sink.report(DiagId::NotAvailable, range,
              {ast.text(spelling).str(), gateText(isa::word(id).gate), module.ptx, module.target});
}

void ModuleRules::variable(const Declaration &declaration, Site site) {
  const llvm::StringRef space = text(declaration.space), type = text(declaration.type);
  const std::string name =
      declaration.name == NameId::None ? std::string("_") : ast.text(declaration.name).str();
  const bool isRegister = space == ".reg", isExtern = text(declaration.linkage) == ".extern";
  const bool isParameter = site != Site::Module && site != Site::Body;
  requireWord(declaration.linkage, declaration.range);
  requireWord(declaration.space, declaration.spaceRange);

  const isa::WordId typeWord = resolver.word(declaration.type);
  const isa::TypeKind kind = typeWord ? isa::word(typeWord).typeKind : isa::TypeKind::None;
  // A single float may be declared where nothing computes with it.
  if (kind == isa::TypeKind::Bits || type == ".f16x2")
    requireWord(declaration.type, declaration.typeRange);
  const bool isOpaque = kind == isa::TypeKind::Opaque;
  if (!isDeclarable(type))
    sink.report(DiagId::VariableType, declaration.typeRange, {type.str(), space.str()});

  if (kind == isa::TypeKind::Predicate) {
    if (declaration.dims.count || declaration.vector != SpellingId::None)
      sink.report(DiagId::PredicateVariable, declaration.nameRange, {name});
    else if (!isRegister)
      sink.report(DiagId::PredicateVariable, declaration.spaceRange, {name});
  }
  if (isa::WordId vector = resolver.word(declaration.vector); vector && typeWord) {
    const int32_t elements = isa::word(vector).number;
    if (elements != 2 && elements != 4)
      sink.report(DiagId::VariableType, declaration.typeRange, {text(declaration.vector).str(), space.str()});
    else if (elements * isa::word(typeWord).bits > 128)
      sink.report(DiagId::VectorTooWide, declaration.typeRange,
                  {(text(declaration.vector) + type).str()});
  }
  for (int64_t align : {declaration.align, declaration.ptrAlign})
    if (align == 0 || (align > 0 && !llvm::isPowerOf2_64(static_cast<uint64_t>(align))))
      sink.report(DiagId::AlignmentValue, declaration.range, {std::to_string(align)});

  if (site == Site::Module) {
    // Functions that follow the ABI have no place for them; from PTX 3.0 on all do.
    if (space == ".param" || ((isRegister || space == ".local") && header.context().ptx >= 300))
      sink.report(DiagId::ModuleScopeSpace, declaration.spaceRange, {space.str()});
    if (text(declaration.linkage) == ".common" && space != ".global")
      sink.report(DiagId::LinkageSpace, declaration.spaceRange, {".common", ".global"});
  }
  if (isOpaque && ((site == Site::Module && space != ".global") ||
                   (site != Site::Module && site != Site::EntryParameter)))
    sink.report(DiagId::OpaqueVariablePlace, declaration.typeRange, {type.str()});
  if (space == ".tex") {
    if ((type != ".u32" && type != ".u64") || declaration.dims.count)
      sink.report(DiagId::VariableType, declaration.typeRange, {type.str(), space.str()});
    else if (site != Site::Module)
      sink.report(DiagId::OpaqueVariablePlace, declaration.typeRange, {space.str()});
  }
  if (type == ".samplerref" && header.isUnifiedTexture() && site != Site::FunctionParameter)
    sink.report(DiagId::OpaqueVariablePlace, declaration.typeRange, {type.str()});

  if (isRegister && declaration.dims.count)
    sink.report(DiagId::RegisterArray, declaration.nameRange, {name});
  // Parameter space holds scalars and arrays of them.
  if (space == ".param" && site != Site::Module &&
      (declaration.vector != SpellingId::None || type == ".f16x2"))
    sink.report(DiagId::VariableType, declaration.typeRange,
                {(text(declaration.vector) + type).str(), space.str()});
  if (space == ".param" && site != Site::Module && site != Site::EntryParameter &&
      declaration.align > 128)
    sink.report(DiagId::AlignmentValue, declaration.range, {std::to_string(declaration.align)});

  const Formal formal = formalOf(declaration);
  if (!isParameter && !isExtern && declaration.dims.count) {
    const bool firstIsOpen = ast.dims[declaration.dims.first] <= 0;
    if (firstIsOpen && !(declaration.hasInitialiser && ast.dims[declaration.dims.first] < 0))
      sink.report(DiagId::IncompleteType, declaration.nameRange, {name});
  }
  attributes(declaration);
  if (declaration.hasInitialiser)
    initialiser(declaration);
  if (isParameter)
    parameter(declaration, site);
  if (site == Site::Module && declaration.name != NameId::None && !declaration.isParameterised)
    redeclareVariable(declaration, formal);
}

void ModuleRules::attributes(const Declaration &declaration) {
  for (uint32_t i = declaration.attributes.first; i < declaration.attributes.end(); ++i) {
    const Directive &attribute = ast.directives[i];
    requireWord(attribute.name, attribute.nameRange);
    for (const Operand &operand : ast.operandsOf(attribute.operands)) {
      if (operand.suffix == SpellingId::None)
        continue;
      requireWord(operand.suffix, operand.range);
      if (ast.text(operand.suffix) == ".managed" && text(declaration.space) != ".global")
        sink.report(DiagId::LinkageSpace, operand.range, {".managed", ".global"});
    }
  }
}

void ModuleRules::initialiser(const Declaration &declaration) {
  const llvm::StringRef space = text(declaration.space), type = text(declaration.type);
  const bool isExtern = text(declaration.linkage) == ".extern";
  if (isExtern || (space != ".global" && space != ".const") || type == ".f16" || type == ".f16x2") {
    sink.report(DiagId::InitialiserNotAllowed, declaration.nameRange,
                {ast.text(declaration.name).str(), (isExtern ? llvm::StringRef(".extern") : space).str()});
    return;
  }
  const isa::WordId typeWord = resolver.word(declaration.type);
  if (!declaration.initialiser.empty() && typeWord &&
      isa::word(typeWord).typeKind != isa::TypeKind::Opaque)
    initialValue(declaration, declaration.initialiser.first, 0);
}

/// Checks one value or brace and gives the node behind it. `level` counts the braces around it.
uint32_t ModuleRules::initialValue(const Declaration &declaration, uint32_t node, uint32_t level) {
  const Operand &value = ast.operands[node];
  const uint32_t end = node + value.extent;
  const uint32_t vectorLevels = declaration.vector != SpellingId::None;
  const uint32_t levels = declaration.dims.count + vectorLevels;
  auto mismatch = [&](llvm::StringRef expected) {
    sink.report(DiagId::InitialiserType, value.range, {ast.text(declaration.type).str(), expected.str()});
    return end;
  };
  if (value.kind == OperandKind::Vector) {
    if (level >= levels)
      return mismatch("a single value");
    int64_t room = level < declaration.dims.count ? ast.dims[declaration.dims.first + level]
                                                  : isa::word(resolver.word(declaration.vector)).number;
    int64_t count = 0;
    for (uint32_t child = node + 1; child < end; ++count)
      child = initialValue(declaration, child, level + 1);
    if (room >= 0 && count > room)
      sink.report(DiagId::InitialiserCount, value.range, {std::to_string(count), std::to_string(room)});
    return end;
  }
  // ptxas counts the values of a flat list against the first dimension alone, and takes it.
  if (level < levels)
    return level == 0 ? mismatch("a list in braces") : end;
  const isa::Word &type = isa::word(resolver.word(declaration.type));
  const bool isFloat = type.typeKind == isa::TypeKind::Float;
  switch (value.kind) {
  case OperandKind::Integer:
    return isFloat ? mismatch("a floating-point value") : end;
  case OperandKind::Float:
    return isFloat || type.typeKind == isa::TypeKind::Bits ? end : mismatch("an integer");
  case OperandKind::Name: {
    const Symbol *symbol = resolver.find(value.name);
    if (!symbol) {
      sink.report(DiagId::UndefinedSymbol, value.range, {ast.text(value.name).str()});
      return end;
    }
    if (symbol->kind == SymbolKind::Variable) {
      const llvm::StringRef space = isa::word(symbol->space).text;
      if (space != ".global" && space != ".const")
        sink.report(DiagId::InitialiserSymbol, value.range, {ast.text(value.name).str()});
    }
    // An address needs an integer type that holds it; 8-bit pieces are written with a mask.
    if (isFloat || type.bits < 32 || (type.typeKind == isa::TypeKind::Bits && type.bits >= 32))
      return mismatch("`.u32` or `.u64`");
    return end;
  }
  default:
    return end;
  }
}

bool ModuleRules::redeclareVariable(const Declaration &declaration, const Formal &formal) {
  const uint32_t name = static_cast<uint32_t>(declaration.name);
  const llvm::StringRef linkage = text(declaration.linkage);
  auto clash = [&](DiagId id, llvm::StringRef what, Range before) {
    sink.report(id, declaration.nameRange, {ast.text(declaration.name).str(), what.str()})
        .notes.push_back({"declared here before", before});
    return false;
  };
  if (auto function = functions.find(name); function != functions.end())
    return clash(DiagId::InconsistentRedefinition, "a function", function->second.nameRange);
  auto [entry, isNew] =
      globals.try_emplace(name, Global{formal, declaration.linkage, declaration.space, declaration.nameRange});
  if (isNew)
    return true;
  const Global &before = entry->second;
  const llvm::StringRef beforeLinkage = text(before.linkage);
  const bool sameType = before.formal.type == formal.type && before.space == declaration.space &&
                        (before.formal.extent.bytes == formal.extent.bytes || before.formal.isOpen() || formal.isOpen());
  if (!sameType)
    return clash(DiagId::InconsistentRedefinition, "another type or space", before.nameRange);
  if (beforeLinkage == ".extern" && linkage.empty())
    return clash(DiagId::InconsistentRedefinition, "`.extern`", before.nameRange);
  if (beforeLinkage != ".extern" && linkage != ".extern")
    return clash(DiagId::DuplicateDefinition, "", before.nameRange);
  return true;
}

} // namespace ptxray
