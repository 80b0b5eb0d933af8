#include "RulePages/RulePages.h"
#include "llvm/ADT/STLExtras.h"
#include <tuple>

namespace ptxray {

llvm::StringRef rulePage(llvm::StringRef id) {
  const llvm::ArrayRef<RulePage> pages = rulePages();
  const RulePage *page = llvm::find_if(pages, [id](const RulePage &page) { return page.id == id; });
  if (page == pages.end())
    return {};
  return page->text;
}

llvm::SmallVector<llvm::StringRef, 8> namesOfConcept(const RulePage &page) {
  auto [title, rest] = llvm::StringRef(page.text).split('\n');
  llvm::SmallVector<llvm::StringRef, 8> names = {title.drop_front(2)};
  llvm::StringRef others = rest.ltrim().split("\n\n").first;
  if (!others.consume_front("Also: "))
    return names;
  for (llvm::StringRef name; !others.empty();) {
    std::tie(name, others) = others.split(',');
    names.push_back(name.trim());
  }
  return names;
}

static std::string plainName(llvm::StringRef name) {
  std::string plain = name.lower();
  for (char &c : plain)
    c = c == '_' || c == '-' || c == '\n' ? ' ' : c;
  return plain;
}

const RulePage *findConcept(llvm::StringRef name) {
  const std::string wanted = plainName(name);
  for (const RulePage &page : conceptPages())
    if (llvm::any_of(namesOfConcept(page), [&](llvm::StringRef known) { return plainName(known) == wanted; }))
      return &page;
  return nullptr;
}

} // namespace ptxray
