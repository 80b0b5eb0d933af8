// Mutates the data of grammar/isa at one place after another. Each time, some line of test/isa, test/samples, or
// test/flow, or a module of test/module, must get another verdict. Data that no test needs is wrong or superfluous.
//
//   mutation-tests                   all mutations
//   mutation-tests --every N         one mutation of N, chosen by its text
//   mutation-tests --only TEXT       the mutations with TEXT in their name
//   mutation-tests --names FILE      the mutations that FILE names
//   mutation-tests --extra FILE      also with the lines of FILE, in the form of test/samples or test/isa; prints all
//   of
//                                    its lines that notice a mutation
//   mutation-tests --search N        if no line notices a mutation, searches N lines that would, and prints them
#include "Check/Checker.h"
#include "Search.h"
#include "Source/SourceBuffer.h"
#include "llvm/ADT/STLExtras.h"
#include <filesystem>
#include <fstream>
#include <iostream>

using namespace ptxray;
using namespace ptxray::test;

namespace {

class MutationTest {
public:
  MutationTest(Data &data) : data(data) {}
  void prepare();
  bool run();

  unsigned every = 1;
  std::string only;
  std::set<std::string> names;
  std::vector<std::string> extra;
  unsigned searched = 0;

private:
  void collect();
  std::vector<size_t> groupsOf(const Mutant &mutant) const;
  bool notices(size_t line, MadeTables &tables) const {
    const Line &one = tests.lines[line];
    return outcomeOf(tables.availability(tests.contexts[one.context]), one, one.compared) != one.outcome;
  }
  bool isNoticed(const Mutant &mutant);
  bool isNoticedBy(const Mutant &mutant, size_t group, MadeTables &tables);
  void search(const Mutant &mutant);
  bool isNoticedInModules(const Mutant &mutant);
  std::string nameOf(const Mutant &mutant) const {
    return data.model.names[mutant.place.file] + ": " + mutant.kind + " " + mutant.text;
  }
  /// Returns a name with the file, since two entries of one file may have the same text.
  std::string placedNameOf(const Mutant &mutant) const {
    return nameOf(mutant) + "  (line " + std::to_string(mutant.place.line) + ")";
  }

  Data &data;
  LineSet tests;
  size_t firstExtra = 0; // index of the first line that is not from test/isa
  std::vector<Group> groups;
  std::vector<std::unique_ptr<MadeTables>> sound; // the unchanged tables of each group
  std::vector<Mutant> mutants;
  std::unique_ptr<MadeTables> noInstruction; // tables without instructions, for data of directives
  std::vector<Module> modules;
  std::string outcomeOfModules;
  std::unique_ptr<MadeTables> whole;                   // tables of all groups together
  std::map<std::string, std::vector<Module>> sections; // modules of test/isa, by the file of the data: `matrix/mma.isa`
  Search finder{tests};
};

} // namespace

/// Returns the findings in whole modules.
static std::string findingsIn(llvm::ArrayRef<Module> modules) {
  std::string outcome;
  for (const Module &module : modules) {
    const auto source = SourceBuffer::fromText("", module.text);
    for (const Diagnostic &d : findingsIn(*source, optionsOf(module)))
      outcome += d.ruleText() + " " + std::to_string(static_cast<int>(d.severity)) + " " +
                 std::to_string(d.range.begin) + "\n";
  }
  return outcome;
}

void MutationTest::collect() {
  auto collectSnippets = [&](const std::vector<TestFile> &files) {
    for (const TestFile &file : files)
      for (const Module &module : file.modules)
        if (module.header.empty()) {
          modules.push_back(module);
        } else {
          tests.collect(file, module, Compared::Ids);
          sections[file.name + ".isa"].push_back(module);
        }
  };
  auto collectSamples = [&](const std::vector<SampleFile> &files) {
    for (const SampleFile &samples : files)
      for (const Module &module : samples.file.modules) {
        tests.collect(samples.file, module, Compared::Verdict, samples.marks);
        if (samples.file.name == "in_body_directive")
          modules.push_back(module);
      }
  };
  collectSnippets(findTests({}));
  collectSamples(findSamples({}));
  for (const auto &found : std::filesystem::recursive_directory_iterator(PTXRAY_TEST_DIR "/flow"))
    if (found.path().extension() == ".ptx") {
      const TestFile file = readFlowFile(found.path().string());
      for (const Module &module : file.modules)
        tests.collect(file, module, Compared::Facts);
    }
  firstExtra = tests.lines.size();
  for (std::string &path : extra)
    if (char *given = path.data(); llvm::StringRef(path).ends_with(".ptx"))
      collectSnippets(findTests(given));
    else
      collectSamples(findSamples(given));
}

void MutationTest::prepare() {
  // All words stay known, so that ids mean the same in all tables.
  const std::unique_ptr<MadeTables> all = data.make();
  all->use();
  for (const isa::Word &word : isa::tables().words.drop_front())
    data.model.vocabulary.known.insert(std::string(word.text()));
  collect();
  mutants = findMutants(data.model);
  groups = data.split();
  for (Group &group : groups) {
    sound.push_back(data.make(group));
    MadeTables *tables = sound.back().get();
    if (!tables) {
      std::cerr << "the data of " << *group.bases.begin() << " is refused, undamaged as it is\n";
      std::exit(1);
    }
    tables->use();
    for (size_t i = 0; i < tests.lines.size(); ++i)
      if (Line &line = tests.lines[i]; group.bases.count(baseOf(line.opcode).str())) {
        line.outcome = outcomeOf(tables->availability(tests.contexts[line.context]), line, line.compared);
        // A line whose verdict differs from that of ptxas says nothing about the data.
        if (line.compared != Compared::Verdict || line.outcome.empty() == (line.mark == '+'))
          group.lines.push_back(i);
      }
  }
  noInstruction = data.make();
  noInstruction->use();
  outcomeOfModules = findingsIn(modules); // before any instruction is known
}

/// Returns all groups if the data is in no file of entries.
std::vector<size_t> MutationTest::groupsOf(const Mutant &mutant) const {
  std::vector<size_t> found;
  for (size_t i = 0; i < groups.size(); ++i)
    if (mutant.entry ? llvm::any_of(groups[i].entries, [&](auto &e) { return e.scope.get() == mutant.entry; })
                     : groups[i].files.count(mutant.place.file))
      found.push_back(i);
  if (found.empty())
    for (size_t i = 0; i < groups.size(); ++i)
      found.push_back(i);
  return found;
}

/// Returns whether a line of the group notices the mutant. `tables` are those of the group, made from the mutated data.
bool MutationTest::isNoticedBy(const Mutant &mutant, size_t group, MadeTables &tables) {
  tables.use();
  bool noticed = false;
  const bool ofRegister = llvm::StringRef(mutant.text).starts_with("%");
  // Lines that use the mutated words come first.
  const std::vector<std::string> words = dottedWords(mutant.text);
  std::vector<std::pair<int, size_t>> order;
  for (size_t i : groups[group].lines) {
    // Gates and sets may belong to facts alone.
    const bool isOfFacts = tests.lines[i].compared == Compared::Facts;
    if (mutant.ofFacts && !isOfFacts)
      continue;
    if (ofRegister && llvm::none_of(tests.lines[i].shapes, [](const Shape &s) { return s.kind == ShapeKind::Special; }))
      continue;
    if (i >= firstExtra) {
      if (!notices(i, tables))
        continue;
      std::cout << "  " << tests.lines[i].place << '\t' << placedNameOf(mutant) << std::endl;
      noticed = true;
    }
    int common = 0;
    for (const std::string &word : words)
      common += llvm::StringRef(tests.lines[i].text).contains(word);
    order.push_back({-common, i});
  }
  if (noticed)
    return true;
  llvm::stable_sort(order, [](auto &a, auto &b) { return a.first < b.first; });
  return llvm::any_of(order, [&](auto &line) { return notices(line.second, tables); });
}

/// Returns whether whole modules notice the mutation although no line alone does: limits of bodies, and checks of what
/// registers hold. The tables of all instructions are slow to make, so this comes last.
bool MutationTest::isNoticedInModules(const Mutant &mutant) {
  const auto ofFile = sections.find(data.model.names[mutant.place.file]);
  if (!mutant.ofModules && (mutant.kind != "check" || ofFile == sections.end()))
    return false;
  const llvm::ArrayRef<Module> judged = mutant.ofModules ? modules : ofFile->second;
  if (!whole)
    whole = data.make(groups);
  whole->use();
  const std::string before = findingsIn(judged);
  const auto repair = mutant.apply();
  const std::unique_ptr<MadeTables> tables = data.make(groups);
  if (tables)
    tables->use();
  const bool noticed = !tables || findingsIn(judged) != before;
  repair();
  return noticed;
}

bool MutationTest::isNoticed(const Mutant &mutant) {
  const auto repair = mutant.apply();
  const std::vector<size_t> concerned = groupsOf(mutant);
  bool noticed = false;
  if (concerned.size() == groups.size()) {
    const std::unique_ptr<MadeTables> tables = data.make();
    noticed = !tables;
    if (tables) {
      tables->use();
      noticed = findingsIn(modules) != outcomeOfModules;
    }
  }
  for (size_t i = 0; i < concerned.size() && !noticed && !mutant.ofModules; ++i) {
    const std::unique_ptr<MadeTables> tables = data.make(groups[concerned[i]]);
    noticed = !tables || isNoticedBy(mutant, concerned[i], *tables); // noticed by a test or by the generator
  }
  repair();
  return noticed;
}

void MutationTest::search(const Mutant &mutant) {
  const auto repair = mutant.apply();
  bool found = false;
  const bool ofRegister = llvm::StringRef(mutant.text).starts_with("%");
  for (size_t group : groupsOf(mutant)) {
    if (ofRegister && !groups[group].bases.count("mov"))
      continue;
    const std::unique_ptr<MadeTables> damaged = data.make(groups[group]);
    for (const Candidate &c : finder.run(mutant, groups[group], *sound[group], *damaged, searched)) {
      std::cout << "  " << c.by << '\t' << c.header << '\t' << c.text << '\t' << placedNameOf(mutant) << std::endl;
      found = true;
    }
    if (found)
      break;
  }
  repair();
}

bool MutationTest::run() {
  std::map<std::string, bool> known; // from a name to whether it was met
  std::ifstream stream(PTXRAY_TEST_DIR "/mutation/survivors.txt");
  for (std::string line; std::getline(stream, line);)
    if (!line.empty() && line[0] != '#' && line[0] != ' ')
      known[line] = false;
  unsigned tried = 0, survived = 0, unexpected = 0;
  for (const Mutant &mutant : mutants) {
    const std::string name = nameOf(mutant);
    if ((!only.empty() && name.find(only) == std::string::npos) || (!names.empty() && !names.count(name)) ||
        std::hash<std::string>()(name) % every != 0)
      continue;
    ++tried;
    if (isNoticed(mutant) || isNoticedInModules(mutant))
      continue;
    ++survived;
    if (searched)
      search(mutant);
    if (const auto listed = known.find(name); listed != known.end()) {
      listed->second = true;
      if (names.empty())
        continue;
    }
    ++unexpected;
    std::cout << placedNameOf(mutant) << std::endl;
  }
  std::cout << tried << " damages of " << mutants.size() << ", " << survived << " that no line notices, "
            << survived - unexpected << " of them known\n";
  bool stale = false;
  if (every == 1 && only.empty() && names.empty())
    for (auto &[name, met] : known)
      if (!met) {
        std::cout << "listed in survivors.txt, but noticed or gone: " << name << "\n";
        stale = true;
      }
  return unexpected == 0 && !stale;
}

int main(int argc, char **argv) {
  Data data(PTXRAY_ISA_DIR, PTXRAY_DIAGNOSTICS);
  MutationTest test(data);
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string option = argv[i];
    if (option == "--every")
      test.every = std::stoi(argv[i + 1]);
    else if (option == "--extra")
      test.extra.push_back(argv[i + 1]);
    else if (option == "--search")
      test.searched = std::stoi(argv[i + 1]);
    else if (option == "--names") {
      std::ifstream stream(argv[i + 1]);
      for (std::string line; std::getline(stream, line);)
        if (!line.empty() && line[0] != ' ' && line[0] != '#')
          test.names.insert(line.substr(0, line.find("  (line ")));
    } else if (option == "--only")
      test.only = argv[i + 1];
  }
  test.prepare();
  return test.run() ? 0 : 1;
}
