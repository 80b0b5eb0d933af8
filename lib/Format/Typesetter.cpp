#include "Format/Typesetter.h"
#include "Isa/Isa.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <cassert>

namespace ptxray {

static constexpr uint32_t widest = 100;       // longer statements keep their line breaks
static constexpr uint32_t deepestIndent = 64; // limits the output for nested braces, which would be quadratic

static constexpr Space nothing{}, oneBlank{0, 0, true};

Typesetter::Typesetter(llvm::StringRef text, const SpaceWriter &writer, const Bounds &bounds)
    : text(text), writer(writer), bounds(bounds) {
  last.begin = last.end = beginOfWords(text);
}

void Typesetter::add(const TextStatement &statement) {
  continuation = statement.shape == StatementShape::Label ? statement.depth : statement.depth + 1;
  addAsides(statement);
  if (statement.shape == StatementShape::EndOfText)
    return addEnd(statement.words.front());
  isWanted = isIn(statement.range());
  addFirst(statement);
  switch (statement.shape) {
  case StatementShape::AsWritten: last = statement.words.back(); break;
  case StatementShape::Data: addData(statement); break;
  default: addStatement(statement);
  }
  lastIsAlone = false;
  isAfterOpen = statement.shape == StatementShape::Open;
  isAfterBody = statement.shape == StatementShape::CloseBody;
}

/// Returns the space between statements and comments.
Space Typesetter::newLine(uint32_t newlines, uint32_t indent) {
  if (std::exchange(isFirst, false))
    return nothing;
  const uint32_t least = std::exchange(isAfterBody, false) ? 2 : 1, most = std::exchange(isAfterOpen, false) ? 1 : 2;
  return {std::clamp(newlines, least, std::max(least, most)), std::min(indent, deepestIndent), false};
}

/// Adds comments before a statement. A comment on its own line is indented like the following statement, or like the
/// contents of the block that ends there.
void Typesetter::addAsides(const TextStatement &statement) {
  auto isEmptyLine = [](const Word &word) { return word.newlines > 1; };
  const bool isEnd = statement.shape == StatementShape::EndOfText;
  if (llvm::any_of(statement.asides, isEmptyLine) || (!isEnd && isEmptyLine(statement.words.front())))
    isAfterBody = false; // there is already an empty line
  const bool endsBlock = statement.shape == StatementShape::CloseBody ||
                         (statement.shape == StatementShape::Close && statement.depth != 0);
  const uint32_t indent = statement.shape == StatementShape::Label ? 0 : statement.depth + endsBlock;
  for (const Word &aside : statement.asides) {
    isWanted = isIn({aside.begin, aside.end});
    const bool isMarker = aside.aside == Aside::LineMarker;
    const bool isBehind = aside.newlines == 0 && !isFirst && !isMarker;
    lastIsAlone |= !isBehind;
    put(aside, isBehind ? oneBlank : newLine(aside.newlines, isMarker ? 0 : indent));
  }
}

void Typesetter::addFirst(const TextStatement &statement) {
  const Word &word = statement.words.front();
  if (lastIsAlone && last.aside == Aside::BlockComment && word.newlines == 0) {
    isAfterBody = false;
    return put(word, oneBlank);
  }
  const bool isClose = statement.shape == StatementShape::Close || statement.shape == StatementShape::CloseBody;
  const bool isBody = statement.shape == StatementShape::Open && statement.depth == 0;
  put(word,
      newLine(isClose || isBody ? 1 : word.newlines, statement.shape == StatementShape::Label ? 0 : statement.depth));
}

void Typesetter::addEnd(const Word &word) {
  isWanted = bounds.wanted.end >= word.begin;
  put(word, isFirst ? nothing : Space{1, 0, false});
}

// ---- within a statement

static bool isAside(const Word &word) { return word.aside != Aside::None; }

/// Returns the space before a word, unless a comment makes it begin a line.
Space Typesetter::spaceBefore(const TextStatement &statement, size_t index, const Step &step) const {
  const Word &before = statement.words[index - 1], &word = statement.words[index];
  const Space newLine{1, std::min(step.indent, deepestIndent), false};
  const bool isAfterBlock = before.aside == Aside::BlockComment;
  if (word.aside == Aside::LineMarker)
    return {1, 0, false};
  if (isAside(before) && (!isAfterBlock || (before.newlines && word.newlines)))
    return newLine;
  const bool opens = oneOf(before.kind, {TokenKind::LeftBrace, TokenKind::LeftBracket, TokenKind::LeftParen});
  const bool closes = oneOf(word.kind, {TokenKind::Semicolon, TokenKind::Comma, TokenKind::RightBrace,
                                        TokenKind::RightBracket, TokenKind::RightParen});
  if (isAside(word))
    return word.newlines ? newLine : opens && word.aside == Aside::BlockComment ? nothing : oneBlank;
  if (isAfterBlock)
    return closes ? nothing : oneBlank;
  switch (step.gap) {
  case Gap::None: return nothing;
  case Gap::Blank: return oneBlank;
  case Gap::AsWritten: return word.begin == before.end ? nothing : oneBlank;
  case Gap::Line: return opens || closes ? nothing : oneBlank;
  }
  llvm_unreachable("all gaps are handled");
}

/// Returns the width of the first words on one line.
uint32_t Typesetter::widthOf(const TextStatement &statement, const Steps &steps, size_t count) const {
  uint32_t width = writer.columns(statement.shape == StatementShape::Label ? 0 : statement.depth);
  for (size_t i = 0; i < count; ++i) {
    const Space space = i ? spaceBefore(statement, i, steps[i]) : nothing;
    width += statement.words[i].size() + (space.blank || space.newlines);
  }
  return width;
}

bool Typesetter::isTooWide(const TextStatement &statement, const Steps &steps) const {
  // Most statements are much shorter, and fit even with a blank after each word.
  const size_t most = writer.columns(statement.depth) + statement.range().size() + statement.words.size();
  return most > widest && widthOf(statement, steps, steps.size()) > widest;
}

Typesetter::Steps Typesetter::stepsOf(const TextStatement &statement) const {
  Steps steps(statement.words.size());
  Spacing spacing(statement);
  for (auto [word, step] : llvm::zip_equal(statement.words, steps)) {
    if (!isAside(word))
      step.gap = spacing.before(word);
    const bool isInBraces = spacing.isInInitialiser() && spacing.braces();
    const bool opens = word.isToken(TokenKind::LeftBrace) && isInBraces;
    step.indent = isInBraces ? statement.depth + spacing.braces() - opens : continuation;
    if (spacing.isInInitialiser() && word.isToken(TokenKind::RightBrace))
      step.indent = statement.depth + spacing.braces();
  }
  return steps;
}

namespace {
/// Parts of a function's head, as indices of words.
struct HeadParts {
  size_t name = 0;
  size_t listBegin = 0, listEnd = 0; // parentheses of the parameters
  bool isDivided = false;            // has several parameters, or a comment between them
};
} // namespace

static HeadParts partsOf(const TextStatement &statement) {
  HeadParts parts;
  uint32_t parens = 0;
  for (size_t i = 1; i < statement.words.size() && !parts.listEnd; ++i) {
    const Word &word = statement.words[i];
    const bool isOutside = parens == 0;
    parts.isDivided |= parts.listBegin && (isAside(word) || word.kind == TokenKind::Comma);
    parens += word.kind == TokenKind::LeftParen;
    parens -= word.kind == TokenKind::RightParen && parens;
    if (isOutside && oneOf(word.kind, {TokenKind::Id, TokenKind::Call}))
      parts.name = i;
    else if (isOutside && word.kind == TokenKind::LeftParen && parts.name)
      parts.listBegin = i;
    else if (word.kind == TokenKind::RightParen && parens == 0 && parts.listBegin)
      parts.listEnd = i;
  }
  return parts;
}

/// Returns the steps of a function's head. Parameters are on separate lines if there are several, or if the line would
/// be too long. Directives after them are always on separate lines.
Typesetter::Steps Typesetter::stepsOfHead(const TextStatement &statement) const {
  const HeadParts parts = partsOf(statement);
  Steps steps(statement.words.size());
  Spacing spacing(statement);
  for (size_t i = 0; i < steps.size(); ++i) {
    const bool isInList = parts.listBegin < i && i < parts.listEnd;
    steps[i].indent = statement.depth + isInList;
    if (isAside(statement.words[i]))
      continue;
    steps[i].gap = spacing.before(statement.words[i]);
    steps[i].beginsLine =
        parts.name && i > parts.listEnd &&
        oneOf(statement.words[i].kind,
              {TokenKind::Dimensions, TokenKind::Tuning, TokenKind::LocalMaxnreg, TokenKind::ClusterFlag,
               TokenKind::Language, TokenKind::Pragma, TokenKind::Abi, TokenKind::NoReturn});
  }
  const bool isEmpty = parts.listEnd <= parts.listBegin + 1;
  if (isEmpty || (!parts.isDivided && widthOf(statement, steps, parts.listEnd + 1) <= widest))
    return steps;
  bool begins = true;
  for (size_t i = parts.listBegin + 1; i <= parts.listEnd; ++i) {
    if (isAside(statement.words[i]))
      continue;
    steps[i].beginsLine = begins || i == parts.listEnd;
    begins = statement.words[i].kind == TokenKind::Comma;
  }
  return steps;
}

void Typesetter::addWords(const TextStatement &statement, const Steps &steps, bool isLong) {
  for (size_t i = 1; i < steps.size(); ++i) {
    const Word &before = statement.words[i - 1], &word = statement.words[i];
    bool begins = steps[i].beginsLine;
    if (before.aside == Aside::BlockComment && before.newlines && !word.newlines) // the comment begins the line
      begins = false;
    if (word.newlines && !isAside(before) && !isAside(word))
      begins |= steps[i].gap == Gap::Line || (isLong && oneOf(before.kind, {TokenKind::Comma, TokenKind::Opcode}));
    put(word, begins ? Space{1, std::min(steps[i].indent, deepestIndent), false} : spaceBefore(statement, i, steps[i]));
  }
}

/// Returns whether the semicolon is missing, as in `trap` with `exit;` on the next line. The line break distinguishes
/// `exit` from an operand.
bool Typesetter::lacksSemicolon(const TextStatement &statement) const {
  const llvm::ArrayRef<Word> words = statement.words;
  return words.size() > 2 && words.back().isToken(TokenKind::Semicolon) && words.end()[-2].isToken(TokenKind::Id) &&
         words.end()[-2].newlines && isa::findMnemonic(text.slice(words.end()[-2].begin, words.end()[-2].end));
}

void Typesetter::addStatement(const TextStatement &statement) {
  if (statement.shape == StatementShape::Head)
    return addWords(statement, stepsOfHead(statement), /*isLong=*/false);
  Steps steps = stepsOf(statement);
  if (lacksSemicolon(statement))
    steps[steps.size() - 2].beginsLine = true;
  const bool hasLines = llvm::any_of(llvm::drop_begin(statement.words), [](const Word &word) {
    return word.aside == Aside::LineComment || (isAside(word) && word.newlines);
  });
  addWords(statement, steps, hasLines || isTooWide(statement, steps));
}

/// Adds a list in a debugging section unchanged, except for the surrounding space.
void Typesetter::addData(const TextStatement &statement) {
  for (size_t i = 1; i < statement.words.size(); ++i) {
    const bool isValue = i == 1 && statement.words.front().kind != TokenKind::Id;
    const Step step{isValue ? Gap::Blank : Gap::AsWritten, 0, false};
    const bool begins = statement.words[i].newlines != 0;
    put(statement.words[i], begins ? Space{1, 0, false} : spaceBefore(statement, i, step));
  }
}

// ---- the text

void Typesetter::put(const Word &word, Space space) {
  Range gap{last.end, word.begin};
  const bool isEnd = word.isToken(TokenKind::EndOfFile);
  const bool isAtBegin = gap.begin == beginOfWords(text);
  last = word;
  if (isNumbered && !isEnd && !isAtBegin)
    space = {word.newlines, space.newlines ? space.indent : continuation, space.blank || space.newlines};
  isNumbered |= word.aside == Aside::LineMarker;
  if (!isWanted)
    return;
  while (nextUndivided < bounds.undivided.size() && bounds.undivided[nextUndivided].end < gap.begin)
    ++nextUndivided;
  if (nextUndivided < bounds.undivided.size() && bounds.undivided[nextUndivided].begin <= gap.end && !isEnd &&
      !isAtBegin)
    space = onItsLines(word, space);
  while (nextKept < bounds.kept.size() && bounds.kept[nextKept].end < gap.begin)
    ++nextKept;
  for (size_t i = nextKept; i < bounds.kept.size() && bounds.kept[i].begin <= gap.end; ++i)
    if (!leave(bounds.kept[i], gap, space))
      return;
  respace(gap, space);
}

/// Returns the space with existing line breaks, without empty lines.
Space Typesetter::onItsLines(const Word &word, Space space) const {
  if (word.newlines == 0)
    return {0, 0, space.blank || space.newlines != 0};
  return {std::max(space.newlines, 1u), space.newlines ? space.indent : continuation, false};
}

/// Removes the protected lines from the gap. Returns false if nothing is left.
bool Typesetter::leave(Range lines, Range &gap, Space &space) const {
  const bool beginsWithin = lines.begin <= gap.begin, endsWithin = gap.end <= lines.end;
  if (beginsWithin == endsWithin) // the gap is within the lines, or contains them
    return false;
  if (space.newlines == 0)
    space = {1, continuation, false};
  if (endsWithin) {
    gap.end = lines.begin;
    space.indent = 0;
  } else {
    gap.begin = lines.end;
  }
  return true;
}

void Typesetter::respace(Range gap, Space space) {
  assert(gap.begin <= gap.end && "words follow each other");
  assert((respacings.empty() || respacings.back().range.end <= gap.begin) && "spaces are changed in their order");
  if (!writer.isWritten(text.slice(gap.begin, gap.end), space))
    respacings.push_back({gap, space});
}

} // namespace ptxray
