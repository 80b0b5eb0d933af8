#pragma once
// Facts as text, as tests of the data compare it and `ptxray dump --facts` shows it.
#include "Match/Facts.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <string>

namespace llvm {
class raw_ostream;
}

namespace ptxray {

class DiagnosticSink;
class SourceBuffer;

/// Example: `reads %r1; writes [sbuf] 16 .shared; async generic in cp.async`. `textOf` gives the text of an operand
/// node.
std::string factsText(const Facts &facts, llvm::function_ref<std::string(unsigned node)> textOf);

/// Writes a line with number and facts for each instruction of the functions of a module. Errors of syntax go to the
/// sink.
void dumpFacts(const SourceBuffer &source, DiagnosticSink &syntax, llvm::raw_ostream &os);

} // namespace ptxray
