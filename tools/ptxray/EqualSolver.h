#pragma once
// A solver of formulas over bits, for integers that no law makes the same.
#include "Equal/Oracle.h"
#include "Prove/Smt.h"
#include <map>

namespace ptxray {

/// Asks a solver. What is computed with floats is any number, the same one for the same term.
class EqualSolver final : public equal::Oracle {
public:
  explicit EqualSolver(llvm::StringRef path) : solver(path) {}
  bool areSame(const equal::Terms &terms, const equal::Ref &a, const equal::Ref &b, unsigned bytes) override;
  bool isThere() const { return solver.isThere(); }

private:
  prove::Solver solver;
  std::map<std::string, bool> known; // by the text of the question, which is the same for other elements
  bool hasFailed = false;
};

} // namespace ptxray
