// Tests the rules by which terms are simplified, by trying all values of small variables.
#include "Prove/Terms.h"
#include <gtest/gtest.h>
#include <random>

using namespace ptxray::prove;

namespace {

constexpr unsigned width = 5;

/// A term, and its value for each pair of values of the two variables.
struct Checked {
  Term term;
  std::vector<Number> values;
};

class RandomTerms {
public:
  explicit RandomTerms(uint32_t seed) : random(seed) {
    // The variables have few bits, and some do not begin at 0.
    const Number low = below(3), high = low + 1 + below(6);
    x = terms.variable({"x", width, Sharing::Thread, low, high, {}});
    y = terms.variable({"y", width, Sharing::Thread, 0, maskOf(width), {}});
    for (Number a = low; a <= high; ++a)
      for (Number b = 0; b <= maskOf(width); ++b)
        cases.emplace_back(a, b);
    Checked first{x, {}}, second{y, {}};
    for (const auto &[a, b] : cases) {
      first.values.push_back(a);
      second.values.push_back(b);
    }
    pool = {first, second};
  }
  void step();
  bool isRight(const Checked &one) const;

  Terms terms;
  std::vector<Checked> pool;

private:
  unsigned below(unsigned limit) { return static_cast<unsigned>(random() % limit); }
  const Checked &pick() { return pool[below(static_cast<unsigned>(pool.size()))]; }
  /// Returns a term of the same width as another, which may be truncated or extended for it.
  Checked like(const Checked &other) {
    const Checked one = pick();
    const unsigned to = terms.width(other.term);
    const bool isSigned = below(2);
    Checked result{terms.resized(one.term, to, isSigned), {}};
    for (const Number value : one.values)
      result.values.push_back((isSigned ? static_cast<Number>(signedOf(value, terms.width(one.term))) : value) &
                              maskOf(to));
    return result;
  }
  Checked applied(Op op, const Checked &a, const Checked &b, Term term) {
    Node node;
    node.op = op;
    node.width = static_cast<uint16_t>(terms.width(term));
    node.factors = {1, op == Op::Sum ? Number(1) : Number(0)};
    Checked result{term, {}};
    for (size_t i = 0; i < a.values.size(); ++i)
      result.values.push_back(
          ptxray::prove::applied(node, {a.values[i], b.values[i]}, {terms.width(a.term), terms.width(b.term)}));
    return result;
  }

  std::mt19937 random;
  Term x, y;
  std::vector<std::pair<Number, Number>> cases;
};

void RandomTerms::step() {
  const Checked a = pick(), b = below(4) ? like(a) : [&] {
    const Number number = below(1u << std::min(terms.width(a.term), 8u));
    return Checked{terms.constant(terms.width(a.term), number), std::vector<Number>(a.values.size(), number)};
  }();
  Checked result;
  switch (below(15)) {
  case 0: result = applied(Op::Sum, a, b, terms.add(a.term, b.term)); break;
  case 1: result = applied(Op::Product, a, b, terms.multiply(a.term, b.term)); break;
  case 2: result = applied(Op::DivideUnsigned, a, b, terms.divide(a.term, b.term, false, false)); break;
  case 3: result = applied(Op::RemainderUnsigned, a, b, terms.divide(a.term, b.term, false, true)); break;
  case 4: result = applied(Op::DivideSigned, a, b, terms.divide(a.term, b.term, true, false)); break;
  case 5: result = applied(Op::RemainderSigned, a, b, terms.divide(a.term, b.term, true, true)); break;
  case 6: result = applied(Op::And, a, b, terms.bitAnd(a.term, b.term)); break;
  case 7: result = applied(Op::Or, a, b, terms.bitOr(a.term, b.term)); break;
  case 8: result = applied(Op::Xor, a, b, terms.bitXor(a.term, b.term)); break;
  case 9: result = applied(Op::ShiftLeft, a, b, terms.shift(Op::ShiftLeft, a.term, b.term)); break;
  case 10: result = applied(Op::ShiftRight, a, b, terms.shift(Op::ShiftRight, a.term, b.term)); break;
  case 11: result = applied(Op::ShiftRightSigned, a, b, terms.shift(Op::ShiftRightSigned, a.term, b.term)); break;
  case 12: result = applied(Op::Equal, a, b, terms.equal(a.term, b.term)); break;
  case 13: {
    const bool isSigned = below(2);
    result = applied(isSigned ? Op::LessSigned : Op::Less, a, b, terms.less(a.term, b.term, isSigned));
    break;
  }
  default: {
    const unsigned low = below(terms.width(a.term)), bits = 1 + below(terms.width(a.term) - low);
    result = {terms.extract(a.term, low, bits), {}};
    for (const Number value : a.values)
      result.values.push_back(value >> low & maskOf(bits));
  }
  }
  if (terms.width(result.term) == 1 && below(2)) {
    const Checked condition = result;
    result = {terms.choice(condition.term, a.term, b.term), {}};
    for (size_t i = 0; i < a.values.size(); ++i)
      result.values.push_back(condition.values[i] ? a.values[i] : b.values[i]);
  }
  if (below(3) == 0) {
    const bool isSigned = below(2);
    const unsigned to = terms.width(result.term) + below(4);
    if (to <= 12) {
      for (Number &value : result.values)
        value = (isSigned ? static_cast<Number>(signedOf(value, terms.width(result.term))) : value) & maskOf(to);
      result.term = terms.extend(result.term, to, isSigned);
    }
  }
  pool.push_back(result);
}

bool RandomTerms::isRight(const Checked &one) const {
  for (size_t i = 0; i < cases.size(); ++i) {
    const Number is = terms.evaluate(one.term, {{x, cases[i].first}, {y, cases[i].second}});
    const Number zeros = terms.zeros(one.term) < 128 ? maskOf(terms.zeros(one.term)) : ~Number(0);
    if (is != one.values[i] || is < terms.low(one.term) || is > terms.high(one.term) || (is & zeros))
      return false;
  }
  return true;
}

TEST(ProveTerms, SimplificationsKeepValuesAndBounds) {
  for (uint32_t seed = 0; seed < 300; ++seed) {
    RandomTerms random(seed);
    for (unsigned i = 0; i < 25; ++i) {
      random.step();
      ASSERT_TRUE(random.isRight(random.pool.back())) << "seed " << seed << ", step " << i;
    }
  }
}

TEST(ProveTerms, SumsCancel) {
  Terms terms;
  const Term n = terms.variable({"n", 32, Sharing::Grid, 0, maskOf(32), {}});
  const Term i = terms.variable({"i", 32, Sharing::Thread, 0, 255, {}});
  const Term product = terms.multiply(terms.add(i, terms.constant(32, 1)), n);
  EXPECT_EQ(terms.subtract(product, terms.multiply(i, n)), n);
  // 256 * i + i wraps in 8 bits, but not in 32.
  const Term wide = terms.extend(terms.multiply(i, terms.constant(32, 257)), 64, false);
  EXPECT_EQ(terms[wide].op, Op::Sum);
}

} // namespace
