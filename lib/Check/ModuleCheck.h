#pragma once
// The items of one module, checked in their order.
#include "Check/KnownFunctions.h"
#include "Flow/BodyReader.h"
#include "Module/Header.h"
#include "Module/Limits.h"
#include "Module/ModuleRules.h"

namespace ptxray {

/// What a check fills and the next one of the same parser fills again.
struct ModuleRoom {
  explicit ModuleRoom(const Ast &ast) : scopes(*ast.names) {}
  Scopes scopes;
  BodyRoom bodies;
};

class ModuleCheck {
public:
  /// What is known of the spellings is of the parser that fills the Ast.
  ModuleCheck(const Ast &ast, Knowledge &knowledge, const SourceBuffer &source, const CheckOptions &options,
              DiagnosticSink &sink)
      : ModuleCheck(ast, knowledge, source, options, sink, std::make_unique<ModuleRoom>(ast), nullptr) {}
  /// As one of many.
  ModuleCheck(const Ast &ast, Knowledge &knowledge, ModuleRoom &room, const SourceBuffer &source,
              const CheckOptions &options, DiagnosticSink &sink)
      : ModuleCheck(ast, knowledge, source, options, sink, nullptr, &room) {
    room.scopes.clear();
  }

  /// The rules about bodies are left out: what a body says is wanted, not what is wrong with it.
  void onlyRead() { appliesRules = false; }
  /// Instructions that begin elsewhere are passed over, as if they were not written.
  void judgeOnly(Range place) { judged = place; }
  /// What is known of functions is used, and added to.
  void useKnown(KnownFunctions &functions) { known = &functions; }
  /// The body of the function that the item is, if it has one: good until the next item.
  const Body *item(Statement statement);
  /// No item follows.
  void finish();
  ModuleContext context() const { return header.context(); }
  ModuleSummary summary() const { return header.summary(); }
  /// Of the module, and of the function that was read last until another begins.
  llvm::ArrayRef<Symbol> symbols() const { return resolver.symbols(); }
  /// Once an item is read.
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
