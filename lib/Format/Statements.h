#pragma once
// Groups words into statements, which begin new lines.
#include "Format/Words.h"
#include <cassert>
#include <vector>

namespace ptxray {

enum class StatementShape : uint8_t {
  Plain,     // an instruction, a directive, a declaration
  Label,     // including the `.branchtargets` or the prototype that it labels
  Head,      // head of a function
  Open,      // a brace of a block, a body or a section
  Close,     // the closing brace of `Open`
  CloseBody, // the brace that closes a function body
  Data,      // an item of a debugging section
  AsWritten, // sources and metadata in braces
  EndOfText,
};

struct TextStatement {
  StatementShape shape;
  uint32_t depth;              // number of enclosing blocks
  llvm::ArrayRef<Word> asides; // comments and markers before this statement
  llvm::ArrayRef<Word> words;
  Range range() const { return {words.front().begin, words.back().end}; }
};

/// The statements of a text. The last one is EndOfText.
struct StatementList {
  struct Entry {
    StatementShape shape = StatementShape::Plain;
    uint32_t depth = 0, firstAside = 0, firstWord = 0, end = 0; // indices into `words`
  };
  std::vector<Word> words; // all words of the text, including asides
  std::vector<Entry> entries;

  size_t size() const { return entries.size(); }
  TextStatement operator[](size_t index) const {
    const Entry &entry = entries[index];
    assert(entry.firstAside <= entry.firstWord && entry.firstWord <= entry.end && "asides come before the words");
    const llvm::ArrayRef<Word> all = words;
    return {entry.shape, entry.depth, all.slice(entry.firstAside, entry.firstWord - entry.firstAside),
            all.slice(entry.firstWord, entry.end - entry.firstWord)};
  }
};

/// Splits a text without syntax errors into statements.
StatementList readStatements(llvm::StringRef text);

} // namespace ptxray
