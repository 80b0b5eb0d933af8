#pragma once
// The operands of the instruction that is being typed.
#include "Editor/Document.h"

namespace ptxray {

struct FormSignature {
  std::string label;             // `add.s32 d, a, b`
  std::vector<Range> parameters; // within the label
  std::vector<std::string> explanations;
};
struct SignatureHelp {
  std::vector<FormSignature> signatures; // the forms that fit what is written
  unsigned active = 0;                   // the operand at the cursor
};
std::optional<SignatureHelp> signatureAt(Document &document, uint32_t place);

} // namespace ptxray
