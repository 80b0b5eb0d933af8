#include "Equal/BitForms.h"
#include "llvm/ADT/STLExtras.h"

namespace ptxray::equal {

using isa::StepOp;
using Kind = Node::Kind;
using Sort = Node::Sort;

static constexpr size_t mostProducts = 600, mostBytes = 6;

/// Returns the bits that a placed byte can set.
static Bits coverage(const PlacedByte &one) {
  return one.shift >= 0 ? (one.shift < 128 ? Bits(255) << one.shift : 0) : one.shift > -8 ? Bits(255) >> -one.shift : 0;
}

BitForm normalised(BitForm form, unsigned bits) {
  for (BitProduct &one : form) {
    llvm::sort(one.bytes);
    one.bytes.erase(std::unique(one.bytes.begin(), one.bytes.end()), one.bytes.end());
    one.mask = lowBits(one.mask, bits);
    for (const PlacedByte &byte : one.bytes)
      one.mask &= coverage(byte);
  }
  llvm::sort(form, [](const BitProduct &a, const BitProduct &b) {
    return std::lexicographical_compare(a.bytes.begin(), a.bytes.end(), b.bytes.begin(), b.bytes.end());
  });
  BitForm result;
  for (BitProduct &one : form) {
    if (!result.empty() && result.back().bytes == one.bytes)
      result.back().mask ^= one.mask;
    else
      result.push_back(std::move(one));
  }
  llvm::erase_if(result, [](const BitProduct &one) { return one.mask == 0; });
  return result;
}

BitForm shifted(BitForm form, int by, unsigned bits) {
  for (BitProduct &one : form) {
    one.mask = by >= 128 || by <= -128 ? 0 : by >= 0 ? lowBits(one.mask << by, bits) : one.mask >> -by;
    for (PlacedByte &byte : one.bytes)
      byte.shift += by;
  }
  return normalised(std::move(form), bits);
}

BitForm masked(BitForm form, Bits mask) {
  for (BitProduct &one : form)
    one.mask &= mask;
  return form;
}

BitForm exclusive(BitForm a, const BitForm &b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

std::optional<BitForm> conjunction(const BitForm &a, const BitForm &b, unsigned bits) {
  BitForm result;
  for (const BitProduct &x : a)
    for (const BitProduct &y : b) {
      if (!(x.mask & y.mask))
        continue;
      BitProduct both = x;
      both.mask &= y.mask;
      both.bytes.append(y.bytes.begin(), y.bytes.end());
      result.push_back(std::move(both));
      if (result.size() > 8 * mostProducts)
        return {};
    }
  result = normalised(std::move(result), bits);
  const bool isLong = llvm::any_of(result, [](const BitProduct &one) { return one.bytes.size() > mostBytes; });
  return isLong || result.size() > mostProducts ? std::nullopt : std::optional(std::move(result));
}

// ---- terms

/// Returns the form of a node that `termOf` has created.
BitForm Terms::storedForm(Term term) const {
  BitForm form;
  for (const Term product : argsOf(term)) {
    BitProduct &one = form.emplace_back();
    for (const Term arg : argsOf(product)) {
      if (nodes[arg].kind == Kind::Constant)
        one.mask = constantOf(arg);
      else
        one.bytes.push_back({{argsOf(arg)[0], static_cast<uint32_t>(nodes[arg].first)},
                             static_cast<int>(static_cast<int64_t>(nodes[arg].second))});
    }
  }
  return form;
}

/// Returns the form of a byte in the lowest 8 bits.
BitForm Terms::formOfByte(const Ref &ref) const {
  if (isConstant(ref.term))
    return {{{}, lowBits(constantOf(ref.term) >> 8 * ref.byte, 8)}};
  if (nodes[ref.term].kind == Kind::Bitwise)
    return masked(shifted(storedForm(ref.term), -8 * static_cast<int>(ref.byte), 128), 255);
  return {{{{ref, 0}}, 255}};
}

/// Returns the bits that are shifted, if a term is a shift to the left or a product with a power of two. Adds to `by`.
std::optional<Term> Terms::shiftedFrom(Term term, int &by) {
  const Node &node = nodes[term];
  if (node.kind != Kind::Store || types[node.type].isFloat())
    return {};
  const unsigned bits = node.bits;
  const Term number = argsOf(term)[0];
  if (nodes[number].kind != Kind::Apply ||
      (nodes[number].op != StepOp::ShiftLeft && nodes[number].op != StepOp::Multiply))
    return {};
  for (const unsigned known : {0, 1}) {
    const Term amount = argsOf(number)[known], other = argsOf(number)[1 - known];
    const bool isShift = nodes[number].op == StepOp::ShiftLeft;
    if (!isValue(amount) || isFloat(amount) || valueOf(amount).isNegative || (isShift && !known) ||
        nodes[other].kind != Kind::Read || types[nodes[other].type].bits < bits)
      continue;
    const Bits value = valueOf(amount).magnitude;
    if (!isShift && (!value || value & (value - 1)))
      continue;
    int more = isShift ? static_cast<int>(std::min<Bits>(value, 255)) : 0;
    while (!isShift && value >> more > 1)
      ++more;
    by = std::min(by + more, 255);
    return slice(argsOf(other)[0], 0, bits);
  }
  return {};
}

/// Returns the form of a term of bits; empty if the term has no form.
std::optional<BitForm> Terms::formOf(Term term) {
  const unsigned bits = nodes[term].bits;
  if (bits % 8 || !bits || term == unknown)
    return {};
  int by = 0;
  while (const std::optional<Term> from = shiftedFrom(term, by))
    term = *from;
  std::optional<BitForm> form = formOfBytes(term);
  return form && by ? std::optional(shifted(std::move(*form), by, bits)) : form;
}

std::optional<BitForm> Terms::formOfBytes(Term term) {
  const unsigned bits = nodes[term].bits;
  if (isConstant(term))
    return BitForm{{{}, constantOf(term)}};
  if (nodes[term].kind == Kind::Bitwise)
    return storedForm(term);
  BitForm form;
  for (unsigned i = 0; i < bits / 8; ++i)
    form = exclusive(std::move(form), shifted(formOfByte(byteOf(term, i)), static_cast<int>(8 * i), bits));
  form = normalised(std::move(form), bits);
  return form.size() > mostProducts ? std::nullopt : std::optional(std::move(form));
}

/// Returns the bytes that a form only moves; empty if the form does more.
static std::optional<llvm::SmallVector<Ref, 16>> bytesOf(Terms &terms, const BitForm &form, unsigned bits) {
  llvm::SmallVector<Ref, 16> bytes(bits / 8, Ref{none, 0});
  Bits known = 0;
  for (const BitProduct &one : form) {
    if (one.bytes.empty()) {
      known = one.mask;
      continue;
    }
    const PlacedByte &byte = one.bytes.front();
    if (one.bytes.size() != 1 || byte.shift < 0 || byte.shift % 8 || one.mask != Bits(255) << byte.shift ||
        bytes[byte.shift / 8].term != none)
      return {};
    bytes[byte.shift / 8] = byte.ref;
  }
  for (unsigned i = 0; i < bytes.size(); ++i) {
    const Bits constant = lowBits(known >> 8 * i, 8);
    if (bytes[i].term == none)
      bytes[i] = {terms.constant(constant, 8), 0};
    else if (constant)
      return {};
  }
  return bytes;
}

Term Terms::termOf(BitForm form, unsigned bits) {
  form = normalised(std::move(form), bits);
  if (const auto bytes = bytesOf(*this, form, bits))
    return join(*bytes);
  llvm::SmallVector<Term, 64> products;
  for (const BitProduct &one : form) {
    llvm::SmallVector<Term, 4> args;
    for (const PlacedByte &byte : one.bytes)
      args.push_back(make({.kind = Kind::Placed,
                           .bits = static_cast<uint16_t>(bits),
                           .first = byte.ref.byte,
                           .second = static_cast<uint64_t>(static_cast<int64_t>(byte.shift))},
                          byte.ref.term));
    args.push_back(constant(one.mask, bits));
    products.push_back(make({.kind = Kind::Apply, .op = StepOp::And, .bits = static_cast<uint16_t>(bits)}, args));
  }
  return make({.kind = Kind::Bitwise, .op = StepOp::Xor, .bits = static_cast<uint16_t>(bits)}, products);
}

Term Terms::bitwise(StepOp op, Term a, Term b) {
  if (a == unknown || b == unknown)
    return unknown;
  const unsigned bits = nodes[a].bits;
  if (isConstant(a) && isConstant(b)) {
    const Bits x = constantOf(a), y = constantOf(b);
    return constant(op == StepOp::And ? x & y : op == StepOp::Or ? x | y : x ^ y, bits);
  }
  const std::optional<BitForm> x = formOf(a), y = formOf(b);
  if (x && y) {
    if (op == StepOp::Xor) {
      BitForm sum = normalised(exclusive(*x, *y), bits);
      if (sum.size() <= mostProducts)
        return termOf(std::move(sum), bits);
    } else if (const std::optional<BitForm> both = conjunction(*x, *y, bits)) {
      BitForm result = op == StepOp::And ? *both : normalised(exclusive(exclusive(*x, *y), *both), bits);
      if (result.size() <= mostProducts)
        return termOf(std::move(result), bits);
    }
  }
  return make({.kind = Kind::Apply, .op = op, .bits = static_cast<uint16_t>(bits)}, {std::min(a, b), std::max(a, b)});
}

/// Returns bits shifted by a known amount, with zeros or copies of the sign above.
std::optional<Term> Terms::shiftedBits(Term term, int by, bool isSigned) {
  const unsigned bits = nodes[term].bits;
  const std::optional<BitForm> form = formOf(term);
  if (!form)
    return {};
  if (isSigned)
    by = std::max(by, 1 - static_cast<int>(bits)); // all bits are copies of the sign
  BitForm result = shifted(*form, by, bits);
  if (isSigned && by < 0) {
    const BitForm sign = masked(*form, Bits(1) << (bits - 1));
    for (int i = 0; i < -by; ++i)
      result = exclusive(std::move(result), shifted(sign, by + 1 + i, bits));
  }
  result = normalised(std::move(result), bits);
  return result.size() > mostProducts ? std::nullopt : std::optional(termOf(std::move(result), bits));
}

/// Returns the bits in the opposite order.
std::optional<Term> Terms::reversedBits(Term term) {
  const unsigned bits = nodes[term].bits;
  const std::optional<BitForm> form = formOf(term);
  if (!form)
    return {};
  BitForm result;
  for (unsigned i = 0; i < bits; ++i)
    result = exclusive(std::move(result), shifted(masked(*form, Bits(1) << i),
                                                  static_cast<int>(bits) - 1 - 2 * static_cast<int>(i), bits));
  result = normalised(std::move(result), bits);
  return result.size() > mostProducts ? std::nullopt : std::optional(termOf(std::move(result), bits));
}

} // namespace ptxray::equal
