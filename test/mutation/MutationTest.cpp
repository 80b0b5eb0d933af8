// Damages the data of grammar/isa at one place after the other; each time some line of test/isa or
// test/samples must be judged otherwise. Data that no line needs is wrong or superfluous.
//
//   mutation-tests                   all of it
//   mutation-tests --every N         one damage of N, picked by its text
//   mutation-tests --only TEXT       those with TEXT in their name
//   mutation-tests --names FILE      those that FILE names, and which line notices each
//   mutation-tests --extra FILE      with the lines of this file, which looks like those of test/samples
#include "Check/Header.h"
#include "Check/Judge.h"
#include "Check/Rules.h"
#include "Mutants.h"
#include "Parse/Parse.h"
#include "Resolve.h"
#include "Resolve/Resolver.h"
#include "Samples.h"
#include "Source/SourceBuffer.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>

namespace ptxray {

static isa::Tables current;
const isa::Tables &isa::tables() { return current; }

namespace {

using namespace test;
namespace fs = std::filesystem;

/// One instruction of the tests.
struct Line {
  std::string text, place;
  std::string opcode;
  std::vector<Shape> shapes;
  uint32_t context; // into contexts
  bool verdictOnly; // of a sample: which diagnostic it gives is not known
  char mark;        // of a sample: `+` or `-`
  std::string outcome;
};

std::vector<ModuleContext> contexts;
std::vector<Line> lines;

uint32_t contextId(const ModuleContext &context) {
  for (size_t i = 0; i < contexts.size(); ++i)
    if (contexts[i].ptx == context.ptx && contexts[i].target == context.target &&
        contexts[i].pedantic == context.pedantic)
      return i;
  contexts.push_back(context);
  return contexts.size() - 1;
}

/// Reads the instructions of a module as `check` does.
class Collector {
public:
  Collector(const TestFile &file, const Module &module, bool verdictOnly, llvm::ArrayRef<char> marks = {})
      : file(file), module(module), verdictOnly(verdictOnly), marks(marks),
        source(SourceBuffer::fromText(file.path, module.text)) {}

  void run() {
    options.pedantic = module.pedantic;
    Parser parser;
    const Ast &ast = parser.ast();
    Header header(*source, options, sink);
    Resolver resolver(ast, sink);
    parser.parse(*source, sink, false, [&](const Ast &, Statement statement) {
      if (statement.kind == StatementKind::Directive) {
        header.read(ast, ast.directives[statement.index]);
      } else if (statement.kind == StatementKind::Declaration) {
        resolver.declare(ast.declarations[statement.index], false, true);
      } else if (statement.kind == StatementKind::Function) {
        const Function &function = ast.functions[statement.index];
        resolver.declareFunction(statement.index);
        if (!function.hasBody)
          return;
        resolver.beginFunction(function);
        for (uint32_t i = function.body.first; i < function.body.end(); ++i)
          inBody(ast, ast.statements[i], resolver, header);
        resolver.endFunction();
      }
    });
  }

private:
  void inBody(const Ast &ast, Statement statement, Resolver &resolver, const Header &header) {
    if (statement.kind == StatementKind::Declaration)
      resolver.declare(ast.declarations[statement.index]);
    else if (statement.kind == StatementKind::BlockBegin)
      resolver.beginBlock();
    else if (statement.kind == StatementKind::BlockEnd)
      resolver.endBlock();
    if (statement.kind != StatementKind::Instruction)
      return;
    const Instruction &instruction = ast.instructions[statement.index];
    const size_t errorsBefore = sink.diagnostics().size();
    llvm::SmallVector<Shape, 32> shapes;
    resolver.shapes(instruction.operands, shapes);
    const unsigned number = source->lineColumn(instruction.range.begin).line;
    const unsigned origin = number <= module.origins.size() ? module.origins[number - 1] : 0;
    // An undefined name makes it an error whatever the tables say.
    if (origin == 0 || (verdictOnly && sink.diagnostics().size() != errorsBefore))
      return;
    Line line;
    line.text = file.lines[origin - 1];
    line.place = file.path + ":" + std::to_string(origin);
    line.opcode = ast.text(instruction.opcode).str();
    line.shapes.assign(shapes.begin(), shapes.end());
    line.context = contextId(header.context());
    line.verdictOnly = verdictOnly;
    line.mark = marks.empty() ? ' ' : marks[origin - 1];
    lines.push_back(std::move(line));
  }

  const TestFile &file;
  const Module &module;
  const bool verdictOnly;
  const llvm::ArrayRef<char> marks; // of samples, by line
  std::unique_ptr<SourceBuffer> source;
  CheckOptions options;
  DiagnosticSink sink;
};

llvm::StringRef baseOf(llvm::StringRef opcode) { return opcode.split('.').first; }

/// The verdict, or the ids of what is found.
std::string outcomeOf(const Availability &availability, const Line &line) {
  std::string ids;
  for (const Finding &f : findingsOf(availability, Opcode(line.opcode), line.shapes)) {
    if (line.verdictOnly && f.severity == Severity::Error)
      return "refused";
    if (!line.verdictOnly && (f.severity != Severity::Pedantic || availability.module().pedantic))
      ids += info(f.id).id.str() + " ";
  }
  return ids;
}

/// The tables of a group of entries that share the first words of their names.
struct Group {
  std::vector<isagen::Entry> entries;
  std::set<uint16_t> files;
  std::set<std::string> bases;
  std::vector<size_t> lines;
};

class Data {
public:
  Data(const std::string &folder, const std::string &diagnostics);
  bool load(const Group *group); // null: everything; false: the data is refused
  isagen::Model model;
  std::vector<Group> groups; // take the model's entries

private:
  isagen::RuleIds ruleIds;
  std::unique_ptr<isagen::Output> output;
};

Data::Data(const std::string &folder, const std::string &diagnostics) {
  std::ifstream stream(diagnostics);
  for (std::string line; std::getline(stream, line);) {
    const llvm::StringRef id = llvm::StringRef(line).split('"').second.split('"').first;
    if (llvm::StringRef(line).starts_with("DIAG(") && !id.empty())
      ruleIds.insert(id.str());
  }
  std::vector<fs::path> files;
  for (const auto &found : fs::recursive_directory_iterator(folder))
    if (found.path().extension() == ".isa")
      files.push_back(found.path());
  llvm::sort(files);
  isagen::Errors errors(model);
  for (const fs::path &file : files)
    isagen::read(model, file.string(), file.lexically_relative(folder).generic_string(), errors);
  errors.print("error");
}

bool Data::load(const Group *group) {
  if (group)
    model.entries.swap(const_cast<Group *>(group)->entries);
  auto made = std::make_unique<isagen::Output>();
  isagen::Usage usage;
  isagen::Errors errors(model);
  isagen::resolve(model, ruleIds, *made, usage, errors);
  if (group)
    model.entries.swap(const_cast<Group *>(group)->entries);
  if (!errors.empty())
    return false;
  for (uint32_t &check : made->formChecks) {
    const isa::Text name = made->checkNames[check];
    check = llvm::find_if(namedRules, [&](const NamedRule &rule) { return rule.name == name; }) -
            namedRules.begin();
  }
  output = std::move(made);
  const isagen::Output &o = *output;
  current = {o.words,      o.wordKinds,      o.wordLists,     o.exprs,      o.exprArgs,
             o.gates,      o.warnings,       o.targetSets,    o.ranges,     o.terms,
             o.spaceRefs,  o.operands,       o.patterns,      o.slotValues, o.slots,
             o.columnMembers, o.columns,     o.cells,         o.rowLines,   o.tables,
             o.rules,      o.formTables,     o.formRules,     o.formChecks, o.checkNames, o.effects,
             o.forms,      o.entries,        o.entryMnemonics, o.mnemonicForms, o.mnemonics,
             o.targets,    o.versions,       o.registers};
  return true;
}

class MutationTest {
public:
  MutationTest(Data &data) : data(data) {}
  void prepare();
  bool run();

  unsigned every = 1;
  std::string only;
  std::set<std::string> names;
  std::vector<std::string> extra;

private:
  const Availability &availability(uint32_t context);
  void loaded() { available.clear(); }
  std::vector<Group *> groupsOf(const Mutant &mutant);
  bool isNoticed(const Mutant &mutant, const Line *&by);
  std::string modulesOutcome();
  std::string nameOf(const Mutant &mutant) const {
    return data.model.names[mutant.place.file] + ": " + mutant.kind + " " + mutant.text;
  }

  Data &data;
  std::vector<std::unique_ptr<Availability>> available; // by context, for the tables that are loaded
  std::vector<Mutant> mutants;
  Group none; // no instruction: for what is said of directives
  std::vector<Module> modules;
  std::string outcomeOfModules;
};

const Availability &MutationTest::availability(uint32_t context) {
  if (available.size() <= context)
    available.resize(contexts.size());
  if (!available[context])
    available[context] = std::make_unique<Availability>(contexts[context]);
  return *available[context];
}

void MutationTest::prepare() {
  // All words stay known, so that ids mean the same in all tables.
  data.load(nullptr);
  for (const isa::Word &word : isa::tables().words.drop_front())
    data.model.vocabulary.known.insert(std::string(word.text));
  for (const TestFile &file : findTests({}))
    for (const Module &module : file.modules)
      if (module.header.empty())
        modules.push_back(module);
      else
        Collector(file, module, false).run();
  std::vector<SampleFile> allSamples = findSamples({});
  std::vector<char *> paths;
  for (std::string &path : extra)
    paths.push_back(path.data());
  if (!paths.empty())
    for (SampleFile &samples : findSamples(paths))
      allSamples.push_back(std::move(samples));
  for (const SampleFile &samples : allSamples)
    for (const Module &module : samples.file.modules) {
      Collector(samples.file, module, true, samples.marks).run();
      if (samples.file.name == "in_body_directive")
        modules.push_back(module);
    }

  // Entries of one file and entries whose names begin alike belong together.
  mutants = findMutants(data.model);
  std::vector<isagen::Entry> entries;
  entries.swap(data.model.entries);
  for (isagen::Entry &entry : entries) {
    Group joined;
    joined.files.insert(entry.place.file);
    for (const std::string &mnemonic : entry.mnemonics)
      joined.bases.insert(baseOf(mnemonic).str());
    std::vector<Group> others;
    std::vector<isagen::Entry> before;
    for (Group &group : data.groups) {
      const bool meets = group.files.count(entry.place.file) ||
                         llvm::any_of(joined.bases, [&](auto &base) { return group.bases.count(base); });
      if (!meets) {
        others.push_back(std::move(group));
        continue;
      }
      std::move(group.entries.begin(), group.entries.end(), std::back_inserter(before));
      joined.files.insert(group.files.begin(), group.files.end());
      joined.bases.insert(group.bases.begin(), group.bases.end());
    }
    std::move(before.begin(), before.end(), std::back_inserter(joined.entries));
    joined.entries.push_back(std::move(entry));
    data.groups = std::move(others);
    data.groups.push_back(std::move(joined));
  }
  for (Group &group : data.groups) {
    if (!data.load(&group))
      std::cerr << "the data of " << *group.bases.begin() << " is refused\n";
    loaded();
    for (size_t i = 0; i < lines.size(); ++i)
      if (group.bases.count(baseOf(lines[i].opcode).str())) {
        lines[i].outcome = outcomeOf(availability(lines[i].context), lines[i]);
        // A line that is judged otherwise than by ptxas says nothing about the data.
        if (!lines[i].verdictOnly || lines[i].outcome.empty() == (lines[i].mark == '+'))
          group.lines.push_back(i);
      }
  }
  data.load(&none);
  outcomeOfModules = modulesOutcome();
}

/// What is found in whole modules while no instruction is known.
std::string MutationTest::modulesOutcome() {
  std::string outcome;
  for (const Module &module : modules) {
    const auto source = SourceBuffer::fromText("", module.text);
    DiagnosticSink sink;
    checkSource(*source, {}, sink);
    for (const Diagnostic &d : sink.diagnostics())
      outcome += info(d.id).id.str() + " " + std::to_string(d.range.begin) + "\n";
  }
  return outcome;
}

std::vector<Group *> MutationTest::groupsOf(const Mutant &mutant) {
  std::vector<Group *> found, all;
  for (Group &group : data.groups) {
    all.push_back(&group);
    if (mutant.entry ? llvm::any_of(group.entries, [&](auto &e) { return e.scope.get() == mutant.entry; })
                     : group.files.count(mutant.place.file))
      found.push_back(&group);
  }
  return found.empty() ? all : found;
}

/// The words that begin with a dot.
static std::vector<std::string> dottedWords(llvm::StringRef text) {
  std::vector<std::string> words;
  for (size_t dot = text.find('.'); dot != llvm::StringRef::npos; dot = text.find('.', dot + 1)) {
    llvm::StringRef word =
        text.substr(dot).take_while([](char c) { return llvm::isAlnum(c) || llvm::StringRef("._:").contains(c); });
    words.push_back(word.str());
  }
  return words;
}

/// `by` is the first line that is judged otherwise, if a line is.
bool MutationTest::isNoticed(const Mutant &mutant, const Line *&by) {
  const std::vector<std::string> words = dottedWords(mutant.text);
  const auto repair = mutant.apply();
  bool noticed = false;
  if (std::vector<Group *> groups = groupsOf(mutant); groups.size() == data.groups.size()) {
    data.load(&none);
    noticed = modulesOutcome() != outcomeOfModules;
  }
  for (Group *group : noticed ? std::vector<Group *>() : groupsOf(mutant)) {
    if (!data.load(group)) {
      noticed = true; // the generator does
      break;
    }
    loaded();
    // Lines that have to do with it first.
    std::vector<std::pair<int, size_t>> order;
    for (size_t i : group->lines) {
      int common = 0;
      for (const std::string &word : words)
        common += llvm::StringRef(lines[i].text).contains(word);
      order.push_back({-common, i});
    }
    llvm::stable_sort(order, [](auto &a, auto &b) { return a.first < b.first; });
    for (auto [common, i] : order)
      if (outcomeOf(availability(lines[i].context), lines[i]) != lines[i].outcome) {
        noticed = true;
        by = &lines[i];
        break;
      }
    if (noticed)
      break;
  }
  repair();
  return noticed;
}

bool MutationTest::run() {
  std::map<std::string, bool> known; // name to: met
  std::ifstream stream(PTXRAY_TEST_DIR "/mutation/survivors.txt");
  for (std::string line; std::getline(stream, line);)
    if (!line.empty() && line[0] != '#' && line[0] != ' ')
      known[line] = false;
  unsigned tried = 0, survived = 0, unexpected = 0;
  for (const Mutant &mutant : mutants) {
    const std::string name = nameOf(mutant);
    if ((!only.empty() && name.find(only) == std::string::npos) ||
        (!names.empty() && !names.count(name)) || std::hash<std::string>()(name) % every != 0)
      continue;
    ++tried;
    const bool listed = known.count(name);
    const Line *by = nullptr;
    if (isNoticed(mutant, by)) {
      if (!names.empty() && by)
        std::cout << "  " << by->place << '\t' << name << std::endl;
      continue;
    }
    ++survived;
    if (listed) {
      known[name] = true;
      continue;
    }
    ++unexpected;
    std::cout << name << "  (line " << mutant.place.line << ")" << std::endl;
  }
  std::cout << tried << " damages of " << mutants.size() << ", " << survived << " that no line notices, "
            << survived - unexpected << " of them known\n";
  if (every == 1 && only.empty() && names.empty())
    for (auto &[name, met] : known)
      if (!met)
        std::cout << "listed in survivors.txt, but noticed or gone: " << name << "\n";
  return unexpected == 0;
}

} // namespace
} // namespace ptxray

int main(int argc, char **argv) {
  ptxray::Data data(PTXRAY_ISA_DIR, PTXRAY_DIAGNOSTICS);
  ptxray::MutationTest test(data);
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string option = argv[i];
    if (option == "--every")
      test.every = std::stoi(argv[i + 1]);
    else if (option == "--extra")
      test.extra.push_back(argv[i + 1]);
    else if (option == "--names") {
      std::ifstream stream(argv[i + 1]);
      for (std::string line; std::getline(stream, line);)
        test.names.insert(line.substr(0, line.find("  (line ")));
    }
    else if (option == "--only")
      test.only = argv[i + 1];
  }
  test.prepare();
  return test.run() ? 0 : 1;
}
