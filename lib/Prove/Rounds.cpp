#include "Prove/Rounds.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/STLExtras.h"
#include <set>

namespace ptxray::prove {

namespace {

constexpr unsigned counterBits = 32;
constexpr Number mostRounds = 0x7fffffff;

using Replacement = llvm::DenseMap<Term, Term>;

class LoopSolver {
public:
  LoopSolver(Model &model, WalkedLoop &loop) : model(model), terms(model.terms), loop(loop) {}
  Replacement solve();
  Term counter = Term::None;

private:
  struct Linear {
    Term first, step; // value in iteration 0, and increment per iteration
  };
  bool varies(Term term);
  void findInvariants();
  void findSteps();
  void findAlternations();
  void findShifts();
  void findDerived();
  void findRanges();
  void chooseCounter();
  std::optional<Linear> linearOf(Term term);
  void bound(Term condition, bool isMet);
  void boundByInequality(Term left, Term right);
  void boundByOrder(Term condition, bool isMet);
  void boundOrder(const Linear &counted, Term limit, bool isBelow, bool isStrict, bool isSigned);
  Term inRound(Term width32, unsigned width) { return terms.resized(width32, width, false); }
  void addFact(Term fact) { facts.push_back(fact); }
  void substitute();
  void solved(size_t index, Term value) {
    values[loop.registers[index].unknown] = value;
    isSolved[index] = true;
  }

  Model &model;
  Terms &terms;
  WalkedLoop &loop;
  Replacement values; // replacements of solved unknowns, and of the fact
  std::vector<bool> isSolved;
  std::map<Term, Term> steps; // unknowns that are counters
  std::vector<Term> facts;    // facts about a counter that is not bounded yet
  Number most = mostRounds;
  Term free = Term::None; // the counter before its bounds are known
};

} // namespace

/// Returns whether the term may change between iterations.
bool LoopSolver::varies(Term term) {
  bool is = false;
  terms.eachBelow(term, [&](Term one) {
    if (terms[one].op == Op::Variable)
      is |= llvm::is_contained(terms.variableOf(one).loops, loop.header);
  });
  return is;
}

void LoopSolver::substitute() {
  Replacement known = values;
  for (WalkedLoop::Register &one : loop.registers)
    one.next = terms.replaced(one.next, known);
  loop.continues = terms.replaced(loop.continues, known);
}

void LoopSolver::findInvariants() {
  for (bool isNew = true; isNew;) {
    isNew = false;
    for (size_t i = 0; i < loop.registers.size(); ++i) {
      const WalkedLoop::Register &one = loop.registers[i];
      if (!isSolved[i] && (one.next == one.unknown || one.next == one.first)) {
        solved(i, one.first);
        isNew = true;
      }
    }
    if (isNew)
      substitute();
  }
}

void LoopSolver::findSteps() {
  for (size_t i = 0; i < loop.registers.size(); ++i) {
    const WalkedLoop::Register &one = loop.registers[i];
    if (isSolved[i] || terms.width(one.unknown) == 1)
      continue;
    const Term step = terms.subtract(one.next, one.unknown);
    if (varies(step))
      continue;
    steps[one.unknown] = step;
    const unsigned width = terms.width(one.unknown);
    solved(i, terms.add(one.first, terms.multiply(inRound(free, width), step)));
  }
}

/// Solves `c - x`, `x ^ c`, and pairs of registers that are swapped.
void LoopSolver::findAlternations() {
  const Term isOdd = terms.extract(free, 0, 1);
  for (size_t i = 0; i < loop.registers.size(); ++i) {
    const WalkedLoop::Register &one = loop.registers[i];
    if (isSolved[i])
      continue;
    const Term sum = terms.width(one.unknown) == 1 ? Term::None : terms.add(one.next, one.unknown);
    if (sum != Term::None && !varies(sum)) {
      solved(i, terms.choice(isOdd, terms.subtract(sum, one.first), one.first));
      continue;
    }
    const Term difference = terms.bitXor(one.next, one.unknown);
    if (!varies(difference)) {
      solved(i, terms.choice(isOdd, terms.bitXor(one.first, difference), one.first));
      continue;
    }
    for (size_t j = 0; j < loop.registers.size(); ++j)
      if (j != i && loop.registers[j].unknown == one.next && loop.registers[j].next == one.unknown && !isSolved[i])
        solved(i, terms.choice(isOdd, loop.registers[j].first, one.first));
  }
}

/// Solves `x / 2` and `x * 2`, also for a signed number that is never negative.
void LoopSolver::findShifts() {
  for (size_t i = 0; i < loop.registers.size(); ++i) {
    const WalkedLoop::Register &one = loop.registers[i];
    const unsigned width = terms.width(one.unknown);
    if (isSolved[i] || width < 32)
      continue;
    Term unknown = one.unknown, next = one.next;
    if (terms.isNonNegative(one.first)) {
      Variable bounded = terms.variableOf(unknown);
      bounded.high = maskOf(width) >> 1;
      const Term smaller = terms.variable(bounded);
      Replacement known;
      known[unknown] = smaller;
      next = terms.replaced(next, known);
      unknown = smaller;
    }
    for (unsigned by = 1; by < 6 && !isSolved[i]; ++by) {
      const Term amount = terms.multiply(inRound(free, width), terms.constant(width, by));
      const Term count = terms.constant(width, by);
      if (next == terms.shift(Op::ShiftRight, unknown, count)) {
        // After `width` iterations, no bits are left. The counter must not wrap around before.
        const Term isLong = terms.less(terms.constant(width, width), inRound(free, width), false);
        solved(i, terms.choice(isLong, terms.constant(width, 0), terms.shift(Op::ShiftRight, one.first, amount)));
      } else if (unknown == one.unknown && next == terms.shift(Op::ShiftLeft, unknown, count)) {
        const Term isLong = terms.less(terms.constant(width, width), inRound(free, width), false);
        solved(i, terms.choice(isLong, terms.constant(width, 0), terms.shift(Op::ShiftLeft, one.first, amount)));
      }
    }
  }
}

/// Solves registers that each iteration computes from solved registers of the previous iteration.
void LoopSolver::findDerived() {
  substitute();
  for (size_t i = 0; i < loop.registers.size(); ++i) {
    const WalkedLoop::Register &one = loop.registers[i];
    if (isSolved[i])
      continue;
    Replacement before;
    before[free] = terms.subtract(free, terms.constant(counterBits, 1));
    bool isKnown = true;
    terms.eachBelow(one.next, [&](Term term) {
      if (terms[term].op == Op::Variable && term != free)
        isKnown &= !llvm::is_contained(terms.variableOf(term).loops, loop.header);
    });
    if (!isKnown)
      continue;
    const Term isFirst = terms.equal(free, terms.constant(counterBits, 0));
    solved(i, terms.choice(isFirst, one.first, terms.replaced(one.next, before)));
  }
}

/// Finds ranges for the remaining registers that each iteration preserves.
void LoopSolver::findRanges() {
  for (size_t i = 0; i < loop.registers.size(); ++i) {
    const WalkedLoop::Register &one = loop.registers[i];
    const unsigned width = terms.width(one.unknown);
    if (isSolved[i] || width == 1)
      continue;
    const Number low = terms.low(one.first), high = terms.high(one.first), all = maskOf(width);
    const std::pair<Number, Number> tried[] = {{low, high}, {0, high}, {low, all}, {low, all >> 1}, {0, all >> 1}};
    for (const auto &[from, to] : tried) {
      if ((from == 0 && to == all) || from > low || to < high)
        continue;
      Variable bounded = terms.variableOf(one.unknown);
      bounded.low = from;
      bounded.high = to;
      const Term smaller = terms.variable(bounded);
      Replacement known;
      known[one.unknown] = smaller;
      const Term next = terms.replaced(one.next, known);
      if (terms.low(next) < from || terms.high(next) > to)
        continue;
      values[one.unknown] = smaller;
      model.candidates.push_back({smaller, {one.first, next}});
      isSolved[i] = true;
      break;
    }
  }
}

/// Returns the term as a linear function of the iteration. It must be a sum of counters and invariant terms.
std::optional<LoopSolver::Linear> LoopSolver::linearOf(Term term) {
  const Node node = terms[term];
  const unsigned width = node.width;
  Linear result{terms.constant(width, 0), terms.constant(width, 0)};
  const auto part = [&](Term one, Number factor) {
    const Term times = terms.constant(width, factor);
    if (const auto step = steps.find(one); step != steps.end()) {
      const auto found = llvm::find_if(loop.registers, [&](const auto &known) { return known.unknown == one; });
      result.first = terms.add(result.first, terms.multiply(found->first, times));
      result.step = terms.add(result.step, terms.multiply(step->second, times));
      return true;
    }
    result.first = terms.add(result.first, terms.multiply(one, times));
    return !varies(one);
  };
  if (node.op != Op::Sum)
    return part(term, 1) ? std::optional(result) : std::nullopt;
  result.first = terms.constant(width, node.number);
  for (size_t i = 0; i < node.args.size(); ++i)
    if (!part(node.args[i], node.factors[i]))
      return {};
  return result;
}

/// Bounds the counter if the loop continues while two sums differ: it must stop before they become equal.
void LoopSolver::boundByInequality(Term left, Term right) {
  const auto difference = linearOf(terms.subtract(left, right));
  if (!difference || !terms.isConstant(difference->step))
    return;
  const unsigned width = terms.width(left);
  Number step = terms[difference->step].number;
  Term distance = difference->first;
  if (step >> (width - 1) & 1)
    step = (Number(0) - step) & maskOf(width);
  else
    distance = terms.negate(distance);
  if (!step || (step & (step - 1)) || width > 64)
    return;
  unsigned shift = 0;
  while (step >> shift != 1)
    ++shift;
  const Term rounds = terms.shift(Op::ShiftRight, distance, terms.constant(width, shift));
  const Term isDivided = terms.equal(terms.extend(terms.extract(distance, 0, std::max(shift, 1u)), width, false),
                                     terms.constant(width, 0));
  const bool isSure = shift == 0 || terms.zeros(distance) >= shift;
  const Term isBefore = terms.lessEqual(inRound(free, 64), terms.extend(rounds, 64, false), false);
  addFact(isSure ? isBefore : terms.either(terms.no(isDivided), isBefore));
  if (isSure)
    most = std::min(most, terms.high(rounds));
}

/// Bounds the counter if the loop continues while a sum is below (or above) a limit. The next step must not pass the
/// limit and wrap around.
void LoopSolver::boundOrder(const Linear &counted, Term limit, bool isBelow, bool isStrict, bool isSigned) {
  const unsigned width = terms.width(limit), wide = 2 * width;
  const Term step = isBelow ? counted.step : terms.negate(counted.step);
  if (width > 64 || !terms.isNonNegative(step) || varies(limit))
    return;
  const auto widened = [&](Term term) { return terms.extend(term, wide, isSigned); };
  const Term one = terms.constant(wide, isStrict ? 1 : 0), size = terms.extend(step, wide, false);
  const Term rounds = inRound(free, wide), isFirst = terms.equal(free, terms.constant(counterBits, 0));
  const Term before = terms.multiply(terms.subtract(rounds, terms.constant(wide, 1)), size);
  const Number top = isSigned ? maskOf(width) >> 1 : maskOf(width),
               bottom = isSigned ? ~(maskOf(width) >> 1) : Number(0);
  Term fits, holds;
  if (isBelow) {
    const Term last = terms.subtract(widened(limit), one);
    fits = terms.lessEqual(terms.add(last, size), terms.constant(wide, top), true);
    holds = terms.lessEqual(terms.add(widened(counted.first), before), last, true);
  } else {
    const Term last = terms.add(widened(limit), one);
    fits = terms.lessEqual(terms.constant(wide, bottom), terms.subtract(last, size), true);
    holds = terms.lessEqual(last, terms.subtract(widened(counted.first), before), true);
  }
  addFact(terms.either(terms.either(terms.no(fits), isFirst), holds));
  const bool areSmall = !isSigned || (terms.isNonNegative(limit) && terms.isNonNegative(counted.first));
  if (!terms.isConstant(fits, 1) || !areSmall || !terms.low(step))
    return;
  const Number far = isBelow ? terms.high(limit) : terms.high(counted.first);
  const Number near = isBelow ? terms.low(counted.first) : terms.low(limit);
  const Number span = far < near ? 0 : far - near;
  most = std::min(most, span / terms.low(step) + 1);
}

/// Bounds the counter if the condition for another iteration compares two sums.
void LoopSolver::boundByOrder(Term condition, bool isMet) {
  const Node node = terms[condition];
  const bool isSigned = node.op == Op::LessSigned;
  const Term left = node.args[0], right = node.args[1];
  const bool leftVaries = varies(left), rightVaries = varies(right);
  if (leftVaries == rightVaries)
    return;
  const auto counted = linearOf(leftVaries ? left : right);
  if (!counted)
    return;
  // left < right, or right <= left
  const bool isBelow = leftVaries == isMet;
  boundOrder(*counted, leftVaries ? right : left, isBelow, isMet, isSigned);
}

void LoopSolver::bound(Term condition, bool isMet) {
  const Node node = terms[condition];
  if (node.op == Op::Xor && node.width == 1 && terms.isConstant(node.args[1], 1))
    return bound(node.args[0], !isMet);
  if (node.op == Op::Equal && !isMet)
    boundByInequality(node.args[0], node.args[1]);
  if (node.op == Op::Less || node.op == Op::LessSigned)
    boundByOrder(condition, isMet);
}

static void conjuncts(const Terms &terms, Term root, llvm::SmallVectorImpl<Term> &found) {
  llvm::SmallVector<Term, 8> stack = {root};
  while (!stack.empty()) {
    const Term term = stack.pop_back_val();
    if (terms[term].op == Op::And && terms.width(term) == 1)
      stack.append({terms[term].args[1], terms[term].args[0]});
    else
      found.push_back(term);
  }
}

/// Chooses the width of the counter by the maximum number of iterations, and adds the facts about it.
void LoopSolver::chooseCounter() {
  Variable variable = terms.variableOf(free);
  variable.high = std::min(most, mostRounds);
  counter = terms.variable(variable);
  Replacement known;
  known[free] = counter;
  for (auto &[unknown, value] : values)
    value = terms.replaced(value, known);
  Term fact = terms.truth(true);
  for (const Term one : facts) {
    Replacement all = values;
    all[free] = counter;
    fact = terms.both(fact, terms.replaced(one, all));
  }
  // An iteration that follows another one implies that the other one continued.
  llvm::SmallVector<Term, 8> conditions;
  conjuncts(terms, loop.continues, conditions);
  const Term isFirst = terms.equal(counter, terms.constant(counterBits, 0));
  for (const Term one : conditions) {
    Replacement all = values;
    all[free] = counter;
    const Term now = terms.replaced(one, all);
    bool isKnown = true;
    terms.eachBelow(now, [&](Term term) {
      if (terms[term].op == Op::Variable && term != counter)
        isKnown &= !llvm::is_contained(terms.variableOf(term).loops, loop.header);
    });
    if (!isKnown)
      continue;
    Replacement before;
    before[counter] = terms.subtract(counter, terms.constant(counterBits, 1));
    fact = terms.both(fact, terms.either(isFirst, terms.replaced(now, before)));
  }
  values[loop.fact] = fact;
}

Replacement LoopSolver::solve() {
  isSolved.resize(loop.registers.size());
  Variable variable{"round", counterBits, Sharing::Thread, 0, maskOf(counterBits), {}};
  variable.loops.assign(model.loopsOf[loop.header].begin(), model.loopsOf[loop.header].end());
  free = terms.variable(variable);
  findInvariants();
  findSteps();
  findAlternations();
  findShifts();
  const Term continues = loop.continues; // in terms of the unknown values
  llvm::SmallVector<Term, 8> conditions;
  conjuncts(terms, continues, conditions);
  for (const Term one : conditions)
    bound(one, true);
  findDerived();
  findRanges();
  chooseCounter();
  for (size_t i = 0; i < loop.registers.size(); ++i)
    if (!isSolved[i])
      model.candidates.push_back({loop.registers[i].unknown, {loop.registers[i].first, loop.registers[i].next}});
  std::vector<Term> ends = loop.exits;
  ends.push_back(loop.continues);
  model.candidates.push_back({counter, std::move(ends)});
  values[free] = counter;
  return values;
}

static void replaceAll(Model &model, Walk &walk, const Replacement &values) {
  Replacement known = values;
  const auto replace = [&](Term &term) {
    if (term != Term::None)
      term = model.terms.replaced(term, known);
  };
  for (ModelAccess &access : model.accesses) {
    replace(access.address);
    replace(access.guard);
    llvm::for_each(access.values, replace);
  }
  for (ModelBranch &branch : model.branches) {
    replace(branch.guard);
    replace(branch.condition);
  }
  for (WalkedLoop &loop : walk.loops) {
    for (WalkedLoop::Register &one : loop.registers) {
      replace(one.first);
      replace(one.next);
    }
    replace(loop.continues);
    llvm::for_each(loop.exits, replace);
  }
  for (WalkedLoad &load : walk.loads)
    replace(load.address);
  for (Candidate &candidate : model.candidates)
    llvm::for_each(candidate.depends, replace);
}

void solveLoops(Model &model, Walk &walk) {
  for (WalkedLoop &loop : walk.loops) {
    LoopSolver solver(model, loop);
    const Replacement values = solver.solve();
    model.loops.push_back({loop.header, solver.counter, 0});
    replaceAll(model, walk, values);
  }
}

Sharing sharingOf(const Terms &terms, Term term) {
  Sharing sharing = Sharing::Grid;
  terms.eachBelow(term, [&](Term one) {
    if (terms[one].op == Op::Variable)
      sharing = std::max(sharing, terms.variableOf(one).sharing);
  });
  return sharing;
}

void shareValues(Model &model, Walk &walk) {
  Terms &terms = model.terms;
  bool writesUnknown = false;
  std::set<Term> written;
  bool hasAtomics = false;
  for (const ModelAccess &access : model.accesses) {
    if (!access.isWrite || access.memory == Memory::Local)
      continue;
    writesUnknown |= access.base == Term::None;
    hasAtomics |= access.isAtomic || access.isStrong;
    written.insert(access.base);
  }
  Replacement values;
  std::vector<Candidate> loads;
  for (const WalkedLoad &load : walk.loads) {
    const ModelAccess &access = model.accesses[load.access];
    const bool isConstant = access.memory == Memory::Other;
    const bool isRead = access.memory == Memory::Global && access.base != Term::None && !writesUnknown &&
                        !access.isSplit && !written.count(access.base);
    if (isConstant || isRead) {
      const Term address = terms.replaced(load.address, values);
      const size_t function = llvm::hash_combine(0x6d656d, access.bytes, load.element, static_cast<int>(access.memory));
      values[load.variable] = terms.opaque(terms.width(load.variable), function, address);
    } else if (!hasAtomics) {
      loads.push_back({load.variable, {load.address}});
    }
  }
  replaceAll(model, walk, values);
  for (Candidate &load : loads) {
    Replacement known = values;
    load.depends[0] = terms.replaced(load.depends[0], known);
    // This launch changes the memory, so blocks may read different values.
    load.depends.push_back(model.block[0]);
    model.candidates.push_back(std::move(load));
  }
  for (const Candidate &one : model.candidates)
    terms.setSharing(one.variable, Sharing::Grid);
  for (bool isNew = true; isNew;) {
    isNew = false;
    for (const Candidate &one : model.candidates) {
      Sharing sharing = terms.variableOf(one.variable).sharing;
      const Sharing before = sharing;
      for (const Term term : one.depends)
        sharing = std::max(sharing, sharingOf(terms, term));
      if (sharing != before) {
        terms.setSharing(one.variable, sharing);
        isNew = true;
      }
    }
  }
}

Model modelOf(const Body &body, const ModuleState &module, const machine::KernelEntry &kernel, const ProvenShape &shape,
              const std::map<int, ParameterRange> &ranges, const std::set<NameId> &pure) {
  Model model;
  model.shape = shape;
  Walk walk(body, module, kernel, model, ranges);
  walk.pure = pure;
  walk.run();
  if (!model.obstacles.empty())
    return model;
  solveLoops(model, walk);
  walk.findBases();
  shareValues(model, walk);
  return model;
}

} // namespace ptxray::prove
