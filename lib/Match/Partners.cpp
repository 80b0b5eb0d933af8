#include "Match/Partners.h"
#include "Match/BestForm.h"
#include "Match/Claims.h"
#include "Match/Describe.h"
#include "Match/Match.h"
#include "Match/Unknown.h"
#include "Match/Wording.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace ptxray {

using isa::WordClass;
using isa::WordId;
using PartnerWords = llvm::SmallVector<WordId, 8>;

static llvm::StringRef topicOf(const isa::Mnemonic &mnemonic, WordId word) {
  const std::optional<isa::Meaning> meaning = isa::findMeaning(isa::word(word).text(), mnemonic.text());
  return meaning ? llvm::StringRef(meaning->topic) : llvm::StringRef();
}

bool areAlike(const isa::Mnemonic &mnemonic, WordId a, WordId b) {
  const isa::Word &x = isa::word(a), &y = isa::word(b);
  if (!a || !b)
    return false;
  if (llvm::StringRef(x.text()).equals_insensitive(y.text()) ||
      qualifierOfOtherLanguage(llvm::StringRef(x.text()).drop_front()) == llvm::StringRef(y.text()))
    return true;
  if (x.wordClass != y.wordClass)
    return false;
  if (x.kind || y.kind)
    return x.kind == y.kind;
  const llvm::StringRef topic = topicOf(mnemonic, a);
  const bool isSpecific = !topic.empty() && topic != "arithmetic"; // all topics that affect a result
  return x.wordClass == WordClass::Free && isSpecific && topic == topicOf(mnemonic, b);
}

bool carriesMeaning(const isa::Mnemonic &mnemonic, WordId word) {
  constexpr Kind hints[] = {Kind::Rounding, Kind::Convergence, Kind::Alignment, Kind::Approximation, Kind::CacheHint};
  if (llvm::is_contained(hints, kindOf(word)))
    return false;
  const llvm::StringRef topic = topicOf(mnemonic, word);
  return !topic.contains("cache") && topic != "branch";
}

bool changesMeaning(const Finding &f, const Opcode &opcode) {
  return f.remedy.kind == Remedy::RemoveWord && f.severity == Severity::Error && f.id != DiagId::RepeatedQualifier &&
         opcode.mnemonic && carriesMeaning(*opcode.mnemonic, opcode.words[f.remedy.word].id);
}

/// Visits the words of each slot of the instruction that are part of the opcode and in the manual.
template <typename See> static void eachSlot(const isa::Mnemonic &mnemonic, See see) {
  const isa::Tables &t = isa::tables();
  for (const uint32_t form : isa::run(t.mnemonicForms, mnemonic.forms))
    for (const isa::Slot &slot : isa::run(t.slots, t.forms[form].slots))
      if (!slot.suffix)
        see(wordsOf(slot));
}

/// Returns the words of the instruction with the same purpose as a word that it does not have.
static PartnerWords alikeOf(const isa::Mnemonic &mnemonic, WordId word) {
  PartnerWords found;
  eachSlot(mnemonic, [&](llvm::ArrayRef<WordId> words) {
    for (const WordId other : words)
      if (other != word && areAlike(mnemonic, word, other) && !llvm::is_contained(found, other))
        found.push_back(other);
  });
  return found;
}

/// Returns the words that a word requires, among those that may replace another.
static PartnerWords partnersOf(const isa::Mnemonic &mnemonic, WordId word, WordId instead) {
  PartnerWords found;
  eachSlot(mnemonic, [&](llvm::ArrayRef<WordId> words) {
    if (!llvm::is_contained(words, instead))
      return;
    for (const WordId other : words) {
      const bool isPartner = mayMeet(mnemonic, {word, other}) || mayMeet(mnemonic, {other, word});
      if (other != instead && isPartner && !llvm::is_contained(found, other))
        found.push_back(other);
    }
  });
  return found;
}

/// Returns the words with which a word goes, among those of the class of another: the types of `.any` for `.b32`.
static PartnerWords partnersOfClass(const isa::Mnemonic &mnemonic, WordId word, WordId instead) {
  PartnerWords found;
  eachSlot(mnemonic, [&](llvm::ArrayRef<WordId> words) {
    for (const WordId other : words)
      if (other != instead && isa::word(other).wordClass == isa::word(instead).wordClass &&
          isa::word(other).wordClass == WordClass::Type && mayMeet(mnemonic, {word, other}) &&
          !llvm::is_contained(found, other))
        found.push_back(other);
  });
  return found;
}

/// Returns the vector that corresponds to a packed type: `.v2.f32` for `.f32x2`; empty if the instruction does not have
/// it.
static std::string vectorOfPacked(const isa::Mnemonic &mnemonic, llvm::StringRef type) {
  const auto [element, count] = type.rsplit('x');
  const WordId vector = isa::findWord((".v" + count).str()), one = isa::findWord(element);
  return vector && one && mayMeet(mnemonic, {vector, one}) ? (".v" + count + element).str() : "";
}

void offerPartners(Finding &f, const Opcode &opcode) {
  constexpr size_t most = 8;
  if (f.severity != Severity::Error || f.place.kind != FindingPlace::Word || f.place.count != 1 || !opcode.mnemonic)
    return;
  const isa::Mnemonic &mnemonic = *opcode.mnemonic;
  const WordId word = opcode.words[f.place.index].id;
  if (!word || f.place.index < opcode.mnemonicWords)
    return;
  if (f.id == DiagId::QualifierNotAllowed) {
    const WordId subject = isa::findWord(llvm::StringRef(f.args.back()).trim('`'));
    const PartnerWords partners = subject && f.notes.empty() ? partnersOf(mnemonic, word, subject) : PartnerWords();
    if (!partners.empty() && partners.size() <= most)
      f.notes.push_back(quote(isa::word(word).text()) + " goes with " + wordsText(partners));
    return;
  }
  if (f.id == DiagId::QualifierCombination) {
    const WordId subject = isa::findWord(llvm::StringRef(f.args.front()).trim('`'));
    const PartnerWords partners = subject ? partnersOfClass(mnemonic, word, subject) : PartnerWords();
    if (!partners.empty() && partners.size() <= most)
      f.notes.push_back(quote(isa::word(word).text()) + " goes with " + wordsText(partners));
    return;
  }
  if (f.id == DiagId::IllegalQualifier) {
    if (const std::string vector = vectorOfPacked(mnemonic, isa::word(word).text()); !vector.empty())
      f.notes.push_back("several numbers are a vector: " + quote(vector));
    return;
  }
  if (f.id != DiagId::UnexpectedQualifier)
    return;
  const PartnerWords others = alikeOf(mnemonic, word);
  if (!others.empty())
    f.notes.push_back(quote(mnemonic.text()) + " has " + wordsText(others, "and"));
  else if (kindOf(word) == Kind::Comparison)
    f.notes.push_back("a comparison sets a predicate; `@%p1` in front of an instruction then makes it conditional");
}

void mergeGates(std::vector<Finding> &findings) {
  const std::vector<Finding> all = findings;
  llvm::erase_if(findings, [&](const Finding &gate) {
    const llvm::StringRef word = gate.args.empty() ? llvm::StringRef() : llvm::StringRef(gate.args.front()).trim('`');
    return gate.phase == Phase::Gate && gate.kind == Kind::Qualifier && !word.empty() &&
           llvm::any_of(all, [&](const Finding &f) {
             return f.id == DiagId::QualifierCombination && word.ends_with(llvm::StringRef(f.args.front()).trim('`'));
           });
  });
}

void offerMissingOperand(Finding &f, const WrittenInstruction &written) {
  const llvm::ArrayRef<Shape> shapes = written.shapes;
  if (f.id == DiagId::MissingOperand)
    for (unsigned node = 0; node < shapes.size(); node += shapes[node].extent)
      if (shapes[node].kind == ShapeKind::Register && shapes[node].flags & ShapeSubscript) {
        f.place = FindingPlace::at(FindingPlace::Operand, node);
        f.notes.insert(f.notes.begin(),
                       SharedText("registers cannot be indexed: a `,` may be missing before the bracket"));
        return;
      }
  const bool isOfKind = f.id == DiagId::VectorExpected || f.id == DiagId::OperandShape;
  if (!isOfKind || shapes.empty() || shapes.size() >= mostOperands)
    return;
  unsigned last = 0, count = 1;
  for (; last + shapes[last].extent < shapes.size(); last += shapes[last].extent)
    ++count;
  Shape constant;
  constant.kind = ShapeKind::Integer;
  std::vector<Shape> longer(shapes.begin(), shapes.end());
  longer.push_back(constant);
  if (!isAccepted({written.opcode, longer, written.availability}))
    return;
  const std::string found = std::to_string(count + 1) + " operands, found " + std::to_string(count);
  Finding missing =
      wordFinding(DiagId::MissingOperand, {FindingPlace::Mnemonic, 0}, quote(written.opcode.mnemonic->text()), found);
  missing.phase = Phase::Shape;
  missing.notes.push_back("an integer constant is missing at the end");
  f = missing;
}

} // namespace ptxray
