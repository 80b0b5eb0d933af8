#pragma once
// Simplifications of a text, as edits that can be selected individually or combined.
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

/// A change that is applied as a whole: all its parts are replaced together.
struct Change {
  llvm::SmallVector<Replacement, 1> parts;
  /// Changes that remove what this change refers to. They are applied only together with it.
  llvm::SmallVector<uint32_t, 2> used = {};
  bool isNever = false; // never applied; only records references
};
using Changes = std::vector<Change>;

/// Returns the chosen changes, without changes that remove what other code uses.
llvm::BitVector usable(const Changes &changes, llvm::BitVector chosen);

/// Returns the text after the chosen changes, without lines that became empty. If changes overlap, applies only the
/// first, unless all of them are deletions.
std::string changed(llvm::StringRef text, const Changes &changes, const llvm::BitVector &chosen);

/// Returns the size of a text, which reductions minimise. A register counts more than a constant.
size_t weightOf(llvm::StringRef text);

} // namespace ptxray
