#include "Binaries.h"
#include "Check/Checker.h"
#include "Files.h"
#include "LaunchServer.h"
#include "LaunchTest.h"
#include "Ptxas/Ptxas.h"
#include "Reduce/Reduction.h"
#include "Sizes.h"
#include "Source/Threads.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Program.h"
#include <chrono>
#include <csignal>
#include <set>

namespace ptxray {

using llvm::StringRef;
using Clock = std::chrono::steady_clock;

namespace {

/// The conditions for an interesting text, all of which must hold.
struct InterestTest {
  std::vector<std::string> command; // empty if there is none; like the words of the launch, it can refer to sizes
  std::optional<Ptxas> ptxas;
  std::vector<std::string> ptxasOptions;
  bool wantsCrash = false;
  std::string wantedMessage; // a message of ptxas, or empty for any
  std::optional<LaunchTest> launch;
  unsigned seconds = 0; // time limit for one run
};

/// A folder for the files that commands read. It is removed at the end.
class TestFolder {
public:
  TestFolder(StringRef path, unsigned jobs) : name(llvm::sys::path::filename(path)) {
    isMade = !llvm::sys::fs::createUniqueDirectory("ptxray-reduce", folder);
    for (unsigned job = 0; job < jobs; ++job)
      isMade = isMade && !llvm::sys::fs::create_directory(llvm::sys::path::parent_path(file(job)));
  }
  ~TestFolder() { static_cast<void>(llvm::sys::fs::remove_directories(folder)); }
  TestFolder(const TestFolder &) = delete;
  TestFolder &operator=(const TestFolder &) = delete;

  std::string file(unsigned job) const {
    llvm::SmallString<256> path(folder);
    llvm::sys::path::append(path, std::to_string(job), name);
    return path.str().str();
  }
  std::string socket() const {
    llvm::SmallString<256> path(folder);
    llvm::sys::path::append(path, "launcher");
    return path.str().str();
  }
  bool isMade = false;

private:
  const std::string name;
  llvm::SmallString<256> folder;
};

/// A candidate: a text, its sizes, and the words of its launch, if it is launched.
struct Trial {
  std::string text;
  Sizes sizes;
  std::vector<std::string> launch;
};

/// A reduction, as the command line defines it.
struct ReduceTask {
  std::unique_ptr<SourceBuffer> source;
  std::string path, output; // an empty output means standard output
  ReductionOptions options;
  InterestTest test;
  Sizes sizes;
  unsigned jobs = 1, seconds = 0; // zero seconds mean no limit
  bool isQuiet = false;
};

} // namespace

static bool commandSucceeds(const InterestTest &test, const Trial &trial, const std::string &file) {
  if (!writeFile(file, trial.text).empty())
    return false;
  std::vector<std::string> words = filled(llvm::ArrayRef(test.command).drop_front(), trial.sizes);
  bool isNamed = false;
  for (std::string &word : words)
    for (size_t at = 0; (at = word.find("{}", at)) != std::string::npos; at += file.size()) {
      word.replace(at, 2, file);
      isNamed = true;
    }
  if (!isNamed)
    words.push_back(file);
  const ProgramResult result = runProgram(test.command.front(), words, test.seconds);
  return result.end == ProgramEnd::Exited && result.detail == 0;
}

static bool ptxasDoesIt(const InterestTest &test, StringRef text) {
  MemoryFile input;
  if (!input.hold(text).empty())
    return false;
  const ProgramResult run = assemble(*test.ptxas, input, test.ptxasOptions, test.seconds).run;
  constexpr int firstOfSignals = 128; // ptxas may be a script, which ends with such a status after a signal
  const bool hasCrashed =
      run.end == ProgramEnd::Killed || (run.end == ProgramEnd::Exited && run.detail > firstOfSignals);
  if (test.wantsCrash && !hasCrashed)
    return false;
  return test.wantedMessage.empty() || StringRef(run.printed).contains(test.wantedMessage);
}

static bool launchDoesIt(const InterestTest &test, const Trial &trial, const std::string &file) {
  LaunchTest launch = *test.launch;
  launch.words = filled(trial.launch, trial.sizes);
  return isInteresting(launch, trial.text, file);
}

static bool isInteresting(const InterestTest &test, const Trial &trial, const std::string &file) {
  return (!test.ptxas || ptxasDoesIt(test, trial.text)) &&
         (test.command.empty() || commandSucceeds(test, trial, file)) &&
         (!test.launch || launchDoesIt(test, trial, file));
}

namespace {

/// Reduces the text and the sizes in turn, as long as one of them becomes smaller.
class Reducing {
public:
  explicit Reducing(const ReduceTask &task)
      : task(task), showsProgress(!task.isQuiet && llvm::sys::Process::StandardErrIsDisplayed()),
        folder(task.path, task.jobs), best{task.source->text().str(), task.sizes, {}} {
    if (task.test.launch)
      best.launch = task.test.launch->words;
    if (task.test.launch && task.test.launch->finding.empty())
      server.emplace(folder.socket(), task.jobs);
  }
  /// Runs until nothing is left to try, the time is over, or a signal arrives. Returns an exit status.
  int run();

private:
  std::optional<size_t> firstInteresting(const std::vector<Trial> &trials);
  bool reduceText(Reduction &reduction);
  bool reduceSizes();
  bool reduceSize(size_t number);
  bool reduceArguments();
  std::string beginning() const;
  void write();
  /// Writes the best result so far, if it can replace the one that was written before.
  void writeSoFar() {
    if (!task.output.empty() && canReplace(task.output))
      write();
  }
  void show(StringRef pass) const;
  bool isOver() const {
    const bool isOutOfTime = task.seconds && Clock::now() - begin >= std::chrono::seconds(task.seconds);
    return status != Clean || isOutOfTime || SignalWatch::caught();
  }

  const ReduceTask &task;
  const Clock::time_point begin = Clock::now();
  const bool showsProgress;
  const SignalWatch watch;
  const TestFolder folder;
  std::optional<LaunchServer> server;
  Trial best;
  std::set<std::vector<std::string>> refused; // sizes that are not interesting with the current text
  unsigned tests = 0;
  int status = Clean;
};

} // namespace

/// Returns the first interesting trial. Later trials do not count as tests, so that the count is the same as with one
/// job.
std::optional<size_t> Reducing::firstInteresting(const std::vector<Trial> &trials) {
  std::vector<char> found(trials.size()); // not a vector of bool, since threads write adjacent elements
  HelperThreads threads;
  const auto judge = [&](size_t i) {
    found[i] = isInteresting(task.test, trials[i], folder.file(static_cast<unsigned>(i)));
  };
  size_t started = 1; // the first trials, one of which this thread tests
  while (started < trials.size() && threads.start([&, i = started] { judge(i); }))
    ++started;
  for (size_t i = started; i < trials.size(); ++i)
    judge(i);
  if (!trials.empty())
    judge(0);
  threads.join();
  const auto first = llvm::find(found, 1);
  const bool isThere = first != found.end() && !SignalWatch::caught();
  tests += static_cast<unsigned>(isThere ? first - found.begin() + 1 : static_cast<ptrdiff_t>(trials.size()));
  return isThere ? std::optional<size_t>(first - found.begin()) : std::nullopt;
}

/// Returns the first line of the text, with the launch or the sizes.
std::string Reducing::beginning() const {
  if (task.test.launch)
    return "// run: " + asOneLine(filled(best.launch, best.sizes)) + "\n";
  if (best.sizes.empty())
    return "";
  std::string line = "// sizes:";
  for (const Size &size : best.sizes)
    line += " " + size.name + "=" + std::to_string(size.value);
  return line + "\n";
}

void Reducing::write() {
  const std::string text = beginning() + best.text;
  if (task.output.empty()) {
    llvm::outs() << text;
    return;
  }
  if (const std::string problem = writeFile(task.output, text); !problem.empty())
    status = usageError("cannot write `" + task.output + "`: " + problem);
}

void Reducing::show(StringRef pass) const {
  if (showsProgress)
    llvm::errs() << "\r\033[K" << best.text.size() << " of " << task.source->text().size() << " bytes, " << tests
                 << (tests == 1 ? " test: " : " tests: ") << pass;
}

/// Reduces the text. Returns whether it has changed.
bool Reducing::reduceText(Reduction &reduction) {
  bool hasChanged = false;
  while (!reduction.isDone() && !isOver()) {
    const std::vector<std::string> texts = reduction.candidates(task.jobs);
    std::vector<Trial> trials;
    for (const std::string &text : texts)
      trials.push_back({text, best.sizes, best.launch});
    const std::optional<size_t> found = firstInteresting(trials);
    if (SignalWatch::caught())
      break;
    reduction.tell(found);
    show(reduction.pass());
    if (found) {
      hasChanged = true;
      best.text = reduction.best();
      writeSoFar();
    }
  }
  return hasChanged;
}

/// Sets a size to the first smaller value that is interesting. Returns whether there is one.
bool Reducing::reduceSize(size_t number) {
  std::vector<Trial> trials;
  for (const uint64_t value : lesserValues(best.sizes[number])) {
    Trial trial = best;
    trial.sizes[number].value = value;
    std::vector<std::string> values;
    for (const Size &size : trial.sizes)
      values.push_back(std::to_string(size.value));
    if (refused.insert(std::move(values)).second)
      trials.push_back(std::move(trial));
  }
  for (size_t first = 0; first < trials.size() && !isOver(); first += task.jobs) {
    const size_t end = std::min(first + task.jobs, trials.size());
    const std::vector<Trial> some(trials.begin() + static_cast<ptrdiff_t>(first),
                                  trials.begin() + static_cast<ptrdiff_t>(end));
    const std::optional<size_t> found = firstInteresting(some);
    show("sizes");
    if (!found)
      continue;
    best = some[*found];
    refused.clear();
    writeSoFar();
    return true;
  }
  return false;
}

/// Reduces the sizes. Returns whether one has become smaller.
bool Reducing::reduceSizes() {
  bool hasChanged = false;
  refused.clear();
  for (size_t number = 0; number < best.sizes.size(); ++number)
    while (!isOver() && reduceSize(number))
      hasChanged = true;
  return hasChanged;
}

/// Removes arguments that the kernel does not use any more, from the last one on. Returns whether there were any.
bool Reducing::reduceArguments() {
  bool hasChanged = false;
  std::string kernel;
  for (const StringRef word : best.launch)
    if (word.starts_with("--kernel="))
      kernel = word.split('=').second.str();
  for (unsigned number = argumentsIn(best.launch); number-- > 0 && !isOver();) {
    const std::optional<std::string> text = withoutParameter(best.text, kernel, number);
    if (!text)
      continue;
    Trial trial{*text, best.sizes, withoutArgument(best.launch, number)};
    llvm::erase_if(trial.sizes, [&](const Size &size) {
      return llvm::none_of(trial.launch, [&](StringRef word) { return word.contains("{" + size.name + "}"); });
    });
    if (!firstInteresting({trial}))
      continue;
    best = std::move(trial);
    hasChanged = true;
    writeSoFar();
  }
  return hasChanged;
}

int Reducing::run() {
  if (!folder.isMade)
    return usageError("cannot create a folder for the files to test");
  auto reduction = std::make_unique<Reduction>(best.text, task.options);
  if (!reduction->problem().empty())
    return usageError("`" + task.path + "`: " + reduction->problem());
  if (!firstInteresting({best}) && !SignalWatch::caught())
    return usageError("`" + task.path + "` is not interesting to the requested test");
  reduceSizes();
  while (reduceText(*reduction)) {
    const bool isLess = reduceSizes();
    if (!reduceArguments() && !isLess)
      break;
    reduction = std::make_unique<Reduction>(best.text, task.options);
  }
  const char *how = SignalWatch::caught() ? ", interrupted" : reduction->isDone() ? "" : ", out of time";
  if (showsProgress)
    llvm::errs() << "\r\033[K";
  write();
  llvm::outs().flush();
  if (!task.isQuiet && status == Clean)
    llvm::errs() << "ptxray: " << best.text.size() << " of " << task.source->text().size() << " bytes are left after "
                 << tests << (tests == 1 ? " test" : " tests") << how << '\n';
  return status;
}

static int readNumber(const Arguments &arguments, StringRef option, unsigned &number) {
  if (const std::optional<StringRef> written = arguments.value(option))
    if (written->getAsInteger(10, number) || number == 0)
      return usageError("`" + option.str() + "` requires a number from 1 on, not `" + written->str() + "`");
  return Clean;
}

/// Returns words of `ptxray run` with the value of each option in its word: `--block 128` as `--block=128`.
static std::vector<std::string> joinedOptions(llvm::ArrayRef<StringRef> words) {
  std::vector<Option> options;
  for (const Command &command : allCommands())
    if (command.name == "run")
      options = command.syntax.options;
  std::vector<std::string> joined;
  for (size_t i = 0; i < words.size(); ++i) {
    joined.push_back(words[i].str());
    const auto option = llvm::find_if(options, [&](const Option &one) { return StringRef(one.name) == words[i]; });
    if (option != options.end() && !option->mayBeSwitch() && i + 1 < words.size())
      joined.back() += "=" + words[++i].str();
  }
  return joined;
}

/// Reads the words of `ptxray run` after `--`, or otherwise those in the text.
static int readLaunch(const Arguments &arguments, ReduceTask &task) {
  if (const std::optional<int> status = refuseLacking("run"))
    return *status;
  LaunchTest test;
  test.words = joinedOptions(arguments.passedOn);
  if (test.words.empty())
    test.words = launchWordsIn(task.source->text());
  test.ptxas = arguments.value("--ptxas").value_or("").str();
  test.ofLevels = arguments.has("--ptxas-differs");
  test.finding = arguments.value("--keep-finding").value_or("").str();
  test.seconds = task.test.seconds;
  if (!test.finding.empty() && !findDiag(StringRef(test.finding).split(':').first))
    return usageError("there is no rule `" + test.finding + "`");
  int status = Clean;
  if (const std::string problem = launchProblem(test, task.path, status); !problem.empty()) {
    llvm::errs() << problem;
    return status;
  }
  task.sizes = takeLaunchSizes(test.words);
  task.test.launch = std::move(test);
  return Clean;
}

/// Reads the test. The words after `--` are the command, or options for ptxas if ptxas is the test.
static int readTest(const Arguments &arguments, ReduceTask &task) {
  InterestTest &test = task.test;
  test.wantsCrash = arguments.has("--ptxas-crash");
  test.wantedMessage = arguments.value("--ptxas-says").value_or("").str();
  const std::vector<std::string> words(arguments.passedOn.begin(), arguments.passedOn.end());
  if (test.wantsCrash || !test.wantedMessage.empty()) {
    FileReport report;
    report.source = SourceBuffer::fromText("", task.source->text());
    report = Checker().check(std::move(report), Language::Ptx, task.options.check);
    Expected<Ptxas> ptxas = findPtxas(arguments.value("--ptxas").value_or(""),
                                      {findVersion(report.ptx).value_or(0), report.target}, test.seconds);
    if (!ptxas) {
      usageError(ptxas.problem());
      return NoPtxas;
    }
    test.ptxas = std::move(*ptxas);
    test.ptxasOptions = words;
    if (llvm::none_of(words, [](StringRef w) { return w.starts_with("-arch") || w.starts_with("--gpu-name"); }))
      test.ptxasOptions.insert(test.ptxasOptions.begin(), "--gpu-name=" + report.target);
    return Clean;
  }
  if (arguments.has("--ptxas-differs") || arguments.has("--differs-from-emulator") || arguments.has("--keep-finding"))
    return readLaunch(arguments, task);
  if (words.empty())
    return task.options.keptRule.empty()
               ? usageError(
                     "there is no test: a command after `--`, `--keep-rule`, `--keep-finding`, `--ptxas-crash` or "
                     "`--ptxas-says`")
               : static_cast<int>(Clean);
  const llvm::ErrorOr<std::string> program = llvm::sys::findProgramByName(words.front());
  if (!program)
    return usageError("cannot run `" + words.front() + "`: " + program.getError().message());
  test.command = words;
  test.command.front() = *program;
  return Clean;
}

static int runReduce(const Arguments &arguments) {
  ReduceTask task;
  task.path = arguments.operands.front().str();
  OneText text = openText(task.path, arguments);
  if (!text.source)
    return usageError("cannot read `" + task.path + "`: " + text.problem);
  task.source = std::move(text.source);
  task.output = arguments.value("-o").value_or("").str();
  task.options.keptRule = arguments.value("--keep-rule").value_or("").str();
  task.isQuiet = arguments.has("--quiet");
  task.test.seconds = 60;
  for (const auto &[option, number] : {std::pair<StringRef, unsigned *>{"--jobs", &task.jobs},
                                       {"--time-limit", &task.seconds},
                                       {"--test-time-limit", &task.test.seconds}})
    if (const int status = readNumber(arguments, option, *number))
      return status;
  if (const int status = readTest(arguments, task))
    return status;
  for (const auto &[option, text] : arguments.options)
    if (Size size; option == "--size" && !readSize(text, size))
      return usageError("`--size` requires NAME=NUMBER, not `" + text.str() + "`");
    else if (option == "--size")
      task.sizes.push_back(size);
  return Reducing(task).run();
}

Command reduceCommand() {
  return {
      .name = "reduce",
      .summary = "shrink a PTX file as long as a test finds it interesting",
      .syntax =
          {.operands = "FILE [-- COMMAND... | PTXAS OPTION... | LAUNCH...]",
           .fewest = 1,
           .most = 1,
           .options = {{"--keep-rule", "RULE", "interesting if ptxray reports this rule"},
                       {"--keep-finding", "RULE", "interesting if the emulator reports this rule"},
                       {"--ptxas-crash", "", "interesting if a signal ends ptxas"},
                       {"--ptxas-says", "TEXT", "interesting if ptxas prints this text"},
                       {"--ptxas-differs", "", "interesting if a GPU computes different results after -O0 and -O3"},
                       {"--differs-from-emulator", "",
                        "interesting if a GPU computes different results from the emulator"},
                       {"--size", "NAME=N", "replace `{NAME}` in the command by N, and also reduce N"},
                       {"--ptxas", "PATH", "the ptxas to use (default: $PTXAS, CUDA's, the one in PATH ...)"},
                       {"-o", "OUT", "write the result to this file, and the best version so far during the reduction"},
                       {"--jobs", "N", "number of tests to run at the same time; the result is the same"},
                       {"--time-limit", "SECONDS", "stop after this time with the best version so far"},
                       {"--test-time-limit", "SECONDS",
                        "time limit for each test (60); a test that takes longer is not interesting", "--timeout"},
                       {"--quiet", "", "print neither progress nor a summary", "-q"},
                       entryOption()},
           .words = Words::PassedOn},
      .run = runReduce,
      .notes =
          "The command gets the file in place of `{}`, or as its last word; the file is interesting if it ends "
          "with 0. LAUNCH is what `ptxray run` gets after the file: `--block=32 zeros:u32:32`; its blocks, threads "
          "and buffers become less, too.\nEach file it gets "
          "is one that ptxray accepts, or has only faults that FILE has."};
}

} // namespace ptxray
