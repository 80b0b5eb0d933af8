// The pages in the program, which are unpacked on demand.
#include "Embedded/Embedded.h"
#include "RulePages/RulePages.h"
#include <tuple>
#include <vector>

namespace ptxray {

namespace {

namespace rules {
#include "PackedRules.inc"
}
namespace concepts {
#include "PackedConcepts.inc"
}

struct Unpacked {
  Unpacked(llvm::ArrayRef<unsigned char> packed, size_t bytes) : text(unpackEmbedded(packed, bytes)) {
    llvm::StringRef page, rest = llvm::StringRef(text).drop_front(); // each page begins with a form feed
    for (; !rest.empty(); pages.push_back({page.split('\n').first, page.split('\n').second}))
      std::tie(page, rest) = rest.split('\f');
  }

  std::string text;
  std::vector<RulePage> pages;
};

} // namespace

llvm::ArrayRef<RulePage> rulePages() {
  static const Unpacked unpacked(rules::packed, rules::unpackedBytes);
  return unpacked.pages;
}

llvm::ArrayRef<RulePage> conceptPages() {
  static const Unpacked unpacked(concepts::packed, concepts::unpackedBytes);
  return unpacked.pages;
}

} // namespace ptxray
