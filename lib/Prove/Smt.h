#pragma once
// Writes questions in SMT-LIB 2, and runs a solver to find an assignment for which all given terms are true.
#include "Prove/Terms.h"

namespace ptxray::prove {

/// Returns a script for a question. If it is satisfiable, the solver prints the values of the variables in `asked`.
std::string smtOf(const Terms &terms, llvm::ArrayRef<Term> asserted, llvm::ArrayRef<Term> asked);

enum class Answer : uint8_t { Impossible, Possible, Unknown };
struct Solved {
  Answer answer = Answer::Unknown;
  llvm::DenseMap<Term, Number> numbers; // values of the requested variables
  bool isMissing = false;               // no solver could be started
};

/// Runs a solver in a separate process.
class Solver {
public:
  /// Constructs a solver. If `path` is empty, searches PATH for z3, cvc5 and bitwuzla.
  explicit Solver(llvm::StringRef path);
  bool isThere() const { return !path.empty(); }
  const std::string &name() const { return path; }
  Solved ask(const Terms &terms, llvm::ArrayRef<Term> asserted, llvm::ArrayRef<Term> asked, unsigned seconds);
  /// Answers several questions in one process, with at most `milliseconds` for each. Questions beyond the total time
  /// limit are Unknown.
  std::vector<Answer> askEach(const Terms &terms, llvm::ArrayRef<std::vector<Term>> questions, unsigned milliseconds,
                              unsigned seconds);
  unsigned questions = 0;

private:
  /// Returns the output of the solver.
  std::string run(const std::string &text, unsigned seconds, bool &isMissing) const;
  std::string path;
};

} // namespace ptxray::prove
