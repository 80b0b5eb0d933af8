#pragma once
// Makes a text smaller step by step as long as a test, which the caller makes, finds it interesting: it gives
// candidates, and is told which of them is.
#include "Module/CheckOptions.h"
#include "Reduce/Change.h"
#include <memory>
#include <optional>

namespace ptxray {

struct ReductionOptions {
  CheckOptions check;
  std::string keptRule; // `vector-length`: each candidate breaks this rule; empty: there is no such rule
};

class Reduction {
public:
  Reduction(std::string text, const ReductionOptions &options);
  ~Reduction();

  /// Returns why the text cannot be reduced; empty if it can.
  const std::string &problem() const;
  /// Returns the smallest text that is known to be interesting: at first the whole.
  const std::string &best() const;
  bool isDone() const;
  /// Returns the name of the pass that is tried at present: `statements`.
  llvm::StringRef pass() const;

  /// Returns some texts, at most so many, that are simpler than the best one: with no fault that the best does not
  /// have, and with no register more that is read before it is written. There may be none before it is done.
  std::vector<std::string> candidates(size_t most);
  /// Takes the answer about the candidates: the first of them that is interesting; none if no one is.
  void tell(std::optional<size_t> interesting);

private:
  struct State;
  std::unique_ptr<State> state;
};

/// Returns the text without a parameter of a kernel (empty: the only one) that nothing in it names. Returns nothing if
/// there is no such.
std::optional<std::string> withoutParameter(llvm::StringRef text, llvm::StringRef kernel, size_t number);

} // namespace ptxray
