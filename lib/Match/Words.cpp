// Assigns written qualifiers to slots. Their order is free except in ordered classes: a type, a layout or a space only
// takes a slot after that of the previous word of its class.
#include "Match/Words.h"
#include "Match/Wording.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace ptxray {

using isa::Slot;
using isa::SlotValue;
using isa::WordClass;
using isa::WordId;

static bool slotHolds(const Slot &slot, WordId word) {
  auto values = isa::run(isa::tables().slotValues, slot.values);
  auto at = llvm::partition_point(values, [&](const SlotValue &v) { return v.word < word; });
  return at != values.end() && at->word == word;
}

static WordId sampleWord(const Slot &slot) {
  auto values = isa::run(isa::tables().slotValues, slot.values);
  return values.empty() ? WordId(0) : values.front().word;
}

/// Classes in which a wrong word is identified by its position.
static constexpr WordClass alignedClasses[] = {WordClass::Type, WordClass::Layout, WordClass::Space};
static bool isAligned(WordClass wordClass) { return llvm::is_contained(alignedClasses, wordClass); }

static bool sameKind(WordId a, WordId b) {
  const isa::Word &x = isa::word(a), &y = isa::word(b);
  return a && b && (x.kind ? x.kind == y.kind : x.wordClass != WordClass::Free && x.wordClass == y.wordClass);
}

static llvm::SmallVector<WordId, 0> slotWords(const Slot &slot) {
  const isa::Tables &t = isa::tables();
  llvm::SmallVector<WordId, 0> words;
  for (const SlotValue &value : isa::run(t.slotValues, slot.values))
    if (t.exprs[value.gate].op != isa::ExprOp::Warn) // the manual does not have the word
      words.push_back(value.word);
  return words;
}

static bool formHolds(uint32_t form, WordId word) {
  const isa::Tables &t = isa::tables();
  return llvm::any_of(isa::run(t.slots, t.forms[form].slots), [&](const Slot &slot) { return slotHolds(slot, word); });
}

bool someFormKnows(const isa::Mnemonic &mnemonic, WordId word) {
  const isa::Tables &t = isa::tables();
  return llvm::any_of(isa::run(t.mnemonicForms, mnemonic.forms), [&](uint32_t form) { return formHolds(form, word); });
}

std::optional<unsigned> conflictingWord(const Opcode &opcode, unsigned k) {
  std::optional<unsigned> found;
  for (uint32_t form : isa::run(isa::tables().mnemonicForms, opcode.mnemonic->forms)) {
    if (!formHolds(form, opcode.words[k].id))
      continue;
    unsigned others = 0, last = 0;
    for (unsigned i = opcode.mnemonicWords; i < opcode.words.size(); ++i)
      if (!opcode.words[i].dropped && !formHolds(form, opcode.words[i].id)) {
        ++others;
        last = i;
      }
    if (others == 1)
      found = last;
  }
  return found;
}

/// Returns whether the words begin the mnemonic of another instruction, such as `barrier.cluster`.
static bool goesOn(const Opcode &opcode, unsigned k) {
  return k == 1 && spellsInstruction(opcode.words.front().text, opcode.words[k].text) &&
         !someFormKnows(*opcode.mnemonic, opcode.words[k].id);
}

/// Reports a word that begins a longer mnemonic, or that occurs only in mnemonics. Returns false for other words.
static bool reportOfNames(const Opcode &opcode, unsigned k, FindingPlace place, Judgement &judgement) {
  const std::string text = opcode.words[k].text.str(), instruction(opcode.mnemonic->text());
  if (goesOn(opcode, k))
    judgement.report(Phase::Qualifier, DiagId::IncompleteInstruction, FindingPlace::at(FindingPlace::Word, 0, 2),
                     opcode.words.front().text.str() + text);
  else if (!isOnlyInNames(opcode.words[k].id))
    return false;
  else if (spellsInstruction(opcode.words.front().text, text))
    judgement.report(Phase::Qualifier, DiagId::MisplacedQualifier, place, text, instruction);
  else // `.wait_all` of `cp.async.wait_all`
    judgement.report(Phase::Qualifier, DiagId::UnexpectedQualifier, place, text, instruction).kind = Kind::Other;
  return true;
}

static void reportStray(const FormView &view, unsigned k, Judgement &judgement) {
  const Opcode &opcode = view.written.opcode;
  const OpcodeWord &word = opcode.words[k];
  const std::string text = word.text.str(), instruction(opcode.mnemonic->text());
  FindingPlace place = FindingPlace::at(FindingPlace::Word, k);
  if (!word.id) {
    judgement.report(Phase::Qualifier, DiagId::UnknownQualifier, place, text);
    return;
  }
  if (opcode.words[k - 1].id == word.id)
    place = FindingPlace::at(FindingPlace::Word, k - 1, 2);
  if (reportOfNames(opcode, k, place, judgement))
    return;
  for (unsigned i = 1; i < k; ++i)
    if (opcode.words[i].id == word.id) {
      Finding &f = judgement.report(Phase::Qualifier, DiagId::RepeatedQualifier, place, text);
      f.kind = kindOf(word.id);
      f.remedy = {Remedy::RemoveWord, narrow<uint16_t>(k), ""};
      return;
    }
  int taken = -1;
  bool outOfOrder = false;
  for (unsigned j = 0; j < view.slots.size(); ++j)
    if (slotHolds(view.slots[j], word.id)) {
      if (view.slotWord[j])
        taken = j;
      else
        outOfOrder = true;
    }
  if (outOfOrder) {
    judgement.report(Phase::Qualifier, DiagId::MisplacedQualifier, place, text, instruction);
    return;
  }
  if (taken < 0) // not a word of this slot, but of the kind that is written there
    for (unsigned j = 0; j < view.slots.size() && taken < 0; ++j)
      if (view.slotWord[j] && view.slotAt[j] >= 0 && !view.slots[j].literal && sameKind(view.slotWord[j], word.id) &&
          !isAligned(isa::word(word.id).wordClass))
        taken = j;
  if (taken >= 0) {
    judgement
        .report(Phase::Qualifier, DiagId::ConflictingQualifiers, place, text, isa::word(view.slotWord[taken]).text())
        .kind = kindOf(word.id);
    return;
  }
  if (spellsInstruction(opcode.words.front().text, word.text)) { // `mul.s32.lo`
    judgement.report(Phase::Qualifier, DiagId::MisplacedQualifier, place, text, instruction);
    return;
  }
  if (!someFormKnows(*opcode.mnemonic, word.id)) {
    judgement.report(Phase::Qualifier, DiagId::UnexpectedQualifier, place, text, instruction).kind = kindOf(word.id);
    return;
  }
  judgement.report(Phase::Qualifier, DiagId::QualifierOfOtherForm, place, text, instruction).kind = kindOf(word.id);
  judgement.weigh(Phase::Tie); // a form that takes the word and lacks another one is nearer
}

uint16_t wordBefore(const FormView &view, unsigned slot) {
  int16_t before = narrow<int16_t>(view.written.opcode.mnemonicWords - 1);
  for (unsigned j = 0; j < slot; ++j)
    if (view.isWritten(j) && view.slotAt[j] >= 0)
      before = view.slotAt[j];
  return narrow<uint16_t>(before);
}

void reportMissing(const FormView &view, unsigned slot, Phase phase, Judgement &judgement) {
  const Slot &missing = view.slots[slot];
  const Opcode &opcode = view.written.opcode;
  Finding &f = judgement.report(phase, DiagId::MissingQualifier, {FindingPlace::Opcode, 0},
                                "`" + std::string(opcode.mnemonic->text()) + "`", addedLater);
  f.kind = kindOf(sampleWord(missing));
  f.expected = slotWords(missing);
  f.remedy = {Remedy::InsertAfterWord, wordBefore(view, slot), ""};
  // In `dp4a.s32`, one of the two types is missing.
  for (unsigned j = 0; j < view.slots.size(); ++j)
    if (j != slot && view.slotWord[j] && view.slotAt[j] >= opcode.mnemonicWords &&
        llvm::is_contained(f.expected, view.slotWord[j])) {
      f.notes.push_back("`" + std::string(isa::word(view.slotWord[j]).text()) + "` is `" +
                        std::string(view.slots[j].name()) + "` in the form; `" + std::string(missing.name()) +
                        "` is missing");
      return;
    }
}

/// Reports a word at the place where slot `j` requires another one. This is one mistake, not a superfluous word and a
/// missing one.
static void reportIllegal(const FormView &view, uint16_t k, unsigned j, Judgement &judgement) {
  const isa::Slot &slot = view.slots[j];
  const OpcodeWord &word = view.written.opcode.words[k];
  FindingPlace place{FindingPlace::Word, k};
  if (view.written.opcode.words[k - 1].id == word.id) // `.row.row`: both are wrong
    place = FindingPlace::at(FindingPlace::Word, k - 1, 2);
  Finding &f = judgement.report(Phase::Qualifier, DiagId::IllegalQualifier, place, word.text,
                                view.written.opcode.mnemonic->text(), addedLater);
  f.kind = kindOf(sampleWord(slot));
  f.expected = slotWords(slot);
  f.remedy = {Remedy::ReplaceWord, k, ""};
  // Users usually choose the type first, so a form with that type and a superfluous word is nearer.
  const bool isType = isa::word(word.id).wordClass == WordClass::Type;
  judgement.weigh(isType ? Phase::Qualifier : Phase::Tie);
}

/// Assigns words by position, if an ordered class has as many words as slots and some of them are wrong.
static void alignClass(FormView &view, WordClass wordClass, Leftover &leftover) {
  const Opcode &opcode = view.written.opcode;
  auto isOfClass = [&](WordId word) { return word && isa::word(word).wordClass == wordClass; };
  if (llvm::none_of(leftover.strays, [&](uint16_t k) { return isOfClass(opcode.words[k].id); }))
    return;
  llvm::SmallVector<uint16_t, 6> written, wanted;
  for (uint16_t k = opcode.mnemonicWords; k < opcode.words.size(); ++k)
    if (!opcode.words[k].dropped && isOfClass(opcode.words[k].id))
      written.push_back(k);
  for (uint16_t j = opcode.mnemonicWords - 1; j < view.slots.size(); ++j)
    if (!view.slots[j].suffix && isOfClass(sampleWord(view.slots[j])))
      wanted.push_back(j);
  if (written.size() != wanted.size())
    return;
  llvm::erase_if(leftover.strays, [&](uint16_t k) { return llvm::is_contained(written, k); });
  llvm::erase_if(leftover.missing, [&](uint16_t j) { return llvm::is_contained(wanted, j); });
  for (size_t i = 0; i < written.size(); ++i) {
    const uint16_t k = written[i], j = wanted[i];
    const bool fits = slotHolds(view.slots[j], opcode.words[k].id);
    view.slotWord[j] = fits ? opcode.words[k].id : WordId(0);
    view.slotAt[j] = fits ? narrow<int16_t>(k) : 0;
    if (!fits)
      leftover.misplaced.emplace_back(k, j);
  }
}

/// Returns whether a word that fits nowhere is written exactly where the word of slot `j` is missing.
static bool standsFor(const FormView &view, unsigned k, unsigned j) {
  int before = view.written.opcode.mnemonicWords - 1, after = view.written.opcode.words.size();
  for (unsigned i = 0; i < j; ++i)
    if (view.slotWord[i])
      before = std::max<int>(before, view.slotAt[i]);
  for (unsigned i = view.slots.size(); i-- > j + 1;)
    if (view.slotWord[i] && view.slotAt[i] > 0)
      after = std::min<int>(after, view.slotAt[i]);
  const isa::Word &word = isa::word(view.written.opcode.words[k].id);
  return word.wordClass == WordClass::Free && isa::word(sampleWord(view.slots[j])).wordClass == WordClass::Free &&
         static_cast<int>(k) > before && static_cast<int>(k) < after;
}

/// Returns the only free slot between the neighbours of a word, or -1.
static int onlySlotAt(const FormView &view, unsigned k) {
  int before = -1, after = static_cast<int>(view.slots.size());
  for (int j = 0; j < static_cast<int>(view.slots.size()); ++j) {
    if (!view.slotWord[j] || view.slotAt[j] <= 0)
      continue;
    if (view.slotAt[j] < static_cast<int>(k))
      before = std::max(before, j);
    else
      after = std::min(after, j);
  }
  int only = -1;
  for (int j = before + 1; j < after; ++j) {
    if (view.slotWord[j] || view.slots[j].suffix)
      continue;
    if (only >= 0)
      return -1;
    only = j;
  }
  return only;
}

Leftover matchWords(FormView &view) {
  ++view.written.availability.trials;
  const Opcode &opcode = view.written.opcode;
  const unsigned count = view.slots.size();
  for (unsigned k = 1; k < opcode.mnemonicWords && k <= count; ++k) {
    view.slotWord[k - 1] = opcode.words[k].id;
    view.slotAt[k - 1] = narrow<int16_t>(k);
  }

  Leftover leftover;
  // For each class, the first slot that its next word may take.
  unsigned from[static_cast<unsigned>(WordClass::Operation) + 1] = {};
  for (unsigned k = opcode.mnemonicWords; k < opcode.words.size(); ++k) {
    const OpcodeWord &word = opcode.words[k];
    if (word.dropped)
      continue;
    const auto wordClass = static_cast<unsigned>(isa::word(word.id).wordClass);
    unsigned j = word.id ? from[wordClass] : count;
    while (j < count && (view.slotWord[j] || view.slots[j].suffix || !slotHolds(view.slots[j], word.id)))
      ++j;
    if (j == count) {
      leftover.strays.push_back(narrow<uint16_t>(k));
      continue;
    }
    view.slotWord[j] = word.id;
    view.slotAt[j] = narrow<int16_t>(k);
    if (wordClass)
      from[wordClass] = j + 1;
  }

  for (unsigned j = 0; j < count; ++j)
    if (!view.slotWord[j] && !view.slots[j].optional && !view.slots[j].suffix)
      leftover.missing.push_back(narrow<uint16_t>(j));
  if (!leftover.strays.empty())
    for (WordClass wordClass : alignedClasses)
      alignClass(view, wordClass, leftover);
  return leftover;
}

void reportWords(const FormView &view, Leftover leftover, Judgement &judgement) {
  auto &[strays, missing, misplaced] = leftover;
  const Opcode &opcode = view.written.opcode;
  for (auto [k, j] : misplaced)
    reportIllegal(view, k, j, judgement);
  // An unknown word may stand for any missing one.
  const bool anyUnknown = llvm::any_of(strays, [&](uint16_t k) { return !opcode.words[k].id; });
  for (uint16_t k : strays) {
    if (anyUnknown && opcode.words[k].id)
      continue;
    if (!opcode.words[k].id) {
      reportStray(view, k, judgement);
      if (!missing.empty())
        judgement.findings.back().expected = slotWords(view.slots[missing.front()]);
      else if (const int j = onlySlotAt(view, k); j >= 0)
        judgement.findings.back().expected = slotWords(view.slots[j]);
      continue;
    }
    // A word of the wrong value is one mistake, not a superfluous word and a missing one.
    const WordId word = opcode.words[k].id;
    const bool isOfName = isOnlyInNames(word) && spellsInstruction(opcode.words.front().text, opcode.words[k].text);
    const bool isAlone = strays.size() == 1 && missing.size() == 1 && word && !isOfName && !goesOn(opcode, k) &&
                         !someFormKnows(*opcode.mnemonic, word);
    auto instead = isAlone ? missing.begin() : llvm::find_if(missing, [&](uint16_t j) {
      return word && !isOnlyInNames(word) && !goesOn(opcode, k) &&
             (sameKind(sampleWord(view.slots[j]), word) || standsFor(view, k, j));
    });
    if (instead == missing.end()) {
      reportStray(view, k, judgement);
      continue;
    }
    reportIllegal(view, k, *instead, judgement);
    missing.erase(instead);
  }
  if (anyUnknown) {
    judgement.weigh(Phase::Qualifier, missing.size());
    return;
  }
  for (uint16_t j : missing)
    reportMissing(view, j, Phase::Qualifier, judgement);
}

} // namespace ptxray
