#pragma once
#include <string>

namespace llvm {
class raw_ostream;
}

namespace ptxray {

struct Ast;
struct Statement;

/// Prints the Ast as PTX in a canonical form. Parsing the output yields the same Ast except for ranges.
void printAst(const Ast &ast, llvm::raw_ostream &os);
/// Returns the canonical form of one statement; for a function, including its body.
std::string printStatement(const Ast &ast, Statement statement);

} // namespace ptxray
