#pragma once
#include <string>

namespace llvm {
class raw_ostream;
}

namespace ptxray {

struct Ast;
struct Statement;

/// Writes the Ast as PTX in one canonical form: read again, it gives the same Ast but for ranges.
void printAst(const Ast &ast, llvm::raw_ostream &os);
/// Returns one statement in that form; a function with its body.
std::string printStatement(const Ast &ast, Statement statement);

} // namespace ptxray
