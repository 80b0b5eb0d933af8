#include "Parse/Parse.h"
#include "Parse/Passes.h"
#include "Source/Foreign.h"
#include "Source/SourceBuffer.h"
#include "llvm/ADT/STLExtras.h"

namespace ptxray {

struct Parser::Impl {
  Interner names, spellings{/*ownsTexts=*/true};
  Ast ast;
  Scanner scanner{names, spellings};
  Builder builder{ast, names, spellings};
  FastPass fastPass;
  std::vector<std::string> constants;
  std::vector<Range> skippedBodies;
  Impl() {
    ast.names = &names;
    ast.spellings = &spellings;
  }
};

Parser::Parser() : impl(std::make_unique<Impl>()) {}
Parser::~Parser() = default;
const Ast &Parser::ast() const { return impl->ast; }
llvm::ArrayRef<Range> Parser::comments() const { return impl->scanner.remarks; }

size_t Parser::spellings() const { return impl->spellings.size(); }
size_t Parser::spelledBytes() const { return impl->spellings.bytes(); }
void Parser::forget() { impl = std::make_unique<Impl>(); }

void Parser::setConstants(std::vector<std::string> names) { impl->constants = std::move(names); }

void Parser::passOver(std::vector<Range> bodies) { impl->skippedBodies = std::move(bodies); }

/// Reports a text that ends with the terminator of a C string, as some compilers pass it. Drivers accept it, but ptxas
/// does not.
static void reportTerminator(llvm::StringRef text, DiagnosticSink &sink) {
  const size_t end = text.rtrim('\0').size();
  if (end == text.size())
    return;
  const Range range{static_cast<uint32_t>(end), static_cast<uint32_t>(text.size())};
  Diagnostic &d = sink.report(DiagId::StrayCharacter, range, std::string(1, '\0'));
  d.fix = Fix{"remove what ends a C string", {{range, ""}}, /*safe=*/true};
}

/// Reports a NUL in a comment or a string, which the parser skips. ptxas reads the file as a C string.
static void reportHiddenNul(llvm::StringRef text, DiagnosticSink &sink) {
  const size_t nul = text.rtrim('\0').find('\0');
  auto isThere = [&](const Diagnostic &d) { return d.id == DiagId::StrayCharacter && d.range.begin == nul; };
  if (nul == llvm::StringRef::npos || llvm::any_of(sink.diagnostics(), isThere))
    return;
  const Range range{static_cast<uint32_t>(nul), static_cast<uint32_t>(nul + 1)};
  sink.report(DiagId::StrayCharacter, range, std::string(1, '\0'))
      .notes.push_back({"ptxas treats it as the end of the file", std::nullopt});
}

/// Reports a byte order mark. Returns the beginning of the text.
static uint32_t passMark(llvm::StringRef text, DiagnosticSink &sink) {
  if (!text.starts_with(byteOrderMark))
    return 0;
  const Range range{0, byteOrderMark.size()};
  Diagnostic &d = sink.report(DiagId::NonAsciiCharacter, range);
  d.notes.push_back({"it is a byte order mark: save the text as UTF-8 without one", std::nullopt});
  d.fix = Fix{"remove the byte order mark", {{range, ""}}, /*safe=*/true};
  return range.end;
}

void Parser::stream(const SourceBuffer &source, DiagnosticSink &sink, ItemFn onItem, Bodies bodies) {
  reportTerminator(source.text(), sink);
  impl->names.clear();
  impl->scanner.start(source.text(), std::exchange(impl->constants, {}));
  impl->builder.start(source.text(), bodies, onItem);
  impl->builder.skippedBodies = std::exchange(impl->skippedBodies, {});
  if (const uint32_t begin = passMark(source.text(), sink))
    impl->scanner.moveTo(begin);
  if (!impl->fastPass.run(impl->scanner, impl->builder)) {
    // Keep the items before the error. The other parser starts with the item that contains the error.
    impl->scanner.moveTo(impl->builder.dropItem());
    runRecoveringPass(impl->scanner, impl->builder, source, sink);
  }
  reportHiddenNul(source.text(), sink);
}

const Ast &Parser::read(const SourceBuffer &source, DiagnosticSink &sink) {
  stream(source, sink, [](const Ast &, Statement) {}, Bodies::Kept);
  return impl->ast;
}

} // namespace ptxray
