#pragma once
// From text to Ast. The only header of this folder that other steps include besides Ast.h.
#include "Parse/Ast.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <memory>

namespace ptxray {

class SourceBuffer;
class DiagnosticSink;

/// Reads one text. `check` streams: `onItem` sees each item of the module as soon as it is complete,
/// and with `keepBodies` off the arrays of a function's body are emptied after the call, so memory
/// holds one body at a time. Every syntax error is reported to the sink, one a statement; what the
/// parser could read of a broken file still reaches `onItem`.
class Parser {
public:
  Parser();
  ~Parser();
  using ItemFn = llvm::function_ref<void(const Ast &, Statement)>;
  void parse(const SourceBuffer &source, DiagnosticSink &sink, bool keepBodies, ItemFn onItem);
  /// Names of the next text that stand for a number whose value is not known: it fits wherever some number does.
  void setConstants(std::vector<std::string> names);
  /// Bodies of functions of the next text, from brace to brace, that are not to be read; in the order of the text. The
  /// text need not have them there.
  void passOver(std::vector<Range> bodies);
  const Ast &ast() const;
  /// How many spellings it knows, and of how many bytes. They keep their numbers from text to text.
  size_t spellings() const;
  size_t spelledBytes() const;
  /// Begins anew, with another Ast, and gives its memory back.
  void forget();
  /// The comments that begin with `ptxray:`, whole, as far as the text has been read.
  llvm::ArrayRef<Range> comments() const;

private:
  struct Impl;
  std::unique_ptr<Impl> impl;
};

} // namespace ptxray
