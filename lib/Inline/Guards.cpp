#include "Inline/Guards.h"
#include "Inline/CppTokens.h"
#include "Inline/Readers.h"
#include "Isa/Isa.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <optional>

namespace ptxray {
namespace {

/// A preprocessor condition. If a name is unknown, everything that depends on it is unknown.
class Condition {
public:
  Condition(llvm::StringRef text, llvm::StringRef target) : tokens(readCppTokens(text)) {
    if (const int index = isa::findTarget(target); index >= 0) {
      number = isa::targets()[index].number * 10;
      variant = isa::targets()[index].variant;
    }
  }
  /// Constructs a condition of which only the architecture is known: an NVIDIA GPU.
  explicit Condition(llvm::StringRef text) : tokens(readCppTokens(text)), isAboutMachine(true) {}
  bool hasNames() const {
    return llvm::any_of(tokens, [](const CppToken &token) { return token.kind == CppKind::Name; });
  }
  GuardAnswer answer() {
    const Value value = expression(0, 0);
    if (!value || at != tokens.size())
      return GuardAnswer::Unknown;
    return *value ? GuardAnswer::Yes : GuardAnswer::No;
  }

private:
  using Value = std::optional<int64_t>;
  static constexpr unsigned deepest = 64;

  bool accept(llvm::StringRef sign) {
    if (at >= tokens.size() || !tokens[at].is(sign))
      return false;
    ++at;
    return true;
  }
  llvm::StringRef operatorAhead() const;
  Value expression(unsigned lowest, unsigned depth);
  Value primary(unsigned depth);
  Value name(llvm::StringRef name) const;
  Value isDefined(llvm::StringRef name) const;

  std::vector<CppToken> tokens;
  size_t at = 0;
  int64_t number = 0; // `__CUDA_ARCH__`; 0 if unknown
  char variant = 0;
  bool isAboutMachine = false; // only the architecture is known, but not the compiler
};

unsigned precedenceOf(llvm::StringRef sign) {
  static constexpr std::pair<llvm::StringLiteral, unsigned> signs[] = {{"||", 1}, {"&&", 2}, {"==", 3}, {"!=", 3},
                                                                       {"<", 4},  {">", 4},  {"<=", 4}, {">=", 4},
                                                                       {"+", 5},  {"-", 5},  {"*", 6},  {"/", 6}};
  for (const auto &[text, precedence] : signs)
    if (text == sign)
      return precedence;
  return 0;
}

/// Combines adjacent tokens of one character into an operator.
llvm::StringRef Condition::operatorAhead() const {
  if (at >= tokens.size() || tokens[at].kind != CppKind::Sign)
    return "";
  const CppToken &first = tokens[at];
  if (at + 1 < tokens.size() && tokens[at + 1].kind == CppKind::Sign && !tokens[at + 1].hasSpace)
    if (const llvm::StringRef both(first.text.data(), 2); precedenceOf(both))
      return both;
  return first.text;
}

Condition::Value Condition::isDefined(llvm::StringRef name) const {
  if (isAboutMachine)
    return name == "__CUDA_ARCH__" ? Value(1) : isOtherMachine(name) ? Value(0) : std::nullopt;
  if (name == "__CUDA_ARCH__" || name == "__CUDACC__" || name == "__NVCC__")
    return 1;
  const bool asksForTarget =
      name.ends_with("_SPECIFIC__") ? name.starts_with("__CUDA_ARCH_") : name.starts_with("__CUDA_ARCH_FEAT_SM");
  if (asksForTarget && !number)
    return std::nullopt;
  if (name == "__CUDA_ARCH_SPECIFIC__")
    return variant == 'a';
  if (name == "__CUDA_ARCH_FAMILY_SPECIFIC__")
    return variant != 0;
  if (asksForTarget) // `__CUDA_ARCH_FEAT_SM90_ALL`
    return name == "__CUDA_ARCH_FEAT_SM" + std::to_string(number / 10) + "_ALL" && variant == 'a';
  if (name == "__HIP__" || name == "__HIPCC__" || name == "__HIP_DEVICE_COMPILE__" || name == "__x86_64__" ||
      name == "__aarch64__")
    return 0;
  return std::nullopt;
}

Condition::Value Condition::name(llvm::StringRef name) const {
  if (isAboutMachine && isOtherMachine(name))
    return 0;
  if (name.starts_with("__CUDA_ARCH") && !number)
    return std::nullopt;
  if (name == "__CUDA_ARCH__")
    return number;
  if (name == "__CUDA_ARCH_SPECIFIC__")
    return variant == 'a' ? number : 0;
  if (name == "__CUDA_ARCH_FAMILY_SPECIFIC__")
    return variant ? number : 0;
  if (name == "true" || name == "false")
    return name == "true";
  return std::nullopt;
}

// NOLINTNEXTLINE(misc-no-recursion): at most `deepest` deep
Condition::Value Condition::primary(unsigned depth) {
  if (depth > deepest || at >= tokens.size())
    return std::nullopt;
  if (accept("!")) {
    const Value value = primary(depth + 1);
    return value ? Value(!*value) : value;
  }
  if (accept("(")) {
    const Value value = expression(0, depth + 1);
    return accept(")") ? value : std::nullopt;
  }
  const CppToken &token = tokens[at++];
  if (token.is("defined")) {
    const bool inParentheses = accept("(");
    if (at >= tokens.size())
      return std::nullopt;
    const llvm::StringRef asked = tokens[at++].text;
    if (inParentheses && !accept(")"))
      return std::nullopt;
    return isDefined(asked);
  }
  if (token.kind == CppKind::Number) {
    int64_t value = 0;
    if (token.text.rtrim("uUlL").getAsInteger(0, value))
      return std::nullopt;
    return value;
  }
  if (token.kind != CppKind::Name)
    return std::nullopt;
  if (at < tokens.size() && tokens[at].is("(")) { // a macro with arguments
    unsigned open = 0;
    do {
      open += tokens[at].is("(");
      open -= tokens[at].is(")");
    } while (++at < tokens.size() && open);
    return std::nullopt;
  }
  return name(token.text);
}

std::optional<int64_t> combine(llvm::StringRef sign, std::optional<int64_t> left, std::optional<int64_t> right) {
  const bool bothKnown = left && right;
  if (sign == "&&")
    return left.value_or(1) == 0 || right.value_or(1) == 0 ? std::optional<int64_t>(0)
           : bothKnown                                     ? std::optional<int64_t>(1)
                                                           : std::nullopt;
  if (sign == "||")
    return left.value_or(0) != 0 || right.value_or(0) != 0 ? std::optional<int64_t>(1)
           : bothKnown                                     ? std::optional<int64_t>(0)
                                                           : std::nullopt;
  if (!bothKnown)
    return std::nullopt;
  const auto a = static_cast<uint64_t>(*left), b = static_cast<uint64_t>(*right);
  if (sign == "==")
    return *left == *right;
  if (sign == "!=")
    return *left != *right;
  if (sign == "<")
    return *left < *right;
  if (sign == ">")
    return *left > *right;
  if (sign == "<=")
    return *left <= *right;
  if (sign == ">=")
    return *left >= *right;
  if (sign == "+")
    return static_cast<int64_t>(a + b);
  if (sign == "-")
    return static_cast<int64_t>(a - b);
  if (sign == "*")
    return static_cast<int64_t>(a * b);
  return *right > 0 ? std::optional<int64_t>(*left / *right) : std::nullopt;
}

// NOLINTNEXTLINE(misc-no-recursion): at most `deepest` deep
Condition::Value Condition::expression(unsigned lowest, unsigned depth) {
  Value left = primary(depth);
  for (;;) {
    const llvm::StringRef sign = operatorAhead();
    const unsigned precedence = precedenceOf(sign);
    if (precedence == 0 || precedence <= lowest || depth > deepest)
      return left;
    at += sign.size();
    left = combine(sign, left, expression(precedence, depth + 1));
  }
}

} // namespace

GuardAnswer isCompiled(llvm::ArrayRef<InlineGuard> guards, uint32_t guard, llvm::StringRef target) {
  GuardAnswer all = GuardAnswer::Yes;
  for (; guard; guard = guards[guard - 1].outer) {
    const InlineGuard &one = guards[guard - 1];
    const GuardAnswer answer = Condition(one.condition, target).answer();
    if (answer == GuardAnswer::Unknown)
      all = one.isAgainstRepetition ? all : GuardAnswer::Unknown;
    else if ((answer == GuardAnswer::Yes) == one.isNegated)
      return GuardAnswer::No;
  }
  return all;
}

bool isForOtherMachine(const InlineGuard &guard) {
  Condition condition(guard.condition);
  if (!condition.hasNames()) // `#if 0`
    return false;
  const GuardAnswer answer = condition.answer();
  return answer != GuardAnswer::Unknown && (answer == GuardAnswer::Yes) == guard.isNegated;
}

std::vector<isa::Target> targetsLetThrough(llvm::ArrayRef<InlineGuard> guards, uint32_t guard) {
  constexpr uint16_t oldest = 75; // minimum of current nvcc releases
  constexpr unsigned deepest = 64;
  bool asks = false;
  unsigned depth = 0;
  for (uint32_t outer = guard; outer; outer = guards[outer - 1].outer, ++depth)
    asks |= llvm::StringRef(guards[outer - 1].condition).contains("__CUDA_ARCH");
  std::vector<isa::Target> through;
  if (!asks || depth > deepest)
    return through;
  std::optional<GuardAnswer> oldestIs;
  for (const isa::Target &one : isa::targets()) {
    const bool isOldName = !llvm::StringRef(one.name()).contains(std::to_string(one.number)); // sm_101 is sm_110
    if (!one.documented || isOldName)
      continue;
    const GuardAnswer answer = isCompiled(guards, guard, one.name());
    oldestIs = oldestIs.value_or(answer);
    if (answer == GuardAnswer::Yes && one.number >= oldest)
      through.push_back(one);
  }
  if (oldestIs != GuardAnswer::No) // an `#else` and `< 900` select between cases that the file handles
    through.clear();
  return through;
}

bool mayLeaveOut(llvm::ArrayRef<InlineGuard> guards, uint32_t guard) {
  for (; guard; guard = guards[guard - 1].outer)
    if (!guards[guard - 1].isNegated || !llvm::StringRef(guards[guard - 1].condition).starts_with("defined("))
      return true;
  return false;
}

} // namespace ptxray
