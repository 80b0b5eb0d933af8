// The parser for text with syntax errors. It uses the same grammar with a base class that keeps the stack of rules, so
// it knows at every decision which tokens may follow. Errors of one token (a lost semicolon, a doubled bracket, a
// misspelt directive) are repaired, so that the rest of the text keeps its meaning. After other errors, the parser
// skips to the end of the statement. It reports one error per statement.
#include "Parse/NumberAdvice.h"
#include "Parse/RecoveringParser.h"
#include "Source/Foreign.h"
#include "llvm/ADT/StringExtras.h"
#include <mutex>
#ifndef _WIN32
#include <pthread.h>
#endif
#define b (*builder)
#include "recover/Ptx.cpp"
#undef b

namespace ptxray::recover {

// ---- tokens

/// Returns whether an invalid number is meant to be a floating-point number.
static bool isReal(llvm::StringRef number) {
  if (number.ends_with_insensitive("h"))
    return false;
  return number.starts_with_insensitive("0f") || number.starts_with_insensitive("0d") ||
         (!number.starts_with_insensitive("0x") &&
          (number.find_first_of(".eE") != llvm::StringRef::npos || number.ends_with_insensitive("f")));
}

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
      // A string over several lines is valid, but in a faulty file it is caused by a lost or stray quote.
      size_t newline = text.slice(token.begin, token.end).find('\n');
      if (newline == llvm::StringRef::npos)
        return;
      token.end = token.begin + newline;
      token.bad = BadToken::UnclosedString;
      reportBad(token);
      scanner->moveTo(token.end);
      continue;
    }
    if (token.kind == TokenKind::Semicolon && isBeforeBody(token))
      continue;
    if (token.kind != TokenKind::Bad)
      return mendComma(token);
    if (readCharacter(token) || readHashDirective(token))
      return;
    if (readLookalike(token)) {
      if (token.kind != TokenKind::Invalid)
        return;
      continue;
    }
    if (readEscapes(token) || readDots(token) || reportForeignAt(token))
      continue;
    reportBad(token);
    if (token.bad == BadToken::StrayCharacter && text[token.begin] == '#' &&
        (startsLine(token) || isCommentOfOthers(token))) {
      scanner->moveTo(std::min(text.find('\n', token.begin), text.size()));
      badTokenEnd = 0; // the next statement has nothing of it
      continue;
    }
    if (token.bad == BadToken::StrayCharacter && text[token.begin] == '.') {
      if (joinDot(token))
        return;
      continue;
    }
    if (token.bad == BadToken::MalformedNumber || token.bad == BadToken::ConstantOverflow) {
      token.kind = isReal(text.slice(token.begin, token.end)) ? TokenKind::Float : TokenKind::Integer;
      token.flags = 0;
      token.value = 0;
      text.slice(token.begin, token.end).take_while(llvm::isDigit).getAsInteger(10, token.value);
      return;
    }
  }
}

// Applies a repair to a brace. Returns false if the brace is dropped. If it is true, the token is an inserted brace,
// and the next token is held back.
bool PtxBase::repairBrace(Token &token) {
  const BraceRepair repair = *nextRepair++;
  uint32_t &braces = scanner->braces;
  const uint32_t at = repair.offset;
  badTokenEnd = at + 1; // reports about the next token do not belong to the current statement
  builder->reported = false;
  switch (repair.kind) {
  case BraceRepair::Drop:
    if (Diagnostic *d = report(DiagId::ExtraToken, token.range(), spelled(token))) {
      d->fix = Fix{"remove `" + spelled(token) + "`", {{token.range(), ""}}};
      if (token.kind == TokenKind::EndOfBody && bodyBrace.size())
        d->notes.push_back({"it would end the function body that begins here", bodyBrace});
    }
    braces += token.kind == TokenKind::LeftBrace ? -1 : 1;
    return false;
  case BraceRepair::InsertOpen:
    report(DiagId::ExpectedBracket, {at, at}, "{", spelled(builder->last));
    held = token;
    ++braces;
    if (held->kind == TokenKind::EndOfBody)
      held->kind = TokenKind::RightBrace;
    token.kind = TokenKind::LeftBrace;
    break;
  case BraceRepair::InsertClose:
    if (builder->last.kind == TokenKind::LeftBrace)
      report(DiagId::UnclosedBrace, builder->last.range(), "the end of the body");
    else
      report(DiagId::ExpectedBracket, {at, at}, "}", spelled(builder->last));
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
    if (Diagnostic *d = report(DiagId::StrayCharacter, token.range(), shown);
        d && shown == "#" && (startsLine(token) || isCommentOfOthers(token))) {
      const llvm::StringRef word = text.drop_front(token.end).ltrim(" \t").take_while(llvm::isAlpha);
      if (llvm::is_contained<llvm::StringRef>(
              {"define", "include", "if", "ifdef", "ifndef", "else", "endif", "undef", "pragma"}, word)) {
        d->notes.push_back({"PTX has no preprocessor", std::nullopt});
        break;
      }
      d->notes.push_back({"a comment begins with `//`", std::nullopt});
      d->fix = Fix{"write `//`", {{token.range(), "//"}}, /*safe=*/true};
    }
    break;
  case BadToken::NonAscii: report(DiagId::NonAsciiCharacter, token.range()); break;
  case BadToken::UnclosedComment: report(DiagId::UnclosedComment, token.range()); break;
  case BadToken::UnclosedString: report(DiagId::UnclosedString, token.range()); break;
  case BadToken::UnclosedSource: report(DiagId::UnclosedSource, token.range()); break;
  case BadToken::MalformedNumber:
    if (Diagnostic *d = report(DiagId::MalformedNumber, token.range(), shown))
      adviseOnNumber(text.take_front(token.begin), shown, *d);
    break;
  case BadToken::ConstantOverflow: report(DiagId::ConstantOverflow, token.range(), shown, 64); break;
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
  if (builder->ahead.kind == TokenKind::LeftParen) [[unlikely]]
    reportCallOfCuda();
  if (isForeignHere) [[unlikely]] {
    isForeignHere = false;
    if (inStatement())
      throw SyntaxFault();
  }
  if (kinds(TokenKind::At, TokenKind::Not) & bit(builder->last.kind))
    joinGuard();
}

/// Joins misspelt guards: `@p%1` is one name, `@not %p1` means `@!%p1`.
void PtxBase::joinGuard() {
  Token &name = builder->ahead;
  if (name.kind == TokenKind::Id && !pending && !held && text.slice(name.begin, name.end) == "not" &&
      text.drop_front(name.end).ltrim(" \t").starts_with("%")) {
    if (Diagnostic *d = report(DiagId::SyntaxError, name.range(), "not", "`!` or a predicate"))
      d->fix = Fix{"write `!`", {{{name.begin, name.end + 1}, "!"}}};
    drop();
  }
  const llvm::StringRef rest = text.drop_front(name.end);
  if (name.kind != TokenKind::Id || pending || held || !rest.starts_with("%"))
    return;
  name.end += rest.take_while([](char c) { return llvm::isAlnum(c) || c == '_' || c == '$' || c == '%'; }).size();
  name.id = scanner->internName(text.slice(name.begin, name.end));
  scanner->moveTo(name.end);
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

/// Serialises queries to ANTLR, which tests for a state's set before it locks.
static std::mutex askingAntlr;

/// Makes forks safe. Otherwise, a process that forks during another thread's query would find the mutex locked forever.
static void survivesForks() {
#ifndef _WIN32
  [[maybe_unused]] static const int registered =
      pthread_atfork([] { askingAntlr.lock(); }, [] { askingAntlr.unlock(); }, [] { askingAntlr.unlock(); });
#endif
}

KindSet PtxBase::readFollowers(size_t s) {
  survivesForks();
  const std::lock_guard lock(askingAntlr);
  KindSet set = 0;
  const antlr4::atn::ATN &atn = getATN();
  for (const antlr4::misc::Interval &interval : atn.nextTokens(atn.states[s]).getIntervals())
    for (ssize_t kind = interval.a; kind <= interval.b; ++kind)
      set |= kind == ssize_t(antlr4::Token::EPSILON) ? ruleEnd
             : kind == ssize_t(antlr4::Token::EOF)   ? bit(TokenKind::EndOfFile)
                                                     : KindSet(1) << kind;
  return followers[s] = set;
}

void PtxBase::enterRule(antlr4::ParserRuleContext *, size_t start, size_t rule) {
  if (!followersOutside[state] || rules.size() == rules.capacity()) [[unlikely]]
    prepareRule();
  KindSet behind = followersOutside[state];
  if (behind & ruleEnd)
    behind = (behind & ~ruleEnd) | rules.back().followers;
  rules.push_back({rule, state, behind});
  state = start;
  if (rule == Ptx::RuleStatement || rule == Ptx::RuleItem)
    beginStatement();
}

/// Makes room for a rule that is entered from this state for the first time, or at a new maximum depth.
void PtxBase::prepareRule() {
  if (!followersOutside[state]) {
    const antlr4::atn::ATNState *invoking = getATN().states[state];
    auto *transition = static_cast<const antlr4::atn::RuleTransition *>(&*invoking->transitions[0]);
    followersOutside[state] = followersOf(transition->followState->stateNumber);
  }
  rules.reserve(rules.size() * 2);
}

void PtxBase::beginStatement() {
  // The next token was reported when it was read.
  builder->reported = badTokenEnd > builder->last.end;
  statementFirst = builder->ahead;
  scanner->groups = 0;
}

bool PtxBase::isInside(std::initializer_list<size_t> wanted) const {
  return llvm::any_of(rules, [&](const Rule &r) { return llvm::is_contained(wanted, r.rule); });
}

bool PtxBase::inStatement() const { return isInside({Ptx::RuleStatement}); }

// ---- decisions

// Returns whether the grammar accepts the next token although it cannot be intended. Examples are the name of a
// function before a parameter or a register, a function with a body in a body, an operand with several dots on a new
// line, and a guard without a name.
inline bool PtxBase::cannotFollow() {
  const Token &ahead = builder->ahead;
  if (!(doubtful & bit(ahead.kind)))
    return false;
  const size_t rule = rules.back().rule;
  if (rule == Ptx::RuleOperands || rule == Ptx::RuleOperand)
    return ahead.kind == TokenKind::Opcode && startsLine(ahead) && text.slice(ahead.begin, ahead.end).count('.') > 1;
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
  // `@%p1: bra` has a superfluous colon.
  llvm::StringRef behind = text.drop_front(next.end).ltrim();
  const bool isLabel = next.kind == TokenKind::Id && behind.consume_front(":") &&
                       behind.take_until([](char c) { return c == '\n'; }).trim().empty();
  return endsLine(at) || isLabel || kinds(TokenKind::RightBrace, TokenKind::EndOfBody) & bit(next.kind);
}

/// Returns the token kinds that `look` examines further.
static constexpr KindSet secondLook(size_t rule) {
  switch (rule) {
  case Ptx::RuleArgument: return bit(TokenKind::LeftParen);
  case Ptx::RuleOperands:
  case Ptx::RuleOperand:
  case Ptx::RuleFunc: return doubtful;
  default: return 0;
  }
}

/// Examines additional conditions of a decision, besides the kinds that may follow.
void PtxBase::look() {
  const size_t rule = rules.back().rule;
  if (rule == Ptx::RuleBody)
    skipForeign();
  else if (rule == Ptx::RuleModule)
    readSoundItems();
  else if (rule == Ptx::RuleArgument && builder->ahead.kind == TokenKind::LeftParen && startsLine(builder->ahead))
    argumentsBegin();
  else
    plainFollowers[state] = followersOf(state) & ~secondLook(rule);
  if (!(expectedKinds() & bit(builder->ahead.kind)) || cannotFollow())
    mendHere();
}

/// Lets the fast pass read up to the next item with an error, after an item without one. This pass then continues.
void PtxBase::readSoundItems() {
  const bool follows = std::exchange(isSound, true);
  if (!follows || pending || held || nextRepair != repairs.end() || builder->ahead.kind == TokenKind::EndOfFile)
    return;
  builder->sink = nullptr;
  builder->beginItem();
  scanner->moveTo(builder->last.end);
  scanner->braces = scanner->groups = 0;
  const bool isRead = FastPass().run(*scanner, *builder);
  builder->sink = sink;
  if (isRead)
    return;
  scanner->moveTo(builder->dropItem());
  scanner->braces = scanner->groups = 0;
  builder->last = builder->beforeItem;
  fetch(builder->ahead);
}

/// Reports that the list of results on the previous line was not closed.
void PtxBase::argumentsBegin() {
  const uint32_t end = lineRange(statementFirst.begin, statementFirst.begin).end;
  report(DiagId::ExpectedBracket, {end, end}, ")", spelled(statementFirst));
  throw SyntaxFault();
}

void PtxBase::mendHere() {
  const size_t rule = rules.back().rule;
  const bool between = rule == Ptx::RuleBody || rule == Ptx::RuleModule;
  const KindSet expected = expectedKinds();
  auto fits = [&] { return expected & bit(builder->ahead.kind) && !cannotFollow(); };
  for (;;) {
    if (between)
      beginStatement();
    if (fits())
      return;
    if (reportForeign() || reportString()) {
      if (!between)
        throw SyntaxFault();
      skipStatement();
      continue;
    }
    const bool isMended = !isCallOfC() && mend(expected);
    // Between statements, there is nothing to skip except the token itself.
    if (!between || (isMended && fits()))
      return;
    if (isMended) // the token after the dropped one may be missing, or combine with it: `[ 0x`, `[ . a`
      continue;
    reportUnexpected();
    if (builder->ahead.kind == TokenKind::EndOfFile)
      return;
    if (rule == Ptx::RuleBody)
      skipStatement();
    else
      do {
        beginStatement();
        skipItem();
      } while (!fits() && builder->ahead.kind != TokenKind::EndOfFile);
  }
}

// ---- reports

bool PtxBase::isFirstReport(Range range) {
  isSound = false;
  if (builder->reported)
    return false;
  builder->reported = true;
  builder->lostText(lineRange(std::min(statementFirst.begin, range.begin), range.begin));
  return true;
}

// Returns the lines of two locations, and all lines between them.
Range PtxBase::lineRange(uint32_t from, uint32_t to) const {
  Range lines = source->lineRange(source->lineColumn(from).line);
  if (to > lines.end)
    lines.end = source->lineRange(source->lineColumn(to).line).end;
  return lines;
}

std::string PtxBase::spelled(const Token &token) const {
  if (token.kind == TokenKind::EndOfFile)
    return "end of file";
  return text.slice(token.begin, token.end).take_until([](char c) { return c == '\n'; }).str();
}

std::string PtxBase::describe(KindSet expected) const {
  const struct {
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
      {bit(TokenKind::Dotted), isInside({Ptx::RuleStorage, Ptx::RuleParameter}) ? "a type" : "a dotted word"},
      {bit(TokenKind::Entry), "`.entry`"},
      {bit(TokenKind::Func), "`.func`"},
      {bit(TokenKind::Space), "a state space"},
  };
  if (expected == bit(TokenKind::Float))
    return "a number such as `8.0`";
  if (rules.back().rule == Ptx::RuleParameter && expected & bit(TokenKind::Space))
    return "a parameter";
  if (expected & bit(TokenKind::At))
    return "a statement";
  if (expected & bit(TokenKind::Version))
    return "a directive";
  if (expected & bit(TokenKind::Id) && expected & bit(TokenKind::LeftBracket) && expected & bit(TokenKind::Minus))
    return "an operand";
  std::string out;
  for (auto &name : names)
    if (expected & name.kinds)
      out += (out.empty() ? "" : " or ") + std::string(name.name);
  return out.empty() ? "something else" : out;
}

void PtxBase::reportUnexpected() {
  if (reportForeign())
    return;
  const Token &ahead = builder->ahead, &before = builder->last;
  KindSet expected = expectedKinds();
  // Report a missing token at the end of a line there, not at the beginning of the next statement. A number may be on
  // the next line without a semicolon; then the token in its place is the error.
  constexpr KindSet numbers = kinds(TokenKind::Integer, TokenKind::Float, TokenKind::WarpSize);
  const bool isNumberMissing = !(expected & ~numbers) && ahead.kind != TokenKind::Dotted;
  const bool isTypeOfParameter = rules.back().rule == Ptx::RuleParameter && ahead.kind == TokenKind::Dotted;
  const bool atEnd = before.end > statementFirst.begin && startsLine(ahead) && !isNumberMissing && !isTypeOfParameter;
  if (atEnd)
    report(DiagId::IncompleteStatement, before.range(), describe(expected), spelled(before));
  else if (Diagnostic *d = report(DiagId::SyntaxError, ahead.range(), spelled(ahead), describe(expected)))
    addSyntaxAdvice(expected, *d);
}

/// Returns the fix for a version: `8.0` for `8`, `8.6` for `86` and `8,6`.
Fix PtxBase::fixOfVersion(const Token &number) const {
  const std::string major = spelled(number);
  if (major.size() == 2 && !text.drop_front(number.end).starts_with(","))
    return Fix{"write `" + major.substr(0, 1) + "." + major.substr(1) + "`",
               {{{number.begin + 1, number.begin + 1}, "."}}};
  const llvm::StringRef rest = text.drop_front(number.end), minor = rest.drop_front(1).take_while(llvm::isDigit);
  if (!rest.starts_with(",") || minor.size() != 1)
    return Fix{"write `" + major + ".0`", {{{number.end, number.end}, ".0"}}};
  return Fix{"write `" + major + "." + minor.str() + "`", {{{number.end, number.end + 1}, "."}}};
}

/// Returns whether the text ends inside of brackets.
static bool isInBrackets(llvm::StringRef written) {
  const size_t open = written.rfind('['), closed = written.rfind(']');
  return open != llvm::StringRef::npos && (closed == llvm::StringRef::npos || closed < open);
}

/// Returns whether a type is where the first parameter of a function begins: `.entry k(.u64 p)`.
bool PtxBase::beginsParameters(KindSet expected) const {
  return builder->last.kind == TokenKind::LeftParen && expected & bit(TokenKind::RightParen) && !builder->isInBody();
}

void PtxBase::addSyntaxAdvice(KindSet expected, Diagnostic &d) const {
  constexpr KindSet numbers = kinds(TokenKind::Integer, TokenKind::Float, TokenKind::WarpSize);
  constexpr KindSet closers = kinds(TokenKind::RightBrace, TokenKind::RightBracket, TokenKind::RightParen);
  const llvm::StringRef first = text.slice(statementFirst.begin, statementFirst.end);
  const Token &last = builder->last, &ahead = builder->ahead;
  if (last.kind == TokenKind::Comma && closers & bit(ahead.kind))
    d.fix = Fix{"remove the comma before it", {{last.range(), ""}}, /*safe=*/true};
  else if (expected == bit(TokenKind::Float) && ahead.kind == TokenKind::Integer && spelled(ahead).size() <= 2)
    d.fix = fixOfVersion(ahead);
  else if (const llvm::StringRef type = typeOfOtherLanguage(spelled(ahead));
           !type.empty() && expected & bit(TokenKind::Dotted)) {
    d.notes.push_back({"in PTX it is `" + type.str() + "`", std::nullopt});
    d.fix = Fix{"write `" + type.str() + "`", {{ahead.range(), type.str()}}};
  } else if (spelled(ahead) == "-" && last.kind == TokenKind::Id && last.end == ahead.begin && !inStatement()) {
    d.notes.push_back({"a name has letters, digits, `_`, and `$`", std::nullopt});
    const llvm::StringRef rest =
        text.drop_front(ahead.end).take_while([](char c) { return llvm::isAlnum(c) || c == '_'; });
    d.fix = Fix{"write `" + spelled(last) + "_" + rest.str() + "`", {{ahead.range(), "_"}}};
  } else if (last.kind == TokenKind::Entry && ahead.kind == TokenKind::LeftParen)
    d.notes.push_back({"a kernel returns nothing; a function that does is `.func`", std::nullopt});
  else if (ahead.kind == TokenKind::Dotted && (rules.back().rule == Ptx::RuleParameter || beginsParameters(expected)))
    d.fix = Fix{"insert `.param`", {{{ahead.begin, ahead.begin}, ".param "}}};
  else if (isWord(last, ".reg") && ahead.kind == TokenKind::Id)
    d.notes.push_back({"a register has a type: `.reg .b32 " + spelled(ahead) + "`", std::nullopt});
  else if (isWord(ahead, ".kernel"))
    d.notes.push_back({"a kernel is `.entry`", std::nullopt});
  else if (const llvm::StringRef advice = inStatement() ? adviceOnStatement(first, last, ahead) : ""; !advice.empty())
    d.notes.push_back({advice.str(), std::nullopt});
  else if (kinds(TokenKind::Plus, TokenKind::Infix) & bit(last.kind) && ahead.kind == TokenKind::Id &&
           expected & numbers && isInBrackets(text.slice(statementFirst.begin, ahead.begin)))
    d.notes.push_back({"an address is one register and a constant; combine two registers with `add`", std::nullopt});
  else if (const llvm::StringRef own = functionInPtx(first); !own.empty())
    d.notes.push_back({"`" + first.str() + "()` is CUDA C++; in PTX it is `" + own.str() + "`", std::nullopt});
  else if (inStatement() && (text.substr(statementFirst.end).starts_with("(") || isCallOfC()))
    d.notes.push_back({"a function is called with `call`: `call (result), name, (argument)`", std::nullopt});
}

// ---- giving up

void PtxBase::recover() {
  const size_t rule = rules.back().rule;
  if (rule != Ptx::RuleStatement && rule != Ptx::RuleItem)
    throw;
  scanner->groups = 0;
  if (rule == Ptx::RuleItem) {
    builder->dropItem();
    scanner->braces = 0;
    skipItem();
    // A header that could not be parsed is not reported as missing.
    if (kinds(TokenKind::Version, TokenKind::Target, TokenKind::AddressSize) & bit(statementFirst.kind)) {
      builder->beginDirective(statementFirst);
      builder->endDirective();
      builder->itemEnd();
    }
    return;
  }
  if (!lonelyWord) {
    if (foreignEnd > statementFirst.begin)
      builder->dropStatement();
    else
      builder->breakStatement();
    skipStatement();
    return;
  }
  builder->dropStatement();
  lonelyWord = false;
  Token word = statementFirst;
  llvm::StringRef spelling = text.slice(word.begin, word.end);
  bool isLabel = word.kind == TokenKind::Id && !llvm::all_of(spelling, [](char c) { return c >= 'a' && c <= 'z'; });
  const Range end{word.end, word.end};
  const bool isReported = badTokenEnd > word.end; // `ld.global.` at the end of a line
  const auto missing = isLabel ? IdTakingTexts<1>(DiagId::ExpectedColon) : DiagId::ExpectedSemicolon;
  if (Diagnostic *d = isReported ? nullptr : report(missing, end, spelling))
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

} // namespace ptxray::recover

void ptxray::runRecoveringPass(Scanner &scanner, Builder &builder, const SourceBuffer &source, DiagnosticSink &sink) {
  recover::Ptx parser(nullptr);
  parser.attach(scanner, builder, source, sink);
  parser.module();
}
