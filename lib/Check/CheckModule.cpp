#include "Check/CheckModule.h"
#include "Check/ModuleCheck.h"
#include "Check/Session.h"
#include "Check/Suppressions.h"
#include "Source/Foreign.h"

namespace ptxray {

/// Reports that a text is not PTX, and where PTX begins in it.
static DiagnosticList foreign(const ForeignText &text) {
  DiagnosticSink sink;
  Diagnostic &d = sink.report(DiagId::NotPtx, text.place, text.what);
  d.notes.push_back({text.advice.data(), std::nullopt});
  if (text.ptx)
    d.notes.push_back({"PTX begins here: delete what is above it", text.ptx});
  return sink.take();
}

static CheckedText check(const SourceBuffer &source, const CheckOptions &options, Session &session,
                         KnownFunctions *known) {
  CheckedText checked;
  if (const std::optional<ForeignText> text = recogniseForeign(source.text())) {
    checked.diagnostics = foreign(*text);
    return checked;
  }
  DiagnosticSink sink;
  Parser &parser = session.parser;
  ModuleCheck module(parser.ast(), session.knowledge, *session.room, source, options, sink);
  if (known) {
    known->begin();
    parser.passOver(known->bodies());
    module.useKnown(*known);
  }
  parser.stream(source, sink, [&](const Ast &ast, Statement item) {
    module.item(item);
    if (item.kind == StatementKind::Function && !parser.comments().empty())
      checked.functions.push_back(ast.functions[item.index].range);
  });
  module.finish();
  if (known && !parser.comments().empty()) // a comment may silence diagnostics about several functions
    known->fail();
  checked.comments = parser.comments().vec();
  checked.header = module.summary();
  checked.diagnostics = sink.take();
  return checked;
}

CheckedText checkModule(const SourceBuffer &source, const CheckOptions &options, Session &session) {
  CheckedText checked = check(source, options, session, nullptr);
  session.limit(source.text().size());
  return checked;
}

CheckedText recheckModule(const SourceBuffer &source, const CheckOptions &options, Session &session,
                          KnownFunctions &known) {
  const bool isRecalling = !known.isEmpty();
  CheckedText checked = check(source, options, session, &known);
  if (!known.end() && isRecalling) {
    checked = check(source, options, session, &known);
    known.end();
  }
  session.limit(source.text().size());
  return checked;
}

void checkParsed(const Parser &parsed, const SourceBuffer &source, const CheckOptions &options, Range instructions,
                 DiagnosticSink &sink) {
  const Ast &ast = parsed.ast();
  Knowledge knowledge;
  ModuleCheck module(ast, knowledge, source, options, sink);
  module.judgeOnly(instructions);
  CheckedText checked;
  for (const Statement item : ast.module) {
    module.item(item);
    if (item.kind == StatementKind::Function)
      checked.functions.push_back(ast.functions[item.index].range);
  }
  module.finish();
  checked.comments = parsed.comments().vec();
  checked.diagnostics = sink.take();
  sink.append(wantedOf(std::move(checked), source, options));
}

} // namespace ptxray
