#pragma once
// Texts that editors show within a line: the shared-memory address of an operand, the meaning of a descriptor's bits,
// the file that a `.loc` names.
#include "Editor/Document.h"

namespace ptxray {

struct InlayHint {
  uint32_t place = 0; // offset of the preceding character
  std::string label;
  std::string more; // details on separate lines; may be empty
};
/// Returns the hints for instructions and directives within a range of the document, in source order.
std::vector<InlayHint> inlayHints(Document &document, Range part);

} // namespace ptxray
