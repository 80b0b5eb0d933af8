// The table of terms, and the laws of bytes.
#include "Equal/Terms.h"
#include "Equal/BitForms.h"
#include "llvm/ADT/STLExtras.h"

namespace ptxray::equal {

using isa::StepOp;
using Kind = Node::Kind;
using Sort = Node::Sort;

Terms::Terms() : table(1 << 12) {
  nodes.emplace_back();
  nodes.emplace_back().kind = Kind::Unknown;
  reals.resize(2);
  facts.resize(2);
  reals[1].kind = Real::Kind::Undefined;
}

uint16_t Terms::numberOf(const ElementType &type) {
  const auto found = llvm::find(types, type);
  const auto number = static_cast<uint16_t>(found - types.begin());
  if (found == types.end())
    types.push_back(type);
  return number;
}

static uint64_t hashOf(const Node &node, llvm::ArrayRef<Term> args) {
  Key key{static_cast<uint64_t>(node.kind) << 32 | static_cast<uint64_t>(node.op) << 16 | node.bits,
          uint64_t(node.type) << 16 | node.target};
  key = mixed(mixed(key, node.first), node.second);
  for (const Term one : args)
    key = mixed(key, one);
  return key.low;
}

/// Returns the term of a node, and adds the node if necessary.
Term Terms::make(Node node, Args given) {
  if (llvm::is_contained(given, unknown))
    return unknown;
  const llvm::SmallVector<Term, 64> args(given); // the table of arguments may move
  const auto isSame = [&](Term term) {
    const Node &other = nodes[term];
    return other.kind == node.kind && other.sort == node.sort && other.op == node.op && other.bits == node.bits &&
           other.type == node.type && other.target == node.target && other.first == node.first &&
           other.second == node.second && argsOf(term) == Args(args);
  };
  size_t at = hashOf(node, args) & (table.size() - 1);
  for (; table[at]; at = (at + 1) & (table.size() - 1))
    if (isSame(table[at]))
      return table[at];
  node.firstArg = static_cast<uint32_t>(allArgs.size());
  node.args = static_cast<uint32_t>(args.size());
  for (const Term one : args)
    node.isWide |= nodes[one].isWide && nodes[one].sort == Sort::Float;
  allArgs.insert(allArgs.end(), args.begin(), args.end());
  const auto term = static_cast<Term>(nodes.size());
  nodes.push_back(node);
  table[at] = term;
  facts.push_back(factsOf(term));
  reals.emplace_back();
  const Real real = realOf(term); // may create other terms
  reals[term] = real;
  if (nodes.size() * 2 > table.size()) {
    table.assign(table.size() * 2, 0);
    for (Term one = 2; one < nodes.size(); ++one) {
      size_t slot = hashOf(nodes[one], argsOf(one)) & (table.size() - 1);
      while (table[slot])
        slot = (slot + 1) & (table.size() - 1);
      table[slot] = one;
    }
  }
  return term;
}

// ---- bytes

Term Terms::leaf(uint32_t buffer, uint64_t byte, Term address) {
  return make({.kind = Kind::Leaf, .bits = 8, .first = buffer, .second = byte},
              address == none ? Args() : Args(address));
}

Term Terms::constant(Bits value, unsigned bits) {
  value = lowBits(value, bits);
  return make({.kind = Kind::Constant,
               .sort = bits == 1 ? Sort::Truth : Sort::Bits,
               .bits = static_cast<uint16_t>(bits),
               .first = static_cast<uint64_t>(value),
               .second = static_cast<uint64_t>(value >> 64)},
              {});
}

/// Returns a byte of a selection. If both arms have the same byte, returns that byte.
Ref Terms::byteOfChoice(Term term, unsigned byte) {
  const auto keyOf = [&](Term one) { return uint64_t(one) << 8 | byte; };
  std::vector<Term> waiting = {term}; // each after the selections that it is among
  while (!waiting.empty()) {
    const Term one = waiting.back();
    const Term arms[] = {argsOf(one)[1], argsOf(one)[2]};
    const size_t before = waiting.size();
    for (const Term arm : arms)
      if (isChoiceOfBits(arm) && !chosenBytes.contains(keyOf(arm)))
        waiting.push_back(arm);
    if (waiting.size() != before)
      continue;
    waiting.pop_back();
    const auto of = [&](Term arm) { return isChoiceOfBits(arm) ? chosenBytes.lookup(keyOf(arm)) : byteOf(arm, byte); };
    const Ref a = of(arms[0]), b = of(arms[1]);
    chosenBytes[keyOf(one)] = a == b ? a : Ref{one, byte};
  }
  return chosenBytes.lookup(keyOf(term));
}

Ref Terms::byteOf(Term term, unsigned byte) {
  const Node node = nodes[term];
  if (term == unknown)
    return {unknown, 0};
  if (node.kind == Kind::Constant)
    return {constant(constantOf(term) >> 8 * byte, 8), 0};
  if (isChoiceOfBits(term))
    return byteOfChoice(term, byte);
  if (node.kind == Kind::Bitwise && node.bits > 8) { // a byte that is moved, or constant
    const Term known = termOf(formOfByte({term, byte}), 8);
    return nodes[known].bits == 8 ? Ref{known, 0} : Ref{term, byte};
  }
  if (node.kind == Kind::Join)
    return {argsOf(term)[byte], static_cast<uint32_t>(node.first >> 4 * byte & 15)};
  return {term, byte};
}

Term Terms::join(llvm::ArrayRef<Ref> bytes) {
  if (llvm::any_of(bytes, [](const Ref &one) { return one.term == unknown; }))
    return unknown;
  const Ref first = bytes.front();
  bool isWhole = first.byte == 0 && nodes[first.term].bits == 8 * bytes.size();
  for (size_t i = 0; i < bytes.size() && isWhole; ++i)
    isWhole = bytes[i] == Ref{first.term, static_cast<uint32_t>(i)};
  if (isWhole)
    return first.term;
  const auto bits = static_cast<unsigned>(8 * bytes.size());
  Bits value = 0;
  bool areConstant = true;
  for (size_t i = 0; i < bytes.size() && areConstant; ++i) {
    areConstant = isConstant(bytes[i].term);
    if (areConstant)
      value |= lowBits(constantOf(bytes[i].term) >> 8 * bytes[i].byte, 8) << 8 * i;
  }
  if (areConstant)
    return constant(value, bits);
  if (llvm::any_of(bytes, [&](const Ref &one) { return nodes[one.term].kind == Kind::Bitwise; })) {
    BitForm form;
    for (size_t i = 0; i < bytes.size(); ++i)
      form = exclusive(std::move(form), shifted(formOfByte(bytes[i]), static_cast<int>(8 * i), bits));
    return termOf(std::move(form), bits);
  }
  llvm::SmallVector<Term, 16> args;
  uint64_t places = 0; // four bits for each byte
  for (size_t i = 0; i < bytes.size(); ++i) {
    args.push_back(bytes[i].term);
    places |= uint64_t(bytes[i].byte) << 4 * i;
  }
  return make({.kind = Kind::Join, .bits = static_cast<uint16_t>(bits), .first = places}, args);
}

Term Terms::slice(Term term, unsigned at, unsigned bits) {
  const unsigned all = nodes[term].bits;
  if (term == unknown || (at == 0 && bits == all))
    return term;
  if (at + bits > all)
    return slice(extended(term, at + bits, false), at, bits);
  if (isConstant(term))
    return constant(constantOf(term) >> at, bits);
  if (at % 8 == 0 && bits % 8 == 0) {
    llvm::SmallVector<Ref, 16> bytes;
    for (unsigned i = 0; i < bits / 8; ++i)
      bytes.push_back(byteOf(term, at / 8 + i));
    return join(bytes);
  }
  // A slice of a single byte, or of several whole bytes, is one of the existing bytes.
  if (const unsigned first = at / 8, end = (at + bits + 7) / 8; all % 8 == 0 && (first || end * 8 < all))
    return slice(slice(term, 8 * first, 8 * (end - first)), at - 8 * first, bits);
  return make({.kind = Kind::Slice,
               .sort = bits == 1 ? Sort::Truth : Sort::Bits,
               .bits = static_cast<uint16_t>(bits),
               .first = at},
              term);
}

Term Terms::extended(Term term, unsigned bits, bool isSigned) {
  const unsigned before = nodes[term].bits;
  if (term == unknown || bits <= before)
    return term == unknown ? term : slice(term, 0, bits);
  if (isSigned)
    return storeInteger(read(term, {ElementType::Kind::Signed, static_cast<uint16_t>(before), 1, nullptr}, false),
                        bits);
  if (before % 8 == 0) {
    llvm::SmallVector<Ref, 16> bytes;
    for (unsigned i = 0; i < bits / 8; ++i)
      bytes.push_back(i < before / 8 ? byteOf(term, i) : Ref{constant(0, 8), 0});
    return join(bytes);
  }
  return storeInteger(read(term, {ElementType::Kind::Unsigned, static_cast<uint16_t>(before), 1, nullptr}, false),
                      bits);
}

std::optional<Bits> Terms::contentsOf(Term term) const {
  const Node &node = nodes[term];
  const auto byteAt = [&](const Node &leaf) -> std::optional<Bits> {
    if (leaf.kind == Kind::Constant)
      return leaf.first;
    if (leaf.kind != Kind::Leaf || leaf.first >= contents.size() || leaf.second >= contents[leaf.first].size())
      return {};
    return contents[leaf.first][leaf.second];
  };
  if (node.kind == Kind::Constant)
    return constantOf(term);
  if (node.kind != Kind::Join)
    return byteAt(node);
  Bits value = 0;
  const Args args = argsOf(term);
  for (size_t i = 0; i < args.size(); ++i) {
    const std::optional<Bits> one = byteAt(nodes[args[i]]);
    if (!one)
      return {};
    value |= lowBits(*one >> 8 * (node.first >> 4 * i & 15), 8) << 8 * i;
  }
  return value;
}

Term Terms::chosen(Term condition, Term a, Term b) {
  if (a == b)
    return a;
  if (condition == unknown || a == unknown || b == unknown)
    return unknown;
  if (isConstant(condition))
    return constantOf(condition) ? a : b;
  if (nodes[condition].kind == Kind::Apply && nodes[condition].op == StepOp::Not) {
    std::swap(a, b);
    condition = argsOf(condition)[0];
  }
  const Node &node = nodes[a];
  return make({.kind = Kind::Apply, .sort = node.sort, .op = StepOp::Choice, .bits = node.bits}, {condition, a, b});
}

Term Terms::approximation(const RecipeStep &step, bool flushes, bool isFull, Args args) {
  return make({.kind = Kind::Approximate,
               .op = step.op,
               .bits = step.type.bits,
               .type = numberOf(step.type),
               .first = uint64_t(flushes) | uint64_t(isFull) << 1},
              args);
}

Term Terms::salted(Term term) {
  if (term == unknown)
    return term;
  return make({.kind = Kind::Salted, .bits = nodes[term].bits, .first = run, .second = ++salts}, term);
}

Term Terms::matrixProduct(uint64_t model, const ElementType &type, std::array<ElementType, 2> factorTypes,
                          Term accumulator, llvm::ArrayRef<std::pair<Term, Term>> factors) {
  llvm::SmallVector<std::pair<Term, Term>, 32> sorted(factors.begin(), factors.end());
  for (auto &[a, b] : sorted)
    if (a > b && factorTypes[0] == factorTypes[1])
      std::swap(a, b);
  llvm::sort(sorted);
  llvm::SmallVector<Term, 65> args = {accumulator};
  for (const auto &[a, b] : sorted) {
    args.push_back(a);
    args.push_back(b);
  }
  return make({.kind = Kind::Product,
               .bits = type.bits,
               .type = numberOf(type),
               .target = numberOf(factorTypes[0]),
               .first = model,
               .second = numberOf(factorTypes[1])},
              args);
}

} // namespace ptxray::equal
