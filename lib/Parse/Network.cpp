#include "Parse/Network.h"

namespace ptxray::recover {

namespace {
// The numbers that ANTLR gives to its kinds.
enum State : uint8_t { NoState = 0, BlockStart = 3, StarBlockStart = 5, RuleStop = 7, LoopEnd = 12 };
enum Edge : uint8_t { Range = 2, Rule = 3, Atom = 5, Set = 7, NotSet = 8, Wildcard = 9 };

/// The numbers, one after the other.
struct Numbers {
  llvm::ArrayRef<int32_t> written;
  bool isOld = false; // before 4.10 all but the first are 2 greater, modulo 2^16
  size_t at = 0;

  int32_t next() {
    const int32_t number = written[at++];
    return isOld && at > 1 ? uint16_t(number - 2) : number;
  }
  void skip(size_t numbers) { at += numbers; }
  void skipList(size_t each) { skip(size_t(next()) * each); }
};

/// What leads from one state to another.
struct Transition {
  uint32_t from = 0, to = 0;
  KindSet kinds = 0;   // that it takes; 0: none
  uint32_t behind = 0; // of one into a rule: where that goes on when the rule has ended
};
} // namespace

static KindSet range(int32_t first, int32_t last) {
  KindSet set = 0;
  for (int32_t kind = first; kind <= last; ++kind)
    set |= bit(TokenKind(kind));
  return set;
}

static std::vector<KindSet> readSets(Numbers &numbers, size_t each) {
  std::vector<KindSet> sets(size_t(numbers.next()));
  for (KindSet &set : sets) {
    const int32_t intervals = numbers.next();
    if (numbers.next())
      set |= bit(TokenKind::EndOfFile);
    for (int32_t i = 0; i < intervals; ++i) {
      const int32_t first = numbers.next();
      numbers.skip(each - 1);
      set |= range(first, numbers.next());
      numbers.skip(each - 1);
    }
  }
  return sets;
}

static std::vector<Transition> readTransitions(Numbers &numbers, llvm::ArrayRef<KindSet> sets) {
  std::vector<Transition> transitions(size_t(numbers.next()));
  for (Transition &transition : transitions) {
    transition.from = uint32_t(numbers.next());
    const auto target = uint32_t(numbers.next());
    const int32_t kind = numbers.next(), first = numbers.next(), second = numbers.next(), third = numbers.next();
    transition.to = kind == Rule ? uint32_t(first) : target;
    switch (kind) {
    case Rule: transition.behind = target; break;
    case Atom: transition.kinds = third ? bit(TokenKind::EndOfFile) : range(first, first); break;
    case Range: transition.kinds = range(third ? 1 : first, second) | (third ? bit(TokenKind::EndOfFile) : 0); break;
    case Set: transition.kinds = sets[size_t(first)]; break;
    case NotSet:
    case Wildcard: llvm_unreachable("the grammar says by name what it takes");
    default: break; // an action or a predicate takes nothing
    }
  }
  return transitions;
}

Network readNetwork(llvm::ArrayRef<int32_t> written) {
  Numbers numbers{written};
  const bool isOld = numbers.next() == 3;
  numbers.isOld = isOld;
  numbers.skip(isOld ? 8 : 0); // what else it supports, always the same since 4.7
  numbers.skip(2);             // that it is of a parser; the greatest kind of a token
  Network network;
  network.followers.resize(size_t(numbers.next()));
  network.behind.resize(network.followers.size());
  for (KindSet &set : network.followers) {
    const int32_t kind = numbers.next();
    if (kind == NoState)
      continue;
    numbers.skip(1); // its rule
    if (kind == LoopEnd || (kind >= BlockStart && kind <= StarBlockStart))
      numbers.skip(1); // its other end
    if (kind == RuleStop)
      set = ruleEnd;
  }
  numbers.skipList(1); // states that are not greedy
  numbers.skipList(1); // and of precedence
  numbers.skipList(1); // the first state of each rule
  numbers.skipList(1); // modes of a lexer
  std::vector<KindSet> sets = readSets(numbers, 1);
  if (isOld)
    for (const KindSet set : readSets(numbers, 2)) // of large characters
      sets.push_back(set);
  const std::vector<Transition> transitions = readTransitions(numbers, sets);

  // States mostly lead to later ones, so that few rounds tell what can be reached.
  for (bool changes = true; changes;) {
    changes = false;
    for (const Transition &transition : llvm::reverse(transitions)) {
      KindSet set = transition.kinds ? transition.kinds : network.followers[transition.to];
      if (transition.behind && set & ruleEnd)
        set = (set & ~ruleEnd) | network.followers[transition.behind];
      KindSet &followers = network.followers[transition.from];
      changes |= (set & ~followers) != 0;
      followers |= set;
    }
  }
  network.behind[0] = bit(TokenKind::EndOfFile); // of the rule that reads all
  for (const Transition &transition : transitions)
    if (transition.behind)
      network.behind[transition.from] = network.followers[transition.behind];
  return network;
}

} // namespace ptxray::recover
