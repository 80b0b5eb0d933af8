#pragma once
// Determines the white space between the words of a text.
#include "Format/Space.h"
#include "Format/Spacing.h"
#include "Format/Statements.h"
#include <vector>

namespace ptxray {

/// The limits of the layout. Lines are ranges without the newline that ends them.
struct Bounds {
  Range wanted{0, UINT32_MAX};  // only statements and comments within are laid out
  std::vector<Range> kept;      // lines that stay byte for byte
  std::vector<Range> undivided; // lines that are neither divided nor joined with others
};

/// Visits the statements of a text in their order.
class Typesetter {
public:
  Typesetter(llvm::StringRef text, const SpaceWriter &writer, const Bounds &bounds);
  void add(const TextStatement &statement);
  std::vector<Respacing> take() { return std::move(respacings); }

private:
  /// The gap before a word of a statement, and the indent of the line if it begins one.
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
  Word last;                 // the word before
  bool isFirst = true;       // there is none
  bool lastIsAlone = false;  // the line of the last word has only comments so far
  bool isAfterOpen = false;  // a brace was opened, and no line has followed it
  bool isAfterBody = false;  // the same of the brace that ends a function
  bool isWanted = true;      // what is put
  bool isNumbered = false;   // a marker has numbered the lines, so that each stays a line
  uint32_t continuation = 0; // indent of the statement's further lines
  size_t nextKept = 0, nextUndivided = 0;
};

} // namespace ptxray
