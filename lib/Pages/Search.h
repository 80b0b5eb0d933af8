#pragma once
// Finds pages for a query that is not the name of a page.
#include "llvm/ADT/StringRef.h"
#include <string>
#include <vector>

namespace ptxray {

/// Returns the names that differ from the written one only in case and punctuation, such as `%tid` for `tid` and
/// `sm_90` for `SM90`. If there are none, returns names that end in it after `::`, such as `.shared::cta`.
std::vector<std::string> namesLike(llvm::StringRef written);

/// Returns the name that is most likely meant by a typo, followed by the rest of the opcode; empty if no name is close.
std::string likelyName(llvm::StringRef written);

struct FoundPage {
  std::string name, about;
};
/// Returns at most `most` pages that contain all words of the text, those with the words in their names first.
std::vector<FoundPage> pagesAbout(llvm::StringRef text, size_t most);

} // namespace ptxray
