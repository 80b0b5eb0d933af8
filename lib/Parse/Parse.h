#pragma once
// Parses a PTX module into an Ast. Other steps include only this header and Ast.h from this folder.
#include "Parse/Ast.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <memory>

namespace ptxray {

class SourceBuffer;
class DiagnosticSink;
/// Whether the arrays of a function body are dropped at its end, or kept.
enum class Bodies : bool { Dropped, Kept };

/// Parses one module at a time. Reports at most one syntax error per statement to the sink. The Ast contains everything
/// that could be parsed.
class Parser {
public:
  Parser();
  ~Parser();
  /// Parses a module and calls `onItem` with each item as soon as it is complete. By default, the arrays of a
  /// function's body are cleared after the call, so that only one body is in memory.
  using ItemFn = llvm::function_ref<void(const Ast &, Statement)>;
  void stream(const SourceBuffer &source, DiagnosticSink &sink, ItemFn onItem, Bodies bodies = Bodies::Dropped);
  /// Parses a module completely.
  const Ast &read(const SourceBuffer &source, DiagnosticSink &sink);
  /// Sets names in the next module that represent numbers with unknown values. They are permitted wherever any number
  /// is.
  void setConstants(std::vector<std::string> names);
  /// Sets function bodies in the next module that are to be skipped, including braces, in source order. Ranges that are
  /// not bodies are ignored.
  void passOver(std::vector<Range> bodies);
  const Ast &ast() const;
  /// Return the number of known spellings, and their size. Spellings keep their numbers for all modules.
  size_t spellings() const;
  size_t spelledBytes() const;
  /// Frees all memory and starts with a new Ast.
  void forget();
  /// Returns the comments that begin with `ptxray:`, up to the current position.
  llvm::ArrayRef<Range> comments() const;

private:
  struct Impl;
  std::unique_ptr<Impl> impl;
};

} // namespace ptxray
