#pragma once
// The rules about a module as a whole: what code generation refuses, and what has no definition.
#include "Isa/Directives.h"
#include "Module/CheckOptions.h"
#include "Module/Program.h"

namespace ptxray {

class DiagnosticSink;

/// Returns whether ptxas itself provides the function.
bool isOfCompiler(llvm::StringRef function);

/// The rules need this besides the program: what it is compiled for, and where they report.
struct ProgramContext {
  const Ast &ast;
  const Availability &availability; // of what code is made for
  const CheckOptions &options;
  DiagnosticSink &sink;

  uint64_t limit(isa::LimitId id) const { return isa::limit(id, availability); }
  /// Returns the target that code is made for; null if it is not known.
  const isa::Target *arch() const {
    const uint16_t arch = availability.module().target;
    return arch == anyTarget ? nullptr : &isa::targets()[arch];
  }
};

/// Reports a function that preserves so many registers that none is left for its return address.
void checkPreserved(const Ast &ast, Slice directives, uint64_t most, DiagnosticSink &sink);

void checkUnresolved(const ProgramSummary &program, const ProgramContext &context);
void checkConstantPointers(const ProgramSummary &program, const ProgramContext &context);
void checkConstantSize(const ProgramSummary &program, const ProgramContext &context);
void checkCtaGroupsAlone(const ProgramSummary &program, const ProgramContext &context);
void checkWithoutAbi(const ProgramSummary &program, const ProgramContext &context);
void checkBranchTables(const ProgramSummary &program, const ProgramContext &context);
/// Checks one kernel with everything it reaches.
void checkSharedSize(const ProgramSummary &program, const Reach &reach, const ProgramContext &context);
void checkOpaqueCount(const ProgramSummary &program, const Reach &reach, const ProgramContext &context);
void checkCtaGroups(const ProgramSummary &program, const Reach &reach, const ProgramContext &context);
void checkSpilling(const ProgramSummary &program, const Reach &reach, const ProgramContext &context);
void checkRegisters(const ProgramSummary &program, const Reach &reach, const ProgramContext &context);
void checkRegisterChanges(const ProgramSummary &program, const Reach &reach, const ProgramContext &context);
void checkLocalSize(const ProgramSummary &program, const Reach &reach, const ProgramContext &context);

} // namespace ptxray
