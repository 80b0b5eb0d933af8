#include "Check/CheckModule.h"
#include "Check/ModuleCheck.h"
#include "Check/Session.h"
#include "Check/Suppressions.h"
#include "Source/Foreign.h"

namespace ptxray {

bool isWanted(Diagnostic &diagnostic, const CheckOptions &options) {
  switch (options.levels.of(diagnostic.id, diagnostic.kind)) {
  case RuleLevel::Off: return false;
  case RuleLevel::On: break;
  case RuleLevel::Warning: diagnostic.severity = Severity::Warning; return true;
  case RuleLevel::Error: diagnostic.severity = Severity::Error; return true;
  case RuleLevel::Default:
    if (diagnostic.severity == Severity::Pedantic && !options.pedantic)
      return false;
    if (diagnostic.severity != Severity::Error && options.errorsOnly)
      return false;
  }
  if (options.werror)
    diagnostic.severity = Severity::Error;
  return true;
}

/// What the comments of the text and the options leave, by place.
static void select(const SourceBuffer &source, llvm::ArrayRef<Range> comments, llvm::ArrayRef<Range> functions,
                   const CheckOptions &options, DiagnosticSink &sink) {
  applySuppressions(source, comments, functions, options, sink);
  sink.eraseIf([&](Diagnostic &d) { return !isWanted(d, options); });
  sink.sort();
}

/// Whether the text is something else than PTX, which is said in its place.
static bool reportForeign(const SourceBuffer &source, DiagnosticSink &sink) {
  const std::optional<ForeignText> foreign = recogniseForeign(source.text());
  if (!foreign)
    return false;
  Diagnostic &d = sink.report(DiagId::NotPtx, foreign->place, foreign->what);
  d.notes.push_back({foreign->advice.data(), std::nullopt});
  if (foreign->ptx)
    d.notes.push_back({"PTX begins here: delete what is above it", foreign->ptx});
  return true;
}

static ModuleSummary check(Parser &parser, Knowledge &knowledge, ModuleRoom &room, bool keepBodies,
                           const SourceBuffer &source, const CheckOptions &options, DiagnosticSink &sink,
                           KnownFunctions *known = nullptr) {
  if (reportForeign(source, sink)) {
    select(source, {}, {}, options, sink);
    return {};
  }
  ModuleCheck module(parser.ast(), knowledge, room, source, options, sink);
  if (known) {
    known->begin();
    parser.passOver(known->bodies());
    module.useKnown(*known);
  }
  std::vector<Range> functions; // after the first comment for ptxray
  parser.parse(source, sink, keepBodies, [&](const Ast &ast, Statement item) {
    module.item(item);
    if (item.kind == StatementKind::Function && !parser.comments().empty())
      functions.push_back(ast.functions[item.index].range);
  });
  module.finish();
  if (known && !parser.comments().empty()) // one may silence what is said of several functions
    known->fail();
  select(source, parser.comments(), functions, options, sink);
  return module.summary();
}

ModuleSummary checkSource(const SourceBuffer &source, const CheckOptions &options, DiagnosticSink &sink) {
  Session session;
  return check(session.parser, session.knowledge, *session.room, /*keepBodies=*/false, source, options, sink);
}

ModuleSummary checkSource(const SourceBuffer &source, const CheckOptions &options, DiagnosticSink &sink,
                          Session &session) {
  ModuleSummary summary =
      check(session.parser, session.knowledge, *session.room, /*keepBodies=*/false, source, options, sink);
  session.limit(source.text().size());
  return summary;
}

ModuleSummary checkSource(const SourceBuffer &source, const CheckOptions &options, DiagnosticSink &sink,
                          Session &session, KnownFunctions &known) {
  const bool isRecalling = !known.isEmpty();
  auto checkAll = [&](DiagnosticSink &found) {
    return check(session.parser, session.knowledge, *session.room, /*keepBodies=*/false, source, options, found,
                 &known);
  };
  DiagnosticSink first;
  ModuleSummary summary = checkAll(first);
  if (known.end() || !isRecalling) {
    sink.append(first.take());
  } else {
    summary = checkAll(sink);
    known.end();
  }
  session.limit(source.text().size());
  return summary;
}

ModuleSummary checkSource(const SourceBuffer &source, const CheckOptions &options, DiagnosticSink &sink, Parser &kept) {
  Knowledge knowledge;
  ModuleRoom room(kept.ast());
  return check(kept, knowledge, room, /*keepBodies=*/true, source, options, sink);
}

void checkParsed(const Parser &parsed, const SourceBuffer &source, const CheckOptions &options, Range instructions,
                 DiagnosticSink &sink) {
  const Ast &ast = parsed.ast();
  Knowledge knowledge;
  ModuleCheck module(ast, knowledge, source, options, sink);
  module.judgeOnly(instructions);
  std::vector<Range> functions;
  for (const Statement item : ast.module) {
    module.item(item);
    if (item.kind == StatementKind::Function)
      functions.push_back(ast.functions[item.index].range);
  }
  module.finish();
  select(source, parsed.comments(), functions, options, sink);
}

} // namespace ptxray
