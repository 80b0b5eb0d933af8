#pragma once
// The rules about a module as a whole: restrictions of code generation, and undefined names.
#include "Isa/Directives.h"
#include "Module/CheckOptions.h"
#include "Module/Program.h"

namespace ptxray {

class DiagnosticSink;

/// Returns whether ptxas itself provides the function.
bool isOfCompiler(llvm::StringRef function);

/// The compilation target of a program, and the sink for reports about it.
struct ProgramContext {
  const Ast &ast;
  const Availability &availability; // for the code-generation target
  const CheckOptions &options;
  DiagnosticSink &sink;

  uint64_t limit(isa::LimitId id) const { return isa::limit(id, availability); }
  /// Returns the code-generation target, or null if it is unknown.
  const isa::Target *arch() const {
    const uint16_t arch = availability.module().target;
    return arch == anyTarget ? nullptr : &isa::targets()[arch];
  }
};

/// Reports a function that preserves so many registers that none remains for the return address.
void checkPreserved(const Ast &ast, Slice directives, uint64_t most, DiagnosticSink &sink);

void checkUnresolved(const ProgramSummary &program, const ProgramContext &context);
void checkConstantPointers(const ProgramSummary &program, const ProgramContext &context);
void checkConstantSize(const ProgramSummary &program, const ProgramContext &context);
void checkCtaGroupsAlone(const ProgramSummary &program, const ProgramContext &context);
void checkWithoutAbi(const ProgramSummary &program, const ProgramContext &context);
void checkBranchTables(const ProgramSummary &program, const ProgramContext &context);
/// Check one kernel and everything that it reaches.
void checkSharedSize(const ProgramSummary &program, const Reach &reach, const ProgramContext &context);
void checkOpaqueCount(const ProgramSummary &program, const Reach &reach, const ProgramContext &context);
void checkCtaGroups(const ProgramSummary &program, const Reach &reach, const ProgramContext &context);
void checkSpilling(const ProgramSummary &program, const Reach &reach, const ProgramContext &context);
void checkRegisters(const ProgramSummary &program, const Reach &reach, const ProgramContext &context);
void checkRegisterChanges(const ProgramSummary &program, const Reach &reach, const ProgramContext &context);
void checkLocalSize(const ProgramSummary &program, const Reach &reach, const ProgramContext &context);

} // namespace ptxray
