// Searches for the intended instruction. For each form, missing words are added and unknown words are removed. Then one
// more word may be changed. The correction with the lowest cost is the nearest.
#include "Match/Corrections.h"
#include "Match/BestForm.h"
#include "Match/Describe.h"
#include "Match/Nearness.h"
#include "Match/Partners.h"
#include "Match/Wording.h"
#include "Match/Words.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"

namespace ptxray {

using isa::WordClass;
using isa::WordId;

std::string spellingWith(const Opcode &opcode, llvm::ArrayRef<WordChange> changes) {
  std::string out;
  for (unsigned k = 0; k < opcode.words.size(); ++k) {
    llvm::StringRef text = opcode.words[k].text;
    std::string added;
    for (const WordChange &change : changes) {
      if (change.at != k)
        continue;
      if (change.kind == WordChange::Insert)
        added += isa::word(change.word).text();
      else
        text = change.kind == WordChange::Remove ? "" : llvm::StringRef(isa::word(change.word).text());
    }
    out += text.str() + added;
  }
  return out;
}

bool isOfWordsTogether(const Finding &finding) {
  return llvm::is_contained(
      {DiagId::QualifierCombination, DiagId::QualifierType, DiagId::QualifierNotAllowed, DiagId::MissingQualifier},
      finding.id);
}

/// Returns the cost of a remaining finding after the words are corrected. Frequent mistakes cost less than others.
static unsigned costOf(const Finding &finding, const WrittenInstruction &written, unsigned costOfGate) {
  if (finding.severity != Severity::Error)
    return finding.id == DiagId::UndocumentedQualifier || finding.id == DiagId::UndocumentedCombination ? 2 : 0;
  if (isOfWordsTogether(finding))
    return 20; // probably, other words are intended
  if (finding.id == DiagId::MissingOperand)
    return std::max<unsigned>(1, finding.notes.size());
  if (finding.phase == Phase::Gate)
    return costOfGate;
  if (finding.id == DiagId::ImmediateValue)
    return 2;
  const bool isVector =
      finding.place.kind == FindingPlace::Operand && written.shapes[finding.place.index].kind == ShapeKind::Vector;
  if (finding.id == DiagId::OperandType || finding.id == DiagId::OperandSize)
    return isVector ? 5 : 3;
  if (finding.id == DiagId::ExtraOperand || finding.id == DiagId::VectorLength)
    return 3;
  return finding.id == DiagId::OperandShape ? 4 : 5;
}

static unsigned costOf(const Judgement &judgement, const WrittenInstruction &written, unsigned costOfGate) {
  unsigned cost = 0, ofTypes = 0;
  for (const Finding &finding : judgement.findings) {
    cost += costOf(finding, written, costOfGate);
    ofTypes += finding.phase == Phase::Type && finding.severity == Severity::Error;
  }
  return cost + 5 * (judgement.weight(Phase::Type) - ofTypes);
}

namespace {

/// A word that must be removed, and the slot of its replacement, or -1.
struct Forced {
  int word, slot;
};

class Search {
public:
  Search(const WrittenInstruction &written, unsigned costOfGate)
      : written(written), opcode(written.opcode), costOfGate(costOfGate) {}

  void tryForm(uint32_t form);
  std::vector<Correction> take() { return std::move(found); }

private:
  using Changes = llvm::SmallVector<WordChange, 3>;
  static constexpr unsigned mostForced = 3, mostTrials = 2000, mostOfForm = 300, mostFound = 64;

  struct Draft {
    Changes changes;
    unsigned cost = 0;
  };
  struct Option {
    std::optional<WordChange> change;
    unsigned cost;
  };

  llvm::SmallVector<Forced, 4> forcedOf(const FormView &view, const Leftover &leftover) const;
  llvm::SmallVector<Option, 0> optionsOf(const FormView &view, Forced forced) const;
  unsigned costOfRemoval(unsigned k) const;
  unsigned costOfReplacement(unsigned k, WordId word) const;
  bool isPartOfWord(unsigned k) const;
  int optionalSlotFor(const FormView &view, unsigned k) const;
  bool tryDraft(uint32_t form, const Draft &draft);
  void tryOneMore(const FormView &view, const Draft &draft);
  unsigned best() const { return found.empty() ? ~0u : found.front().cost; }

  const WrittenInstruction &written;
  const Opcode &opcode;
  const unsigned costOfGate;
  std::vector<Correction> found; // corrections with the same cost
  llvm::StringSet<> spellings;   // their spellings
  unsigned trials = 0;
};

} // namespace

unsigned Search::costOfRemoval(unsigned k) const {
  const WordId word = opcode.words[k].id;
  if (!someFormKnows(*opcode.mnemonic, word))
    return 2;
  const WordClass wordClass = isa::word(word).wordClass;
  return wordClass == WordClass::Type || wordClass == WordClass::Operation ? 6 : 3;
}

/// Returns whether a word of the instruction begins with the written one, and is not just a longer type: `.s16` does
/// not count for `.s16x2`.
bool Search::isPartOfWord(unsigned k) const {
  const isa::Tables &t = isa::tables();
  const isa::Word &written = isa::word(opcode.words[k].id);
  if (written.typeKind == isa::TypeKind::Unsigned || written.typeKind == isa::TypeKind::Signed)
    return false;
  return llvm::any_of(isa::run(t.mnemonicForms, opcode.mnemonic->forms), [&](uint32_t form) {
    return llvm::any_of(isa::run(t.slots, t.forms[form].slots), [&](const isa::Slot &slot) {
      return llvm::any_of(isa::run(t.slotValues, slot.values), [&](const isa::SlotValue &value) {
        return llvm::StringRef(isa::word(value.word).text()).starts_with(written.text());
      });
    });
  });
}

unsigned Search::costOfReplacement(unsigned k, WordId word) const {
  const WordId written = opcode.words[k].id;
  const unsigned distance = distanceOfWords(written, word);
  if (someFormKnows(*opcode.mnemonic, written))
    return distance;
  // For `.e4m3`, a word that begins with it, such as `.e4m3x2`, comes first.
  const bool isPart = llvm::StringRef(isa::word(word).text()).starts_with(isa::word(written).text());
  return (distance + 2) / 2 + (isPart || !isPartOfWord(k) ? 0 : 6);
}

/// Returns an empty optional slot for words with the same purpose as a word that the instruction does not have. For
/// `.ca`, this is the slot of `.wb`. The result is -1 if there is none.
int Search::optionalSlotFor(const FormView &view, unsigned k) const {
  const WordId word = opcode.words[k].id;
  if (someFormKnows(*opcode.mnemonic, word))
    return -1;
  for (unsigned j = opcode.mnemonicWords - 1; j < view.slots.size(); ++j)
    if (!view.slotWord[j] && !view.slots[j].suffix &&
        llvm::any_of(wordsOf(view.slots[j]), [&](WordId other) { return areAlike(*opcode.mnemonic, word, other); }))
      return static_cast<int>(j);
  return -1;
}

/// Returns each word without a slot, together with an empty slot of its kind.
llvm::SmallVector<Forced, 4> Search::forcedOf(const FormView &view, const Leftover &leftover) const {
  llvm::SmallVector<Forced, 4> forced;
  for (auto [k, j] : leftover.misplaced)
    forced.push_back({k, j});
  llvm::SmallVector<uint16_t, 4> missing = leftover.missing;
  for (const uint16_t k : leftover.strays) {
    auto distance = [&](uint16_t j) {
      const auto words = wordsOf(view.slots[j]);
      return words.empty() ? 99 : distanceOfWords(opcode.words[k].id, words.front());
    };
    const auto nearest = std::min_element(missing.begin(), missing.end(),
                                          [&](uint16_t a, uint16_t b) { return distance(a) < distance(b); });
    if (nearest == missing.end() || distance(*nearest) > 6) {
      forced.push_back({k, optionalSlotFor(view, k)});
      continue;
    }
    forced.push_back({k, *nearest});
    missing.erase(nearest);
  }
  for (const uint16_t j : missing)
    forced.push_back({-1, j});
  return forced;
}

/// Returns the changes that may correct the word or slot, the nearest first.
llvm::SmallVector<Search::Option, 0> Search::optionsOf(const FormView &view, Forced forced) const {
  const isa::Tables &t = isa::tables();
  llvm::SmallVector<Option, 0> options;
  if (forced.slot < 0) {
    const auto k = narrow<uint16_t>(forced.word);
    options.push_back({WordChange{WordChange::Remove, k}, costOfRemoval(k)});
    return options;
  }
  const isa::Slot &slot = view.slots[forced.slot];
  for (const isa::SlotValue &value : isa::run(t.slotValues, slot.values)) {
    const unsigned habit = t.exprs[value.gate].op == isa::ExprOp::Warn ? 3 : 0;
    if (forced.word < 0)
      options.push_back({WordChange{WordChange::Insert, wordBefore(view, forced.slot), value.word}, 2 + habit});
    else if (opcode.words[forced.word].id != value.word)
      options.push_back({WordChange{WordChange::Replace, narrow<uint16_t>(forced.word), value.word},
                         costOfReplacement(forced.word, value.word) + habit});
  }
  llvm::stable_sort(options, [](const Option &a, const Option &b) { return a.cost < b.cost; });
  return options;
}

/// Returns whether a further change of the draft is worth trying, because its words are valid and a word may correct a
/// remaining finding.
bool Search::tryDraft(uint32_t form, const Draft &draft) {
  if (draft.cost > best() || ++trials > mostTrials)
    return false;
  const Opcode changed(spellingWith(opcode, draft.changes));
  if (changed.mnemonic != opcode.mnemonic)
    return false;
  const WrittenInstruction instead{changed, written.shapes, written.availability};
  std::vector<Judgement> ways = judgeForm(instead, form);
  if (ways.empty())
    return false;
  std::vector<unsigned> costs;
  for (const Judgement &way : ways)
    costs.push_back(costOf(way, written, costOfGate));
  const size_t least = std::min_element(costs.begin(), costs.end()) - costs.begin();
  // An added word may bring its own operand. If a word is changed, a missing operand is a separate mistake.
  auto isOther = [](const WordChange &change) { return change.kind != WordChange::Insert; };
  auto lacksOperand = [](const Finding &f) { return f.id == DiagId::MissingOperand; };
  const bool isTwice = llvm::any_of(draft.changes, isOther) && llvm::any_of(ways[least].findings, lacksOperand);
  const unsigned cost = draft.cost + costs[least] + isTwice;
  std::vector<Finding> &left = ways[least].findings;
  // A different draft contains the words that this draft still lacks.
  const bool isRight = draft.changes.empty() || llvm::none_of(left, isOfWordsTogether);
  if (isRight && cost < best()) {
    found.clear();
    spellings.clear();
  }
  if (isRight && cost <= best() && found.size() < mostFound && spellings.insert(changed.spelling).second)
    found.push_back({draft.changes, std::move(left), cost, form});
  return costs[least] > 0;
}

/// Tries the draft with one more word changed, removed or added.
void Search::tryOneMore(const FormView &view, const Draft &draft) {
  auto isTouched = [&](unsigned k) {
    return llvm::any_of(draft.changes, [k](const WordChange &change) { return change.at == k; });
  };
  for (unsigned j = opcode.mnemonicWords - 1; j < view.slots.size(); ++j) {
    const isa::Slot &slot = view.slots[j];
    const bool isWritten = view.isWritten(j) && view.slotAt[j] >= 0;
    if (slot.suffix || (isWritten && isTouched(view.slotAt[j])) || (!isWritten && !slot.optional))
      continue;
    auto offer = [&](const Option &option) {
      Draft more = draft;
      more.changes.push_back(*option.change);
      more.cost += option.cost;
      tryDraft(view.formIndex, more);
    };
    if (isWritten && slot.optional)
      for (const Option &option : optionsOf(view, {view.slotAt[j], -1}))
        offer(option);
    for (const Option &option : optionsOf(view, {isWritten ? view.slotAt[j] : -1, static_cast<int>(j)}))
      offer(option);
  }
}

void Search::tryForm(uint32_t form) {
  FormView view(written, form);
  const auto forced = forcedOf(view, matchWords(view));
  if (forced.size() > mostForced)
    return;
  std::vector<llvm::SmallVector<Option, 0>> options;
  for (const Forced &one : forced) {
    options.push_back(optionsOf(view, one));
    if (options.back().empty())
      return;
  }
  llvm::SmallVector<size_t, 4> chosen(forced.size());
  for (unsigned count = 0, more = 0; count < mostOfForm; ++count) {
    Draft draft;
    for (size_t i = 0; i < chosen.size(); ++i) {
      draft.changes.push_back(*options[i][chosen[i]].change);
      draft.cost += options[i][chosen[i]].cost;
    }
    if (tryDraft(form, draft) && forced.size() < 2 && more++ < 8)
      tryOneMore(view, draft);
    size_t i = 0;
    for (; i < chosen.size() && ++chosen[i] == options[i].size(); ++i)
      chosen[i] = 0;
    if (i == chosen.size())
      break;
  }
}

std::vector<Correction> nearestCorrections(const WrittenInstruction &written, unsigned costOfGate) {
  Search search(written, costOfGate);
  for (uint32_t form : isa::run(isa::tables().mnemonicForms, written.opcode.mnemonic->forms))
    search.tryForm(form);
  return search.take();
}

} // namespace ptxray
