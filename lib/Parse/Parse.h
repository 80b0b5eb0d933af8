#pragma once
// Parses a text into an Ast. Other steps include no other header of this folder but Ast.h.
#include "Parse/Ast.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <memory>

namespace ptxray {

class SourceBuffer;
class DiagnosticSink;
/// The arrays of a function's body are dropped once the function is complete, or kept.
enum class Bodies : bool { Dropped, Kept };

/// Reads one text. Every syntax error is reported to the sink, one a statement; what the parser could read of a broken
/// file is in the Ast all the same.
class Parser {
public:
  Parser();
  ~Parser();
  /// `onItem` sees each item of the module as soon as it is complete; after the call the arrays of a function's body
  /// are emptied, so that memory holds one body at a time.
  using ItemFn = llvm::function_ref<void(const Ast &, Statement)>;
  void stream(const SourceBuffer &source, DiagnosticSink &sink, ItemFn onItem, Bodies bodies = Bodies::Dropped);
  /// Afterwards the Ast holds the whole text.
  const Ast &read(const SourceBuffer &source, DiagnosticSink &sink);
  /// Names in the next text that stand for a number of unknown value: they fit wherever some number does.
  void setConstants(std::vector<std::string> names);
  /// Bodies of functions in the next text, from brace to brace, which are not to be read; in the order of the text.
  /// They need not exist.
  void passOver(std::vector<Range> bodies);
  const Ast &ast() const;
  /// Returns the number of known spellings, and their bytes. They keep their numbers from text to text.
  size_t spellings() const;
  size_t spelledBytes() const;
  /// Starts afresh with another Ast, and frees all memory.
  void forget();
  /// Returns the whole comments that begin with `ptxray:`, as far as the text has been read.
  llvm::ArrayRef<Range> comments() const;

private:
  struct Impl;
  std::unique_ptr<Impl> impl;
};

} // namespace ptxray
