#pragma once
// One fragment, judged as PTX.
#include "Check/PieceContext.h"
#include "Diagnostics/Diagnostic.h"
#include "Inline/Fragment.h"
#include "Module/CheckOptions.h"

namespace ptxray {

class Session;

/// A version and a target that a fragment is tried with.
struct InlineTarget {
  std::string ptx, target;
  bool hasFloats = false; // registers of their own for numbers with a point
};
/// Those that the options leave.
std::vector<InlineTarget> inlineTargets(const CheckOptions &options);
/// That target, with the newest version.
InlineTarget inlineTarget(llvm::StringRef target);

/// What is missing is a version or a target.
bool isGate(DiagId id);

/// What an operand is used for.
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
  // The first opcode of those that write to memory, and that do more than write to registers.
  std::optional<Range> changesMemory, hasEffect;
  /// Of one that passes from sm_100 on: what a target below refuses because its registers have types.
  std::optional<std::pair<InlineTarget, Diagnostic>> below;
};

JudgedFragment judgeFragment(const Fragment &fragment, llvm::ArrayRef<InlineTarget> targets,
                             const PieceContext &context, Session &session);

} // namespace ptxray
