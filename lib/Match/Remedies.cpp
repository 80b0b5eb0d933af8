// What would do instead: a remedy is offered only if nothing is wrong with what it makes.
#include "Match/Match.h"
#include "Match/Rules.h"
#include "Match/Unknown.h"
#include "Match/Wording.h"
#include "Match/Words.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace ptxray {

/// The opcode with the remedy applied.
static std::string spellingAfter(const Opcode &opcode, const Remedy &remedy) {
  if (remedy.kind == Remedy::ReplaceOpcode)
    return remedy.text;
  std::string out;
  for (unsigned k = 0; k < opcode.words.size(); ++k) {
    if (k != remedy.word || remedy.kind == Remedy::InsertAfterWord)
      out += opcode.words[k].text;
    if (k == remedy.word)
      out += remedy.text;
  }
  return out;
}

static bool makesItRight(const Finding &finding, const WrittenInstruction &written) {
  if (finding.severity != Severity::Error)
    return true;
  if (finding.remedy.kind != Remedy::RaiseVersion)
    return judge({Opcode(spellingAfter(written.opcode, finding.remedy)), written.shapes, written.availability})
        .isAccepted();
  ModuleContext raised = written.availability.module();
  raised.ptx = finding.remedy.word;
  return judge({written.opcode, written.shapes, Availability(raised)}).isAccepted();
}

/// The instructions whose names the opcode begins: with the rest of the name, and the words that are not part of it.
static void addCompletions(Finding &finding, const WrittenInstruction &written) {
  const Opcode &opcode = written.opcode;
  llvm::SmallVector<std::string, 8> right, next;
  for (const isa::Mnemonic &mnemonic : isa::mnemonics()) {
    llvm::StringRef rest = mnemonic.text;
    if (!rest.consume_front(opcode.words.front().text) || !rest.consume_front("."))
      continue;
    llvm::SmallVector<llvm::StringRef, 4> own;
    rest.split(own, '.');
    std::string spelling(mnemonic.text);
    for (const OpcodeWord &word : llvm::drop_begin(opcode.words))
      if (!llvm::is_contained(own, word.text.drop_front()))
        spelling += word.text;
    if (judge({Opcode(spelling), written.shapes, written.availability}).isAccepted())
      right.push_back("`" + spelling + "`");
    if (const std::string word = "`." + own.front().str() + "`"; !llvm::is_contained(next, word))
      next.push_back(word);
  }
  constexpr size_t most = 12;
  if (right.size() == 1)
    finding.remedy = {Remedy::ReplaceOpcode, 0, llvm::StringRef(right.front()).trim('`').str()};
  else if (!right.empty() && right.size() <= most)
    finding.notes.push_back("what would do: " + llvm::join(right, ", "));
  else if (finding.id == DiagId::IncompleteInstruction && !next.empty() && next.size() <= most)
    finding.notes.push_back("`" + opcode.words.front().text.str() + "` goes on with one of " + llvm::join(next, ", "));
}

/// Of words that differ in the number alone, the only one that is right; else all.
static void addNumbered(Finding &finding, const WrittenInstruction &written) {
  const isa::Mnemonic &mnemonic = *written.opcode.mnemonic;
  const auto words = numberedWords(mnemonic, finding.args.front());
  llvm::SmallVector<Remedy, 8> right;
  for (isa::WordId word : words) {
    finding.remedy = {Remedy::ReplaceWord, finding.place.index, std::string(isa::word(word).text)};
    if (makesItRight(finding, written))
      right.push_back(finding.remedy);
  }
  finding.remedy = right.size() == 1 ? right.front() : Remedy();
  if (right.size() != 1 && !words.empty())
    finding.notes.push_back("`" + std::string(mnemonic.text) + "` knows " + wordsText(words, "and"));
}

/// The form that has taken the place of one that was removed: all that is written fits, and words are missing.
static void addSuccessor(Finding &finding, const WrittenInstruction &written) {
  const isa::Tables &t = isa::tables();
  for (uint32_t form : isa::run(t.mnemonicForms, written.opcode.mnemonic->forms)) {
    FormView view(written, form);
    Judgement judgement(form);
    judgeFormGates(view, judgement);
    if (!judgement.findings.empty())
      continue;
    reportWords(view, matchWords(view), judgement);
    if (llvm::any_of(judgement.findings, [](const Finding &f) { return f.place.kind != Place::Opcode; }))
      continue;
    finding.notes.push_back("in its place there is `" + std::string(view.form().syntax) + "`");
    return;
  }
}

static std::string titleOf(const Remedy &remedy, const Opcode &opcode) {
  switch (remedy.kind) {
  case Remedy::None: break;
  case Remedy::InsertAfterWord: return "insert `" + remedy.text + "`";
  case Remedy::ReplaceWord: return "replace it by `" + remedy.text + "`";
  case Remedy::RemoveWord: return "remove `" + opcode.words[remedy.word].text.str() + "`";
  case Remedy::ReplaceOpcode: return "write `" + remedy.text + "`";
  case Remedy::RaiseVersion: return "raise `.version` to " + remedy.text;
  }
  return "";
}

/// Adds what a report says of each finding wherever the instruction stands.
static void putIntoWords(llvm::MutableArrayRef<Finding> findings, const Opcode &opcode) {
  for (Finding &finding : findings) {
    if (finding.remedy.kind != Remedy::None) {
      finding.fixTitle = titleOf(finding.remedy, opcode);
      finding.fixText = finding.remedy.text;
    }
    if (finding.form != ~0u)
      finding.notes.push_back("the form is `" + std::string(isa::tables().forms[finding.form].syntax) + "`");
  }
}

void advise(std::vector<Finding> &findings, const WrittenInstruction &written) {
  const Opcode &opcode = written.opcode;
  for (Finding &f : findings) {
    // `mad.u32`: there is a `mad` without `.lo`, of other types.
    const bool mayGoOn = findings.size() == 1 && f.severity == Severity::Error && f.phase == Phase::Qualifier &&
                         opcode.mnemonicWords == 1 && f.remedy.kind == Remedy::None;
    if (f.id == DiagId::IncompleteInstruction || (opcode.mnemonic && mayGoOn))
      addCompletions(f, written);
    else if (f.id == DiagId::RemovedInPtx && opcode.mnemonic)
      addSuccessor(f, written);
  }
  for (Finding &f : findings) {
    if (f.remedy.kind != Remedy::None && !makesItRight(f, written))
      f.remedy = {};
    if (f.id == DiagId::UnknownQualifier && opcode.mnemonic && f.remedy.kind == Remedy::None)
      addNumbered(f, written);
  }
  putIntoWords(findings, opcode);
}

/// Whatever the operands are.
static std::vector<Finding> findingsOfWords(const Opcode &opcode, const Availability &availability) {
  std::vector<Finding> findings = judge({opcode, {}, availability}).findings;
  llvm::erase_if(findings, [](const Finding &f) { return f.phase != Phase::Qualifier; });
  return findings;
}

std::vector<Finding> judgeWords(const Opcode &opcode, const Availability &availability) {
  std::vector<Finding> findings = findingsOfWords(opcode, availability);
  for (Finding &f : findings)
    if (f.remedy.kind != Remedy::None &&
        !findingsOfWords(Opcode(spellingAfter(opcode, f.remedy)), availability).empty())
      f.remedy = {};
  putIntoWords(findings, opcode);
  return findings;
}

} // namespace ptxray
