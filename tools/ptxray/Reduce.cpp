#include "Binaries.h"
#include "Check/Checker.h"
#include "Files.h"
#include "LaunchTest.h"
#include "Ptxas/Ptxas.h"
#include "Reduce/Reduction.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Program.h"
#include <chrono>
#include <csignal>
#include <thread>

namespace ptxray {

using llvm::StringRef;
using Clock = std::chrono::steady_clock;

namespace {

/// A text is interesting if all that is asked for here holds.
struct InterestTest {
  std::vector<std::string> command; // empty: none
  std::optional<Ptxas> ptxas;
  std::vector<std::string> ptxasOptions;
  bool wantsCrash = false;
  std::string wantedMessage; // of ptxas; empty: any
  std::optional<LaunchTest> launch;
  unsigned seconds = 0; // that one run may take
};

/// A folder for the files that commands are given, which goes with it.
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
  bool isMade = false;

private:
  const std::string name;
  llvm::SmallString<256> folder;
};

/// A reduction as the command line asks for it.
struct ReduceTask {
  std::unique_ptr<SourceBuffer> source;
  std::string path, output; // no output: standard output
  ReductionOptions options;
  InterestTest test;
  unsigned jobs = 1, seconds = 0; // no seconds: any time
  bool isQuiet = false;
};

} // namespace

static bool commandSucceeds(const InterestTest &test, StringRef text, const std::string &file) {
  if (!writeFile(file, text).empty())
    return false;
  std::vector<std::string> words(test.command.begin() + 1, test.command.end());
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
  std::string problem;
  MemoryFile input;
  if (!input.hold(text, problem))
    return false;
  const ProgramResult run = assemble(*test.ptxas, input, test.ptxasOptions, test.seconds).run;
  constexpr int firstOfSignals = 128; // ptxas may be a script
  const bool hasCrashed =
      run.end == ProgramEnd::Killed || (run.end == ProgramEnd::Exited && run.detail > firstOfSignals);
  if (test.wantsCrash && !hasCrashed)
    return false;
  return test.wantedMessage.empty() || StringRef(run.printed).contains(test.wantedMessage);
}

static bool isInteresting(const InterestTest &test, StringRef text, const std::string &file) {
  return (!test.ptxas || ptxasDoesIt(test, text)) && (test.command.empty() || commandSucceeds(test, text, file)) &&
         (!test.launch || answersDiffer(*test.launch, text, file));
}

/// The first of the texts that is interesting.
static std::optional<size_t> firstInteresting(const InterestTest &test, const std::vector<std::string> &texts,
                                              const TestFolder &folder) {
  std::vector<char> found(texts.size()); // no vector of bool: threads write side by side
  std::vector<std::thread> threads;
  for (size_t i = 1; i < texts.size(); ++i)
    threads.emplace_back([&, i] { found[i] = isInteresting(test, texts[i], folder.file(static_cast<unsigned>(i))); });
  if (!texts.empty())
    found[0] = isInteresting(test, texts[0], folder.file(0));
  for (std::thread &thread : threads)
    thread.join();
  const auto first = llvm::find(found, 1);
  return first == found.end() ? std::nullopt : std::optional<size_t>(first - found.begin());
}

static void showProgress(const Reduction &reduction, size_t before, unsigned tests, bool wanted) {
  if (wanted)
    llvm::errs() << "\r\033[K" << reduction.best().size() << " of " << before << " bytes, " << tests
                 << (tests == 1 ? " test: " : " tests: ") << reduction.pass();
}

static int writeResult(const ReduceTask &task, const std::string &text) {
  if (task.output.empty()) {
    llvm::outs() << text;
    return Clean;
  }
  const std::string problem = writeFile(task.output, text);
  return problem.empty() ? Clean : usageError("cannot write `" + task.output + "`: " + problem);
}

/// Reduces until nothing is left to be tried, or the time is over, or a signal comes. Returns an exit status.
static int reduce(const ReduceTask &task) {
  const Clock::time_point begin = Clock::now();
  const SignalWatch watch;
  const TestFolder folder(task.path, task.jobs);
  if (!folder.isMade)
    return usageError("cannot make a folder for the files that are tested");
  Reduction reduction(task.source->text().str(), task.options);
  if (!reduction.problem().empty())
    return usageError("`" + task.path + "`: " + reduction.problem());
  if (!isInteresting(task.test, reduction.best(), folder.file(0)))
    return usageError("`" + task.path + "` is not interesting by the test that is asked for");
  const bool showsProgress = !task.isQuiet && llvm::sys::Process::StandardErrIsDisplayed();
  const size_t before = reduction.best().size();
  unsigned tests = 1;
  bool isOutOfTime = false;
  while (!reduction.isDone() && !isOutOfTime && !SignalWatch::caught()) {
    const std::vector<std::string> texts = reduction.candidates(task.jobs);
    const std::optional<size_t> found = firstInteresting(task.test, texts, folder);
    if (SignalWatch::caught())
      break;
    reduction.tell(found);
    tests += static_cast<unsigned>(found ? *found + 1 : texts.size());
    showProgress(reduction, before, tests, showsProgress);
    if (found && !task.output.empty())
      if (const int status = writeResult(task, reduction.best()))
        return status;
    isOutOfTime = task.seconds && Clock::now() - begin >= std::chrono::seconds(task.seconds);
  }
  if (showsProgress)
    llvm::errs() << "\r\033[K";
  if (const int status = writeResult(task, reduction.best()))
    return status;
  llvm::outs().flush();
  const char *how = SignalWatch::caught() ? ", interrupted" : isOutOfTime ? ", out of time" : "";
  if (!task.isQuiet)
    llvm::errs() << "ptxray: " << reduction.best().size() << " of " << before << " bytes are left after " << tests
                 << (tests == 1 ? " test" : " tests") << how << '\n';
  return Clean;
}

static int readNumber(const Arguments &arguments, StringRef option, unsigned &number) {
  if (const std::optional<StringRef> written = arguments.value(option))
    if (written->getAsInteger(10, number) || number == 0)
      return usageError("`" + option.str() + "` requires a number from 1 on, not `" + written->str() + "`");
  return Clean;
}

/// The words after `--` are those of `ptxray run`.
static int readLaunch(const Arguments &arguments, ReduceTask &task) {
  LaunchTest test;
  test.words.assign(arguments.passedOn.begin(), arguments.passedOn.end());
  test.ptxas = arguments.value("--ptxas").value_or("").str();
  test.ofLevels = arguments.has("--ptxas-differs");
  test.seconds = task.test.seconds;
  int status = Clean;
  if (const std::string problem = launchProblem(test, task.path, status); !problem.empty()) {
    llvm::errs() << problem;
    return status;
  }
  task.test.launch = std::move(test);
  return Clean;
}

/// Reads the test. The words after `--` are the command, or options of ptxas if that is the test.
static int readTest(const Arguments &arguments, ReduceTask &task) {
  InterestTest &test = task.test;
  test.wantsCrash = arguments.has("--ptxas-crash");
  test.wantedMessage = arguments.value("--ptxas-says").value_or("").str();
  const std::vector<std::string> words(arguments.passedOn.begin(), arguments.passedOn.end());
  if (test.wantsCrash || !test.wantedMessage.empty()) {
    FileReport report;
    report.source = SourceBuffer::fromText("", task.source->text());
    report = Checker().check(std::move(report), Language::Ptx, task.options.check);
    std::string problem;
    test.ptxas = findPtxas(arguments.value("--ptxas").value_or(""),
                           {findVersion(report.ptx).value_or(0), report.target}, test.seconds, problem);
    if (!test.ptxas) {
      usageError(problem);
      return NoPtxas;
    }
    test.ptxasOptions = words;
    if (llvm::none_of(words, [](StringRef w) { return w.starts_with("-arch") || w.starts_with("--gpu-name"); }))
      test.ptxasOptions.insert(test.ptxasOptions.begin(), "--gpu-name=" + report.target);
    return Clean;
  }
  if (arguments.has("--ptxas-differs") || arguments.has("--differs-from-emulator"))
    return readLaunch(arguments, task);
  if (words.empty())
    return task.options.keptRule.empty()
               ? usageError("there is no test: a command after `--`, `--keep-rule`, `--ptxas-crash` or `--ptxas-says`")
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
  std::string problem;
  OneText text = openText(task.path, arguments, problem);
  if (!text.source)
    return usageError("cannot read `" + task.path + "`: " + problem);
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
  return reduce(task);
}

Command reduceCommand() {
  return {.name = "reduce",
          .summary = "make a PTX file smaller as long as a test finds it interesting",
          .syntax = {.operands = "FILE [-- COMMAND... | PTXAS OPTION... | LAUNCH...]",
                     .fewest = 1,
                     .most = 1,
                     .options = {{"--keep-rule", "RULE", "interesting: ptxray reports this rule"},
                                 {"--ptxas-crash", "", "interesting: ptxas ends by a signal"},
                                 {"--ptxas-says", "TEXT", "interesting: ptxas prints this"},
                                 {"--ptxas-differs", "", "interesting: a GPU leaves other things after -O0 than -O3"},
                                 {"--differs-from-emulator", "",
                                  "interesting: a GPU leaves other things than the emulator"},
                                 {"--ptxas", "PATH", "the ptxas to use (default: $PTXAS, CUDA's, the one in PATH ...)"},
                                 {"-o", "OUT", "write the result there, and the best so far while it works"},
                                 {"--jobs", "N", "make this many tests at once; the result is the same"},
                                 {"--time-limit", "SECONDS", "stop after this time with the best so far"},
                                 {"--test-time-limit", "SECONDS",
                                  "end a test that takes longer (60): it is not interesting", "--timeout"},
                                 {"--quiet", "", "print neither progress nor a summary", "-q"},
                                 entryOption()},
                     .words = Words::PassedOn},
          .run = runReduce,
          .notes =
              "The command gets the file in place of `{}`, or as its last word; the file is interesting if it ends "
              "with 0. LAUNCH is what `ptxray run` gets after the file: `--block=32 zeros:u32:32`.\nEach file it gets "
              "is one that ptxray accepts, or has no other faults than FILE."};
}

} // namespace ptxray
