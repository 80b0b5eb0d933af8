// Turns the best form into a list of findings: each of them once, and only errors if there are any. An instruction that
// matches a form is matched once; only a mismatch is matched again, to produce texts and remedies.
#include "Match/BestForm.h"
#include "Match/Evaluate.h"
#include "Match/Match.h"
#include "Match/Unknown.h"
#include "Match/Wording.h"
#include "Match/Words.h"
#include "Source/Foreign.h"
#include "llvm/ADT/STLExtras.h"

namespace ptxray {

using isa::WordId;

static bool isError(const Finding &finding) { return finding.severity == Severity::Error; }

bool Judged::isAccepted() const { return llvm::none_of(findings, isError); }

/// Reports words that are ignored in every form.
static void addDropped(const Opcode &opcode, bool pedantic, std::vector<Finding> &findings) {
  for (uint16_t k = 1; k < opcode.words.size(); ++k) {
    if (!opcode.words[k].dropped)
      continue;
    const bool repeats = llvm::any_of(llvm::ArrayRef(opcode.words).take_front(k),
                                      [&](const OpcodeWord &before) { return before.id == opcode.words[k].id; });
    if (repeats && !pedantic)
      continue;
    findings.push_back(wordFinding(repeats ? IdTakingTexts<1>(DiagId::RedundantQualifier) : DiagId::IgnoredQualifier,
                                   {FindingPlace::Word, k}, opcode.words[k].text));
    findings.back().remedy = {Remedy::RemoveWord, k, ""};
  }
}

/// Returns the opcode with its qualifiers in the order of the form.
static std::string inFormOrder(const FormView &view) {
  const Opcode &opcode = view.written.opcode;
  std::string out;
  for (unsigned k = 0; k < opcode.mnemonicWords; ++k)
    out += opcode.words[k].text;
  for (unsigned j = opcode.mnemonicWords - 1; j < view.slots.size(); ++j)
    if (view.isWritten(j) && view.slotAt[j] >= 0)
      out += opcode.words[view.slotAt[j]].text;
  return out;
}

/// Reports qualifiers that are not in the manual's order, which ptxas usually does not require.
static void addOrder(const FormView &view, std::vector<Finding> &findings) {
  int last = 0;
  for (unsigned j = 0; j < view.slots.size(); ++j) {
    if (!view.isWritten(j) || view.slotAt[j] < 0)
      continue;
    if (view.slotAt[j] < last) {
      const auto &words = view.written.opcode.words;
      const auto k = narrow<uint16_t>(view.slotAt[j]);
      findings.push_back(wordFinding(DiagId::QualifierOrder, {FindingPlace::Word, k}, words[k].text, words[last].text));
      findings.back().form = view.formIndex;
      findings.back().remedy = {Remedy::ReplaceOpcode, 0, inFormOrder(view)};
      return;
    }
    last = view.slotAt[j];
  }
}

/// Returns the only expected type of integers or bits with the same width as the written one, or 0 if there is no
/// single one.
static WordId alikeType(const Finding &f) {
  auto isInteger = [](const isa::Word &word) {
    return llvm::is_contained({isa::TypeKind::Bits, isa::TypeKind::Unsigned, isa::TypeKind::Signed}, word.typeKind);
  };
  const isa::Word &written = isa::word(isa::findWord(f.args.front()));
  if (written.wordClass != isa::WordClass::Type || !isInteger(written))
    return 0;
  WordId found = 0;
  for (const WordId word : f.expected)
    if (isInteger(isa::word(word)) && isa::word(word).bits == written.bits) {
      if (found)
        return 0;
      found = word;
    }
  return found;
}

/// Removes findings that are consequences of others: about a superfluous operand, a vector of the wrong length, or the
/// elements of a vector without braces.
static void dropConsequences(std::vector<Finding> &findings) {
  const std::vector<Finding> all = findings;
  const bool lacksBraces = llvm::any_of(all, [](const Finding &f) { return f.id == DiagId::VectorExpected; });
  const bool lacksPair = llvm::any_of(all, [](const Finding &f) { return f.id == DiagId::PairExpected; });
  llvm::erase_if(findings, [&](const Finding &f) {
    auto another = [&](DiagId id) {
      return f.id != id && llvm::any_of(all, [&](const Finding &g) { return g.id == id && g.place == f.place; });
    };
    const bool isOfOperand = f.place.kind == FindingPlace::Operand;
    return (lacksPair && f.id == DiagId::ExtraOperand) ||
           (isOfOperand && (another(DiagId::OperandRequires) || another(DiagId::VectorLength))) ||
           (lacksBraces && f.id == DiagId::OperandRequires) ||
           (lacksBraces && isOfOperand && another(DiagId::OperandRequires));
  });
}

/// Puts the expected words into the message and the fix.
static void spellExpected(Finding &f) {
  if (f.expected.empty() || f.id == DiagId::UnknownQualifier)
    return;
  f.args.push_back(f.id == DiagId::IllegalQualifier ? wordsText(f.expected, "or", f.args.front())
                                                    : wordsText(f.expected));
  if (f.expected.size() == 1)
    f.remedy.text = isa::word(f.expected.front()).text();
  else if (const WordId word = f.id == DiagId::IllegalQualifier ? alikeType(f) : WordId(0))
    f.remedy.text = isa::word(word).text();
  else
    f.remedy = {};
}

/// Returns the location of a word, together with the word that it conflicts with if they are adjacent.
static FindingPlace withConflicting(const Opcode &opcode, uint16_t k) {
  const std::optional<unsigned> other = conflictingWord(opcode, k);
  if (!other || (*other + 1 != k && *other != k + 1u))
    return {FindingPlace::Word, k};
  return FindingPlace::at(FindingPlace::Word, std::min<unsigned>(k, *other), 2);
}

/// Makes a finding about a word precise: names the intended word, or both of two conflicting words.
static void sharpen(Finding &f, const Opcode &opcode) {
  if (f.id == DiagId::UnknownQualifier) {
    const llvm::StringRef written = llvm::StringRef(f.args.front()).ltrim('.');
    if (const llvm::StringRef type = typeOfOtherLanguage(written); !type.empty())
      f.remedy = {Remedy::ReplaceWord, f.place.index, type.str()};
    else if (const llvm::StringRef word = qualifierOfOtherLanguage(written); !word.empty())
      f.remedy = {Remedy::ReplaceWord, f.place.index, word.str()};
    else if (const auto near = similarWords(*opcode.mnemonic, f.args.front());
             near.size() == 1 && (isa::word(near.front()).wordClass == isa::WordClass::Type ||
                                  !isOtherNumber(near.front(), f.args.front())))
      f.remedy = {Remedy::ReplaceWord, f.place.index, std::string(isa::word(near.front()).text())};
    else if (!f.expected.empty())
      f.notes.push_back("expected " + wordsText(f.expected, "or", f.args.front()));
  }
  if (f.place.kind == FindingPlace::Word && f.place.count == 1 && f.id == DiagId::QualifierOfOtherForm)
    f.place = withConflicting(opcode, f.place.index);
}

/// Merges two wrong layouts into one mistake: `.col.row` for `.row.col`.
static bool mergeLayouts(Finding &first, const Finding &second) {
  const bool areNeighbours = first.place.kind == FindingPlace::Word && second.place.kind == FindingPlace::Word &&
                             first.place.index + first.place.count == second.place.index;
  if (first.id != second.id || first.id != DiagId::QualifierCombination || !areNeighbours ||
      first.kind != Kind::Layout || second.kind != Kind::Layout || first.args.front() != second.args.front())
    return false;
  const llvm::StringRef one = llvm::StringRef(first.args.back()).drop_back(), other = second.args.back();
  first.args.back() = one.str() + other.drop_front().str();
  first.place.count += second.place.count;
  first.remedy = {};
  return true;
}

/// Merges missing words that belong together into one mistake: `.sync.aligned`.
static void mergeMissing(std::vector<Finding> &findings, const Opcode &opcode) {
  auto isPlain = [](const Finding &f) {
    return f.id == DiagId::MissingQualifier && f.expected.size() == 1 && f.remedy.kind == Remedy::InsertAfterWord;
  };
  const auto first = llvm::find_if(findings, isPlain);
  if (first == findings.end())
    return;
  auto isAlike = [&](const Finding &f) {
    return isPlain(f) && f.place == first->place && f.args.front() == first->args.front();
  };
  std::vector<Remedy> insertions;
  std::string words;
  Kind kind = first->kind;
  for (const Finding &f : llvm::make_filter_range(findings, isAlike)) {
    insertions.push_back(f.remedy);
    words += f.remedy.text;
    if (isFixedWord(kind))
      kind = f.kind;
  }
  if (insertions.size() == 1)
    return;
  std::string spelling;
  for (unsigned k = 0; k < opcode.words.size(); ++k) {
    spelling += opcode.words[k].text;
    for (const Remedy &insertion : insertions)
      if (insertion.word == k)
        spelling += insertion.text;
  }
  Finding merged = *first;
  merged.args.back() = quote(words);
  merged.kind = kind;
  merged.remedy = {Remedy::ReplaceOpcode, 0, spelling};
  findings.erase(std::remove_if(std::next(first), findings.end(), isAlike), findings.end());
  *first = std::move(merged);
}

/// Reports a module that is too old for an instruction only once, for the instruction rather than for a word.
static void keepOneGate(std::vector<Finding> &findings) {
  auto isGate = [](const Finding &f) {
    return f.id == DiagId::RequiresPtx || f.id == DiagId::RequiresTarget || f.id == DiagId::RequiresTargetVariant;
  };
  const Finding *kept = nullptr;
  for (const Finding &f : findings)
    if (isGate(f) && (!kept || (kept->place.kind != FindingPlace::Opcode && f.place.kind == FindingPlace::Opcode)))
      kept = &f;
  if (!kept)
    return;
  const Finding one = *kept;
  llvm::erase_if(findings, [&](const Finding &f) { return isGate(f) && !(f == one); });
}

/// Two gates of one word may fail in the same way. Warnings are dropped if there is an error.
std::vector<Finding> selectFindings(std::vector<Finding> found, const Opcode &opcode) {
  const bool refused = llvm::any_of(found, isError);
  std::vector<Finding> findings;
  for (Finding &f : found) {
    spellExpected(f);
    const bool known = llvm::any_of(findings, [&](const Finding &g) { return f.isSameOffence(g) && f.args == g.args; });
    if (known || (!isError(f) && refused))
      continue;
    sharpen(f, opcode);
    if (findings.empty() || !mergeLayouts(findings.back(), f))
      findings.push_back(std::move(f));
  }
  keepOneGate(findings);
  if (findings.size() > 1)
    mergeMissing(findings, opcode);
  if (findings.size() > 1)
    dropConsequences(findings);
  return findings;
}

/// Returns whether each shape is within the extent of its enclosing shape.
[[maybe_unused]] static bool areNested(llvm::ArrayRef<Shape> shapes) {
  llvm::SmallVector<size_t, 8> ends = {shapes.size()}; // ends of the shapes around the current one
  for (size_t i = 0; i < shapes.size(); ++i) {
    while (ends.back() == i)
      ends.pop_back();
    if (!shapes[i].extent || i + shapes[i].extent > ends.back())
      return false;
    ends.push_back(i + shapes[i].extent);
  }
  return true;
}

Judged judge(const WrittenInstruction &written) {
  assert(written.shapes.size() <= mostOperands && "longer lists of operands are cut by who reads them");
  assert(areNested(written.shapes) && "a shape lies within the extent of the one around it");
  const Opcode &opcode = written.opcode;
  if (!opcode.mnemonic)
    return {std::nullopt, {unknownInstruction(opcode)}, factsOfRefused(written.shapes)};
  auto [view, judgement] = bestForm(written);
  Judged judged{std::nullopt, selectFindings(std::move(judgement.findings), opcode), {}};
  judged.facts = judged.isAccepted() ? factsOf(view) : factsOfRefused(written.shapes);
  const bool pedantic = written.availability.module().pedantic;
  addDropped(opcode, pedantic, judged.findings);
  if (pedantic && judged.findings.empty())
    addOrder(view, judged.findings);
  judged.match = std::move(view);
  return judged;
}

bool isAllowed(const FormMatch &match, isa::ExprId condition, const Availability &availability) {
  if (!condition || isa::tables().exprs[condition].gateOnly)
    return availability.holds(condition);
  const Opcode nothing;
  const WrittenInstruction written{nothing, {}, availability};
  return holds(FormView(written, match), condition);
}

bool accepts(const WrittenInstruction &written, std::vector<isa::ExprId> &gates) {
  written.availability.asked = &gates;
  const bool accepted = judge(written).isAccepted();
  written.availability.asked = nullptr;
  return accepted;
}

} // namespace ptxray
