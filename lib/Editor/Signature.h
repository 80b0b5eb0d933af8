#pragma once
// Describes the operands of the instruction at the cursor.
#include "Editor/Document.h"

namespace ptxray {

struct FormSignature {
  std::string label;             // `add.s32 d, a, b`
  std::vector<Range> parameters; // within the label
  std::vector<std::string> explanations;
};
struct SignatureHelp {
  std::vector<FormSignature> signatures; // the forms that match the instruction so far
  unsigned active = 0;                   // the operand at the cursor
};
std::optional<SignatureHelp> signatureAt(Document &document, uint32_t place);

} // namespace ptxray
