#include "Isa/Isa.h"
#include "Module/Gates.h"
#include "Module/ModuleRules.h"
#include "Source/Foreign.h"
#include "llvm/Support/MathExtras.h"

namespace ptxray {

namespace {

/// A declaration, and properties that its rules need.
struct Variable {
  Variable(const Declaration &declaration, Site site, bool isAllocated, ModuleState &module)
      : declaration(declaration), site(site), isAllocated(isAllocated), space(module.text(declaration.space)),
        type(module.text(declaration.type)), linkage(module.text(declaration.linkage)),
        vector(module.text(declaration.vector)), directive(module.directiveOf(declaration.space)),
        name(declaration.name == NameId::None ? llvm::StringRef("_") : module.ast.text(declaration.name)),
        word(isa::word(module.resolver.word(declaration.type))), isArray(declaration.dims.count),
        firstDimension(isArray ? module.ast.dims[declaration.dims.first] : 0) {}

  bool isParameter() const { return site != Site::Module && site != Site::Body; }
  bool isRegister() const { return space == ".reg"; }
  bool isVector() const { return !vector.empty(); }
  bool isVectorLength() const { return vector == ".v2" || vector == ".v4"; }
  bool mayStand(uint16_t places) const { return !directive || (directive->places & places); }
  bool isOpaque() const { return word.typeKind == isa::TypeKind::Opaque; }

  const Declaration &declaration;
  const Site site;
  const bool isAllocated;
  const llvm::StringRef space, type, linkage, vector;
  const isa::Directive *directive; // directive of the space
  const llvm::StringRef name;
  const isa::Word &word; // word of the type
  const bool isArray;
  const int64_t firstDimension;
};

} // namespace

/// Returns the argument of a directive to which a number belongs, or null.
static const isa::DirectiveArgument *numberOf(const isa::Directive *directive, isa::Text name) {
  if (directive)
    for (const isa::DirectiveArgument &argument : isa::run(isa::tables().arguments, directive->arguments))
      if (argument.name() == name)
        return &argument;
  return nullptr;
}

/// Reports an array whose size in bytes does not fit 64 bits. ptxas computes a smaller size.
static void checkProduct(const Variable &variable, ModuleState &module) {
  const Declaration &declaration = variable.declaration;
  const int elements = variable.isVector() ? isa::word(module.resolver.word(declaration.vector)).number : 1;
  const unsigned width = std::max(1u, unsigned(std::max(1, elements)) * variable.word.bits / 8);
  bool isTooLarge = false;
  uint64_t bytes = width;
  std::string product;
  for (uint32_t i = declaration.dims.first; i < declaration.dims.end(); ++i) {
    const auto dimension = static_cast<uint64_t>(module.ast.dims[i]);
    if (module.ast.dims[i] == -1)
      return;
    product += std::to_string(dimension) + " * ";
    bool overflows = false;
    bytes = llvm::SaturatingMultiply(bytes, dimension, &overflows);
    isTooLarge |= overflows;
  }
  if (isTooLarge)
    module.sink.report(DiagId::ConstantOverflow, declaration.nameRange, product + std::to_string(width), 64)
        .notes.push_back({"that is the size of the array in bytes", std::nullopt});
}

static void checkBounds(const Variable &variable, ModuleState &module) {
  const Declaration &declaration = variable.declaration;
  auto requireFit = [&](int64_t value, const isa::DirectiveArgument *number, Range range) {
    if (number && number->kind == isa::ArgumentKind::U32)
      module.sink.report(DiagId::ConstantOverflow, range, std::to_string(static_cast<uint64_t>(value)), 32);
  };
  for (int64_t align : {declaration.align, declaration.ptrAlign})
    if (align > UINT32_MAX && llvm::isPowerOf2_64(static_cast<uint64_t>(align))) {
      const isa::DirectiveArgument *bytes = numberOf(variable.directive, "bytes");
      requireFit(align, bytes ? bytes : numberOf(&isa::directive(isa::DirectiveId::Align), "bytes"), declaration.range);
    }
  if (declaration.isParameterised && declaration.count == UINT32_MAX)
    requireFit(declaration.count, numberOf(&isa::directive(isa::DirectiveId::Reg), "count"), declaration.nameRange);
  if (declaration.isParameterised && (declaration.dims.count || declaration.hasInitialiser))
    module.sink.report(DiagId::SyntaxError, declaration.nameRange, declaration.dims.count ? "[" : "=", "`,` or `;`");
  for (uint32_t i = declaration.dims.first; i < declaration.dims.end(); ++i) {
    const int64_t dimension = module.ast.dims[i];
    if (variable.isParameter() && dimension > UINT32_MAX)
      requireFit(dimension, numberOf(&isa::directive(isa::DirectiveId::Param), "elements"), declaration.nameRange);
    else if (i > declaration.dims.first && dimension <= 0)
      module.sink.report(DiagId::IncompleteType, declaration.nameRange, module.ast.text(declaration.name));
  }
  checkProduct(variable, module);
}

/// If a declaration has no name, ptxas checks only its words.
static void checkNameless(const Variable &variable, ModuleState &module) {
  const isa::Word &word = variable.word;
  const bool isType = word.typeKind != isa::TypeKind::None && word.declarable != isa::Declarable::Never;
  if (!isType || (variable.isVector() && !variable.isVectorLength()))
    module.sink.report(DiagId::VariableType, variable.declaration.typeRange, variable.type, variable.space);
}

static void checkSpace(const Variable &variable, ModuleState &module) {
  const Range range = variable.declaration.spaceRange;
  const llvm::StringRef space = variable.space;
  if (variable.directive)
    requireGate(variable.directive->gate, "`" + space + "`", range, module);
  if (variable.site == Site::Body && space == ".param")
    requireFeature(module.inEntry ? isa::FeatureId::EntryBodyParam : isa::FeatureId::FunctionBodyParam, range, module);
  if (variable.site == Site::Body && !variable.mayStand(isa::InEntry | isa::InFunction))
    module.sink.report(DiagId::OpaqueVariablePlace, range, space);
  if (variable.site != Site::Module)
    return;
  // Functions that follow the ABI, which are all functions from PTX 3.0, cannot declare .reg and .local outside of
  // bodies.
  if (!variable.mayStand(isa::InModule) && (space == ".param" || !module.has(isa::FeatureId::ModuleRegisters)))
    module.sink.report(DiagId::ModuleScopeSpace, range, space);
  if (variable.linkage == ".common" && space != ".global")
    module.sink.report(DiagId::LinkageSpace, range, ".common", ".global");
}

static void checkType(const Variable &variable, ModuleState &module) {
  const isa::Word &word = variable.word;
  const Range range = variable.declaration.typeRange;
  const llvm::StringRef type = variable.type;
  const bool isHalfPair = type == ".f16x2";
  // A single float can be declared if nothing computes with it.
  if (word.typeKind == isa::TypeKind::Bits || variable.isOpaque() || isHalfPair)
    if (Diagnostic *d = requireGate(word.gate, "`" + type + "`", range, module))
      if (isHalfPair ? variable.isVector()
                     : variable.isArray || !variable.isAllocated) // cases in which ptxas does not check the gate
        d->severity = Severity::Warning;
  if (word.declarable != isa::Declarable::Yes) {
    Diagnostic &d = module.sink.report(DiagId::VariableType, range, type, variable.space);
    if (word.typeKind != isa::TypeKind::None && !variable.isVector() && word.declarable != isa::Declarable::Never &&
        (variable.isArray || !variable.isAllocated || word.declarable == isa::Declarable::Laxly))
      d.severity = Severity::Warning;
    else if (const llvm::StringRef own = typeOfOtherLanguage(type.drop_front());
             !own.empty() && (own != ".pred" || variable.space == ".reg"))
      d.fix = Fix{"write `" + own.str() + "`", {{range, own.str()}}};
    else if (word.bits >= 16 && variable.space == ".reg") {
      const std::string bits = ".b" + std::to_string(word.bits);
      d.notes.push_back({"it fits into a register of `" + bits + "`", std::nullopt});
      d.fix = Fix{"write `" + bits + "`", {{range, bits}}};
    }
  }
  // Parameter space can contain scalars, and arrays of any type.
  if (variable.space == ".param" && variable.site != Site::Module && variable.isAllocated && !variable.isArray &&
      (variable.isVector() || isHalfPair))
    module.sink.report(DiagId::VariableType, range, variable.vector + type, variable.space);
}

static void checkPredicate(const Variable &variable, ModuleState &module) {
  if (variable.word.typeKind != isa::TypeKind::Predicate)
    return;
  if (variable.isArray || variable.isVector())
    module.sink.report(DiagId::PredicateVariable, variable.declaration.nameRange, variable.name);
  else if (!variable.isRegister() && variable.isAllocated)
    module.sink.report(DiagId::PredicateVariable, variable.declaration.spaceRange, variable.name);
}

static void checkVector(const Variable &variable, ModuleState &module) {
  if (!variable.isVector() || variable.word.typeKind == isa::TypeKind::None)
    return;
  const Range range = variable.declaration.typeRange;
  if (!variable.isVectorLength() || variable.isOpaque())
    module.sink.report(DiagId::VariableType, range, variable.vector, variable.space);
  else if (isa::word(module.resolver.word(variable.declaration.vector)).number * variable.word.bits > 128)
    module.sink.report(DiagId::VectorTooWide, range, variable.vector + variable.type);
}

static void checkAlignment(const Variable &variable, ModuleState &module) {
  const Declaration &declaration = variable.declaration;
  for (int64_t align : {declaration.align, declaration.ptrAlign})
    if (align == 0 || (align > 0 && !llvm::isPowerOf2_64(static_cast<uint64_t>(align))))
      module.sink.report(DiagId::AlignmentValue, declaration.range, align);
  const bool isOfFunction = variable.site == Site::FunctionParameter || variable.site == Site::FunctionReturn;
  if ((declaration.align >= 0 || declaration.ptrAlign >= 0) && !isOfFunction)
    requireDirective(isa::directive(isa::DirectiveId::Align), declaration.range,
                     variable.isParameter() ? isa::OnParameter : isa::OnVariable, module);
  const bool isOfKernel = variable.site == Site::Module || variable.site == Site::EntryParameter;
  if (variable.space == ".param" && declaration.align > 128 && variable.isAllocated && !isOfKernel)
    module.sink.report(DiagId::AlignmentValue, declaration.range, declaration.align);
}

/// Checks the position of declarations of textures, surfaces and samplers.
static void checkOpaquePlace(const Variable &variable, ModuleState &module) {
  const Range range = variable.declaration.typeRange;
  const Site site = variable.site;
  if (variable.isOpaque()) {
    const bool isCommon = variable.linkage == ".common" && !variable.isArray;
    const bool isWrong = site == Site::Module ? (variable.space != ".global" && !variable.isArray) || isCommon
                                              : site != Site::EntryParameter && variable.isAllocated;
    if (isWrong)
      module.sink.report(DiagId::OpaqueVariablePlace, range, variable.type);
  }
  if (variable.space == ".tex" && ((variable.type != ".u32" && variable.type != ".u64") || variable.isArray))
    module.sink.report(DiagId::VariableType, range, variable.type, variable.space);
  const bool isOfFunction = site == Site::FunctionParameter || site == Site::FunctionReturn;
  if (variable.type == ".samplerref" && module.header.isUnifiedTexture() && !variable.isArray && !isOfFunction)
    module.sink.report(DiagId::OpaqueVariablePlace, range, variable.type);
}

static void checkArray(const Variable &variable, ModuleState &module) {
  if (!variable.isArray)
    return;
  const Declaration &declaration = variable.declaration;
  const int64_t first = variable.firstDimension;
  if (variable.isRegister() && (variable.isAllocated || first <= 0))
    module.sink.report(DiagId::RegisterArray, declaration.nameRange, variable.name)
        .notes.push_back({"`" + variable.name.str() + "<4>` declares four registers, `" + variable.name.str() +
                              "0` to `" + variable.name.str() + "3`",
                          std::nullopt});
  const bool isSizedByValues = declaration.hasInitialiser && first < 0;
  if (!variable.isParameter() && variable.linkage != ".extern" && first <= 0 && !isSizedByValues)
    module.sink.report(DiagId::IncompleteType, declaration.nameRange, variable.name);
}

void checkVariable(const Declaration &declaration, Site site, bool isAllocated, ModuleState &module) {
  const Variable variable(declaration, site, isAllocated, module);
  if (declaration.isNameless)
    return checkNameless(variable, module);
  requireDirective(declaration.linkage, declaration.range, isa::OnVariable, module);
  checkConstantBank(declaration, module);
  checkBounds(variable, module);
  checkSpace(variable, module);
  checkType(variable, module);
  checkPredicate(variable, module);
  checkVector(variable, module);
  checkAlignment(variable, module);
  checkOpaquePlace(variable, module);
  checkArray(variable, module);
  checkAttributes(declaration, module);
  if (declaration.hasInitialiser)
    checkInitialiser(declaration, module);
  if (variable.isParameter())
    checkParameter(declaration, site, module);
  if (declaration.name == NameId::None && (!variable.isParameter() || declaration.hasInitialiser))
    module.sink.report(DiagId::SinkName, declaration.nameRange);
  if (site == Site::Module && declaration.name != NameId::None && !declaration.isParameterised)
    redeclareVariable(declaration, module.formalOf(declaration), module);
}

} // namespace ptxray
