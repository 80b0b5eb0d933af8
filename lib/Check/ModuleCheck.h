#pragma once
// The items of one module, checked in their order.
#include "Check/BodyReader.h"
#include "Check/Reuse.h"
#include "Module/Header.h"
#include "Module/Limits.h"
#include "Module/ModuleRules.h"

namespace ptxray {

/// Holds the arrays that a check fills and the next one of the same parser fills again.
struct ModuleRoom {
  explicit ModuleRoom(const Ast &ast) : scopes(*ast.names) {}
  Scopes scopes;
  BodyRoom bodies;
};

/// Says if the rules about bodies are applied, or are left out since only what a body says is wanted.
enum class Rules : bool { Left, Applied };

/// All instructions of a text.
inline constexpr Range everywhere{0, UINT32_MAX};

class ModuleCheck {
public:
  /// The knowledge of the spellings and the room must be of the parser that fills the Ast. Instructions that begin
  /// outside of `judged` are passed over, as if they were not written.
  ModuleCheck(const Ast &ast, Knowledge &knowledge, ModuleRoom &room, const SourceBuffer &source,
              const CheckOptions &options, DiagnosticSink &sink, Rules rules = Rules::Applied,
              Range judged = everywhere)
      : ast(ast), knowledge(knowledge), source(source), options(options), sink(sink), room(room), rules(rules),
        judged(judged), header(source, options, sink), resolver(ast, knowledge.words, room.scopes, sink) {
    room.scopes.clear();
  }

  /// The body of the function that the item is, if it has one: good until the next item.
  const Body *item(Statement statement) { return item(statement, nullptr); }
  /// The same, for the check after the next edits. `before` is what the last check found in the item; null: nothing.
  struct Again {
    KnownItem item;
    // False: the findings may depend on bodies that were passed over, or change what is said of them.
    bool holds = true;
  };
  Again itemAgain(Statement statement, const KnownItem *before);
  /// Ends the check: no item follows.
  void finish();
  ModuleContext context() const { return header.context(); }
  ModuleSummary summary() const { return header.summary(); }
  /// The symbols of the module, and of the function that was read last until another begins, or of all.
  llvm::ArrayRef<Symbol> symbols() const { return resolver.symbols(); }
  /// The state is there once an item is read.
  const ModuleState &moduleState() const { return *module; }

private:
  void endHeader(Range place, bool isEmpty = false);
  void variable(const Declaration &declaration);
  void directive(const Directive &directive);
  /// Holds what the check of a function is given by the last check, and what it gives to the next one.
  struct Memory {
    const KnownItem *before;
    Again now;
  };
  const Body *item(Statement statement, Memory *memory);
  const Body *function(uint32_t index, Memory *memory);
  const Body &readBody(const Function &function);
  void noteFunction(const Function &function, bool isQuiet, bool accessesGlobal);
  void recall(const Function &function, Memory &memory);
  void remember(const Function &function, size_t reportsRead, bool isSound, const FunctionSummary &summary,
                Memory &memory);
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
  const Rules rules;
  const Range judged;
  size_t reportsOfItems = 0; // those of the items so far
  Header header;
  Resolver resolver;
  std::optional<ModuleState> module; // once the header is read, as all below
  std::optional<Limits> limits;
  std::optional<BodyReader> bodies;
};

} // namespace ptxray
