#pragma once
// Reads the items of one module in order. Checks everything outside of bodies directly, and has each instruction
// checked.
#include "Module/Header.h"
#include "Module/Limits.h"
#include "Read/BodyReader.h"

namespace ptxray {

/// The arrays that a reader fills. Readers of the same parser reuse them.
struct ModuleRoom {
  explicit ModuleRoom(const Ast &ast) : scopes(*ast.names) {}
  Scopes scopes;
  BodyRoom bodies;
};

/// The range that contains all instructions.
inline constexpr Range everywhere{0, UINT32_MAX};

class ModuleReader {
public:
  /// Constructs a reader. `knowledge` and `room` must belong to the parser that fills the Ast. Instructions that begin
  /// outside of `judged` are ignored.
  ModuleReader(const Ast &ast, Knowledge &knowledge, ModuleRoom &room, const SourceBuffer &source,
               const CheckOptions &options, DiagnosticSink &sink, Range judged = everywhere)
      : ast(ast), knowledge(knowledge), source(source), options(options), sink(sink), room(room), judged(judged),
        header(source, options, sink), resolver(ast, knowledge.words, room.scopes, sink) {
    room.scopes.clear();
  }

  /// Reads an item. Returns the body if the item is a function with one. The body is valid until the next item. Names
  /// in the body can be looked up until `close`.
  const Body *item(Statement statement);
  /// Leaves the last body, and reports its undeclared names.
  void close() { resolver.endFunction(); }
  /// Returns whether the last body has no findings.
  bool isLastBodySound() const { return isSound; }
  /// Returns whether the last body has undeclared names.
  bool hasUnknownNames() const { return resolver.hasUnknownNames(); }
  /// Ends the module, and checks the rules about the whole module.
  void finish();

  ModuleContext context() const { return header.context(); }
  ModuleSummary summary() const { return header.summary(); }
  /// Returns the symbols of the module and of the current function, or of all functions.
  llvm::ArrayRef<Symbol> symbols() const { return resolver.symbols(); }
  // Return the state, which exists once an item after the header was read.
  ModuleState &state() { return *module; }
  const ModuleState &state() const { return *module; }
  Limits &limits() { return *all; }

private:
  void endHeader(Range place, bool isEmpty = false);
  void variable(const Declaration &declaration);
  void directive(const Directive &directive);
  const Body *function(uint32_t index);
  void statement(Statement statement);
  bool isJudged(const Instruction &instruction) const {
    return judged.begin <= instruction.range.begin && instruction.range.begin < judged.end;
  }
  void declarationInBody(uint32_t index);
  void functionInBody(const Function &function);

  const Ast &ast;
  Knowledge &knowledge;
  const SourceBuffer &source;
  const CheckOptions &options;
  DiagnosticSink &sink;
  ModuleRoom &room;
  const Range judged;
  Header header;
  Resolver resolver;
  bool isSound = true;
  std::optional<ModuleState> module; // set once the header is read, like the next two
  std::optional<Limits> all;
  std::optional<BodyReader> bodies;
};

} // namespace ptxray
