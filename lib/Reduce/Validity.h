#pragma once
// This decides whether a candidate of a reduction may be tested.
#include "Check/CheckModule.h"
#include "llvm/ADT/SmallBitVector.h"

namespace ptxray {

/// A text and the rules that it breaks, but for pedantic ones; those about registers that are not written are counted
/// in whatever their level.
struct Candidate {
  std::string text;
  llvm::SmallBitVector rules;             // by DiagId
  std::shared_ptr<const KeptModule> read; // the text as it was read to be judged
};

class Validity {
public:
  /// `keptRule`: each text must break it, if there is one.
  Validity(CheckOptions options, std::optional<DiagId> keptRule, Kind keptKind);

  Candidate judge(std::string text);
  /// Returns the text, with registers written where they are declared if it needs that: nothing if it breaks other
  /// rules than those that are allowed, or not the rule that is kept.
  std::optional<Candidate> accept(std::string text, const llvm::SmallBitVector &allowed);
  bool keepsRule() const { return lastKeepsRule; } // of the text that was judged last

private:
  const CheckOptions options;
  const std::optional<DiagId> keptRule;
  const Kind keptKind;
  bool lastKeepsRule = true;
  DiagnosticList unwritten; // the findings about registers in the text that was judged last
};

} // namespace ptxray
