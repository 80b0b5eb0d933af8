// The parser that reads correct text: what ANTLR generates, over the scanner. The generated code calls
// the names of this base class instead of the runtime's, all of them inline, so a rule costs what a
// hand-written function would. It builds no tree and stops at the first fault.
#include "Parse/Antlr.h"
#include "Parse/Passes.h"

namespace ptxray::fast {

class PtxBase : public antlr4::Parser {
public:
  explicit PtxBase(antlr4::TokenStream *) : Parser(nullptr) {}

  void attach(Scanner &scanner, Builder &builder) {
    input.scanner = &scanner;
    input.builder = &builder;
    scanner.next(builder.ahead);
  }

protected:
  struct Input {
    Scanner *scanner = nullptr;
    Builder *builder = nullptr;
    size_t LA(int) const { return size_t(builder->ahead.kind); }
  } input;
  struct ErrorHandler {
    void sync(void *) {}
    void reportMatch(void *) {}
    template <class E> void reportError(void *, E &) { throw; }
    void recover(void *, std::exception_ptr &) {}
    void recoverInline(void *) { throw FastPassFailed(); }
  } errorHandler;
  struct Tracker {
    template <class T> T *createInstance(antlr4::ParserRuleContext *, size_t) { return nullptr; }
  };

  // Names that the generated code uses.
  struct RecognitionException {}; // never thrown
  struct NoViableAltException : FastPassFailed {
    explicit NoViableAltException(void *) {}
  };
  Input *const _input = &input;
  ErrorHandler *const _errHandler = &errorHandler;
  Tracker _tracker;
  static constexpr antlr4::ParserRuleContext *_ctx = nullptr;
  template <class F> struct Finally {
    F f;
    ~Finally() { f(); }
  };
  template <class F> static Finally<F> finally(F f) { return {f}; }
  void setState(size_t) {}
  size_t getState() const final { return 0; }
  void enterRule(antlr4::ParserRuleContext *, size_t, size_t) final {}
  void exitRule() {}
  void enterOuterAlt(antlr4::ParserRuleContext *, size_t) final {}
  antlr4::Token *consume() final {
    advance();
    return nullptr;
  }
  antlr4::Token *match(size_t kind) final {
    if (input.LA(1) != kind) [[unlikely]]
      throw FastPassFailed();
    advance();
    return nullptr;
  }
  [[gnu::noinline]] void advance() {
    Builder &builder = *input.builder;
    builder.last = builder.ahead;
    if (!input.scanner->nextSign(builder.ahead))
      readAhead();
  }
  [[gnu::noinline]] void readAhead() { input.scanner->next(input.builder->ahead); }

  // Names that the actions of the grammar use.
#define b (*input.builder)
  const Token &last() const { return input.builder->last; }
  void enterBody() {
    Builder &builder = *input.builder;
    if (const std::optional<uint32_t> end = builder.passBodyOver()) {
      input.scanner->moveTo(*end - 1);
      input.scanner->next(builder.ahead);
    }
    input.scanner->enterBody(builder.ahead);
  }
  void openGroup() { input.scanner->openGroup(); }
  /// Reads the operands that are plain names or numbers, as nearly all are: neither they nor the commas after them cost
  /// a rule. A semicolon is read only after one of them.
  [[gnu::noinline]] void passPlain() {
    Builder &builder = *input.builder;
    Scanner &scanner = *input.scanner;
    Token &ahead = builder.ahead;
    for (;;) {
      const char behind = scanner.behind();
      if (behind != ',' && behind != ';')
        return;
      if (ahead.kind == TokenKind::Id)
        builder.name(ahead);
      else if (ahead.kind == TokenKind::Integer || ahead.kind == TokenKind::Float)
        builder.plainNumber(ahead);
      else
        return;
      if (behind == ';')
        return advance();
      scanner.moveTo(ahead.end + 1);
      scanner.next(ahead);
      if (ahead.kind == TokenKind::Semicolon) [[unlikely]]
        throw FastPassFailed();
    }
  }
  /// Skips numbers that would be dropped, which are most of a debugging section, without making tokens of them.
  void skipNumbers() {
    Token &first = input.builder->ahead;
    const std::optional<uint64_t> largest = input.builder->largestDropped();
    if (!largest || first.kind != TokenKind::Integer || first.value > *largest)
      return;
    input.scanner->skipNumbers(first, *largest);
    if (const auto begin = input.scanner->skipNumberLines(first, input.scanner->text(last().range()), *largest))
      input.builder->moveWord(*begin);
  }
  /// The same for the numbers of an initialiser; all but the last are only counted.
  void skipInitialNumbers() {
    Token &first = input.builder->ahead;
    const std::optional<uint64_t> largest = input.builder->largestCounted();
    if (largest && first.kind == TokenKind::Integer && first.value <= *largest)
      input.builder->countNumbers(input.scanner->skipNumbers(first, *largest));
  }
};

} // namespace ptxray::fast

#include "fast/Ptx.cpp"
#undef b

#define TOKEN(name) static_assert(size_t(ptxray::TokenKind::name) == ptxray::fast::Ptx::name);
#include "Parse/Tokens.def"

struct ptxray::FastPass::Impl {
  fast::Ptx parser{nullptr};
};

ptxray::FastPass::FastPass() : impl(std::make_unique<Impl>()) {}
ptxray::FastPass::~FastPass() = default;

bool ptxray::FastPass::run(Scanner &scanner, Builder &builder) {
  try {
    impl->parser.attach(scanner, builder);
    impl->parser.module();
    return true;
  } catch (const FastPassFailed &) {
    return false;
  }
}
