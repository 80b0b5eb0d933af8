#pragma once
// Facts for people: what tests of the data compare, and what `ptxray dump --facts` shows.
#include "Match/Facts.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <string>

namespace llvm {
class raw_ostream;
}

namespace ptxray {

class DiagnosticSink;
class SourceBuffer;

/// `reads %r1; writes [sbuf] 16 .shared; async generic in cp.async`. `textOf` gives the text of an operand node.
std::string factsText(const Facts &facts, llvm::function_ref<std::string(unsigned node)> textOf);

/// Returns a line for each instruction of the functions of a module: its number and its facts. Gives what is wrong with
/// the syntax.
DiagnosticList dumpFacts(const SourceBuffer &source, llvm::raw_ostream &os);

} // namespace ptxray
