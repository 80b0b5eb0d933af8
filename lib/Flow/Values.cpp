#include "Flow/Values.h"
#include "Flow/Analyses.h"
#include "Isa/Isa.h"

namespace ptxray {

Values::Values(const Body &body, Analyses &analyses, LocalId base)
    : Backward(body), body(body), definitions(body.definitions), shape(analyses.blockShape()), base(base),
      own(std::make_unique<Counters>(body, analyses)), counters(own.get()) {}

Values::Values(const Body &body)
    : Backward(body), body(body), definitions(body.definitions), shape(blockShapeOf(body)) {}

Values::Values(Values &all, const Thread &thread)
    : Backward(all.body), body(all.body), definitions(all.definitions), all(&all), shape(all.shape), thread(thread),
      counters(all.counters) {}

void Values::setThread(const Thread &one) {
  if (one == thread)
    return;
  thread = one;
  forget();
}

// ---- operands
Numbers Values::specialNumbers(const Source &source) const {
  const isa::SpecialRegister *known = body.special(source.local);
  if (!known || source.flags || known->enumerates == isa::Enumerated::Nothing)
    return {};
  if (known->enumerates == isa::Enumerated::Lanes)
    return Numbers::between(0, warpSize - 1);
  const unsigned dimension = source.suffix == SpellingId::None ? 3 : dimensionOf(body.ast->text(source.suffix));
  if (dimension == 3)
    return {};
  if (all)
    return Numbers::of(thread.place[dimension]);
  const uint64_t sizes[] = {shape.x, shape.y, shape.isExact ? shape.z() : 1};
  return Numbers::between(0, static_cast<int64_t>(shape.isExact ? sizes[dimension] : shape.threads) - 1);
}

/// Returns the numbers of a register after applying the operand's sign and offset.
static Numbers changed(const Numbers &numbers, const Source &source) {
  if (!source.flags && source.suffix == SpellingId::None)
    return numbers;
  if (source.suffix != SpellingId::None || source.flags & ~(HasOffset | Not))
    return {};
  if (source.flags & Not)
    return numbers.isNumber() ? Numbers::of(!numbers.low) : Numbers::between(0, 1);
  const Numbers added[] = {numbers, Numbers::of(source.number)};
  return numbersOf({true, isa::Operation::Add, isa::TypeKind::Bits, isa::TypeKind::Bits, 64, 64, 0}, added);
}

Numbers Values::numbersOf(const Source &source, const RegisterValue *input) const {
  if (input)
    return changed(input->numbers, source);
  if (source.kind == Source::Number)
    return Numbers::of(source.number);
  return source.kind == Source::Name ? specialNumbers(source) : Numbers();
}

Numbers Values::numbersOf(const Source &source) {
  if (source.kind == Source::Name && body.symbol(source.local))
    return numbersOf(source, &valueOf(source.local));
  return numbersOf(source, nullptr);
}

std::optional<int64_t> Values::numberOf(const Source &source) {
  const Numbers numbers = numbersOf(source);
  const bool isOpaque = source.kind == Source::Name && body.symbol(source.local) && of(source.local).isOpaque;
  return numbers.isNumber() && !isOpaque ? std::optional(numbers.low) : std::nullopt;
}

// ---- one step
Numbers Values::computed(const Step &step, const Inputs &inputs) const {
  llvm::SmallVector<Numbers, Step::mostSources> sources;
  for (unsigned i = 0; i < step.count; ++i)
    sources.push_back(numbersOf(step.list[i], inputs[i]));
  if (step.isBroadcast()) {
    // The value is known only in the thread that is that lane.
    const bool isOther = all && static_cast<uint64_t>(step.lane) != shape.numberOf(thread.place) % warpSize;
    return isOther ? Numbers() : sources[0];
  }
  return ptxray::numbersOf(*step.computation, sources);
}

/// Records whether a source makes the result depend on the thread or on a loop iteration.
void Values::addInput(RegisterValue &value, const Source &source, const RegisterValue *input) const {
  if (!input) {
    const isa::SpecialRegister *special = body.special(source.local);
    value.isOfThread |= special && special->enumerates != isa::Enumerated::Nothing;
    return;
  }
  value.isOfThread |= input->isOfThread;
  value.isOpaque |= input->isOpaque;
  value.areCounters |= input->areCounters;
  if (input->counter == LocalId::None)
    return;
  value.areCounters |= value.counter != LocalId::None && input->counter != value.counter;
  value.counter = input->counter;
}

/// Returns whether the result is unknown if one source is unknown.
static bool needsAllSources(const Facts &facts) {
  const isa::Operation operation = facts.computation.operation; // Mov if unknown
  return operation == isa::Operation::Add || operation == isa::Operation::Sub || operation == isa::Operation::Mov;
}

/// Returns the value that an instruction writes to a register.
RegisterValue Values::written(uint32_t number, LocalId local) const {
  const Step step = stepOf(body, number);
  if (!step.isKnown() || step.result != local)
    return unknown(local);
  RegisterValue value;
  value.isUnset = false;
  value.isOpaque = step.isGuarded;
  value.isOfThread = step.isBroadcast();
  Inputs inputs{};
  bool isUnset = false;
  for (unsigned i = 0; i < step.count; ++i) {
    const Source &source = step.list[i];
    inputs[i] = inputOf(source);
    isUnset |= inputs[i] && inputs[i]->isUnset;
    if (inputs[i] && isUseless(*inputs[i]) && needsAllSources(body.facts(number)))
      return unknown(local);
    if (source.kind == Source::Name)
      addInput(value, source, inputs[i]);
  }
  if (isUnset)
    return {};
  value.numbers = computed(step, inputs);
  return isUseless(value) ? unknown(local) : value;
}

// ---- registers
// NOLINTBEGIN(misc-no-recursion): those of one thread ask those of all threads, which ask no further.
/// Returns the source with which a counter is compared at the end of its loop.
Source Values::limitOf(const std::optional<LoopTest> &test) const {
  return test ? stepOf(body, test->comparison).list[1] : Source();
}

static bool isComputed(const Facts &facts) { return facts.computation.isKnown || facts.has(FactKind::Copies); }

bool Values::isLeaf(LocalId local) const {
  const uint32_t newest = definitions.newest(local);
  return newest != Definitions::none && local != base && !isComputed(body.facts(newest));
}

bool Values::addSources(LocalId local, llvm::SmallVectorImpl<LocalId> &sources) {
  if (!body.isRegister(local) || local == base || isTaken(local))
    return false;
  if (const uint32_t only = definitions.only(local); only != Definitions::none) {
    addComputedWith(body, only, sources);
    return needsAllSources(body.facts(only));
  }
  bool isKnown = true, needsAll = true;
  definitions.eachWriter(local, [&](uint32_t number) {
    isKnown &= isComputed(body.facts(number));
    needsAll &= needsAllSources(body.facts(number));
  });
  if (!isKnown)
    return false;
  const std::optional<Counter> counter = counterOf(local);
  definitions.eachWriter(local, [&](uint32_t number) {
    if (!counter || number != counter->adds)
      addComputedWith(body, number, sources);
  });
  if (!counter)
    return needsAll;
  if (const Source limit = limitOf(counters->testOf(local, *counter));
      limit.kind == Source::Name && body.symbol(limit.local))
    sources.push_back(limit.local);
  return false;
}

RegisterValue Values::taken(LocalId local) {
  RegisterValue value = all->of(local);
  if (local == thread.counter)
    value.numbers = Numbers::of(thread.count);
  return value;
}

RegisterValue Values::transfer(LocalId local) {
  if (isTaken(local))
    return taken(local);
  const Symbol *symbol = body.symbol(local);
  if (symbol && (symbol->kind == SymbolKind::Variable || local == base)) {
    RegisterValue value;
    value.isUnset = false;
    value.numbers = {true, 0, 0, 0, local};
    return value;
  }
  if (!body.isRegister(local) || !definitions.isWritten(local))
    return unknown(local);
  if (const uint32_t only = definitions.only(local); only != Definitions::none)
    return written(only, local);
  if (const std::optional<Counter> counter = counterOf(local))
    return ofCounter(local, *counter);
  RegisterValue value;
  definitions.eachWriter(local, [&](uint32_t number) { value = join(value, written(number, local)); });
  value.areCounters = true;
  return isUseless(value) ? unknown(local) : value;
}

// NOLINTEND(misc-no-recursion)

RegisterValue Values::join(const RegisterValue &a, const RegisterValue &b) {
  if (a.isUnset || b.isUnset)
    return a.isUnset ? b : a;
  RegisterValue value = a;
  value.numbers = ptxray::eitherOf(a.numbers, b.numbers);
  value.isOfThread |= b.isOfThread;
  value.isOpaque |= b.isOpaque;
  value.areCounters |=
      b.areCounters || (a.counter != LocalId::None && b.counter != LocalId::None && a.counter != b.counter);
  if (a.counter == LocalId::None)
    value.counter = b.counter;
  return value;
}

RegisterValue Values::widened(const RegisterValue &value) {
  RegisterValue wide = value;
  wide.numbers = withoutBounds(value.numbers);
  return wide;
}

RegisterValue Values::unknown(LocalId) {
  RegisterValue value;
  value.isUnset = false;
  value.isOpaque = value.areCounters = true;
  return value;
}

// ---- counters
/// Returns the numbers of a counter. `counts` are those at the addition.
static Numbers numbersOfCounter(const Counter &counter, const Numbers &first, const Counts &counts) {
  if (counts.isWhole)
    return eitherOf(first, Numbers::of(counts.last + counter.added));
  return eitherOf(first, Numbers{false, 0, 0, static_cast<uint64_t>(std::abs(counter.added)), first.base});
}

/// Returns the value of the counter before the first iteration.
RegisterValue Values::beginningOf(LocalId local, const Counter &counter) const {
  RegisterValue value;
  definitions.eachWriter(local, [&](uint32_t number) {
    if (number != counter.adds)
      value = join(value, written(number, local));
  });
  return value;
}

RegisterValue Values::ofCounter(LocalId local, const Counter &counter) {
  RegisterValue value = beginningOf(local, counter);
  if (value.isUnset)
    return value;
  value.numbers = numbersOfCounter(counter, value.numbers, countsFrom(local, counter, value.numbers, counter.adds));
  value.areCounters |= value.counter != LocalId::None;
  value.counter = local;
  RegisterValue limit;
  if (const Source source = limitOf(counters->testOf(local, counter)); source.kind == Source::Name)
    addInput(limit, source, inputOf(source));
  value.isOfThread |= limit.isOfThread;
  return value;
}

Counts Values::countsFrom(LocalId local, const Counter &counter, const Numbers &first, uint32_t instruction) {
  const std::optional<LoopTest> test = counters->testOf(local, counter);
  const Source limit = limitOf(test);
  return counters->counts(counter, first, test, numbersOf(limit, inputOf(limit)), instruction);
}

Counts Values::counts(LocalId local, uint32_t instruction) {
  const std::optional<Counter> counter = counterOf(local);
  if (!counter || isTaken(local))
    return {};
  valueOf(local);
  return countsFrom(local, *counter, beginningOf(local, *counter).numbers, instruction);
}

} // namespace ptxray
