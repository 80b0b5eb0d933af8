#pragma once
// Messages of ptxas, and the rules that report the same faults (docs/ptxas-messages.md).
#include "llvm/ADT/StringRef.h"
#include <vector>

namespace ptxray {

struct PtxasMessage {
  llvm::StringRef text; // spelled as in ptxas: `Unknown modifier '%s'`
  llvm::StringRef rule; // `unknown-qualifier`; empty if no input is known to cause the message
};

/// Returns the messages of ptxas that match the printed text, with or without a location before it. If none match,
/// returns those with the same beginning, or with few other words.
std::vector<PtxasMessage> ptxasMessagesLike(llvm::StringRef printed);

} // namespace ptxray
