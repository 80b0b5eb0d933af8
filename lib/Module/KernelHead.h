#pragma once
// The directives about blocks and registers in a kernel's head, and their interpretation by ptxas.
#include "Isa/Directives.h"
#include "Module/CheckOptions.h"
#include "Module/Program.h"

namespace ptxray {

class DiagnosticSink;

KernelHead headOf(const Ast &ast, const Function &function);
/// Reports values that no kernel can have. ptxas corrects some of them, and others fail only at the launch.
void checkHead(const KernelHead &head, const Availability &availability, DiagnosticSink &sink);

/// Returns the head for code generation, with options of ptxas applied: they add missing values, or override existing
/// ones.
KernelHead withOptions(const KernelHead &head, const CheckOptions &options, const Availability &availability);

/// The register limit of a thread.
struct RegisterBound {
  uint64_t registers;
  bool isSet;  // set explicitly for registers or blocks, instead of following from the block size alone
  Range cause; // empty for an option
};
RegisterBound registerBound(const KernelHead &head, const isa::Target &arch, const Availability &availability);

} // namespace ptxray
