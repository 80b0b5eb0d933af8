#pragma once
// Reads the items of one module in their order: checks what is outside of bodies, and has each instruction judged.
#include "Module/Header.h"
#include "Module/Limits.h"
#include "Read/BodyReader.h"

namespace ptxray {

/// The arrays that a reader fills and the next one of the same parser fills again.
struct ModuleRoom {
  explicit ModuleRoom(const Ast &ast) : scopes(*ast.names) {}
  Scopes scopes;
  BodyRoom bodies;
};

/// The range of all instructions of a text.
inline constexpr Range everywhere{0, UINT32_MAX};

class ModuleReader {
public:
  /// The knowledge of the spellings and the room must be of the parser that fills the Ast. Instructions that begin
  /// outside of `judged` are passed over, as if they were not written.
  ModuleReader(const Ast &ast, Knowledge &knowledge, ModuleRoom &room, const SourceBuffer &source,
               const CheckOptions &options, DiagnosticSink &sink, Range judged = everywhere)
      : ast(ast), knowledge(knowledge), source(source), options(options), sink(sink), room(room), judged(judged),
        header(source, options, sink), resolver(ast, knowledge.words, room.scopes, sink) {
    room.scopes.clear();
  }

  /// Reads an item. Returns the body if the item is a function with one, good until the next item. The names in the
  /// body can be looked up until `close`.
  const Body *item(Statement statement);
  /// Leaves the body that was read last, and reports the names in it that nothing declares.
  void close() { resolver.endFunction(); }
  /// Returns whether nothing was reported while the last body was read.
  bool isLastBodySound() const { return isSound; }
  /// Returns whether the last body has names that nothing declares.
  bool hasUnknownNames() const { return resolver.hasUnknownNames(); }
  /// Ends the text: applies the rules about the whole module.
  void finish();

  ModuleContext context() const { return header.context(); }
  ModuleSummary summary() const { return header.summary(); }
  /// Returns the symbols of the module, and of the function that was read last until another begins, or of all.
  llvm::ArrayRef<Symbol> symbols() const { return resolver.symbols(); }
  // These exist once an item is read that is not of the header.
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
  std::optional<ModuleState> module; // once the header is read, as the next two
  std::optional<Limits> all;
  std::optional<BodyReader> bodies;
};

} // namespace ptxray
