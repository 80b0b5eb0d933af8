#pragma once
// Checks the items of one module in their order.
#include "Check/KnownFunctions.h"
#include "Flow/BodyReader.h"
#include "Module/Header.h"
#include "Module/Limits.h"
#include "Module/ModuleRules.h"

namespace ptxray {

/// Memory that successive checks of one parser reuse.
struct ModuleRoom {
  explicit ModuleRoom(const Ast &ast) : scopes(*ast.names) {}
  Scopes scopes;
  BodyRoom bodies;
};

class ModuleCheck {
public:
  /// The knowledge of spellings must be that of the parser that fills the Ast.
  ModuleCheck(const Ast &ast, Knowledge &knowledge, const SourceBuffer &source, const CheckOptions &options,
              DiagnosticSink &sink)
      : ModuleCheck(ast, knowledge, source, options, sink, std::make_unique<ModuleRoom>(ast), nullptr) {}
  /// Reuses `room` across modules.
  ModuleCheck(const Ast &ast, Knowledge &knowledge, ModuleRoom &room, const SourceBuffer &source,
              const CheckOptions &options, DiagnosticSink &sink)
      : ModuleCheck(ast, knowledge, source, options, sink, nullptr, &room) {
    room.scopes.clear();
  }

  /// Leaves out the rules about bodies: only the bodies themselves are wanted.
  void onlyRead() { appliesRules = false; }
  /// Skips instructions that begin elsewhere, as if they were not written.
  void judgeOnly(Range place) { judged = place; }
  /// Uses what is known of functions, and adds to it.
  void useKnown(KnownFunctions &functions) { known = &functions; }
  /// The body of the function that the item is, if it has one; valid until the next item.
  const Body *item(Statement statement);
  /// Called after the last item.
  void finish();
  ModuleContext context() const { return header.context(); }
  ModuleSummary summary() const { return header.summary(); }
  /// The symbols of the module, and of the function that was read last until another begins.
  llvm::ArrayRef<Symbol> symbols() const { return resolver.symbols(); }
  /// Available once an item is read.
  const ModuleState &moduleState() const { return *module; }

private:
  ModuleCheck(const Ast &ast, Knowledge &knowledge, const SourceBuffer &source, const CheckOptions &options,
              DiagnosticSink &sink, std::unique_ptr<ModuleRoom> ownRoom, ModuleRoom *given)
      : ast(ast), knowledge(knowledge), source(source), options(options), sink(sink), ownRoom(std::move(ownRoom)),
        room(given ? *given : *this->ownRoom), header(source, options, sink),
        resolver(ast, knowledge.words, room.scopes, sink) {}
  void endHeader(Range place, bool isEmpty = false);
  void variable(const Declaration &declaration);
  void directive(const Directive &directive);
  const Body *function(uint32_t index);
  const Body &readBody(const Function &function);
  void recall(const Function &function);
  void remember(const Function &function, size_t reportsRead, bool isSound, const FunctionSummary &summary,
                bool isQuiet);
  void statement(Statement statement);
  [[gnu::always_inline]] void instruction(const Instruction &instruction) {
    if (judged.begin <= instruction.range.begin && instruction.range.begin < judged.end) [[likely]]
      bodies->instruction(instruction);
    else
      bodies->passOver();
  }
  void declarationInBody(uint32_t index);
  void functionInBody(const Function &function);

  const Ast &ast;
  Knowledge &knowledge;
  const SourceBuffer &source;
  const CheckOptions &options;
  DiagnosticSink &sink;
  const std::unique_ptr<ModuleRoom> ownRoom; // null: it is another's
  ModuleRoom &room;
  bool appliesRules = true;
  Range judged{0, UINT32_MAX};
  KnownFunctions *known = nullptr; // nothing is, and nothing is to be
  size_t reportsOfItems = 0;       // those of the items so far
  Header header;
  Resolver resolver;
  std::optional<ModuleState> module; // once the header is read, as all below
  std::optional<Limits> limits;
  std::optional<BodyReader> bodies;
};

} // namespace ptxray
