// Laws of integers: sums and products are polynomials modulo a power of two; shifts, fields and permutations by known
// amounts rearrange bytes.
#include "Equal/BitForms.h"
#include "llvm/ADT/STLExtras.h"

namespace ptxray::equal {

using isa::StepOp;
using Kind = Node::Kind;
using Sort = Node::Sort;

// Polynomials with integer coefficients are compared by their values at a random point modulo two primes. Numbers that
// are equal as polynomials are equal modulo each power of two.
static constexpr uint64_t primes[] = {18446744073709551557u, 18446744073709551533u};

static uint64_t modular(__int128 value, uint64_t prime) {
  const __int128 rest = value % static_cast<__int128>(prime);
  return static_cast<uint64_t>(rest < 0 ? rest + prime : rest);
}
template <class Combine>
static std::pair<uint64_t, uint64_t> combined(const std::pair<uint64_t, uint64_t> &a,
                                              const std::pair<uint64_t, uint64_t> &b, Combine combine) {
  return {combine(a.first, b.first, primes[0]), combine(a.second, b.second, primes[1])};
}
static uint64_t sumModulo(uint64_t a, uint64_t b, uint64_t prime) {
  return static_cast<uint64_t>((static_cast<unsigned __int128>(a) + b) % prime);
}
static uint64_t differenceModulo(uint64_t a, uint64_t b, uint64_t prime) { return sumModulo(a, prime - b, prime); }
static uint64_t productModulo(uint64_t a, uint64_t b, uint64_t prime) {
  return static_cast<uint64_t>(static_cast<unsigned __int128>(a) * b % prime);
}

/// Returns the point of an unknown number.
static std::pair<uint64_t, uint64_t> pointOf(uint64_t what, Term term) {
  const Key key = mixed(Key{what, 11}, term);
  return {key.low % primes[0], key.high % primes[1]};
}

static std::pair<uint64_t, uint64_t> ringOfConstant(Bits value, unsigned bits) {
  value = lowBits(value, bits);
  auto number = static_cast<__int128>(value);
  if (bits < 128 && value >> (bits - 1) & 1)
    number -= static_cast<__int128>(1) << bits;
  return {modular(number, primes[0]), modular(number, primes[1])};
}

Terms::Ring Terms::ringOfBits(Term bits) {
  if (isConstant(bits))
    return ringOfConstant(constantOf(bits), nodes[bits].bits);
  if (const auto found = rings.find(bits); found != rings.end())
    return found->second;
  const Ring point = pointOf(1, bits);
  byRing.try_emplace({nodes[bits].bits, point}, bits);
  return point;
}

/// Returns the polynomial of a number modulo 2^bits. Sets `isSum` if the polynomial contains ring operations.
Terms::Ring Terms::ringOf(Term number, unsigned bits, bool &isSum) { // NOLINT(misc-no-recursion)
  const Node node = nodes[number];
  if (node.kind == Kind::Value)
    return ringOfConstant(valueOf(number).twosComplement(), bits);
  if (node.kind == Kind::Read && types[node.type].bits >= bits)
    return ringOfBits(slice(argsOf(number)[0], 0, bits));
  if (node.kind == Kind::Read)
    if (const std::optional<Term> known = bitsOf(number, bits)) // NOLINT(misc-no-recursion)
      return ringOfBits(*known);
  if (node.kind != Kind::Apply || node.sort != Sort::Integer)
    return pointOf(2, number);
  const auto arg = [&](unsigned i) { return ringOf(argsOf(number)[i], bits, isSum); }; // NOLINT(misc-no-recursion)
  const Ring one = {1, 1};
  switch (node.op) {
  case StepOp::Add: isSum = true; return combined(arg(0), arg(1), sumModulo);
  case StepOp::Subtract: isSum = true; return combined(arg(0), arg(1), differenceModulo);
  case StepOp::Multiply: isSum = true; return combined(arg(0), arg(1), productModulo);
  case StepOp::Negate: isSum = true; return combined({0, 0}, arg(0), differenceModulo);
  case StepOp::Invert: {
    isSum = true;
    return combined(combined({0, 0}, arg(0), differenceModulo), one, differenceModulo);
  }
  case StepOp::ShiftLeft:
    if (isValue(argsOf(number)[1]) && !valueOf(argsOf(number)[1]).isNegative) {
      isSum = true;
      const Bits by = valueOf(argsOf(number)[1]).magnitude;
      return by >= bits ? Ring(0, 0)
                        : combined(arg(0), ringOfConstant(Bits(1) << static_cast<unsigned>(by), 128), productModulo);
    }
    break;
  default: break;
  }
  // Return the contents of the bits, regardless of how they were computed.
  if (const std::optional<Term> known = bitsOfStep(number, bits))
    return ringOfBits(*known);
  return pointOf(2, number);
}

/// Returns the term of `bits` bits that has this polynomial, or `otherwise` if there is none.
Term Terms::inRing(const Ring &ring, unsigned bits, Term otherwise) {
  constexpr int64_t small = int64_t(1) << 32;
  for (const bool isNegative : {false, true}) {
    const Ring other = isNegative ? combined({0, 0}, ring, differenceModulo) : ring;
    if (other.first == other.second && other.first < small)
      return constant(isNegative ? Bits(0) - other.first : Bits(other.first), bits);
  }
  const auto [found, isNew] = byRing.try_emplace({bits, ring}, otherwise);
  if (isNew)
    rings[otherwise] = ring;
  return found->second;
}

/// Returns the lowest bits of an integer. Arms of selections come first.
Term Terms::storeInteger(Term number, unsigned bits) { // NOLINT(misc-no-recursion): as deep as formulas are
  const auto isChoice = [&](Term one) {
    return nodes[one].kind == Kind::Apply && nodes[one].op == StepOp::Choice && nodes[one].sort == Sort::Integer;
  };
  if (number == unknown || !isChoice(number))
    return number == unknown ? unknown : storeIntegerOnce(number, bits);
  const auto keyOf = [&](Term one) { return uint64_t(one) << 16 | bits; };
  std::vector<Term> waiting = {number};
  while (!waiting.empty()) {
    const Term one = waiting.back();
    const size_t before = waiting.size();
    for (const Term arm : argsOf(one).drop_front())
      if (isChoice(arm) && !storedIntegers.contains(keyOf(arm)))
        waiting.push_back(arm);
    if (waiting.size() != before)
      continue;
    waiting.pop_back();
    if (storedIntegers.contains(keyOf(one)))
      continue;
    const Term condition = argsOf(one)[0], first = argsOf(one)[1], second = argsOf(one)[2];
    const auto arm = [&](Term of) {
      return isChoice(of) ? storedIntegers.lookup(keyOf(of)) : storeIntegerOnce(of, bits);
    };
    const Term a = arm(first), b = arm(second);
    storedIntegers[keyOf(one)] = chosen(condition, a, b);
  }
  return storedIntegers.lookup(keyOf(number));
}

Term Terms::storeIntegerOnce(Term number, unsigned bits) { // NOLINT(misc-no-recursion)
  if (const std::optional<Term> known = bitsOf(number, bits)) {
    // A shift is a product as well.
    if (nodes[number].kind != Kind::Apply || nodes[number].op != StepOp::ShiftLeft || isConstant(*known))
      return *known;
    bool isSum = false;
    const Ring ring = ringOf(number, bits, isSum);
    return isSum ? inRing(ring, bits, *known) : *known;
  }
  ElementType type{ElementType::Kind::Unsigned, static_cast<uint16_t>(bits), 1, nullptr};
  const auto made = [&] { return make({.kind = Kind::Store, .bits = type.bits, .type = numberOf(type)}, number); };
  bool isSum = false;
  const Ring ring = ringOf(number, bits, isSum);
  if (const auto found = byRing.find({bits, ring}); found != byRing.end())
    return found->second;
  return inRing(ring, bits, made());
}

/// Returns the low bits of a number if they are a rearrangement of other bits.
std::optional<Term> Terms::bitsOf(Term number, unsigned bits) { // NOLINT(misc-no-recursion)
  const Node node = nodes[number];
  if (node.kind == Kind::Value)
    return constant(valueOf(number).twosComplement(), bits);
  if (node.kind == Kind::Read) {
    const ElementType &type = types[node.type];
    if (type.bits >= bits || !type.isSigned())
      if (type.bits % 8 == 0 || type.bits >= bits)
        return extended(slice(argsOf(number)[0], 0, std::min<unsigned>(type.bits, bits)), bits, false);
    return {};
  }
  return node.kind == Kind::Apply && node.sort == Sort::Integer ? bitsOfStep(number, bits) : std::nullopt;
}

/// Returns a known number that is not negative.
std::optional<unsigned> Terms::amountOf(Term number) const {
  if (!isValue(number) || isFloat(number) || valueOf(number).isNegative || valueOf(number).magnitude > 1 << 16)
    return {};
  return static_cast<unsigned>(valueOf(number).magnitude);
}

/// Returns the bits of a number as they were read; empty if the number was computed.
std::optional<Term> Terms::readBits(Term number, bool &isSigned) const {
  const Node &node = nodes[number];
  if (node.kind != Kind::Read || types[node.type].isFloat())
    return {};
  isSigned = types[node.type].isSigned();
  return argsOf(number)[0];
}

std::optional<Term> Terms::shiftedRight(Term number, unsigned by, unsigned bits) { // NOLINT(misc-no-recursion)
  bool isSigned = false;
  const std::optional<Term> source = readBits(number, isSigned);
  if (!source)
    return {};
  if (by % 8 || by >= nodes[*source].bits) {
    const std::optional<Term> moved = shiftedBits(*source, -static_cast<int>(std::min(by, 127u)), isSigned);
    return moved && (nodes[*source].bits >= bits || !isSigned) ? std::optional(extended(*moved, bits, false))
                                                               : std::nullopt;
  }
  return extended(slice(*source, by, nodes[*source].bits - by), bits, isSigned);
}

std::optional<Term> Terms::bitsOfStep(Term number, unsigned bits) { // NOLINT(misc-no-recursion)
  const Node node = nodes[number];
  const llvm::SmallVector<Term, 4> args(argsOf(number));
  const auto whole = [&](Term one) { return storeInteger(one, bits); }; // NOLINT(misc-no-recursion)
  switch (node.op) {
  case StepOp::And:
  case StepOp::Or:
  case StepOp::Xor: return bitwise(node.op, whole(args[0]), whole(args[1]));
  case StepOp::Invert: return bitwise(StepOp::Xor, whole(args[0]), constant(~Bits(0), bits));
  case StepOp::ShiftLeft:
    if (const auto by = amountOf(args[1]); by && *by % 8 == 0 && bits % 8 == 0) {
      if (*by >= bits)
        return constant(0, bits);
      const Term from = whole(args[0]);
      llvm::SmallVector<Ref, 16> bytes(*by / 8, Ref{constant(0, 8), 0});
      for (unsigned i = 0; bytes.size() < bits / 8; ++i)
        bytes.push_back(byteOf(from, i));
      return join(bytes);
    } else if (by && bits % 8 == 0) {
      return shiftedBits(whole(args[0]), static_cast<int>(std::min(*by, 127u)), false);
    }
    return {};
  case StepOp::Reversed: {
    bool isSigned = false;
    const std::optional<Term> source = readBits(args[0], isSigned);
    return source && nodes[*source].bits == bits ? reversedBits(*source) : std::nullopt;
  }
  case StepOp::ShiftRight:
    if (const auto by = amountOf(args[1]))
      return shiftedRight(args[0], *by, bits);
    return {};
  case StepOp::Field: {
    bool isSigned = false;
    const auto at = amountOf(args[1]), length = amountOf(args[2]);
    const std::optional<Term> source = readBits(args[0], isSigned);
    if (!source || !at || !length || !*length || *at + *length > nodes[*source].bits)
      return {};
    if (*at % 8 == 0 && *length % 8 == 0)
      return extended(slice(*source, *at, *length), bits, isSigned);
    if (isSigned || nodes[*source].bits != bits)
      return {};
    const std::optional<Term> moved = shiftedBits(*source, -static_cast<int>(*at), false);
    return moved ? std::optional(bitwise(StepOp::And, *moved, constant(lowBits(~Bits(0), *length), bits)))
                 : std::nullopt;
  }
  case StepOp::Insert: return inserted(args, bits);
  case StepOp::Permuted: return bits == 32 ? permuted(args) : std::nullopt;
  case StepOp::Lookup: return bits == 32 ? lookedUp(args) : std::nullopt;
  case StepOp::Choice: return storeInteger(number, bits);
  default: return {};
  }
}

/// Returns a number with a field of known length replaced.
std::optional<Term> Terms::inserted(Args args, unsigned bits) {         // NOLINT(misc-no-recursion)
  const auto whole = [&](Term one) { return storeInteger(one, bits); }; // NOLINT(misc-no-recursion)
  const auto at = amountOf(args[2]), length = amountOf(args[3]);
  if (!at || !length || *at + *length > bits || bits % 8)
    return {};
  const Term from = whole(args[0]), into = whole(args[1]);
  if (*at % 8 || *length % 8) {
    const Bits mask = lowBits(~Bits(0), *length) << *at;
    const std::optional<Term> moved = shiftedBits(from, static_cast<int>(*at), false);
    return moved ? std::optional(bitwise(StepOp::Or, bitwise(StepOp::And, *moved, constant(mask, bits)),
                                         bitwise(StepOp::And, into, constant(~mask, bits))))
                 : std::nullopt;
  }
  llvm::SmallVector<Ref, 16> bytes;
  for (unsigned i = 0; i < bits / 8; ++i)
    bytes.push_back(8 * i >= *at && 8 * i < *at + *length ? byteOf(from, i - *at / 8) : byteOf(into, i));
  return join(bytes);
}

/// Returns four bytes of eight by known digits.
std::optional<Term> Terms::permuted(Args args) { // NOLINT(misc-no-recursion)
  if (!isValue(args[2]))
    return {};
  const Bits digits = valueOf(args[2]).twosComplement();
  const Term low = storeInteger(args[0], 32), high = storeInteger(args[1], 32);
  llvm::SmallVector<Ref, 4> bytes;
  for (unsigned i = 0; i < 4; ++i) {
    const auto digit = static_cast<unsigned>(digits >> 4 * i & 15);
    if (digit & 8)
      return {};
    bytes.push_back(byteOf(digit & 4 ? high : low, digit & 3));
  }
  return join(bytes);
}

/// Returns lop3 as a sum of products: the terms of the table in exclusive or.
std::optional<Term> Terms::lookedUp(Args args) { // NOLINT(misc-no-recursion)
  if (!isValue(args[0]))
    return {};
  const auto table = static_cast<unsigned>(valueOf(args[0]).twosComplement() & 255);
  // The coefficients of the polynomial over bits: each coefficient is the exclusive or of the table entries below it.
  unsigned coefficients = table;
  for (const unsigned bit : {1, 2, 4})
    for (unsigned i = 0; i < 8; ++i)
      if (i & bit)
        coefficients ^= (coefficients >> (i ^ bit) & 1) << i;
  std::array<Term, 3> operands{};
  for (unsigned i = 0; i < 3; ++i)
    operands[i] = storeInteger(args[i + 1], 32);
  Term result = constant(0, 32);
  for (unsigned i = 0; i < 8; ++i) {
    if (!(coefficients >> i & 1))
      continue;
    Term product = constant(~Bits(0), 32);
    for (unsigned k = 0; k < 3; ++k)
      if (i & 4u >> k)
        product = bitwise(StepOp::And, product, operands[k]);
    result = bitwise(StepOp::Xor, result, product);
  }
  return result;
}

} // namespace ptxray::equal
