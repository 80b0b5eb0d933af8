#include "Match/Judge.h"
#include "Diagnostics/Nearest.h"
#include "Match/Checks.h"
#include "Parse/Ast.h"
#include "Resolve/Fingerprint.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"

namespace ptxray {

static Finding plainFinding(DiagId id, Place place, std::initializer_list<std::string> args) {
  Finding f;
  f.id = id;
  f.severity = info(id).level;
  f.phase = f.severity == Severity::Error ? Phase::Qualifier : Phase::Warning;
  f.place = place;
  f.args.assign(args.begin(), args.end());
  return f;
}

static Finding unknownInstruction(const Opcode &opcode) {
  // The nearest name, of the first word alone: the rest may be meant as qualifiers.
  const llvm::StringRef name = opcode.words.front().text;
  Nearest nearest(name, name.size() < 4 ? 2 : 3);
  bool known = false;
  for (const isa::Mnemonic &mnemonic : isa::mnemonics()) {
    const llvm::StringRef base = llvm::StringRef(mnemonic.text).split('.').first;
    known |= base == name;
    nearest.offer(base);
  }
  if (known && opcode.words.size() > 1) {
    const OpcodeWord &second = opcode.words[1];
    if (!second.id)
      return plainFinding(DiagId::UnknownQualifier, {Place::Word, 1}, {second.text.str()});
    // A word that belongs behind the name stands too far back.
    for (uint16_t k = 2; k < opcode.words.size(); ++k)
      if (spellsInstruction(name, opcode.words[k].text) &&
          (isOnlyInNames(opcode.words[k].id) || !spellsInstruction(name, second.text)))
        return plainFinding(DiagId::MisplacedQualifier,
                            opcode.words[k - 1].text == opcode.words[k].text
                                ? Place{Place::Word, static_cast<uint16_t>(k - 1), 2} // `.store.store`
                                : Place{Place::Word, k},
                            {opcode.words[k].text.str(), name.str()});
    return plainFinding(DiagId::IncompleteInstruction, {Place::Word, 0, 2}, {(name + second.text).str()});
  }
  Finding f =
      plainFinding(known ? DiagId::IncompleteInstruction : DiagId::UnknownInstruction, {Place::Word, 0}, {name.str()});
  if (!known && !nearest.best().empty())
    f.remedy = {Remedy::ReplaceWord, 0, nearest.best().str()};
  return f;
}

/// The nearest spelling among the words that some form of the instruction knows.
static llvm::StringRef nearestWord(const isa::Mnemonic &mnemonic, llvm::StringRef misspelt) {
  const isa::Tables &t = isa::tables();
  std::vector<bool> seen(t.words.size());
  Nearest nearest(misspelt, misspelt.size() < 5 ? 2 : 3);
  for (uint32_t form : isa::run(t.mnemonicForms, mnemonic.forms))
    for (const isa::Slot &slot : isa::run(t.slots, t.forms[form].slots))
      for (const isa::SlotValue &value : isa::run(t.slotValues, slot.values)) {
        if (seen[value.word])
          continue;
        seen[value.word] = true;
        nearest.offer(isa::word(value.word).text);
      }
  return nearest.best();
}

/// Of `.v3` the words that differ in the number alone: `.v2`, `.v4`.
static llvm::SmallVector<isa::WordId, 8> numberedWords(const isa::Mnemonic &mnemonic, llvm::StringRef misspelt) {
  const isa::Tables &t = isa::tables();
  const llvm::StringRef stem = misspelt.take_until(llvm::isDigit);
  llvm::SmallVector<isa::WordId, 8> words;
  if (stem.size() < 2 || stem.size() == misspelt.size())
    return words;
  for (uint32_t form : isa::run(t.mnemonicForms, mnemonic.forms))
    for (const isa::Slot &slot : isa::run(t.slots, t.forms[form].slots))
      for (const isa::SlotValue &value : isa::run(t.slotValues, slot.values)) {
        const llvm::StringRef text = isa::word(value.word).text;
        if (text.take_until(llvm::isDigit) == stem && text.size() > stem.size() &&
            !llvm::is_contained(words, value.word))
          words.push_back(value.word);
      }
  return words;
}

/// What is said whichever form fits: words that are not looked at.
static void addDropped(const Opcode &opcode, bool pedantic, std::vector<Finding> &findings) {
  for (uint16_t k = 1; k < opcode.words.size(); ++k) {
    if (!opcode.words[k].dropped)
      continue;
    const bool repeats = llvm::any_of(llvm::ArrayRef(opcode.words).take_front(k),
                                      [&](const OpcodeWord &before) { return before.id == opcode.words[k].id; });
    if (repeats && !pedantic)
      continue;
    findings.push_back(plainFinding(repeats ? DiagId::RedundantQualifier : DiagId::IgnoredQualifier, {Place::Word, k},
                                    {opcode.words[k].text.str()}));
    findings.back().remedy = {Remedy::RemoveWord, k, ""};
  }
}

/// The opcode with its qualifiers in the order of the form.
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

/// The manual's order, which ptxas mostly does not ask for.
static void addOrder(const FormView &view, std::vector<Finding> &findings) {
  int last = 0;
  for (unsigned j = 0; j < view.slots.size(); ++j) {
    if (!view.isWritten(j) || view.slotAt[j] < 0)
      continue;
    if (view.slotAt[j] < last) {
      const auto &words = view.written.opcode.words;
      const auto k = static_cast<uint16_t>(view.slotAt[j]);
      findings.push_back(
          plainFinding(DiagId::QualifierOrder, {Place::Word, k}, {words[k].text.str(), words[last].text.str()}));
      findings.back().form = view.formIndex;
      findings.back().remedy = {Remedy::ReplaceOpcode, 0, inFormOrder(view)};
      return;
    }
    last = view.slotAt[j];
  }
}

/// Two forms are equally near: what either asks for at one place would do.
static void addExpected(const FormView &from, FormView &to) {
  for (Finding &f : to.findings)
    for (const Finding &g : from.findings)
      if (!f.expected.empty() && f.id == g.id && f.place == g.place)
        for (isa::WordId word : g.expected)
          if (!llvm::is_contained(f.expected, word))
            f.expected.push_back(word);
}

/// Puts the words that would do into message and fix.
static void spellExpected(Finding &f) {
  if (f.expected.empty())
    return;
  f.args.push_back(wordsText(f.expected));
  if (f.expected.size() == 1)
    f.remedy.text = isa::word(f.expected.front()).text;
  else
    f.remedy = {};
}

static void judgeBound(FormView &view, const Binding &binding) {
  applyBinding(view, binding);
  if (view.score[static_cast<unsigned>(Phase::Shape)]) {
    judgeFormGates(view);
    judgeWordGates(view);
    return;
  }
  judgeTables(view);
  judgeRules(view);
  judgeWordGates(view);
  judgePresence(view);
  judgeOperands(view);
  runChecks(view);
}

/// A word, and the one that it does not go with where that stands beside it.
static Place withOpponent(const Opcode &opcode, uint16_t k) {
  const std::optional<unsigned> other = opponent(opcode, k);
  if (!other || (*other + 1 != k && *other != k + 1u))
    return {Place::Word, k};
  return {Place::Word, static_cast<uint16_t>(std::min<unsigned>(k, *other)), 2};
}

static constexpr std::array<uint16_t, phaseCount> perfect = {};

/// The first form that has nothing against the instruction, if there is one.
static std::optional<FormView> perfectForm(const WrittenInstruction &written) {
  for (uint32_t form : isa::run(isa::tables().mnemonicForms, written.opcode.mnemonic->forms)) {
    FormView matched(written, form);
    if (!wordsFit(matched))
      continue;
    for (const Binding &binding : bindOperands(matched)) {
      if (!binding.misfits.empty())
        break; // all have as many
      FormView bound = matched;
      judgeBound(bound, binding);
      if (bound.score == perfect)
        return bound;
    }
  }
  return std::nullopt;
}

/// The form that has the least against it, with what it has.
static FormView nearestForm(const WrittenInstruction &written) {
  std::optional<FormView> best;
  auto offer = [&](FormView &&view) {
    if (!best || view.score < best->score)
      best.emplace(std::move(view));
    else if (view.score == best->score)
      addExpected(view, *best);
  };
  for (uint32_t form : isa::run(isa::tables().mnemonicForms, written.opcode.mnemonic->forms)) {
    FormView matched(written, form);
    matchWords(matched);
    if (best && matched.score > best->score && matched.score[0] > best->score[0])
      continue;
    const auto bindings = bindOperands(matched);
    if (matched.score[0]) { // the qualifiers do not fit; the operands only tell how near the form is
      matched.score[static_cast<unsigned>(Phase::Shape)] += bindings.front().misfits.size();
      judgeFormGates(matched);
      judgeWordGates(matched);
      offer(std::move(matched));
      continue;
    }
    for (const Binding &binding : bindings) {
      FormView bound = matched;
      judgeBound(bound, binding);
      offer(std::move(bound));
    }
  }
  return std::move(*best);
}

std::vector<Finding> findingsOf(const Availability &availability, const Opcode &opcode, llvm::ArrayRef<Shape> shapes,
                                Usage *usage) {
  if (usage)
    *usage = usageOfRefused(shapes);
  if (!opcode.mnemonic)
    return {unknownInstruction(opcode)};
  const WrittenInstruction written{opcode, shapes, availability};
  std::optional<FormView> best = perfectForm(written); // mostly there is one, and the others need no words
  if (!best)
    best.emplace(nearestForm(written));
  std::vector<Finding> findings;
  llvm::for_each(best->findings, spellExpected);
  auto isError = [](const Finding &f) { return f.severity == Severity::Error; };
  const bool refused = llvm::any_of(best->findings, isError);
  if (usage && !refused)
    *usage = usageOf(*best);
  for (Finding &f : best->findings) {
    // Two gates of one word may fail alike; and what ptxas takes does not matter where it refuses.
    const bool known = llvm::any_of(
        findings, [&](const Finding &g) { return f.id == g.id && f.place == g.place && f.args == g.args; });
    if (known || (!isError(f) && refused))
      continue;
    if (f.id == DiagId::UnknownQualifier)
      if (llvm::StringRef near = nearestWord(*opcode.mnemonic, f.args.front()); !near.empty())
        f.remedy = {Remedy::ReplaceWord, f.place.index, near.str()};
    if (f.place.kind == Place::Word && f.place.count == 1 &&
        (f.id == DiagId::QualifierOfOtherForm || info(f.id).id.starts_with("misused-")))
      f.place = withOpponent(opcode, f.place.index);
    findings.push_back(std::move(f));
  }
  const bool pedantic = availability.module().pedantic;
  addDropped(opcode, pedantic, findings);
  if (pedantic && findings.empty())
    addOrder(*best, findings);
  return findings;
}

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

/// A fix is offered only if nothing is wrong with what it makes.
static bool makesItRight(const Finding &finding, const Availability &availability, const Opcode &opcode,
                         llvm::ArrayRef<Shape> shapes) {
  auto isRight = [&](const Availability &available, const Opcode &text) {
    return llvm::none_of(findingsOf(available, text, shapes),
                         [](const Finding &f) { return f.severity == Severity::Error; });
  };
  if (finding.severity != Severity::Error)
    return true;
  if (finding.remedy.kind != Remedy::RaiseVersion)
    return isRight(availability, Opcode(spellingAfter(opcode, finding.remedy)));
  ModuleContext raised = availability.module();
  raised.ptx = finding.remedy.word;
  return isRight(Availability(raised), opcode);
}

/// The instructions whose names the opcode begins: with the rest of the name, and the words that are not part of it.
static void addCompletions(Finding &finding, const Availability &availability, const Opcode &opcode,
                           llvm::ArrayRef<Shape> shapes) {
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
    const bool refused = llvm::any_of(findingsOf(availability, Opcode(spelling), shapes),
                                      [](const Finding &f) { return f.severity == Severity::Error; });
    if (!refused)
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
static void addNumbered(Finding &finding, const Availability &availability, const Opcode &opcode,
                        llvm::ArrayRef<Shape> shapes) {
  const auto words = numberedWords(*opcode.mnemonic, finding.args.front());
  llvm::SmallVector<Remedy, 8> right;
  for (isa::WordId word : words) {
    finding.remedy = {Remedy::ReplaceWord, finding.place.index, std::string(isa::word(word).text)};
    if (makesItRight(finding, availability, opcode, shapes))
      right.push_back(finding.remedy);
  }
  finding.remedy = right.size() == 1 ? right.front() : Remedy();
  if (right.size() != 1 && !words.empty())
    finding.notes.push_back("`" + std::string(opcode.mnemonic->text) + "` knows " + wordsText(words, "and"));
}

/// The form that has taken the place of one that was removed: all that is written fits, and words are missing.
static void addSuccessor(Finding &finding, const WrittenInstruction &written) {
  const isa::Tables &t = isa::tables();
  for (uint32_t form : isa::run(t.mnemonicForms, written.opcode.mnemonic->forms)) {
    FormView view(written, form);
    judgeFormGates(view);
    if (!view.findings.empty())
      continue;
    matchWords(view);
    if (llvm::any_of(view.findings, [](const Finding &f) { return f.place.kind != Place::Opcode; }))
      continue;
    finding.notes.push_back("in its place there is `" + std::string(view.form.syntax) + "`");
    return;
  }
}

std::vector<Finding> judge(const Availability &availability, const Opcode &opcode, llvm::ArrayRef<Shape> shapes,
                           Usage *usage) {
  std::vector<Finding> findings = findingsOf(availability, opcode, shapes, usage);
  for (Finding &f : findings) {
    // `mad.u32`: there is a `mad` without `.lo`, of other types.
    const bool mayGoOn = findings.size() == 1 && f.severity == Severity::Error && f.phase == Phase::Qualifier &&
                         opcode.mnemonicWords == 1 && f.remedy.kind == Remedy::None;
    if (f.id == DiagId::IncompleteInstruction || (opcode.mnemonic && mayGoOn))
      addCompletions(f, availability, opcode, shapes);
    else if (f.id == DiagId::RemovedInPtx && opcode.mnemonic)
      addSuccessor(f, {opcode, shapes, availability});
  }
  for (Finding &f : findings) {
    if (f.remedy.kind != Remedy::None && !makesItRight(f, availability, opcode, shapes))
      f.remedy = {};
    if (f.id == DiagId::UnknownQualifier && opcode.mnemonic && f.remedy.kind == Remedy::None)
      addNumbered(f, availability, opcode, shapes);
  }
  return findings;
}

/// What is wrong with the words, whatever the operands are.
static std::vector<Finding> findingsOfWords(const Availability &availability, const Opcode &opcode) {
  std::vector<Finding> findings = findingsOf(availability, opcode, {});
  llvm::erase_if(findings, [](const Finding &f) { return f.phase != Phase::Qualifier; });
  return findings;
}

bool accepts(const Availability &availability, const Opcode &opcode, llvm::ArrayRef<Shape> shapes,
             std::vector<isa::ExprId> &gates) {
  availability.asked = &gates;
  const std::vector<Finding> findings = findingsOf(availability, opcode, shapes);
  availability.asked = nullptr;
  return llvm::none_of(findings, [](const Finding &f) { return f.severity == Severity::Error; });
}

// ------------------------------------------------------------------------------------- the memory
uint64_t fingerprint(const Instruction &instruction, const Opcode &opcode, llvm::ArrayRef<Operand> nodes,
                     llvm::ArrayRef<Shape> shapes) {
  Fingerprint whole(instruction.print);
  for (const auto &[node, shape] : llvm::zip(nodes, shapes)) {
    const bool valueCounts = shape.kind == ShapeKind::Special || (opcode.readsValues && shape.flags & ShapeKnown);
    if (node.kind == OperandKind::Name || shape.suffix)
      whole.add(declaredPrint(shape) + (valueCounts ? valuePrint(shape.value) : 0));
  }
  return opcode.readsValues ? withValues(whole.value(), nodes) : whole.value();
}

uint64_t withValues(uint64_t fingerprint, llvm::ArrayRef<Operand> nodes) {
  Fingerprint whole(fingerprint);
  for (const Operand &node : nodes)
    if (node.kind == OperandKind::Integer || node.kind == OperandKind::Float)
      whole.add(valuePrint(node.value));
  return whole.value();
}

const Opcode &Opcodes::add(const Ast &ast, SpellingId spelling) {
  const auto id = static_cast<size_t>(spelling);
  if (id >= bySpelling.size())
    bySpelling.resize(id + id / 2 + 64);
  bySpelling[id] = std::make_unique<Opcode>(ast.text(spelling));
  return *bySpelling[id];
}

void InstructionChecker::growMemo() {
  std::vector<Verdict> old(memo.size() * 2);
  old.swap(memo);
  for (const Verdict &verdict : old)
    if (verdict.fingerprint)
      placeOf(verdict.fingerprint) = verdict;
}

const InstructionChecker::Verdict &InstructionChecker::judged(const Opcode &opcode, const Instruction &instruction,
                                                              llvm::ArrayRef<Operand> nodes,
                                                              llvm::ArrayRef<Shape> shapes) {
  const uint64_t print = fingerprint(instruction, opcode, nodes, shapes);
  if (const Verdict *verdict = known(print))
    return *verdict;
  if (++memoUsed * 2 >= memo.size())
    growMemo();
  Verdict &verdict = placeOf(print);
  verdict.fingerprint = print;
  Usage &usage = usages.emplace_back();
  verdict.usage = &usage;
  if (auto found = judge(availability, opcode, shapes, &usage); !found.empty()) {
    putIntoWords(found, opcode);
    verdict.findings = &findings.emplace_back(std::move(found));
  } else if (!opcode.readsRegisters && !opcode.mayCall) {
    verdict.plain = plainUses(usage, nodes);
  }
  return verdict;
}

void InstructionChecker::report(const Verdict &verdict, const Opcode &opcode, const Ast &ast,
                                const SourceBuffer &source, const Instruction &instruction, Resolver &resolver,
                                DiagnosticSink &sink) const {
  ptxray::report(*verdict.findings, opcode, availability.module(), ast, source, instruction, resolver, sink);
}

void InstructionChecker::checkWords(const Ast &ast, const SourceBuffer &source, const Instruction &instruction,
                                    Resolver &resolver, DiagnosticSink &sink) {
  const Opcode &opcode = opcodes.of(ast, instruction);
  std::vector<Finding> findings = findingsOfWords(availability, opcode);
  for (Finding &f : findings)
    if (f.remedy.kind != Remedy::None &&
        !findingsOfWords(availability, Opcode(spellingAfter(opcode, f.remedy))).empty())
      f.remedy = {};
  putIntoWords(findings, opcode);
  ptxray::report(findings, opcode, availability.module(), ast, source, instruction, resolver, sink);
}

} // namespace ptxray
