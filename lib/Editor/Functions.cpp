#include "Editor/Functions.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <array>

namespace ptxray {
namespace {

/// Bytes at which the search stops: braces, the beginnings of comments and strings, the ends of statements, and the
/// beginnings of functions.
constexpr std::array<bool, 256> notable = [] {
  std::array<bool, 256> result{};
  for (const char c : {'{', '}', '/', '"', ';', '.'})
    result[static_cast<unsigned char>(c)] = true;
  return result;
}();

bool isWordCharacter(char c) { return llvm::isAlnum(c) || c == '_' || c == '$'; }

class BodyFinder {
public:
  explicit BodyFinder(llvm::StringRef text) : text(text), end(static_cast<uint32_t>(text.size())) {}
  std::vector<Range> run();

private:
  uint32_t nextNotable() const {
    uint32_t to = at;
    while (to < end && !notable[static_cast<unsigned char>(text[to])])
      ++to;
    return to;
  }
  /// Returns the offset after the comment or string that begins here, or the next offset.
  uint32_t behindHidden() const;
  bool isOneOf(llvm::ArrayRef<llvm::StringLiteral> words) const;
  void open();
  void close(uint32_t to);
  void step(char c);

  llvm::StringRef text;
  uint32_t at = 0, end;
  uint32_t depth = 0, bodyDepth = 0, bodyBegin = 0;
  bool inBody = false, headSeen = false;
  std::vector<Range> bodies;
};

uint32_t BodyFinder::behindHidden() const {
  const llvm::StringRef rest = text.drop_front(at);
  auto behind = [&](llvm::StringRef closing, size_t from) {
    const size_t found = text.find(closing, at + from);
    return found == llvm::StringRef::npos ? end : static_cast<uint32_t>(found + closing.size());
  };
  if (rest.starts_with("//"))
    return behind("\n", 2);
  if (rest.starts_with("/*"))
    return behind("*/", 2);
  if (rest.starts_with("\""))
    return behind("\"", 1);
  return at + 1;
}

/// Returns whether one of the words is at this dot.
bool BodyFinder::isOneOf(llvm::ArrayRef<llvm::StringLiteral> words) const {
  const llvm::StringRef word = text.substr(at, 12).drop_front().take_while(isWordCharacter);
  return llvm::is_contained(words, word);
}

void BodyFinder::open() {
  if (!inBody && headSeen) {
    inBody = true;
    bodyBegin = at;
    bodyDepth = depth;
  }
  ++depth;
}

void BodyFinder::close(uint32_t to) {
  bodies.push_back({bodyBegin, to});
  inBody = headSeen = false;
  depth = 0;
}

void BodyFinder::step(char c) {
  const bool startsLine = at == 0 || text[at - 1] == '\n';
  switch (c) {
  case '{': return open();
  case '}':
    depth -= depth != 0;
    if (inBody && depth == bodyDepth)
      close(at + 1);
    return;
  case ';': headSeen &= inBody || depth != 0; return;
  case '.':
    if (inBody && startsLine && isOneOf({"entry", "func", "visible", "weak", "extern"}))
      close(at);
    headSeen |= !inBody && isOneOf({"entry", "func"});
    return;
  default: return;
  }
}

std::vector<Range> BodyFinder::run() {
  for (at = nextNotable(); at < end; at = nextNotable()) {
    const char c = text[at];
    if (c == '/' || c == '"') {
      at = behindHidden();
      continue;
    }
    step(c);
    ++at;
  }
  if (inBody)
    close(end);
  return std::move(bodies);
}

} // namespace

std::vector<Range> findBodies(llvm::StringRef text) { return BodyFinder(text).run(); }

} // namespace ptxray
