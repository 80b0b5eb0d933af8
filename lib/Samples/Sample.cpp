#include "Samples/Sample.h"
#include "Samples/SampleOperands.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"
#include <algorithm>

namespace ptxray {

using isa::CellKind;
using isa::ColumnKind;
using isa::WordId;

namespace {

/// An instruction under construction.
struct Draft {
  uint32_t form = 0;
  std::vector<std::string> words; // qualifiers after the mnemonic
  MadeOperands operands;
};

class Sampler {
public:
  Sampler(const isa::Mnemonic &mnemonic, const ModuleContext &module, uint64_t seed, const SampleFocus &focus)
      : mnemonic(mnemonic), availability(module), dice{std::mt19937_64(seed), 0}, focus(focus),
        wanted(isa::findWord(focus.word)) {}
  std::vector<Sample> run(unsigned count);

private:
  unsigned pick(size_t count) { return dice.pick(count); }
  bool chance(unsigned percent) { return dice.chance(percent); }
  Draft draft(uint32_t form);
  std::optional<uint32_t> rowInFocus(const isa::Table &table) const;
  bool isInFocus(uint32_t form) const;
  void chooseRows(const isa::Form &form);
  /// Selects words for all slots. Returns false if the rows permit no word for a slot.
  bool fillSlots(FormMatch &match);
  void mutate(Draft &draft);
  void keep(const Draft &draft, std::vector<Sample> &samples);

  const isa::Mnemonic &mnemonic;
  Availability availability;
  Dice dice;
  const SampleFocus &focus;
  const WordId wanted; // the word in focus
  llvm::StringSet<> seen;
  ChosenRows chosenRows; // rows of the current form
  /// Pairs of words in two slots that have occurred in a sample, so that each word occurs with every other one.
  llvm::StringSet<> pairs;
};

} // namespace

std::optional<uint32_t> Sampler::rowInFocus(const isa::Table &table) const {
  const auto lines = isa::tables().rowLines.slice(table.firstRowLine, table.rows);
  const auto *line = llvm::find(lines, focus.row);
  return line == lines.end() ? std::nullopt : std::optional<uint32_t>(line - lines.begin());
}

bool Sampler::isInFocus(uint32_t form) const {
  const isa::Tables &t = isa::tables();
  return llvm::any_of(isa::run(t.formTables, t.forms[form].tables),
                      [&](uint32_t table) { return rowInFocus(t.tables[table]).has_value(); });
}

void Sampler::chooseRows(const isa::Form &form) {
  const isa::Tables &t = isa::tables();
  chosenRows.clear();
  for (uint32_t index : isa::run(t.formTables, form.tables))
    if (const isa::Table &table = t.tables[index]; table.rows) {
      const std::optional<uint32_t> row = rowInFocus(table);
      chosenRows.push_back({&table, row && !chance(dice.errorPercent) ? *row : pick(table.rows)});
    }
}

bool Sampler::fillSlots(FormMatch &match) {
  const isa::Tables &t = isa::tables();
  std::ranges::fill(match.slotWord, WordId(0));
  // The words of the mnemonic are in the first slots, in order.
  llvm::StringRef rest = llvm::StringRef(mnemonic.text()).drop_until([](char c) { return c == '.'; });
  unsigned j = 0;
  for (; !rest.empty(); ++j) {
    const size_t end = std::min(rest.find('.', 1), rest.size());
    match.slotWord[j] = isa::findWord(rest.take_front(end));
    rest = rest.drop_front(end);
    for (auto [table, row] : chosenRows)
      if (const isa::Cell *cell = cellOf(*table, row, ColumnKind::Slot, j);
          cell && cell->kind == CellKind::Words &&
          !llvm::is_contained(t.wordLists.slice(cell->first, cell->count), match.slotWord[j]))
        return false;
  }
  for (; j < match.slots.size(); ++j) {
    const isa::Slot &slot = match.slots[j];
    llvm::SmallVector<WordId, 16> allowed;
    for (const isa::SlotValue &value : isa::run(t.slotValues, slot.values))
      if (chance(10) ||
          (isAllowed(match, value.gate, availability) && isAllowed(match, isa::word(value.word).gate, availability)))
        allowed.push_back(value.word);
    bool absent = slot.optional, present = true;
    for (auto [table, row] : chosenRows)
      if (const isa::Cell *cell = cellOf(*table, row, ColumnKind::Slot, j); cell && !chance(dice.errorPercent)) {
        if (cell->kind == CellKind::Words) {
          const auto words = t.wordLists.slice(cell->first, cell->count);
          llvm::erase_if(allowed, [&](WordId w) { return !llvm::is_contained(words, w); });
          absent &= cell->orAbsent;
        } else if (cell->kind == CellKind::Absent) {
          present = false;
        } else if (cell->kind == CellKind::Present) {
          absent = false;
        }
      }
    if (wanted && llvm::is_contained(allowed, wanted) && chance(90)) {
      match.slotWord[j] = wanted;
      continue;
    }
    if (present && allowed.empty() && !absent)
      return false;
    if (!present || allowed.empty() || (absent && chance(60)))
      continue;
    // Prefer a word that has not occurred together with the preceding ones.
    WordId best = allowed[pick(allowed.size())];
    for (unsigned attempt = 0; attempt < 4; ++attempt) {
      const WordId word = allowed[pick(allowed.size())];
      const unsigned other = pick(j + 1);
      const std::string pair = std::to_string(match.formIndex) + ":" + std::to_string(j) + ":" + std::to_string(word) +
                               ":" + std::to_string(match.slotWord[other]);
      if (pairs.insert(pair).second) {
        best = word;
        break;
      }
    }
    match.slotWord[j] = best;
  }
  return true;
}

Draft Sampler::draft(uint32_t form) {
  Draft out;
  out.form = form;
  FormMatch match(form);
  bool fits = false;
  for (unsigned attempt = 0; attempt < 20 && !fits; ++attempt) {
    chooseRows(match.form());
    fits = fillSlots(match);
  }
  const unsigned first = llvm::StringRef(mnemonic.text()).count('.');
  for (unsigned j = first; j < match.slots.size(); ++j)
    if (match.slotWord[j] && !match.slots[j].suffix)
      out.words.push_back(std::string(isa::word(match.slotWord[j]).text()));
  out.operands = OperandSampler(dice, availability, chosenRows).make(match);
  return out;
}

/// Produces a near miss by dropping, doubling, moving, replacing or inserting one word.
void Sampler::mutate(Draft &draft) {
  const isa::Tables &t = isa::tables();
  if (draft.words.empty())
    return;
  const unsigned k = pick(draft.words.size());
  switch (pick(6)) {
  case 0: draft.words.erase(draft.words.begin() + k); break;
  case 1: draft.words.insert(draft.words.begin() + k, draft.words[k]); break;
  case 2: std::swap(draft.words[k], draft.words[pick(draft.words.size())]); break;
  default: { // one of its own forms, or sometimes of another instruction's forms
    const auto forms = isa::run(t.mnemonicForms, mnemonic.forms);
    const auto slots = isa::run(t.slots, t.forms[chance(20) ? pick(t.forms.size()) : forms[pick(forms.size())]].slots);
    if (slots.empty())
      return;
    const auto values = isa::run(t.slotValues, slots[pick(slots.size())].values);
    if (values.empty())
      return;
    if (chance(40))
      draft.words.insert(draft.words.begin() + k, "");
    draft.words[k] = std::string(isa::word(values[pick(values.size())].word).text());
  }
  }
}

void Sampler::keep(const Draft &draft, std::vector<Sample> &samples) {
  std::string spelling(mnemonic.text());
  for (const std::string &word : draft.words)
    spelling += word;
  std::string text = spelling + (draft.operands.text.empty() ? "" : " ") + draft.operands.text + ";";
  if (!seen.insert(text).second)
    return;
  const Opcode opcode(spelling);
  Sample sample{std::move(text), true, "", spelling, draft.operands.shapes};
  for (const Finding &finding : judge({opcode, draft.operands.shapes, availability}).findings)
    if (finding.severity == Severity::Error && sample.accepted) {
      sample.accepted = false;
      sample.rule = info(finding.id).id.str();
    }
  samples.push_back(std::move(sample));
}

std::vector<Sample> Sampler::run(unsigned count) {
  const auto all = isa::run(isa::tables().mnemonicForms, mnemonic.forms);
  llvm::SmallVector<uint32_t, 16> forms(all.begin(), all.end());
  if (focus.row && llvm::any_of(forms, [&](uint32_t form) { return isInFocus(form); }))
    llvm::erase_if(forms, [&](uint32_t form) { return !isInFocus(form); });
  std::vector<Sample> samples;
  for (unsigned round = 0; samples.size() < count && round < 20 * count; ++round) {
    const uint32_t form = forms[round % forms.size()];
    dice.errorPercent = focus.isRight || chance(60) ? 0 : 12;
    Draft made = draft(form);
    std::vector<Sample> kept;
    if (!focus.isRight && chance(20))
      mutate(made);
    keep(made, kept);
    for (Sample &sample : kept) {
      // At most half of the samples are invalid, if enough valid ones are found.
      const auto wrong = llvm::count_if(samples, [](const Sample &s) { return !s.accepted; });
      if (sample.accepted || wrong * 2 <= static_cast<long>(count))
        samples.push_back(std::move(sample));
    }
  }
  return samples;
}

std::vector<Sample> sampleInstruction(llvm::StringRef name, const ModuleContext &module, unsigned count, uint64_t seed,
                                      const SampleFocus &focus) {
  const isa::Mnemonic *mnemonic = isa::findMnemonic(name);
  return mnemonic ? Sampler(*mnemonic, module, seed, focus).run(count) : std::vector<Sample>();
}

} // namespace ptxray
