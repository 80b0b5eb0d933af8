#pragma once
// One PTX text, read and judged: a value for all that ask more of a text than what is wrong in it.
#include "Module/InitialValues.h"
#include "Parse/Parse.h"
#include "Read/ModuleReader.h"

namespace ptxray {

/// A variable of the module, as it is before anything runs.
struct ReadVariable {
  const Declaration *declaration;
  uint32_t symbol; // index + 1 into the symbols; 0: another declaration has the name
  std::vector<InitialValue> values;
};

/// The source outlives it.
class ReadModule {
public:
  const Ast &ast() const { return parts->parser.ast(); }
  const SourceBuffer &source() const { return parts->source; }
  ModuleContext context() const { return parts->reader.context(); }
  /// Returns what rules and analyses ask of the module, if it has a body.
  const ModuleState &state() const { return parts->reader.state(); }
  /// Returns the symbols of the module, and of all bodies if these are kept.
  llvm::ArrayRef<Symbol> symbols() const { return parts->reader.symbols(); }
  /// Returns the bodies in the order of the text, if they are kept.
  llvm::ArrayRef<Body> bodies() const { return parts->bodies; }
  /// Returns what the module declares, and what bodies declare in memory that outlives them.
  std::vector<ReadVariable> variables() const;
  /// Returns the comments that speak to ptxray.
  llvm::ArrayRef<Range> comments() const { return parts->parser.comments(); }

  /// Returns the findings about the syntax, in the order in which they were found; `findings` returns the others.
  const DiagnosticList &syntax() const { return parts->syntax.diagnostics(); }
  const DiagnosticList &findings() const { return parts->findings.diagnostics(); }
  bool hasErrors() const { return parts->syntax.hasErrors() || parts->findings.hasErrors(); }

private:
  using SeeFn = llvm::function_ref<void(const Body &, const ModuleState &)>;
  friend class ModuleReading;
  friend ReadModule streamModule(const SourceBuffer &, const CheckOptions &, SeeFn);

  struct Parts {
    Parts(const SourceBuffer &source, const CheckOptions &options)
        : source(source), options(options), room(parser.ast()),
          reader(parser.ast(), knowledge, room, source, this->options, findings) {}

    const SourceBuffer &source;
    const CheckOptions options;
    Parser parser;
    Knowledge knowledge;
    ModuleRoom room;
    DiagnosticSink syntax, findings;
    ModuleReader reader;
    std::vector<Body> bodies;
  };
  explicit ReadModule(std::unique_ptr<Parts> parts) : parts(std::move(parts)) {}

  std::unique_ptr<Parts> parts;
};

/// A text that is parsed and becomes a ReadModule: its reader reads the items of the Ast one by one.
class ModuleReading {
public:
  /// `constants` are names that stand for numbers whose value is not known.
  ModuleReading(const SourceBuffer &source, const CheckOptions &options, std::vector<std::string> constants = {});
  const Ast &ast() const { return parts->parser.ast(); }
  const DiagnosticList &syntax() const { return parts->syntax.diagnostics(); }
  ModuleReader &reader() { return parts->reader; }
  /// Collects what is found in the items.
  DiagnosticSink &findings() { return parts->findings; }
  void keep(const Body &body) { parts->bodies.push_back(body); }
  /// Returns the module once all items are read.
  ReadModule end();

private:
  std::unique_ptr<ReadModule::Parts> parts;
};

/// Reads a text and keeps all of it.
ReadModule readModule(const SourceBuffer &source, const CheckOptions &options = {},
                      std::vector<std::string> constants = {});
/// Reads a text and keeps no body: `see` sees each, good until the next one.
ReadModule streamModule(const SourceBuffer &source, const CheckOptions &options,
                        llvm::function_ref<void(const Body &, const ModuleState &)> see);

} // namespace ptxray
