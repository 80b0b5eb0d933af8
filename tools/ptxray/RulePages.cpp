#include "RulePages.h"

namespace ptxray {

static constexpr RulePage pages[] = {
#include "RulePages.inc"
};

llvm::ArrayRef<RulePage> rulePages() { return pages; }

} // namespace ptxray
