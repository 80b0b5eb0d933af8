#pragma once
// Inlay hints are shown between the words of a text and say what it means at that place: where in shared memory an
// address leads, what the bits of a descriptor stand for, which file a `.loc` names.
#include "Editor/Document.h"

namespace ptxray {

struct InlayHint {
  uint32_t place = 0; // after which it is shown
  std::string label;
  std::string more; // of the same, in lines; may be empty
};
/// Returns the hints for instructions and directives within the part of the text, in its order.
std::vector<InlayHint> inlayHints(Document &document, Range part);

} // namespace ptxray
