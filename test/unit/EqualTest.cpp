// Tests the laws of terms: equal terms must have equal bits, by the numbers of lib/Numbers at random and special
// values.
#include "Equal/TermValues.h"
#include "Semantics/Operators.h"
#include <gtest/gtest.h>
#include <random>

using namespace ptxray;
using namespace ptxray::equal;
using isa::StepOp;

namespace {

const ElementType half{ElementType::Kind::Float, 16, 1, &numbers::f16};
const ElementType word{ElementType::Kind::Unsigned, 32, 1, nullptr}, number{ElementType::Kind::Signed, 32, 1, nullptr};

RecipeStep stepOf(StepOp op, const ElementType &type) {
  RecipeStep step;
  step.op = op;
  step.type = step.target = type;
  return step;
}

/// A term of 16 bits or 32 bits, and its value for each set of contents.
struct Checked {
  Term term;
  std::vector<Bits> values;
};

/// Random computations on terms and on numbers at the same time.
class RandomTerms {
public:
  RandomTerms(uint32_t seed, const ElementType &type, llvm::ArrayRef<StepOp> unary, llvm::ArrayRef<StepOp> binary)
      : random(seed), type(type), unary(unary), binary(binary) {
    for (unsigned i = 0; i < 3; ++i) {
      std::vector<Ref> bytes;
      for (unsigned byte = 0; byte < type.bits / 8u; ++byte)
        bytes.push_back({terms.leaf(i, byte), 0});
      Checked one{terms.join(bytes), {}};
      for (unsigned k = 0; k < cases; ++k)
        one.values.push_back(content(k * 3 + i));
      pool.push_back(one);
    }
    for (const Bits constant : {Bits(0), Bits(type.isFloat() ? 0x3c00 : 1), Bits(type.isFloat() ? 0x4000 : 255),
                                Bits(type.isFloat() ? 0x3800 : 8)})
      pool.push_back({terms.constant(constant, type.bits), std::vector<Bits>(cases, constant)});
  }

  /// Adds the result of an operation on elements of the pool.
  void step() {
    const bool isUnary = random() % 4 == 0;
    RecipeStep step = stepOf(isUnary ? unary[random() % unary.size()] : binary[random() % binary.size()], type);
    llvm::SmallVector<const Checked *, 3> args = {&pick()};
    if (!isUnary)
      args.push_back(&pick());
    if (!isUnary && step.op == StepOp::Add && type.isFloat() && random() % 2)
      args.push_back(&pick());
    llvm::SmallVector<Term, 3> read;
    for (const Checked *one : args)
      read.push_back(terms.read(one->term, type, false));
    Checked result{terms.store(terms.apply(step, read), type), {}};
    for (unsigned k = 0; k < cases; ++k) {
      llvm::SmallVector<Value, 3> values;
      for (const Checked *one : args)
        values.push_back(readElement(one->values[k], type));
      result.values.push_back(storeElement(computed(step, values), type));
    }
    pool.push_back(std::move(result));
  }

  /// Computes all terms for each set of contents. Returns whether they have the values of the pool.
  bool areValuesRight() const {
    std::vector<Term> wanted;
    for (const Checked &one : pool)
      wanted.push_back(one.term);
    TermValues values(terms, wanted);
    for (unsigned k = 0; k < cases; ++k) {
      std::vector<std::vector<uint8_t>> contents(3);
      for (unsigned i = 0; i < 3; ++i)
        for (unsigned byte = 0; byte < type.bits / 8u; ++byte)
          contents[i].push_back(static_cast<uint8_t>(pool[i].values[k] >> 8 * byte));
      if (!values.compute(contents))
        return false;
      for (const Checked &one : pool)
        for (unsigned byte = 0; byte < type.bits / 8u; ++byte)
          if (values.byteAt({one.term, byte}) != static_cast<uint8_t>(one.values[k] >> 8 * byte))
            return false;
    }
    return true;
  }

  Terms terms;
  std::vector<Checked> pool;

private:
  static constexpr unsigned cases = 64;
  const Checked &pick() { return pool[random() % 3 ? random() % pool.size() : random() % 7]; }
  Bits content(unsigned number) {
    static constexpr uint32_t floats[] = {0, 0x8000, 0x7c00, 0xfc00, 0x7e01, 0xfd23,
                                          1, 0x83ff, 0x0400, 0x7bff, 0x3c00, 0xbc00};
    static constexpr uint32_t integers[] = {0, 1, ~0u, 0x80000000, 0x7fffffff, 2, 0xff, 0xff00, 0x10000};
    if (number % 3 == 0)
      return type.isFloat() ? floats[random() % std::size(floats)] : integers[random() % std::size(integers)];
    return lowBits(random(), type.bits);
  }

  std::mt19937 random;
  const ElementType type;
  llvm::ArrayRef<StepOp> unary, binary;
};

/// Fails if two computations have the same term and different values.
void expectRightTerms(const ElementType &type, llvm::ArrayRef<StepOp> unary, llvm::ArrayRef<StepOp> binary) {
  unsigned merged = 0;
  for (uint32_t seed = 0; seed < 60; ++seed) {
    RandomTerms terms(seed, type, unary, binary);
    std::map<Term, const std::vector<Bits> *> known;
    for (unsigned i = 0; i < 80; ++i)
      terms.step();
    ASSERT_TRUE(terms.areValuesRight()) << "seed " << seed;
    for (const Checked &one : terms.pool) {
      const auto [found, isNew] = known.try_emplace(one.term, &one.values);
      merged += !isNew;
      ASSERT_EQ(*found->second == one.values, true) << "seed " << seed << ", term " << one.term;
      if (terms.terms.isConstant(one.term)) {
        for (const Bits value : one.values)
          ASSERT_EQ(value == terms.terms.constantOf(one.term), true) << "seed " << seed;
      }
    }
  }
  EXPECT_GT(merged, 100u);
}

} // namespace

TEST(Equal, LawsOfFloatsKeepBits) {
  const StepOp unary[] = {StepOp::Negate, StepOp::Absolute, StepOp::SquareRoot};
  const StepOp binary[] = {StepOp::Add,    StepOp::Subtract, StepOp::Multiply,
                           StepOp::Divide, StepOp::Minimum,  StepOp::Maximum};
  expectRightTerms(half, unary, binary);
}

TEST(Equal, LawsOfIntegersKeepBits) {
  const StepOp unary[] = {StepOp::Negate, StepOp::Invert, StepOp::Reversed};
  const StepOp binary[] = {StepOp::Add, StepOp::Subtract, StepOp::Multiply,  StepOp::And,        StepOp::Or,
                           StepOp::Xor, StepOp::Minimum,  StepOp::ShiftLeft, StepOp::ShiftRight, StepOp::Maximum};
  expectRightTerms(word, unary, binary);
  expectRightTerms(number, unary, binary);
}

TEST(Equal, SumsOfFloatsCommuteAndDoNotAssociate) {
  Terms terms;
  std::array<Term, 3> numbers{};
  for (unsigned i = 0; i < 3; ++i)
    numbers[i] = terms.read(terms.join({Ref{terms.leaf(i, 0), 0}, Ref{terms.leaf(i, 1), 0}}), half, false);
  const RecipeStep add = stepOf(StepOp::Add, half);
  const auto sum = [&](Term a, Term b) { return terms.store(terms.apply(add, {a, b}), half); };
  EXPECT_EQ(sum(numbers[0], numbers[1]), sum(numbers[1], numbers[0]));
  const Term left = sum(terms.read(sum(numbers[0], numbers[1]), half, false), numbers[2]);
  const Term right = sum(numbers[0], terms.read(sum(numbers[1], numbers[2]), half, false));
  EXPECT_NE(left, right);
  EXPECT_TRUE(terms.real(left).equals(terms.real(right)));
  EXPECT_FALSE(terms.real(left).equals(terms.real(sum(numbers[0], numbers[1]))));
}

TEST(Equal, PowersAddTheirExponents) {
  const Real a = symbol({1, 1}, 0.5), b = symbol({2, 2}, 0.25);
  EXPECT_TRUE(product(powerOf2(a), powerOf2(b)).equals(powerOf2(sum(a, b))));
  EXPECT_TRUE(powerOf2(sum(a, rational(false, 1, 0))).equals(product(rational(false, 2, 0), powerOf2(a))));
  EXPECT_FALSE(powerOf2(a).equals(powerOf2(b)));
  EXPECT_TRUE(quotient(product(a, b), b).equals(a));
}
