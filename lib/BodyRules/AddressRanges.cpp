#include "BodyRules/AddressRanges.h"
#include "Isa/Isa.h"
#include "Isa/Words.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"

namespace ptxray {

AddressRanges::AddressRanges(const Body &body, Analyses &analyses)
    : body(body), budget(analyses.budget()), shape(analyses.blockShape()), values(analyses.values()), own(values),
      paths(body, analyses) {}

static bool mayLeadTo(const Symbol &variable, const Access &access) {
  return access.isGeneric || (variable.space == isa::wholeSpace(access.space) && variable.space != isa::words::param);
}

std::optional<Misplaced> AddressRanges::ofConstant(LocalId variable, int64_t offset, const Access &access) const {
  const Extent &extent = body.symbol(variable)->extent;
  if (extent.bytes && (offset < 0 || static_cast<uint64_t>(offset) + access.bytes > extent.bytes))
    return Misplaced{variable, offset, true, {}};
  // A variable with a lower declared alignment can still be aligned enough.
  if (access.align && extent.align % access.align == 0 && offset % access.align)
    return Misplaced{variable, offset, false, {}};
  return std::nullopt;
}

/// Returns the fault if every possible number is wrong.
std::optional<Misplaced> AddressRanges::ofAll(const Question &question, const Numbers &numbers) const {
  const Access &access = question.access;
  const Extent &extent = body.symbol(question.variable)->extent;
  const int64_t low = numbers.low + question.added;
  const auto size = static_cast<int64_t>(extent.bytes);
  if (numbers.isBounded && size && low + access.bytes > size)
    return Misplaced{question.variable, low, true, "in all threads and rounds, this far at least"};
  if (numbers.isBounded && size && numbers.high + question.added < 0)
    return Misplaced{question.variable, numbers.high + question.added, true,
                     "in all threads and rounds, this far at least"};
  const auto align = static_cast<int64_t>(access.align);
  if (align > 1 && extent.align % access.align == 0 && numbers.step % access.align == 0 && low % align)
    return Misplaced{question.variable, ((low % align) + align) % align, false,
                     "or a multiple of " + std::to_string(align) + " bytes away from there"};
  return std::nullopt;
}

static std::string threadText(const BlockShape &shape, const Thread &thread) {
  std::string text = "in the thread whose %tid.x is " + std::to_string(thread.place[0]);
  if (shape.y > 1)
    text += ", %tid.y " + std::to_string(thread.place[1]);
  if (shape.isExact && shape.z() > 1)
    text += ", %tid.z " + std::to_string(thread.place[2]);
  return text;
}

/// Returns the value of a register for a number, truncated to the register's width.
static int64_t held(int64_t number, const Symbol &reg) {
  const unsigned bits = isa::word(reg.type).bits;
  const bool fits = bits >= 64 || (number >= -(int64_t(1) << (bits - 1)) && number < int64_t(1) << bits);
  return fits ? number : number & ((int64_t(1) << bits) - 1);
}

/// Returns the possible values of an address. In 32 bits, sums wrap around.
static Numbers asAddress(const Numbers &numbers, int64_t added, bool isNarrow) {
  Numbers result = numbers;
  if (!isNarrow || !numbers.isBounded)
    return result;
  const auto round = [&](int64_t number) { return int64_t(static_cast<int32_t>(number + added)) - added; };
  result.low = round(numbers.low);
  result.high = round(numbers.high);
  if (result.high - result.low != numbers.high - numbers.low)
    result.isBounded = false;
  return result;
}

/// Returns the counter's values in the first and the last iteration, if there is a counter.
llvm::SmallVector<int64_t, 2> AddressRanges::countsIn(const Question &question, Thread thread, LocalId counter) {
  if (counter == LocalId::None)
    return {0};
  own.setThread(thread);
  const Counts all = own.counts(counter, question.instruction);
  if (!all.rounds)
    return {};
  return {all.first, all.last};
}

AddressRanges::Finding AddressRanges::inThread(const Question &question, uint64_t number, LocalId counter) {
  Thread thread = {.place = shape.isExact ? shape.placeOf(number) : std::array<int64_t, 3>{}};
  Finding finding;
  for (const int64_t count : countsIn(question, thread, counter)) {
    thread.counter = counter;
    thread.count = count;
    own.setThread(thread);
    const Numbers address = asAddress(own.numbersOf(question.local), question.added, question.isNarrow);
    if (!address.isOne() || address.base != question.variable)
      continue;
    finding.place = ofConstant(question.variable, address.low + question.added, question.access);
    if (!finding.place)
      continue;
    finding.isCertain = paths.comesTo(question.instruction, own, counter) == Coming::Certainly;
    if (!finding.isCertain)
      continue;
    finding.place->when = threadText(shape, thread);
    if (counter != LocalId::None)
      finding.place->when +=
          ", where `" + body.text(counter).str() + "` is " + std::to_string(held(count, *body.symbol(counter)));
    return finding;
  }
  return finding;
}

/// Searches in the threads at the ends of the block and of each warp. Without `.reqntid`, only the first thread
/// certainly exists.
std::optional<Misplaced> AddressRanges::search(const Question &question) {
  const RegisterValue value = values.of(question.local);
  if (value.areCounters || value.isOpaque)
    return std::nullopt;
  const uint64_t threads = shape.isExact ? std::min<uint64_t>(shape.threads, 1024) : 1;
  llvm::SmallVector<uint64_t, 4> numbers = {0, threads - 1, std::min(shape.x, threads) - 1};
  for (uint64_t warp = 0; warp < threads; warp += warpSize)
    numbers.append({warp, std::min(warp + warpSize, threads) - 1});
  llvm::SmallDenseSet<uint64_t, 8> tried;
  for (const uint64_t number : numbers) {
    if (!tried.insert(number).second || !budget.allows(Limit::Threads, ++tries))
      continue;
    const Finding finding = inThread(question, number, value.counter);
    if (finding.isCertain)
      return finding.place;
    if (!finding.place && !value.isOfThread) // the result is the same in all other threads
      return std::nullopt;
  }
  return std::nullopt;
}

std::optional<Misplaced> AddressRanges::misplaced(const Operand &operand, LocalId local, const Access &access,
                                                  uint32_t instruction) {
  const int64_t added = operand.flags & HasOffset ? operand.value : 0;
  if (added < -Numbers::mostKnown || added > Numbers::mostKnown)
    return std::nullopt;
  const Symbol *holder = body.symbol(local);
  const bool isNarrow = holder && holder->kind == SymbolKind::Register && isa::word(holder->type).bits == 32;
  const Numbers numbers = asAddress(values.numbersOf(local), added, isNarrow);
  const Symbol *symbol = numbers.base == LocalId::None ? nullptr : body.symbol(numbers.base);
  if (!symbol || symbol->kind != SymbolKind::Variable || !mayLeadTo(*symbol, access))
    return std::nullopt;
  if (numbers.isOne())
    return ofConstant(numbers.base, numbers.low + added, access);
  const Question question = {local, numbers.base, added, access, instruction, isNarrow};
  if (std::optional<Misplaced> found = ofAll(question, numbers))
    return found;
  const auto size = static_cast<int64_t>(symbol->extent.bytes);
  const bool isInside = !size || (numbers.isBounded && numbers.low + added >= 0 &&
                                  numbers.high + added + static_cast<int64_t>(access.bytes) <= size);
  const bool isAligned = access.align < 2 || symbol->extent.align % access.align ||
                         (numbers.step % access.align == 0 && (numbers.low + added) % access.align == 0);
  if (isInside && isAligned)
    return std::nullopt;
  return search(question);
}

} // namespace ptxray
