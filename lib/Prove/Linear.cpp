// Answers questions without a solver, for sums of small parts with sufficient distance.
#include "Prove/Questions.h"
#include "llvm/ADT/STLExtras.h"

namespace ptxray::prove {

namespace {

/// The difference between a number of one thread and that of the other, times a factor.
struct Part {
  Number factor;
  Number most; // maximum absolute value of the difference
  Term first, second;
};

} // namespace

/// Returns the variable in an extension, or the term itself.
static Term inner(const Terms &terms, Term term) {
  while (terms[term].op == Op::ZeroExtend)
    term = terms[term].args[0];
  return term;
}

/// Decomposes a sum into differences between numbers of the two threads. Returns false if it contains anything else.
static bool takeApart(const Terms &terms, Term sum, llvm::SmallVectorImpl<Part> &parts) {
  const Node &node = terms[sum];
  if (node.op != Op::Sum || node.number || node.width > 64)
    return false;
  llvm::SmallVector<size_t, 8> left;
  for (size_t i = 0; i < node.args.size(); ++i)
    left.push_back(i);
  while (!left.empty()) {
    const size_t i = left.pop_back_val();
    const Term one = inner(terms, node.args[i]);
    if (terms[one].op != Op::Variable)
      return false;
    const auto isOther = [&](size_t j) {
      const Term other = inner(terms, node.args[j]);
      return terms[other].op == Op::Variable && terms.variableOf(other).name == terms.variableOf(one).name &&
             ((node.factors[i] + node.factors[j]) & maskOf(node.width)) == 0;
    };
    const auto found = llvm::find_if(left, isOther);
    if (found == left.end())
      return false;
    const Term other = inner(terms, node.args[*found]);
    const bool isPositive = signedOf(node.factors[i], node.width) > 0;
    const Number factor = isPositive ? node.factors[i] : node.factors[*found];
    const Number low = std::min(terms.low(one), terms.low(other)), high = std::max(terms.high(one), terms.high(other));
    parts.push_back({factor, high - low, one, other});
    left.erase(found);
  }
  return true;
}

/// Returns whether the addresses of two different threads are at least the size of the access apart. Two threads have
/// different numbers, and each digit counts more than all smaller ones together.
static bool isMixedRadix(const Terms &terms, const Question &question) {
  if (question.difference == Term::None)
    return false;
  llvm::SmallVector<Part, 8> parts;
  if (!takeApart(terms, question.difference, parts))
    return false;
  llvm::sort(parts, [](const Part &a, const Part &b) { return a.factor < b.factor; });
  const unsigned width = terms.width(question.difference);
  Number below = question.bytes;
  for (const Part &part : parts) {
    if (part.factor < below || part.most > Number(1) << 60 || part.factor > Number(1) << 60)
      return false;
    below += part.factor * part.most;
    if (below >= Number(1) << (width - 1)) // might wrap around
      return false;
  }
  const auto &numbers = question.property == Property::GridRace ? question.blocks : question.threads;
  for (unsigned i = 0; i < 3; ++i) {
    const Term first = numbers[0][i], second = numbers[1][i];
    if (terms.isConstant(first) && terms.isConstant(second))
      continue;
    const auto isIt = [&](const Part &part) {
      return (part.first == first && part.second == second) || (part.first == second && part.second == first);
    };
    if (llvm::none_of(parts, isIt))
      return false;
  }
  return true;
}

bool isImpossible(Terms &terms, const Question &question) {
  Term all = terms.truth(true);
  for (const Term term : question.asserted)
    all = terms.both(all, term);
  return terms.isConstant(all, 0) || isMixedRadix(terms, question);
}

} // namespace ptxray::prove
