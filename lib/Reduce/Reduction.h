#pragma once
// Makes a file smaller step by step, as long as the caller's test finds it interesting. The reduction proposes
// candidates, and the caller reports the first interesting one.
#include "Module/CheckOptions.h"
#include "Reduce/Change.h"
#include <memory>
#include <optional>

namespace ptxray {

struct ReductionOptions {
  CheckOptions check;
  std::string keptRule; // a rule that each candidate must violate, such as `vector-length`; empty if there is none
};

class Reduction {
public:
  Reduction(std::string text, const ReductionOptions &options);
  ~Reduction();

  /// Returns why the text cannot be reduced; empty if it can.
  const std::string &problem() const;
  /// Returns the smallest text known to be interesting. Initially, this is the whole text.
  const std::string &best() const;
  bool isDone() const;
  /// Returns the name of the current pass, such as `statements`.
  llvm::StringRef pass() const;

  /// Returns at most `most` candidates that are simpler than the best text. They have no additional faults, and read no
  /// additional registers before writing them. The list may be empty before the reduction is done.
  std::vector<std::string> candidates(size_t most);
  /// Reports the result for the last candidates: the index of the first interesting one, or none.
  void tell(std::optional<size_t> interesting);

private:
  struct State;
  std::unique_ptr<State> state;
};

/// Returns the text without an unused kernel parameter. If `kernel` is empty, uses the only kernel. Returns nothing if
/// there is no such parameter.
std::optional<std::string> withoutParameter(llvm::StringRef text, llvm::StringRef kernel, size_t number);

} // namespace ptxray
