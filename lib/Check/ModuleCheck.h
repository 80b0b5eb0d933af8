#pragma once
// Applies the rules about function bodies to the items of one module as they are read, in their order.
#include "Check/Reuse.h"
#include "Read/ModuleReader.h"

namespace ptxray {

class Analyses;

class ModuleCheck {
public:
  ModuleCheck(ModuleReader &reader, const Ast &ast, const SourceBuffer &source, const CheckOptions &options,
              DiagnosticSink &sink)
      : reader(reader), ast(ast), source(source), options(options), sink(sink) {}

  /// Reads and checks an item. Returns the body if the item is a function with one. The body is valid until the next
  /// call.
  const Body *item(Statement statement) { return item(statement, nullptr); }
  /// The result for an item that the check after the next edits can reuse.
  struct Again {
    KnownItem item;
    // False if the findings may depend on skipped bodies, or affect findings in them.
    bool holds = true;
  };
  /// Reads and checks an item. `before` is the last check's result for the item, or null.
  Again itemAgain(Statement statement, const KnownItem *before);

private:
  /// The result of the last check of a function, and the result for the next one.
  struct Memory {
    const KnownItem *before;
    Again now;
  };
  const Body *item(Statement statement, Memory *memory);
  void leave(const Body &body, Analyses &analyses, bool isSound, size_t reportsRead, Memory *memory);
  void noteFunction(const Function &function, bool isQuiet, bool accessesGlobal);
  void recall(const Function &function, Memory &memory);
  void remember(const Function &function, size_t reportsRead, bool isSound, const FunctionSummary &summary,
                Memory &memory);

  ModuleReader &reader;
  const Ast &ast;
  const SourceBuffer &source;
  const CheckOptions &options;
  DiagnosticSink &sink;
  size_t reportsOfItems = 0; // number of reports in the items that were read so far
};

} // namespace ptxray
