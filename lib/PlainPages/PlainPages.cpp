// The pages in the library for other programs: its C interface hands out a page as it lies here, and it unpacks
// nothing.
#include "RulePages/RulePages.h"

namespace ptxray {

static constexpr RulePage rules[] = {
#include "RulePages.inc"
};

static constexpr RulePage concepts[] = {
#include "ConceptPages.inc"
};

llvm::ArrayRef<RulePage> rulePages() { return rules; }
llvm::ArrayRef<RulePage> conceptPages() { return concepts; }

} // namespace ptxray
