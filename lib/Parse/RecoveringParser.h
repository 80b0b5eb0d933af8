#pragma once
// The base class of the parser for text with syntax errors. RecoveringPass.cpp parses and detects errors, Mending.cpp
// and Habits.cpp repair them, Skipping.cpp finds where to continue.
#include "Parse/Antlr.h"
#include "Parse/Braces.h"
#include "Parse/Passes.h"
#include "Source/SourceBuffer.h"
#include <map>

namespace ptxray::recover {

/// A set of TokenKinds.
using KindSet = uint64_t;
constexpr KindSet bit(TokenKind kind) {
  return KindSet(1) << unsigned(kind == TokenKind::EndOfFile ? TokenKind::Invalid : kind);
}
template <class... Kinds> constexpr KindSet kinds(Kinds... kind) { return (bit(kind) | ...); }
inline constexpr KindSet ruleEnd = KindSet(1) << 63;
/// The token kinds that `cannotFollow` examines.
inline constexpr KindSet doubtful =
    kinds(TokenKind::Func, TokenKind::Linkage, TokenKind::Opcode, TokenKind::Space, TokenKind::At);

/// Returns the PTX equivalent of a statement in another language; empty if there is none.
llvm::StringRef adviceOnStatement(llvm::StringRef first, const Token &last, const Token &ahead);

class PtxBase : public antlr4::Parser {
public:
  explicit PtxBase(antlr4::TokenStream *) : Parser(nullptr) {}

  void attach(Scanner &s, Builder &b, const SourceBuffer &sourceToRead, DiagnosticSink &sinkToUse) {
    scanner = &s;
    builder = &b;
    source = &sourceToRead;
    text = source->text();
    sink = &sinkToUse;
    b.sink = sink;
    s.braces = s.groups = 0;
    s.markersBeginLines = true;
    followers.resize(getATN().states.size());
    followersOutside.resize(followers.size());
    plainFollowers.resize(followers.size());
    followersOutside[state] = bit(TokenKind::EndOfFile);
    rules.push_back({}); // the rule that encloses `module`
    repairs = findBraceRepairs(s, *source);
    nextRepair = repairs.begin();
    fetch(b.ahead);
  }

protected:
  Scanner *scanner = nullptr;
  Builder *builder = nullptr;
  DiagnosticSink *sink = nullptr;
  const SourceBuffer *source = nullptr;
  llvm::StringRef text;

  // ---- the names of the generated code
  using RecognitionException = SyntaxFault;
  struct NoViableAltException : SyntaxFault {
    explicit NoViableAltException(PtxBase *parser) { parser->reportUnexpected(); }
  };
  struct Input {
    PtxBase *parser;
    size_t LA(int) const { return size_t(parser->builder->ahead.kind); }
  } input{this};
  struct ErrorHandler {
    void sync(PtxBase *parser) { parser->sync(); }
    void reportMatch(PtxBase *) {}
    void recoverInline(PtxBase *parser) {
      parser->reportUnexpected();
      throw SyntaxFault();
    }
    void reportError(PtxBase *parser, SyntaxFault &) { parser->recover(); }
    void recover(PtxBase *, std::exception_ptr &) {}
  } errorHandler;
  struct Tracker {
    // Generated handlers store the exception in the context, but nothing reads it.
    template <class T> T *createInstance(antlr4::ParserRuleContext *, size_t) {
      thread_local T unused(nullptr, 0);
      return &unused;
    }
  } _tracker;
  Input *const _input = &input;
  ErrorHandler *const _errHandler = &errorHandler;
  static constexpr antlr4::ParserRuleContext *_ctx = nullptr;
  template <class F> struct Finally {
    F f;
    ~Finally() { f(); }
  };
  template <class F> static Finally<F> finally(F f) { return {f}; }

  void setState(size_t s) { state = s; }
  size_t getState() const { return state; }
  void enterRule(antlr4::ParserRuleContext *, size_t start, size_t rule) final;
  void exitRule() {
    state = rules.back().invokingState;
    rules.pop_back();
  }
  void enterOuterAlt(antlr4::ParserRuleContext *, size_t) final {}
  antlr4::Token *consume() final {
    advance();
    return nullptr;
  }
  antlr4::Token *match(size_t kind) final {
    if (input.LA(1) != kind) {
      sync();
      if (input.LA(1) != kind)
        errorHandler.recoverInline(this);
    }
    advance();
    return nullptr;
  }

  const Token &last() const { return builder->last; }
  void enterBody() {
    scanner->enterBody(builder->ahead);
    bodyBrace = builder->last.range();
  }
  void openGroup() { scanner->openGroup(); }
  void passPlain() {}
  void skipNumbers() {}
  void skipInitialNumbers() {}

private:
  struct Rule {
    size_t rule, invokingState;
    KindSet followers; // tokens that may follow the rule, according to its caller
  };
  std::vector<Rule> rules;
  size_t state = 0;
  std::vector<KindSet> followers, followersOutside; // indexed by state; 0 if not computed yet
  std::vector<KindSet> plainFollowers;              // tokens that need no further check
  std::optional<Token> pending;                     // the token after an inserted one
  std::optional<Token> held;                        // the token after a brace of `repairs`
  std::vector<BraceRepair> repairs;
  std::vector<BraceRepair>::const_iterator nextRepair;
  Range bodyBrace;
  Token statementFirst;
  uint32_t foreignEnd = 0;  // end of the last line in another language
  uint32_t badTokenEnd = 0; // end of the last invalid token
  bool isSound = false;     // no error in the current item so far
  bool lonelyWord = false;
  bool isForeignHere = false; // the current statement is in another language, and was reported
  struct Insertion {
    SharedText title, text;
  };
  std::map<TokenKind, Insertion> insertions;

  void fetch(Token &token);
  bool readCharacter(Token &token);
  void mendComma(Token &token);
  bool isBeforeBody(const Token &semicolon);
  void reportBad(const Token &token);
  bool repairBrace(Token &token);
  void drop();
  void advance();
  void joinGuard();
  Token peek();
  void sync() {
    KindSet plain = plainFollowers[state];
    if (plain & ruleEnd)
      plain |= rules.back().followers & ~doubtful;
    if (!(plain & bit(builder->ahead.kind))) [[unlikely]]
      look();
  }
  void look();
  void readSoundItems();
  void mendHere();
  bool reportForeign();
  bool reportForeignAt(const Token &token);
  bool reportString();
  bool mendComment();
  void skipForeign();
  bool isCallOfC() const;
  Fix fixOfVersion(const Token &number) const;
  bool readEscapes(const Token &token);
  [[noreturn]] void argumentsBegin();
  void recover();
  KindSet followersOf(size_t s) { return followers[s] ? followers[s] : readFollowers(s); }
  KindSet readFollowers(size_t s);
  void prepareRule();
  /// Returns the expected token kinds, including those after rules that may end here. `module` itself matches the end
  /// of the text.
  KindSet expectedKinds() {
    const KindSet here = followersOf(state);
    return here & ruleEnd ? (here & ~ruleEnd) | rules.back().followers : here;
  }

  bool isWord(const Token &token, llvm::StringRef word) const { return text.slice(token.begin, token.end) == word; }
  bool startsLine(const Token &token) const { return ptxray::startsLine(text, token.begin); }
  bool endsLine(const Token &token) const;
  /// Returns whether nothing was reported in the current statement. Consequential errors are not reported.
  bool isFirstReport(Range range);
  template <typename... Args> Diagnostic *report(IdFor<Args...> id, Range range, const Args &...args) {
    return isFirstReport(range) ? &sink->report(id, range, args...) : nullptr;
  }
  void reportUnexpected();
  void addSyntaxAdvice(KindSet expected, Diagnostic &d) const;
  Range lineRange(uint32_t from, uint32_t to) const;
  std::string spelled(const Token &token) const;
  std::string describe(KindSet expected) const;

  bool cannotFollow();
  bool isLonelyGuard(const Token &at);
  void weighFix(Diagnostic &d) const;
  bool hasPartner(const Token &brace) const;
  bool mend(KindSet expected);
  bool mendHabit(KindSet expected);
  bool mendReturnType();
  bool mendAssemblerDirective();
  bool mendNegatedGuard();
  bool mendProduct();
  bool mendTypeAfterComma();
  bool mendAddress(KindSet expected);
  void dropLine(const Token &token);
  bool readHashDirective(Token &token);
  bool isCommentOfOthers(const Token &token) const;
  bool beginsParameters(KindSet expected) const;
  void reportCallOfCuda();
  bool readDots(const Token &token);
  bool joinDot(Token &token);
  bool readLookalike(Token &token);
  bool mendKeyword(KindSet expected);
  bool mendHead(KindSet expected);
  bool mendSemicolon(KindSet expected);
  bool mendExtra(KindSet expected);
  bool mendMissing(KindSet expected);
  bool mendBodyEnd();
  bool listGoesOnBelow();
  bool closesBlock();
  std::optional<TokenKind> missingOpening(KindSet expected);
  std::optional<TokenKind> missingClosing(KindSet expected);
  std::optional<TokenKind> missingToken(KindSet expected);
  bool isCommaMissing(KindSet expected) const;
  bool isGuardWithoutAt() const;
  bool mendType(KindSet expected);
  Diagnostic *reportMissing(TokenKind kind, llvm::StringRef token, uint32_t at);
  void insert(TokenKind kind);
  bool mendFileName(KindSet expected);
  bool mendLonelyWord();
  uint32_t emptyLineBehindLast(bool orComment) const;
  bool startsStatement(const Token &token);
  bool startsItem(const Token &token);
  bool bodyGoesOn(const Token &token);
  bool isInside(std::initializer_list<size_t> wanted) const;
  bool inStatement() const;
  void beginStatement();
  bool isClosedBehind(const Token &semicolon) const;
  void skipStatement();
  bool isAfterGuard(const Token &brace) const;
  void dropStatement();
  void skipItem();
  void dropItem();
  void settleBraces();
};

} // namespace ptxray::recover

#include "recover/Ptx.h" // the rules by name
