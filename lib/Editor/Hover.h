#pragma once
// Describes the word under the cursor, for the version and target of the module.
#include "Editor/Document.h"

namespace ptxray {

struct HoverPart {
  enum Kind : uint8_t { Text, Code, Link } kind = Text; // Text may contain `code` in backticks, and no other markup
  std::string text;
  std::string url; // target of a Link
};
struct Hover {
  Range range;
  std::vector<HoverPart> parts;
};
std::optional<Hover> hoverAt(Document &document, uint32_t place);

} // namespace ptxray
