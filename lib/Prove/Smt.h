#pragma once
// A question in SMT-LIB 2: are there numbers for which all these terms are true?
#include "Prove/Terms.h"

namespace ptxray::prove {

/// `asked`: variables whose numbers a solver is to print if there are such numbers.
std::string smtOf(const Terms &terms, llvm::ArrayRef<Term> asserted, llvm::ArrayRef<Term> asked);

enum class Answer : uint8_t { Impossible, Possible, Unknown };
struct Solved {
  Answer answer = Answer::Unknown;
  llvm::DenseMap<Term, Number> numbers; // of the asked variables
  bool isMissing = false;               // no solver could be started
};

/// Runs a solver in a process of its own.
class Solver {
public:
  /// `path`: empty, to look for z3, cvc5 and bitwuzla in PATH.
  explicit Solver(llvm::StringRef path);
  bool isThere() const { return !path.empty(); }
  const std::string &name() const { return path; }
  Solved ask(const Terms &terms, llvm::ArrayRef<Term> asserted, llvm::ArrayRef<Term> asked, unsigned seconds);
  /// Asks several questions in one process, each for at most so many milliseconds. Those that it does not come to are
  /// unknown.
  std::vector<Answer> askEach(const Terms &terms, llvm::ArrayRef<std::vector<Term>> questions, unsigned milliseconds,
                              unsigned seconds);
  unsigned questions = 0;

private:
  /// Returns what the solver prints.
  std::string run(const std::string &text, unsigned seconds, bool &isMissing) const;
  std::string path;
};

} // namespace ptxray::prove
