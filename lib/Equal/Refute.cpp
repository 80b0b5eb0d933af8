// Searches for contents for which two kernels differ by far more than rounding.
#include "Equal/Comparison.h"
#include "llvm/ADT/STLExtras.h"
#include <array>
#include <chrono>
#include <cmath>

namespace ptxray::equal {

/// Returns the number of an element that is finite.
static std::optional<double> finiteOf(const ElementType &type, llvm::ArrayRef<uint8_t> bytes, uint64_t index) {
  const double value = decoded(type, elementOf(type, bytes, index));
  return std::isfinite(value) ? std::optional(value) : std::nullopt;
}

namespace {

/// An element of the results of two kernels. `noise`: results for contents that were disturbed: of A, then of B.
struct Results {
  const ElementType &type;
  size_t buffer;
  const std::vector<Bytes> &x, &y, *noise;

  bool areDifferentFloats(uint64_t index) const;
  bool areDifferentIntegers(uint64_t index) const;
};

} // namespace

bool Results::areDifferentFloats(uint64_t index) const {
  const std::optional<double> p = finiteOf(type, x[buffer], index), q = finiteOf(type, y[buffer], index);
  if (!p || !q || !noise)
    return false;
  // How much results change where contents change slightly: of A, and of B.
  std::array<double, 2> change{};
  for (size_t k = 0; k < 4; ++k) {
    const std::optional<double> near = finiteOf(type, noise[k][buffer], index);
    if (!near)
      return false;
    change[k % 2] += std::abs(*near - (k % 2 ? *q : *p));
  }
  const double rounding = 0.002 * std::max(std::abs(*p), std::abs(*q)) + 8 * std::min(change[0], change[1]) + 1e-30;
  return std::abs(*p - *q) > rounding;
}

/// Integers that are computed from floats differ if slight changes of contents do not move them, and if they are not
/// close.
bool Results::areDifferentIntegers(uint64_t index) const {
  if (!noise)
    return true;
  const double p = decoded(type, elementOf(type, x[buffer], index)),
               q = decoded(type, elementOf(type, y[buffer], index));
  if (std::abs(p - q) <= 0.002 * std::max(std::abs(p), std::abs(q)))
    return false;
  for (size_t k = 0; k < 4; ++k)
    if (elementOf(type, noise[k][buffer], index) != elementOf(type, (k % 2 ? y : x)[buffer], index))
      return false;
  return true;
}

/// Returns the first element that differs by far more than rounding.
std::optional<ElementDifference> Comparison::differenceOf(const AllBytes &x, const AllBytes &y,
                                                          const AllBytes *noise) const {
  static constexpr ElementType bytes{ElementType::Kind::Unsigned, 8, 1, nullptr};
  for (size_t i = 0; i < x.size(); ++i) {
    const std::optional<ElementType> &known = contents.buffers()[i].type;
    if (!known && contents.hasFloats())
      continue; // the type of the elements is not known
    const ElementType &type = known ? *known : bytes;
    const Results results{type, i, x, y, noise};
    for (uint64_t index = 0; index < countOf(type, x[i].size()); ++index) {
      const uint64_t one = elementOf(type, x[i], index), other = elementOf(type, y[i], index);
      if (one != other && (type.isFloat() ? results.areDifferentFloats(index) : results.areDifferentIntegers(index)))
        return ElementDifference{i, index, type, one, other};
    }
  }
  return {};
}

/// Launches two kernels on contents. Returns whether they differ.
bool Comparison::seesDifference(size_t a, size_t b, const ContentName &name, Answer &answer) {
  const AllBytes start = contents.make(name);
  std::vector<machine::Outcome> outcomes;
  outcomes.push_back(sides[a]->launch(start));
  const AllBytes x = sides[a]->bytes();
  outcomes.push_back(sides[b]->launch(start));
  const AllBytes y = sides[b]->bytes();
  if (std::optional<Answer> fault = faultOf({a, b}, outcomes)) {
    answer = *fault;
    answer.contents = name;
    return fault->verdict == Equality::Different;
  }
  if (x == y)
    return false;
  AllBytes noise[4];
  for (size_t k = 0; contents.hasFloats() && k < 4; ++k) {
    Side &side = *sides[k % 2 ? b : a];
    if (!isGood(side.launch(contents.disturbed(start, name.seed + k / 2))))
      return false;
    noise[k] = side.bytes();
  }
  answer.difference = differenceOf(x, y, contents.hasFloats() ? noise : nullptr);
  answer.contents = name;
  if (answer.difference)
    answer.verdict = Equality::Different;
  return answer.difference.has_value();
}

std::optional<Answer> Comparison::refute(size_t a, size_t b, unsigned seconds) {
  const std::chrono::seconds most(seconds);
  const auto begin = std::chrono::steady_clock::now();
  const auto hasTime = [&] { return std::chrono::steady_clock::now() - begin < most; };
  if (Answer answer; base.kind == Contents::given && seesDifference(a, b, base, answer))
    return answer;
  // Indices among recorded contents must stay what they are.
  if (base.kind == Contents::given && (!known[a].isFollowed || !known[b].isFollowed))
    return {};
  for (const uint64_t seed : {1, 2})
    for (unsigned kind = 0; kind < Contents::kinds && hasTime(); ++kind)
      if (Answer answer; seesDifference(a, b, {kind, seed}, answer))
        return answer;
  return {};
}

} // namespace ptxray::equal
