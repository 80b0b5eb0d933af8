#pragma once
// The messages of ptxas, with the rules that report the same faults, as docs/ptxas-messages.md lists them.
#include "llvm/ADT/StringRef.h"
#include <vector>

namespace ptxray {

struct PtxasMessage {
  llvm::StringRef text; // as ptxas has it: `Unknown modifier '%s'`
  llvm::StringRef rule; // `unknown-qualifier`; empty: no rule, since no text is known that draws the message
};

/// Returns the messages that ptxas may have printed as this text, with or without its place in front; or, if there are
/// none, those that begin so, or say little else.
std::vector<PtxasMessage> ptxasMessagesLike(llvm::StringRef printed);

} // namespace ptxray
