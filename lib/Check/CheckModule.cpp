#include "Check/CheckModule.h"
#include "Check/ReadModule.h"
#include "Check/Session.h"
#include "Check/Suppressions.h"
#include "Isa/Isa.h"
#include "Parse/Scanner.h"
#include "Source/Foreign.h"

namespace ptxray {

/// Says that a text is something else than PTX, and where PTX begins in it.
static DiagnosticList foreign(const ForeignText &text) {
  DiagnosticSink sink;
  Diagnostic &d = sink.report(DiagId::NotPtx, text.place, text.what);
  d.notes.push_back({text.advice.data(), std::nullopt});
  if (text.ptx)
    d.notes.push_back({"PTX begins here: delete what is above it", text.ptx});
  return sink.take();
}

/// The text before a line, without the comment and the blanks at its end.
static llvm::StringRef textBeforeLine(llvm::StringRef text, uint32_t place) {
  const llvm::StringRef before = text.take_front(place).rtrim();
  const size_t line = before.rfind('\n') + 1, comment = before.find("//", line);
  return before.take_front(comment).rtrim();
}

/// A comma in the place of a semicolon makes the name of the next instruction an operand: `add.s32 %r1, %r2, %r3,`
/// above `ret;`. What is said of that name is said of the comma.
static void blameCommas(const SourceBuffer &source, DiagnosticSink &sink) {
  const llvm::StringRef text = source.text();
  llvm::SmallVector<Range, 1> names;
  for (const Diagnostic &d : sink.diagnostics())
    if (d.id == DiagId::UndefinedSymbol && isa::findMnemonic(source.text(d.range)) && startsLine(text, d.range.begin) &&
        textBeforeLine(text, d.range.begin).ends_with(","))
      names.push_back(d.range);
  if (names.empty())
    return;
  sink.eraseIf([&](const Diagnostic &d) {
    return llvm::any_of(names, [&](Range name) { return d.range.begin >= name.begin && d.range.begin <= name.end; });
  });
  for (const Range name : names) {
    const uint32_t comma = static_cast<uint32_t>(textBeforeLine(text, name.begin).size() - 1);
    const llvm::StringRef before = text.take_front(comma).rtrim();
    sink.report(DiagId::ExpectedSemicolon, {comma, comma + 1}, before.substr(before.find_last_of(" ,\t\n") + 1)).fix =
        Fix{"write `;`", {{{comma, comma + 1}, ";"}}};
  }
}

CheckedText checkModule(const SourceBuffer &source, const CheckOptions &options, Session &session,
                        CheckItemFn checkItem) {
  CheckedText checked;
  if (const std::optional<ForeignText> text = recogniseForeign(source.text())) {
    checked.diagnostics = foreign(*text);
    return checked;
  }
  DiagnosticSink sink;
  Parser &parser = session.parser;
  session.knowledge.budget.begin(source.text().size());
  ModuleCheck module(parser.ast(), session.knowledge, *session.room, source, options, sink);
  parser.stream(source, sink, [&](const Ast &ast, Statement item) {
    if (checkItem)
      checkItem(module, item);
    else
      module.item(item);
    if (item.kind == StatementKind::Function && !parser.comments().empty())
      checked.functions.push_back(ast.functions[item.index].range);
  });
  module.finish();
  if (sink.hasErrors())
    blameCommas(source, sink);
  checked.comments = parser.comments().vec();
  checked.header = module.summary();
  checked.diagnostics = sink.take();
  session.limit(source.text().size());
  return checked;
}

/// Returns nothing if the plan does not hold.
static std::optional<RecheckedText> checkWith(const Reuse &plan, const SourceBuffer &source,
                                              const CheckOptions &options, Session &session) {
  constexpr size_t mostBodies = 1 << 13; // each takes about a kilobyte
  RecheckedText checked;
  bool isWhole = true, holds = true; // all items are known; the plan is right
  size_t bodies = 0;
  const Ast &ast = session.parser.ast();
  session.parser.passOver(plan.bodies());
  checked.text = checkModule(source, options, session, [&](ModuleCheck &module, Statement statement) {
    const KnownItem *before = plan.find(checked.items.size(), placeOfItem(ast, statement));
    ModuleCheck::Again again = module.itemAgain(statement, before);
    holds &= again.holds && (before || plan.items.empty());
    isWhole &= again.holds;
    const bool isNew = again.item.body && !(before && before->body == again.item.body);
    if (isNew && bodies++ >= mostBodies)
      again.item.body.reset();
    checked.items.push_back(std::move(again.item));
  });
  isWhole &= checked.text.comments.empty(); // one may silence what is said of several functions
  if (!plan.items.empty() && (!holds || !isWhole || checked.items.size() != plan.items.size()))
    return std::nullopt;
  if (!isWhole)
    checked.items.clear();
  return checked;
}

RecheckedText recheckModule(const SourceBuffer &source, const CheckOptions &options, Session &session,
                            const Reuse &plan) {
  std::optional<RecheckedText> checked = checkWith(plan, source, options, session);
  if (!checked)
    checked = checkWith({}, source, options, session);
  return std::move(*checked);
}

DiagnosticList checkAgain(const ReadModule &module, const CheckOptions &options, Range instructions) {
  const Ast &ast = module.ast();
  Knowledge knowledge;
  ModuleRoom room(ast);
  DiagnosticSink sink;
  sink.append(module.syntax());
  ModuleCheck check(ast, knowledge, room, module.source(), options, sink, Rules::Applied, instructions);
  CheckedText checked;
  for (const Statement item : ast.module) {
    check.item(item);
    if (item.kind == StatementKind::Function)
      checked.functions.push_back(ast.functions[item.index].range);
  }
  check.finish();
  checked.comments = module.comments().vec();
  checked.diagnostics = sink.take();
  return wantedOf(std::move(checked), module.source(), options);
}

} // namespace ptxray
