#pragma once
// Judges one fragment as PTX.
#include "Check/PieceContext.h"
#include "Diagnostics/Diagnostic.h"
#include "Inline/Fragment.h"
#include "Module/CheckOptions.h"

namespace ptxray {

class Session;

/// A version and a target with which a fragment is tried.
struct InlineTarget {
  std::string ptx, target;
  bool hasFloats = false; // registers of their own for numbers with a point
};
/// Returns the targets that the options allow.
std::vector<InlineTarget> inlineTargets(const CheckOptions &options);
/// Returns a target with the newest version.
InlineTarget inlineTarget(llvm::StringRef target);

/// Returns whether a rule reports that a version or a target lacks something.
bool isGate(DiagId id);

/// The use of an operand.
struct OperandUse {
  bool isRead = false, isWritten = false, isReadFirst = false;
  Range firstRead, firstWrite; // in the module
};

struct JudgedFragment {
  InlineTarget target; // the first that accepts it, else the one with the least against it
  bool passes = false;
  std::vector<Diagnostic> findings; // places in the module for that target
  std::vector<OperandUse> uses;     // by operand
  std::vector<Range> labels;        // outside of blocks
  // The first opcode that writes to memory, the first that orders accesses to memory, the first that starts or counts
  // something without ordering memory, and the first with any effect besides writing registers.
  std::optional<Range> changesMemory, ordersMemory, signals, hasEffect;
  /// This says, for a fragment that passes from sm_100 on, what a lower target refuses because its registers have
  /// types.
  std::optional<std::pair<InlineTarget, Diagnostic>> below;
  uint64_t advice = 0; // the part of the budget for advice that it took
  bool isBare = false; // the budget was used up
  uint32_t text = 0;   // the last text that it was judged for
};

JudgedFragment judgeFragment(const Fragment &fragment, llvm::ArrayRef<InlineTarget> targets,
                             const PieceContext &context, Session &session);

} // namespace ptxray
