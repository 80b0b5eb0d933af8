// The parser that reads faulty text: the same grammar over a base class that keeps the stack of rules,
// so that it knows at every decision which tokens could follow. There it mends what one token mends (a
// semicolon lost, a bracket doubled, a directive misspelt), so that the rest of the text means what
// its writer meant; what it cannot mend it skips to the end of the statement. One report a statement.
#include "Diagnostics/Nearest.h"
#include "Parse/Antlr.h"
#include "Parse/Braces.h"
#include "Parse/Passes.h"
#include "Source/SourceBuffer.h"
#include "llvm/ADT/StringExtras.h"
#include <map>

namespace ptxray::recover {

/// A set of TokenKinds.
using KindSet = uint64_t;
static constexpr KindSet bit(TokenKind kind) { return KindSet(1) << unsigned(kind); }
template <class... Kinds> static constexpr KindSet kinds(Kinds... kind) {
  return (bit(kind) | ...);
}
static constexpr KindSet ruleEnd = KindSet(1) << 63;
/// What `cannotFollow` looks at.
static constexpr KindSet doubtful =
    kinds(TokenKind::Func, TokenKind::Linkage, TokenKind::Opcode, TokenKind::Space, TokenKind::At);

class PtxBase : public antlr4::Parser {
public:
  explicit PtxBase(antlr4::TokenStream *) : Parser(nullptr) {}

  void attach(Scanner &s, Builder &b, const SourceBuffer &source, DiagnosticSink &sinkToUse) {
    scanner = &s;
    builder = &b;
    text = source.text();
    sink = &sinkToUse;
    b.sink = sink;
    s.braces = s.groups = 0;
    s.markersBeginLines = true;
    followers.resize(getATN().states.size());
    followersOutside.resize(followers.size());
    plainFollowers.resize(followers.size());
    followersOutside[state] = bit(TokenKind::EndOfFile);
    rules.push_back({}); // what is outside of `module`
    repairs = findBraceRepairs(s, text);
    nextRepair = repairs.begin();
    fetch(b.ahead);
  }

protected:
  Scanner *scanner = nullptr;
  Builder *builder = nullptr;
  DiagnosticSink *sink = nullptr;
  llvm::StringRef text;

  // ---- the names of the generated code
  using RecognitionException = SyntaxFault;
  struct NoViableAltException : SyntaxFault {
    explicit NoViableAltException(PtxBase *parser) { parser->reportUnexpected(); }
  };
  struct Input {
    PtxBase *parser;
    size_t LA(int) const {
      TokenKind kind = parser->builder->ahead.kind;
      return kind == TokenKind::EndOfFile ? antlr4::Token::EOF : size_t(kind);
    }
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
    // The generated handlers store the exception in the context; nobody reads it.
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
  void skipNumbers() {}

private:
  struct Rule {
    size_t rule, invokingState;
    KindSet followers; // of the rule, where it was entered
  };
  std::vector<Rule> rules;
  size_t state = 0;
  std::vector<KindSet> followers, followersOutside; // by state; 0: not asked yet
  std::vector<KindSet> plainFollowers; // those that need no second look
  std::optional<Token> pending;   // the token behind an inserted one
  std::optional<Token> held;      // the token behind a brace of `repairs`
  std::vector<BraceRepair> repairs;
  std::vector<BraceRepair>::const_iterator nextRepair;
  Range bodyBrace;
  Token statementFirst;
  uint32_t badTokenEnd = 0; // where the last token that was none ends
  bool isSound = false;     // the item at hand has no fault so far
  bool lonelyWord = false;
  struct Insertion {
    SharedText title, text;
  };
  std::map<TokenKind, Insertion> insertions;

  void fetch(Token &token);
  void reportBad(const Token &token);
  bool repairBrace(Token &token);
  void drop();
  void advance();
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
  [[noreturn]] void argumentsBegin();
  void recover();
  KindSet followersOf(size_t s) { return followers[s] ? followers[s] : readFollowers(s); }
  KindSet readFollowers(size_t s);
  void enterNewRule(size_t start, size_t rule);
  KindSet expectedKinds();

  bool isWord(const Token &token, llvm::StringRef word) const {
    return text.slice(token.begin, token.end) == word;
  }
  bool startsLine(const Token &token) const { return ptxray::startsLine(text, token.begin); }
  bool endsLine(const Token &token) const;
  Diagnostic *report(DiagId id, Range range, std::initializer_list<std::string> args);
  void reportUnexpected();
  Range lineRange(uint32_t from, uint32_t to) const;
  std::string spelled(const Token &token) const;
  std::string describe(KindSet expected) const;

  bool cannotFollow();
  bool isLonelyGuard(const Token &at);
  void weighFix(Diagnostic &d) const;
  bool mend(KindSet expected);
  bool mendKeyword(KindSet expected);
  bool mendSemicolon(KindSet expected);
  bool mendExtra(KindSet expected);
  bool mendMissing(KindSet expected);
  void insert(TokenKind kind, DiagId id, llvm::StringRef token);
  bool mendLonelyWord();
  uint32_t emptyLineBehindLast(bool orComment) const;
  bool startsStatement(const Token &token);
  bool startsItem(const Token &token);
  bool bodyGoesOn(const Token &token);
  bool inStatement() const;
  void beginStatement();
  void skipStatement();
  void skipItem();
  void settleBraces();
};

#define b (*builder)
} // namespace ptxray::recover

#include "recover/Ptx.cpp"
#undef b

namespace ptxray::recover {

// ---- tokens

void PtxBase::fetch(Token &token) {
  if (held) {
    token = *held;
    held.reset();
    return;
  }
  for (;;) {
    scanner->next(token);
    if (nextRepair != repairs.end() && token.begin >= nextRepair->offset) {
      if (repairBrace(token))
        return;
      continue;
    }
    if (token.kind == TokenKind::String) {
      // A string over several lines is legal, but in a faulty file it is a lost or stray quote.
      size_t newline = text.slice(token.begin, token.end).find('\n');
      if (newline == llvm::StringRef::npos)
        return;
      scanner->moveTo(token.begin + 1);
      token.end = token.begin + newline;
      token.bad = BadToken::UnclosedString;
      reportBad(token);
      continue;
    }
    if (token.kind != TokenKind::Bad)
      return;
    reportBad(token);
    if (token.bad == BadToken::StrayCharacter && text[token.begin] == '.') {
      // `add . s32`: the dot belongs to the word behind it.
      const uint32_t dot = token.begin;
      scanner->next(token);
      if (token.kind != TokenKind::Id) {
        scanner->moveTo(dot + 1);
        continue;
      }
      token.id = scanner->internWord("." + text.slice(token.begin, token.end).str());
      token.kind = token.id < keywordCount ? keywords()[token.id].kind : TokenKind::Dotted;
      token.begin = dot;
      return;
    }
    if (token.bad == BadToken::MalformedNumber || token.bad == BadToken::ConstantOverflow) {
      const llvm::StringRef number = text.slice(token.begin, token.end);
      const bool isReal = token.bad == BadToken::ConstantOverflow &&
                          !number.starts_with_insensitive("0x") &&
                          number.find_first_of(".eE") != llvm::StringRef::npos;
      token.kind = isReal ? TokenKind::Float : TokenKind::Integer;
      token.flags = 0;
      token.value = 0;
      return;
    }
  }
}

// False: the brace is dropped. True: the token is an inserted brace, and what it stands before is held.
bool PtxBase::repairBrace(Token &token) {
  const BraceRepair repair = *nextRepair++;
  uint32_t &braces = scanner->braces;
  const uint32_t at = repair.offset;
  badTokenEnd = at + 1; // a report about what comes, not about the statement at hand
  builder->reported = false;
  switch (repair.kind) {
  case BraceRepair::Drop:
    if (Diagnostic *d = report(DiagId::ExtraToken, token.range(), {spelled(token)}))
      d->fix = Fix{"remove `" + spelled(token) + "`", {{token.range(), ""}}};
    braces += token.kind == TokenKind::LeftBrace ? -1 : 1;
    return false;
  case BraceRepair::InsertOpen:
    report(DiagId::ExpectedBracket, {at, at}, {"{", spelled(builder->last)});
    held = token;
    ++braces;
    if (held->kind == TokenKind::EndOfBody)
      held->kind = TokenKind::RightBrace;
    token.kind = TokenKind::LeftBrace;
    break;
  case BraceRepair::InsertClose:
    report(DiagId::ExpectedBracket, {at, at}, {"}", spelled(builder->last)});
    held = token;
    --braces;
    if (held->kind == TokenKind::RightBrace && braces == 0)
      held->kind = TokenKind::EndOfBody;
    token.kind = TokenKind::RightBrace;
    break;
  }
  token.begin = token.end = at;
  return true;
}

void PtxBase::reportBad(const Token &token) {
  std::string shown = spelled(token);
  switch (token.bad) {
  case BadToken::StrayCharacter:
    report(DiagId::StrayCharacter, token.range(), {shown});
    break;
  case BadToken::NonAscii:
    report(DiagId::NonAsciiCharacter, token.range(), {});
    break;
  case BadToken::UnclosedComment:
    report(DiagId::UnclosedComment, token.range(), {});
    break;
  case BadToken::UnclosedString:
    report(DiagId::UnclosedString, token.range(), {});
    break;
  case BadToken::UnclosedSource:
    report(DiagId::UnclosedSource, token.range(), {});
    break;
  case BadToken::MalformedNumber:
    report(DiagId::MalformedNumber, token.range(), {shown});
    break;
  case BadToken::ConstantOverflow:
    report(DiagId::ConstantOverflow, token.range(), {shown, "64"});
    break;
  }
  badTokenEnd = token.end;
}

void PtxBase::drop() {
  if (pending) {
    builder->ahead = *pending;
    pending.reset();
  } else {
    fetch(builder->ahead);
  }
}

void PtxBase::advance() {
  builder->last = builder->ahead;
  drop();
}

Token PtxBase::peek() {
  if (pending)
    return *pending;
  if (held)
    return *held;
  Scanner copy = *scanner;
  Token token;
  do
    copy.next(token);
  while (token.kind == TokenKind::Bad);
  return token;
}

bool PtxBase::endsLine(const Token &token) const {
  const llvm::StringRef behind =
      text.drop_front(token.end).drop_while([](char c) { return llvm::StringRef(" \t\r\f\v").contains(c); });
  return behind.empty() || behind.front() == '\n' || behind.starts_with("//");
}

// ---- what could follow

KindSet PtxBase::readFollowers(size_t s) {
  KindSet set = 0;
  const antlr4::atn::ATN &atn = getATN();
  for (const antlr4::misc::Interval &interval : atn.nextTokens(atn.states[s]).getIntervals())
    for (ssize_t kind = interval.a; kind <= interval.b; ++kind)
      set |= kind == ssize_t(antlr4::Token::EPSILON) ? ruleEnd
             : kind == ssize_t(antlr4::Token::EOF)   ? bit(TokenKind::EndOfFile)
                                                     : KindSet(1) << kind;
  return followers[s] = set;
}


/// Also outside of the rules that may end here; `module` ends with the text, which it matches itself.
inline KindSet PtxBase::expectedKinds() {
  const KindSet here = followersOf(state);
  return here & ruleEnd ? (here & ~ruleEnd) | rules.back().followers : here;
}

void PtxBase::enterRule(antlr4::ParserRuleContext *, size_t start, size_t rule) {
  KindSet behind = followersOutside[state];
  if (!behind || rules.size() == rules.capacity()) [[unlikely]]
    return enterNewRule(start, rule);
  if (behind & ruleEnd)
    behind = (behind & ~ruleEnd) | rules.back().followers;
  rules.push_back({rule, state, behind});
  state = start;
  if (rule == Ptx::RuleStatement || rule == Ptx::RuleItem)
    beginStatement();
}

/// In a state where none was entered before, or deeper than ever.
void PtxBase::enterNewRule(size_t start, size_t rule) {
  if (!followersOutside[state]) {
    const antlr4::atn::ATNState *invoking = getATN().states[state];
    auto *transition = static_cast<const antlr4::atn::RuleTransition *>(invoking->transitions[0]);
    followersOutside[state] = followersOf(transition->followState->stateNumber);
  }
  rules.reserve(rules.size() * 2);
  enterRule(nullptr, start, rule);
}

void PtxBase::beginStatement() {
  // A report on the token ahead was made while it was fetched.
  builder->reported = badTokenEnd > builder->last.end;
  statementFirst = builder->ahead;
  scanner->groups = 0;
}

bool PtxBase::inStatement() const {
  return llvm::any_of(rules, [](const Rule &r) { return r.rule == Ptx::RuleStatement; });
}

// ---- reports

Diagnostic *PtxBase::report(DiagId id, Range range, std::initializer_list<std::string> args) {
  isSound = false;
  if (builder->reported)
    return nullptr;
  builder->reported = true;
  builder->lostText(lineRange(std::min(statementFirst.begin, range.begin), range.begin));
  return &sink->report(id, range, args);
}

// The lines that two places stand on, with all between them.
Range PtxBase::lineRange(uint32_t from, uint32_t to) const {
  const size_t before = text.take_front(from).rfind('\n');
  return {before == llvm::StringRef::npos ? 0 : uint32_t(before + 1),
          uint32_t(std::min(text.find('\n', to), text.size()))};
}

std::string PtxBase::spelled(const Token &token) const {
  if (token.kind == TokenKind::EndOfFile)
    return "end of file";
  return text.slice(token.begin, token.end).take_until([](char c) { return c == '\n'; }).str();
}

std::string PtxBase::describe(KindSet expected) const {
  static const struct {
    KindSet kinds;
    const char *name;
  } names[] = {
      {bit(TokenKind::Semicolon), "`;`"},
      {bit(TokenKind::Comma), "`,`"},
      {bit(TokenKind::RightBracket), "`]`"},
      {kinds(TokenKind::RightBrace, TokenKind::EndOfBody), "`}`"},
      {kinds(TokenKind::RightParen, TokenKind::CloseGroup), "`)`"},
      {bit(TokenKind::Greater), "`>`"},
      {bit(TokenKind::LeftBrace), "`{`"},
      {bit(TokenKind::LeftParen), "`(`"},
      {bit(TokenKind::Id), "a name"},
      {kinds(TokenKind::Integer, TokenKind::Float), "a number"},
      {bit(TokenKind::String), "a string"},
      {bit(TokenKind::Dotted), "a dotted word"},
  };
  if (expected & bit(TokenKind::At))
    return "a statement";
  if (expected & bit(TokenKind::Version))
    return "a directive";
  if (expected & bit(TokenKind::Id) && expected & bit(TokenKind::LeftBracket) &&
      expected & bit(TokenKind::Minus))
    return "an operand";
  std::string out;
  for (auto &name : names)
    if (expected & name.kinds)
      out += (out.empty() ? "" : " or ") + std::string(name.name);
  return out.empty() ? "something else" : out;
}

void PtxBase::reportUnexpected() {
  const Token &ahead = builder->ahead, &before = builder->last;
  KindSet expected = expectedKinds();
  // What is missing at the end of a line is missing there, not where the next statement begins. A number
  // may stand on the next line, and no semicolon follows it: what stands there in its place is the fault.
  constexpr KindSet numbers = kinds(TokenKind::Integer, TokenKind::Float, TokenKind::WarpSize);
  const bool isNumberMissing = !(expected & ~numbers) && ahead.kind != TokenKind::Dotted;
  const bool atEnd = before.end > statementFirst.begin && startsLine(ahead) && !isNumberMissing;
  if (atEnd)
    report(DiagId::IncompleteStatement, before.range(), {describe(expected), spelled(before)});
  else
    report(DiagId::SyntaxError, ahead.range(), {spelled(ahead), describe(expected)});
}

// ---- mending

// What the grammar takes and yet cannot be meant: the name of a function, then a parameter or a register;
// in a body a function with a body; on a new line an operand with several dots; a guard without a name.
inline bool PtxBase::cannotFollow() {
  const Token &ahead = builder->ahead;
  if (!(doubtful & bit(ahead.kind)))
    return false;
  const size_t rule = rules.back().rule;
  if (rule == Ptx::RuleOperands || rule == Ptx::RuleOperand)
    return ahead.kind == TokenKind::Opcode && startsLine(ahead) &&
           text.slice(ahead.begin, ahead.end).count('.') > 1;
  if (rule == Ptx::RuleBody)
    return ahead.kind == TokenKind::At ? isLonelyGuard(ahead)
                                       : ahead.kind != TokenKind::Opcode && ahead.kind != TokenKind::Space &&
                                             startsLine(ahead) && startsItem(ahead);
  if (rule != Ptx::RuleFunc)
    return false;
  if (isWord(ahead, ".reg") || isWord(ahead, ".local"))
    return expectedKinds() & bit(TokenKind::LeftBrace);
  return isWord(ahead, ".param") && expectedKinds() & bit(TokenKind::LeftParen);
}

bool PtxBase::isLonelyGuard(const Token &at) {
  const Token next = peek();
  const bool isLabel = next.kind == TokenKind::Id && text.drop_front(next.end).ltrim().starts_with(":");
  return endsLine(at) || isLabel || kinds(TokenKind::RightBrace, TokenKind::EndOfBody) & bit(next.kind);
}

/// The kinds that `look` has more to ask about.
static constexpr KindSet secondLook(size_t rule) {
  switch (rule) {
  case Ptx::RuleArgument:
    return bit(TokenKind::LeftParen);
  case Ptx::RuleOperands: case Ptx::RuleOperand: case Ptx::RuleFunc:
    return doubtful;
  default:
    return 0;
  }
}

/// What a decision needs besides the kinds that may follow.
void PtxBase::look() {
  const size_t rule = rules.back().rule;
  if (rule == Ptx::RuleBody)
    settleBraces();
  else if (rule == Ptx::RuleModule)
    readSoundItems();
  else if (rule == Ptx::RuleArgument && builder->ahead.kind == TokenKind::LeftParen && startsLine(builder->ahead))
    argumentsBegin();
  else
    plainFollowers[state] = followersOf(state) & ~secondLook(rule);
  if (!(expectedKinds() & bit(builder->ahead.kind)) || cannotFollow())
    mendHere();
}

/// Behind an item without a fault the fast pass reads on, to the next item with one. That one is left to this pass.
void PtxBase::readSoundItems() {
  const bool follows = std::exchange(isSound, true);
  if (!follows || pending || held || nextRepair != repairs.end() || builder->ahead.kind == TokenKind::EndOfFile)
    return;
  builder->sink = nullptr;
  builder->beginItem();
  scanner->moveTo(builder->last.end);
  scanner->braces = scanner->groups = 0;
  const bool isRead = runFastPass(*scanner, *builder);
  builder->sink = sink;
  if (isRead)
    return;
  scanner->moveTo(builder->dropItem());
  scanner->braces = scanner->groups = 0;
  builder->last = builder->beforeItem;
  fetch(builder->ahead);
}

/// The list of results, on the line before, was not closed.
void PtxBase::argumentsBegin() {
  const uint32_t end = lineRange(statementFirst.begin, statementFirst.begin).end;
  report(DiagId::ExpectedBracket, {end, end}, {")", spelled(statementFirst)});
  throw SyntaxFault();
}

void PtxBase::mendHere() {
  const size_t rule = rules.back().rule;
  const bool between = rule == Ptx::RuleBody || rule == Ptx::RuleModule;
  for (;;) {
    if (between)
      beginStatement();
    KindSet expected = expectedKinds();
    if ((expected & bit(builder->ahead.kind) && !cannotFollow()) || mend(expected))
      return;
    // Between statements there is nothing to give up but what stands there.
    if (!between)
      return;
    reportUnexpected();
    if (builder->ahead.kind == TokenKind::EndOfFile)
      return;
    if (rule == Ptx::RuleBody)
      skipStatement();
    else
      do
        drop();
      while (!startsItem(builder->ahead) && builder->ahead.kind != TokenKind::EndOfFile &&
             !(builder->ahead.kind == TokenKind::Func && startsLine(builder->ahead)));
  }
}

bool PtxBase::mend(KindSet expected) {
  return mendKeyword(expected) || mendSemicolon(expected) || mendExtra(expected) || mendMissing(expected);
}

// `.entyr`, `entry`: the nearest directive that could stand here.
bool PtxBase::mendKeyword(KindSet expected) {
  Token &ahead = builder->ahead;
  if (ahead.kind != TokenKind::Dotted && ahead.kind != TokenKind::Id)
    return false;
  std::string word = spelled(ahead);
  if (ahead.kind == TokenKind::Id)
    word = "." + word;
  const Keyword *meant = nullptr;
  Nearest nearest(word, word.size() < 6 ? 2 : 3);
  for (const Keyword &keyword : keywords())
    if (expected & bit(keyword.kind) && nearest.offer(keyword.text))
      meant = &keyword;
  if (!meant)
    return false;
  if (Diagnostic *d = report(DiagId::UnknownDirective, ahead.range(), {spelled(ahead)}))
    d->fix = Fix{"write `" + meant->text.str() + "`", {{ahead.range(), meant->text.str()}}};
  ahead.kind = meant->kind;
  ahead.id = meant - keywords().begin();
  return true;
}

// `{1; 0}`: the list goes on.
bool PtxBase::mendSemicolon(KindSet expected) {
  constexpr KindSet closers = kinds(TokenKind::RightBrace, TokenKind::EndOfBody, TokenKind::RightBracket,
                                    TokenKind::RightParen, TokenKind::CloseGroup);
  constexpr KindSet names = kinds(TokenKind::Id, TokenKind::Opcode, TokenKind::Integer, TokenKind::Float,
                                  TokenKind::WarpSize);
  Token &ahead = builder->ahead;
  if (ahead.kind != TokenKind::Semicolon || !(expected & bit(TokenKind::Comma)) || !(expected & closers))
    return false;
  Scanner copy = *scanner;
  Token next = peek(), behind;
  if (startsLine(next))
    return false;
  copy.moveTo(next.end);
  copy.next(behind);
  const bool isElement = names & bit(next.kind) && (closers | bit(TokenKind::Comma)) & bit(behind.kind);
  if (!isElement && next.kind != TokenKind::LeftBrace && !isWord(next, ".param") && !isWord(next, ".reg"))
    return false;
  if (Diagnostic *d = report(DiagId::SyntaxError, ahead.range(), {";", "`,`"}))
    d->fix = Fix{"replace it by `,`", {{ahead.range(), ","}}};
  ahead.kind = TokenKind::Comma;
  return true;
}

/// Where a brace is too many or missing is a guess.
static bool isBrace(llvm::StringRef token) { return token == "{" || token == "}"; }

/// The first bracket that closes none or another one, or that none closes.
static size_t oddBracket(llvm::StringRef text) {
  llvm::SmallVector<size_t, 8> open;
  for (size_t i = 0; i < text.size(); ++i) {
    if (llvm::StringRef("([{").contains(text[i])) {
      open.push_back(i);
    } else if (llvm::StringRef(")]}").contains(text[i])) {
      const char partner = text[i] == ')' ? '(' : text[i] == ']' ? '[' : '{';
      if (open.empty() || text[open.back()] != partner)
        return i;
      open.pop_back();
    }
  }
  return open.empty() ? llvm::StringRef::npos : open.back();
}

/// A fix that changes one bracket or comma stays if the line is sound behind it. A bracket too many at both ends,
/// `[[a]]`, goes at both.
void PtxBase::weighFix(Diagnostic &d) const {
  const Edit &edit = d.fix->edits.front();
  const llvm::StringRef changed = edit.text.empty() ? text.slice(edit.range.begin, edit.range.end) : edit.text;
  const uint32_t begin = statementFirst.begin;
  if (!llvm::StringRef("()[],").contains(changed) || !inStatement() || edit.range.begin < begin)
    return;
  const uint32_t end = std::min(text.find_first_of(";\n", edit.range.begin), text.size());
  const llvm::StringRef before = text.slice(begin, edit.range.begin), behind = text.slice(edit.range.end, end);
  if (changed == "," && behind.ltrim().starts_with("[") && before.count('[') > before.count(']'))
    return d.fix.reset();
  std::string fixed = (before + edit.text.str() + behind).str();
  if (const size_t odd = oddBracket(fixed); odd != llvm::StringRef::npos) {
    const bool closes = (changed == "[" && fixed[odd] == ']') || (changed == "(" && fixed[odd] == ')');
    if (!edit.text.empty() || !closes || odd < before.size())
      return d.fix.reset();
    fixed.erase(odd, 1);
    if (oddBracket(fixed) != llvm::StringRef::npos)
      return d.fix.reset();
    const uint32_t at = edit.range.end + static_cast<uint32_t>(odd - before.size());
    d.fix->edits.push_back({{at, at + 1}, ""});
  }
}

// `,,`, `]]`, `;;`: what stands behind it fits.
bool PtxBase::mendExtra(KindSet expected) {
  Token &ahead = builder->ahead;
  constexpr KindSet droppable =
      kinds(TokenKind::Semicolon, TokenKind::Comma, TokenKind::Colon, TokenKind::LeftBrace,
            TokenKind::RightBrace, TokenKind::EndOfBody, TokenKind::LeftBracket) |
      kinds(TokenKind::RightBracket, TokenKind::LeftParen, TokenKind::RightParen,
            TokenKind::CloseGroup, TokenKind::At, TokenKind::Not, TokenKind::Bar) |
      kinds(TokenKind::Equal, TokenKind::Less, TokenKind::Greater, TokenKind::Plus,
            TokenKind::Minus, TokenKind::Infix, TokenKind::Tilde, TokenKind::Question);
  if (!(droppable & bit(ahead.kind)))
    return false;
  Token next = peek();
  if (!(expected & bit(next.kind)))
    return false;
  if (ahead.kind == TokenKind::Semicolon && inStatement())
    return false;
  bool closesBody = ahead.kind == TokenKind::EndOfBody;
  if ((ahead.kind == TokenKind::RightBrace || closesBody) && startsLine(ahead) &&
      expected & bit(TokenKind::Semicolon))
    return false; // a semicolon is missing before it
  // The arguments of a call may stand on lines of their own.
  if (ahead.kind == TokenKind::RightParen && inStatement())
    for (uint32_t at = statementFirst.begin; at < ahead.begin;) {
      llvm::StringRef line = text.slice(at, text.find('\n', at));
      if (hasTrace(line)) {
        report(DiagId::ExpectedBracket, {at, at}, {"(", spelled(statementFirst)});
        throw SyntaxFault();
      }
      at += line.size() + 1;
    }
  if (Diagnostic *d = report(DiagId::ExtraToken, ahead.range(), {spelled(ahead)})) {
    d->fix = Fix{"remove `" + spelled(ahead) + "`", {{ahead.range(), ""}}, /*safe=*/!isBrace(spelled(ahead))};
    weighFix(*d);
  }
  if (ahead.kind == TokenKind::RightBrace || closesBody)
    ++scanner->braces;
  if (ahead.kind == TokenKind::LeftBrace && scanner->braces)
    --scanner->braces;
  do
    drop();
  while (next.kind == TokenKind::Semicolon && ahead.kind == TokenKind::Semicolon);
  return true;
}

void PtxBase::insert(TokenKind kind, DiagId id, llvm::StringRef token) {
  uint32_t at = builder->last.end;
  constexpr KindSet alone =
      kinds(TokenKind::LeftParen, TokenKind::RightParen, TokenKind::RightBrace);
  if (kind == TokenKind::LeftBrace || (alone & bit(kind) && startsLine(builder->ahead)))
    at = emptyLineBehindLast(kind == TokenKind::RightParen);
  if (at == builder->last.end && builder->ahead.kind == TokenKind::Semicolon &&
      startsLine(builder->ahead))
    at = builder->ahead.begin;
  if (Diagnostic *d = report(id, {at, at}, {})) {
    if (id == DiagId::ExpectedBracket)
      d->args.push_back(token.str());
    d->args.push_back(spelled(builder->last));
    Insertion &insertion = insertions[kind];
    if (insertion.text.empty())
      insertion = {"insert `" + token.str() + "`", token.str()};
    Fix &fix = d->fix.emplace();
    fix.title = insertion.title;
    fix.edits.push_back({{at, at}, insertion.text});
    fix.safe = !isBrace(token);
    weighFix(*d);
  }
  pending = builder->ahead;
  Token &ahead = builder->ahead;
  ahead = Token();
  ahead.kind = kind;
  ahead.begin = ahead.end = at;
}

// What is mostly alone on its line leaves an empty line where it is lost; a closing parenthesis may
// have had a comment behind it.
uint32_t PtxBase::emptyLineBehindLast(bool orComment) const {
  const uint32_t from = builder->last.end;
  llvm::StringRef rest = text.drop_front(from);
  llvm::SmallVector<uint32_t, 4> emptyLines;
  size_t newline = rest.find('\n');
  llvm::StringRef behind = rest.take_front(newline).trim();
  if (!behind.empty() && !behind.starts_with("//"))
    return from;
  while (newline != llvm::StringRef::npos) {
    size_t next = rest.find('\n', newline + 1);
    llvm::StringRef line = rest.slice(newline + 1, next);
    const bool onlyComment = line.starts_with(" ") && line.trim().starts_with("//");
    if (!line.trim().empty() && !onlyComment)
      break;
    if (hasTrace(line) || (onlyComment && orComment))
      return from + newline + 1;
    if (!onlyComment && (newline + 1 < rest.size() || emptyLines.empty()))
      emptyLines.push_back(from + newline + 1);
    newline = next;
  }
  return emptyLines.empty() ? from : emptyLines[emptyLines.size() / 2];
}

bool PtxBase::mendMissing(KindSet expected) {
  const Token &ahead = builder->ahead;
  auto wants = [expected](TokenKind kind) { return (expected & bit(kind)) != 0; };
  const bool newLine = startsLine(ahead);
  const bool closesBlock =
      ahead.kind == TokenKind::EndOfBody || ahead.kind == TokenKind::RightBrace;

  if (wants(TokenKind::EndOfBody) && rules.back().rule == Ptx::RuleBody) {
    if (ahead.kind != TokenKind::EndOfFile && !(newLine && startsItem(ahead)))
      return false;
    beginStatement();
    std::string before =
        ahead.kind == TokenKind::EndOfFile ? "the end of the file" : "`" + spelled(ahead) + "`";
    const uint32_t at = emptyLineBehindLast(false);
    if (Diagnostic *d = report(DiagId::UnclosedBrace, {at, at}, {before}))
      d->notes.push_back({"the body begins here", bodyBrace});
    builder->closeBlocks(ahead.begin);
    scanner->braces = 0;
    pending = ahead;
    builder->ahead.kind = TokenKind::EndOfBody;
    builder->ahead.begin = builder->ahead.end = at;
    return true;
  }
  if (mendLonelyWord())
    return false;
  const bool inHead = !builder->isInBody() && llvm::any_of(rules, [](const Rule &r) {
    return r.rule == Ptx::RuleEntry || r.rule == Ptx::RuleFunc;
  });
  if (wants(TokenKind::LeftParen) && !wants(TokenKind::Minus) && (newLine || inHead) && isWord(ahead, ".param"))
    return insert(TokenKind::LeftParen, DiagId::ExpectedBracket, "("), true;
  const bool beginsBody = inHead && (startsStatement(ahead) || ahead.kind == TokenKind::Space);
  if (wants(TokenKind::LeftBrace) && newLine &&
      (beginsBody || rules.back().rule == Ptx::RuleSection))
    return insert(TokenKind::LeftBrace, DiagId::ExpectedBracket, "{"), true;

  // `call (a)`, and the function on the next line.
  const bool listGoesOn =
      newLine && (ahead.kind == TokenKind::LeftParen || isVectorLine(text, ahead.begin) ||
                  (kinds(TokenKind::Id, TokenKind::Integer) & bit(ahead.kind) &&
                   kinds(TokenKind::Comma, TokenKind::RightParen) & bit(peek().kind)));
  if (wants(TokenKind::Comma) && listGoesOn)
    return insert(TokenKind::Comma, DiagId::ExpectedComma, ","), true;

  const bool ends = newLine || closesBlock || ahead.kind == TokenKind::Semicolon ||
                    ahead.kind == TokenKind::Comma || ahead.kind == TokenKind::EndOfFile ||
                    ahead.kind == TokenKind::Equal || ahead.kind == TokenKind::LeftBrace;
  if (ends) {
    if (wants(TokenKind::RightBracket))
      return insert(TokenKind::RightBracket, DiagId::ExpectedBracket, "]"), true;
    if (wants(TokenKind::RightParen) && !(newLine && ahead.kind == TokenKind::Space))
      return insert(TokenKind::RightParen, DiagId::ExpectedBracket, ")"), true;
    if (expected == bit(TokenKind::Greater))
      return insert(TokenKind::Greater, DiagId::ExpectedBracket, ">"), true;
    if (wants(TokenKind::RightBrace) && wants(TokenKind::Comma)) {
      insert(TokenKind::RightBrace, DiagId::ExpectedBracket, "}");
      return true;
    }
  }
  if (wants(TokenKind::Semicolon) &&
      (newLine || closesBlock || ahead.kind == TokenKind::EndOfFile))
    return insert(TokenKind::Semicolon, DiagId::ExpectedSemicolon, ";"), true;
  constexpr KindSet operandStart =
      kinds(TokenKind::Id, TokenKind::Opcode, TokenKind::Integer, TokenKind::Float,
            TokenKind::WarpSize, TokenKind::LeftBrace, TokenKind::LeftBracket) |
      kinds(TokenKind::LeftParen, TokenKind::Not, TokenKind::Space, TokenKind::String);
  // `.func (.param .b32 r name (`: the name of the function behind its results.
  if (wants(TokenKind::RightParen) && ahead.kind == TokenKind::Id &&
      llvm::any_of(rules, [](const Rule &r) { return r.rule == Ptx::RuleResults; }))
    return insert(TokenKind::RightParen, DiagId::ExpectedBracket, ")"), true;
  const bool opensGroup = ahead.kind == TokenKind::LeftParen && !inStatement();
  if (wants(TokenKind::Comma) && operandStart & bit(ahead.kind) && !opensGroup)
    return insert(TokenKind::Comma, DiagId::ExpectedComma, ","), true;
  return false;
}

// `ret` or `$L1` alone on a line swallows the next one as its operands: go back to its end.
bool PtxBase::mendLonelyWord() {
  constexpr KindSet words = kinds(TokenKind::Id, TokenKind::Opcode);
  const Token &word = statementFirst;
  if (!(words & bit(word.kind)) || !inStatement() || builder->last.begin <= word.begin ||
      !startsLine(word) || !endsLine(word))
    return false;
  // Its operands may stand on the lines below.
  if (const size_t next = text.find_first_not_of(" \t\r\n", word.end);
      next != llvm::StringRef::npos && text[next] == '{' && !text.substr(next + 1).ltrim(" \t\r").starts_with("\n"))
    return false;
  lonelyWord = true;
  throw SyntaxFault();
}

// ---- skipping

void PtxBase::recover() {
  const size_t rule = rules.back().rule;
  if (rule != Ptx::RuleStatement && rule != Ptx::RuleItem)
    throw;
  scanner->groups = 0;
  if (rule == Ptx::RuleItem) {
    builder->dropItem();
    scanner->braces = 0;
    skipItem();
    // A header that cannot be read is not missing.
    if (kinds(TokenKind::Version, TokenKind::Target, TokenKind::AddressSize) & bit(statementFirst.kind)) {
      builder->beginDirective(statementFirst);
      builder->endDirective();
      builder->itemEnd();
    }
    return;
  }
  if (!lonelyWord) {
    builder->breakStatement();
    skipStatement();
    return;
  }
  builder->dropStatement();
  lonelyWord = false;
  Token word = statementFirst;
  llvm::StringRef spelling = text.slice(word.begin, word.end);
  bool isLabel = word.kind == TokenKind::Id &&
                 !llvm::all_of(spelling, [](char c) { return llvm::isLower(c); });
  const Range end{word.end, word.end};
  if (Diagnostic *d = report(isLabel ? DiagId::ExpectedColon : DiagId::ExpectedSemicolon, end, {spelling.str()}))
    d->fix = isLabel ? Fix{"insert `:`", {{end, ":"}}} : Fix{"insert `;`", {{end, ";"}}, /*safe=*/true};
  scanner->moveTo(word.end);
  pending.reset();
  held.reset();
  builder->ahead = word;
  advance();
  if (isLabel) {
    builder->save(word);
    builder->label();
  } else {
    builder->opcode(word);
    builder->endInstruction(word);
  }
}

bool PtxBase::startsStatement(const Token &token) {
  constexpr KindSet starts =
      kinds(TokenKind::At, TokenKind::Loc, TokenKind::LocIntermediate, TokenKind::Pragma,
            TokenKind::Call, TokenKind::LeftBrace, TokenKind::RightBrace, TokenKind::EndOfBody) |
      bit(TokenKind::Dotted);
  if (starts & bit(token.kind))
    return true;
  if (token.kind == TokenKind::Opcode)
    return text[token.begin] != '%';
  if (token.kind == TokenKind::Space)
    return isWord(token, ".reg");
  if (token.kind != TokenKind::Id)
    return false;
  TokenKind next = peek().kind;
  return next == TokenKind::Colon || next == TokenKind::Semicolon;
}

/// Whether the token, or the declaration of a function that begins there, stands in the body: the brace that
/// ends it comes before any item of the module.
bool PtxBase::bodyGoesOn(const Token &token) {
  constexpr KindSet items = kinds(TokenKind::EndOfFile, TokenKind::Linkage, TokenKind::Entry, TokenKind::Func,
                                  TokenKind::Section, TokenKind::Version);
  Scanner copy = *scanner;
  Token next = token;
  if (token.kind == TokenKind::Linkage) {
    copy.next(next);
    if (next.kind != TokenKind::Func)
      return false;
    while (!(kinds(TokenKind::EndOfFile, TokenKind::Semicolon, TokenKind::LeftBrace) & bit(next.kind)))
      copy.next(next);
    if (next.kind != TokenKind::Semicolon)
      return false;
  }
  for (int depth = 0; depth >= 0;) {
    copy.next(next);
    if (items & bit(next.kind))
      return false;
    depth += next.kind == TokenKind::LeftBrace;
    depth -= next.kind == TokenKind::RightBrace || next.kind == TokenKind::EndOfBody;
  }
  return true;
}

bool PtxBase::startsItem(const Token &token) {
  constexpr KindSet starts =
      kinds(TokenKind::Linkage, TokenKind::Entry, TokenKind::Section, TokenKind::File,
            TokenKind::Version, TokenKind::MetadataSection, TokenKind::SourceSection,
            TokenKind::AddressSize);
  if (kinds(TokenKind::Version, TokenKind::Linkage) & bit(token.kind) && builder->isInBody())
    return !bodyGoesOn(token);
  if (starts & bit(token.kind))
    return true;
  if (token.kind != TokenKind::Func)
    return false;
  // A function may be declared in a body, but not defined.
  Scanner copy = *scanner;
  Token next;
  do
    copy.next(next);
  while (!(kinds(TokenKind::EndOfFile, TokenKind::LeftBrace, TokenKind::Semicolon) &
           bit(next.kind)));
  return next.kind == TokenKind::LeftBrace;
}

void PtxBase::skipStatement() {
  for (;;) {
    const Token &ahead = builder->ahead;
    if (ahead.kind == TokenKind::EndOfFile)
      return;
    if (ahead.begin != statementFirst.begin && startsLine(ahead) &&
        (startsStatement(ahead) || startsItem(ahead)))
      return;
    bool ends = ahead.kind == TokenKind::Semicolon;
    builder->last = ahead;
    do
      drop();
    while (ends && builder->ahead.kind == TokenKind::Semicolon);
    if (ends)
      return;
  }
}

void PtxBase::skipItem() {
  for (uint32_t depth = 0;;) {
    const Token &ahead = builder->ahead;
    if (ahead.kind == TokenKind::EndOfFile)
      return;
    if (ahead.begin != statementFirst.begin && startsLine(ahead) &&
        (startsItem(ahead) || ahead.kind == TokenKind::Target || (depth == 0 && ahead.kind == TokenKind::Func)))
      return;
    depth += ahead.kind == TokenKind::LeftBrace;
    bool closes = ahead.kind == TokenKind::RightBrace;
    bool ends = closes ? depth <= 1 : depth == 0 && ahead.kind == TokenKind::Semicolon;
    depth -= closes && depth;
    builder->last = ahead;
    drop();
    constexpr KindSet initialiserGoesOn = kinds(TokenKind::Semicolon, TokenKind::Comma, TokenKind::RightBrace);
    if (closes && ends && initialiserGoesOn & bit(ahead.kind))
      continue;
    if (ends)
      return;
  }
}

// After a fault the braces that the scanner has counted may be wrong; the open blocks are known.
void PtxBase::settleBraces() {
  Token &ahead = builder->ahead;
  const uint32_t blocks = builder->openBlocks();
  if (ahead.kind == TokenKind::RightBrace || ahead.kind == TokenKind::EndOfBody) {
    ahead.kind = blocks ? TokenKind::RightBrace : TokenKind::EndOfBody;
    scanner->braces = blocks;
  } else {
    scanner->braces = blocks + 1 + (ahead.kind == TokenKind::LeftBrace);
  }
}

} // namespace ptxray::recover

void ptxray::runRecoveringPass(Scanner &scanner, Builder &builder, const SourceBuffer &source,
                               DiagnosticSink &sink) {
  recover::Ptx parser(nullptr);
  parser.attach(scanner, builder, source, sink);
  parser.module();
}
