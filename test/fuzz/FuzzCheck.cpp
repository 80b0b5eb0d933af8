// Any bytes: reading, checking and printing the report must end without a fault, and text that was
// read without a syntax error must give the same Ast again when it is printed.
#include "Check/CheckModule.h"
#include "Parse/Parse.h"
#include "Parse/Print.h"
#include "Render/Render.h"
#include <algorithm>
#include <random>

using namespace ptxray;

extern "C" size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t maxSize);

static std::string printed(const SourceBuffer &source, bool &isCorrect) {
  Parser parser;
  DiagnosticSink sink;
  parser.parse(source, sink, /*keepBodies=*/true, [](const Ast &, Statement) {});
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
  DiagnosticSink sink;
  checkSource(*report.source, CheckOptions(), sink);
  sink.sort();
  report.diagnostics = sink.take();
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

// ---- mutations that know what a word and a line is; half of all are libFuzzer's own

namespace {

struct Span {
  size_t begin, end;
};

bool isWordByte(char c) { return isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '$' || c == '%'; }

/// A random word or sign: `.b32`, `%r1`, `{`.
Span anyToken(llvm::StringRef text, std::minstd_rand &random) {
  size_t begin = random() % text.size();
  while (begin > 0 && isWordByte(text[begin]) && isWordByte(text[begin - 1]))
    --begin;
  size_t end = begin + 1;
  if (isWordByte(text[begin]) || text[begin] == '.')
    while (end < text.size() && isWordByte(text[end]))
      ++end;
  if (begin > 0 && text[begin - 1] == '.')
    --begin;
  return {begin, end};
}

Span anyLine(llvm::StringRef text, std::minstd_rand &random) {
  const size_t middle = random() % text.size();
  const size_t before = text.rfind('\n', middle);
  const size_t behind = text.find('\n', middle);
  const size_t begin = before == llvm::StringRef::npos || before == middle ? 0 : before + 1;
  return {std::min(begin, middle), behind == llvm::StringRef::npos ? text.size() : behind + 1};
}

size_t put(const std::string &text, uint8_t *data, size_t maxSize) {
  const size_t size = std::min(text.size(), maxSize);
  std::copy_n(text.begin(), size, data);
  return size;
}

} // namespace

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t maxSize, unsigned seed) {
  std::minstd_rand random(seed);
  if (size == 0 || random() % 2)
    return LLVMFuzzerMutate(data, size, maxSize);
  std::string text(reinterpret_cast<char *>(data), size);
  const bool whole = random() % 4 == 0;
  const Span from = whole ? anyLine(text, random) : anyToken(text, random);
  const Span to = whole ? anyLine(text, random) : anyToken(text, random);
  const std::string piece = text.substr(from.begin, from.end - from.begin);
  if (random() % 4 == 0)
    text.erase(to.begin, to.end - to.begin);
  else
    text.replace(to.begin, whole ? 0 : to.end - to.begin, piece);
  return put(text, data, maxSize);
}

extern "C" size_t LLVMFuzzerCustomCrossOver(const uint8_t *first, size_t firstSize, const uint8_t *second,
                                            size_t secondSize, uint8_t *out, size_t maxSize, unsigned seed) {
  std::minstd_rand random(seed);
  std::string text(reinterpret_cast<const char *>(first), firstSize);
  const llvm::StringRef other(reinterpret_cast<const char *>(second), secondSize);
  if (text.empty() || other.empty())
    return put(text, out, maxSize);
  const bool whole = random() % 2;
  const Span from = whole ? anyLine(other, random) : anyToken(other, random);
  const Span to = whole ? anyLine(text, random) : anyToken(text, random);
  text.replace(to.begin, whole ? 0 : to.end - to.begin, other.slice(from.begin, from.end).str());
  return put(text, out, maxSize);
}
