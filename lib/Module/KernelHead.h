#pragma once
// What a kernel's head says of its blocks and registers, and what ptxas makes of it.
#include "Isa/Directives.h"
#include "Module/CheckOptions.h"
#include "Module/Program.h"

namespace ptxray {

class DiagnosticSink;

KernelHead headOf(const Ast &ast, const Function &function);
/// Values that no kernel can have, and that ptxas mends or that only the launch refuses.
void checkHead(const KernelHead &head, const Availability &availability, DiagnosticSink &sink);

/// The head as code generation has it: what it leaves open the options say, or they have the last word.
KernelHead withOptions(const KernelHead &head, const CheckOptions &options, const Availability &availability);

/// How many registers a thread may have.
struct RegisterBound {
  uint64_t registers;
  bool isSet;  // by something about registers or blocks, not by the size of the blocks alone
  Range cause; // empty: an option
};
RegisterBound registerBound(const KernelHead &head, const isa::Target &arch, const Availability &availability);

} // namespace ptxray
