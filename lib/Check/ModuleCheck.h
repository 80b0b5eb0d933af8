#pragma once
// Applies the rules about bodies to the items of one module, in their order, as they are read.
#include "Check/Reuse.h"
#include "Read/ModuleReader.h"

namespace ptxray {

class Analyses;

class ModuleCheck {
public:
  ModuleCheck(ModuleReader &reader, const Ast &ast, const SourceBuffer &source, const CheckOptions &options,
              DiagnosticSink &sink)
      : reader(reader), ast(ast), source(source), options(options), sink(sink) {}

  /// Reads and checks an item. Returns the body if the item is a function with one, good until the next item.
  const Body *item(Statement statement) { return item(statement, nullptr); }
  /// What a check remembers of an item for the check after the next edits.
  struct Again {
    KnownItem item;
    // False: the findings may depend on bodies that were passed over, or change what is said of them.
    bool holds = true;
  };
  /// Reads and checks an item. `before` is what the last check found in the item; null: nothing.
  Again itemAgain(Statement statement, const KnownItem *before);

private:
  /// What the check of a function is given by the last check, and what it gives to the next one.
  struct Memory {
    const KnownItem *before;
    Again now;
  };
  const Body *item(Statement statement, Memory *memory);
  void leave(const Body &body, Analyses &analyses, bool isSound, size_t reportsRead, Memory *memory);
  void recall(const Function &function, Memory &memory);
  void remember(const Function &function, size_t reportsRead, bool isSound, const FunctionSummary &summary,
                Memory &memory);

  ModuleReader &reader;
  const Ast &ast;
  const SourceBuffer &source;
  const CheckOptions &options;
  DiagnosticSink &sink;
  size_t reportsOfItems = 0; // those of the items so far
};

} // namespace ptxray
