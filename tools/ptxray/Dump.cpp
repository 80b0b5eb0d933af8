#include "Binaries.h"
#include "Dump/DumpJson.h"
#include "Pages/FactsText.h"
#include "Parse/Parse.h"
#include "Parse/Print.h"
#include "Render/Render.h"

namespace ptxray {

static void dumpSyntax(const SourceBuffer &source, bool asJson, DiagnosticSink &sink) {
  Parser parser;
  parser.read(source, sink);
  if (asJson)
    dumpJson(parser.ast(), source, llvm::outs());
  else
    printAst(parser.ast(), llvm::outs());
}

static int runDump(const Arguments &arguments) {
  FileReport report;
  report.path = arguments.operands.front().str();
  OneText text = openText(report.path, arguments);
  report.source = std::move(text.source);
  if (!report.source)
    return usageError("cannot read `" + report.path + "`: " + text.problem);
  if (!text.entry.empty())
    report.path += ":" + text.entry;
  DiagnosticSink sink;
  if (arguments.has("--facts"))
    sink.append(dumpFacts(*report.source, llvm::outs()));
  else
    dumpSyntax(*report.source, arguments.value("--format") == "json", sink);
  sink.sort();
  report.diagnostics = sink.take();
  renderText(report, {}, llvm::errs());
  return report.diagnostics.empty() ? Clean : FoundErrors;
}

Command dumpCommand() {
  return {.name = "dump",
          .summary = "show the parsed syntax of a file, in one canonical form",
          .syntax = {.operands = "FILE|-",
                     .fewest = 1,
                     .most = 1,
                     .options = {textOrJsonOption(),
                                 {"--facts", "", "show the properties of each instruction instead"},
                                 entryOption()}},
          .run = runDump};
}

} // namespace ptxray
