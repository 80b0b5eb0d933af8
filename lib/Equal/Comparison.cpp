#include "Equal/Comparison.h"
#include "Compare/Compare.h"
#include "Equal/TermValues.h"
#include "llvm/ADT/STLExtras.h"

namespace ptxray::equal {

Comparison::Comparison(std::vector<Side *> given, Contents made, Oracle *oracle)
    : sides(std::move(given)), contents(std::move(made)),
      base(contents.keepsGiven() ? ContentName{Contents::given, 0} : ContentName{}), start(contents.make(base)),
      oracle(oracle), known(sides.size()) {
  terms.setContents(start);
}

// ---- faults

/// Returns an answer if a launch of one of two kernels has a fault.
std::optional<Answer> Comparison::faultOf(llvm::ArrayRef<size_t> of, llvm::ArrayRef<machine::Outcome> outcomes) const {
  const auto bad = llvm::find_if_not(outcomes, isGood);
  if (bad == outcomes.end())
    return {};
  Answer answer;
  if (bad->isOutOfTime || bad->isOutOfMemory || !bad->refusal.empty()) {
    answer.why = bad->isOutOfTime     ? "a launch takes too long"
                 : bad->isOutOfMemory ? "a launch takes too much memory"
                                      : bad->refusal;
    return answer;
  }
  const size_t side = of[static_cast<size_t>(bad - outcomes.begin())];
  for (const Diagnostic &one : bad->diagnostics)
    if (one.severity == Severity::Error) {
      answer.why =
          "`" + sides[side]->kernel().str() + "` has a fault: " + one.message() + " [" + info(one.id).id.str() + "]";
      answer.at = PlaceOf{side, one.range};
      break;
    }
  if (!answer.why.empty() && llvm::any_of(outcomes, isGood))
    answer.verdict = Equality::Different;
  else
    answer.why = (of.size() > 1 ? "both kernels have a fault: " : "") + answer.why;
  return answer;
}

/// Launches kernels by several schedules.
std::optional<Answer> Comparison::findFault(llvm::ArrayRef<size_t> of) {
  std::optional<Answer> answer;
  for (uint32_t schedule = 0; schedule < 3 && !answer; ++schedule) {
    std::vector<machine::Outcome> outcomes;
    for (const size_t side : of) {
      sides[side]->timing = *machine::Timing::read(machine::Timing::textOf(schedule));
      outcomes.push_back(sides[side]->launch(start));
    }
    answer = faultOf(of, outcomes);
    if (answer) {
      answer->schedule = machine::Timing::textOf(schedule);
      answer->contents = base;
    }
  }
  for (const size_t side : of)
    sides[side]->timing = {};
  return answer;
}

// ---- terms

/// Launches a kernel and follows its terms.
void Comparison::follow(size_t side) {
  Known &one = known[side];
  terms.setRun(static_cast<unsigned>(side + 1));
  Side &of = *sides[side];
  const auto make = [&] { return std::make_unique<TermObserver>(terms, of.module(), of.buffers().vec(), one.terms); };
  const machine::Outcome outcome = of.launch(start, /*certifies=*/true, {make});
  one.left = of.bytes();
  const bool isCertified = isGood(outcome) && outcome.certificate;
  one.isOrdered =
      isCertified && !one.terms.isOpen && outcome.certificate->obstacles.empty() && !outcome.certificate->unordered;
  const auto obstruct = [&](std::string why, std::optional<Range> at) {
    one.obstacle.why = std::move(why);
    if (at)
      one.obstacle.at = PlaceOf{side, *at};
  };
  if (!isGood(outcome))
    return obstruct("the launch has a fault", {});
  if (!one.terms.obstacle.empty())
    return obstruct(one.terms.obstacle, one.terms.at);
  if (!outcome.certificate || !outcome.certificate->holds()) {
    std::optional<Range> at;
    if (outcome.certificate && !outcome.certificate->uses.empty())
      at = outcome.certificate->uses.front().range;
    return obstruct("contents or the order of threads decide more than data", at);
  }
  one.isFollowed = true;
}

/// Finds the types of elements by how kernels read and store them.
void Comparison::inferTypes() {
  std::vector<std::optional<ElementType>> types(contents.buffers().size());
  const auto note = [&](uint64_t buffer, const ElementType &type) {
    if (buffer < types.size() && !types[buffer])
      types[buffer] = type;
  };
  for (Term term = unknown + 1; term < terms.size(); ++term) {
    const Node &node = terms[term];
    if (node.kind != Node::Kind::Read || !terms.typeOf(node.type).isFloat())
      continue;
    const Term bits = terms.argsOf(term)[0];
    const Term first = terms[bits].kind == Node::Kind::Join ? terms.argsOf(bits)[0] : bits;
    if (terms[first].kind == Node::Kind::Leaf)
      note(terms[first].first, terms.typeOf(node.type));
  }
  for (const Known &one : known)
    for (size_t i = 0; i < one.terms.buffers.size(); ++i)
      for (const Ref &ref : one.terms.buffers[i])
        if (const ElementType *type = ref.byte ? nullptr : terms.floatTypeOf(ref.term))
          note(i, *type);
  contents.setTypes(types);
}

/// Returns whether a launch left what the terms say.
bool Comparison::isAsComputed(size_t side, const TermValues &values, const AllBytes &now) {
  const Known &one = known[side];
  for (size_t i = 0; i < now.size(); ++i)
    for (size_t byte = 0; byte < now[i].size(); ++byte) {
      const Ref ref = one.terms.buffers[i][byte];
      if (ref.term == unknown)
        continue;
      const uint8_t expected = ref.term == none ? one.left[i][byte] : values.byteAt(ref);
      if (expected != now[i][byte])
        return false;
    }
  return true;
}

/// Computes all terms for several contents, and launches the kernels for these. A kernel that leaves anything else is
/// no longer followed.
void Comparison::confirm() {
  constexpr size_t mostTerms = 30'000'000, fewest = 4;
  const ContentName names[] = {base,    {0, 2}, {Contents::edges, 2}, {7, 1}, {Contents::edges, 3}, {4, 7},
                               {12, 7}, {3, 1}};
  std::vector<Term> wanted;
  for (const Known &one : known)
    if (one.isFollowed)
      for (const std::vector<Ref> &buffer : one.terms.buffers)
        for (const Ref &ref : buffer)
          wanted.push_back(ref.term);
  llvm::sort(wanted);
  wanted.erase(std::unique(wanted.begin(), wanted.end()), wanted.end());
  TermValues values(terms, wanted);
  for (size_t i = 0; i < std::size(names) && (i < fewest || i * values.size() < mostTerms); ++i) {
    const AllBytes now = i ? contents.make(names[i]) : start;
    const bool isComputed = values.compute(now);
    for (size_t side = 0; side < sides.size(); ++side) {
      Known &one = known[side];
      if (!one.isFollowed)
        continue;
      const char *why = nullptr;
      if (!isComputed)
        why = "a value is computed in a way that is not analysed";
      else if (i && !isGood(sides[side]->launch(now)))
        why = "the launch has a fault for some contents";
      else if (!isAsComputed(side, values, i ? sides[side]->bytes() : one.left))
        why = "a value depends on contents in a way that is not analysed";
      if (!why)
        continue;
      one.isFollowed = false;
      one.obstacle.why = why;
      one.obstacle.contents = names[i];
    }
  }
}

/// Makes constants of the bytes that do not depend on contents.
void Comparison::nameConstants() {
  for (Known &one : known)
    for (size_t i = 0; one.isFollowed && i < one.terms.buffers.size(); ++i)
      for (size_t byte = 0; byte < one.terms.buffers[i].size(); ++byte)
        if (Ref &ref = one.terms.buffers[i][byte]; ref.term == none)
          ref = {terms.constant(one.left[i][byte], 8), 0};
}

/// Returns how many bytes from one on are the same real number; 0: that is not known.
size_t Comparison::realBytes(const std::vector<Ref> &x, const std::vector<Ref> &y, size_t byte) {
  if (x[byte].term == unknown || y[byte].term == unknown)
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
  const auto realOf = [&](const std::vector<Ref> &side) {
    const Term bits = terms.join(llvm::ArrayRef(side).slice(byte, count));
    return bits == unknown ? terms.real(bits) : terms.real(terms.read(bits, as, false));
  };
  const Real first = realOf(x), second = realOf(y);
  return first.equals(second) ? count : 0;
}

/// Returns how many bytes from one on a solver proves to be the same.
size_t Comparison::sameBytes(const std::vector<Ref> &x, const std::vector<Ref> &y, size_t byte) {
  if (!asksOracle || x[byte].term == unknown || y[byte].term == unknown)
    return 0;
  const Ref first = x[byte], second = y[byte];
  size_t count = 1;
  while (count < 8 && byte + count < x.size() &&
         x[byte + count] == Ref{first.term, first.byte + static_cast<uint32_t>(count)} &&
         y[byte + count] == Ref{second.term, second.byte + static_cast<uint32_t>(count)})
    ++count;
  return oracle->areSame(terms, first, second, static_cast<unsigned>(count)) ? count : 0;
}

Answer Comparison::compareTerms(const Known &x, const Known &y) {
  Answer answer;
  answer.verdict = Equality::Bits;
  for (size_t i = 0; i < x.terms.buffers.size(); ++i)
    for (size_t byte = 0; byte < x.terms.buffers[i].size();) {
      const Ref one = x.terms.buffers[i][byte], other = y.terms.buffers[i][byte];
      if (one == other && one.term != unknown) {
        ++byte;
        continue;
      }
      if (const size_t count = sameBytes(x.terms.buffers[i], y.terms.buffers[i], byte)) {
        byte += count;
        continue;
      }
      answer.verdict = Equality::Real;
      const size_t count = realBytes(x.terms.buffers[i], y.terms.buffers[i], byte);
      if (!count) {
        const bool isKnown = one.term != unknown && other.term != unknown;
        const std::string where = "byte " + std::to_string(byte) + " of buffer " + contents.buffers()[i].name;
        answer.verdict = Equality::Unknown;
        answer.why = isKnown ? "no law shows that " + where + " is the same"
                             : where + " is computed in a way that is not analysed";
        return answer;
      }
      byte += count;
    }
  return answer;
}

bool Comparison::takeSameBuffers(size_t a, size_t b) const {
  const auto sizesOf = [&](size_t side) {
    std::vector<size_t> sizes;
    for (const llvm::ArrayRef<uint8_t> one : sides[side]->buffers())
      sizes.push_back(one.size());
    return sizes;
  };
  return sizesOf(a) == sizesOf(b);
}

/// Compares the terms of two kernels. A real function must not differ for usual contents.
Answer Comparison::provedEquality(size_t a, size_t b) {
  Answer answer = compareTerms(known[a], known[b]);
  if (answer.verdict != Equality::Real)
    return answer;
  for (const ContentName &name : {ContentName{0, 1}, ContentName{1, 1}})
    if (Answer seen; seesDifference(a, b, name, seen)) {
      answer.verdict = Equality::Unknown;
      answer.why = "the real functions are equal, but results differ by more than rounding";
      answer.isRounding = true;
      return answer;
    }
  return answer;
}

/// Returns whether two kernels are the same apart from names, and no order of threads can decide what they leave.
bool Comparison::isSameProgram(size_t a, size_t b) {
  const Side &x = *sides[a], &y = *sides[b];
  if (!known[a].isOrdered || !known[b].isOrdered || !x.isLaunchedLike(y) || hasAtomics(x.module()) ||
      !differencesOf(x.module().source(), y.module().source()).empty())
    return false;
  for (const ContentName &name : {base, ContentName{0, 2}, ContentName{Contents::edges, 2}}) {
    const AllBytes now = contents.make(name);
    const bool isFirstGood = isGood(sides[a]->launch(now));
    const AllBytes left = sides[a]->bytes();
    if (isGood(sides[b]->launch(now)) != isFirstGood || sides[b]->bytes() != left)
      return false;
  }
  return true;
}

Answer Comparison::compare() {
  constexpr unsigned seconds = 30;
  Answer answer;
  if (!takeSameBuffers(0, 1)) {
    answer.why = "the kernels use different buffers";
    return answer;
  }
  if (std::optional<Answer> fault = findFault({0, 1}))
    return *fault;
  follow(0);
  follow(1);
  inferTypes();
  if (known[0].isFollowed && known[1].isFollowed)
    confirm();
  if (!known[0].isFollowed || !known[1].isFollowed) {
    answer = known[known[0].isFollowed ? 1 : 0].obstacle;
  } else {
    nameConstants();
    answer = provedEquality(0, 1);
  }
  if (answer.verdict != Equality::Unknown || answer.isRounding)
    return answer;
  if (isSameProgram(0, 1)) {
    answer = {};
    answer.verdict = Equality::Bits;
    return answer;
  }
  if (const std::optional<Answer> different = refute(0, 1, seconds))
    return *different;
  asksOracle = oracle && known[0].isFollowed && known[1].isFollowed;
  return asksOracle ? provedEquality(0, 1) : answer;
}

// ---- groups

/// Adds a kernel to the class that it is shown to be in, or to a new one.
void Comparison::addToClass(Grouping &grouping, size_t side) {
  for (ClassOfKernels &one : grouping.classes) {
    const Equality first = provedEquality(one.alike[0][0], side).verdict;
    if (first != Equality::Bits && first != Equality::Real)
      continue;
    const auto found = llvm::find_if(one.alike, [&](const std::vector<size_t> &members) {
      return compareTerms(known[members[0]], known[side]).verdict == Equality::Bits;
    });
    if (found == one.alike.end())
      one.alike.push_back({side});
    else
      found->push_back(side);
    return;
  }
  grouping.classes.push_back({{{side}}, {}});
}

Grouping Comparison::group() {
  constexpr unsigned seconds = 10;
  Grouping grouping;
  for (size_t side = 0; side < sides.size(); ++side) {
    if (!takeSameBuffers(0, side))
      known[side].obstacle.why = "the kernel takes other buffers";
    else if (std::optional<Answer> fault = findFault({side}))
      known[side].obstacle = *fault;
    else
      follow(side);
  }
  inferTypes();
  confirm();
  nameConstants();
  for (size_t side = 0; side < sides.size(); ++side)
    if (known[side].isFollowed)
      addToClass(grouping, side);
    else
      grouping.others.emplace_back(side, known[side].obstacle);
  for (size_t i = 1; i < grouping.classes.size(); ++i) {
    const size_t first = grouping.classes[0].alike[0][0], side = grouping.classes[i].alike[0][0];
    grouping.classes[i].fromFirst = provedEquality(first, side);
    if (!grouping.classes[i].fromFirst.isRounding)
      if (const std::optional<Answer> different = refute(first, side, seconds))
        grouping.classes[i].fromFirst = *different;
  }
  return grouping;
}

} // namespace ptxray::equal
