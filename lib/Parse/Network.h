#pragma once
// The network of states that ANTLR makes of the grammar: what may come next in each of them.
#include "Parse/Scanner.h"
#include <vector>

namespace ptxray::recover {

/// A set of TokenKinds.
using KindSet = uint64_t;
constexpr KindSet bit(TokenKind kind) {
  return KindSet(1) << unsigned(kind == TokenKind::EndOfFile ? TokenKind::Invalid : kind);
}
template <class... Kinds> constexpr KindSet kinds(Kinds... kind) { return (bit(kind) | ...); }
inline constexpr KindSet ruleEnd = KindSet(1) << 63;

struct Network {
  std::vector<KindSet> followers; // of each state; with `ruleEnd`, its rule may end
  std::vector<KindSet> behind;    // what may follow the rule that is entered from a state; 0: it enters none
};

/// Reads what ANTLR writes into a generated parser, before 4.10 (version 3) and since then (version 4).
Network readNetwork(llvm::ArrayRef<int32_t> written);

} // namespace ptxray::recover
