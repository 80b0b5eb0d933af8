#include "Prove/Questions.h"
#include "llvm/ADT/STLExtras.h"

namespace ptxray::prove {

Questions::Questions(Model &model, bool mayAlias)
    : model(model), terms(model.terms), mayAlias(mayAlias), ofBlock(model, SegmentEdge::BlockBarrier) {}

// ---- the terms of one thread

/// Returns the counter of a loop. Threads in the same iteration share it.
Term Questions::counterAt(Term variable, size_t loop, const Side &side) {
  const Round round = side.rounds[loop];
  if (round == Round::First)
    return terms.constant(terms.width(variable), 0);
  const Sharing sharing = terms.variableOf(variable).sharing;
  const bool isLockstep = !side.ofGrid && (phases ? *phases : ofBlock).hasBarrier(static_cast<uint32_t>(loop));
  const bool isShared =
      round != Round::Any && (isLockstep || sharing < (side.ofGrid ? Sharing::Block : Sharing::Thread));
  std::vector<uint8_t> key = {255, static_cast<uint8_t>(isShared ? 9 : side.thread)};
  const Variable &known = terms.variableOf(variable);
  for (const uint32_t header : known.loops)
    for (size_t i = 0; i < model.loops.size(); ++i)
      if (i != loop && model.loops[i].header == header)
        key.push_back(static_cast<uint8_t>(side.rounds[i]));
  if (llvm::is_contained(llvm::ArrayRef(key).drop_front(2), static_cast<uint8_t>(Round::Any)))
    key[1] = static_cast<uint8_t>(side.thread);
  const auto [found, isNew] = copies.try_emplace({variable, key}, Term::None);
  if (isNew) {
    const Variable copy = known;
    found->second = terms.variable(copy);
  }
  return round == Round::Next ? terms.add(found->second, terms.constant(terms.width(variable), 1)) : found->second;
}

Term Questions::copyOf(Term variable, const Side &side) {
  for (size_t loop = 0; loop < model.loops.size(); ++loop)
    if (model.loops[loop].counter == variable)
      return counterAt(variable, loop, side);
  const Variable known = terms.variableOf(variable);
  const bool isShared = known.sharing < (side.ofGrid ? Sharing::Block : Sharing::Thread);
  std::vector<uint8_t> key = {0, static_cast<uint8_t>(isShared ? 9 : side.thread)};
  for (const uint32_t header : known.loops)
    for (size_t i = 0; i < model.loops.size(); ++i)
      if (model.loops[i].header == header) {
        key.push_back(static_cast<uint8_t>(side.rounds[i]));
        if (side.rounds[i] == Round::Any)
          key[1] = static_cast<uint8_t>(side.thread);
      }
  if (isShared && known.loops.empty())
    return variable;
  const auto [found, isNew] = copies.try_emplace({variable, key}, Term::None);
  if (isNew)
    found->second = terms.variable(known);
  return found->second;
}

Term Questions::at(Term term, const Side &side) {
  llvm::DenseMap<Term, Term> &done = known[side];
  llvm::SmallVector<Term, 16> variables;
  terms.eachBelow(term, [&](Term one) {
    if (terms[one].op == Op::Variable && !done.count(one))
      variables.push_back(one);
  });
  for (const Term one : variables)
    done[one] = copyOf(one, side);
  return terms.replaced(term, done);
}

// ---- questions

void Questions::add(Question question) {
  ++asked;
  for (const Term term : question.asserted)
    if (terms.isConstant(term, 0))
      return;
  if (question.isOther != Term::None && terms.isConstant(question.isOther, 0))
    return;
  if (question.obstacle.empty() && isImpossible(terms, question))
    return;
  terms.eachBelow(question.asserted, [&](Term) { ++question.weight; });
  found.push_back(std::move(question));
}

void Questions::nameThreads(Question &question, const Side &first, const Side &second) {
  for (unsigned i = 0; i < 3; ++i) {
    question.threads[0][i] = at(model.thread[i], first);
    question.threads[1][i] = at(model.thread[i], second);
    question.blocks[0][i] = at(model.block[i], first);
    question.blocks[1][i] = at(model.block[i], second);
  }
}

/// Returns the linear number of a thread in its block.
Term Questions::linear(const Side &side) {
  const auto &block = model.shape.block;
  const auto part = [&](unsigned i) { return at(model.thread[i], side); };
  const Term row = terms.add(part(1), terms.multiply(part(2), terms.constant(32, block[1])));
  return terms.add(part(0), terms.multiply(row, terms.constant(32, block[0])));
}

Term Questions::overlap(Term a, uint32_t bytesOfA, Term b, uint32_t bytesOfB) {
  const unsigned width = terms.width(a);
  const Term difference = terms.subtract(a, b);
  if (Number(1) << std::min(terms.zeros(difference), 64u) >=
      std::max(bytesOfA, bytesOfB)) // the addresses are equal, or too far apart to overlap
    return terms.equal(difference, terms.constant(width, 0));
  const Term forwards = terms.less(terms.subtract(b, a), terms.constant(width, bytesOfA), false);
  const Term backwards = terms.less(terms.subtract(a, b), terms.constant(width, bytesOfB), false);
  return terms.either(forwards, backwards);
}

/// Returns whether two accesses may overlap. Buffers are disjoint, unless aliasing is permitted. Accesses outside of
/// known buffers may be anywhere.
bool Questions::mayOverlap(const ModelAccess &a, const ModelAccess &b, Question &question) const {
  if (a.memory != b.memory)
    return false;
  if (a.base == b.base && a.base != Term::None)
    return true;
  if (a.base == Term::None || b.base == Term::None) {
    question.obstacle = "an address that is not relative to one parameter or variable";
    return true;
  }
  if (mayAlias && a.memory == Memory::Global) {
    question.obstacle = "buffers that may overlap";
    return true;
  }
  return false;
}

void Questions::race(const ModelAccess &a, const ModelAccess &b, const Side &first, const Side &second, Warps warps) {
  Question question;
  const bool areAtomic = a.isAtomic && b.isAtomic && !(first.ofGrid && (a.isOfBlock || b.isOfBlock));
  if (!(a.isWrite || b.isWrite) || areAtomic || !mayOverlap(a, b, question))
    return;
  question.property = first.ofGrid ? Property::GridRace : Property::Race;
  question.first = a.instruction;
  question.second = b.instruction;
  question.isShared = a.memory == Memory::Shared;
  question.asserted = model.facts;
  for (Term &term : question.asserted) {
    const Term theirs = at(term, second);
    term = terms.both(at(term, first), theirs);
  }
  question.asserted.push_back(at(a.guard, first));
  question.asserted.push_back(at(b.guard, second));
  const auto &numbers = first.ofGrid ? model.block : model.thread;
  Term differ = terms.truth(false);
  for (const Term number : numbers)
    differ = terms.either(differ, terms.no(terms.equal(at(number, first), at(number, second))));
  if (warps != Warps::Any) {
    const Term five = terms.constant(32, 5);
    const Term isSame = terms.equal(terms.shift(Op::ShiftRight, linear(first), five),
                                    terms.shift(Op::ShiftRight, linear(second), five));
    question.asserted.push_back(warps == Warps::Same ? isSame : terms.no(isSame));
  }
  question.asserted.push_back(differ);
  const Term left = at(a.address, first), right = at(b.address, second);
  if (question.obstacle.empty()) {
    question.asserted.push_back(overlap(left, a.bytes, right, b.bytes));
    question.difference = terms.subtract(left, right);
    question.bytes = std::max(a.bytes, b.bytes);
  }
  if (!a.isRead && !b.isRead && a.bytes == b.bytes && a.values.size() == b.values.size() && !a.values.empty()) {
    Term isSame = terms.equal(left, right);
    for (size_t i = 0; i < a.values.size(); ++i)
      if (terms.width(a.values[i]) == terms.width(b.values[i]))
        isSame = terms.both(isSame, terms.equal(at(a.values[i], first), at(b.values[i], second)));
      else
        isSame = terms.truth(false);
    question.isOther = terms.no(isSame);
  }
  nameThreads(question, first, second);
  add(std::move(question));
}

void Questions::races(const Phases &inPhases, Warps warps) {
  phases = &inPhases;
  known.clear();
  for (size_t i = 0; i < model.accesses.size(); ++i)
    for (size_t j = i; j < model.accesses.size(); ++j) {
      const ModelAccess &a = model.accesses[i], &b = model.accesses[j];
      if (!isRelevant(a) || !isRelevant(b) || !(a.isWrite || b.isWrite) || a.memory != b.memory)
        continue;
      for (const Together &way : inPhases.together(a.segment, b.segment))
        race(a, b, {0, way.a, false}, {1, way.b, false}, warps);
    }
}

void Questions::gridRaces() {
  phases = nullptr;
  known.clear();
  for (size_t i = 0; i < model.accesses.size(); ++i)
    for (size_t j = i; j < model.accesses.size(); ++j) {
      const ModelAccess &a = model.accesses[i], &b = model.accesses[j];
      if (a.memory == Memory::Global && b.memory == Memory::Global)
        race(a, b, {0, ofBlock.alone(a.segment), true}, {1, ofBlock.alone(b.segment), true}, Warps::Any);
    }
}

/// Adds the question whether two threads can take different branches towards different barriers.
void Questions::divergence(const Phases &inPhases, bool inWarp) {
  phases = &inPhases;
  known.clear();
  for (const uint32_t segment : inPhases.parting()) {
    const size_t before = found.size();
    bool hasBranch = false;
    for (const ModelBranch &branch : model.branches) {
      if (branch.segment != segment)
        continue;
      hasBranch = true;
      for (const Together &way : inPhases.within(segment)) {
        if (way.a != way.b)
          continue;
        const Side first{0, way.a, false}, second{1, way.b, false};
        Question question;
        question.property = Property::Divergence;
        question.first = question.second = branch.instruction;
        question.asserted = {at(branch.guard, first), at(branch.guard, second),
                             terms.no(terms.equal(at(branch.condition, first), at(branch.condition, second)))};
        for (const Term fact : model.facts)
          question.asserted.push_back(at(fact, first));
        if (inWarp)
          question.asserted.push_back(terms.equal(terms.shift(Op::ShiftRight, linear(first), terms.constant(32, 5)),
                                                  terms.shift(Op::ShiftRight, linear(second), terms.constant(32, 5))));
        nameThreads(question, first, second);
        add(std::move(question));
      }
    }
    if (!hasBranch) {
      Question question;
      question.property = Property::Divergence;
      question.obstacle = "control diverges in a way that is not analysed";
      found.push_back(std::move(question));
    }
    if (inWarp && found.size() != before) {
      found.resize(before);
      warpsMeet = false;
    }
  }
}

void Questions::bounds() {
  phases = nullptr;
  known.clear();
  for (const ModelAccess &access : model.accesses) {
    const auto buffer = llvm::find_if(model.buffers, [&](const Buffer &one) { return one.base == access.base; });
    if (!isRelevant(access) || buffer == model.buffers.end())
      continue;
    const unsigned width = terms.width(access.address);
    Term length = buffer->length == Term::None ? terms.constant(width, buffer->bytes) : buffer->length;
    if (buffer->length == Term::None && (buffer->parameter >= 0 || !buffer->bytes))
      continue;
    length = terms.resized(length, width, false);
    const Side side{0, ofBlock.alone(access.segment), true};
    const Term offset = terms.subtract(at(access.address, side), access.base);
    const Term bytes = terms.constant(width, access.bytes);
    const Term isShort = terms.less(length, bytes, false);
    const Term isBeyond = terms.less(terms.subtract(length, bytes), offset, false);
    Question question;
    question.property = Property::Bounds;
    question.first = question.second = access.instruction;
    question.isShared = buffer->isShared;
    question.asserted = {at(access.guard, side), terms.either(isShort, isBeyond)};
    for (const Term fact : model.facts)
      question.asserted.push_back(at(fact, side));
    nameThreads(question, side, side);
    add(std::move(question));
  }
}

std::vector<Question> Questions::all() {
  const bool hasWarpBarriers =
      llvm::any_of(model.edges, [](const SegmentEdge &edge) { return edge.kind == SegmentEdge::WarpBarrier; });
  if (model.shape.threads() > 1) {
    divergence(ofBlock, false);
    std::optional<Phases> ofWarp;
    if (hasWarpBarriers)
      divergence(ofWarp.emplace(model, SegmentEdge::WarpBarrier), true);
    if (ofWarp && warpsMeet && !ofWarp->isTooMany()) {
      races(*ofWarp, Warps::Same);
      races(ofBlock, Warps::Different);
    } else {
      races(ofBlock, Warps::Any);
    }
  }
  if (!model.shape.hasOneBlock())
    gridRaces();
  bounds();
  if (ofBlock.isTooMany()) {
    Question question;
    question.obstacle = "too many ways between barriers";
    found.push_back(std::move(question));
  }
  llvm::stable_sort(found, [](const Question &a, const Question &b) { return a.weight < b.weight; });
  return std::move(found);
}

} // namespace ptxray::prove
