// The terms that loads, stores and moves carry between registers and memory.
#include "Equal/MatrixTerms.h"
#include "Equal/TermObserver.h"
#include "Machine/Access.h"
#include "Machine/Grid.h"
#include "llvm/ADT/STLExtras.h"

namespace ptxray::equal {

using namespace machine; // NOLINT(google-build-using-namespace): the observer is next to the machine
using isa::StepOp;

static bool isLocal(const LaneAccess &one, unsigned lane) {
  const Space space = one.access.address.space;
  return space == Space::Local || (space == Space::Generic && one.at[lane] / windowBytes == localWindow / windowBytes);
}

/// Returns a byte of a term of bits.
Ref TermObserver::byteIn(Term term, unsigned byte) {
  return term == unknown || 8 * byte >= terms[term].bits ? Ref{unknown, 0} : terms.byteOf(term, byte);
}

/// Returns the terms of the bytes of a lane; a constant where memory holds a known number.
std::vector<Ref> TermObserver::bytesAt(Warp &warp, const LaneAccess &access, unsigned lane, size_t count) {
  std::vector<Ref> bytes(count);
  const bool isOfLane = isLocal(access, lane);
  const Ref *const local = isOfLane ? localAt(warp, lane, access.at[lane] % windowBytes, count) : nullptr;
  for (size_t i = 0; i < count; ++i) {
    if (isOfLane)
      bytes[i] = local ? local[i] : Ref();
    else if (access.access.address.space != Space::Param)
      bytes[i] = memory.at(access.found.at(lane) + i);
  }
  return bytes;
}

void TermObserver::putAt(Warp &warp, const LaneAccess &access, unsigned lane, size_t offset, const Ref &ref) {
  if (!isLocal(access, lane))
    return memory.put(access.found.at(lane) + offset, ref);
  if (Ref *local = localAt(warp, lane, access.at[lane] % windowBytes + offset, 1))
    *local = ref;
}

void TermObserver::accesses(Warp &warp, const LaneAccess &access) {
  const Site &site = siteAt(warp.now.frame->code, access.op.instruction);
  decideAddresses(warp, access);
  if (access.access.isWrite)
    store(warp, access, site);
  else if (!site.recipe.isOneByOne) // an atomic operation reads memory when it writes
    load(warp, access, site);
}

/// Returns whether a load or store moves elements between memory and registers of their width.
static bool isPlain(const Site &site, const ValueFlows &values, const LaneAccess &access, StepOp root) {
  if (!site.isKnown || site.isVague || site.recipe.results.size() != 1 || site.recipe.isOneByOne)
    return false;
  const RecipeResult &result = site.recipe.results[0];
  if (site.recipe.steps[result.step].op != root || result.type.count != 1)
    return false;
  // Temporaries that are converted afterwards are not allowed as elements.
  return llvm::all_of(access.access.elements, [&](Place place) {
    return !place.bits || (place.bits == access.access.bits && values.find(place.slot) != ValueFlows::none);
  });
}

void TermObserver::loadLane(Warp &warp, const LaneAccess &access, const Site &site, Symbolic &symbolic, unsigned lane,
                            llvm::MutableArrayRef<Ref> bytes) {
  Frame &frame = *warp.now.frame;
  const size_t size = access.access.bits / 8;
  for (size_t i = 0; i < bytes.size(); ++i)
    if (bytes[i].term == none)
      bytes[i] = {terms.constant(access.found.at(lane)[i], 8), 0};
  if (isPlain(site, frame.code.values, access, StepOp::Memory)) {
    for (size_t i = 0; i < access.access.elements.size(); ++i)
      if (const Place to = access.access.elements[i]; to.bits)
        set(frame, frame.code.values.find(to.slot), lane, terms.join(bytes.slice(i * size, size)));
    return;
  }
  symbolic.memory[lane].assign(bytes.begin(), bytes.end());
  const ValueFlow flow = frame.code.values[access.op.instruction];
  if (symbolic.run(1u << lane))
    assign(frame, site, symbolic, 1u << lane);
  else
    setAll(frame, flow.results, 1u << lane, unknown);
}

void TermObserver::load(Warp &warp, const LaneAccess &access, const Site &site) {
  Frame &frame = *warp.now.frame;
  const auto of = [&](const SiteRegister &one, unsigned lane) { return termOf(frame, one.number, lane); };
  Symbolic symbolic(terms, site, frame, of);
  const size_t count = access.access.bits / 8 * access.access.elements.size();
  for (uint32_t left = access.found.mask; left; left &= left - 1) {
    const auto lane = static_cast<unsigned>(__builtin_ctz(left));
    std::vector<Ref> bytes = bytesAt(warp, access, lane, count);
    markSelected(frame, access, lane, bytes);
    if (llvm::any_of(bytes, [](const Ref &one) { return one.term != none; }))
      loadLane(warp, access, site, symbolic, lane, bytes);
  }
}

/// Returns whether lanes of a store can write the same bytes.
static bool overlaps(const LaneAccess &access, size_t count) {
  const uint8_t *end = nullptr;
  bool isAscending = true;
  for (uint32_t left = access.found.mask; left && isAscending; left &= left - 1) {
    const auto lane = static_cast<unsigned>(__builtin_ctz(left));
    isAscending = isLocal(access, lane) || access.found.at(lane) >= end;
    end = access.found.at(lane) + count;
  }
  return !isAscending;
}

/// Returns a byte that a lane stores from a register.
uint8_t TermObserver::storedByte(const Frame &frame, const LaneAccess &access, unsigned lane, size_t offset) const {
  const size_t size = access.access.bits / 8;
  const Place place = access.access.elements[offset / size];
  return place.bits < 8 ? 0 : frame.registers[place.slot + size_t(lane) * (place.bits / 8) + offset % size];
}

/// Returns whether the real value that atomic operations produce does not depend on their order.
static bool isAnyOrder(const Site &site, const RecipeResult &result) {
  switch (site.recipe.steps[result.step].op) {
  case StepOp::Minimum:
  case StepOp::Maximum:
  case StepOp::And:
  case StepOp::Or:
  case StepOp::Xor:
  case StepOp::Add: return true;
  default: return result.type.isFloat();
  }
}

/// A store or an atomic operation of a warp.
struct TermObserver::Store {
  Warp &warp;
  const LaneAccess &access;
  const Site &site;
  const RecipeResult *result = nullptr; // the result that is stored
  size_t size, count;                   // bytes of an element, and of all elements of a lane
  bool isAtomic, isOrdinary;
  bool areShared; // several lanes write the same bytes
  llvm::DenseMap<const uint8_t *, std::pair<Ref, uint8_t>> written{};
};

/// Gives a byte of a lane a term. Where lanes write different values, it is open which is the last.
void TermObserver::put(Store &store, unsigned lane, size_t offset, Ref ref) {
  if (store.areShared && !isLocal(store.access, lane)) {
    const Frame &frame = *store.warp.now.frame;
    const uint8_t value = ref.term == none ? storedByte(frame, store.access, lane, offset) : uint8_t(0);
    const auto [found, isNew] = store.written.try_emplace(store.access.found.at(lane) + offset, ref, value);
    if (!isNew && found->second != std::pair(ref, value)) {
      found->second.first = ref = {unknown, 0};
      out.isOpen = true;
    }
  }
  putAt(store.warp, store.access, lane, offset, ref);
}

/// Records an atomic operation. Returns whether the order of threads has no effect: all operations at this address that
/// several warps execute are of one kind.
bool TermObserver::noteAtomic(const Store &store, unsigned lane) {
  if (isLocal(store.access, lane) || !store.result)
    return true;
  const ElementType &type = store.result->type;
  const StepOp op = store.site.recipe.steps[store.result->step].op;
  const bool hasSign = op == StepOp::Minimum || op == StepOp::Maximum || type.isFloat();
  const uint64_t kind = uint64_t(op) << 32 | uint64_t(type.bits) << 8 | (hasSign ? uint64_t(type.kind) : 7);
  bool isOrdered = true;
  const auto first = reinterpret_cast<uintptr_t>(store.access.found.at(lane));
  for (uint64_t word = first / 4; word <= (first + store.count - 1) / 4; ++word) {
    const auto [found, isNew] = atomics.try_emplace(word, AtomicUse{kind, &store.warp, false, false});
    AtomicUse &use = found->second;
    use.isMixed |= use.kind != kind;
    use.isOfSeveral |= use.warp != &store.warp;
    isOrdered &= !use.isMixed || !use.isOfSeveral;
  }
  return isOrdered;
}

/// Forgets atomic operations on bytes that are written otherwise.
void TermObserver::forgetAtomics(const uint8_t *bytes, size_t count) {
  const auto first = reinterpret_cast<uintptr_t>(bytes);
  for (uint64_t word = first / 4; !atomics.empty() && count && word <= (first + count - 1) / 4; ++word)
    atomics.erase(word);
}

void TermObserver::store(Warp &warp, const LaneAccess &access, const Site &site) {
  const size_t size = access.access.bits / 8, count = size * access.access.elements.size();
  const bool isAtomic = site.recipe.isOneByOne,
             isOrdinary = warp.doer.stage != Stage::Begin && warp.doer.stage != Stage::End;
  Store store{warp, access, site, nullptr, size, count, isAtomic, isOrdinary, !isAtomic && overlaps(access, count)};
  for (const RecipeResult &one : site.recipe.results)
    if (one.target == isa::FormulaTarget::Memory)
      store.result = &one;
  const uint32_t with = lanesWithTerms(*warp.now.frame, warp.now.frame->code.values[access.op.instruction].data);
  for (uint32_t left = access.found.mask; left; left &= left - 1) {
    const auto lane = static_cast<unsigned>(__builtin_ctz(left));
    storeLane(store, lane, with >> lane & 1);
  }
}

void TermObserver::storeLane(Store &store, unsigned lane, bool hasTerms) {
  Frame &frame = *store.warp.now.frame;
  const auto &[warp, access, site, result, size, count, isAtomic, isOrdinary, areShared, written] = store;
  const auto fill = [&](const Ref &ref) {
    for (size_t i = 0; i < store.count; ++i)
      put(store, lane, i, ref);
  };
  const auto of = [&](const SiteRegister &one, unsigned at) { return termOf(frame, one.number, at); };
  Symbolic symbolic(terms, site, frame, of);
  bool isOrdered = true;
  if (isAtomic) {
    isOrdered = noteAtomic(store, lane);
    out.isOpen |= !isOrdered;
    for (const auto &[i, old] : llvm::enumerate(bytesAt(store.warp, access, lane, count))) {
      hasTerms |= old.term != none;
      symbolic.memory[lane].push_back(old.term == none ? Ref{terms.constant(access.found.at(lane)[i], 8), 0} : old);
    }
    setAll(frame, frame.code.values[access.op.instruction].results, 1u << lane, unknown);
  } else if (!isLocal(access, lane)) {
    forgetAtomics(access.found.at(lane), count);
  }
  if (!isOrdered)
    return fill({unknown, 0});
  if (!hasTerms && isOrdinary)
    return fill({});
  if (!result || !isOrdinary || !site.isKnown || (isAtomic && !isAnyOrder(site, *result)) || !symbolic.run(1u << lane))
    return fill({unknown, 0});
  size_t at = 0;
  for (const Term stored : symbolic.storedBy(*result, lane)) {
    const Term term = isAtomic && result->type.isFloat() ? terms.salted(stored) : stored;
    for (size_t i = 0; i < size && at < count; ++i, ++at)
      put(store, lane, at, byteIn(term, static_cast<unsigned>(i)));
  }
  if (at != count)
    fill({unknown, 0});
}

/// Marks bytes that an instruction writes. The following moves set their terms.
void TermObserver::ranges(Warp &warp, llvm::ArrayRef<RangeAccess> ranges) {
  for (const RangeAccess &one : ranges) {
    if (!one.isWrite)
      continue;
    if (one.owner) {
      if (one.at + one.bytes <= one.owner->shared.size())
        memory.fill(one.owner->shared.data() + one.at, one.bytes, {unknown, 0});
      continue;
    }
    const bool isOfLane = one.address.space == Space::Local ||
                          (one.address.space == Space::Generic && one.at / windowBytes == localWindow / windowBytes);
    if (isOfLane) {
      if (Ref *local = localAt(warp, one.lane, one.at % windowBytes, one.bytes))
        std::fill_n(local, one.bytes, Ref{unknown, 0});
      continue;
    }
    if (const Lookup found = look(warp, one.address.space, one.at, one.bytes, one.lane, true); found.bytes)
      memory.fill(found.bytes, one.bytes, {unknown, 0});
  }
}

void TermObserver::tensors(Warp &warp, const TensorRange &range) {
  Frame &frame = *warp.now.frame;
  if (!range.isWrite)
    setAll(frame, frame.code.values[range.op.instruction].results, allLanes, unknown);
}

void TermObserver::moves(Warp &warp, const Op &op, llvm::ArrayRef<MovedBytes> parts) {
  Frame &frame = *warp.now.frame;
  for (const MovedBytes &one : parts) {
    if (one.to && one.from) {
      if (one.isReduced)
        memory.fill(one.to, one.bytes, {unknown, 0});
      else
        memory.copy(one.to, one.from, one.bytes);
      continue;
    }
    if (one.to && one.slot == noSlot) {
      memory.fill(one.to, one.bytes, {});
      continue;
    }
    const uint32_t number = frame.code.values.find(one.slot);
    if (number == ValueFlows::none) {
      if (one.to)
        memory.fill(one.to, one.bytes, {unknown, 0});
      else
        setAll(frame, frame.code.values[op.instruction].results, allLanes, unknown);
      continue;
    }
    const Term term = termOf(frame, number, one.lane);
    if (one.isReduced) { // some bits of bytes
      one.to ? memory.fill(one.to, one.bytes, {unknown, 0}) : set(frame, number, one.lane, unknown);
      continue;
    }
    if (one.to) {
      for (uint32_t i = 0; i < one.bytes; ++i)
        memory.put(one.to + i, term == none ? Ref() : byteIn(term, one.byte + i));
      continue;
    }
    constexpr unsigned bytes = 4; // size of a matrix register
    if (one.byte + one.bytes > bytes) {
      set(frame, number, one.lane, unknown);
      continue;
    }
    std::array<Ref, bytes> all;
    for (unsigned i = 0; i < bytes; ++i)
      all[i] = term == none ? Ref{terms.constant(0, 8), 0} : terms.byteOf(term, i);
    for (uint32_t i = 0; i < one.bytes && one.byte + i < bytes; ++i) {
      const Ref found = memory.at(one.from + i);
      all[one.byte + i] = found.term == none ? Ref{terms.constant(one.from[i], 8), 0} : found;
    }
    set(frame, number, one.lane, terms.join(all), /*keepsConstant=*/true);
  }
}

/// Returns the term of a matrix element, or a constant if its value is known.
Term TermObserver::elementAt(const Frame &frame, const ElementPlace &place, unsigned bits) {
  llvm::SmallVector<Ref, 4> bytes;
  if (!place.memory) {
    const Term term = termOf(frame, frame.code.values.find(place.slot), place.lane);
    uint32_t word = 0;
    std::memcpy(&word, frame.registers + place.slot + size_t(place.lane) * sizeof word, sizeof word);
    return terms.slice(term == none ? terms.constant(word, 32) : term, 8 * place.byte, bits);
  }
  for (unsigned i = 0; i < bits / 8; ++i) {
    const Ref found = memory.at(place.memory + i);
    bytes.push_back(found.term == none ? Ref{terms.constant(place.memory[i], 8), 0} : found);
  }
  return terms.join(bytes);
}

void TermObserver::multiplies(Warp &warp, const Op &op, const GroupProduct &product) {
  Frame &frame = *warp.now.frame;
  const ValueFlow flow = frame.code.values[op.instruction];
  const ProductKind &kind = product.kind;
  const bool isUsual = !product.isSparse && !kind.saturates && kind.a.bits >= 8 && kind.b.bits >= 8;
  if (!isUsual || !kind.a.format || !kind.b.format || !kind.result)
    return setAll(frame, flow.results, allLanes, unknown);
  const auto typeOf = [](const OperandType &type) {
    return ElementType{ElementType::Kind::Float, type.bits, 1, type.format};
  };
  const auto width = static_cast<uint16_t>(kind.result->width());
  const ElementSum how{kind.model, typeOf(kind.a), typeOf(kind.b), {ElementType::Kind::Float, width, 1, kind.result}};
  std::vector<Term> a, b, sums;
  for (const ElementPlace &one : product.a) {
    const Term term = elementAt(frame, one, kind.a.bits);
    a.push_back(kind.isNegative
                    ? terms.bitwise(StepOp::Xor, term, terms.constant(kind.a.format->signBit(), kind.a.bits))
                    : term);
  }
  for (const ElementPlace &one : product.b)
    b.push_back(elementAt(frame, one, kind.b.bits));
  std::vector<std::pair<Term, Term>> pairs(product.depth);
  for (size_t i = 0; i < product.d.size(); ++i) {
    const size_t row = i / product.columns, column = i % product.columns;
    for (size_t k = 0; k < product.depth; ++k)
      pairs[k] = {a[row * product.depth + k], b[column * product.depth + k]};
    const Term before = product.isAdded ? elementAt(frame, product.d[i], width) : terms.constant(0, width);
    sums.push_back(sumOfProducts(terms, how, before, pairs));
  }
  for (size_t i = 0; i < product.d.size(); ++i) {
    const ElementPlace &to = product.d[i];
    const uint32_t number = frame.code.values.find(to.slot);
    if (width == 32)
      set(frame, number, to.lane, sums[i]);
    else if (to.byte == 0) // with its neighbour
      set(frame, number, to.lane,
          sums[i] == unknown || sums[i + 1] == unknown
              ? unknown
              : terms.join({terms.byteOf(sums[i], 0), terms.byteOf(sums[i], 1), terms.byteOf(sums[i + 1], 0),
                            terms.byteOf(sums[i + 1], 1)}));
  }
}

} // namespace ptxray::equal
