#include "Pictures/Conditions.h"
#include "Isa/Isa.h"
#include "Isa/Words.h"
#include "llvm/ADT/StringExtras.h"
#include <cstdlib>

namespace ptxray {

/// Maximum nesting depth of texts. Beyond it, a text is the name of its register.
constexpr unsigned mostDepth = 6;

std::string Conditions::text(LocalId predicate, bool isTrue) {
  const Part whole{predicate, as(isTrue), 0};
  llvm::SmallVector<Part, 16> waiting = {whole};
  while (!waiting.empty()) {
    const Part one = waiting.back();
    missing.clear();
    Condition condition = make(one);
    if (missing.empty()) {
      made.insert_or_assign(one, std::move(condition));
      waiting.pop_back();
    } else {
      waiting.append(missing.begin(), missing.end());
    }
  }
  return made[whole].text;
}

Conditions::Condition Conditions::part(const Part &one) {
  if (const auto known = made.find(one); known != made.end())
    return known->second;
  missing.push_back(one);
  return {};
}

Conditions::Condition Conditions::make(const Part &one) {
  if (one.as == Part::As::Value)
    return {value(one.local, one.depth)};
  return condition(one.local, one.as == Part::As::True, one.depth);
}

/// Returns whether the text is the special register with the thread's number in the first dimension of its block.
static bool isThreadNumber(llvm::StringRef text) {
  const auto [name, dimension] = text.split('.');
  const isa::SpecialRegister *special = isa::findSpecialRegister(name);
  return special && special->enumerates == isa::Enumerated::Threads && dimension == "x";
}

std::string Conditions::valueAt(uint32_t number, unsigned node, unsigned depth) {
  if (const std::optional<int64_t> constant = places.numberAt(number, static_cast<int>(node)))
    return std::to_string(*constant);
  const LocalId local = nameAt(body, number, static_cast<int>(node));
  if (local == LocalId::None)
    return "?";
  const Operand &operand = body.ast->operandsOf(body.instruction(number).operands)[node];
  return operand.suffix == SpellingId::None ? part({local, Part::As::Value, depth}).text
                                            : (body.text(local) + body.ast->text(operand.suffix)).str();
}

std::string Conditions::value(LocalId local, unsigned depth) {
  const uint32_t number = body.symbol(local) ? body.definitions.only(local) : Definitions::none;
  if (number == Definitions::none || body.guard(number) != LocalId::None || depth > mostDepth)
    return body.text(local).str();
  const Facts &facts = body.facts(number);
  const Computation &computation = facts.computation;
  const size_t nodes = body.instruction(number).operands.count;
  const bool isMove = computation.isKnown && nodes == 2 &&
                      (computation.operation == isa::Operation::Mov || computation.operation == isa::Operation::Cvt);
  if (isMove)
    return valueAt(number, 1, depth + 1);
  if (facts.has(isa::FactKind::Copies)) { // copied from another lane
    LocalId source = LocalId::None;
    body.eachUse(number,
                 [&](NamedUse use) { source = source == LocalId::None && use.uses & Reads ? use.local : source; });
    return source == LocalId::None ? body.text(local).str() : part({source, Part::As::Value, depth + 1}).text;
  }
  const std::optional<int64_t> found = nodes == 3 ? places.numberAt(number, 2) : std::nullopt;
  if (!computation.isKnown || !found)
    return body.text(local).str();
  const int64_t other = found.value_or(0);
  const std::string source = valueAt(number, 1, depth + 1);
  const bool isThread = isThreadNumber(source);
  switch (computation.operation) {
  case isa::Operation::Shr: {
    const uint64_t together = other >= 0 && other < 32 ? (source == "warp" ? warpSize : 1) << other : 0;
    if ((isThread || source == "warp") && together == warpgroupSize)
      return "warpgroup";
    return isThread && together == warpSize ? "warp" : source + " >> " + std::to_string(other);
  }
  case isa::Operation::And:
    return isThread && other == warpSize - 1 ? "lane" : "(" + source + " & " + std::to_string(other) + ")";
  case isa::Operation::Add:
    return "(" + source + (other < 0 ? " - " : " + ") + llvm::utostr(static_cast<uint64_t>(std::abs(other))) + ")";
  default: return body.text(local).str();
  }
}

bool Conditions::isMove(uint32_t number) const {
  const Computation &computation = body.facts(number).computation;
  return computation.isKnown && computation.operation == isa::Operation::Mov &&
         body.instruction(number).operands.count == 2;
}

/// Returns the number that a move copies: its source, or the value of the source set just before in the same block.
std::optional<int64_t> Conditions::movedNumber(uint32_t number) {
  if (const auto known = places.numberAt(number, 1))
    return known;
  const Graph &graph = analyses.graph();
  const LocalId source = nameAt(body, number, 1);
  std::optional<uint32_t> last;
  if (source != LocalId::None)
    body.definitions.eachWriter(source, [&](uint32_t writer) {
      last = !last && writer < number ? std::optional(writer) : last; // writers are visited last first
    });
  return last && graph.blockOf(*last) == graph.blockOf(number) && body.guard(*last) == LocalId::None && isMove(*last)
             ? places.numberAt(*last, 1)
             : std::nullopt;
}

std::optional<std::pair<LocalId, bool>> Conditions::switchOf(LocalId local) {
  uint32_t writers[2] = {Definitions::none, Definitions::none};
  unsigned count = 0;
  body.definitions.eachWriter(local, [&](uint32_t number) {
    if (count < 2)
      writers[count] = number;
    ++count;
  });
  if (count == 1) {
    const Computation &computation = body.facts(writers[0]).computation;
    const LocalId predicate = nameAt(body, writers[0], 3);
    const auto yes = places.numberAt(writers[0], 1), no = places.numberAt(writers[0], 2);
    if (computation.isKnown && computation.operation == isa::Operation::Selp && predicate != LocalId::None && yes &&
        no && (*yes == 0) != (*no == 0))
      return std::pair(predicate, *no == 0);
    return std::nullopt;
  }
  if (count != 2)
    return std::nullopt;
  const auto [guarded, plain] =
      body.guard(writers[0]) != LocalId::None ? std::pair(writers[0], writers[1]) : std::pair(writers[1], writers[0]);
  const auto yes = movedNumber(guarded), no = movedNumber(plain);
  if (body.guard(guarded) == LocalId::None || body.guard(plain) != LocalId::None || !yes || !no ||
      (*yes == 0) == (*no == 0) || !isMove(guarded) || !isMove(plain) || guarded < plain)
    return std::nullopt;
  return std::pair(body.guard(guarded), (*no == 0) != body.instruction(guarded).guardNot);
}

static llvm::StringRef signOf(isa::WordId comparison, bool isTrue) {
  namespace words = isa::words;
  const llvm::StringRef pairs[][2] = {{"==", "!="}, {"<", ">="}, {"<=", ">"}};
  const auto sign = [&](unsigned pair, bool isFirst) { return pairs[pair][isFirst == isTrue ? 0 : 1]; };
  if (comparison == words::eq || comparison == words::ne)
    return sign(0, comparison == words::eq);
  if (comparison == words::lt || comparison == words::lo || comparison == words::ge || comparison == words::hs)
    return sign(1, comparison == words::lt || comparison == words::lo);
  if (comparison == words::le || comparison == words::ls || comparison == words::gt || comparison == words::hi)
    return sign(2, comparison == words::le || comparison == words::ls);
  return {};
}

std::optional<Conditions::Condition> Conditions::compared(uint32_t number, bool isTrue, unsigned depth) {
  const isa::WordId comparison = body.facts(number).computation.comparison;
  const llvm::StringRef sign = signOf(comparison, isTrue);
  if (sign.empty() || body.instruction(number).operands.count != 3)
    return std::nullopt;
  const LocalId first = nameAt(body, number, 1);
  if (first != LocalId::None && places.numberAt(number, 2) == 0 &&
      (comparison == isa::words::eq || comparison == isa::words::ne))
    if (const auto known = switchOf(first))
      return part({known->first, as(known->second == (isTrue == (comparison == isa::words::ne))), depth + 1});
  return Condition{valueAt(number, 1, depth + 1) + " " + sign.str() + " " + valueAt(number, 2, depth + 1)};
}

std::optional<Conditions::Condition> Conditions::computed(uint32_t number, bool isTrue, unsigned depth) {
  const Computation &computation = body.facts(number).computation;
  if (computation.isKnown && computation.operation == isa::Operation::Setp)
    return compared(number, isTrue, depth);
  if (!computation.isKnown || computation.resultKind != isa::TypeKind::Predicate)
    return std::nullopt;
  const LocalId first = nameAt(body, number, 1), second = nameAt(body, number, 2);
  switch (computation.operation) {
  case isa::Operation::Mov:
  case isa::Operation::Not:
    if (first == LocalId::None)
      return std::nullopt;
    return part({first, as(isTrue == (computation.operation == isa::Operation::Mov)), depth + 1});
  case isa::Operation::Xor:
    if (first == LocalId::None || places.numberAt(number, 2).value_or(0) == 0)
      return std::nullopt;
    return part({first, as(!isTrue), depth + 1});
  case isa::Operation::And:
  case isa::Operation::Or: {
    if (first == LocalId::None || second == LocalId::None)
      return std::nullopt;
    const Condition a = part({first, as(isTrue), depth + 1}), b = part({second, as(isTrue), depth + 1});
    const bool isChoice = (computation.operation == isa::Operation::Or) == isTrue;
    const auto inBrackets = [&](const Condition &one) {
      return one.isChoice != isChoice && one.isChoice ? "(" + one.text + ")" : one.text;
    };
    return Condition{inBrackets(a) + (isChoice ? " or " : " and ") + inBrackets(b), isChoice};
  }
  default: return std::nullopt;
  }
}

Conditions::Condition Conditions::condition(LocalId predicate, bool isTrue, unsigned depth) {
  const uint32_t number = body.symbol(predicate) ? body.definitions.only(predicate) : Definitions::none;
  if (number != Definitions::none && body.guard(number) == LocalId::None && depth <= mostDepth) {
    if (body.facts(number).has(isa::FactKind::Elects))
      return {isTrue ? "elected" : "not elected"};
    if (const auto known = computed(number, isTrue, depth); known && known->text.size() < 80)
      return *known;
  }
  return {(isTrue ? "" : "not ") + body.text(predicate).str()};
}
} // namespace ptxray
