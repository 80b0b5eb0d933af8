// Finds instructions that may be meant: those with a similar name, and those in the same entry as the written one.
#include "Match/SimilarNames.h"
#include "Match/BestForm.h"
#include "Match/Corrections.h"
#include "Match/Match.h"
#include "Match/Wording.h"
#include "Match/Words.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace ptxray {

/// Returns whether the words of an opcode begin the mnemonic of another instruction, up to a word that is cut off or
/// misspelt: `cp.async.commit` for `cp.async.commit_group`.
static bool isSimilarName(const Opcode &opcode, llvm::StringRef name) {
  llvm::SmallVector<llvm::StringRef, 6> words;
  name.split(words, '.');
  if (words.size() < 2 || words.size() > opcode.words.size() || words.front() != opcode.words.front().text)
    return false;
  unsigned others = 0;
  for (size_t i = 1; i < words.size(); ++i) {
    const OpcodeWord &written = opcode.words[i];
    const llvm::StringRef text = written.text.drop_front();
    if (text == words[i])
      continue;
    const bool isKnown = opcode.mnemonic && i >= opcode.mnemonicWords && someFormKnows(*opcode.mnemonic, written.id);
    const bool isCut = (words[i].starts_with(text) && words[i].substr(text.size()).starts_with("_")) ||
                       text.starts_with((words[i] + "_").str()) || // `tcgen05.mma_async`
                       words[i].ends_with(("_" + text).str());
    const unsigned far = text.size() < 5 ? 1 : 2;
    if (isKnown || ++others > 1 || !(isCut || (text.size() > 2 && text.edit_distance(words[i], true, far) <= far)))
      return false;
  }
  return others == 1;
}

/// Returns whether the name has the same parts in another order: `tcgen05.ld.wait` for `tcgen05.wait::ld`.
static bool isReordered(const Opcode &opcode, llvm::StringRef name) {
  llvm::SmallVector<llvm::StringRef, 6> parts;
  while (!name.empty()) {
    parts.push_back(name.take_until([](char c) { return c == '.' || c == ':'; }));
    name = name.drop_front(parts.back().size()).ltrim(".:");
  }
  if (parts.size() < 3 || parts.size() > opcode.words.size() || parts.front() != opcode.words.front().text)
    return false;
  return llvm::all_of(llvm::drop_begin(llvm::ArrayRef(opcode.words).take_front(parts.size())),
                      [&](const OpcodeWord &word) { return llvm::count(parts, word.text.drop_front()) == 1; });
}

std::vector<Finding> findingsOfWords(const Opcode &opcode, const Availability &availability) {
  std::vector<Finding> findings = judge({opcode, {}, availability}).findings;
  llvm::erase_if(findings, [](const Finding &f) { return f.phase != Phase::Qualifier; });
  return findings;
}

bool addSimilar(std::vector<Finding> &findings, const WrittenInstruction &written) {
  const Opcode &opcode = written.opcode;
  llvm::SmallVector<std::string, 2> right;
  size_t nameWords = 0;
  for (const isa::Mnemonic &mnemonic : isa::mnemonics()) {
    const bool isOrder = isReordered(opcode, mnemonic.text());
    if (!isOrder && !isSimilarName(opcode, mnemonic.text()))
      continue;
    const llvm::StringRef name = mnemonic.text();
    const size_t count = name.count('.') + 1 + (isOrder ? name.count("::") : 0);
    std::string spelling(mnemonic.text());
    for (const OpcodeWord &word : llvm::drop_begin(opcode.words, count))
      spelling += word.text;
    Judged judged = judge({Opcode(spelling), written.shapes, written.availability});
    // `.sync.aligned` is missing too.
    const auto missing = llvm::find_if(judged.findings, [](const Finding &f) {
      return f.id == DiagId::MissingQualifier && f.remedy.kind == Remedy::ReplaceOpcode;
    });
    if (isOrder && missing != judged.findings.end()) {
      spelling = missing->remedy.text;
      judged = judge({Opcode(spelling), written.shapes, written.availability});
    }
    if (llvm::any_of(judged.findings,
                     [](const Finding &f) { return f.severity == Severity::Error && f.phase != Phase::Gate; }))
      continue;
    if (!llvm::is_contained(right, spelling))
      right.push_back(spelling);
    nameWords = count;
  }
  if (right.empty())
    return false;
  std::string name;
  for (const OpcodeWord &word : llvm::ArrayRef(opcode.words).take_front(nameWords))
    name += word.text;
  Finding unknown = wordFinding(DiagId::UnknownInstruction,
                                FindingPlace::at(FindingPlace::Word, 0, narrow<uint16_t>(nameWords)), name);
  if (right.size() == 1)
    unknown.remedy = {Remedy::ReplaceOpcode, 0, right.front()};
  else
    unknown.notes.push_back("similar instructions: " + quote(llvm::join(right, "`, `")));
  findings = {unknown};
  return true;
}

/// Returns the words with some of them, from `first` on, spelled in another way.
static std::string spellingOf(llvm::ArrayRef<OpcodeWord> words, size_t first, size_t length, llvm::StringRef instead) {
  std::string spelling;
  for (const OpcodeWord &word : words.take_front(first))
    spelling += word.text;
  spelling += instead;
  for (const OpcodeWord &word : words.drop_front(first + length))
    spelling += word.text;
  return spelling;
}

bool addSeparators(std::vector<Finding> &findings, const WrittenInstruction &written) {
  const auto words = llvm::ArrayRef(written.opcode.words);
  auto replace = [&](size_t first, size_t length, const std::string &right, const char *note) {
    const std::string spelling = spellingOf(words, first, length, right);
    const Opcode changed(spelling);
    if (!changed.mnemonic || !findingsOfWords(changed, written.availability).empty())
      return false;
    const std::string apart = spellingOf(words.slice(first, length), 0, 0, "");
    Finding one = wordFinding(DiagId::UnknownQualifier,
                              FindingPlace::at(FindingPlace::Word, first, narrow<uint16_t>(length)), apart);
    one.phase = Phase::Qualifier;
    one.remedy = {Remedy::ReplaceOpcode, 0, spelling};
    one.notes.push_back(note + quote(right));
    findings = {one};
    return true;
  };
  for (size_t length = 2; length <= 3; ++length)
    for (size_t first = 1; first + length <= words.size(); ++first)
      for (const llvm::StringRef separator : {"::", "_"}) {
        std::string joined(words[first].text);
        for (const OpcodeWord &word : words.slice(first + 1, length - 1))
          joined += (separator + word.text.drop_front()).str();
        if (replace(first, length, joined, "it is one word: "))
          return true;
      }
  for (size_t first = 1; first < words.size(); ++first)
    for (size_t at = words[first].text.find('_'); at != llvm::StringRef::npos;
         at = words[first].text.find('_', at + 1)) {
      std::string apart(words[first].text);
      apart[at] = '.';
      if (!words[first].id && replace(first, 1, apart, "these are two words: "))
        return true;
    }
  return false;
}

void offerWholeNames(Finding &f, const WrittenInstruction &written) {
  constexpr size_t most = 6;
  const llvm::StringRef spelling = written.opcode.spelling, name = written.opcode.words.front().text;
  llvm::SmallVector<std::string, 6> right, others;
  for (const isa::Mnemonic &mnemonic : isa::mnemonics()) {
    const llvm::StringRef whole = mnemonic.text();
    for (size_t dot = whole.find('.'); dot != llvm::StringRef::npos; dot = whole.find('.', dot + 1)) {
      const llvm::StringRef rest = whole.drop_front(dot + 1);
      if (rest.take_until([](char c) { return c == '.'; }) != name)
        continue;
      const std::string completed = (whole.take_front(dot + 1) + spelling).str();
      if (spelling.starts_with(rest) && isAccepted({Opcode(completed), written.shapes, written.availability}) &&
          !llvm::is_contained(right, completed))
        right.push_back(completed);
      others.push_back(quote(whole));
    }
  }
  if (right.size() == 1)
    f.remedy = {Remedy::ReplaceOpcode, 0, right.front()};
  else if (!right.empty())
    f.notes.push_back("with the whole name: " + quote(llvm::join(right, "`, `")));
  else if (!others.empty() && others.size() <= most)
    f.notes.push_back(quote(name) + " is a part of " + llvm::join(others, ", "));
}

llvm::SmallVector<std::string, 8> wordsAfter(llvm::StringRef beginning) {
  llvm::SmallVector<std::string, 8> next;
  for (const isa::Mnemonic &mnemonic : isa::mnemonics()) {
    llvm::StringRef rest = mnemonic.text();
    if (!rest.consume_front(beginning) || !(rest.starts_with(".") || rest.starts_with("::")))
      continue;
    if (const std::string word = quote(rest.take_front(rest.find('.', 1)).str()); !llvm::is_contained(next, word))
      next.push_back(word);
  }
  return next;
}

void offerContinuation(Finding &f, const WrittenInstruction &written) {
  constexpr size_t most = 12;
  const Opcode &opcode = written.opcode;
  const uint16_t k = std::max<uint16_t>(1, f.place.index); // the place may begin with the name
  const llvm::StringRef text = opcode.words[k].text;
  const llvm::SmallVector<std::string, 8> next = wordsAfter(opcode.words.front().text);
  llvm::SmallVector<std::string, 2> begun; // words that the written one begins with: `.l` of `.left`
  for (const std::string &word : next)
    if (const llvm::StringRef plain = llvm::StringRef(word).trim('`'); text.starts_with(plain))
      begun.push_back(plain.str());
  if (!next.empty() && next.size() <= most)
    f.notes.push_back(quote(opcode.words.front().text) + " continues with " + (next.size() > 1 ? "one of " : "") +
                      llvm::join(next, ", "));
  if (begun.size() != 1)
    return;
  const std::string spelling = spellingOf(opcode.words, k, 1, begun.front());
  if (isAccepted({Opcode(spelling), written.shapes, written.availability}))
    f.remedy = {Remedy::ReplaceWord, k, begun.front()};
}

void offerSibling(Finding &f, const WrittenInstruction &written) {
  const isa::Tables &t = isa::tables();
  const Opcode &opcode = written.opcode;
  const auto fileOf = [&](const isa::Mnemonic &mnemonic) {
    return t.entries[t.forms[isa::run(t.mnemonicForms, mnemonic.forms).front()].entry].file();
  };
  if (f.id != DiagId::ExtraOperand || f.place.kind != FindingPlace::Operand || opcode.mnemonicWords != 1)
    return;
  std::vector<std::string> right;
  for (const isa::Mnemonic &other : isa::mnemonics()) {
    if (&other == opcode.mnemonic || llvm::StringRef(other.text()).contains('.') ||
        fileOf(other) != fileOf(*opcode.mnemonic))
      continue;
    std::string spelling(other.text());
    for (const OpcodeWord &word : llvm::drop_begin(opcode.words))
      spelling += word.text;
    if (isAccepted({Opcode(spelling), written.shapes, written.availability}))
      right.push_back(std::string(other.text()));
  }
  if (right.size() != 1)
    return;
  f.textNode = narrow<int16_t>(f.place.index);
  f.place = {FindingPlace::Word, 0};
  f.remedy = {Remedy::ReplaceWord, 0, right.front()};
}

void offerLongerName(Finding &f, const WrittenInstruction &written) {
  const llvm::ArrayRef<OpcodeWord> words = written.opcode.words;
  if (f.phase != Phase::Qualifier || f.remedy.kind != Remedy::None)
    return;
  for (const isa::Mnemonic &mnemonic : isa::mnemonics()) {
    llvm::StringRef letter = mnemonic.text();
    if (!letter.consume_front(words.front().text) || letter.size() != 1)
      continue;
    const bool isApart = words.size() > 1 && words[1].text.drop_front() == letter; // `set.p.eq.u32`
    std::string spelling(mnemonic.text());
    for (const OpcodeWord &word : words.drop_front(isApart ? 2 : 1))
      spelling += word.text;
    if (!isAccepted({Opcode(spelling), written.shapes, written.availability}))
      continue;
    f = wordFinding(DiagId::UnknownInstruction, {FindingPlace::Opcode, 0}, written.opcode.spelling);
    f.remedy = {Remedy::ReplaceOpcode, 0, spelling};
    return;
  }
}

/// Returns the words of an instruction that may be in the place of its word `k`.
static llvm::SmallVector<isa::WordId, 8> wordsInPlaceOf(const Opcode &opcode, unsigned k) {
  const isa::Tables &t = isa::tables();
  llvm::SmallVector<isa::WordId, 8> others;
  for (const uint32_t form : isa::run(t.mnemonicForms, opcode.mnemonic->forms))
    for (const isa::Slot &slot : isa::run(t.slots, t.forms[form].slots)) {
      const auto values = isa::run(t.slotValues, slot.values);
      if (llvm::none_of(values, [&](const isa::SlotValue &value) { return value.word == opcode.words[k].id; }))
        continue;
      for (const isa::SlotValue &value : values)
        if (value.word != opcode.words[k].id && !llvm::is_contained(others, value.word))
          others.push_back(value.word);
    }
  return others;
}

void offerWordForNumber(Finding &f, const WrittenInstruction &written) {
  constexpr size_t most = 16; // maximum number of words that are tried in place of one
  constexpr size_t mostNamed = 3;
  const Opcode &opcode = written.opcode;
  const bool isOfCount = f.id == DiagId::ImmediateValue || f.id == DiagId::VectorLength;
  if (!isOfCount || f.place.kind != FindingPlace::Operand || f.remedy.kind != Remedy::None)
    return;
  llvm::SmallVector<std::string, 4> right;
  Remedy only;
  for (unsigned k = opcode.mnemonicWords; k < opcode.words.size(); ++k) {
    if (isa::word(opcode.words[k].id).wordClass == isa::WordClass::Type)
      continue; // another type is seldom what is meant
    const llvm::SmallVector<isa::WordId, 8> others = wordsInPlaceOf(opcode, k);
    for (const isa::WordId word : llvm::ArrayRef(others).take_front(std::min(others.size(), most))) {
      const WordChange change{WordChange::Replace, narrow<uint16_t>(k), word};
      if (!judge({Opcode(spellingWith(opcode, change)), written.shapes, written.availability}).findings.empty())
        continue;
      only = {Remedy::ReplaceWord, change.at, std::string(isa::word(word).text())};
      right.push_back(quote(std::string(isa::word(word).text())) + " instead of " + quote(opcode.words[k].text.str()));
    }
  }
  if (right.size() == 1 && f.id == DiagId::VectorLength)
    f.remedy = only;
  if (!right.empty() && right.size() <= mostNamed)
    f.notes.push_back(llvm::join(right, ", or ") + " allows it");
}

} // namespace ptxray
