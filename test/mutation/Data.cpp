#include "Data.h"
#include "Lines.h"
#include "Match/Checks.h"
#include "llvm/ADT/STLExtras.h"
#include <filesystem>
#include <fstream>

namespace ptxray {

static isa::Tables current;
const isa::Tables &isa::tables() { return current; }

namespace test {

namespace fs = std::filesystem;

MadeTables::MadeTables(std::unique_ptr<isagen::Output> made) : output(std::move(made)) {
  for (uint32_t &check : output->formChecks) {
    const std::string name = output->text(output->checkNames[check]);
    check = llvm::find_if(namedChecks, [&](const NamedCheck &rule) { return rule.name == name; }) - namedChecks.begin();
  }
}

void MadeTables::use() const {
  const isagen::Output &o = *output;
  current = {
      o.words,           o.wordKinds,       o.wordLists,      o.exprs,          o.exprArgs,    o.gates,
      o.warnings,        o.targetSets,      o.ranges,         o.terms,          o.spaceRefs,   o.operands,
      o.patterns,        o.slotValues,      o.slots,          o.columnMembers,  o.columns,     o.cells,
      o.rowLines,        o.tables,          o.rules,          o.formTables,     o.formRules,   o.formChecks,
      o.checkNames,      o.groups,          o.facts,          o.steps,          o.stepArgs,    o.stepNumbers,
      o.wordDefinitions, o.wordCalls,       o.namedFunctions, o.formulas,       o.conversions, o.formConversions,
      o.forms,           o.entries,         o.entryMnemonics, o.mnemonicForms,  o.mnemonics,   o.targets,
      o.versions,        o.versionMeanings, o.registers,      o.directiveTexts, o.arguments,   o.directiveLists,
      o.directives,      o.pragmas,         o.features,       o.limitValues,    o.limits,      o.runtimeFunctions,
      o.meanings,        o.examples,        o.characters,     o.textStarts};
}

const Availability &MadeTables::availability(const ModuleContext &context) {
  std::unique_ptr<Availability> &made = available[uint64_t(context.ptx) << 32 | uint64_t(context.target) << 2 |
                                                  context.independent << 1 | context.pedantic];
  if (!made)
    made = std::make_unique<Availability>(context);
  return *made;
}

Data::Data(const std::string &folder, const std::string &diagnostics) : rules(isagen::readRuleNames(diagnostics)) {
  std::vector<fs::path> files;
  for (const auto &found : fs::recursive_directory_iterator(folder))
    if (found.path().extension() == ".isa")
      files.push_back(found.path());
  llvm::sort(files);
  isagen::Errors errors(model);
  for (const fs::path &file : files)
    isagen::read(model, file.string(), file.lexically_relative(folder).generic_string(), errors);
  errors.print("error");
  // A word stays a word even if the only set that declares it is removed, or is left out with its entry.
  isagen::Output whole;
  isagen::Usage usage;
  isagen::resolve(model, rules, whole, usage, errors);
  for (const isa::Word &word : llvm::ArrayRef(whole.words).drop_front())
    model.vocabulary.known.insert(whole.text(word.text));
  skippedIn = model.vocabulary.skippedIn;
  ungatedIn = model.vocabulary.ungatedIn;
  // The meanings and examples for readers name entries that are left out, and no verdict depends on them.
  model.vocabulary.meanings.clear();
  model.vocabulary.examples.clear();
}

std::unique_ptr<MadeTables> Data::make() {
  // The generator rejects a list of words.isa for a mnemonic that has no entry.
  auto hasEntry = [&](const std::string &mnemonic) {
    return llvm::any_of(model.entries,
                        [&](const isagen::Entry &entry) { return llvm::is_contained(entry.mnemonics, mnemonic); });
  };
  model.vocabulary.skippedIn = skippedIn;
  model.vocabulary.ungatedIn = ungatedIn;
  for (auto *lists : {&model.vocabulary.skippedIn, &model.vocabulary.ungatedIn})
    std::erase_if(*lists, [&](const auto &of) { return !hasEntry(of.first); });
  auto made = std::make_unique<isagen::Output>();
  isagen::Usage usage;
  isagen::Errors errors(model);
  isagen::resolve(model, rules, *made, usage, errors);
  return errors.empty() ? std::make_unique<MadeTables>(std::move(made)) : nullptr;
}

std::unique_ptr<MadeTables> Data::make(Group &group) {
  model.entries.swap(group.entries);
  std::unique_ptr<MadeTables> made = make();
  model.entries.swap(group.entries);
  return made;
}

std::unique_ptr<MadeTables> Data::make(llvm::MutableArrayRef<Group> groups) {
  Group all;
  for (Group &group : groups)
    std::move(group.entries.begin(), group.entries.end(), std::back_inserter(all.entries));
  std::unique_ptr<MadeTables> made = make(all);
  auto next = all.entries.begin();
  for (Group &group : groups)
    for (isagen::Entry &entry : group.entries)
      entry = std::move(*next++);
  return made;
}

std::vector<Group> Data::split() {
  std::vector<Group> groups;
  std::vector<isagen::Entry> entries;
  entries.swap(model.entries);
  for (isagen::Entry &entry : entries) {
    Group joined;
    joined.files.insert(entry.place.file);
    for (const std::string &mnemonic : entry.mnemonics)
      joined.bases.insert(baseOf(mnemonic).str());
    std::vector<Group> others;
    for (Group &group : groups) {
      const bool meets = group.files.count(entry.place.file) ||
                         llvm::any_of(joined.bases, [&](auto &base) { return group.bases.count(base); });
      if (!meets) {
        others.push_back(std::move(group));
        continue;
      }
      std::move(group.entries.begin(), group.entries.end(), std::back_inserter(joined.entries));
      joined.files.insert(group.files.begin(), group.files.end());
      joined.bases.insert(group.bases.begin(), group.bases.end());
    }
    joined.entries.push_back(std::move(entry));
    groups = std::move(others);
    groups.push_back(std::move(joined));
  }
  return groups;
}

} // namespace test
} // namespace ptxray
