#pragma once
// One fragment, judged as PTX.
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

/// What is missing is a version or a target.
bool isGate(DiagId id);

/// What an operand is used for.
struct OperandUse {
  bool isRead = false, isWritten = false, isReadFirst = false;
  Range firstWrite; // in the module
};

struct JudgedFragment {
  InlineTarget target; // the first that accepts it, else the one with the least against it
  bool passes = false;
  std::vector<Diagnostic> findings; // places in the module for that target
  std::vector<OperandUse> uses;     // by operand
  /// Of one that passes from sm_100 on: what a target below refuses because its registers have types.
  std::optional<std::pair<InlineTarget, Diagnostic>> below;
};

/// `elsewhere`: names that are declared outside of the fragment; a family as `%r<`.
JudgedFragment judgeFragment(const Fragment &fragment, llvm::ArrayRef<InlineTarget> targets,
                             llvm::ArrayRef<std::string> elsewhere, Session &session);

} // namespace ptxray
