#include "Check/CheckModule.h"
#include "Check/ModuleCheck.h"
#include "Check/Session.h"
#include "Check/Suppressions.h"
#include "Isa/Isa.h"
#include "Parse/Scanner.h"
#include "Source/Foreign.h"

namespace ptxray {

/// Reports that the source is not PTX, and where the PTX in it begins.
static DiagnosticList foreign(const ForeignText &text) {
  DiagnosticSink sink;
  Diagnostic &d = sink.report(DiagId::NotPtx, text.place, text.what);
  d.notes.push_back({text.advice.data(), std::nullopt});
  if (text.ptx)
    d.notes.push_back({"the PTX begins here: delete the lines above", text.ptx});
  return sink.take();
}

/// Returns the text before a line, without a trailing comment and white space.
static llvm::StringRef textBeforeLine(llvm::StringRef text, uint32_t place) {
  const llvm::StringRef before = text.take_front(place).rtrim();
  const size_t line = before.rfind('\n') + 1, comment = before.find("//", line);
  return before.take_front(comment).rtrim();
}

/// Moves reports about an undefined name to the preceding comma, if the comma should have been a semicolon. In `add.s32
/// %r1, %r2, %r3,` before `ret;`, the next instruction became an operand.
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
  ModuleReader reader(parser.ast(), session.knowledge, *session.room, source, options, sink);
  ModuleCheck module(reader, parser.ast(), source, options, sink);
  parser.stream(source, sink, [&](const Ast &ast, Statement item) {
    if (checkItem)
      checkItem(module, item);
    else
      module.item(item);
    if (item.kind == StatementKind::Function && !parser.comments().empty())
      checked.functions.push_back(ast.functions[item.index].range);
  });
  reader.finish();
  if (sink.hasErrors())
    blameCommas(source, sink);
  checked.comments = parser.comments().vec();
  checked.header = reader.summary();
  checked.diagnostics = sink.take();
  session.limit(source.text().size());
  return checked;
}

/// Checks a module according to a plan. Returns nothing if the plan is not valid.
static std::optional<RecheckedText> checkWith(const Reuse &plan, const SourceBuffer &source,
                                              const CheckOptions &options, Session &session) {
  constexpr size_t mostBodies = 1 << 13; // each takes about a kilobyte
  RecheckedText checked;
  bool isWhole = true, holds = true; // all items are known; the plan is valid
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
  isWhole &= checked.text.comments.empty(); // a comment may silence reports about several functions
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

bool streamChecked(const SourceBuffer &source, llvm::function_ref<void(const Body &, const ModuleState &)> see) {
  const CheckOptions options;
  Session session;
  DiagnosticSink sink;
  const Ast &ast = session.parser.ast();
  ModuleReader reader(ast, session.knowledge, *session.room, source, options, sink);
  ModuleCheck module(reader, ast, source, options, sink);
  session.parser.stream(source, sink, [&](const Ast &, Statement item) {
    if (const Body *body = module.item(item))
      see(*body, reader.state());
  });
  return !sink.hasErrors();
}

/// Lists the functions of a module, because comments may silence findings in them.
static std::vector<Range> functionsOf(const Ast &ast) {
  std::vector<Range> functions;
  for (const Statement item : ast.module)
    if (item.kind == StatementKind::Function)
      functions.push_back(ast.functions[item.index].range);
  return functions;
}

KeptModule checkAndKeep(FileReport report, const CheckOptions &options) {
  const SourceBuffer &source = *report.source;
  CheckedText checked;
  if (const std::optional<ForeignText> text = recogniseForeign(source.text())) {
    checked.diagnostics = foreign(*text);
    return {filled(std::move(report), std::move(checked), options), std::nullopt};
  }
  ModuleReading reading(source, options);
  reading.findings().append(reading.syntax()); // some findings depend on them
  ModuleCheck check(reading.reader(), reading.ast(), source, options, reading.findings());
  for (const Statement item : reading.ast().module)
    if (const Body *body = check.item(item))
      reading.keep(*body);
  reading.reader().finish();
  checked.header = reading.reader().summary();
  DiagnosticSink sink;
  sink.append(reading.findings().diagnostics());
  if (sink.hasErrors())
    blameCommas(source, sink);
  checked.diagnostics = sink.take();
  ReadModule module = reading.end();
  checked.comments = module.comments().vec();
  checked.functions = functionsOf(module.ast());
  return {filled(std::move(report), std::move(checked), options), std::move(module)};
}

FileReport filled(FileReport report, CheckedText checked, const CheckOptions &options) {
  report.ptx = std::move(checked.header.ptx);
  report.target = std::move(checked.header.target);
  report.inlined = std::move(checked.inlined);
  report.diagnostics = wantedOf(std::move(checked), *report.source, options);
  return report;
}

DiagnosticList checkAgain(const ReadModule &module, const CheckOptions &options, Range instructions) {
  const Ast &ast = module.ast();
  Knowledge knowledge;
  ModuleRoom room(ast);
  DiagnosticSink sink;
  sink.append(module.syntax());
  ModuleReader reader(ast, knowledge, room, module.source(), options, sink, instructions);
  ModuleCheck check(reader, ast, module.source(), options, sink);
  for (const Statement item : ast.module)
    check.item(item);
  reader.finish();
  CheckedText checked;
  checked.functions = functionsOf(ast);
  checked.comments = module.comments().vec();
  checked.diagnostics = sink.take();
  return wantedOf(std::move(checked), module.source(), options);
}

} // namespace ptxray
