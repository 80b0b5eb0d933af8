#pragma once
// The rules about everything except instructions. Each is implemented in the file of its subject in this folder.
#include "Module/ModuleState.h"

namespace ptxray {

// ---- items, in the order in which `ModuleReader` reads them

/// The position of a declaration.
enum class Site : uint8_t {
  Module,
  Body,
  EntryParameter,
  FunctionParameter,
  FunctionReturn,
};

/// Checks a variable. `isAllocated` is false for variables of functions without a body, which are not allocated and
/// whose types may otherwise be invalid.
void checkVariable(const Declaration &declaration, Site site, bool isAllocated, ModuleState &module);
void checkFunction(const Function &function, isa::DirectivePlace place, ModuleState &module);
void checkModuleDirective(const Directive &directive, ModuleState &module);
void checkBodyDirective(const Directive &directive, ModuleState &module);
/// Checks the operands of `call` against the callee's declaration.
void checkCall(const Instruction &instruction, ModuleState &module);
/// Checks that the module permits an instruction that writes to the trace.
void checkTrace(Range range, llvm::StringRef instruction, ModuleState &module);
/// Checks debugging information at the end of the module.
void checkDebugInfo(ModuleState &module);

// ---- parts of a declaration

void checkConstantBank(const Declaration &declaration, ModuleState &module);
void checkAttributes(const Declaration &declaration, ModuleState &module);
void checkInitialiser(const Declaration &declaration, ModuleState &module);
void checkOpaqueFields(const Declaration &declaration, uint32_t node, uint32_t level, ModuleState &module);
void checkParameter(const Declaration &declaration, Site site, ModuleState &module);
bool redeclareVariable(const Declaration &declaration, const Formal &formal, ModuleState &module);

// ---- parts of a function's head

void checkPointer(const Function &function, const Declaration &declaration, ModuleState &module);
void checkParameterSize(const Function &function, const Signature &signature, ModuleState &module);
void checkFunctionAttributes(const Function &function, Signature &signature, ModuleState &module);
void checkHeadDirectives(const Function &function, ModuleState &module);
void redeclareFunction(const Function &function, Signature signature, ModuleState &module);

// ---- directives

void checkPragma(const Directive &directive, isa::DirectivePlace place, ModuleState &module);
void checkAlias(const Directive &directive, ModuleState &module);
/// Returns the name of a member of a family, such as `M1` of `M`. Returns nothing if no such name appears in the
/// module.
std::optional<NameId> memberOf(const Ast &ast, NameId family, int64_t number);
/// Checks the target list of an indirect branch or call.
void checkTargets(const Directive &directive, ModuleState &module);
void checkFile(const Directive &directive, ModuleState &module);
void checkLocation(const Directive &directive, ModuleState &module);
void checkSection(const Directive &directive, ModuleState &module);
void checkMetadata(const Directive &directive, ModuleState &module);
void checkSources(const Directive &directive, ModuleState &module);
/// Reports invalid numbers in a directive. Returns whether they fit into 32 bits, if required.
bool checkValues(const Directive &directive, const isa::Directive &known, ModuleState &module);
bool checkValue(const Operand &operand, const isa::Directive &known, const isa::DirectiveArgument &argument,
                ModuleState &module);
/// Returns whether a number of a directive fits into 32 bits, which is how ptxas stores it.
bool fits(const Operand &number, ModuleState &module);

} // namespace ptxray
