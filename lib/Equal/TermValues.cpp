#include "Equal/TermValues.h"
#include "Equal/MatrixTerms.h"
#include "Semantics/Operators.h"
#include "llvm/ADT/STLExtras.h"

namespace ptxray::equal {

using isa::StepOp;
using Kind = Node::Kind;
using Sort = Node::Sort;

TermValues::TermValues(const Terms &terms, llvm::ArrayRef<Term> wanted) : terms(terms) {
  // Arguments have lower numbers than the terms that they are arguments of.
  std::vector<uint32_t> uses(terms.size());
  for (const Term term : wanted)
    uses[term] += term > unknown;
  std::vector<Term> needed;
  for (auto term = static_cast<Term>(terms.size()); --term > unknown;) {
    if (!uses[term])
      continue;
    needed.push_back(term);
    for (const Term arg : terms.argsOf(term))
      ++uses[arg];
  }
  order.assign(needed.rbegin(), needed.rend());
  places.assign(terms.size(), nowhere);
  // The place of a number is free after its last use. Bits are kept.
  std::vector<uint32_t> freed;
  uint32_t ofBits = 0, ofNumbers = 0;
  for (const Term term : order) {
    if (!isNumber(term)) {
      places[term] = ofBits++;
    } else if (freed.empty()) {
      places[term] = ofNumbers++;
    } else {
      places[term] = freed.back();
      freed.pop_back();
    }
    for (const Term arg : terms.argsOf(term))
      if (!--uses[arg] && isNumber(arg))
        freed.push_back(places[arg]);
  }
  bits.resize(ofBits);
  numbers.resize(ofNumbers);
}

bool TermValues::compute(llvm::ArrayRef<std::vector<uint8_t>> given) {
  contents = given;
  for (const Term term : order) {
    if (isNumber(term)) {
      std::optional<Value> value = numberFor(term);
      if (!value)
        return false;
      value->hasBits = false;
      numbers[places[term]] = *value;
    } else {
      const std::optional<Bits> value = bitsFor(term);
      if (!value)
        return false;
      bits[places[term]] = *value;
    }
  }
  return true;
}

/// Returns the number of an argument of a formula; a truth value for a single bit.
Value TermValues::numberOf(Term arg) const {
  if (isNumber(arg))
    return numbers[places[arg]];
  return terms[arg].sort == Sort::Truth ? Value::truth(bitsOf(arg) != 0) : Value::integer(bitsOf(arg));
}

/// Returns the step of a formula that a term applies.
static RecipeStep stepOf(const Terms &terms, const Node &node) {
  RecipeStep step;
  step.op = node.op;
  if (node.type) {
    step.type = terms.typeOf(static_cast<uint16_t>(node.type - 1));
    step.target = terms.typeOf(node.target);
    step.constant = static_cast<int64_t>(node.first);
    step.word = static_cast<isa::WordId>(node.second >> 32);
    step.part = static_cast<isa::WordId>(node.second);
  }
  return step;
}

std::optional<Value> TermValues::numberFor(Term term) {
  const Node &node = terms[term];
  const llvm::ArrayRef<Term> args = terms.argsOf(term);
  if (node.kind == Kind::Value)
    return terms.valueOf(term);
  if (node.kind == Kind::Read)
    return readElement(bitsOf(args[0]), terms.typeOf(node.type));
  if (node.kind != Kind::Apply)
    return {};
  const RecipeStep step = stepOf(terms, node);
  if (node.op == StepOp::Minimum || node.op == StepOp::Maximum) { // of a set
    Value result = numberOf(args[0]);
    for (const Term arg : args.drop_front())
      result = computed(step, {result, numberOf(arg)});
    // The extreme of a number and itself is canonical.
    return args.size() == 1 ? computed(step, {result, result}) : result;
  }
  llvm::SmallVector<Value, 4> values;
  for (const Term arg : args)
    values.push_back(numberOf(arg));
  return computed(step, values);
}

Bits TermValues::bitsOfProduct(Term term) const {
  const Node &node = terms[term];
  const llvm::ArrayRef<Term> args = terms.argsOf(term);
  const ElementType &type = terms.typeOf(node.type), &a = terms.typeOf(node.target),
                    &b = terms.typeOf(static_cast<uint16_t>(node.second));
  std::vector<numbers::Factor> x, y;
  for (size_t i = 1; i < args.size(); i += 2) {
    x.push_back(numbers::factorOf(static_cast<uint64_t>(bitsOf(args[i])), *a.format));
    y.push_back(numbers::factorOf(static_cast<uint64_t>(bitsOf(args[i + 1])), *b.format));
  }
  return numbers::sumOfProducts(x, y, static_cast<uint64_t>(bitsOf(args[0])), *type.format,
                                modelOf(node.first, x.size()));
}

std::optional<Bits> TermValues::bitsOfApply(Term term) {
  const Node &node = terms[term];
  const llvm::ArrayRef<Term> args = terms.argsOf(term);
  if (node.op == StepOp::Choice)
    return bitsOf(bitsOf(args[0]) ? args[1] : args[2]);
  const bool areBits = llvm::none_of(args, [&](Term one) { return isNumber(one); });
  if (areBits && (node.op == StepOp::And || node.op == StepOp::Or || node.op == StepOp::Xor)) {
    Bits result = bitsOf(args[0]);
    for (const Term arg : args.drop_front())
      result = node.op == StepOp::And  ? result & bitsOf(arg)
               : node.op == StepOp::Or ? result | bitsOf(arg)
                                       : result ^ bitsOf(arg);
    return result;
  }
  if (node.sort != Sort::Truth)
    return {};
  llvm::SmallVector<Value, 4> values;
  for (const Term arg : args)
    values.push_back(numberOf(arg));
  return Bits(computed(stepOf(terms, node), values).isTrue());
}

std::optional<Bits> TermValues::bitsFor(Term term) {
  const Node &node = terms[term];
  const llvm::ArrayRef<Term> args = terms.argsOf(term);
  const auto byteIn = [&](Term arg, uint64_t byte) { return lowBits(bitsOf(arg) >> 8 * byte, 8); };
  Bits result = 0;
  switch (node.kind) {
  case Kind::Leaf:
    if (node.first >= contents.size() || node.second >= contents[node.first].size())
      return {};
    return contents[node.first][node.second];
  case Kind::Constant: return terms.constantOf(term);
  case Kind::Join:
    for (size_t i = 0; i < args.size(); ++i)
      result |= byteIn(args[i], node.first >> 4 * i & 15) << 8 * i;
    return result;
  case Kind::Slice: return lowBits(bitsOf(args[0]) >> node.first, node.bits);
  case Kind::Store: return storeElement(numberOf(args[0]), terms.typeOf(node.type));
  case Kind::Apply: return bitsOfApply(term);
  case Kind::Placed: {
    const auto shift = static_cast<int>(static_cast<int64_t>(node.second));
    const Bits byte = byteIn(args[0], node.first);
    return lowBits(shift >= 128 || shift <= -8 ? Bits(0) : shift < 0 ? byte >> -shift : byte << shift, node.bits);
  }
  case Kind::Bitwise:
    for (const Term arg : args)
      result ^= bitsOf(arg);
    return result;
  case Kind::Approximate: {
    RecipeStep step;
    step.op = node.op;
    step.type = terms.typeOf(node.type);
    llvm::SmallVector<Bits, 2> codes;
    for (const Term arg : args)
      codes.push_back(bitsOf(arg));
    return approximated(step, codes, node.first & 1, node.first & 2);
  }
  case Kind::Product: return bitsOfProduct(term);
  case Kind::Salted: return bitsOf(args[0]);
  default: return {};
  }
}

} // namespace ptxray::equal
