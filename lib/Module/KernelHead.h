#pragma once
// The directives of a kernel's head about its blocks and registers, and what ptxas makes of them.
#include "Isa/Directives.h"
#include "Module/CheckOptions.h"
#include "Module/Program.h"

namespace ptxray {

class DiagnosticSink;

KernelHead headOf(const Ast &ast, const Function &function);
/// Reports values that no kernel can have, which ptxas corrects or only the launch refuses.
void checkHead(const KernelHead &head, const Availability &availability, DiagnosticSink &sink);

/// Returns the head as code generation sees it: options of ptxas fill in what it leaves open, or override it.
KernelHead withOptions(const KernelHead &head, const CheckOptions &options, const Availability &availability);

/// The bound on the registers of a thread.
struct RegisterBound {
  uint64_t registers;
  bool isSet;  // by something about registers or blocks, not by the size of the blocks alone
  Range cause; // empty: an option
};
RegisterBound registerBound(const KernelHead &head, const isa::Target &arch, const Availability &availability);

} // namespace ptxray
