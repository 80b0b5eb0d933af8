#include "Parse/Parse.h"
#include "Parse/Passes.h"
#include "Source/Foreign.h"
#include "Source/SourceBuffer.h"

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

/// Reports a text that ends with the terminator of a C string, as some compilers pass it. A driver accepts it, ptxas
/// does not.
static void reportTerminator(llvm::StringRef text, DiagnosticSink &sink) {
  const size_t end = text.rtrim('\0').size();
  if (end == text.size())
    return;
  const Range range{static_cast<uint32_t>(end), static_cast<uint32_t>(text.size())};
  Diagnostic &d = sink.report(DiagId::StrayCharacter, range, std::string(1, '\0'));
  d.fix = Fix{"remove what ends a C string", {{range, ""}}, /*safe=*/true};
}

const Ast &Parser::read(const SourceBuffer &source, DiagnosticSink &sink) {
  parse(source, sink, Bodies::Kept, [](const Ast &, Statement) {});
  return impl->ast;
}

void Parser::stream(const SourceBuffer &source, DiagnosticSink &sink, ItemFn onItem) {
  parse(source, sink, Bodies::Dropped, onItem);
}

void Parser::parse(const SourceBuffer &source, DiagnosticSink &sink, Bodies bodies, ItemFn onItem) {
  reportTerminator(source.text(), sink);
  const bool hasMark = source.text().starts_with(byteOrderMark);
  impl->names.clear();
  impl->scanner.start(source.text(), std::exchange(impl->constants, {}));
  impl->builder.start(source.text(), bodies, onItem);
  impl->builder.skippedBodies = std::exchange(impl->skippedBodies, {});
  if (hasMark) {
    const Range range{0, byteOrderMark.size()};
    Diagnostic &d = sink.report(DiagId::NonAsciiCharacter, range);
    d.notes.push_back({"it is a byte order mark: save the text as UTF-8 without one", std::nullopt});
    d.fix = Fix{"remove the byte order mark", {{range, ""}}, /*safe=*/true};
    impl->scanner.moveTo(range.end);
  }
  if (impl->fastPass.run(impl->scanner, impl->builder))
    return;
  // The items before the fault are kept; the other parser reads from the item with the fault on.
  impl->scanner.moveTo(impl->builder.dropItem());
  runRecoveringPass(impl->scanner, impl->builder, source, sink);
}

} // namespace ptxray
