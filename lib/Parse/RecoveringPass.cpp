#include "Parse/Antlr.h"
#include "Parse/Passes.h"

void ptxray::runRecoveringPass(Scanner &scanner, Builder &builder, const SourceBuffer &source,
                       DiagnosticSink &sink) {
  (void)builder, (void)source;
  Token t;
  scanner.next(t);
  sink.report(DiagId::SyntaxError, t.range(), {"?", "something else"});
}
