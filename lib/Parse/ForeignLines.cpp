// Handles lines of a body that are in another language, or in a string. They are reported once and skipped.
#include "Parse/RecoveringParser.h"
#include "Source/Foreign.h"
#include "llvm/ADT/StringExtras.h"

namespace ptxray::recover {

llvm::StringRef adviceOnStatement(llvm::StringRef first, const Token &last, const Token &ahead) {
  constexpr KindSet signs = kinds(TokenKind::Plus, TokenKind::Minus);
  constexpr KindSet operators =
      kinds(TokenKind::Infix, TokenKind::Less, TokenKind::Greater, TokenKind::Question) | signs;
  if (llvm::is_contained<llvm::StringRef>({"if", "while", "for", "else", "do", "switch"}, first))
    return "a guard such as `@%p1` makes one instruction conditional; a branch jumps over several";
  if (ahead.kind == TokenKind::Equal)
    return "there is no assignment in PTX: the first operand of an instruction is its result, as in `mov.u32 %r1, "
           "%r2`, `add.u32 %r1, %r2, 1`";
  if (first == "@" && kinds(TokenKind::At, TokenKind::Infix, TokenKind::Bar) & bit(ahead.kind))
    return "an instruction has one guard: `and.pred` or `or.pred` combines two predicates into one first";
  if (first == "@" && ahead.kind == TokenKind::LeftBrace)
    return "a guard applies to one instruction; a branch jumps over several";
  if (last.kind == TokenKind::RightBracket && signs & bit(ahead.kind))
    return "an offset is written inside of the brackets: `[%rd1+4]`";
  if (operators & bit(ahead.kind) && !first.starts_with("."))
    return "an operand is a register or a constant; every operation is a separate instruction";
  return "";
}

/// Skips a line of a body that is in another language, and reports it once. Returns whether it is such a line.
bool PtxBase::reportForeign() {
  if (!builder->isInBody())
    return false;
  const uint32_t begin = statementFirst.begin;
  // Longer lines are not examined, so that a line with many errors is not read repeatedly.
  constexpr size_t longest = 500;
  const llvm::StringRef rest = text.substr(begin, longest);
  const size_t end = rest.find('\n');
  if (end == llvm::StringRef::npos && rest.size() == longest)
    return false;
  const llvm::StringRef line = rest.take_front(end).split("//").first.rtrim();
  const llvm::StringRef language = languageOfLine(line);
  if (language.empty() || builder->ahead.begin > begin + line.size())
    return false;
  const Range whole{begin, begin + static_cast<uint32_t>(line.size())};
  const llvm::StringRef first = line.take_while([](char c) { return llvm::isAlnum(c) || c == '_'; });
  if (Diagnostic *d = report(DiagId::NotPtx, whole, language)) {
    if (language == "Python")
      d->notes.push_back(
          {"`" + line.take_until([](char c) { return c == '('; }).str() + "` is called here", std::nullopt});
    if (const llvm::StringRef advice = adviceOnStatement(first, builder->last, builder->ahead); !advice.empty())
      d->notes.push_back({advice.str(), std::nullopt});
  }
  foreignEnd = whole.end;
  return true;
}

/// Reports a character that PTX does not have, in a line that is in another language, and skips the rest of the line.
bool PtxBase::reportForeignAt(const Token &token) {
  if (token.begin < statementFirst.begin || builder->reported ||
      text.slice(statementFirst.begin, token.begin).contains('\n') || !startsLine(statementFirst) || !reportForeign())
    return false;
  badTokenEnd = foreignEnd;
  isForeignHere = true;
  scanner->moveTo(foreignEnd);
  return true;
}

/// Returns whether a `#` begins a comment behind a statement: `ret; # done`.
bool PtxBase::isCommentOfOthers(const Token &token) const {
  const llvm::StringRef rest = text.drop_front(token.end);
  return builder->last.kind == TokenKind::Semicolon &&
         rest.take_until([](char c) { return c == '\n'; }).find_first_of(";{}") == llvm::StringRef::npos;
}

/// Skips a comment in the notation of other assembly languages: `; text`.
bool PtxBase::mendComment() {
  Token &ahead = builder->ahead;
  if (ahead.kind != TokenKind::Semicolon || inStatement() || !startsLine(ahead) || pending || held)
    return false;
  const llvm::StringRef rest = text.drop_front(ahead.end).take_until([](char c) { return c == '\n'; });
  if (rest.trim().empty() || rest.contains(';') || rest.contains('}') || rest.trim().starts_with("//"))
    return false;
  if (Diagnostic *d = report(DiagId::ExtraToken, ahead.range(), spelled(ahead))) {
    d->notes.push_back({"a comment begins with `//`", std::nullopt});
    d->fix = Fix{"write `//`", {{ahead.range(), "//"}}, /*safe=*/true};
  }
  scanner->moveTo(ahead.end + static_cast<uint32_t>(rest.size()));
  drop();
  return true;
}

/// Returns the PTX in a string, without its quotes and line endings.
static std::string withoutQuotes(llvm::StringRef text) {
  text.consume_front("\"");
  text.consume_back("\"");
  text = text.trim();
  while (text.consume_back("\\n") || text.consume_back("\\t"))
    text = text.rtrim();
  return text.str();
}

/// Reports `"add.u32 %r1, %r2, 1;\n\t"` in place of a statement. Nothing else on the line is skipped.
bool PtxBase::reportString() {
  const Token &token = builder->ahead;
  if (token.kind != TokenKind::String || rules.back().rule != Ptx::RuleBody)
    return false;
  if (Diagnostic *d = report(DiagId::SyntaxError, token.range(), spelled(token), describe(expectedKinds()))) {
    const std::string inner = withoutQuotes(text.slice(token.begin, token.end));
    d->notes.push_back(
        {"in a file of PTX statements are not quoted; those in a C++ `asm` statement are", std::nullopt});
    if (llvm::StringRef(inner).ends_with(";") && !llvm::StringRef(inner).contains('\\'))
      d->fix = Fix{"remove the quotes", {{token.range(), inner}}};
  }
  foreignEnd = token.end;
  return true;
}

/// Skips the following lines that are in another language.
void PtxBase::skipForeign() {
  settleBraces();
  while (builder->ahead.kind != TokenKind::EndOfFile && startsLine(builder->ahead)) {
    beginStatement();
    if (!reportForeign())
      return;
    skipStatement();
    settleBraces();
  }
}

/// Reads `\n\t` after an instruction, as in C++ strings.
bool PtxBase::readEscapes(const Token &token) {
  llvm::StringRef rest = text.drop_front(token.begin);
  if (token.bad != BadToken::StrayCharacter || !(rest.starts_with("\\n") || rest.starts_with("\\t")))
    return false;
  while (rest.consume_front("\\n") || rest.consume_front("\\t") || rest.consume_front("\""))
    ;
  const Range whole{token.begin, static_cast<uint32_t>(text.size() - rest.size())};
  if (Diagnostic *d = report(DiagId::StrayCharacter, whole, text.slice(whole.begin, whole.end))) {
    d->notes.push_back({"C++ strings end their lines with it; a PTX file does not need it", std::nullopt});
    d->fix = Fix{"remove it", {{whole, ""}}, /*safe=*/true};
  }
  badTokenEnd = whole.end;
  scanner->moveTo(whole.end);
  return true;
}

/// Returns whether a name is directly followed by a parenthesis, as in `__expf(%f2)`.
bool PtxBase::isCallOfC() const {
  const Token &last = builder->last, &ahead = builder->ahead;
  return inStatement() && ahead.kind == TokenKind::LeftParen && last.kind == TokenKind::Id && last.end == ahead.begin &&
         statementFirst.kind != TokenKind::Call;
}

/// Reports a call of a CUDA function that an instruction stands for, `atomicAdd(%rd1, 1);`, and skips the statement.
void PtxBase::reportCallOfCuda() {
  const Token &last = builder->last;
  const llvm::StringRef name = text.slice(last.begin, last.end), own = functionInPtx(name);
  if (own.empty() || !isCallOfC() || last.begin != statementFirst.begin || !builder->isInBody())
    return;
  if (Diagnostic *d = report(DiagId::UnknownInstruction, last.range(), name))
    d->notes.push_back({"`" + name.str() + "()` is CUDA C++; in PTX it is `" + own.str() + "`", std::nullopt});
  foreignEnd = lineRange(last.begin, last.begin).end;
  throw SyntaxFault();
}

} // namespace ptxray::recover
