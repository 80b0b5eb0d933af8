#pragma once
// Determines the white space between the words of a text.
#include "Format/Space.h"
#include "Format/Spacing.h"
#include "Format/Statements.h"
#include <vector>

namespace ptxray {

/// Restrictions of the layout. Line ranges exclude the final newline.
struct Bounds {
  Range wanted{0, UINT32_MAX};  // only statements and comments in this range are formatted
  std::vector<Range> kept;      // lines that do not change
  std::vector<Range> undivided; // lines that are neither split nor joined
};

/// Visits the statements of a text in order.
class Typesetter {
public:
  Typesetter(llvm::StringRef text, const SpaceWriter &writer, const Bounds &bounds);
  void add(const TextStatement &statement);
  std::vector<Respacing> take() { return std::move(respacings); }

private:
  /// The gap before a word of a statement, and the indent if the word begins a line.
  struct Step {
    Gap gap = Gap::Blank;
    uint32_t indent = 0;
    bool beginsLine = false;
  };
  using Steps = llvm::SmallVector<Step, 32>;
  void addAsides(const TextStatement &statement);
  void addFirst(const TextStatement &statement);
  void addEnd(const Word &word);
  void addData(const TextStatement &statement);
  bool lacksSemicolon(const TextStatement &statement) const;
  void addStatement(const TextStatement &statement);
  void addWords(const TextStatement &statement, const Steps &steps, bool isLong);
  Steps stepsOf(const TextStatement &statement) const;
  Steps stepsOfHead(const TextStatement &statement) const;
  uint32_t widthOf(const TextStatement &statement, const Steps &steps, size_t count) const;
  bool isTooWide(const TextStatement &statement, const Steps &steps) const;
  Space spaceBefore(const TextStatement &statement, size_t index, const Step &step) const;
  Space newLine(uint32_t newlines, uint32_t indent);
  bool isIn(Range range) const { return range.begin < bounds.wanted.end && range.end > bounds.wanted.begin; }
  void put(const Word &word, Space space);
  Space onItsLines(const Word &word, Space space) const;
  bool leave(Range lines, Range &gap, Space &space) const;
  void respace(Range gap, Space space);

  llvm::StringRef text;
  const SpaceWriter &writer;
  const Bounds &bounds;
  std::vector<Respacing> respacings;
  Word last;                 // the previous word
  bool isFirst = true;       // no word precedes
  bool lastIsAlone = false;  // the current line contains only comments so far
  bool isAfterOpen = false;  // an opening brace precedes, without a new line since
  bool isAfterBody = false;  // the closing brace of a function precedes, without a new line since
  bool isWanted = true;      // the current statement is formatted
  bool isNumbered = false;   // a line marker precedes, so line breaks must not change
  uint32_t continuation = 0; // indent of continuation lines
  size_t nextKept = 0, nextUndivided = 0;
};

} // namespace ptxray
