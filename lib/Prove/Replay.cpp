#include "Prove/Replay.h"
#include "Diagnostics/IdFor.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include <chrono>
#include <cstring>
#include <deque>

namespace ptxray::prove {

namespace {

using Clock = std::chrono::steady_clock;

enum class Contents : uint8_t { Zeros, Iota, Ones };
constexpr uint64_t usualBytes = 1 << 20, usualShared = 16 << 10;

struct Scalar {
  int parameter;
  bool isFloat;
  __int128 low, high;
};

/// A launch under construction.
struct Launching {
  machine::Memory memory;
  std::deque<std::vector<uint8_t>> buffers;
  std::vector<std::vector<uint8_t>> arguments;
  Witness witness;
};

class Replayer {
public:
  explicit Replayer(const ReplayTask &task) : task(task) {}
  std::optional<Witness> run(llvm::ArrayRef<Trial> first, unsigned most);

private:
  std::vector<Scalar> scalarsOf() const;
  std::optional<Trial> trialFor(unsigned number, const std::vector<Scalar> &scalars,
                                const std::map<int, int64_t> &given) const;
  bool isAllowed(const Trial &trial, const std::map<int, int64_t> &bytes) const;
  std::map<int, int64_t> lengthsFor(const Trial &trial) const;
  std::optional<Witness> launch(const Trial &trial, Contents contents);
  bool addArgument(int parameter, const Trial &trial, const std::map<int, int64_t> &lengths, Contents contents,
                   Launching &made);
  bool isFault(const Diagnostic &diagnostic, bool hasLengths) const;
  double left() const { return task.seconds - std::chrono::duration<double>(Clock::now() - begin).count(); }

  const ReplayTask &task;
  const Clock::time_point begin = Clock::now();
};

} // namespace

static bool isFloatType(llvm::StringRef type) { return type.starts_with(".f") || type.starts_with(".bf"); }

std::vector<Scalar> Replayer::scalarsOf() const {
  std::vector<Scalar> scalars;
  const std::map<int, ParameterRange> ranges = rangesOf(task.assumed);
  for (size_t i = 0; i < task.kernel.parameters.size(); ++i) {
    const auto &one = task.kernel.parameters[i];
    if (one.isArray || one.bytes > 8 || llvm::is_contained(task.buffers, static_cast<int>(i)))
      continue;
    Scalar scalar{static_cast<int>(i), isFloatType(one.type), 0, (static_cast<__int128>(1) << (8 * one.bytes - 1)) - 1};
    if (const auto range = ranges.find(scalar.parameter); range != ranges.end()) {
      scalar.low = range->second.low > INT64_MIN ? range->second.low : scalar.low;
      scalar.high = std::min(scalar.high, range->second.high);
    }
    scalars.push_back(scalar);
  }
  return scalars;
}

/// Returns the numbers of one trial: first all equal, then mixed.
std::optional<Trial> Replayer::trialFor(unsigned number, const std::vector<Scalar> &scalars,
                                        const std::map<int, int64_t> &given) const {
  const int64_t x = task.shape.block[0];
  const int64_t threads = static_cast<int64_t>(task.shape.threads());
  const auto grid = task.shape.grid.value_or(std::array<uint32_t, 3>{number % 3 == 2   ? 1u
                                                                     : number % 3 == 1 ? 3u
                                                                                       : 2u,
                                                                     1, 1});
  const int64_t all = x * grid[0];
  const int64_t wanted[] = {all, x,    33, 7, 2,       1,   64, 100, threads, 3 * x + 5,
                            16,  1000, 5,  0, all / 2, 256, 13, 4,   8,       2 * x};
  constexpr unsigned count = std::size(wanted);
  Trial trial;
  trial.grid = grid;
  uint32_t state = number * 2654435761u + 12345u;
  for (const Scalar &scalar : scalars) {
    state = state * 1664525u + 1013904223u;
    const int64_t pick = number < count ? wanted[number] : wanted[(state >> 16) % count];
    const __int128 value = std::clamp<__int128>(pick, scalar.low, std::max(scalar.low, scalar.high));
    trial.scalars[scalar.parameter] = scalar.isFloat ? 1 : static_cast<int64_t>(value);
  }
  for (const auto &[parameter, value] : given)
    trial.scalars[parameter] = value;
  return trial;
}

/// Returns the lengths that assumptions define by other numbers.
std::map<int, int64_t> Replayer::lengthsFor(const Trial &trial) const {
  std::map<int, int64_t> bytes;
  for (const Comparison &one : task.assumed) {
    const bool isLeft = one.left.size() == 1 && one.left[0].kind == AssumedValue::Kind::Bytes;
    const bool isRight = one.right.size() == 1 && one.right[0].kind == AssumedValue::Kind::Bytes;
    if (!isLeft && !isRight)
      continue;
    const int buffer = static_cast<int>(isLeft ? one.left[0].number : one.right[0].number);
    const auto value =
        valueOf(isLeft ? one.right : one.left, trial.scalars, {}, static_cast<int64_t>(task.shape.shared.value_or(0)));
    if (value && *value >= 0 && *value <= 1 << 28 && one.kind != Comparison::Kind::Unequal)
      bytes.try_emplace(buffer, *value);
  }
  return bytes;
}

bool Replayer::isAllowed(const Trial &trial, const std::map<int, int64_t> &bytes) const {
  return llvm::all_of(task.assumed, [&](const Comparison &one) {
    bool isKnown = false;
    const bool isMet = holds(one, trial.scalars, bytes, static_cast<int64_t>(task.shape.shared.value_or(0)), isKnown);
    return isKnown && isMet;
  });
}

bool Replayer::isFault(const Diagnostic &diagnostic, bool hasLengths) const {
  const bool isOnChip =
      llvm::is_contained(diagnostic.args, "shared memory") || llvm::is_contained(diagnostic.args, "local memory");
  switch (diagnostic.id) {
  case DiagId::RunRace:
  case DiagId::RunHang: return true;
  case DiagId::RunOutOfBounds: return hasLengths || isOnChip;
  default: return false;
  }
}

/// Returns a number as the bits of a float with `bytes` bytes.
static uint64_t bitsOfFloat(double number, uint64_t bytes) {
  const auto single = static_cast<float>(number);
  uint32_t bits = 0;
  std::memcpy(&bits, &single, sizeof bits);
  uint64_t wide = bits;
  if (bytes == 8)
    std::memcpy(&wide, &number, sizeof wide);
  return wide;
}

static std::vector<uint8_t> filled(uint64_t bytes, Contents contents) {
  std::vector<uint8_t> result(bytes);
  if (contents == Contents::Zeros)
    return result;
  for (uint32_t i = 0; uint64_t(i) * 4 + 4 <= bytes; ++i) {
    const uint32_t value = contents == Contents::Iota ? i : 1;
    std::memcpy(&result[uint64_t(i) * 4], &value, 4);
  }
  return result;
}

static std::string specOf(uint64_t bytes, Contents contents) {
  if (contents == Contents::Zeros || bytes % 4)
    return "zeros:" + std::to_string(bytes);
  const std::string count = std::to_string(bytes / 4);
  return contents == Contents::Iota ? "iota:u32:" + count : "fill:u32:" + count + ":1";
}

/// Adds the argument of a parameter. Returns false if the command line has no notation for it.
bool Replayer::addArgument(int parameter, const Trial &trial, const std::map<int, int64_t> &lengths, Contents contents,
                           Launching &made) {
  const auto &one = task.kernel.parameters[static_cast<size_t>(parameter)];
  std::vector<uint8_t> &argument = made.arguments.emplace_back(one.bytes);
  uint64_t value = 0;
  if (llvm::is_contained(task.buffers, parameter)) {
    const auto length = lengths.find(parameter);
    const uint64_t bytes =
        length == lengths.end() ? usualBytes : std::max<uint64_t>(1, static_cast<uint64_t>(length->second));
    const Contents how = bytes % 4 ? Contents::Zeros : contents;
    made.buffers.push_back(filled(bytes, how));
    value = made.memory.add(made.buffers.back(), "argument " + std::to_string(parameter));
    made.witness.arguments.push_back(specOf(bytes, how));
  } else if (const auto found = trial.scalars.find(parameter); found != trial.scalars.end()) {
    const bool isFloat = isFloatType(one.type);
    if (isFloat && one.bytes != 4 && one.bytes != 8)
      return false;
    value = isFloat ? bitsOfFloat(static_cast<double>(found->second), one.bytes) : static_cast<uint64_t>(found->second);
    made.witness.arguments.push_back(std::to_string(found->second));
    if (!isFloat)
      made.witness.sizes.push_back(one.name + " = " + std::to_string(found->second));
  } else {
    return false;
  }
  std::memcpy(argument.data(), &value, std::min<size_t>(8, one.bytes));
  return true;
}

std::optional<Witness> Replayer::launch(const Trial &trial, Contents contents) {
  const std::map<int, int64_t> lengths = lengthsFor(trial);
  if (!isAllowed(trial, lengths))
    return {};
  Launching made;
  for (size_t i = 0; i < task.kernel.parameters.size(); ++i)
    if (!addArgument(static_cast<int>(i), trial, lengths, contents, made))
      return {};
  Witness &witness = made.witness;
  machine::LoadedModule loaded(task.module, made.memory);
  machine::Launch asked;
  asked.kernel = task.kernel.name;
  asked.grid = witness.grid = trial.grid;
  asked.block = task.shape.block;
  asked.shared = static_cast<uint32_t>(task.shape.shared.value_or(task.usesDynamicShared ? usualShared : 0));
  asked.parameters = laidOut(task.kernel, made.arguments);
  asked.seconds = std::clamp(left(), 0.1, 3.0);
  asked.cores = 1;
  witness.schedule = trial.schedule;
  if (!trial.schedule.empty())
    asked.timing = *machine::Timing::read(trial.schedule);
  const machine::Outcome outcome = machine::launch(loaded, asked);
  witness.shared = asked.shared;
  bool isElsewhere = false; // a fault that is not part of the question, but that these buffers may have caused
  for (const Diagnostic &one : outcome.diagnostics)
    if (isFault(one, !lengths.empty()))
      witness.faults.push_back(one);
    else
      isElsewhere = true;
  if (witness.faults.empty() || isElsewhere)
    return {};
  return std::move(witness);
}

std::optional<Witness> Replayer::run(llvm::ArrayRef<Trial> first, unsigned most) {
  const std::vector<Scalar> scalars = scalarsOf();
  const Contents all[] = {Contents::Iota, Contents::Zeros, Contents::Ones};
  for (const Trial &given : first) {
    Trial trial = *trialFor(0, scalars, given.scalars);
    trial.grid = given.grid;
    for (const char *schedule : {"", "1", "2"})
      for (const Contents contents : all)
        if (left() > 0) {
          trial.schedule = schedule;
          if (auto witness = launch(trial, contents))
            return witness;
        }
  }
  std::vector<std::pair<std::map<int, int64_t>, std::string>> tried;
  for (unsigned number = 0; number < most && left() > 0; ++number) {
    Trial trial = *trialFor(number, scalars, {});
    if (number >= 6) // the default order of warps hides some faults
      trial.schedule = number % 4 ? std::to_string(number % 4) : "";
    const std::pair key(trial.scalars, trial.schedule);
    if (task.shape.grid && llvm::is_contained(tried, key))
      continue;
    tried.push_back(key);
    for (const Contents contents : all)
      if (left() > 0)
        if (auto witness = launch(trial, contents))
          return witness;
  }
  return {};
}

std::optional<Witness> replay(const ReplayTask &task, llvm::ArrayRef<Trial> first, unsigned most) {
  return Replayer(task).run(first, most);
}

} // namespace ptxray::prove
