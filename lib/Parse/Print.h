#pragma once

namespace llvm {
class raw_ostream;
}

namespace ptxray {

struct Ast;

/// Writes the Ast as PTX in one canonical form: read again, it gives the same Ast but for ranges.
void printAst(const Ast &ast, llvm::raw_ostream &os);

} // namespace ptxray
