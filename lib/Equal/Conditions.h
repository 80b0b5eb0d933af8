#pragma once
// Conditions on the contents of buffers under which a launch makes the same decisions as before
// (docs/certificate.md, "Conditions").
#include "Equal/Decisions.h"
#include "Equal/Linear.h"
#include "Machine/LaunchData.h"
#include <string>

namespace ptxray::equal {

/// A condition on all elements of a buffer.
struct Condition : machine::Certificate::Condition {
  uint32_t number = 0; // of the buffer
};

/// A buffer for which there is no condition.
struct Unconditional {
  uint32_t buffer;
  std::string why;
  Range at; // the decision that is the reason; empty if there are several
};

struct Conditions {
  std::vector<Condition> all;
  std::vector<Unconditional> none;
  std::vector<Condition> elements; // elements of the buffers in `none`, without bounds
  std::set<std::pair<uint32_t, uint32_t>>
      sites;             // instructions, by the begin of their range, and buffers that decide there
  bool areVague = false; // a decision may depend on any buffer
};

/// Finds conditions for the decisions of a launch. `written` states for each buffer whether the launch wrote to it.
Conditions conditionsOf(Terms &terms, llvm::ArrayRef<Decision> decisions, const std::vector<bool> &written);

} // namespace ptxray::equal
