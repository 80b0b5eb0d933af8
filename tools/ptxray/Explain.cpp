#include "Command.h"
#include "Diagnostics/Diagnostic.h"
#include "RulePages.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

namespace ptxray {

int runExplain(const Arguments &arguments) {
  const llvm::StringRef wanted = arguments.operands.front();
  const RulePage *page =
      llvm::find_if(rulePages(), [&](const RulePage &page) { return page.id == wanted; });
  if (page != rulePages().end()) {
    llvm::outs() << page->text;
    return Clean;
  }
  llvm::SmallVector<llvm::StringRef> known;
  for (const RulePage &page : rulePages())
    known.push_back(page.id);
  return usageError("no rule or instruction `" + wanted.str() + "`" + didYouMean(wanted, known));
}

} // namespace ptxray
