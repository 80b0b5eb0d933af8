#pragma once
// Prints facts, for tests of the tables and for `ptxray dump --facts`.
#include "Diagnostics/Diagnostic.h"
#include "Match/Facts.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <string>

namespace llvm {
class raw_ostream;
}

namespace ptxray {

class SourceBuffer;

/// Returns text such as `reads %r1; writes [sbuf] 16 .shared; async generic in cp.async`. `textOf` returns the text of
/// an operand node.
std::string factsText(const Facts &facts, llvm::function_ref<std::string(unsigned node)> textOf);

/// Prints a line for each instruction of a module's functions: its number and its facts. Returns the syntax errors.
DiagnosticList dumpFacts(const SourceBuffer &source, llvm::raw_ostream &os);

} // namespace ptxray
