#include "Equal/Conditions.h"
#include "llvm/ADT/STLExtras.h"
#include <numeric>

namespace ptxray::equal {

namespace {

/// An address must stay a multiple of `by`.
struct Multiple {
  Linear of;
  uint64_t by;
};

/// The elements of one size of one buffer.
using ElementGroup = std::pair<uint32_t, uint32_t>;

class Finder {
public:
  Finder(Terms &terms, llvm::ArrayRef<Decision> decisions, const std::vector<bool> &written)
      : terms(terms), linear(terms), decisions(decisions), written(written) {}
  Conditions run();

private:
  std::set<uint32_t> buffersOf(Term root);
  void fail(const std::set<uint32_t> &buffers, const std::string &why, Range at);
  void add(const Decision &one);
  bool keeps(const Decision &one, std::string &why);
  bool failSelectors();
  void solve();
  bool bound(const Inequality &one);
  bool step(const Inequality &one);
  bool divide(const Multiple &one);
  Inequality pinned(const Inequality &one) const;
  Condition &conditionFor(uint32_t element);
  void checkSeen();
  std::set<uint32_t> buffersOf(const Linear &one) const;

  Terms &terms;
  LinearTerms linear;
  llvm::ArrayRef<Decision> decisions;
  const std::vector<bool> &written;
  std::vector<Multiple> multiples;
  std::map<uint32_t, std::set<uint32_t>> selectors; // for each buffer, those that decide which of its bytes are loaded
  std::map<ElementGroup, Condition> conditions;
  Conditions result;
  std::map<uint32_t, Unconditional> failed;
};

} // namespace

/// Returns the buffers from which a term is computed.
std::set<uint32_t> Finder::buffersOf(Term root) {
  std::set<uint32_t> buffers;
  std::set<Term> seen;
  std::vector<Term> open = {root};
  while (!open.empty()) {
    const Term term = open.back();
    open.pop_back();
    if (!seen.insert(term).second)
      continue;
    if (terms[term].kind == Node::Kind::Leaf)
      buffers.insert(static_cast<uint32_t>(terms[term].first));
    llvm::append_range(open, terms.argsOf(term));
  }
  return buffers;
}

std::set<uint32_t> Finder::buffersOf(const Linear &one) const {
  std::set<uint32_t> buffers;
  for (const Linear::Part &part : one.parts)
    buffers.insert(linear.elements()[part.element].buffer);
  return buffers;
}

void Finder::fail(const std::set<uint32_t> &buffers, const std::string &why, Range at) {
  for (const uint32_t buffer : buffers)
    failed.try_emplace(buffer, Unconditional{buffer, why, at});
}

/// Adds the inequalities under which a decision stays the same. Returns false if there are none.
bool Finder::keeps(const Decision &one, std::string &why) {
  switch (one.kind) {
  case Decision::Kind::Condition:
    why = "the decision is not a comparison of integers that are linear in the elements";
    return linear.keep(one.term, one.isTrue);
  case Decision::Kind::Address: {
    why = "the address is not linear in the elements";
    if (written[one.buffer]) {
      why = "the address leads to a buffer that the kernel writes";
      return false;
    }
    const std::optional<Linear> address = linear.of(one.term);
    if (!address)
      return false;
    linear.require(*address, address->seen - static_cast<Wide>(one.below),
                   address->seen + static_cast<Wide>(one.above));
    multiples.push_back({*address, one.alignment});
    return true;
  }
  case Decision::Kind::Same:
    why = "other values of these stores would race";
    return one.term == one.other; // equal for all contents
  case Decision::Kind::Other: why = "the decision is neither a comparison nor the address of a load"; return false;
  }
  return false;
}

void Finder::add(const Decision &one) {
  if (one.term == unknown || one.other == unknown) {
    result.areVague = true;
    return;
  }
  std::set<uint32_t> buffers = buffersOf(one.term);
  buffers.merge(buffersOf(one.other));
  for (const uint32_t buffer : buffers)
    result.sites.insert({one.at.begin, buffer});
  if (one.kind == Decision::Kind::Address)
    selectors[one.buffer].insert(buffers.begin(), buffers.end());
  std::string why;
  if (!keeps(one, why))
    fail(buffers, why, one.at);
}

/// Buffers that select elements of a buffer without a condition have none either: another element would decide
/// otherwise.
bool Finder::failSelectors() {
  const size_t before = failed.size();
  for (const auto &[buffer, by] : selectors)
    if (failed.contains(buffer))
      fail(by, "it selects elements of a buffer that has no condition", failed[buffer].at);
  return failed.size() != before;
}

/// Replaces the elements of buffers without a condition by what they were in the launch.
Inequality Finder::pinned(const Inequality &one) const {
  Inequality result = one;
  llvm::erase_if(result.of.parts, [&](const Linear::Part &part) {
    const Element &element = linear.elements()[part.element];
    if (!failed.contains(element.buffer))
      return false;
    result.of.constant += part.factor * element.seen;
    return true;
  });
  return result;
}

Condition &Finder::conditionFor(uint32_t element) {
  const Element &one = linear.elements()[element];
  return conditions.find({one.buffer, one.bytes})->second;
}

/// Narrows the bounds of an element. Returns false if the inequality has more elements.
bool Finder::bound(const Inequality &one) {
  if (one.of.parts.size() != 1)
    return one.of.parts.empty();
  const auto [element, factor] = one.of.parts[0];
  Wide low = one.low - one.of.constant, high = one.high - one.of.constant;
  if (factor < 0)
    std::swap(low, high);
  Condition &condition = conditionFor(element);
  condition.low = std::max(condition.low, -floorOf(-low, factor));
  condition.high = std::min(condition.high, floorOf(high, factor));
  return true;
}

/// Narrows the step between elements at one distance, if the bounds of the elements are not enough. Returns false if
/// there is no such condition.
bool Finder::step(const Inequality &one) {
  Wide low = one.of.constant, high = one.of.constant;
  for (const auto [element, factor] : one.of.parts) {
    const Condition &condition = conditionFor(element);
    low += factor * (factor < 0 ? condition.high : condition.low);
    high += factor * (factor < 0 ? condition.low : condition.high);
  }
  if (low >= one.low && high <= one.high)
    return true;
  if (one.of.parts.size() != 2 || one.of.parts[0].factor != -one.of.parts[1].factor)
    return false;
  const Element &a = linear.elements()[one.of.parts[0].element], &b = linear.elements()[one.of.parts[1].element];
  if (a.buffer != b.buffer || a.bytes != b.bytes || selectors.contains(a.buffer))
    return false;
  Condition &condition = conditionFor(one.of.parts[0].element);
  const bool isFirstLater = a.at > b.at;
  const uint64_t away = isFirstLater ? a.at - b.at : b.at - a.at, distance = away / condition.stride;
  if (away % condition.stride || (condition.distance && condition.distance != distance))
    return false;
  const Wide factor = isFirstLater ? one.of.parts[0].factor : one.of.parts[1].factor;
  Wide least = one.low - one.of.constant, greatest = one.high - one.of.constant;
  if (factor < 0)
    std::swap(least, greatest);
  least = -floorOf(-least, factor);
  greatest = floorOf(greatest, factor);
  const bool isNew = !std::exchange(condition.distance, distance);
  const Wide most = condition.high - condition.low;
  condition.leastStep = std::max({isNew ? -most : condition.leastStep, -most, least});
  condition.greatestStep = std::min({isNew ? most : condition.greatestStep, most, greatest});
  return true;
}

/// Requires elements to leave one rest. Returns false if they cannot.
bool Finder::divide(const Multiple &one) {
  const Linear of = pinned({one.of, 0, 0}).of;
  for (const auto [element, factor] : of.parts) {
    const uint64_t modulus = one.by / std::gcd(one.by, static_cast<uint64_t>(factor < 0 ? -factor : factor));
    if (modulus == 1)
      continue;
    if (of.parts.size() > 1)
      return false;
    Condition &condition = conditionFor(element);
    const auto restOf = [&](uint64_t by) {
      const Wide rest = linear.elements()[element].seen % static_cast<Wide>(by);
      return static_cast<uint64_t>(rest < 0 ? rest + static_cast<Wide>(by) : rest);
    };
    if (restOf(std::min(modulus, condition.modulus)) != condition.rest % std::min(modulus, condition.modulus))
      return false;
    if (modulus > condition.modulus) {
      condition.modulus = modulus;
      condition.rest = restOf(modulus);
    }
  }
  return true;
}

/// Buffers whose elements would need different conditions have none.
void Finder::checkSeen() {
  std::map<std::tuple<uint32_t, uint32_t, uint64_t>, Wide> seen; // keyed by buffer, size and offset
  for (const Element &one : linear.elements())
    seen[{one.buffer, one.bytes, one.at}] = one.seen;
  for (const Element &one : linear.elements()) {
    if (failed.contains(one.buffer) || !conditions.contains({one.buffer, one.bytes}))
      continue;
    const Condition &condition = conditions[{one.buffer, one.bytes}];
    Wide rest = one.seen % static_cast<Wide>(condition.modulus);
    rest = rest < 0 ? rest + static_cast<Wide>(condition.modulus) : rest;
    if (one.seen < condition.low || one.seen > condition.high || static_cast<uint64_t>(rest) != condition.rest)
      fail({one.buffer}, "its elements need different bounds", {});
    const auto later = seen.find({one.buffer, one.bytes, one.at + condition.distance * condition.stride});
    if (condition.distance && later != seen.end() &&
        (later->second - one.seen < condition.leastStep || later->second - one.seen > condition.greatestStep))
      fail({one.buffer}, "its elements need different steps", {});
  }
}

/// Makes a condition that all contents satisfy.
static void setUp(Condition &condition, const Element &one) {
  const Wide size = Wide(1) << 8 * one.bytes;
  condition.number = one.buffer;
  condition.bytes = one.bytes;
  condition.first = one.at;
  condition.low = one.isSigned ? -size / 2 : 0;
  condition.high = size - 1;
}

/// Finds the conditions of all buffers that do not have a reason against one.
void Finder::solve() {
  conditions.clear();
  for (const Element &one : linear.elements()) {
    const auto [found, isNew] = conditions.try_emplace({one.buffer, one.bytes});
    Condition &condition = found->second;
    const Wide size = Wide(1) << 8 * one.bytes;
    if (isNew)
      setUp(condition, one);
    condition.stride =
        std::gcd(condition.stride, std::max(one.at, condition.first) - std::min(one.at, condition.first));
    condition.first = std::min(condition.first, one.at);
    // An element that is read as unsigned and another one that is read as signed: both are positive.
    if (condition.isSigned != one.isSigned && !isNew)
      condition.low = 0;
    condition.isSigned |= one.isSigned;
    if (condition.isSigned)
      condition.high = std::min(condition.high, size / 2 - 1);
  }
  for (auto &[key, condition] : conditions) {
    condition.stride = condition.stride ? condition.stride : condition.bytes;
    if (selectors.contains(condition.number)) { // each of its elements may be loaded
      condition.first %= condition.bytes;
      condition.stride = condition.bytes;
    }
  }
  for (const Multiple &one : multiples)
    if (!divide(one))
      fail(buffersOf(pinned({one.of, 0, 0}).of), "its elements need different alignments", {});
  for (const Inequality &one : linear.inequalities)
    bound(pinned(one));
  for (const Inequality &one : linear.inequalities)
    if (const Inequality now = pinned(one); now.of.parts.size() > 1 && !step(now))
      fail(buffersOf(now.of), "a decision compares elements", {});
  checkSeen();
}

Conditions Finder::run() {
  for (const Decision &one : decisions)
    add(one);
  size_t before = 0;
  do {
    while (failSelectors()) {
    }
    before = failed.size();
    solve();
    failSelectors();
  } while (failed.size() != before);
  for (const auto &[key, condition] : conditions)
    (failed.contains(key.first) ? result.elements : result.all).push_back(condition);
  for (const auto &[buffer, one] : failed)
    result.none.push_back(one);
  return std::move(result);
}

Conditions conditionsOf(Terms &terms, llvm::ArrayRef<Decision> decisions, const std::vector<bool> &written) {
  return Finder(terms, decisions, written).run();
}

} // namespace ptxray::equal
