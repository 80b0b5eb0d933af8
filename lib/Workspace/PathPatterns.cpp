#include "Workspace/PathPatterns.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/GlobPattern.h"

namespace ptxray {

std::filesystem::path normalizedPath(llvm::StringRef path) {
  std::error_code ignored;
  return std::filesystem::absolute(path.str(), ignored).lexically_normal();
}

std::string PathPatterns::add(llvm::StringRef list) {
  llvm::SmallVector<llvm::StringRef> words;
  list.split(words, ',');
  for (llvm::StringRef word : words) {
    word = word.trim();
    if (word.empty())
      return "expected patterns of paths with `,` between them";
    if (llvm::Expected<llvm::GlobPattern> pattern = llvm::GlobPattern::create(word); !pattern)
      return "`" + word.str() + "` is not a pattern: " + llvm::toString(pattern.takeError());
    patterns.push_back(word.str());
  }
  return "";
}

static bool matchesPath(llvm::StringRef pattern, llvm::StringRef path) {
  llvm::StringRef whole = pattern.rtrim('/');
  const bool isPath = whole.contains('/');
  if (!whole.consume_front("./"))
    whole.consume_front("/");
  llvm::Expected<llvm::GlobPattern> glob = llvm::GlobPattern::create(whole);
  if (!glob) {
    llvm::consumeError(glob.takeError());
    return false;
  }
  for (size_t begin = 0; begin < path.size();) {
    const size_t end = std::min(path.find('/', begin), path.size());
    if (glob->match(path.slice(isPath ? 0 : begin, end)))
      return true;
    begin = end + 1;
  }
  return false;
}

bool PathPatterns::match(llvm::StringRef path) const {
  return llvm::any_of(patterns, [path](llvm::StringRef pattern) { return matchesPath(pattern, path); });
}

} // namespace ptxray
