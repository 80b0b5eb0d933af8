#include "Module/Limits.h"
#include "Isa/Words.h"
#include "Module/KernelHead.h"
#include "llvm/ADT/STLExtras.h"

namespace ptxray {

static bool isLinkage(const Ast &ast, SpellingId linkage, llvm::StringRef text) {
  return linkage != SpellingId::None && ast.text(linkage) == text;
}

std::vector<Reference> Limits::initialNames(const Declaration &declaration) const {
  std::vector<Reference> names;
  for (const Operand &node : ast.operandsOf(declaration.initialiser))
    if (node.name != NameId::None && (node.kind == OperandKind::Name || node.kind == OperandKind::List))
      names.push_back({node.name, node.range});
  return names;
}

void Limits::variable(const Declaration &declaration, const Extent &extent, isa::WordId type) {
  const llvm::StringRef space = ast.text(declaration.space);
  if (space == ".reg" || space == ".local")
    program.hasAbi = false;
  attributes(declaration.attributes);
  if (declaration.name == NameId::None)
    return; // `_` is reported as an invalid name
  ModuleVariable variable;
  variable.name = declaration.name;
  variable.space = isa::findWord(space.split('[').first); // a bank: `.const[2]`
  variable.type = type;
  variable.extent = extent;
  variable.isExtern = isLinkage(ast, declaration.linkage, ".extern");
  variable.isExported = declaration.linkage != SpellingId::None;
  variable.nameRange = declaration.nameRange;
  variable.initial = initialNames(declaration);
  if (declaration.isParameterised) {
    program.families.try_emplace(declaration.nameRange.begin, std::move(variable));
    return;
  }
  const auto [known, isNew] =
      program.variableOf.try_emplace(static_cast<uint32_t>(variable.name), program.variables.size());
  if (isNew)
    program.variables.push_back(std::move(variable));
  else if (program.variables[known->second].isExtern) // a second declaration, or the definition
    program.variables[known->second] = std::move(variable);
}

void Limits::variableOfBody(const Declaration &declaration, const Extent &extent) {
  if (declaration.name == NameId::None || declaration.isParameterised || ast.text(declaration.space) != ".const")
    return;
  ModuleVariable variable;
  variable.name = declaration.name;
  variable.extent = extent;
  variable.nameRange = declaration.nameRange;
  program.constantsOfBodies.push_back(std::move(variable));
}

void Limits::function(const Function &function) {
  if (function.returns.count > 1) {
    program.hasAbi = false;
    program.severalReturns = function.nameRange;
  }
  DeclaredFunction &known = program.declared[static_cast<uint32_t>(function.name)];
  if (!known.range.size())
    known.range = function.nameRange;
  known.isDefined |= function.hasBody;
  known.isExtern |= isLinkage(ast, function.linkage, ".extern");
  known.isExported |= isLinkage(ast, function.linkage, ".visible") || isLinkage(ast, function.linkage, ".weak");
  attributes(function.directives);
  preserved(function);
  if (function.kind == FunctionKind::Entry)
    checkHead(headOf(ast, function), availability, sink);
}

void Limits::attributes(Slice directives) {
  for (uint32_t i = directives.first; i < directives.end(); ++i)
    for (const Operand &operand : ast.operandsOf(ast.directives[i].operands))
      if (operand.suffix != SpellingId::None && ast.text(operand.suffix) == ".unified")
        sink.report(DiagId::CompileOnlyAttribute, operand.range);
}

void Limits::preserved(const Function &function) {
  const isa::LimitId limit = function.hasBody                              ? isa::LimitId::PreservedRegisters
                             : isLinkage(ast, function.linkage, ".extern") ? isa::LimitId::PreservedByCallee
                                                                           : isa::LimitId::PreservedUnused;
  checkPreserved(ast, function.directives, isa::limit(limit, availability), sink);
}

void Limits::alias(const Directive &directive) {
  const llvm::ArrayRef<Operand> operands = ast.operandsOf(directive.operands);
  if (operands.size() == 2)
    program.declared[static_cast<uint32_t>(operands[0].name)].aliasOf = operands[1].name;
}

void Limits::memberOfModule(const FamilyMember &member) {
  const auto family = program.families.find(member.declared.begin);
  if (family == program.families.end() ||
      !program.variableOf.try_emplace(static_cast<uint32_t>(member.name), program.variables.size()).second)
    return;
  program.variables.push_back(family->second);
  program.variables.back().name = member.name;
}

/// Adds a member of a family in a body. Constants with the same name are one variable in all bodies.
void Limits::memberOfBody(const FamilyMember &member, FunctionSummary &summary) {
  if (member.space == isa::words::shared)
    summary.shared.push_back(member.extent);
  else if (member.space == isa::words::const_ && constantMembers.insert(static_cast<uint32_t>(member.name)).second) {
    ModuleVariable &variable = program.constantsOfBodies.emplace_back();
    variable.name = member.name;
    variable.extent = member.extent;
    variable.nameRange = member.declared;
  }
}

void Limits::body(FunctionSummary summary) {
  for (const FamilyMember &member : summary.members)
    if (member.isOfBody)
      memberOfBody(member, summary);
    else
      memberOfModule(member);
  program.functionOf[static_cast<uint32_t>(summary.name)] = static_cast<uint32_t>(program.functions.size());
  program.functions.push_back(std::move(summary));
}

void Limits::finish() {
  if (options.isFragment)
    return;
  // Names in initialisers may refer to something other than a function.
  for (ModuleVariable &variable : program.variables)
    llvm::erase_if(variable.initial, [&](const Reference &one) { return !program.function(one.name); });
  const ProgramContext context{ast, availability, options, sink};
  Reaches reaches(program, options.linking == Linking::Separate);
  for (uint32_t i = 0; i < program.functions.size(); ++i) {
    if (program.functions[i].kind != FunctionKind::Entry)
      continue;
    const Reach reach = reaches.of(i);
    for (auto rule : {checkSharedSize, checkOpaqueCount, checkCtaGroups, checkSpilling, checkRegisters, checkLocalSize})
      rule(program, reach, context);
    if (llvm::any_of(reach.functions, [&](uint32_t one) { return program.functions[one].shrinks.registers > 0; }))
      checkRegisterChanges(program, reaches.executedBy(i), context);
  }
  for (auto rule : {checkUnresolved, checkConstantSize, checkConstantPointers, checkCtaGroupsAlone, checkWithoutAbi,
                    checkBranchTables})
    rule(program, context);
}

} // namespace ptxray
