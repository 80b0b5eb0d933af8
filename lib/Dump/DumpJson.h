#pragma once

namespace llvm {
class raw_ostream;
}

namespace ptxray {

struct Ast;
class SourceBuffer;

/// Writes the Ast as JSON: every node with its kind and its range.
void dumpJson(const Ast &ast, const SourceBuffer &source, llvm::raw_ostream &os);

} // namespace ptxray
