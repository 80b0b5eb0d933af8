#include "Isa/Isa.h"
#include "Module/ModuleRules.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/MathExtras.h"

namespace ptxray {

const isa::Directive *ModuleRules::directiveOf(SpellingId name) {
  if (name == SpellingId::None)
    return nullptr;
  const auto index = static_cast<uint32_t>(name);
  if (index >= directives.size())
    directives.resize(std::max<size_t>(index + 1, ast.spellings->size()));
  std::optional<const isa::Directive *> &known = directives[index];
  if (!known)
    known = isa::findDirective(ast.text(name));
  return *known;
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

const isa::Directive *ModuleRules::requireDirective(SpellingId name, Range range, isa::DirectivePlace place) {
  const isa::Directive *known = directiveOf(name);
  if (known)
    requireDirective(*known, range, place);
  return known;
}

void ModuleRules::requireDirective(const isa::Directive &known, Range range, isa::DirectivePlace place) {
  const std::string name(known.name);
  require(known.gate, "`" + name + "`", range);
  if (known.places & place)
    return;
  constexpr uint16_t heads = isa::OnEntry | isa::OnDeclaredEntry | isa::OnFunction | isa::OnDeclaredFunction;
  if (place & heads)
    sink.report(DiagId::DirectivePlace, range, name, "a function with a body");
  else
    sink.report(DiagId::MisplacedDirective, range, name);
}

void ModuleRules::requireFeature(isa::FeatureId id, const llvm::Twine &subject, Range range) {
  require(isa::feature(id).gate, subject, range);
}

void ModuleRules::requireFeature(isa::FeatureId id, Range range) { requireFeature(id, isa::feature(id).title, range); }

/// A special register that guards an instruction: where it is an operand, the form is asked.
void ModuleRules::requireGuard(NameId name, Range range) {
  if (const isa::SpecialRegister *reg = resolver.find(name) ? nullptr : resolver.special(name))
    require(reg->gate, "`" + ast.text(name) + "`", range);
}

Diagnostic *ModuleRules::require(isa::ExprId gate, const llvm::Twine &subject, Range range) {
  if (availability.holds(gate))
    return nullptr;
  ModuleSummary module = header.summary();
  return &sink.report(DiagId::NotAvailable, range, subject, gateText(gate), module.ptx, module.target);
}

/// Functions of the runtime that later targets lack: where they are called, or their address is taken.
void ModuleRules::requireFunction(NameId name, Range range) {
  if (const isa::RuntimeFunction *known = isa::findRuntimeFunction(ast.text(name)))
    require(known->gate, "`" + ast.text(name) + "`", range);
}

/// ptxas declares the special registers ahead of the module.
bool ModuleRules::isSpecial(NameId name, Range range) {
  if (name == NameId::None || !resolver.special(name))
    return false;
  sink.report(DiagId::InconsistentRedefinition, range, ast.text(name), "a special register");
  return true;
}

/// Explicit banks, `.const[3]`, came and went; 1 to 10 hold `.extern` arrays of unknown size.
void ModuleRules::constantBank(const Declaration &declaration) {
  llvm::StringRef space = text(declaration.space);
  if (!space.consume_front(".const"))
    return;
  const bool isOpenExtern =
      text(declaration.linkage) == ".extern" && declaration.dims.count && ast.dims[declaration.dims.first] < 0;
  unsigned bank = 0;
  const bool isWritten = space.consume_front("[");
  if (isWritten) {
    space.consumeInteger(10, bank);
    requireFeature(bank ? isa::FeatureId::ConstBank : isa::FeatureId::ConstBank0, "`" + text(declaration.space) + "`",
                   declaration.spaceRange);
    if (const uint64_t last = isa::limit(isa::LimitId::ConstBanks, availability); bank > last) {
      sink.report(DiagId::ConstantBank, declaration.spaceRange, bank, "there are banks 0 to " + std::to_string(last));
      return;
    }
  }
  if (!has(isa::FeatureId::OpenConstants) && isOpenExtern != (bank > 0))
    sink.report(DiagId::ConstantBank, declaration.spaceRange, bank,
                bank ? "it holds only `.extern` arrays of open size" : "it holds no `.extern` array of open size");
}

/// Numbers of a declaration that ptxas keeps in 32 bits.
void ModuleRules::bounds(const Declaration &declaration, bool isParameter) {
  auto tooLarge = [&](int64_t number, Range range) {
    sink.report(DiagId::ConstantOverflow, range, std::to_string(static_cast<uint64_t>(number)), 32);
  };
  for (int64_t align : {declaration.align, declaration.ptrAlign})
    if (align > UINT32_MAX && llvm::isPowerOf2_64(static_cast<uint64_t>(align)))
      tooLarge(align, declaration.range);
  if (declaration.isParameterised && declaration.count == UINT32_MAX)
    tooLarge(declaration.count, declaration.nameRange);
  if (declaration.isParameterised && (declaration.dims.count || declaration.hasInitialiser))
    sink.report(DiagId::SyntaxError, declaration.nameRange, declaration.dims.count ? "[" : "=", "`,` or `;`");
  for (uint32_t i = declaration.dims.first; i < declaration.dims.end(); ++i) {
    if (isParameter && ast.dims[i] > UINT32_MAX)
      tooLarge(ast.dims[i], declaration.nameRange);
    else if (i > declaration.dims.first && ast.dims[i] <= 0)
      sink.report(DiagId::IncompleteType, declaration.nameRange, ast.text(declaration.name));
  }
}

static bool isVectorLength(llvm::StringRef word) { return word == ".v2" || word == ".v4"; }

/// Of a declaration of nothing ptxas asks for the words alone.
void ModuleRules::nameless(const Declaration &declaration) {
  const llvm::StringRef space = text(declaration.space), type = text(declaration.type),
                        vector = text(declaration.vector);
  const isa::Word &word = isa::word(resolver.word(declaration.type));
  const bool isType = word.typeKind != isa::TypeKind::None && word.declarable != isa::Declarable::Never;
  if (!isType || (!vector.empty() && !isVectorLength(vector)))
    sink.report(DiagId::VariableType, declaration.typeRange, type, space);
}

void ModuleRules::variable(const Declaration &declaration, Site site, bool isAllocated) {
  if (declaration.isNameless)
    return nameless(declaration);
  const llvm::StringRef space = text(declaration.space), type = text(declaration.type);
  const std::string name = declaration.name == NameId::None ? std::string("_") : ast.text(declaration.name).str();
  const bool isRegister = space == ".reg", isExtern = text(declaration.linkage) == ".extern";
  const bool isParameter = site != Site::Module && site != Site::Body;
  requireDirective(declaration.linkage, declaration.range, isa::OnVariable);
  if (space == ".tex")
    requireFeature(isa::FeatureId::TextureSpace, "`.tex`", declaration.spaceRange);
  constantBank(declaration);
  bounds(declaration, isParameter);
  if (site == Site::Body && space == ".param")
    requireFeature(inEntry ? isa::FeatureId::EntryBodyParam : isa::FeatureId::FunctionBodyParam,
                   declaration.spaceRange);

  const isa::WordId typeWord = resolver.word(declaration.type);
  const isa::TypeKind kind = typeWord ? isa::word(typeWord).typeKind : isa::TypeKind::None;
  // A single float may be declared where nothing computes with it.
  const bool isOpaque = kind == isa::TypeKind::Opaque;
  const bool isArray = declaration.dims.count, isVector = declaration.vector != SpellingId::None;
  if (kind == isa::TypeKind::Bits || isOpaque || type == ".f16x2")
    if (Diagnostic *d = require(isa::word(typeWord).gate, "`" + type + "`", declaration.typeRange))
      if (type == ".f16x2" ? isVector : isArray || !isAllocated) // where ptxas does not ask
        d->severity = Severity::Warning;
  const isa::Declarable declarable = isa::word(typeWord).declarable;
  if (declarable != isa::Declarable::Yes) {
    Diagnostic &d = sink.report(DiagId::VariableType, declaration.typeRange, type, space);
    if (kind != isa::TypeKind::None && !isVector && declarable != isa::Declarable::Never &&
        (isArray || !isAllocated || declarable == isa::Declarable::Laxly))
      d.severity = Severity::Warning;
  }

  if (kind == isa::TypeKind::Predicate) {
    if (isArray || isVector)
      sink.report(DiagId::PredicateVariable, declaration.nameRange, name);
    else if (!isRegister && isAllocated)
      sink.report(DiagId::PredicateVariable, declaration.spaceRange, name);
  }
  if (isVector && typeWord) {
    const llvm::StringRef vector = text(declaration.vector);
    if (!isVectorLength(vector) || isOpaque)
      sink.report(DiagId::VariableType, declaration.typeRange, vector, space);
    else if (isa::word(resolver.word(declaration.vector)).number * isa::word(typeWord).bits > 128)
      sink.report(DiagId::VectorTooWide, declaration.typeRange, (text(declaration.vector) + type).str());
  }
  for (int64_t align : {declaration.align, declaration.ptrAlign})
    if (align == 0 || (align > 0 && !llvm::isPowerOf2_64(static_cast<uint64_t>(align))))
      sink.report(DiagId::AlignmentValue, declaration.range, align);

  if (site == Site::Module) {
    // Functions that follow the ABI have no place for them; from PTX 3.0 on all do.
    if (space == ".param" || ((isRegister || space == ".local") && !has(isa::FeatureId::ModuleRegisters)))
      sink.report(DiagId::ModuleScopeSpace, declaration.spaceRange, space);
    if (text(declaration.linkage) == ".common" && space != ".global")
      sink.report(DiagId::LinkageSpace, declaration.spaceRange, ".common", ".global");
  }
  const bool isCommon = text(declaration.linkage) == ".common" && !declaration.dims.count;
  if (isOpaque && ((site == Site::Module && ((space != ".global" && !isArray) || isCommon)) ||
                   (site != Site::Module && site != Site::EntryParameter && isAllocated)))
    sink.report(DiagId::OpaqueVariablePlace, declaration.typeRange, type);
  if (space == ".tex") {
    if ((type != ".u32" && type != ".u64") || declaration.dims.count)
      sink.report(DiagId::VariableType, declaration.typeRange, type, space);
    else if (site != Site::Module)
      sink.report(DiagId::OpaqueVariablePlace, declaration.typeRange, space);
  }
  if (type == ".samplerref" && header.isUnifiedTexture() && !isArray && site != Site::FunctionParameter &&
      site != Site::FunctionReturn)
    sink.report(DiagId::OpaqueVariablePlace, declaration.typeRange, type);

  if (isRegister && isArray && (isAllocated || ast.dims[declaration.dims.first] <= 0))
    sink.report(DiagId::RegisterArray, declaration.nameRange, name);
  // Parameter space holds scalars, and arrays of anything.
  if (space == ".param" && site != Site::Module && isAllocated && !isArray && (isVector || type == ".f16x2"))
    sink.report(DiagId::VariableType, declaration.typeRange, (text(declaration.vector) + type).str(), space);
  if (space == ".param" && declaration.align > 128 && isAllocated && site != Site::Module &&
      site != Site::EntryParameter)
    sink.report(DiagId::AlignmentValue, declaration.range, declaration.align);

  if (!isParameter && !isExtern && declaration.dims.count) {
    const bool firstIsOpen = ast.dims[declaration.dims.first] <= 0;
    if (firstIsOpen && !(declaration.hasInitialiser && ast.dims[declaration.dims.first] < 0))
      sink.report(DiagId::IncompleteType, declaration.nameRange, name);
  }
  attributes(declaration);
  if (declaration.hasInitialiser)
    initialiser(declaration);
  if (isParameter)
    parameter(declaration, site);
  if (declaration.name == NameId::None && (!isParameter || declaration.hasInitialiser))
    sink.report(DiagId::SinkName, declaration.nameRange);
  if (site == Site::Module && declaration.name != NameId::None && !declaration.isParameterised)
    redeclareVariable(declaration, formalOf(declaration));
}

void ModuleRules::attributes(const Declaration &declaration) {
  for (uint32_t i = declaration.attributes.first; i < declaration.attributes.end(); ++i) {
    const Directive &attribute = ast.directives[i];
    requireDirective(attribute.name, attribute.nameRange, isa::OnVariable);
    for (const Operand &operand : ast.operandsOf(attribute.operands)) {
      if (operand.suffix == SpellingId::None)
        continue;
      const llvm::StringRef word = ast.text(operand.suffix);
      const bool isUnified = word == ".unified";
      requireDirective(operand.suffix, operand.range, isa::InDirective);
      if ((word != ".managed" && !isUnified) || operand.extent != (isUnified ? 3 : 1))
        sink.report(DiagId::SyntaxError, operand.range, word, "`.managed` or `.unified` with two numbers");
      else if (text(declaration.space) != ".global")
        sink.report(DiagId::LinkageSpace, operand.range, word, ".global");
    }
  }
}

void ModuleRules::initialiser(const Declaration &declaration) {
  const llvm::StringRef space = text(declaration.space), type = text(declaration.type);
  const bool isExtern = text(declaration.linkage) == ".extern";
  const bool isList =
      !declaration.initialiser.empty() && ast.operands[declaration.initialiser.first].kind == OperandKind::Vector;
  if (isExtern || (space != ".global" && space != ".const" && !space.starts_with(".const[")) || type == ".f16" ||
      (type == ".f16x2" && !isList)) {
    sink.report(DiagId::InitialiserNotAllowed, declaration.nameRange, ast.text(declaration.name),
                (isExtern ? llvm::StringRef(".extern") : space).str());
    return;
  }
  const isa::WordId typeWord = resolver.word(declaration.type);
  if (declaration.initialiser.empty() || !typeWord)
    return;
  if (isa::word(typeWord).typeKind == isa::TypeKind::Opaque)
    opaqueFields(declaration, declaration.initialiser.first, 0);
  else
    initialValue(declaration, declaration.initialiser.first, 0);
}

/// Checks one value or brace and gives the node behind it. `level` counts the braces around it.
uint32_t ModuleRules::initialValue(const Declaration &declaration, uint32_t node, uint32_t level) {
  const Operand &value = ast.operands[node];
  const uint32_t end = node + value.extent;
  const uint32_t vectorLevels = declaration.vector != SpellingId::None;
  const uint32_t levels = declaration.dims.count + vectorLevels;
  auto mismatch = [&](llvm::StringRef expected) {
    sink.report(DiagId::InitialiserType, value.range, ast.text(declaration.type), expected);
    return end;
  };
  const bool isPair = text(declaration.type) == ".f16x2"; // for which ptxas takes any list
  if (value.kind == OperandKind::Vector) {
    if (level >= levels)
      return isPair ? end : mismatch("a single value");
    int64_t room = level < declaration.dims.count ? ast.dims[declaration.dims.first + level]
                                                  : isa::word(resolver.word(declaration.vector)).number;
    int64_t count = 0;
    for (uint32_t child = node + 1; child < end; ++count) {
      const bool isList = ast.operands[child].kind == OperandKind::Vector;
      child = initialValue(declaration, child, level + 1);
      if (!isList && level + 1 < levels + isPair)
        return end; // all of them lack their braces
    }
    const bool isVector = level == declaration.dims.count;
    if (level == 0 && room < 0 && count == 0)
      sink.report(DiagId::IncompleteType, declaration.nameRange, ast.text(declaration.name));
    if (room >= 0 && (count > room || (isVector && count < room)))
      sink.report(DiagId::InitialiserCount, value.range, count, room);
    return end;
  }
  if (level < levels || isPair)
    return mismatch("a list in braces");
  const isa::Word &type = isa::word(resolver.word(declaration.type));
  const bool isFloat = type.typeKind == isa::TypeKind::Float;
  switch (value.kind) {
  case OperandKind::Integer: return isFloat ? mismatch("a floating-point value") : end;
  case OperandKind::Float: return isFloat || type.typeKind == isa::TypeKind::Bits ? end : mismatch("an integer");
  case OperandKind::Name:
  case OperandKind::List: return initialAddress(declaration, node);
  default: return end;
  }
}

/// `a+4`, `generic(a)+4`, `0xff00(a+4)`, `0xff(generic(a))`.
uint32_t ModuleRules::initialAddress(const Declaration &declaration, uint32_t node) {
  const uint32_t end = node + ast.operands[node].extent, begin = declaration.initialiser.first;
  const Range range = ast.operands[node].range;
  const bool isFirst = llvm::all_of(llvm::ArrayRef(ast.operands).slice(begin, node - begin),
                                    [](const Operand &outer) { return outer.kind == OperandKind::Vector; });
  const bool isMask = ast.operands[node].kind == OperandKind::List && ast.operands[node].name == NameId::None;
  if (isMask) { // eight ones somewhere
    requireFeature(isa::FeatureId::InitialMask, range);
    const Operand &mask = ast.operands[++node];
    uint64_t bits = static_cast<uint64_t>(mask.value);
    while (bits && !(bits & 0xff))
      bits >>= 8;
    if (bits != 0xff)
      sink.report(DiagId::InitialiserMask, mask.range);
    ++node;
    if (ast.operands[node].kind == OperandKind::Integer) {
      if (isa::word(resolver.word(declaration.type)).typeKind == isa::TypeKind::Float)
        sink.report(DiagId::InitialiserType, range, text(declaration.type), "a floating-point value");
      return end;
    }
    if (ast.operands[node].kind == OperandKind::Float)
      sink.report(DiagId::ConstantType, ast.operands[node].range, "an integer");
    if (ast.operands[node].kind != OperandKind::Name && ast.operands[node].kind != OperandKind::List)
      return end;
  }
  const bool isGeneric = ast.operands[node].kind == OperandKind::List;
  bool hasOffset = ast.operands[node].flags & HasOffset;
  if (isGeneric) {
    requireFeature(isa::FeatureId::InitialGeneric, ast.operands[node].range);
    ++node;
  } else if (!isMask) {
    requireFeature(isa::FeatureId::InitialAddress, range);
  }
  const Operand &name = ast.operands[node];
  hasOffset |= (name.flags & HasOffset) != 0;
  const std::string shown = ast.text(name.name).str();
  const Symbol *symbol = resolver.find(name.name);
  const bool isItself = !symbol && name.name == declaration.name;
  if (!symbol && !isItself) {
    resolver.reportUnknown(name.name, name.range);
    return end;
  }
  const llvm::StringRef space = isItself                               ? text(declaration.space)
                                : symbol->kind == SymbolKind::Variable ? llvm::StringRef(isa::word(symbol->space).text)
                                                                       : llvm::StringRef();
  const bool isFunction = symbol && symbol->kind == SymbolKind::Function;
  if (isFunction && isFirst)
    functionTables.insert(static_cast<uint32_t>(declaration.name));
  if (isFunction)
    requireFunction(name.name, name.range);
  if (isFunction ? isGeneric : space != ".global" && !space.starts_with(".const"))
    sink.report(DiagId::InitialiserSymbol, name.range, shown);
  // An address needs an integer type that holds it; a mask also cuts a byte out of it.
  const llvm::StringRef type = text(declaration.type);
  const bool holds = type == ".u32" || type == ".u64" || (type == ".u8" && isMask);
  if (!holds || (isFunction && hasOffset))
    sink.report(DiagId::InitialiserType, range, type,
                holds    ? "a function without offset"
                : isMask ? "`.u8`, `.u32` or `.u64`"
                         : "`.u32` or `.u64`");
  return end;
}

/// `{ width = 4, filter_mode = linear }`; an array of textures has a list of lists.
void ModuleRules::opaqueFields(const Declaration &declaration, uint32_t node, uint32_t level) {
  struct Field {
    llvm::StringLiteral name;
    bool ofTexture, ofSampler, ofSurface;
  };
  static constexpr Field fields[] = {
      {"width", true, false, true},
      {"height", true, false, true},
      {"depth", true, false, true},
      {"channel_data_type", true, false, true},
      {"channel_order", true, false, true},
      {"array_size", true, false, true},
      {"normalized_coords", true, false, false},
      {"num_mipmap_levels", true, false, false},
      {"num_samples", true, false, false},
      {"filter_mode", true, true, false},
      {"addr_mode_0", true, true, false},
      {"addr_mode_1", true, true, false},
      {"addr_mode_2", true, true, false},
      {"force_unnormalized_coords", false, true, false},
  };
  static constexpr llvm::StringLiteral values[] = {"nearest",   "linear",        "wrap",           "mirror",
                                                   "clamp_ogl", "clamp_to_edge", "clamp_to_border"};
  const llvm::StringRef type = text(declaration.type);
  const Operand &item = ast.operands[node];
  auto wrong = [&](Range range, const std::string &what) { sink.report(DiagId::OpaqueField, range, what, type); };
  if (item.kind == OperandKind::Vector && level <= declaration.dims.count) {
    const int64_t mostFields = type == ".texref" ? 13 : type == ".surfref" ? 7 : 5;
    const int64_t room = level < declaration.dims.count ? ast.dims[declaration.dims.first + level] : mostFields;
    int64_t count = 0;
    for (uint32_t child = node + 1; child < node + item.extent; ++count, child += ast.operands[child].extent)
      opaqueFields(declaration, child, level + 1);
    if (room >= 0 && count > room)
      sink.report(DiagId::InitialiserCount, item.range, count, room);
    return;
  }
  if (item.kind != OperandKind::Pair)
    return wrong(item.range, "a value without a name");
  const Operand &key = ast.operands[node + 1], &value = ast.operands[node + 2];
  const llvm::StringRef name = ast.text(key.name);
  const Field *field = llvm::find_if(fields, [&](const Field &f) { return f.name == name; });
  if (field == std::end(fields) || !(type == ".texref"    ? field->ofTexture
                                     : type == ".surfref" ? field->ofSurface
                                                          : field->ofSampler))
    return wrong(key.range, "`" + name.str() + "`");
  if (value.kind == OperandKind::Name && !llvm::is_contained(values, ast.text(value.name)))
    wrong(value.range, "`" + ast.text(value.name).str() + "`");
  if (type == ".texref" && field->ofSampler && !header.isUnifiedTexture())
    sink.report(DiagId::FieldIgnored, key.range, name);
}

bool ModuleRules::redeclareVariable(const Declaration &declaration, const Formal &formal) {
  const uint32_t name = static_cast<uint32_t>(declaration.name);
  const llvm::StringRef linkage = text(declaration.linkage);
  const llvm::StringRef written = ast.text(declaration.name);
  auto declaredBefore = [](Diagnostic &d, Range before) {
    d.notes.push_back({"declared here before", before});
    return false;
  };
  auto clash = [&](llvm::StringRef what, Range before) {
    return declaredBefore(sink.report(DiagId::InconsistentRedefinition, declaration.nameRange, written, what), before);
  };
  if (isSpecial(declaration.name, declaration.nameRange))
    return false;
  if (auto function = functions.find(name); function != functions.end())
    return clash("a function", function->second.nameRange);
  auto [entry, isNew] = globals.try_emplace(
      name, Global{formal, declaration.linkage, declaration.space, declaration.dims.count, declaration.nameRange});
  if (isNew)
    return true;
  const Global &before = entry->second;
  const llvm::StringRef beforeLinkage = text(before.linkage);
  // ptxas does not tell `.global` from `.const` here.
  auto family = [&](SpellingId space) { return text(space) == ".const" ? llvm::StringRef(".global") : text(space); };
  const bool sameDims =
      before.formal.isOpen() || formal.isOpen() ||
      (before.formal.extent.bytes == formal.extent.bytes && before.dimensions == declaration.dims.count);
  const bool sameType =
      before.formal.type == formal.type && family(before.space) == family(declaration.space) && sameDims;
  if (!sameType)
    return clash("another type or space", before.nameRange);
  if (beforeLinkage == ".extern" && linkage.empty())
    return clash("`.extern`", before.nameRange);
  if (beforeLinkage != ".extern" && linkage != ".extern")
    return declaredBefore(sink.report(DiagId::DuplicateDefinition, declaration.nameRange, written), before.nameRange);
  return true;
}

} // namespace ptxray
