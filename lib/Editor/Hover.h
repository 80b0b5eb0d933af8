#pragma once
// A hover shows what is known of the word under the cursor, for this text's version and target.
#include "Editor/Document.h"

namespace ptxray {

struct HoverPart {
  enum Kind : uint8_t { Text, Code, Link } kind = Text; // Text: `code` in backticks, no other mark
  std::string text;
  std::string url; // of a Link
};
struct Hover {
  Range range;
  std::vector<HoverPart> parts;
};
std::optional<Hover> hoverAt(Document &document, uint32_t place);

} // namespace ptxray
