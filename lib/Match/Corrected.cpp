// Describes the words that have to be changed. Each sentence is true for all forms of the instruction.
#include "Match/Claims.h"
#include "Match/Corrections.h"
#include "Match/Describe.h"
#include "Match/Nearness.h"
#include "Match/Wording.h"
#include "Match/Words.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace ptxray {

using isa::WordClass;
using isa::WordId;
using Words = llvm::SmallVector<WordId, 16>;

namespace {

/// Corrections that change words at the same positions.
struct Group {
  std::vector<const Correction *> members;
  const Correction &first() const { return *members.front(); }
};

/// The written words that a message names, in order.
using Indices = llvm::SmallVector<unsigned, 2>;

/// Returns the smallest set of written words for which a message is true, preferring operations, then words next to the
/// location.
std::optional<Indices> fewestWords(const Opcode &opcode, unsigned at,
                                   llvm::function_ref<bool(const Indices &)> isTrue) {
  Indices others;
  for (unsigned k = opcode.mnemonicWords; k < opcode.words.size(); ++k)
    if (!opcode.words[k].dropped && opcode.words[k].id)
      others.push_back(k);
  auto rank = [&](unsigned k) {
    const bool isOperation = isa::word(opcode.words[k].id).wordClass == WordClass::Operation;
    return std::pair(!isOperation, k > at ? k - at : at - k);
  };
  llvm::stable_sort(others, [&](unsigned a, unsigned b) { return rank(a) < rank(b); });
  for (unsigned k : others)
    if (isTrue({k}))
      return Indices{k};
  for (size_t i = 0; i < others.size(); ++i)
    for (size_t j = 0; j < i; ++j)
      if (Indices both{std::min(others[i], others[j]), std::max(others[i], others[j])}; isTrue(both))
        return both;
  return std::nullopt;
}

class Teller {
public:
  Teller(const WrittenInstruction &written, const Group &group, Phase phase)
      : opcode(written.opcode), mnemonic(*opcode.mnemonic), group(group), phase(phase) {}

  Finding tell(size_t change) const;
  Words rightWords(size_t change) const;

private:
  Finding tellReplaced(const WordChange &change, const Words &right) const;
  Finding tellRemoved(const WordChange &change) const;
  Finding tellMissing(const WordChange &change, const Words &right) const;
  Words alternatives(const Words &right) const;
  Words allowedWith(const Indices &subject, const Words &right) const;
  Words fittingThere(unsigned at, const Words &right) const;
  bool mayHold(const Indices &subject, WordId word) const;
  bool needsOneOf(const Indices &subject, llvm::ArrayRef<WordId> words) const;
  std::optional<Indices> subjectOf(unsigned k, llvm::function_ref<bool(const Indices &)> isTrue) const;
  std::string textOf(const Indices &subject) const;
  bool isChanged(unsigned k) const {
    return llvm::any_of(group.first().changes,
                        [k](const WordChange &c) { return c.at == k && c.kind != WordChange::Insert; });
  }

  const Opcode &opcode;
  const isa::Mnemonic &mnemonic;
  const Group &group;
  const Phase phase;
};

} // namespace

/// Returns the words with which the corrections of the group replace a word, the nearest first.
Words Teller::rightWords(size_t change) const {
  Words right;
  for (const Correction *correction : group.members)
    if (const WordId word = correction->changes[change].word; !llvm::is_contained(right, word))
      right.push_back(word);
  const WordChange &first = group.first().changes[change];
  if (first.kind == WordChange::Replace)
    sortByNearness(right, opcode.words[first.at].id);
  return right;
}

/// Returns the words of all slots, in any form, that accept the correct words.
Words Teller::alternatives(const Words &right) const {
  const isa::Tables &t = isa::tables();
  Words all = right;
  for (uint32_t form : isa::run(t.mnemonicForms, mnemonic.forms))
    for (const isa::Slot &slot : isa::run(t.slots, t.forms[form].slots)) {
      const auto words = wordsOf(slot);
      if (llvm::none_of(right, [&](WordId word) { return llvm::is_contained(words, word); }))
        continue;
      for (WordId word : words)
        if (!llvm::is_contained(all, word) && isa::word(word).wordClass == isa::word(right.front()).wordClass)
          all.push_back(word);
    }
  return all;
}

/// Returns the correct words. If there are few, adds all others that are valid at that position.
Words Teller::fittingThere(unsigned at, const Words &right) const {
  constexpr size_t most = 8;
  Words fitting = right;
  for (WordId word : alternatives(right)) {
    Words all;
    for (unsigned k = opcode.mnemonicWords; k < opcode.words.size(); ++k)
      if (k == at || (opcode.words[k].id && !opcode.words[k].dropped && !isChanged(k)))
        all.push_back(k == at ? word : opcode.words[k].id);
    if (!llvm::is_contained(fitting, word) && mayMeet(mnemonic, all))
      fitting.push_back(word);
  }
  sortByNearness(llvm::MutableArrayRef(fitting).drop_front(right.size()), opcode.words[at].id);
  return fitting.size() > most ? right : fitting;
}

/// Returns whether some form contains the words of the subject together with another word, in any position.
bool Teller::mayHold(const Indices &subject, WordId word) const {
  Words words;
  for (unsigned k : subject)
    words.push_back(opcode.words[k].id);
  for (size_t i = 0; i <= words.size(); ++i) {
    Words all = words;
    all.insert(all.begin() + i, word);
    if (mayMeet(mnemonic, all))
      return true;
  }
  return false;
}

bool Teller::needsOneOf(const Indices &subject, llvm::ArrayRef<WordId> words) const {
  Words written;
  for (unsigned k : subject)
    written.push_back(opcode.words[k].id);
  return mayMeet(mnemonic, written) && !mayMeet(mnemonic, written, words);
}

std::optional<Indices> Teller::subjectOf(unsigned at, llvm::function_ref<bool(const Indices &)> isTrue) const {
  return fewestWords(opcode, at, [&](const Indices &words) {
    return llvm::none_of(words, [&](unsigned k) { return k == at || isChanged(k); }) && isTrue(words);
  });
}

std::string Teller::textOf(const Indices &subject) const {
  std::string text;
  for (size_t i = 0; i < subject.size(); ++i) {
    if (i && subject[i] != subject[i - 1] + 1)
      text += "` with `";
    text += opcode.words[subject[i]].text;
  }
  return quote(text);
}

/// Returns the words that the subject allows at that position. The correct words come first.
Words Teller::allowedWith(const Indices &subject, const Words &right) const {
  Words allowed;
  for (WordId word : alternatives(right))
    if (llvm::is_contained(right, word) || mayHold(subject, word))
      allowed.push_back(word);
  return allowed;
}

Finding Teller::tellReplaced(const WordChange &change, const Words &right) const {
  const uint16_t k = change.at;
  const WordId word = opcode.words[k].id;
  Finding f;
  if (!someFormKnows(mnemonic, word)) {
    f = wordFinding(DiagId::IllegalQualifier, {FindingPlace::Word, k}, opcode.words[k].text, mnemonic.text(),
                    addedLater);
    f.kind = kindOf(right.front());
    f.args.push_back(nearestText(fittingThere(k, right)));
    return f;
  }
  const auto subject = subjectOf(k, [&](const Indices &words) { return !mayHold(words, word); });
  if (!subject) {
    f = wordFinding(DiagId::QualifierOfOtherForm, {FindingPlace::Word, k}, opcode.words[k].text, mnemonic.text());
    f.kind = kindOf(word);
    f.notes.push_back("expected " + nearestText(fittingThere(k, right)));
    return f;
  }
  Words allowed = allowedWith(*subject, right);
  sortByNearness(llvm::MutableArrayRef(allowed).drop_front(right.size()), word);
  // "`.f16` requires `.f16`" would refer to two different positions, and is not helpful.
  const bool isOfItself =
      llvm::any_of(*subject, [&](unsigned i) { return llvm::is_contained(allowed, opcode.words[i].id); });
  if (isOfItself || !needsOneOf(*subject, allowed)) {
    f = wordFinding(DiagId::QualifierNotAllowed, {FindingPlace::Word, k}, opcode.words[k].text, textOf(*subject));
    f.notes.push_back("expected " + nearestText(right));
    return f;
  }
  const isa::Word &first = isa::word(opcode.words[subject->front()].id);
  const bool isType = isa::word(word).wordClass == WordClass::Type && first.wordClass != WordClass::Type;
  f = wordFinding(isType ? IdTakingTexts<2>(DiagId::QualifierType) : DiagId::QualifierCombination,
                  {FindingPlace::Word, k}, textOf(*subject), addedLater);
  f.kind = kindOf(isType ? opcode.words[subject->front()].id : word);
  f.args.push_back(nearestText(allowed));
  return f;
}

Finding Teller::tellRemoved(const WordChange &change) const {
  const uint16_t k = change.at;
  const WordId word = opcode.words[k].id;
  Finding f;
  const auto subject = someFormKnows(mnemonic, word)
                           ? subjectOf(k, [&](const Indices &words) { return !mayHold(words, word); })
                           : std::nullopt;
  if (subject)
    return wordFinding(DiagId::QualifierNotAllowed, {FindingPlace::Word, k}, opcode.words[k].text, textOf(*subject));
  f = wordFinding(someFormKnows(mnemonic, word) ? IdTakingTexts<2>(DiagId::QualifierOfOtherForm)
                                                : DiagId::UnexpectedQualifier,
                  {FindingPlace::Word, k}, opcode.words[k].text, mnemonic.text());
  f.kind = kindOf(word);
  return f;
}

Finding Teller::tellMissing(const WordChange &change, const Words &right) const {
  const Words all = alternatives(right);
  std::string what = quote(mnemonic.text());
  Words expected = all;
  FindingPlace place{FindingPlace::Opcode, 0};
  const auto isNear = [&](unsigned k) {
    return std::max<unsigned>(k, change.at) - std::min<unsigned>(k, change.at) < 3;
  };
  if (!needsOneOf({}, all)) {
    const auto subject = subjectOf(change.at, [&](const Indices &words) { return needsOneOf(words, all); });
    what = subject ? textOf(*subject) : quote(opcode.spelling);
    expected = subject ? allowedWith(*subject, right) : right;
    if (subject && subject->size() == 1 && isNear(subject->front())) {
      const unsigned first = std::min<unsigned>(subject->front(), change.at);
      place = FindingPlace::at(FindingPlace::Word, first,
                               narrow<uint16_t>(std::max<unsigned>(subject->front(), change.at) - first + 1));
    }
  } else {
    expected = allowedWith({}, right);
  }
  // A word that a form of old versions lacks is not a choice.
  if (isFixedWord(kindOf(right.front())))
    what = quote(mnemonic.text());
  Finding f = wordFinding(DiagId::MissingQualifier, place, what, addedLater);
  f.kind = kindOf(right.front());
  f.args.push_back(nearestText(expected));
  return f;
}

static Remedy remedyOf(const WordChange &change) {
  const std::string text(isa::word(change.word).text());
  switch (change.kind) {
  case WordChange::Replace: return {Remedy::ReplaceWord, change.at, text};
  case WordChange::Remove: return {Remedy::RemoveWord, change.at, ""};
  case WordChange::Insert: return {Remedy::InsertAfterWord, change.at, text};
  }
  return {};
}

Finding Teller::tell(size_t index) const {
  const WordChange &change = group.first().changes[index];
  const Words right = rightWords(index);
  Finding f = change.kind == WordChange::Replace  ? tellReplaced(change, right)
              : change.kind == WordChange::Remove ? tellRemoved(change)
                                                  : tellMissing(change, right);
  f.phase = phase;
  f.form = group.first().form;
  return f;
}

static std::vector<Group> groupsOf(const std::vector<Correction> &corrections) {
  std::vector<Group> groups;
  for (const Correction &correction : corrections) {
    auto isAlike = [&](const Group &group) {
      const auto &changes = group.first().changes;
      return changes.size() == correction.changes.size() &&
             llvm::all_of(llvm::zip(changes, correction.changes),
                          [](const auto &pair) { return std::get<0>(pair).isSamePlace(std::get<1>(pair)); });
    };
    const auto known = llvm::find_if(groups, isAlike);
    if (known != groups.end())
      known->members.push_back(&correction);
    else
      groups.push_back({{&correction}});
  }
  return groups;
}

/// Returns one of equally near groups. A group that changes a word with a finding comes first.
static const Group &chosenOf(const std::vector<Group> &groups, llvm::ArrayRef<Finding> findings) {
  for (const Group &group : groups)
    for (const WordChange &change : group.first().changes)
      if (llvm::any_of(findings, [&](const Finding &f) {
            return f.place.kind == FindingPlace::Word && f.place.index <= change.at &&
                   change.at < f.place.index + f.place.count;
          }))
        return group;
  return groups.front();
}

/// Makes a gate name the smallest set of words that no form has in this module: for example `cvt.rn.tf32`, because
/// `.rn` alone is always available.
static void nameGated(Finding &f, const WrittenInstruction &written) {
  const Opcode &opcode = written.opcode;
  const isa::Mnemonic &mnemonic = *opcode.mnemonic;
  auto isClosed = [&](const Indices &words) {
    Words ids;
    for (unsigned k : words)
      ids.push_back(opcode.words[k].id);
    return mayMeet(mnemonic, ids) && !mayMeetIn(written.availability, mnemonic, ids);
  };
  if (isClosed({})) {
    ModuleContext newer = written.availability.module();
    if (f.remedy.kind == Remedy::RaiseVersion)
      newer.ptx = f.remedy.word;
    const bool isOfVersion = f.id != DiagId::RequiresPtx || mayMeetIn(Availability(newer), mnemonic, {});
    f.place = {FindingPlace::Opcode, 0};
    f.args.front() = quote(isOfVersion ? std::string(mnemonic.text()) : opcode.spelling);
    return;
  }
  const std::optional<Indices> words =
      fewestWords(opcode, f.place.kind == FindingPlace::Word ? f.place.index : 1, isClosed);
  if (!words)
    return;
  const unsigned first = words->front(), last = words->back();
  if (words->size() == 1 && f.place == FindingPlace::at(FindingPlace::Word, first))
    return;
  std::string text;
  for (unsigned k : *words)
    text += opcode.words[k].text;
  f.args.front() = quote(std::string(mnemonic.text()) + text);
  f.place = FindingPlace::at(FindingPlace::Word, first, narrow<uint16_t>(last - first + 1));
  f.kind = Kind::Qualifier;
}

/// Returns whether one word may be intended instead of another, because both are of the same kind, or are integer types
/// of the same size.
static bool mayStandFor(WordId word, WordId written) {
  const isa::Word &a = isa::word(word), &b = isa::word(written);
  auto isInteger = [](const isa::Word &one) {
    return one.typeKind == isa::TypeKind::Signed || one.typeKind == isa::TypeKind::Unsigned;
  };
  if (a.wordClass == WordClass::Type)
    return isInteger(a) && isInteger(b) && a.bits == b.bits;
  return kindOf(word) == kindOf(written);
}

/// Adds a note with words that are available instead of an unavailable one: `.rna` for `.rn`. In that case, the fix
/// does not change the target.
static void addAvailable(Finding &f, const WrittenInstruction &written) {
  constexpr unsigned never = 50, far = 5;
  const std::vector<Correction> corrections = nearestCorrections(written, never);
  Words words;
  for (const Correction &one : corrections)
    if (one.changes.size() == 1 && one.changes.front().kind == WordChange::Remove && one.left.empty() &&
        one.cost <= far)
      f.notes.push_back(quote(spellingWith(written.opcode, one.changes)) + " is available here");
  for (const Correction &one : corrections)
    if (one.changes.size() == 1 && one.changes.front().kind == WordChange::Replace && one.left.empty() &&
        one.cost <= far && mayStandFor(one.changes.front().word, written.opcode.words[one.changes.front().at].id))
      words.push_back(one.changes.front().word);
  constexpr size_t most = 3;
  if (words.empty() || words.size() > most)
    return;
  f.notes.push_back(nearestText(words) + (words.size() == 1 ? " is" : " are") + " available here");
  if (f.remedy.kind == Remedy::ChangeTarget)
    f.remedy = {};
}

/// Returns the words in a quoted text.
static Words wordsIn(llvm::StringRef text) {
  Words words;
  for (size_t at = text.find('.'); at != llvm::StringRef::npos; at = text.find('.', at + 1)) {
    const llvm::StringRef rest = text.drop_front(at + 1);
    const llvm::StringRef name = rest.take_while([](char c) { return llvm::isAlnum(c) || c == '_' || c == ':'; });
    if (const WordId id = isa::findWord(text.substr(at, name.size() + 1)))
      words.push_back(id);
  }
  return words;
}

/// Returns the index of a word at a location whose text is not in the given list.
static std::optional<uint16_t> otherWord(const Opcode &opcode, FindingPlace place, const Words &subject) {
  for (uint16_t k = place.index; place.kind == FindingPlace::Word && k < place.index + place.count; ++k)
    if (!llvm::is_contained(subject, opcode.words[k].id))
      return k;
  return std::nullopt;
}

/// Rewords a statement that is not true for all forms of the instruction, so that it applies only to this form.
static void keepTrue(Finding &f, const Opcode &opcode) {
  const isa::Mnemonic &mnemonic = *opcode.mnemonic;
  auto beOfThisOne = [&](std::string word, std::string expected) { // both replace arguments of the finding
    f.id = DiagId::QualifierOfOtherForm;
    f.args = {std::move(word), std::string(mnemonic.text())};
    f.notes.insert(f.notes.begin(), SharedText("expected " + std::move(expected)));
  };
  if (f.id == DiagId::IllegalQualifier) {
    if (someFormKnows(mnemonic, isa::findWord(f.args.front())))
      beOfThisOne(f.args.front(), f.args.back());
    return;
  }
  if (f.id != DiagId::QualifierCombination && f.id != DiagId::QualifierType && f.id != DiagId::MissingQualifier)
    return;
  const Words subject = wordsIn(f.args.front()), expected = wordsIn(f.args.back());
  if (f.args.back().find("...") != std::string::npos || !mayMeet(mnemonic, subject, expected))
    return;
  if (f.id == DiagId::MissingQualifier) {
    if (!isFixedWord(f.kind))
      f.args.front() = quote(opcode.spelling);
  } else if (const auto k = otherWord(opcode, f.place, subject)) {
    f.kind = kindOf(opcode.words[*k].id);
    f.place = {FindingPlace::Word, *k};
    beOfThisOne(opcode.words[*k].text.str(), f.args.back());
  }
}

void keepTrue(std::vector<Finding> &findings, const Opcode &opcode) {
  for (Finding &f : findings)
    if (opcode.mnemonic && f.severity == Severity::Error && f.args.size() > 1)
      keepTrue(f, opcode);
}

void nameGates(std::vector<Finding> &findings, const WrittenInstruction &written) {
  const isa::Text opcodeName = written.opcode.mnemonic->text();
  for (Finding &f : findings)
    if (f.severity == Severity::Error && f.phase == Phase::Gate && f.id != DiagId::RemovedInPtx &&
        f.place.kind != FindingPlace::Operand && f.place.kind != FindingPlace::Suffix && !f.args.empty()) {
      nameGated(f, written);
      const std::optional<isa::Meaning> instead = isa::findMeaning("instead", opcodeName);
      if (instead && f.id != DiagId::RequiresPtx && f.kind == Kind::Instruction)
        f.notes.push_back(std::string(instead->text));
      if (findings.size() == 1 && f.place.kind == FindingPlace::Word)
        addAvailable(f, written);
    }
}

/// Appends the remaining findings about the changed instruction, at the words of the written one.
static void appendLeft(std::vector<Finding> &findings, const Correction &correction, const Opcode &opcode) {
  const Opcode changed(spellingWith(opcode, correction.changes));
  llvm::SmallVector<uint16_t, 16> from; // for each word of the changed opcode, its index in the original opcode
  for (uint16_t k = 0; k < opcode.words.size(); ++k) {
    auto isOf = [k](WordChange::Kind kind) {
      return [k, kind](const WordChange &change) { return change.at == k && change.kind == kind; };
    };
    if (llvm::none_of(correction.changes, isOf(WordChange::Remove)))
      from.push_back(k);
    from.append(llvm::count_if(correction.changes, isOf(WordChange::Insert)), k);
  }
  for (Finding &f : selectFindings(correction.left, changed)) {
    // A finding about an operand may be caused by the word.
    const bool isOther = !correction.changes.empty() && f.phase != Phase::Gate && f.id != DiagId::MissingOperand;
    if (f.severity != Severity::Error || isOther)
      continue;
    // With a different word, the form has different operands.
    if (!correction.changes.empty() && f.id == DiagId::MissingOperand) {
      findings.front().notes.push_back("then it requires " + f.args.back());
      findings.front().notes.append(f.notes.begin(), f.notes.end());
      continue;
    }
    if (f.place.kind == FindingPlace::Word)
      f.place = FindingPlace::at(FindingPlace::Word, f.place.index < from.size() ? from[f.place.index] : 0);
    findings.push_back(std::move(f));
  }
}

/// Reports words that are correct together, but not with the operands: names the first such operand, and the word that
/// it requires.
static bool tellOfOperands(std::vector<Finding> &findings, const Group &group, const Words &right) {
  const WordChange &change = group.first().changes.front();
  if (group.first().changes.size() != 1 || change.kind == WordChange::Remove)
    return false;
  Finding one = findings.front();
  if (change.kind == WordChange::Insert) {
    one.notes.push_back("with " + nearestText(right) + " it fits");
    findings = {one};
    return true;
  }
  const bool isOfWord = one.id == DiagId::StateSpace || one.id == DiagId::OperandType || one.id == DiagId::OperandSize;
  if (isOfWord && findings.size() == 1 && one.place.kind == FindingPlace::Operand && one.sourceArg >= 0) {
    one.textNode = narrow<int16_t>(one.place.index);
    one.place = {FindingPlace::Word, change.at};
  }
  one.notes.push_back(nearestText(right) + (one.alike.empty() ? " fits it" : " fits them"));
  findings = {one};
  return true;
}

/// Returns the change if exactly one change makes the instruction correct.
static Remedy onlyRemedy(llvm::ArrayRef<Group> groups, const Opcode &opcode) {
  const Correction &first = groups.front().first();
  if (groups.size() > 1 || groups.front().members.size() > 1 || !first.left.empty())
    return {};
  return first.changes.size() == 1 ? remedyOf(first.changes.front())
                                   : Remedy{Remedy::ReplaceOpcode, 0, spellingWith(opcode, first.changes)};
}

bool adoptCorrections(std::vector<Finding> &findings, const WrittenInstruction &written) {
  const std::vector<Correction> corrections = nearestCorrections(written, 2);
  const std::vector<Group> groups = groupsOf(corrections);
  if (groups.empty())
    return false;
  const Group &group = chosenOf(groups, findings);
  const Correction &first = group.first();
  if (first.changes.empty() &&
      llvm::any_of(group.members, [&](const Correction *c) { return c->form == findings.front().form; }))
    return false;
  // Different operands are only assumed if their number differs.
  auto isOfNumber = [](const Finding &f) { return f.phase == Phase::Shape; };
  auto isTooMany = [](const Finding &f) { return f.id == DiagId::ExtraOperand; };
  if (first.changes.empty() && llvm::none_of(findings, isOfNumber) && llvm::none_of(first.left, isTooMany))
    return false;
  auto isOfQualifiers = [](const Finding &f) { return f.phase == Phase::Qualifier; };
  const bool isOfWords = llvm::any_of(findings, isOfQualifiers);
  const Teller teller(written, group, isOfWords ? Phase::Qualifier : Phase::Condition);
  const bool areWordsRight = llvm::none_of(findings, [](const Finding &f) {
    return f.severity == Severity::Error && (f.phase == Phase::Qualifier || isOfWordsTogether(f));
  });
  if (!first.changes.empty() && areWordsRight) {
    if (!tellOfOperands(findings, group, teller.rightWords(0)))
      return false;
    findings.front().remedy = onlyRemedy(groups, written.opcode);
    return true;
  }
  std::vector<Finding> told;
  if (!first.changes.empty())
    told.push_back(teller.tell(0));
  if (first.changes.size() > 1)
    told.front().notes.push_back("the nearest is " + quote(spellingWith(written.opcode, first.changes)));
  appendLeft(told, first, written.opcode);
  if (told.empty())
    return false;
  if (!first.changes.empty())
    told.front().remedy = onlyRemedy(groups, written.opcode);
  for (Finding &f : findings) // words that are ignored
    if (f.severity != Severity::Error)
      told.push_back(std::move(f));
  findings = std::move(told);
  return true;
}

} // namespace ptxray
