#pragma once
// Words to statements: what is on lines of its own when the text is laid out.
#include "Format/Words.h"
#include "llvm/ADT/SmallVector.h"
#include <optional>

namespace ptxray {

enum class Shape : uint8_t {
  Plain,     // an instruction, a directive, a declaration
  Label,     // with the `.branchtargets` or the prototype that it names
  Head,      // of a function
  Open,      // a brace of a block, a body or a section
  Close,     // the brace that ends it
  CloseBody, // the one that ends a function
  Data,      // an item of a debugging section
  AsWritten, // sources and metadata in braces
  EndOfText,
};

struct TextStatement {
  Shape shape = Shape::Plain;
  uint32_t depth = 0;                // of the blocks around it
  llvm::SmallVector<Word, 4> asides; // between the statement before and this one
  llvm::SmallVector<Word, 32> words;
  Range range() const { return {words.front().begin, words.back().end}; }
};

/// Why a text has no layout.
struct Unbalanced {
  Range place;
  std::string reason;
};

/// A text with errors of syntax, if it has any.
struct Faults {
  bool any = false;
  llvm::ArrayRef<Range> lines; // that cannot be read, in their order; no statement goes on after them
  bool areWhole = true;        // what begins on them goes on to their end, but for braces that begin a line
};

class StatementReader {
public:
  StatementReader(llvm::StringRef text, const Faults &faults)
      : text(text), words(text, faults.any), faults(faults.lines), faultsAreWhole(faults.areWhole) {}

  /// The last one is EndOfText.
  void next(TextStatement &out);
  std::optional<Unbalanced> unbalanced;

private:
  bool endsHere();
  bool isFault();
  void take();
  void takeBrace();
  void takeUntilSemicolon(bool bracesBelong);
  void readStatement();
  void readItem();
  void readHead();
  void readDirective();
  void readAsWritten();
  void readData();
  void readLabelled();
  void complain(Range place, llvm::StringRef reason) {
    if (!unbalanced)
      unbalanced = {place, reason.str()};
  }

  llvm::StringRef text;
  WordReader words;
  llvm::ArrayRef<Range> faults; // those after the last word
  bool faultsAreWhole;
  TextStatement *statement = nullptr;
  llvm::SmallVector<Word, 4> open; // braces of blocks
  bool isInSection = false;
};

} // namespace ptxray
