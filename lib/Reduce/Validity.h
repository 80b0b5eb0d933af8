#pragma once
// Decides which candidates of a reduction are valid.
#include "Check/CheckModule.h"
#include "llvm/ADT/SmallBitVector.h"

namespace ptxray {

/// A text and the rules that it violates, except pedantic ones. Rules about uninitialised registers are included
/// regardless of their level.
struct Candidate {
  std::string text;
  llvm::SmallBitVector rules;             // indexed by DiagId
  std::shared_ptr<const KeptModule> read; // the text in parsed form
};

class Validity {
public:
  /// Constructs a check. If `keptRule` is set, each text must violate it.
  Validity(CheckOptions options, std::optional<DiagId> keptRule, Kind keptKind);

  Candidate judge(std::string text);
  /// Returns the text if it violates only rules in `allowed`, and violates the kept rule. If necessary, initialises
  /// registers where they are declared. Returns nothing for other texts.
  std::optional<Candidate> accept(std::string text, const llvm::SmallBitVector &allowed);
  bool keepsRule() const { return lastKeepsRule; } // refers to the last text

private:
  const CheckOptions options;
  const std::optional<DiagId> keptRule;
  const Kind keptKind;
  bool lastKeepsRule = true;
  DiagnosticList unwritten; // findings about registers in the last text
};

} // namespace ptxray
