#include "Command.h"
#include "Diagnostics/Manual.h"
#include "Diagnostics/RuleLevels.h"
#include "Diagnostics/RulePages.h"
#include "Isa/Isa.h"
#include "Render/Render.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/raw_ostream.h"

namespace ptxray {

static constexpr size_t mostEntries = 6; // of a beginning such as `mul`; of more only the names are shown

/// The mnemonic that an opcode begins with, else all that begin with what is written.
static std::vector<const isa::Mnemonic *> findMnemonics(llvm::StringRef written) {
  for (llvm::StringRef prefix = written; !prefix.empty(); prefix = prefix.rsplit('.').first) {
    if (const isa::Mnemonic *exact = isa::findMnemonic(prefix))
      return {exact};
    if (!prefix.contains('.'))
      break;
  }
  std::vector<const isa::Mnemonic *> found;
  for (const isa::Mnemonic &m : isa::mnemonics())
    if (llvm::StringRef(m.text).starts_with(written.str() + "."))
      found.push_back(&m);
  return found;
}

/// What a form requires of version and target.
static void printGates(const isa::Form &form, llvm::raw_ostream &out) {
  const isa::Tables &tables = isa::tables();
  for (uint32_t index : isa::run(tables.formRules, form.rules)) {
    const isa::Rule &rule = tables.rules[index];
    if (rule.when == 0 && tables.exprs[rule.require].gateOnly)
      out << "      " << rule.text << '\n';
  }
}

/// Whether no manual has the form.
static bool isOfPtxas(const isa::Form &form) {
  const isa::Tables &tables = isa::tables();
  auto warns = [&](isa::ExprId id) { return tables.exprs[id].op == isa::ExprOp::Warn && tables.exprs[id].a == 0; };
  return llvm::any_of(isa::run(tables.formRules, form.rules), [&](uint32_t index) {
    const isa::Rule &rule = tables.rules[index];
    const isa::Expr &required = tables.exprs[rule.require];
    return rule.when == 0 &&
           (warns(rule.require) ||
            (required.op == isa::ExprOp::And && llvm::any_of(tables.exprArgs.slice(required.a, required.b), warns)));
  });
}

static void printForms(uint16_t entry, bool ofPtxas, llvm::StringRef title, llvm::raw_ostream &out) {
  for (const isa::Form &form : isa::tables().forms) {
    if (form.entry != entry || isOfPtxas(form) != ofPtxas)
      continue;
    out << title << "  " << form.syntax << '\n';
    title = "";
    printGates(form, out);
  }
}

static void printEntry(uint16_t index, llvm::raw_ostream &out) {
  const isa::Tables &tables = isa::tables();
  const isa::Entry &entry = tables.entries[index];
  auto names = llvm::map_range(isa::run(tables.entryMnemonics, entry.mnemonics),
                               [&](uint32_t m) { return llvm::StringRef(tables.mnemonics[m].text); });
  out << "# ";
  llvm::interleaveComma(names, out);
  out << "\n\n" << entry.title << "\nmanual " << entry.manual << ", " << entry.file << ':' << entry.line << "\n";
  if (const ManualSection *section = findManualSection(entry.manual))
    out << "of PTX " << manualVersion << ": " << section->title << "\n" << section->url() << "\n";
  out << "\n";
  printForms(index, false, "", out);
  printForms(index, true, "\nptxas also accepts\n", out);
  out << '\n' << llvm::StringRef(entry.source).rtrim() << '\n';
}

static void explainInstruction(llvm::ArrayRef<const isa::Mnemonic *> mnemonics, llvm::StringRef written,
                               llvm::raw_ostream &out) {
  const isa::Tables &tables = isa::tables();
  llvm::SmallSetVector<uint16_t, 8> entries;
  for (const isa::Mnemonic *mnemonic : mnemonics)
    for (uint32_t form : isa::run(tables.mnemonicForms, mnemonic->forms))
      entries.insert(tables.forms[form].entry);
  if (entries.size() <= mostEntries) {
    llvm::interleave(entries, out, [&](uint16_t entry) { printEntry(entry, out); }, "\n");
    return;
  }
  out << "many instructions begin with `" << escaped(written) << "`:\n";
  for (const isa::Mnemonic *mnemonic : mnemonics)
    out << "  " << mnemonic->text << '\n';
}

static int runExplain(const Arguments &arguments) {
  const llvm::StringRef wanted = arguments.operands.front();
  if (const auto [rule, problem] = findRule(wanted); rule) {
    llvm::outs() << rulePage(info(rule->id).id);
    return Clean;
  } else if (findDiag(wanted.split(':').first)) {
    return usageError(problem);
  }
  if (const auto mnemonics = findMnemonics(wanted); !mnemonics.empty()) {
    explainInstruction(mnemonics, wanted, llvm::outs());
    return Clean;
  }
  llvm::SmallVector<llvm::StringRef> known;
  for (const RulePage &page : rulePages())
    known.push_back(page.id);
  for (const isa::Mnemonic &mnemonic : isa::mnemonics())
    known.push_back(mnemonic.text);
  return usageError("no rule or instruction `" + wanted.str() + "`" + didYouMean(wanted, known));
}

int unknownInstruction(llvm::StringRef written) {
  llvm::SmallVector<llvm::StringRef> known;
  for (const isa::Mnemonic &mnemonic : isa::mnemonics())
    known.push_back(mnemonic.text);
  return usageError("no instruction `" + written.str() + "`" + didYouMean(written, known));
}

Command explainCommand() {
  return {.name = "explain",
          .summary = "explain a rule, or show what is known of an instruction",
          .syntax = {.operands = "RULE|INSTRUCTION", .fewest = 1, .most = 1},
          .run = runExplain};
}

} // namespace ptxray
