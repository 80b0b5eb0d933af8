#include "Equal/Certify.h"
#include "Emulate/LoadedParts.h"
#include "Equal/Conditions.h"
#include "Equal/TermObserver.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <random>

namespace ptxray::equal {

using machine::Certificate;
using machine::Outcome;

namespace {

/// The contents of all memory of a device.
class SavedMemory {
public:
  /// Saves the contents, unless they are more than `most` bytes.
  explicit SavedMemory(machine::Memory &memory, uint64_t most = UINT64_MAX) : memory(memory), mark(memory.heapMark()) {
    uint64_t total = 0;
    for (const machine::Allocation &one : memory.all())
      total += one.bytes ? one.end - one.begin : 0;
    if (total > most)
      return;
    isSaved = true;
    for (const machine::Allocation &one : memory.all())
      if (one.bytes)
        saved.push_back({one.bytes, {one.bytes, one.bytes + (one.end - one.begin)}});
  }
  void restore() const {
    memory.rewindHeap(mark);
    for (const auto &[to, bytes] : saved)
      llvm::copy(bytes, to);
  }
  /// Returns whether kernels have allocated memory since.
  bool hasHeapChanged() const { return memory.heapMark() != mark; }
  bool isSaved = false;

private:
  machine::Memory &memory;
  uint64_t mark;
  std::vector<std::pair<uint8_t *, std::vector<uint8_t>>> saved;
};

/// Repeats a launch that made decisions by the contents of buffers.
class Repeated {
public:
  Repeated(machine::LoadedModule &module, const machine::Launch &asked, const SavedMemory &start,
           Certificate &certificate)
      : module(module), asked(asked), start(start), certificate(certificate) {
    this->asked.counts = false;
    this->asked.traced.reset();
    this->asked.watch = nullptr;
    constexpr double most = 60;
    this->asked.seconds = asked.seconds > 0 ? std::min(asked.seconds, most) : most;
  }
  void run();

private:
  Conditions find();
  Outcome launch() { return machine::launch(module, asked); }
  bool isFollowed(const Conditions &found, const Certificate::Use &use) const;
  bool areConfirmed(llvm::ArrayRef<Condition> conditions);
  void add(Condition one, bool isProved);
  void addTested(Condition one);
  void fill(const Condition &one, unsigned pattern);
  size_t numberOf(llvm::StringRef buffer) const {
    return static_cast<size_t>(llvm::find_if(certificate.buffers, [&](const auto &one) { return one.name == buffer; }) -
                               certificate.buffers.begin());
  }

  machine::LoadedModule &module;
  machine::Launch asked;
  const SavedMemory &start;
  Certificate &certificate;
};

} // namespace

/// Returns whether all contents satisfy a condition.
static bool isTrivial(const Condition &one) {
  const Wide size = Wide(1) << 8 * one.bytes, least = one.isSigned ? -size / 2 : 0;
  return one.low <= least && one.high >= least + size - 1 && one.modulus == 1 && !one.distance;
}

static bool isClean(const Outcome &outcome) {
  return outcome.isComplete && outcome.refusal.empty() && outcome.diagnostics.empty();
}

/// Finds the conditions under which the launch makes the same decisions.
Conditions Repeated::find() {
  Terms terms;
  Followed followed;
  followed.followsDecisions = true;
  std::vector<llvm::MutableArrayRef<uint8_t>> buffers;
  std::vector<std::vector<uint8_t>> contents;
  start.restore();
  for (const Certificate::Buffer &one : certificate.buffers) {
    buffers.push_back(one.bytes);
    contents.emplace_back(one.bytes.begin(), one.bytes.end());
  }
  terms.setContents(std::move(contents));
  asked.certifies = true;
  asked.observers = {[&] { return std::make_unique<TermObserver>(terms, module.parts->module, buffers, followed); }};
  const Outcome outcome = launch();
  asked.certifies = false;
  asked.observers.clear();
  Conditions found;
  if (isClean(outcome) && followed.obstacle.empty())
    found = conditionsOf(terms, followed.decisions, followed.written);
  else
    found.areVague = true;
  return found;
}

/// Returns whether the terms decided all that the contents of a buffer decided.
bool Repeated::isFollowed(const Conditions &found, const Certificate::Use &use) const {
  const auto buffer = static_cast<uint32_t>(numberOf(use.buffer));
  return !found.areVague && llvm::all_of(certificate.sites, [&](const Certificate::Use &site) {
    return site.buffer != use.buffer || found.sites.contains({site.range.begin, buffer});
  });
}

/// Returns a signed or unsigned element of a buffer.
static Wide elementAt(llvm::ArrayRef<uint8_t> bytes, uint64_t at, const Condition &one) {
  uint64_t value = 0;
  std::memcpy(&value, bytes.data() + at, one.bytes);
  const unsigned bits = 8 * one.bytes;
  return one.isSigned ? Wide(llvm::SignExtend64(value, bits)) : Wide(value);
}

/// Sets the elements of a buffer to the ends of a condition (patterns 0 to 3), or to random numbers between them.
void Repeated::fill(const Condition &one, unsigned pattern) {
  const llvm::MutableArrayRef<uint8_t> bytes = certificate.buffers[one.number].bytes;
  const auto modulus = static_cast<Wide>(one.modulus), rest = static_cast<Wide>(one.rest);
  const auto upTo = [&](Wide number) { // the next smaller number with the rest
    const Wide away = (number - rest) % modulus;
    return number - (away < 0 ? away + modulus : away);
  };
  std::mt19937_64 random(pattern);
  const Wide high = upTo(one.high), low = upTo(one.low + modulus - 1);
  std::vector<Wide> values;
  for (uint64_t at = one.first; at + one.bytes <= bytes.size(); at += one.stride) {
    const bool isTop = pattern < 2 ? pattern : (values.size() + pattern) % 2 != 0;
    Wide value = pattern < 4 ? (isTop ? high : low) : upTo(low + static_cast<Wide>(random()) % (high - low + 1));
    if (one.distance) { // steps as small or as large as they may be, as long as the bounds allow
      const uint64_t part = pattern < 4 ? 1 : random() % 8 + 1;
      value = pattern == 1 ? high - std::min(high - low, one.greatestStep * Wide(bytes.size() / one.stride)) : low;
      if (values.size() >= one.distance)
        value = values[values.size() - one.distance] + (isTop ? one.greatestStep / Wide(part) : one.leastStep);
    }
    values.push_back(std::clamp(value, low, high));
    for (uint32_t i = 0; i < one.bytes; ++i)
      bytes[at + i] = static_cast<uint8_t>(values.back() >> 8 * i);
  }
}

/// Launches the kernel with contents at the ends of conditions, and between them. Returns whether no launch has a
/// finding.
bool Repeated::areConfirmed(llvm::ArrayRef<Condition> conditions) {
  constexpr unsigned patterns = 6;
  for (unsigned pattern = 0; pattern < patterns && !conditions.empty(); ++pattern) {
    start.restore();
    for (const Condition &one : conditions)
      fill(one, pattern);
    if (!isClean(launch()))
      return false;
  }
  return true;
}

void Repeated::add(Condition one, bool isProved) {
  one.buffer = certificate.buffers[one.number].name;
  one.isProved = isProved;
  certificate.conditions.push_back(one);
}

/// Tries whether the bounds of the contents of the launch, or these and their order, are a condition.
void Repeated::addTested(Condition one) {
  start.restore();
  const llvm::ArrayRef<uint8_t> bytes = certificate.buffers[one.number].bytes;
  bool isSorted = true;
  std::optional<Wide> last;
  for (uint64_t at = one.first; at + one.bytes <= bytes.size(); at += one.stride) {
    const Wide value = elementAt(bytes, at, one);
    one.low = last ? std::min(one.low, value) : value;
    one.high = last ? std::max(one.high, value) : value;
    isSorted &= !last || *last <= value;
    last = value;
  }
  one.modulus = 1;
  one.rest = one.distance = 0;
  if (!last || one.low == one.high)
    return;
  bool isEnough = areConfirmed(one);
  if (!isEnough && isSorted) {
    one.distance = 1;
    one.leastStep = 0;
    one.greatestStep = one.high - one.low;
    isEnough = areConfirmed(one);
  }
  if (isEnough)
    add(one, /*isProved=*/false);
}

void Repeated::run() {
  const Conditions found = find();
  std::vector<Condition> conditions;
  const auto explain = [&](const Certificate::Use &use, llvm::StringRef why, Range at) {
    certificate.unconditional.push_back({use.buffer, {why.str(), at}});
  };
  std::vector<Certificate::Use> proved; // their values do not matter after all
  for (const Certificate::Use &use : certificate.uses) {
    const size_t buffer = numberOf(use.buffer);
    const auto ofBuffer = [&](const Condition &one) { return one.number == buffer; };
    const auto failed = llvm::find_if(found.none, [&](const Unconditional &one) { return one.buffer == buffer; });
    if (buffer == certificate.buffers.size() || !isFollowed(found, use))
      explain(use, "a value that is not followed decides something", {});
    else if (failed != found.none.end())
      explain(use, failed->why, failed->at);
    else if (llvm::none_of(found.all, [&](const Condition &one) { return ofBuffer(one) && !isTrivial(one); }))
      proved.push_back(use);
    else
      llvm::copy_if(found.all, std::back_inserter(conditions),
                    [&](const Condition &one) { return ofBuffer(one) && !isTrivial(one); });
  }
  if (!areConfirmed(conditions)) {
    for (const Condition &one : conditions)
      certificate.unconditional.push_back(
          {certificate.buffers[one.number].name, {"a launch with contents at the ends has findings", {}}});
    return;
  }
  llvm::erase_if(certificate.uses, [&](const Certificate::Use &use) {
    return llvm::any_of(proved, [&](const Certificate::Use &one) { return one.buffer == use.buffer; });
  });
  for (const Condition &one : conditions)
    add(one, /*isProved=*/true);
  for (const Condition &one : found.elements)
    if (llvm::count_if(found.elements, [&](const Condition &other) { return other.number == one.number; }) == 1)
      addTested(one);
}

Outcome launchCertified(machine::LoadedModule &module, const machine::Launch &asked, uint64_t most) {
  const uint64_t mostBytes = most == UINT64_MAX ? 1 << 30 : 4 << 20; // a copy of more would take longer than the launch
  machine::Memory &memory = module.parts->memory;
  const SavedMemory start(memory, mostBytes);
  Outcome outcome = machine::launch(module, asked);
  const bool isUseful = outcome.certificate && isClean(outcome) && !outcome.certificate->uses.empty() &&
                        outcome.certificate->obstacles.empty();
  if (!isUseful)
    return outcome;
  if (!start.isSaved || start.hasHeapChanged() || outcome.laneInstructions > most) {
    outcome.certificate->isTooLarge = true;
    return outcome;
  }
  const SavedMemory end(memory);
  Repeated(module, asked, start, *outcome.certificate).run();
  end.restore();
  return outcome;
}

} // namespace ptxray::equal
