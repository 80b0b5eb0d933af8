// Checks any bytes. Reading, checking, and printing the report must end without a fault. If a text has no syntax error,
// printing its Ast and reading it again must give the same Ast.
#include "Check/Checker.h"
#include "Parse/Parse.h"
#include "Parse/Print.h"
#include "Render/Render.h"

using namespace ptxray;

static std::string printed(const SourceBuffer &source, bool &isCorrect) {
  Parser parser;
  DiagnosticSink sink;
  parser.read(source, sink);
  std::string text;
  llvm::raw_string_ostream out(text);
  isCorrect = !sink.hasErrors();
  if (isCorrect)
    printAst(parser.ast(), out);
  return text;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  FileReport report;
  report.path = "input.ptx";
  report.source = SourceBuffer::fromText(report.path, {reinterpret_cast<const char *>(data), size});
  report.diagnostics = findingsIn(*report.source);
  if (size % 8 == 0) { // printing takes longer than checking
    std::string text;
    llvm::raw_string_ostream out(text);
    for (const Format &format : formats)
      format.file(report, RenderOptions(), out);
  }

  bool isCorrect;
  const std::string once = printed(*report.source, isCorrect);
  if (isCorrect) {
    const std::string twice = printed(*SourceBuffer::fromText("printed", once), isCorrect);
    if (!isCorrect || once != twice) {
      llvm::errs() << "read again, this gives another Ast:\n" << once << "---\n" << twice;
      std::abort();
    }
  }
  return 0;
}
