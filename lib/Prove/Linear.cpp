// Answers that need no solver: sums of small parts that cannot be near each other.
#include "Prove/Questions.h"
#include "llvm/ADT/STLExtras.h"

namespace ptxray::prove {

namespace {

/// A number of one thread less that of the other, times a factor.
struct Part {
  Number factor;
  Number most; // the difference is at most that, in both directions
  Term first, second;
};

} // namespace

/// Returns the variable that is extended, or the term itself.
static Term inner(const Terms &terms, Term term) {
  while (terms[term].op == Op::ZeroExtend)
    term = terms[term].args[0];
  return term;
}

/// Takes a sum apart into differences of numbers of the two threads; false: something else is in it.
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

/// Two different threads have different numbers, and each of these counts for more than all smaller ones together:
/// then the whole sum is at least as large as the access.
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
    if (below >= Number(1) << (width - 1)) // it might wrap around
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
