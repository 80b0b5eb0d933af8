#pragma once
// Checks one fragment as PTX.
#include "Check/PieceContext.h"
#include "Diagnostics/Diagnostic.h"
#include "Inline/Fragment.h"
#include "Module/CheckOptions.h"

namespace ptxray {

class Session;

/// A version and a target for which a fragment is checked.
struct InlineTarget {
  std::string ptx, target;
  bool hasFloats = false; // floating-point operands have floating-point registers
};
/// Returns the targets that the options permit.
std::vector<InlineTarget> inlineTargets(const CheckOptions &options);
/// Returns a target with the newest version.
InlineTarget inlineTarget(llvm::StringRef target);

/// Returns whether a rule reports a feature that a version or a target lacks.
bool isGate(DiagId id);

/// The use of an operand.
struct OperandUse {
  bool isRead = false, isWritten = false, isReadFirst = false;
  Range firstRead, firstWrite; // locations in the module
};

struct JudgedFragment {
  InlineTarget target; // the first target that accepts the fragment, otherwise the one with the fewest findings
  bool passes = false;
  std::vector<Diagnostic> findings; // locations in the module for that target
  std::vector<OperandUse> uses;     // indexed by operand
  std::vector<Range> labels;        // declared outside of blocks
  // The first opcodes of four kinds. They write memory, order memory accesses, start or count operations without
  // ordering memory, or have any other effect than writing registers.
  std::optional<Range> changesMemory, ordersMemory, signals, hasEffect;
  /// For a fragment that passes only from sm_100: the finding on a lower target, whose registers are typed.
  std::optional<std::pair<InlineTarget, Diagnostic>> below;
  uint64_t advice = 0; // amount of the advice budget that was used
  bool isBare = false; // the advice budget was exhausted
  uint32_t text = 0;   // number of the last source for which the fragment was checked
};

JudgedFragment judgeFragment(const Fragment &fragment, llvm::ArrayRef<InlineTarget> targets,
                             const PieceContext &context, Session &session);

} // namespace ptxray
