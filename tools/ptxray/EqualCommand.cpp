// `ptxray equal`: whether two kernels leave the same in memory (docs/equal.md).
#include "../launcher/LaunchOptions.h"
#include "Binaries.h"
#include "Emulate/Launch.h"
#include "EqualRuns.h"
#include "Run.h"
#include "Source/JsonValue.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <array>
#include <chrono>
#include <cmath>

namespace ptxray {

using llvm::StringRef;

namespace {

enum class Equality : uint8_t { Bits, Real, Different, Unknown };

/// The first element in which two launches differ.
struct ElementDifference {
  std::string buffer, first, second;
  uint64_t index = 0;
};

struct EqualAnswer {
  Equality verdict = Equality::Unknown;
  std::string why; // the obstacle, or the fault
  std::string at;  // the line of the obstacle
  std::optional<ElementDifference> difference;
  std::string contents; // a name of the contents that show the difference
};

/// The two launches and their comparison.
class Comparison {
public:
  Comparison(EqualSide &a, EqualSide &b, const ContentMaker &contents) : a(a), b(b), contents(contents) {}
  EqualAnswer run();

private:
  std::optional<EqualAnswer> findFault();
  std::optional<EqualAnswer> compareTerms();
  std::optional<EqualAnswer> refute();
  std::optional<ElementDifference> differenceOf(const std::vector<launcher::Bytes> &x,
                                                const std::vector<launcher::Bytes> &y,
                                                const std::vector<launcher::Bytes> *noise, size_t &count);
  bool keepsKnown(EqualSide &side, const equal::Followed &terms, const std::vector<launcher::Bytes> &left);
  size_t realBytes(const std::vector<equal::Ref> &x, const std::vector<equal::Ref> &y, size_t byte);
  bool follow(EqualSide &side, unsigned number, equal::Followed &out);
  bool leavesTheSame(const std::vector<launcher::Bytes> &start);
  std::optional<EqualAnswer> faultOf(const machine::Outcome &x, const machine::Outcome &y, StringRef where);
  bool seesDifference(unsigned kind, uint64_t seed, EqualAnswer &answer);

  EqualSide &a, &b;
  const ContentMaker &contents;
  equal::Terms terms;
  EqualAnswer unknown;
};

} // namespace

static bool isGood(const machine::Outcome &outcome) {
  return outcome.isComplete && outcome.refusal.empty() &&
         llvm::none_of(outcome.diagnostics, [](const Diagnostic &one) { return one.severity == Severity::Error; });
}

static std::string placeIn(const EqualSide &side, Range range) {
  const LineColumn at = side.report().source->lineColumn(range.begin);
  return side.report().path + ":" + std::to_string(at.line) + ":" + std::to_string(at.column);
}

/// Returns an answer if a launch has a fault.
std::optional<EqualAnswer> Comparison::faultOf(const machine::Outcome &x, const machine::Outcome &y, StringRef where) {
  if (isGood(x) && isGood(y))
    return {};
  EqualAnswer answer;
  const EqualSide &side = isGood(x) ? b : a;
  const machine::Outcome &bad = isGood(x) ? y : x;
  if (bad.isOutOfTime || bad.isOutOfMemory || !bad.refusal.empty()) {
    answer.why = bad.isOutOfTime     ? "a launch takes too long"
                 : bad.isOutOfMemory ? "a launch takes too much memory"
                                     : bad.refusal;
    return answer;
  }
  for (const Diagnostic &one : bad.diagnostics)
    if (one.severity == Severity::Error) {
      answer.why = "`" + side.kernel() + "` has a fault: " + one.message() + " [" + info(one.id).id.str() + "]";
      answer.at = placeIn(side, one.range);
      break;
    }
  if (isGood(x) != isGood(y) && !answer.why.empty())
    answer.verdict = Equality::Different;
  else
    answer.why = "both kernels have a fault: " + answer.why;
  answer.contents = where.str();
  return answer;
}

std::optional<EqualAnswer> Comparison::findFault() {
  const std::vector<launcher::Bytes> start = contents.make(0, 1);
  for (const uint32_t schedule : {0u, 1u, 2u}) {
    a.timing = b.timing = *machine::Timing::read(machine::Timing::textOf(schedule));
    const machine::Outcome x = a.launch(start), y = b.launch(start);
    if (std::optional<EqualAnswer> fault = faultOf(x, y, "schedule " + machine::Timing::textOf(schedule)))
      return fault;
  }
  a.timing = b.timing = {};
  return {};
}

/// Launches a kernel and follows its terms. Returns false if they say nothing.
bool Comparison::follow(EqualSide &side, unsigned number, equal::Followed &out) {
  terms.setRun(number);
  const auto make = [&] { return std::make_unique<equal::TermObserver>(terms, side.module(), side.memory(), out); };
  const machine::Outcome outcome = side.launch(contents.make(0, 1), /*certifies=*/true, {make});
  if (!isGood(outcome)) {
    unknown.why = "the launch has a fault";
    return false;
  }
  if (!out.obstacle.empty()) {
    unknown.why = out.obstacle;
    unknown.at = placeIn(side, *out.at);
    return false;
  }
  if (!outcome.certificate || !outcome.certificate->holds()) {
    unknown.why = "contents, or the order of threads, decide more than data";
    if (outcome.certificate && !outcome.certificate->uses.empty())
      unknown.at = placeIn(side, outcome.certificate->uses.front().range);
    return false;
  }
  return true;
}

bool Comparison::leavesTheSame(const std::vector<launcher::Bytes> &start) {
  const machine::Outcome x = a.launch(start);
  const std::vector<launcher::Bytes> left = a.bytes();
  const machine::Outcome y = b.launch(start);
  return isGood(x) && isGood(y) && left == b.bytes();
}

/// Returns how many bytes from one on are the same real number; 0: that is not known.
size_t Comparison::realBytes(const std::vector<equal::Ref> &x, const std::vector<equal::Ref> &y, size_t byte) {
  if (x[byte].term == equal::unknown || y[byte].term == equal::unknown)
    return 0;
  const ElementType *type = nullptr;
  for (const auto *side : {&x, &y})
    if (const ElementType *found = terms.floatTypeOf((*side)[byte].term); found && (*side)[byte].byte == 0 && !type)
      type = found;
  if (!type) { // no float: integers that are computed from equal numbers
    const bool isSame = terms.real(x[byte].term).equals(terms.real(y[byte].term)) && x[byte].byte == y[byte].byte;
    return isSame ? 1 : 0;
  }
  const ElementType as = *type;
  const size_t count = as.bits / 8;
  if (byte + count > x.size() || byte + count > y.size())
    return 0;
  const auto realOf = [&](const std::vector<equal::Ref> &side) {
    const equal::Term bits = terms.join(llvm::ArrayRef(side).slice(byte, count));
    return bits == equal::unknown ? terms.real(bits) : terms.real(terms.read(bits, as, false));
  };
  const equal::Real first = realOf(x), second = realOf(y);
  return first.equals(second) ? count : 0;
}

/// Launches a kernel on other contents. Returns whether bytes without a term are as before, and moved bytes are those
/// that terms name.
bool Comparison::keepsKnown(EqualSide &side, const equal::Followed &terms, const std::vector<launcher::Bytes> &left) {
  for (const unsigned kind : {0, 4, 12}) {
    const std::vector<launcher::Bytes> start = contents.make(kind, 7);
    if (!isGood(side.launch(start))) {
      unknown.why = "the launch has a fault for some contents";
      return false;
    }
    const std::vector<launcher::Bytes> now = side.bytes();
    for (size_t i = 0; i < now.size(); ++i)
      for (size_t byte = 0; byte < now[i].size(); ++byte) {
        const equal::Ref ref = terms.buffers[i][byte];
        const equal::Node &node = this->terms[ref.term];
        const bool isLeaf = ref.term > equal::unknown && node.kind == equal::Node::Kind::Leaf;
        const unsigned char expected = ref.term == equal::none ? left[i][byte]
                                       : isLeaf                ? start[node.first][node.second]
                                                               : now[i][byte];
        if (expected != now[i][byte]) {
          unknown.why = "a value depends on contents in a way that is not followed";
          return false;
        }
      }
  }
  return true;
}

std::optional<EqualAnswer> Comparison::compareTerms() {
  std::vector<std::vector<uint8_t>> start;
  for (const launcher::Bytes &one : contents.make(0, 1))
    start.emplace_back(one.begin(), one.end());
  terms.setContents(std::move(start));
  equal::Followed x, y;
  if (!follow(a, 1, x))
    return {};
  const std::vector<launcher::Bytes> left = a.bytes();
  if (!follow(b, 2, y))
    return {};
  const std::vector<launcher::Bytes> right = b.bytes();
  if (!keepsKnown(a, x, left) || !keepsKnown(b, y, right))
    return unknown;
  for (auto [side, bytes] : {std::pair(&x, &left), std::pair(&y, &right)})
    for (size_t i = 0; i < side->buffers.size(); ++i)
      for (size_t byte = 0; byte < side->buffers[i].size(); ++byte)
        if (equal::Ref &ref = side->buffers[i][byte]; ref.term == equal::none)
          ref = {terms.constant((*bytes)[i][byte], 8), 0};
  bool areBits = true, areReal = true;
  for (size_t i = 0; i < x.buffers.size() && areReal; ++i)
    for (size_t byte = 0; byte < x.buffers[i].size() && areReal;) {
      const equal::Ref one = x.buffers[i][byte], other = y.buffers[i][byte];
      if (one == other && one.term != equal::unknown) {
        ++byte;
        continue;
      }
      areBits = false;
      const size_t count = realBytes(x.buffers[i], y.buffers[i], byte);
      areReal = count != 0;
      byte += count;
      if (areReal)
        continue;
      const bool isKnown = one.term != equal::unknown && other.term != equal::unknown;
      const std::string where = "byte " + std::to_string(byte) + " of buffer " + a.buffers()[i].name;
      unknown.why = isKnown ? "no law shows that " + where + " is the same"
                            : where + " is computed in a way that is not followed";
    }
  if (!areReal)
    return {};
  EqualAnswer answer;
  answer.verdict = areBits ? Equality::Bits : Equality::Real;
  // Launches on other contents confirm the laws.
  for (uint64_t seed = 1; areBits && seed <= 3; ++seed)
    if (!leavesTheSame(seed == 1 ? contents.make(0, 2) : contents.edges(seed))) {
      unknown.why = "terms are equal, and results are not: a fault of ptxray";
      return unknown;
    }
  return answer;
}

/// Returns the number of an element that is finite.
static std::optional<double> finiteOf(const launcher::ElementType &type, const launcher::Bytes &bytes, uint64_t index) {
  const double value = launcher::decode(type, launcher::element(type, bytes, index));
  return std::isfinite(value) ? std::optional(value) : std::nullopt;
}

/// Returns the first element that differs by far more than rounding. `noise`: results for contents that were disturbed:
/// of A, then of B.
std::optional<ElementDifference> Comparison::differenceOf(const std::vector<launcher::Bytes> &x,
                                                          const std::vector<launcher::Bytes> &y,
                                                          const std::vector<launcher::Bytes> *noise, size_t &count) {
  static const launcher::ElementType &words = *launcher::findType("u8");
  std::optional<ElementDifference> found;
  count = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    const launcher::ElementType &type = contents.typeOf(i) ? *contents.typeOf(i) : words;
    if (!contents.typeOf(i) && contents.hasFloats())
      continue; // the type of the elements is not known
    for (uint64_t index = 0; index < launcher::countIn(type, x[i].size()); ++index) {
      const uint64_t one = launcher::element(type, x[i], index), other = launcher::element(type, y[i], index);
      if (one == other)
        continue;
      if (type.kind == launcher::ElementType::Float) {
        const std::optional<double> p = finiteOf(type, x[i], index), q = finiteOf(type, y[i], index);
        if (!p || !q)
          continue;
        // How much results change where contents change slightly: of A, and of B.
        std::array<double, 2> change{};
        bool isKnown = noise != nullptr;
        for (size_t k = 0; isKnown && k < 4; ++k) {
          const std::optional<double> near = finiteOf(type, noise[k][i], index);
          isKnown = near.has_value();
          if (isKnown)
            change[k % 2] += std::abs(*near - (k % 2 ? *q : *p));
        }
        const double rounding =
            0.002 * std::max(std::abs(*p), std::abs(*q)) + 8 * std::min(change[0], change[1]) + 1e-30;
        if (!isKnown || std::abs(*p - *q) <= rounding)
          continue;
      } else if (noise) { // integers of floats: those that slight changes do not move
        bool isStable = true;
        for (size_t k = 0; k < 4; ++k)
          isStable &= launcher::element(type, noise[k][i], index) == (k % 2 ? other : one);
        if (!isStable)
          continue;
      }
      ++count;
      if (!found)
        found = ElementDifference{a.buffers()[i].name, launcher::show(type, one), launcher::show(type, other), index};
    }
  }
  return found;
}

/// Launches both kernels on contents of a kind. Returns whether they differ.
bool Comparison::seesDifference(unsigned kind, uint64_t seed, EqualAnswer &answer) {
  const std::vector<launcher::Bytes> start = contents.make(kind, seed);
  const std::string name = "kind " + std::to_string(kind) + ", seed " + std::to_string(seed);
  const machine::Outcome first = a.launch(start);
  const std::vector<launcher::Bytes> x = a.bytes();
  const machine::Outcome second = b.launch(start);
  const std::vector<launcher::Bytes> y = b.bytes();
  if (std::optional<EqualAnswer> fault = faultOf(first, second, name)) {
    answer = *fault;
    return fault->verdict == Equality::Different;
  }
  if (x == y)
    return false;
  std::vector<launcher::Bytes> noise[4];
  if (contents.hasFloats())
    for (size_t k = 0; k < 4; ++k) {
      EqualSide &side = k % 2 ? b : a;
      if (!isGood(side.launch(contents.disturbed(start, seed + k / 2))))
        return false;
      noise[k] = side.bytes();
    }
  size_t count = 0;
  answer.difference = differenceOf(x, y, contents.hasFloats() ? noise : nullptr, count);
  answer.contents = name;
  if (answer.difference)
    answer.verdict = Equality::Different;
  return answer.difference.has_value();
}

/// Searches for contents for which the kernels differ by far more than rounding.
std::optional<EqualAnswer> Comparison::refute() {
  constexpr std::chrono::seconds most(30);
  const auto begin = std::chrono::steady_clock::now();
  for (const uint64_t seed : {1, 2})
    for (unsigned kind = 0; kind < ContentMaker::kinds && std::chrono::steady_clock::now() - begin < most; ++kind)
      if (EqualAnswer answer; seesDifference(kind, seed, answer))
        return answer;
  return {};
}

EqualAnswer Comparison::run() {
  if (a.buffers().size() != b.buffers().size()) {
    unknown.why = "the kernels take other buffers";
    return unknown;
  }
  if (std::optional<EqualAnswer> fault = findFault())
    return *fault;
  std::optional<EqualAnswer> proved = compareTerms();
  if (proved && proved->verdict == Equality::Bits)
    return *proved;
  if (proved && proved->verdict == Equality::Unknown)
    return *proved;
  std::optional<EqualAnswer> refuted;
  if (proved) { // a function that is real must not differ for usual contents
    EqualAnswer answer;
    if (seesDifference(0, 1, answer) || seesDifference(1, 1, answer)) {
      unknown.why = "the real functions are equal, and results differ by more than rounding";
      return unknown;
    }
    return *proved;
  }
  if ((refuted = refute()))
    return *refuted;
  return unknown;
}

// ---- the command

/// Returns the arguments of `run` for one of the two: options that end in `-b` are those of B.
static Arguments argumentsFor(const Arguments &given, bool isB) {
  Arguments result;
  for (const auto &[name, value] : given.options) {
    const bool isOfB = name.ends_with("-b") && name.starts_with("--");
    if (!isOfB)
      result.options.push_back({name, value});
  }
  static std::vector<std::unique_ptr<std::string>> names;
  for (const auto &[name, value] : given.options)
    if (isB && name.ends_with("-b")) {
      names.push_back(std::make_unique<std::string>(name.drop_back(2).str()));
      llvm::erase_if(result.options, [&](const auto &one) { return one.first == *names.back(); });
      result.options.push_back({*names.back(), value});
    }
  result.operands.push_back(given.operands[isB ? 1 : 0]);
  result.operands.insert(result.operands.end(), given.operands.begin() + 2, given.operands.end());
  return result;
}

static const char *wordOf(Equality verdict) {
  switch (verdict) {
  case Equality::Bits: return "bits";
  case Equality::Real: return "real";
  case Equality::Different: return "different";
  default: return "unknown";
  }
}

static const char *sentenceOf(Equality verdict) {
  switch (verdict) {
  case Equality::Bits: return "equal: the same bits for all contents";
  case Equality::Real: return "equal as real functions: only rounding differs";
  case Equality::Different: return "different";
  default: return "not decided";
  }
}

static void print(const EqualAnswer &answer) {
  llvm::raw_ostream &out = llvm::outs();
  out << sentenceOf(answer.verdict) << '\n';
  if (!answer.at.empty())
    out << "  " << answer.at << ": " << answer.why << '\n';
  else if (!answer.why.empty())
    out << "  " << answer.why << '\n';
  if (const std::optional<ElementDifference> &one = answer.difference)
    out << "  buffer " << one->buffer << ", element " << one->index << ": " << one->first << " and " << one->second
        << '\n';
  if (!answer.contents.empty())
    out << "  contents: " << answer.contents << '\n';
}

static void printJson(const EqualAnswer &answer) {
  Json json = {{"version", 1}, {"verdict", wordOf(answer.verdict)}};
  if (!answer.why.empty())
    json["why"] = answer.why;
  if (!answer.at.empty())
    json["at"] = answer.at;
  if (const std::optional<ElementDifference> &one = answer.difference)
    json["difference"] = {{"buffer", one->buffer}, {"element", one->index}, {"a", one->first}, {"b", one->second}};
  if (!answer.contents.empty())
    json["contents"] = answer.contents;
  llvm::outs() << dump(json, 2) << '\n';
}

static int runEqual(const Arguments &arguments) {
  EqualSide a, b;
  if (const int status = a.prepare(argumentsFor(arguments, false)))
    return status;
  if (const int status = b.prepare(argumentsFor(arguments, true)))
    return status;
  const ContentMaker contents(a.buffers(), {a.report().source->text(), b.report().source->text()});
  const EqualAnswer answer = Comparison(a, b, contents).run();
  if (arguments.value("--format").value_or("text") == "json")
    printJson(answer);
  else
    print(answer);
  switch (answer.verdict) {
  case Equality::Bits: return Clean;
  case Equality::Real: return EqualReals;
  case Equality::Different: return KernelFailed;
  default: return NotEmulated;
  }
}

Command equalCommand() {
  std::vector<Option> options;
  for (const Option &one : launchOptions())
    for (const char *name : {"--kernel", "--grid", "--block", "--cluster", "--shared", "--cooperative", "--buffer",
                             "--variable", "--type", "--time-limit"})
      if (StringRef(one.name) == name)
        options.push_back(one);
  options.insert(options.end(), {{"--kernel-b", "NAME", "the kernel of the second file"},
                                 {"--grid-b", "X[,Y,Z]", "its blocks, if they are others"},
                                 {"--block-b", "X[,Y,Z]", "its threads of a block"},
                                 {"--cluster-b", "X[,Y,Z]", "its blocks of a cluster"},
                                 {"--shared-b", "BYTES", "its dynamic shared memory"},
                                 textOrJsonOption(),
                                 entryOption()});
  return {
      .name = "equal",
      .summary = "find out whether two kernels leave the same in memory, for all contents of their buffers",
      .syntax = {.operands = "A.ptx B.ptx ARGUMENT...", .fewest = 2, .most = anyNumber, .options = std::move(options)},
      .run = runEqual};
}

} // namespace ptxray
