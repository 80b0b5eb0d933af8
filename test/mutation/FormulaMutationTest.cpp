// Mutates the formulas of grammar/isa at one place after another. Each time, some instruction of test/semantics must
// compute something else than a GPU left or the manual says, or the generator must reject the data.
//
//   formula-mutation-tests                all mutations
//   formula-mutation-tests --every N      one mutation of N, chosen by its text
//   ... --every N --rest K                another one; K from 0 to N - 1 gives all of them
//   formula-mutation-tests --only TEXT    the mutations with TEXT in their name
//   formula-mutation-tests --pool FILE    if no line notices a mutation, prints a line of FILE that does, with its
//   lanes
#include "../unit/LineCases.h"
#include "Data.h"
#include "FormulaMutants.h"
#include "Lines.h"
#include <deque>
#include <fstream>
#include <iostream>
#include <regex>
#include <set>

using namespace ptxray;
using namespace ptxray::test;

namespace {

/// The share of mutations that no line needs to notice, beside those of formula-survivors.txt.
constexpr double mostUnnoticed = 0.02;

std::set<std::string> readSurvivors() {
  std::ifstream stream(PTXRAY_TEST_DIR "/mutation/formula-survivors.txt");
  std::set<std::string> names;
  for (std::string line; std::getline(stream, line);)
    if (!line.empty() && line[0] != '#')
      names.insert(line);
  return names;
}

struct Vector {
  LineCase one;
  std::unique_ptr<OneLine> line;
  Lanes before;
  bool isRight = false; // with the unchanged data
};

/// Returns the lanes in which the line computes a wrong result, at most `most` of them.
std::vector<unsigned> wrongLanes(const Vector &vector, unsigned most) {
  Lanes lanes = vector.before;
  const EvaluationOutcome outcome = vector.line->compute(vector.line->recipe(), lanes);
  std::vector<unsigned> wrong;
  for (unsigned i = 0; i < vector.one.lanes.size() && wrong.size() < most; ++i)
    if (!outcome.refusal.empty() ||
        vector.line->after(vector.one.lanes[i], outcome, lanes) != vector.one.lanes[i].after)
      wrong.push_back(i);
  return wrong;
}

class FormulaMutationTest {
public:
  explicit FormulaMutationTest(const std::string &pool) : data(PTXRAY_ISA_DIR, PTXRAY_DIAGNOSTICS), poolPath(pool) {}
  void prepare();
  bool run(unsigned every, unsigned rest, const std::string &only);

private:
  void read(const std::string &path);
  bool isNoticed(const FormulaMutant &mutant);
  bool searchPool(const FormulaMutant &mutant);
  void keep(size_t group, size_t vector, const std::vector<unsigned> &wrong);
  std::vector<size_t> groupsOf(const FormulaMutant &mutant) const;
  static bool concerns(const Group &group, const Vector &vector) {
    const Opcode opcode(llvm::StringRef(vector.one.text).split(' ').first);
    return group.bases.count(baseOf(opcode.words[0].text).str());
  }

  Data data;
  std::string poolPath;
  std::vector<Group> groups;
  std::vector<FormulaMutant> mutants;
  std::deque<Vector> vectors; // the vectors of the pool come last
  size_t firstOfPool = 0;
  std::unique_ptr<MadeTables> whole;
};

} // namespace

void FormulaMutationTest::read(const std::string &path) {
  for (const LineCase &one : readCases(path)) {
    Vector &vector = vectors.emplace_back();
    vector.one = one;
    vector.line = std::make_unique<OneLine>(vector.one);
    vector.before = vector.line->before();
    vector.isRight = vector.line->isRead() && wrongLanes(vector, 1).empty();
  }
}

void FormulaMutationTest::prepare() {
  // All words stay known, so that ids mean the same in all tables.
  whole = data.make();
  whole->use();
  for (const isa::Word &word : isa::tables().words.drop_front())
    data.model.vocabulary.known.insert(std::string(word.text()));
  whole = data.make();
  whole->use();
  for (const char *file : {"lines.txt", "memory.txt", "manual.txt"})
    read(std::string(PTXRAY_TEST_DIR "/semantics/") + file);
  firstOfPool = vectors.size();
  if (!poolPath.empty())
    read(poolPath);
  mutants = findFormulaMutants(data.model);
  groups = data.split();
  for (Group &group : groups)
    for (size_t i = 0; i < firstOfPool; ++i)
      if (vectors[i].isRight && concerns(group, vectors[i]))
        group.lines.push_back(i);
}

/// Returns all groups if the formula is in no file of entries.
std::vector<size_t> FormulaMutationTest::groupsOf(const FormulaMutant &mutant) const {
  std::vector<size_t> found, all;
  for (size_t i = 0; i < groups.size(); ++i) {
    all.push_back(i);
    if (mutant.entry ? llvm::any_of(groups[i].entries, [&](auto &e) { return e.scope.get() == mutant.entry; })
                     : groups[i].files.count(mutant.place.file))
      found.push_back(i);
  }
  return found.empty() ? all : found;
}

bool FormulaMutationTest::isNoticed(const FormulaMutant &mutant) {
  mutant.exchange();
  bool noticed = false;
  for (const size_t group : groupsOf(mutant)) {
    if (noticed)
      break;
    const std::unique_ptr<MadeTables> tables = data.make(groups[group]);
    noticed = !tables;
    if (!tables)
      break;
    tables->use();
    noticed = llvm::any_of(groups[group].lines, [&](size_t i) { return !wrongLanes(vectors[i], 1).empty(); });
  }
  mutant.exchange();
  return noticed;
}

/// Adds the line to the lines of the group, with only the lanes that matter.
void FormulaMutationTest::keep(size_t group, size_t number, const std::vector<unsigned> &wrong) {
  Vector &vector = vectors[number];
  static const std::regex crossing("shfl|vote|match|redux|elect|mma|matrix");
  if (!std::regex_search(vector.one.text, crossing)) {
    std::vector<LaneCase> lanes;
    for (const unsigned lane : wrong)
      lanes.push_back(vector.one.lanes[lane]);
    vector.one.lanes = lanes;
    vector.before = vector.line->before();
  }
  groups[group].lines.push_back(number);
  std::cout << vector.one.text << '\n';
  for (const Register &one : vector.one.registers)
    std::cout << (&one == vector.one.registers.data() ? "" : " ") << one.name << ':' << one.bits;
  for (const LaneCase &lane : vector.one.lanes) {
    std::cout << '\n' << std::dec << lane.lane << std::hex;
    for (const uint64_t value : lane.before)
      std::cout << ' ' << value;
    std::cout << " ->";
    for (const uint64_t value : lane.after)
      std::cout << ' ' << value;
  }
  std::cout << std::dec << std::endl;
}

/// If a mutation changes the meaning of a word such as `.dec`, returns the word: only lines that have it depend on the
/// meaning. Otherwise returns an empty string.
std::string wordOf(const FormulaMutant &mutant) {
  static const std::regex definition("(?:let|storing|reading) (\\.\\w+)[:(].*");
  std::smatch found;
  return std::regex_match(mutant.text, found, definition) ? found[1].str() : "";
}

/// Returns whether a line of the pool notices the mutation, which is then printed.
bool FormulaMutationTest::searchPool(const FormulaMutant &mutant) {
  const std::string word = wordOf(mutant);
  mutant.exchange();
  bool isFound = false;
  for (const size_t group : groupsOf(mutant)) {
    if (isFound)
      break;
    const std::unique_ptr<MadeTables> tables = data.make(groups[group]);
    tables->use();
    for (size_t i = firstOfPool; i < vectors.size() && !isFound; ++i) {
      if (vectors[i].one.text.find(word) == std::string::npos || !vectors[i].isRight ||
          !concerns(groups[group], vectors[i]))
        continue;
      const std::vector<unsigned> wrong = wrongLanes(vectors[i], 3);
      isFound = !wrong.empty();
      if (isFound)
        keep(group, i, wrong);
    }
  }
  mutant.exchange();
  return isFound;
}

bool FormulaMutationTest::run(unsigned every, unsigned rest, const std::string &only) {
  const std::set<std::string> survivors = readSurvivors();
  unsigned tried = 0, unnoticed = 0, changeNothing = 0;
  for (const FormulaMutant &mutant : mutants) {
    const std::string name = data.model.names[mutant.place.file] + ": " + mutant.text;
    if (name.find(only) == std::string::npos || std::hash<std::string>()(name) % every != rest)
      continue;
    ++tried;
    if (isNoticed(mutant) || (!poolPath.empty() && searchPool(mutant)))
      continue;
    if (survivors.count(name)) {
      ++changeNothing;
      continue;
    }
    ++unnoticed;
    std::cout << "// " << name << std::endl;
  }
  std::cout << "// " << tried << " damages of " << mutants.size() << ", " << changeNothing
            << " that no line could notice, " << unnoticed << " that none does\n";
  // Among few mutations one may go unnoticed, even if that is more than the share.
  return !survivors.empty() && unnoticed <= std::max(1.0, mostUnnoticed * tried);
}

int main(int argc, char **argv) {
  std::map<std::string, std::string> options;
  for (int i = 1; i + 1 < argc; i += 2)
    options[argv[i]] = argv[i + 1];
  FormulaMutationTest test(options["--pool"]);
  test.prepare();
  const auto number = [&](const char *option, unsigned otherwise) {
    return options.count(option) ? static_cast<unsigned>(std::stoul(options[option])) : otherwise;
  };
  return test.run(number("--every", 1), number("--rest", 0), options["--only"]) ? 0 : 1;
}
