// Finds alternatives. A remedy is only offered if its result is correct.
#include "Match/Arrangements.h"
#include "Match/BestForm.h"
#include "Match/Bind.h"
#include "Match/Corrections.h"
#include "Match/Match.h"
#include "Match/Partners.h"
#include "Match/Rules.h"
#include "Match/SimilarNames.h"
#include "Match/TypeRules.h"
#include "Match/Unknown.h"
#include "Match/Wording.h"
#include "Match/Words.h"
#include "Source/Narrow.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace ptxray {

/// Returns the opcode with the remedy applied, to equal words as well.
static std::string spellingAfter(const Opcode &opcode, const Remedy &remedy, llvm::ArrayRef<uint16_t> alike = {}) {
  if (remedy.kind == Remedy::ReplaceOpcode)
    return remedy.text;
  std::string out;
  for (unsigned k = 0; k < opcode.words.size(); ++k) {
    const bool isThere = k == remedy.word || llvm::is_contained(alike, k);
    if (!isThere || remedy.kind == Remedy::InsertAfterWord)
      out += opcode.words[k].text;
    if (isThere)
      out += remedy.text;
  }
  return out;
}

/// Returns the module with the version and target of the remedy.
static ModuleContext moduleAfter(const ModuleContext &module, const Remedy &remedy) {
  ModuleContext changed = module;
  if (remedy.word)
    changed.ptx = remedy.word;
  if (const int target = remedy.kind == Remedy::ChangeTarget ? isa::findTarget(remedy.text) : -1; target >= 0)
    changed.target = narrow<uint16_t>(target);
  return changed;
}

/// Returns the operands with the remedy applied to the one at `node`.
static std::vector<Shape> shapesAfter(llvm::ArrayRef<Shape> shapes, unsigned node, const Remedy &remedy) {
  std::vector<Shape> changed(shapes.begin(), shapes.end());
  // The extents of the shapes around the operand change with it.
  const int grown = remedy.kind == Remedy::AddBrackets ? 1 : remedy.kind == Remedy::RemoveBrackets ? -1 : 0;
  for (unsigned n = 0; n < node; ++n)
    if (n + changed[n].extent > node)
      changed[n].extent += grown;
  if (remedy.kind == Remedy::MakeFloat) {
    changed[node].kind = ShapeKind::Float;
  } else if (remedy.kind == Remedy::RemoveBrackets) {
    changed.erase(changed.begin() + node);
  } else {
    Shape address;
    address.kind = ShapeKind::Address;
    address.extent = changed[node].extent + 1;
    changed.insert(changed.begin() + node, address);
  }
  return changed;
}

/// Merges the findings about all operands, or all equal words, with the same fault into one.
static void mergeAlike(std::vector<Finding> &findings) {
  auto isMerged = [](const Finding &f) {
    return f.severity == Severity::Error &&
           (f.place.kind == FindingPlace::Operand ? f.sourceArg >= 0 : f.id == DiagId::UnknownQualifier);
  };
  for (size_t i = 0; i < findings.size(); ++i) {
    Finding &first = findings[i];
    if (!isMerged(first))
      continue;
    const auto isAlike = [&](const Finding &f) {
      return isMerged(f) && f.id == first.id && f.args == first.args && f.place.kind == first.place.kind &&
             f.remedy.kind == first.remedy.kind && f.remedy.text == first.remedy.text;
    };
    for (const Finding &f : llvm::ArrayRef(findings).drop_front(i + 1))
      if (isAlike(f))
        first.alike.push_back(f.place.index);
    findings.erase(std::remove_if(findings.begin() + i + 1, findings.end(), isAlike), findings.end());
  }
}

static bool makesItRight(const Finding &finding, const WrittenInstruction &written) {
  if (finding.severity != Severity::Error)
    return true;
  const Remedy &remedy = finding.remedy;
  switch (remedy.kind) {
  case Remedy::RaiseVersion:
  case Remedy::ChangeTarget:              // `opensGates` has tried it
  case Remedy::SwapOperands: return true; // see `addArrangement`
  case Remedy::AddBrackets:
  case Remedy::RemoveBrackets:
  case Remedy::MakeFloat: {
    std::vector<Shape> shapes = written.shapes;
    llvm::SmallVector<uint16_t, 4> nodes(finding.alike.begin(), finding.alike.end());
    nodes.push_back(finding.place.index);
    llvm::sort(nodes, std::greater()); // operands before a changed one keep their indices
    for (const uint16_t node : nodes)
      shapes = shapesAfter(shapes, node, remedy);
    return isAccepted({written.opcode, shapes, written.availability});
  }
  default: break;
  }
  const bool areWords = remedy.kind == Remedy::ReplaceWord && finding.id == DiagId::UnknownQualifier;
  const llvm::ArrayRef<uint16_t> words = areWords ? finding.alike : llvm::ArrayRef<uint16_t>();
  return isAccepted({Opcode(spellingAfter(written.opcode, remedy, words)), written.shapes, written.availability});
}

/// Returns whether the module with the remedy is new enough for the whole instruction. Adds further requirements to the
/// remedy. Other faults may remain.
static bool opensGates(Remedy &remedy, const WrittenInstruction &written, bool &isAccepted) {
  constexpr unsigned mostSteps = 4;
  for (unsigned step = 0; step < mostSteps; ++step) {
    const Availability changed(moduleAfter(written.availability.module(), remedy));
    const Judged judged = judge({written.opcode, written.shapes, changed});
    isAccepted = judged.isAccepted();
    const auto gate = llvm::find_if(
        judged.findings, [](const Finding &f) { return f.severity == Severity::Error && f.phase == Phase::Gate; });
    if (isAccepted || gate == judged.findings.end())
      return true;
    const Remedy &more = gate->remedy;
    if (more.kind == Remedy::ChangeTarget)
      remedy = {Remedy::ChangeTarget, std::max(remedy.word, more.word), more.text};
    else if (more.kind == Remedy::RaiseVersion && remedy.kind == Remedy::ChangeTarget)
      remedy.word = std::max(remedy.word, more.word);
    else if (more.kind == Remedy::RaiseVersion)
      remedy = more;
    else
      return false;
  }
  return false;
}

/// Adds the instructions whose mnemonics begin with the opcode, each with the rest of its name and the other words.
static bool addCompletions(Finding &finding, const WrittenInstruction &written) {
  const Opcode &opcode = written.opcode;
  llvm::SmallVector<std::string, 8> right, fitting; // for any operands
  for (const isa::Mnemonic &mnemonic : isa::mnemonics()) {
    llvm::StringRef rest = mnemonic.text();
    if (!rest.consume_front(opcode.words.front().text) || !rest.consume_front("."))
      continue;
    llvm::SmallVector<llvm::StringRef, 4> own;
    rest.split(own, '.');
    std::string spelling(mnemonic.text());
    for (const OpcodeWord &word : llvm::drop_begin(opcode.words))
      if (const llvm::StringRef text = word.text.drop_front(); !llvm::is_contained(own, text) &&
                                                               !own.front().starts_with((text + "::").str()) &&
                                                               !own.front().ends_with(("_" + text).str()))
        spelling += word.text;
    if (isAccepted({Opcode(spelling), written.shapes, written.availability}))
      right.push_back("`" + spelling + "`");
    else if (opcode.words.size() > 1 && findingsOfWords(Opcode(spelling), written.availability).empty())
      fitting.push_back("`" + spelling + "`");
  }
  const bool isWrongOperand = right.empty() && !fitting.empty();
  if (isWrongOperand)
    right = fitting;
  constexpr size_t most = 12;
  // The type of `mul.u32` is correct, but `.lo` or `.hi` is missing.
  if (!right.empty() && finding.id == DiagId::IllegalQualifier) {
    finding = wordFinding(DiagId::IncompleteInstruction, {FindingPlace::Opcode, 0}, opcode.spelling);
  }
  if (right.size() == 1 && !isWrongOperand)
    finding.remedy = {Remedy::ReplaceOpcode, 0, llvm::StringRef(right.front()).trim('`').str()};
  else if (!right.empty() && right.size() <= most)
    finding.notes.push_back((isWrongOperand ? "with other operands: " : "accepted here: ") + llvm::join(right, ", "));
  if (!right.empty() || finding.id != DiagId::IncompleteInstruction)
    return !right.empty();
  std::string beginning = finding.args.front();
  auto next = wordsAfter(beginning);
  if (next.empty())
    next = wordsAfter(beginning = opcode.words.front().text.str());
  if (!next.empty() && next.size() <= most)
    finding.notes.push_back("`" + beginning + "` continues with one of " + llvm::join(next, ", "));
  return true;
}

/// Adds the only correct word among those that differ in a number, or all of them if several are correct.
static void addNumbered(Finding &finding, const WrittenInstruction &written) {
  const isa::Mnemonic &mnemonic = *written.opcode.mnemonic;
  const auto similar = similarWords(mnemonic, finding.args.front());
  const auto words =
      similar.size() > 1 || (similar.size() == 1 && !isOtherNumber(similar.front(), finding.args.front()))
          ? llvm::SmallVector<isa::WordId, 8>(similar.begin(), similar.end())
          : numberedWords(mnemonic, finding.args.front());
  llvm::SmallVector<Remedy, 8> right;
  for (isa::WordId word : words) {
    finding.remedy = {Remedy::ReplaceWord, finding.place.index, std::string(isa::word(word).text())};
    if (makesItRight(finding, written))
      right.push_back(finding.remedy);
  }
  finding.remedy = right.size() == 1 ? right.front() : Remedy();
  if (right.size() != 1 && !words.empty() && finding.expected.empty())
    finding.notes.push_back("`" + std::string(mnemonic.text()) + "` has " +
                            wordsText(words, "and", finding.args.front()));
}

/// Adds the form that replaced a removed one, if all written words fit it and only words are missing.
static void addSuccessor(Finding &finding, const WrittenInstruction &written) {
  const isa::Tables &t = isa::tables();
  for (uint32_t form : isa::run(t.mnemonicForms, written.opcode.mnemonic->forms)) {
    FormView view(written, form);
    Judgement judgement(form);
    judgeFormGates(view, judgement);
    if (!judgement.findings.empty())
      continue;
    reportWords(view, matchWords(view), judgement);
    if (llvm::any_of(judgement.findings, [](const Finding &f) { return f.place.kind != FindingPlace::Opcode; }))
      continue;
    finding.notes.push_back("it is replaced by `" + std::string(view.form().syntax()) + "`");
    return;
  }
}

/// Replaces the findings about the words of `mul.s32.lo` by one: `.lo` belongs directly after the name.
static bool addOrder(std::vector<Finding> &findings, const WrittenInstruction &written) {
  const auto words = llvm::ArrayRef(written.opcode.words);
  for (const Finding &finding : findings) {
    if (finding.id != DiagId::MisplacedQualifier || finding.place.kind != FindingPlace::Word ||
        finding.place.count != 1)
      continue;
    std::string spelling = (words.front().text + words[finding.place.index].text).str();
    for (unsigned k = 1; k < words.size(); ++k)
      if (k != finding.place.index)
        spelling += words[k].text;
    if (!findingsOfWords(Opcode(spelling), written.availability).empty())
      continue;
    Finding one = finding;
    one.form = ~0u;
    one.line = 0;
    one.remedy = {Remedy::ReplaceOpcode, 0, spelling};
    findings = {one};
    return true;
  }
  return false;
}

static std::string titleOf(const Remedy &remedy, const Opcode &opcode) {
  switch (remedy.kind) {
  case Remedy::None: break;
  case Remedy::InsertAfterWord: return "insert `" + remedy.text + "`";
  case Remedy::ReplaceWord: return "write `" + remedy.text + "`";
  case Remedy::RemoveWord: return "remove `" + opcode.words[remedy.word].text.str() + "`";
  case Remedy::ReplaceOpcode: return "write `" + remedy.text + "`";
  case Remedy::RaiseVersion: return "raise `.version` to " + remedy.text;
  case Remedy::ChangeTarget:
    return "write `.target " + remedy.text + "`" +
           (remedy.word ? " and raise `.version` to " + isa::versionText(remedy.word) : "");
  case Remedy::AddBrackets: return "write the address in brackets";
  case Remedy::SwapOperands: return "swap the operands";
  case Remedy::RemoveBrackets: return "remove the brackets";
  case Remedy::MakeFloat: return "write it as a floating-point constant";
  }
  return "";
}

/// Adds texts that do not depend on the place of the instruction to each finding.
static void putIntoWords(llvm::MutableArrayRef<Finding> findings, const Opcode &opcode) {
  for (Finding &finding : findings) {
    if (finding.remedy.kind != Remedy::None) {
      finding.fixTitle = titleOf(finding.remedy, opcode);
      finding.fixText = finding.remedy.text;
    }
    if (finding.form != ~0u)
      finding.notes.push_back("the form is `" + std::string(isa::tables().forms[finding.form].syntax()) + "`");
  }
}

/// Adds the spelling that is meant by `ADD.f32`, `mbarrier_init`, or a name of another language.
static void addSpelling(Finding &f, const WrittenInstruction &written) {
  const std::string &spelling = written.opcode.spelling;
  std::string dotted = spelling;
  std::replace(dotted.begin(), dotted.begin() + std::min(dotted.find('.'), dotted.size()), '_', '.');
  for (const std::string &variant : {llvm::StringRef(spelling).lower(), dotted})
    if (variant != spelling && isAccepted({Opcode(variant), written.shapes, written.availability}))
      f.remedy = {Remedy::ReplaceOpcode, 0, variant};
  if (f.remedy.kind != Remedy::None)
    return;
  if (const llvm::StringRef advice = adviceOnForeignName(written.opcode.words.front().text); !advice.empty())
    f.notes.push_back(advice.str());
  else
    offerWholeNames(f, written);
}

/// Drops all other findings if the words begin the mnemonic of another instruction.
static void keepIncomplete(std::vector<Finding> &findings) {
  const auto found = llvm::find_if(findings, [](const Finding &f) { return f.id == DiagId::IncompleteInstruction; });
  if (found == findings.end())
    return;
  Finding one = *found;
  one.form = ~0u;
  one.line = 0;
  findings = {one};
}

static bool isWordError(const Finding &f) { return f.severity == Severity::Error && f.phase == Phase::Qualifier; }

/// Returns whether other words may be intended: all written words are known, and none is part of another mnemonic.
static bool mayBeOtherWords(llvm::ArrayRef<Finding> findings, const Opcode &opcode) {
  if (!opcode.mnemonic || opcode.mayCall ||
      llvm::any_of(llvm::drop_begin(opcode.words), [](const OpcodeWord &word) { return !word.id; }))
    return false;
  constexpr DiagId otherwise[] = {DiagId::IncompleteInstruction, DiagId::UnknownInstruction,
                                  DiagId::RemovedInPtx,          DiagId::MisplacedQualifier,
                                  DiagId::RepeatedQualifier,     DiagId::ConflictingQualifiers};
  constexpr DiagId ofWords[] = {DiagId::QualifierCombination, DiagId::QualifierType, DiagId::QualifierNotAllowed,
                                DiagId::MissingQualifier,     DiagId::StateSpace,    DiagId::UnexpectedVector,
                                DiagId::VectorExpected,       DiagId::OperandType};
  unsigned errors = 0;
  bool isWorth = false;
  for (const Finding &f : findings) {
    if (llvm::is_contained(otherwise, f.id))
      return false;
    const bool isError = f.severity == Severity::Error;
    errors += isError + f.alike.size();
    isWorth |= isError && (f.phase == Phase::Qualifier || f.phase == Phase::Shape || llvm::is_contained(ofWords, f.id));
  }
  return isWorth || errors > 1;
}

/// Keeps the remedies that make the instruction correct.
static void tryRemedies(std::vector<Finding> &findings, const WrittenInstruction &written) {
  const Opcode &opcode = written.opcode;
  for (Finding &f : findings) {
    const bool isOfModule = f.remedy.kind == Remedy::RaiseVersion || f.remedy.kind == Remedy::ChangeTarget;
    if (bool isAccepted = true; isOfModule && f.severity == Severity::Error) {
      const bool opens = opensGates(f.remedy, written, isAccepted);
      if (opens && !isAccepted) // it helps, but something else is wrong
        f.notes.insert(f.notes.begin(), SharedText(titleOf(f.remedy, opcode)));
      if (!opens || !isAccepted)
        f.remedy = {};
    }
    if (f.remedy.kind != Remedy::None && (changesMeaning(f, opcode) || !makesItRight(f, written)))
      f.remedy = {};
    if (f.id == DiagId::UnknownQualifier && opcode.mnemonic && f.remedy.kind == Remedy::None)
      addNumbered(f, written);
  }
}

/// Offers other names and orders in place of findings about words and operands. Returns whether there are any.
static bool adviseOnNames(std::vector<Finding> &findings, const WrittenInstruction &written) {
  const Opcode &opcode = written.opcode;
  constexpr size_t mostWords = 24; // no instruction has this many words, and each is tried at another place
  const bool isShort = opcode.words.size() <= mostWords;
  bool isAnother = isShort && addOrder(findings, written);
  keepIncomplete(findings);
  if (isShort && llvm::any_of(findings, isWordError))
    isAnother |= addSeparators(findings, written);
  for (Finding &f : findings) {
    // For `mad.u32`, there is a `mad` without `.lo`, for other types.
    const bool mayGoOn =
        findings.size() == 1 && isWordError(f) && opcode.mnemonicWords == 1 && f.remedy.kind == Remedy::None;
    if (f.id == DiagId::IncompleteInstruction || (opcode.mnemonic && mayGoOn))
      isAnother |= addCompletions(f, written);
    else if (f.id == DiagId::RemovedInPtx && opcode.mnemonic)
      addSuccessor(f, written);
  }
  return isAnother;
}

/// Marks the word to be changed, rather than the vector that fits after the change.
static void markChange(Finding &f) {
  const bool isAdded = f.remedy.kind == Remedy::InsertAfterWord;
  if (f.id != DiagId::VectorLength || f.place.kind != FindingPlace::Operand ||
      !(isAdded || f.remedy.kind == Remedy::ReplaceWord))
    return;
  f.textNode = narrow<int16_t>(f.place.index);
  f.place = isAdded ? FindingPlace{FindingPlace::Opcode, 0} : FindingPlace{FindingPlace::Word, f.remedy.word};
}

void advise(std::vector<Finding> &findings, const WrittenInstruction &written, bool isBare) {
  const Opcode &opcode = written.opcode;
  mergeAlike(findings);
  if (isBare) {
    llvm::for_each(findings, [](Finding &f) { f.remedy = {}; });
    keepTrue(findings, opcode);
    return putIntoWords(findings, opcode);
  }
  bool isAnother = adviseOnNames(findings, written);
  tryRemedies(findings, written);
  for (Finding &f : findings)
    if (f.id == DiagId::UnknownInstruction)
      addSpelling(f, written);
  for (Finding &f : findings) {
    const bool isOfName = f.id == DiagId::UnknownInstruction && f.place.count > 1 && f.remedy.kind == Remedy::None;
    if (!opcode.mnemonic && opcode.words.size() > 1 && (f.id == DiagId::UnknownQualifier || isOfName))
      offerContinuation(f, written);
  }
  const bool areSeveral = findings.size() > 1 && opcode.mnemonic && !opcode.mayCall;
  if (llvm::any_of(findings, [&](const Finding &f) {
        return f.severity == Severity::Error && (f.phase == Phase::Shape || f.id == DiagId::OperandSize || areSeveral ||
                                                 (opcode.mayCall && opcode.mnemonic));
      }))
    isAnother |= addArrangement(findings, written);
  if (llvm::any_of(findings, isWordError) &&
      llvm::all_of(findings, [](const Finding &f) { return f.remedy.kind == Remedy::None; }))
    isAnother |= addSimilar(findings, written);
  if (!isAnother && mayBeOtherWords(findings, opcode) && adoptCorrections(findings, written))
    tryRemedies(findings, written);
  if (opcode.mnemonic) {
    if (findings.size() == 1) {
      offerMissingOperand(findings.front(), written);
      offerSibling(findings.front(), written);
      offerLongerName(findings.front(), written);
    }
    for (Finding &f : findings) {
      markChange(f);
      offerPartners(f, opcode);
      if (findings.size() == 1)
        offerWordForNumber(f, written);
    }
    nameGates(findings, written);
    mergeGates(findings);
    keepTrue(findings, opcode);
  }
  putIntoWords(findings, opcode);
}

std::vector<Finding> judgeWords(const Opcode &opcode, const Availability &availability) {
  std::vector<Finding> findings = findingsOfWords(opcode, availability);
  for (Finding &f : findings)
    if (f.remedy.kind != Remedy::None &&
        !findingsOfWords(Opcode(spellingAfter(opcode, f.remedy)), availability).empty())
      f.remedy = {};
  keepTrue(findings, opcode);
  putIntoWords(findings, opcode);
  return findings;
}

} // namespace ptxray
