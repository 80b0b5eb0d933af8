#pragma once
// Ways to make a text simpler, as edits that can be chosen one by one and together.
#include "Source/Range.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <string>
#include <vector>

namespace ptxray {

struct Replacement {
  Range part;
  std::string text;
};

/// A change is made as a whole: all its parts are replaced together.
struct Change {
  llvm::SmallVector<Replacement, 1> parts;
  /// Other changes, which take away what the part uses: they are made only with this one.
  llvm::SmallVector<uint32_t, 2> used = {};
  bool isNever = false; // it is never made, and only says what is used
};
using Changes = std::vector<Change>;

/// Returns the chosen changes without those that take away what others use.
llvm::BitVector usable(const Changes &changes, llvm::BitVector chosen);

/// Returns the text after the chosen changes, without the lines that have become empty. Of changes to the same bytes
/// only the first is made, unless all of them take bytes away.
std::string changed(llvm::StringRef text, const Changes &changes, const llvm::BitVector &chosen);

/// Returns how much there is to read in a text, which reductions make less. A register counts more than a constant.
size_t weightOf(llvm::StringRef text);

} // namespace ptxray
