#include "Prove/Assume.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace ptxray::prove {

using Kind = AssumedValue::Kind;

namespace {

class AssumptionReader {
public:
  AssumptionReader(llvm::StringRef text, const machine::KernelEntry &kernel) : rest(text), kernel(kernel) {}
  Expected<std::vector<Comparison>> read();

private:
  bool takes(llvm::StringRef sign) {
    rest = rest.ltrim();
    return rest.consume_front(sign);
  }
  void fail(const llvm::Twine &what) {
    if (problem.empty())
      problem = what.str();
  }
  void atom(std::vector<AssumedValue> &to);
  void product(std::vector<AssumedValue> &to);
  void sum(std::vector<AssumedValue> &to);
  int parameter(llvm::StringRef name);
  void checkShared(const Comparison &one);
  llvm::StringRef word() {
    rest = rest.ltrim();
    const size_t end = rest.find_if_not([](char c) { return llvm::isAlnum(c) || c == '_' || c == '$'; });
    const llvm::StringRef result = rest.take_front(end);
    rest = rest.drop_front(result.size());
    return result;
  }

  llvm::StringRef rest;
  const machine::KernelEntry &kernel;
  std::string problem;
};

} // namespace

int AssumptionReader::parameter(llvm::StringRef name) {
  for (size_t i = 0; i < kernel.parameters.size(); ++i)
    if (kernel.parameters[i].name == name)
      return static_cast<int>(i);
  unsigned number = 0;
  llvm::StringRef digits = name;
  if (digits.consume_front("param") && !digits.empty() && !digits.getAsInteger(10, number) &&
      number < kernel.parameters.size())
    return static_cast<int>(number);
  fail("the kernel has no parameter `" + name + "`");
  return 0;
}

void AssumptionReader::atom(std::vector<AssumedValue> &to) {
  rest = rest.ltrim();
  int64_t number = 0;
  if (!rest.empty() && (llvm::isDigit(rest[0]) || rest[0] == '-')) {
    const bool isNegative = rest.consume_front("-");
    if (rest.consumeInteger(0, number))
      fail("`" + rest + "` is not a number");
    to.push_back({Kind::Number, isNegative ? -number : number});
    return;
  }
  const llvm::StringRef name = word();
  if (name == "bytes" && takes("(")) {
    to.push_back({Kind::Bytes, parameter(word())});
    if (!takes(")"))
      fail("`)` is missing after `bytes(`");
  } else if (name == "shared") {
    to.push_back({Kind::Shared, 0});
  } else if (name.empty()) {
    fail("a number or a parameter is missing before `" + rest + "`");
  } else {
    to.push_back({Kind::Parameter, parameter(name)});
  }
}

void AssumptionReader::product(std::vector<AssumedValue> &to) {
  atom(to);
  while (problem.empty() && takes("*")) {
    atom(to);
    to.push_back({Kind::Multiply, 0});
  }
}

void AssumptionReader::sum(std::vector<AssumedValue> &to) {
  product(to);
  while (problem.empty()) {
    const bool isPlus = takes("+");
    if (!isPlus && !takes("-"))
      return;
    product(to);
    to.push_back({isPlus ? Kind::Add : Kind::Subtract, 0});
  }
}

/// Checks that dynamic shared memory is compared with a single number, which launches use.
void AssumptionReader::checkShared(const Comparison &one) {
  const auto isShared = [](const AssumedValue &value) { return value.kind == Kind::Shared; };
  const bool isInRight = llvm::any_of(one.right, isShared);
  if (!isInRight && llvm::none_of(one.left, isShared))
    return;
  const bool isSize = one.kind == Comparison::Kind::Equal && one.left.size() == 1 && !isInRight;
  if (!isSize || !valueOf(one.right, {}, {}, 0))
    fail("`shared` takes one number, such as `shared == 1024`");
}

Expected<std::vector<Comparison>> AssumptionReader::read() {
  std::vector<Comparison> all;
  do {
    Comparison one;
    const llvm::StringRef begin = rest.ltrim();
    sum(one.left);
    constexpr std::pair<const char *, Comparison::Kind> signs[] = {
        {"==", Comparison::Kind::Equal},        {"!=", Comparison::Kind::Unequal}, {"<=", Comparison::Kind::LessEqual},
        {">=", Comparison::Kind::GreaterEqual}, {"<", Comparison::Kind::Less},     {">", Comparison::Kind::Greater}};
    bool isFound = false;
    for (const auto &[sign, kind] : signs)
      if (!isFound && takes(sign)) {
        one.kind = kind;
        isFound = true;
      }
    if (!isFound)
      fail("a comparison such as `<=` is missing before `" + rest + "`");
    sum(one.right);
    if (problem.empty())
      checkShared(one);
    one.text = begin.drop_back(rest.size()).rtrim().str();
    all.push_back(std::move(one));
  } while (problem.empty() && takes("&&"));
  if (!rest.ltrim().empty())
    fail("`" + rest.ltrim() + "` is left over");
  if (!problem.empty())
    return Problem{problem};
  return all;
}

Expected<std::vector<Comparison>> readAssumption(llvm::StringRef text, const machine::KernelEntry &kernel) {
  return AssumptionReader(text, kernel).read();
}

std::optional<int64_t> valueOf(llvm::ArrayRef<AssumedValue> value, const std::map<int, int64_t> &parameters,
                               const std::map<int, int64_t> &bytes, int64_t shared) {
  std::vector<int64_t> stack;
  for (const AssumedValue &one : value) {
    if (one.kind >= Kind::Add) {
      const auto b = static_cast<uint64_t>(stack.back());
      stack.pop_back();
      auto &a = stack.back();
      a = static_cast<int64_t>(one.kind == Kind::Add        ? static_cast<uint64_t>(a) + b
                               : one.kind == Kind::Subtract ? static_cast<uint64_t>(a) - b
                                                            : static_cast<uint64_t>(a) * b);
      continue;
    }
    const auto &numbers = one.kind == Kind::Parameter ? parameters : bytes;
    if (one.kind == Kind::Number)
      stack.push_back(one.number);
    else if (one.kind == Kind::Shared)
      stack.push_back(shared);
    else if (const auto found = numbers.find(static_cast<int>(one.number)); found != numbers.end())
      stack.push_back(found->second);
    else
      return {};
  }
  return stack.back();
}

bool holds(const Comparison &one, const std::map<int, int64_t> &parameters, const std::map<int, int64_t> &bytes,
           int64_t shared, bool &isKnown) {
  const auto left = valueOf(one.left, parameters, bytes, shared), right = valueOf(one.right, parameters, bytes, shared);
  isKnown = left && right;
  if (!isKnown)
    return true;
  switch (one.kind) {
  case Comparison::Kind::Equal: return *left == *right;
  case Comparison::Kind::Unequal: return *left != *right;
  case Comparison::Kind::Less: return *left < *right;
  case Comparison::Kind::LessEqual: return *left <= *right;
  case Comparison::Kind::Greater: return *left > *right;
  default: return *left >= *right;
  }
}

static Comparison::Kind turned(Comparison::Kind kind) {
  switch (kind) {
  case Comparison::Kind::Less: return Comparison::Kind::Greater;
  case Comparison::Kind::LessEqual: return Comparison::Kind::GreaterEqual;
  case Comparison::Kind::Greater: return Comparison::Kind::Less;
  case Comparison::Kind::GreaterEqual: return Comparison::Kind::LessEqual;
  default: return kind;
  }
}

std::map<int, ParameterRange> rangesOf(llvm::ArrayRef<Comparison> all) {
  std::map<int, ParameterRange> ranges;
  const auto add = [&](llvm::ArrayRef<AssumedValue> one, Comparison::Kind kind, llvm::ArrayRef<AssumedValue> other) {
    const std::optional<int64_t> number = valueOf(other, {}, {}, 0);
    const bool hasShared = llvm::any_of(other, [](const AssumedValue &v) { return v.kind == Kind::Shared; });
    if (one.size() != 1 || one[0].kind != Kind::Parameter || !number || hasShared)
      return;
    auto &range =
        ranges.try_emplace(static_cast<int>(one[0].number), ParameterRange{INT64_MIN, INT64_MAX}).first->second;
    const __int128 limit = *number;
    if (kind == Comparison::Kind::Equal || kind == Comparison::Kind::LessEqual)
      range.high = std::min(range.high, limit);
    if (kind == Comparison::Kind::Less)
      range.high = std::min(range.high, limit - 1);
    if (kind == Comparison::Kind::Equal || kind == Comparison::Kind::GreaterEqual)
      range.low = std::max(range.low, limit);
    if (kind == Comparison::Kind::Greater)
      range.low = std::max(range.low, limit + 1);
  };
  for (const Comparison &one : all) {
    add(one.left, one.kind, one.right);
    add(one.right, turned(one.kind), one.left);
  }
  return ranges;
}

std::optional<uint64_t> sharedOf(llvm::ArrayRef<Comparison> all) {
  for (const Comparison &one : all)
    if (one.kind == Comparison::Kind::Equal && one.left.size() == 1 && one.left[0].kind == Kind::Shared)
      if (const auto number = valueOf(one.right, {}, {}, 0))
        return static_cast<uint64_t>(*number);
  return {};
}

/// Returns a value as a signed 64-bit term.
static Term termOf(Model &model, llvm::ArrayRef<AssumedValue> value, llvm::ArrayRef<Term> parameters,
                   llvm::ArrayRef<Term> lengths) {
  Terms &terms = model.terms;
  std::vector<Term> stack;
  for (const AssumedValue &one : value) {
    if (one.kind >= Kind::Add) {
      const Term b = stack.back();
      stack.pop_back();
      Term &a = stack.back();
      a = one.kind == Kind::Add        ? terms.add(a, b)
          : one.kind == Kind::Subtract ? terms.subtract(a, b)
                                       : terms.multiply(a, b);
      continue;
    }
    stack.push_back(one.kind == Kind::Number
                        ? terms.constant(64, static_cast<Number>(static_cast<__int128>(one.number)))
                    : one.kind == Kind::Shared ? terms.constant(64, model.shape.shared.value_or(0))
                    : one.kind == Kind::Bytes  ? lengths[static_cast<size_t>(one.number)]
                                               : parameters[static_cast<size_t>(one.number)]);
  }
  return stack.back();
}

void assume(Model &model, const machine::KernelEntry &kernel, llvm::ArrayRef<Comparison> all) {
  Terms &terms = model.terms;
  std::vector<Term> parameters, lengths;
  uint64_t begin = 0;
  for (size_t i = 0; i < kernel.parameters.size(); ++i) {
    const auto &one = kernel.parameters[i];
    begin = (begin + one.alignment - 1) / one.alignment * one.alignment;
    Term term = Term::None;
    for (const Parameter &known : model.parameters)
      if (known.offset == begin && known.bytes == one.bytes)
        term = terms.extend(known.variable, 64, true);
    if (term == Term::None || one.bytes > 8) // the kernel never loads the parameter
      term = terms.variable({one.name, 64, Sharing::Grid, 0, maskOf(64), {}});
    parameters.push_back(term);
    begin += one.bytes;
    Term length = Term::None;
    bool isNamed = false;
    for (const Comparison &comparison : all) {
      const auto isIt = [&](const AssumedValue &v) {
        return v.kind == Kind::Bytes && v.number == static_cast<int64_t>(i);
      };
      isNamed |= llvm::any_of(comparison.left, isIt) || llvm::any_of(comparison.right, isIt);
      if (comparison.left.size() == 1 && isIt(comparison.left[0]) && comparison.kind == Comparison::Kind::Equal)
        if (const auto number = valueOf(comparison.right, {}, {}, 0))
          length = terms.constant(64, static_cast<Number>(*number));
    }
    if (length == Term::None)
      length = terms.variable({"bytes(" + one.name + ")", 64, Sharing::Grid, 0, Number(1) << 47, {}});
    lengths.push_back(length);
    for (Buffer &buffer : model.buffers)
      if (buffer.parameter == static_cast<int>(i) && isNamed)
        buffer.length = length;
  }
  for (const Comparison &one : all) {
    const Term left = termOf(model, one.left, parameters, lengths),
               right = termOf(model, one.right, parameters, lengths);
    switch (one.kind) {
    case Comparison::Kind::Equal: model.facts.push_back(terms.equal(left, right)); break;
    case Comparison::Kind::Unequal: model.facts.push_back(terms.no(terms.equal(left, right))); break;
    case Comparison::Kind::Less: model.facts.push_back(terms.less(left, right, true)); break;
    case Comparison::Kind::LessEqual: model.facts.push_back(terms.lessEqual(left, right, true)); break;
    case Comparison::Kind::Greater: model.facts.push_back(terms.less(right, left, true)); break;
    case Comparison::Kind::GreaterEqual: model.facts.push_back(terms.lessEqual(right, left, true)); break;
    }
  }
}

} // namespace ptxray::prove
