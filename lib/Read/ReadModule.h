#pragma once
// One PTX module, parsed and checked, for callers that need more than its diagnostics.
#include "Module/InitialValues.h"
#include "Parse/Parse.h"
#include "Read/ModuleReader.h"

namespace ptxray {

/// A variable of the module, in its initial state.
struct ReadVariable {
  const Declaration *declaration;
  uint32_t symbol; // index into the symbols, plus 1; 0 if another declaration has the same name
  std::vector<InitialValue> values;
};

/// A parsed module. The source must outlive it.
class ReadModule {
public:
  const Ast &ast() const { return parts->parser.ast(); }
  const SourceBuffer &source() const { return parts->source; }
  ModuleContext context() const { return parts->reader.context(); }
  /// Returns the state that rules and analyses need. The module must have a body.
  const ModuleState &state() const { return parts->reader.state(); }
  /// Returns the symbols of the module, and of all bodies if these are kept.
  llvm::ArrayRef<Symbol> symbols() const { return parts->reader.symbols(); }
  /// Returns the bodies in source order, if they are kept.
  llvm::ArrayRef<Body> bodies() const { return parts->bodies; }
  /// Returns the variables of the module, and those in bodies that are in static memory.
  std::vector<ReadVariable> variables() const;
  /// Returns the comments that contain instructions to ptxray.
  llvm::ArrayRef<Range> comments() const { return parts->parser.comments(); }

  /// Returns the syntax errors, in the order in which they were found; `findings` returns all other findings.
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

/// A parsed module whose items are read one by one, and which becomes a ReadModule.
class ModuleReading {
public:
  /// Parses a module. `constants` are names that represent numbers with unknown values.
  ModuleReading(const SourceBuffer &source, const CheckOptions &options, std::vector<std::string> constants = {});
  const Ast &ast() const { return parts->parser.ast(); }
  const DiagnosticList &syntax() const { return parts->syntax.diagnostics(); }
  ModuleReader &reader() { return parts->reader; }
  /// Returns the sink for findings in the items.
  DiagnosticSink &findings() { return parts->findings; }
  void keep(const Body &body) { parts->bodies.push_back(body); }
  /// Returns the module once all items are read.
  ReadModule end();

private:
  std::unique_ptr<ReadModule::Parts> parts;
};

/// Reads a module and keeps all of it.
ReadModule readModule(const SourceBuffer &source, const CheckOptions &options = {},
                      std::vector<std::string> constants = {});
/// Reads a module without keeping bodies. Calls `see` with each body, which is valid until the next one.
ReadModule streamModule(const SourceBuffer &source, const CheckOptions &options,
                        llvm::function_ref<void(const Body &, const ModuleState &)> see);

} // namespace ptxray
