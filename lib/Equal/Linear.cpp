#include "Equal/Linear.h"
#include "llvm/ADT/STLExtras.h"

namespace ptxray::equal {

using isa::StepOp;
using Kind = Node::Kind;
using Sort = Node::Sort;

/// Numbers beyond this are not followed, so that no sum or product overflows.
static constexpr Wide greatest = Wide(1) << 80;

static bool isSmall(const Linear &one) {
  const auto fits = [](Wide number) { return number < greatest && number > -greatest; };
  return fits(one.constant) && fits(one.seen) && llvm::all_of(one.parts, [&](const Linear::Part &part) {
           return part.factor < Wide(1) << 40 && part.factor > -(Wide(1) << 40);
         });
}

static std::optional<Linear> constantOf(Wide number) {
  const Linear one{.parts = {}, .constant = number, .seen = number};
  return isSmall(one) ? std::optional(one) : std::nullopt;
}

/// Returns the sum of one function and a multiple of another.
static std::optional<Linear> sumOf(const Linear &a, const Linear &b, Wide factor) {
  Linear sum = a;
  sum.constant += b.constant * factor;
  sum.seen += b.seen * factor;
  for (const Linear::Part &part : b.parts) {
    auto *const found = llvm::partition_point(sum.parts, [&](const auto &one) { return one.element < part.element; });
    if (found == sum.parts.end() || found->element != part.element)
      sum.parts.insert(found, {part.element, part.factor * factor});
    else if (!(found->factor += part.factor * factor))
      sum.parts.erase(found);
  }
  constexpr size_t most = 4;
  return sum.parts.size() <= most && isSmall(sum) ? std::optional(std::move(sum)) : std::nullopt;
}

static std::optional<Linear> productOf(const Linear &a, const Linear &b) {
  if (!a.parts.empty() && !b.parts.empty())
    return {};
  const Linear &one = a.parts.empty() ? b : a, &factor = a.parts.empty() ? a : b;
  constexpr Wide most = Wide(1) << 40;
  if (factor.seen >= most || factor.seen <= -most)
    return {};
  return sumOf({}, one, factor.seen);
}

Wide floorOf(Wide number, Wide by) { return number / by - (number % by != 0 && (number % by < 0) != (by < 0) ? 1 : 0); }

/// Returns the number that some bits represent. The function stays in the range in which it was in the launch.
std::optional<Linear> LinearTerms::asNumber(Linear one, unsigned bits, bool isSigned) {
  if (bits > 64)
    return {};
  const Wide size = Wide(1) << bits, low = isSigned ? -size / 2 : 0;
  const Wide away = floorOf(one.seen - low, size) * size;
  one.constant -= away;
  one.seen -= away;
  if (!isSmall(one))
    return {};
  if (!one.parts.empty())
    require(one, low, low + size - 1);
  return one;
}

// ---- elements

/// Returns the function of an element if a term consists of its bytes, with zeros above.
std::optional<Linear> LinearTerms::elementOf(Term term, bool isSigned) {
  llvm::SmallVector<Term, 16> bytes;
  if (terms[term].kind == Kind::Leaf)
    bytes = {term};
  else if (terms[term].kind == Kind::Join && !terms[term].first)
    llvm::append_range(bytes, terms.argsOf(term));
  while (!bytes.empty() && terms.isConstant(bytes.back()) && !terms.constantOf(bytes.back()))
    bytes.pop_back();
  if (bytes.empty() || bytes.size() > 8 || terms[bytes[0]].kind != Kind::Leaf)
    return {};
  const Node first = terms[bytes[0]];
  for (size_t i = 0; i < bytes.size(); ++i)
    if (terms[bytes[i]].kind != Kind::Leaf || terms[bytes[i]].first != first.first ||
        terms[bytes[i]].second != first.second + i)
      return {};
  const auto size = static_cast<uint32_t>(bytes.size());
  const std::optional<Bits> seen = terms.contentsOf(term);
  if ((size & (size - 1)) || !seen)
    return {};
  isSigned &= terms[term].bits == 8 * size; // with zeros above, its number is not negative
  const auto buffer = static_cast<uint32_t>(first.first);
  const auto [found, isNew] = byPlace.try_emplace({buffer, first.second, size}, all.size());
  if (isNew) {
    auto number = static_cast<Wide>(*seen);
    if (isSigned && number >> (8 * size - 1) & 1)
      number -= Wide(1) << 8 * size;
    all.push_back({buffer, size, first.second, isSigned, number});
  }
  const Element &element = all[found->second];
  Linear one{.parts = {{found->second, 1}}, .constant = 0, .seen = element.seen};
  // Zeros above an element that is read as signed elsewhere.
  return element.isSigned && !isSigned ? asNumber(one, 8 * size, false) : one;
}

std::optional<Linear> LinearTerms::ofJoin(Term term) {
  if (std::optional<Linear> one = elementOf(term, false))
    return one;
  // The lowest bytes of a term, with zeros above.
  const Node &node = terms[term];
  const llvm::ArrayRef<Term> args = terms.argsOf(term);
  size_t count = 0;
  while (count < args.size() && args[count] == args[0] && (node.first >> 4 * count & 15) == count)
    ++count;
  const bool areZeros =
      llvm::all_of(args.drop_front(count), [&](Term one) { return terms.isConstant(one) && !terms.constantOf(one); });
  const std::optional<Linear> inner = known(args[0]);
  if (!count || !areZeros || !inner)
    return {};
  return count == args.size() ? inner : asNumber(*inner, static_cast<unsigned>(8 * count), false);
}

/// Returns the place of a byte in its term. A leaf is the byte at its offset in the buffer.
static uint64_t placeOf(const Terms &terms, const Ref &byte) {
  const Node &node = terms[byte.term];
  return node.kind == Kind::Leaf ? node.second : byte.byte;
}

/// Returns the bytes that a normal form of bits moves, if they are consecutive.
static std::optional<ShiftedBytes> shiftedBytes(const Terms &terms, Term form) {
  ShiftedBytes all;
  for (const Term product : terms.argsOf(form)) {
    const llvm::ArrayRef<Term> args = terms.argsOf(product);
    const Bits mask = args.empty() || !terms.isConstant(args.back()) ? 0 : terms.constantOf(args.back());
    if (args.size() == 1) {
      all.constant = mask;
      continue;
    }
    if (args.size() != 2 || terms[args[0]].kind != Kind::Placed || !mask || mask & all.mask)
      return {};
    const Node &placed = terms[args[0]];
    const Ref byte{terms.argsOf(args[0])[0], static_cast<uint32_t>(placed.first)};
    const auto shift = static_cast<int>(static_cast<int64_t>(placed.second));
    if (all.bytes.empty())
      all.shift = shift;
    const uint64_t first = placeOf(terms, all.bytes.empty() ? byte : all.bytes[0]);
    if (placeOf(terms, byte) != first + all.bytes.size() || shift != all.shift + static_cast<int>(8 * all.bytes.size()))
      return {};
    all.mask |= mask;
    all.bytes.push_back(byte);
  }
  const bool isLeaf = !all.bytes.empty() && terms[all.bytes[0].term].kind == Kind::Leaf;
  return all.bytes.empty() || (!isLeaf && all.bytes[0].byte != 0) ? std::nullopt : std::optional(all);
}

/// Returns the function of bits without the lowest ones.
std::optional<Linear> LinearTerms::ofShiftedRight(const ShiftedBytes &form) {
  const auto by = static_cast<unsigned>(-form.shift), bits = static_cast<unsigned>(8 * form.bytes.size());
  const Term source = form.bytes[0].term;
  const std::optional<Linear> inner =
      terms[source].kind == Kind::Leaf ? elementOf(terms.join(form.bytes), false) : known(source);
  const std::optional<Linear> whole = inner && by < bits && !form.constant && form.mask == lowBits(~Bits(0), bits - by)
                                          ? asNumber(*inner, bits, false)
                                          : std::nullopt;
  return whole ? ofQuotient(StepOp::ShiftRight, *whole, *constantOf(by)) : std::nullopt;
}

/// Returns the function of moved and masked bits, if they are the lowest bits of one term.
std::optional<Linear> LinearTerms::ofForm(Term term) {
  const unsigned bits = terms[term].bits;
  const std::optional<ShiftedBytes> form = shiftedBytes(terms, term);
  if (!form)
    return {};
  if (form->shift < 0)
    return ofShiftedRight(*form);
  const Term source = form->bytes[0].term;
  const auto by = static_cast<unsigned>(form->shift);
  llvm::SmallVector<Ref, 8> bytes = form->bytes;
  if (terms[source].kind == Kind::Leaf) // bytes of the element that were shifted out
    while ((bytes.size() & (bytes.size() - 1)) && 8 * bytes.size() + by >= bits)
      bytes.push_back({terms.leaf(static_cast<uint32_t>(terms[source].first), terms[source].second + bytes.size(),
                                  terms.argsOf(source).empty() ? none : terms.argsOf(source)[0]),
                       0});
  std::optional<Linear> inner = terms[source].kind == Kind::Leaf ? elementOf(terms.join(bytes), false) : known(source);
  const unsigned width = std::min<unsigned>(static_cast<unsigned>(8 * bytes.size()), bits - by);
  const Bits present = form->mask >> by;
  unsigned low = 0;
  while (low < width && present >> low & 1)
    ++low;
  if (!inner || present >> low || !low)
    return {};
  if (low < bits - by) // zeros above
    inner = asNumber(*inner, low, false);
  if (inner)
    inner = productOf(*inner, *constantOf(Wide(1) << by));
  if (!inner || !form->constant)
    return inner;
  if (!(form->constant & form->mask)) // bits next to the others
    return sumOf(*inner, *constantOf(static_cast<Wide>(form->constant)), 1);
  const bool isInverted = form->constant == lowBits(~Bits(0), bits) && !by && low == bits;
  return isInverted ? sumOf(*constantOf(-1), *inner, -1) : std::nullopt;
}

// ---- numbers

/// Adds the terms whose functions are needed before that of a term.
void LinearTerms::addNeeds(Term term, std::vector<Term> &open) {
  std::vector<Term> left = {term};
  const auto add = [&](Term one) {
    const Node &node = terms[one];
    if (node.sort == Sort::Truth && node.kind == Kind::Apply)
      left.push_back(one); // the numbers that it compares
    else if (one > unknown && node.sort != Sort::Float && !functions.contains(one))
      open.push_back(one);
  };
  std::set<Term> seen;
  while (!left.empty()) {
    const Term one = left.back();
    left.pop_back();
    if (!seen.insert(one).second)
      continue;
    const Node &node = terms[one];
    if (node.kind == Kind::Bitwise) {
      for (const Term product : terms.argsOf(one))
        for (const Term placed : terms.argsOf(product))
          if (terms[placed].kind == Kind::Placed && terms[terms.argsOf(placed)[0]].kind != Kind::Leaf)
            add(terms.argsOf(placed)[0]);
    } else if (node.kind == Kind::Read && terms.typeOf(node.type).isSigned() && elementOf(terms.argsOf(one)[0], true)) {
      continue;
    } else if (node.kind == Kind::Apply || node.kind == Kind::Read || node.kind == Kind::Store ||
               node.kind == Kind::Slice || node.kind == Kind::Join) {
      for (const Term arg : terms.argsOf(one))
        if (node.kind != Kind::Join || terms[arg].kind != Kind::Leaf)
          add(arg);
    }
  }
}

std::optional<Linear> LinearTerms::of(Term root) {
  if (root <= unknown)
    return {};
  std::vector<Term> open = {root};
  while (!open.empty()) {
    const Term term = open.back();
    const size_t before = open.size();
    if (!functions.contains(term))
      addNeeds(term, open);
    if (open.size() != before)
      continue;
    open.pop_back();
    if (!functions.contains(term)) {
      std::optional<Linear> found = find(term);
      functions[term] = std::move(found);
    }
  }
  return known(root);
}

std::optional<Linear> LinearTerms::find(Term term) {
  const Node node = terms[term];
  const auto arg = [&] { return known(terms.argsOf(term)[0]); };
  switch (node.kind) {
  case Kind::Constant: return constantOf(static_cast<Wide>(terms.constantOf(term)));
  case Kind::Value: {
    const Value &value = terms.valueOf(term);
    return node.sort == Sort::Integer && value.magnitude < greatest
               ? constantOf(value.isNegative ? -static_cast<Wide>(value.magnitude) : static_cast<Wide>(value.magnitude))
               : std::nullopt;
  }
  case Kind::Leaf: return elementOf(term, false);
  case Kind::Join: return ofJoin(term);
  case Kind::Store: return node.sort == Sort::Bits && !terms.typeOf(node.type).isFloat() ? arg() : std::nullopt;
  case Kind::Slice: return node.first == 0 && node.sort == Sort::Bits ? arg() : std::nullopt;
  case Kind::Bitwise: return ofForm(term);
  case Kind::Read: {
    const ElementType &type = terms.typeOf(node.type);
    if (type.isFloat() || type.kind == ElementType::Kind::Truth)
      return {};
    std::optional<Linear> bits = type.isSigned() ? elementOf(terms.argsOf(term)[0], true) : std::nullopt;
    if (!bits)
      bits = arg();
    return bits ? asNumber(*bits, type.bits, type.isSigned()) : std::nullopt;
  }
  case Kind::Apply: return ofApply(term);
  default: return {};
  }
}

/// Returns the quotient or the remainder of a division that rounds down, if the quotient stays the same.
std::optional<Linear> LinearTerms::ofQuotient(StepOp op, const Linear &a, const Linear &b) {
  if (!b.parts.empty() || b.seen < (op == StepOp::ShiftRight ? 0 : 1) ||
      b.seen > (op == StepOp::ShiftRight ? 64 : 1 << 30))
    return {};
  const Wide by = op == StepOp::ShiftRight ? Wide(1) << static_cast<unsigned>(b.seen) : b.seen;
  if (op != StepOp::ShiftRight && a.seen < 0)
    return {};
  const Wide quotient = floorOf(a.seen, by);
  require(a, quotient * by, quotient * by + by - 1);
  const std::optional<Linear> whole = constantOf(quotient);
  return op == StepOp::Remainder && whole ? sumOf(a, *whole, -by) : whole;
}

std::optional<Linear> LinearTerms::ofApply(Term term) {
  const Node node = terms[term];
  const llvm::SmallVector<Term, 4> args(terms.argsOf(term));
  if (node.sort == Sort::Float || node.sort == Sort::Truth)
    return {};
  if (node.op == StepOp::Choice) {
    const std::optional<bool> isFirst = valueOf(args[0]);
    const std::optional<Linear> arm = isFirst ? known(args[*isFirst ? 1 : 2]) : std::nullopt;
    return arm && keep(args[0], *isFirst) ? arm : std::nullopt;
  }
  if (node.sort != Sort::Integer || args.empty() || args.size() > 2)
    return {};
  const std::optional<Linear> a = known(args[0]), b = known(args.back());
  if (!a || !b)
    return {};
  switch (node.op) {
  case StepOp::Add: return sumOf(*a, *b, 1);
  case StepOp::Subtract: return sumOf(*a, *b, -1);
  case StepOp::Multiply: return productOf(*a, *b);
  case StepOp::Negate: return sumOf({}, *a, -1);
  case StepOp::ShiftLeft:
    return b->parts.empty() && b->seen >= 0 && b->seen < 40
               ? productOf(*a, *constantOf(Wide(1) << static_cast<unsigned>(b->seen)))
               : std::nullopt;
  case StepOp::ShiftRight:
  case StepOp::Divide:
  case StepOp::Remainder: return ofQuotient(node.op, *a, *b);
  case StepOp::Minimum:
  case StepOp::Maximum: {
    const bool isFirst = (node.op == StepOp::Minimum) == (a->seen <= b->seen);
    const Linear &taken = isFirst ? *a : *b, &other = isFirst ? *b : *a;
    const std::optional<Linear> ahead = sumOf(other, taken, -1);
    if (!ahead)
      return {};
    node.op == StepOp::Minimum ? require(*ahead, 0, greatest) : require(*ahead, -greatest, 0);
    return taken;
  }
  default: return {};
  }
}

// ---- truths

std::optional<bool> LinearTerms::valueOfComparison(Term truth) {
  const llvm::SmallVector<Term, 2> args(terms.argsOf(truth));
  const std::optional<Linear> a = of(args[0]), b = of(args[1]);
  if (!a || !b)
    return {};
  return terms[truth].op == StepOp::Less ? a->seen < b->seen : a->seen == b->seen;
}

/// Returns the value of a truth in the launch, if it compares integers.
std::optional<bool> LinearTerms::valueOf(Term truth) {
  constexpr size_t most = 64;
  std::map<Term, std::optional<bool>> values;
  std::vector<Term> open = {truth};
  while (!open.empty()) {
    const Term term = open.back();
    const Node &node = terms[term];
    const llvm::SmallVector<Term, 2> args(terms.argsOf(term));
    if (values.size() > most)
      return {};
    const size_t before = open.size();
    const bool isOfTruths = isTrue(term, StepOp::Not) || isTrue(term, StepOp::And) || isTrue(term, StepOp::Xor);
    for (const Term arg : args)
      if (isOfTruths && !values.contains(arg))
        open.push_back(arg);
    if (open.size() != before)
      continue;
    open.pop_back();
    std::optional<bool> &value = values[term];
    if (terms.isConstant(term))
      value = terms.constantOf(term) != 0;
    else if (isTrue(term, StepOp::Less) || isTrue(term, StepOp::Equal))
      value = valueOfComparison(term);
    else if (isOfTruths && llvm::all_of(args, [&](Term arg) { return values[arg].has_value(); }))
      value = node.op == StepOp::Not   ? !*values[args[0]]
              : node.op == StepOp::And ? *values[args[0]] && *values[args[1]]
                                       : *values[args[0]] != *values[args[1]];
  }
  return values[truth];
}

bool LinearTerms::keepComparison(Term truth, bool isTrue) {
  const llvm::SmallVector<Term, 2> args(terms.argsOf(truth));
  const std::optional<Linear> a = of(args[0]), b = of(args[1]);
  const std::optional<Linear> ahead = a && b ? sumOf(*b, *a, -1) : std::nullopt;
  if (!ahead)
    return false;
  const bool isLess = terms[truth].op == StepOp::Less;
  if ((isLess ? ahead->seen > 0 : ahead->seen == 0) != isTrue)
    return false;
  if (isLess)
    isTrue ? require(*ahead, 1, greatest) : require(*ahead, -greatest, 0);
  else if (isTrue)
    require(*ahead, 0, 0);
  else
    ahead->seen > 0 ? require(*ahead, 1, greatest) : require(*ahead, -greatest, -1);
  return true;
}

bool LinearTerms::keep(Term truth, bool isTrue) {
  std::vector<std::pair<Term, bool>> left = {{truth, isTrue}};
  for (size_t i = 0; i < left.size(); ++i) {
    const auto [term, expected] = left[i];
    const llvm::SmallVector<Term, 2> args(terms.argsOf(term));
    if (term <= unknown || valueOf(term) != expected)
      return false;
    if (terms.isConstant(term))
      continue;
    if (this->isTrue(term, StepOp::Not))
      left.emplace_back(args[0], !expected);
    else if (this->isTrue(term, StepOp::Less) || this->isTrue(term, StepOp::Equal)) {
      if (!keepComparison(term, expected))
        return false;
    } else if (this->isTrue(term, StepOp::And) && !expected) {
      left.emplace_back(valueOf(args[0]) == false ? args[0] : args[1], false);
    } else {
      for (const Term arg : args)
        left.emplace_back(arg, *valueOf(arg));
    }
  }
  return true;
}

} // namespace ptxray::equal
