#pragma once
// A search finds pages for a text that is not the name of one.
#include "llvm/ADT/StringRef.h"
#include <string>
#include <vector>

namespace ptxray {

/// Returns the names that differ from the written one in case and signs alone, as `%tid` from `tid` and `sm_90` from
/// `SM90`; if there are none, those that end in it after `::`, as `.shared::cta`.
std::vector<std::string> namesLike(llvm::StringRef written);

/// Returns the name that the written one is a slip of, with the rest of an opcode as written; empty if none is near.
std::string likelyName(llvm::StringRef written);

struct FoundPage {
  std::string name, about;
};
/// Returns the pages that have every word of a text, those first that have them in their names; at most so many.
std::vector<FoundPage> pagesAbout(llvm::StringRef text, size_t most);

} // namespace ptxray
