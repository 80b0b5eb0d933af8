#include "Debug/Debugger.h"
#include "Debug/Views.h"
#include "llvm/ADT/STLExtras.h"

namespace ptxray::machine::debug {

Debugger::Debugger(LoadedModule &module, const Launch &launch, std::vector<llvm::MutableArrayRef<uint8_t>> buffers)
    : module(module), asked(launch), code(programFor(module, launch)), buffers(std::move(buffers)) {
  llvm::append_range(this->buffers, module.allVariables());
  for (const llvm::MutableArrayRef<uint8_t> one : this->buffers)
    initial.push_back(one.vec());
}

std::unique_ptr<HaltedLaunch> Debugger::run(const HaltRule &rule) {
  halted.reset();
  for (const auto &[buffer, bytes] : llvm::zip(buffers, initial))
    llvm::copy(bytes, buffer.begin());
  return std::make_unique<HaltedLaunch>(module, asked, rule, made);
}

/// Moves the focus to the warp. Keeps the focused lane if it is executing.
void Debugger::focusOn(const Warp &warp) {
  focus.warp = {warp.block->index, warp.number};
  if (!(warp.now.mask >> focus.lane & 1))
    focus.lane = static_cast<unsigned>(__builtin_ctz(warp.now.mask));
}

static Reason reasonOf(const Outcome &outcome) {
  if (outcome.isComplete)
    return Reason::Ended;
  return outcome.isStopped || outcome.isOutOfTime || outcome.isOutOfMemory ? Reason::Stopped : Reason::Fault;
}

/// Continues to the first match. `reason` is the reason for this stop.
Stop Debugger::halt(const HaltRule &rule, Reason reason) {
  halted = run(rule);
  const HaltSearch &search = halted->search();
  stop = {reason, search.time, {}, {}, {}};
  if (!search.isHalted)
    stop.reason = reasonOf(halted->outcome());
  else if (search.found) {
    const HaltedAt &found = *search.found;
    stop.time = found.time;
    stop.watched = found.watched;
    if (found.watched)
      stop.reason = Reason::Changed;
    if (stop.reason != Reason::Step)
      focusOn(*found.warp);
  }
  if (stop.reason == Reason::Fault && grid().fault) {
    focus.warp = {grid().faultBlock, grid().faultThread / warpSize};
    focus.lane = grid().faultThread % warpSize;
  }
  now = stop.time;
  return stop;
}

/// Returns the last match before the end of the rule. Searches increasingly long periods before that time, because
/// execution before the searched period is fast.
std::optional<HaltedAt> Debugger::lastOf(HaltRule rule) {
  assert(rule.before != HaltRule::never && "it is sought before a time that has been reached");
  rule.isLast = true;
  for (uint64_t length = 1 << 10;; length <<= 10) {
    const bool isLong = length >= rule.before || !rule.watched.empty(); // examine everything to detect changes
    rule.after = isLong ? 0 : rule.before - length;
    const std::unique_ptr<HaltedLaunch> searched = run(rule);
    if (searched->search().found || isLong)
      return searched->search().found;
  }
}

/// Returns to the last match, or to the beginning if there is none.
Stop Debugger::haltAtLast(const HaltRule &rule, Reason reason) {
  const std::optional<HaltedAt> found = lastOf(rule);
  if (!found)
    return start();
  HaltRule there;
  there.isAny = true;
  there.after = found->time;
  const std::optional<size_t> changed = found->watched;
  Stop result = halt(there, reason);
  result.watched = changed;
  if (changed)
    result.reason = Reason::Changed;
  return stop = result;
}

/// Continues to the next match.
Stop Debugger::runOn(HaltRule rule, Reason reason) {
  rule.after = now + 1;
  std::vector<std::vector<uint8_t>> before;
  for (const WatchedBytes &one : rule.watched)
    before.push_back(bytesNow(grid(), one));
  halt(rule, reason);
  if (stop.watched) {
    stop.before = before[*stop.watched];
    stop.after = bytesNow(grid(), rule.watched[*stop.watched]);
  }
  return stop;
}

Stop Debugger::start() {
  HaltRule rule;
  rule.isAny = true;
  return halt(rule, Reason::Start);
}

void Debugger::haltAt(uint64_t time) {
  HaltRule rule;
  rule.isAny = true;
  rule.after = time;
  halt(rule, Reason::Step);
}

Stop Debugger::goTo(uint64_t time) {
  haltAt(time);
  if (halted->search().isHalted)
    focusOn(*halted->search().found->warp);
  return stop;
}

static HaltRule ruleFor(const Focus &focus) {
  HaltRule rule;
  rule.isAny = true;
  rule.warp = focus.warp;
  rule.lane = focus.lane;
  return rule;
}

Stop Debugger::step() { return runOn(ruleFor(focus), Reason::Step); }

static size_t depthOf(const Frame *frame) {
  size_t depth = 0;
  for (; frame && frame->caller; frame = frame->caller)
    ++depth;
  return depth;
}

Stop Debugger::next() {
  HaltRule rule = ruleFor(focus);
  if (const std::optional<Position> here = position())
    rule.depth = depthOf(here->frame);
  return runOn(rule, Reason::Step);
}

Stop Debugger::finish() {
  const std::optional<Position> here = position();
  const size_t depth = here ? depthOf(here->frame) : 0;
  if (!depth)
    return go();
  HaltRule rule = ruleFor(focus);
  rule.depth = depth - 1;
  return runOn(rule, Reason::Step);
}

Stop Debugger::stepBack() {
  HaltRule rule = ruleFor(focus);
  rule.before = now;
  return haltAtLast(rule, Reason::Step);
}

HaltRule Debugger::ruleOfBreakpoints() const {
  HaltRule rule;
  rule.places = breakpoints;
  llvm::sort(rule.places);
  for (const Watch &one : watched)
    rule.watched.push_back(one.bytes);
  return rule;
}

Stop Debugger::go() { return runOn(ruleOfBreakpoints(), Reason::Breakpoint); }

Stop Debugger::goBack() {
  HaltRule rule = ruleOfBreakpoints();
  rule.before = now;
  return haltAtLast(rule, Reason::Breakpoint);
}

Stop Debugger::runTo(CodePlace at) {
  HaltRule rule = ruleFor(focus);
  rule.isAny = false;
  rule.places = {at};
  return runOn(rule, Reason::Step);
}

bool Debugger::put(const WatchedBytes &where, std::vector<uint8_t> bytes) {
  if (stop.reason == Reason::Ended || bytesNow(grid(), where).empty())
    return false;
  llvm::erase_if(made, [&](const Change &one) { return one.time > now; });
  made.push_back({now, where, std::move(bytes)});
  haltAt(now);
  return true;
}

const Change *Debugger::lastChange(const FunctionCode &function, LocalId local, uint64_t before) const {
  const auto known = llvm::find_if(function.named, [&](const auto &one) { return one.first == local; });
  for (const Change &one : llvm::reverse(made))
    if (one.time <= before && one.where.where == WatchedBytes::Where::Register && one.where.of == focus.warp &&
        one.where.lane == focus.lane && one.where.function == function.number && known != function.named.end() &&
        one.where.address == known->second.slot)
      return &one;
  return nullptr;
}

std::optional<Debugger::Writing> Debugger::lastWriting(const FunctionCode &function, LocalId local, uint64_t before) {
  HaltRule rule = ruleFor(focus);
  rule.isAny = false;
  rule.isGuarded = true;
  rule.before = before;
  for (uint32_t number = 0; number < function.body->size(); ++number)
    for (const auto [name, uses] : llvm::zip(function.body->namesOf(number), function.body->usesOf(number)))
      if (name == local && uses & Writes)
        rule.places.push_back({function.number, number});
  const uint64_t here = now;
  std::optional<Writing> result;
  if (!rule.places.empty())
    if (const std::optional<HaltedAt> found = lastOf(rule))
      result = {found->time, found->place};
  const Stop kept = stop;
  haltAt(here);
  stop = kept;
  return result;
}

std::string Debugger::registerAt(uint64_t time, const FunctionCode &function, LocalId local) {
  const uint64_t here = now;
  const Stop kept = stop;
  haltAt(time);
  std::string text;
  if (const std::optional<Position> there = position(); there && there->at.function == function.number)
    text = registerText(*there->frame, local, focus.lane);
  haltAt(here);
  stop = kept;
  return text;
}

Warp *Debugger::warp() const {
  for (BlockState *block : halted->grid().blocks)
    if (block->index == focus.warp.block && focus.warp.warp < block->warps.size())
      return &block->warps[focus.warp.warp];
  return nullptr;
}

std::optional<Debugger::Position> Debugger::position() const {
  Warp *one = warp();
  if (!one)
    return std::nullopt;
  for (const LaneGroup &group : groupsOf(*halted, *one))
    if (group.lanes >> focus.lane & 1 && group.frame)
      return Position{group.at, group.frame};
  return std::nullopt;
}

} // namespace ptxray::machine::debug
