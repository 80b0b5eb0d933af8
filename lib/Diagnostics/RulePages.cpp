#include "Diagnostics/RulePages.h"
#include "llvm/ADT/STLExtras.h"

namespace ptxray {

static constexpr RulePage pages[] = {
#include "RulePages.inc"
};

llvm::ArrayRef<RulePage> rulePages() { return pages; }

llvm::StringRef rulePage(llvm::StringRef id) {
  const RulePage *page = llvm::find_if(pages, [id](const RulePage &page) { return page.id == id; });
  if (page == std::end(pages))
    return {};
  return page->text;
}

} // namespace ptxray
