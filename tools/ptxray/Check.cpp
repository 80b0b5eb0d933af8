#include "Batch.h"
#include "Check/Checker.h"
#include "CheckOutput.h"
#include "CompileCommands.h"
#include "Diff.h"
#include "Files.h"
#include "Reports.h"
#include "ShowConfig.h"
#include "Source/Foreign.h"
#include "Watch.h"
#include "Workspace/Baseline.h"
#include "Workspace/Fixes.h"
#include "llvm/ADT/STLExtras.h"
#include <atomic>
#include <thread>

namespace ptxray {

namespace {

/// A task says what to do with each input besides checking it.
struct Task {
  Progress::Clock::time_point begin = Progress::Clock::now();
  llvm::StringRef stdinName = "<stdin>";
  bool fix = false, unsafeFixes = false, diff = false;
  Baseline *baseline = nullptr;
  bool updateBaseline = false;
  std::optional<llvm::StringRef> constraints; // of a fragment
  std::optional<Language> language;           // of all inputs; nothing: what their names say
  std::optional<llvm::StringRef> ptxas;       // also asked, if there is a value; empty: the one that is found
};

/// A text to be checked: an input, one of the texts of a binary, or an error in reading those.
struct Job {
  Input input;
  std::shared_ptr<const CheckOptions> options;
  std::unique_ptr<SourceBuffer> source;     // an input that was read already
  std::shared_ptr<const OpenBinary> binary; // of a text of a binary
  TextTask text;
};

Language languageIn(const FileReport &report, const Task &task) {
  return report.entry ? Language::Ptx : task.language.value_or(languageOf(report.path));
}

/// Checks the source of the report; the findings that the baseline accepts are left out of it.
CheckedInput checkText(FileReport report, const CheckOptions &options, const Task &task, Checker &checker) {
  const Language language = languageIn(report, task);
  CheckedInput outcome;
  outcome.report = task.constraints ? checker.checkStatement(std::move(report), *task.constraints, options)
                                    : checker.check(std::move(report), language, options);
  if (task.baseline && !task.updateBaseline)
    outcome.accepted = task.baseline->apply(outcome.report);
  return outcome;
}

/// Applies fixes until there is nothing left to fix.
void fixInput(CheckedInput &outcome, const CheckOptions &options, const Task &task, Checker &checker) {
  FileReport &report = outcome.report;
  if (languageIn(report, task) == Language::Ptx && !isSurelyPtx(report.source->text()))
    return;
  const std::string before = report.source->text().str();
  std::vector<unsigned> accepted; // by round
  const FixRounds made = fixReport(report, task.unsafeFixes, [&](FileReport changed) {
    CheckedInput fixed = checkText(std::move(changed), options, task, checker);
    accepted.push_back(fixed.accepted);
    return std::move(fixed.report);
  });
  if (made.rounds == 0)
    return;
  outcome.fixed = made.fixes;
  outcome.accepted = accepted[made.rounds - 1];
  if (task.diff)
    outcome.diff = diffTexts(report.path, before, report.source->text());
}

/// Unpacks a text of a binary, and sets its place.
void readEntry(FileReport &report, const Job &job, Unpacker &unpacker, std::string &problem) {
  const Binary &content = job.binary->content;
  const Entry &entry = content.entries[job.text.entry];
  EntryPlace &place = report.entry.emplace();
  place.name = entryName(content, job.text.entry);
  place.number = job.text.entry + 1;
  place.member = content.objectOf(entry).member;
  place.section = content.containerOf(entry).section.str();
  place.target = entry.number ? entry.target() : "";
  for (size_t alike : job.text.alike)
    place.alike.push_back(alike + 1);
  report.source = unpacker.unpack(entry, nameOf(report), problem);
  if (report.source && problem.empty())
    problem = whyNoText(report.source->text());
  if (!problem.empty())
    problem = problemText({place.member, entry.offset, problem});
}

/// The targets that the headers of the entries with the job's text name.
std::vector<std::string> targetsOf(const Job &job) {
  const std::vector<Entry> &entries = job.binary->content.entries;
  std::vector<std::string> targets = {entries[job.text.entry].target()};
  for (const size_t alike : job.text.alike)
    targets.push_back(entries[alike].target());
  return targets;
}

CheckedInput checkJob(Job &job, const Task &task, Unpacker &unpacker, Checker &checker) {
  const Input &input = job.input;
  const CheckOptions &options = *job.options;
  FileReport report;
  report.path = input.path == "-" ? task.stdinName.str() : input.path;
  std::string problem = input.problem;
  if (job.binary)
    readEntry(report, job, unpacker, problem);
  else if (job.source)
    report.source = std::move(job.source);
  else if (problem.empty())
    report.source = SourceBuffer::open(input.path, problem);
  CheckedInput outcome;
  if (problem.empty()) {
    outcome = checkText(std::move(report), options, task, checker);
    if (job.binary && options.arch.empty())
      compareTargets(outcome.report, targetsOf(job));
    if (task.fix)
      fixInput(outcome, options, task, checker);
    if (outcome.fixed && !task.diff && input.path != "-")
      if (problem = writeFile(input.path, outcome.report.source->text()); !problem.empty()) {
        problem = "it cannot be written: " + problem;
        outcome.fixed = 0;
      }
  } else {
    outcome.report = std::move(report);
  }
  if (!problem.empty())
    outcome.report = unreadable(std::move(outcome.report), problem);
  else if (task.ptxas && !task.constraints && languageIn(outcome.report, task) == Language::Ptx)
    outcome.verdict = addVerdict(outcome.report, *task.ptxas, options);
  if (task.updateBaseline)
    task.baseline->accept(outcome.report);
  return outcome;
}

std::string readBaseline(const std::string &path, Baseline &baseline) {
  std::string problem;
  const std::unique_ptr<SourceBuffer> source = SourceBuffer::open(path, problem);
  if (!source)
    return "cannot read the baseline `" + path + "`: " + problem + " (--update-baseline writes it)";
  baseline.read(source->text());
  return "";
}

std::string writeBaseline(const std::string &path, const Baseline &baseline) {
  const std::string reason = writeFile(path, baseline.text());
  return reason.empty() ? "" : "cannot write the baseline `" + path + "`: " + reason;
}

/// The options for a text of a binary: as it was compiled, and without warnings unless they are requested.
std::shared_ptr<const CheckOptions> optionsFor(const TextTask &text, const CheckOptions &options,
                                               const Arguments &arguments) {
  auto own = std::make_shared<CheckOptions>(options);
  if (!arguments.has("--link"))
    own->linking = text.isSeparate ? Linking::Separate : Linking::Whole;
  if (!text.failsArch)
    own->arch.clear();
  own->errorsOnly = !arguments.has("--warnings");
  return own;
}

/// Adds the jobs of an input: itself, or the texts of a binary and its problems.
void addJobs(const Input &input, const std::shared_ptr<const CheckOptions> &options, const ReadLimits &limits,
             const Arguments &arguments, std::vector<Job> &jobs) {
  Job itself{input, options, nullptr, nullptr, {}};
  // A plain file is opened when its job begins.
  const bool isText = !input.problem.empty() || (isPlainFile(input.path) && !beginsAsBinary(input.path));
  std::shared_ptr<const OpenBinary> binary;
  if (!isText)
    binary = openBinary(input.path, limits, itself.source, itself.input.problem);
  if (!binary) {
    jobs.push_back(std::move(itself));
    return;
  }
  for (const BinaryProblem &problem : binary->content.problems)
    jobs.push_back({{input.path, problemText(problem)}, options, nullptr, nullptr, {}});
  std::vector<TextTask> texts = textTasks(*binary, options->arch);
  if (texts.empty() && binary->content.problems.empty() && !arguments.has("--quiet"))
    llvm::errs() << "ptxray: " << escaped(binary->path) << " holds no PTX"
                 << (binary->content.entries.empty() ? ", nor other device code" : "") << '\n';
  for (TextTask &text : texts) {
    std::shared_ptr<const CheckOptions> own = optionsFor(text, *options, arguments);
    jobs.push_back({input, std::move(own), nullptr, binary, std::move(text)});
  }
}

/// The options that setOption understands, in the order in which they are written.
std::vector<Configuration::Setting> settingsOf(const Arguments &arguments) {
  std::vector<Configuration::Setting> settings;
  for (const auto &[name, value] : arguments.options) {
    if (name == "--pedantic" || name == "--werror")
      settings.emplace_back(name.drop_front(2), "yes");
    else if (llvm::is_contained<llvm::StringRef>(
                 {"--target", "--ptx", "--arch", "--link", "--on", "--off", "--warning", "--error"}, name))
      settings.emplace_back(name.drop_front(2), value);
  }
  return settings;
}

/// Finds options that cannot be combined.
std::string conflictIn(const Arguments &arguments) {
  auto given = [&](llvm::StringRef option) { return arguments.has(option); };
  const bool fixes = given("--fix") || given("--diff");
  if (given("--batch"))
    for (const llvm::StringRef other :
         {"--format", "--constraints", "--stdin-filename", "--baseline", "--fix", "--diff", "--statistics",
          "--with-ptxas", "--jobs", "--max-errors", "--output-file", "--show-config"})
      if (given(other))
        return "`--batch` cannot be combined with `" + other.str() + "`";
  if (given("--batch") && !arguments.operands.empty())
    return "`--batch` reads standard input and accepts no files";
  if (given("--watch"))
    for (const llvm::StringRef other : {"--batch", "--fix", "--show-config", "--update-baseline"})
      if (given(other))
        return "`--watch` cannot be combined with `" + other.str() + "`";
  if (given("--watch") && llvm::is_contained(arguments.operands, "-"))
    return "`--watch` needs files: standard input (-) ends";
  if (given("--unsafe-fixes") && !fixes)
    return "`--unsafe-fixes` requires `--fix` or `--diff`";
  if (given("--update-baseline") && !given("--baseline"))
    return "`--update-baseline` requires `--baseline`";
  if (given("--update-baseline") && fixes)
    return "`--update-baseline` cannot be combined with fixes";
  if (given("--fix") && !given("--diff") && arguments.operands.size() > 1 &&
      llvm::is_contained(arguments.operands, "-"))
    return "`--fix -` writes the fixed text to standard output and accepts no other file";
  if (const std::optional<llvm::StringRef> most = arguments.value("--max-errors"))
    if (unsigned number = 0; most->getAsInteger(10, number) || number == 0)
      return "`--max-errors` requires a number from 1, not `" + most->str() + "`";
  if ((given("--statistics") || given("--diff")) && arguments.value("--format").value_or("text") != "text")
    return "`--statistics` and `--diff` cannot be combined with `--format`";
  return "";
}

/// Writes the fixed text to standard output, and the remaining findings to standard error.
int fixStandardInput(Job &job, const Task &task, const Shown &shown, const ReadLimits &limits) {
  Unpacker unpacker(limits);
  Checker checker;
  const CheckedInput outcome = checkJob(job, task, unpacker, checker);
  Totals totals;
  totals.add(outcome.report);
  totals.fixed = outcome.fixed;
  shown.format.begin(llvm::errs());
  shown.format.file(outcome.report, shown.rendering, llvm::errs());
  shown.format.end(totals, shown.rendering, llvm::errs());
  if (!outcome.report.source)
    return BadUsage;
  llvm::outs() << outcome.report.source->text();
  return totals.errors ? FoundErrors : Clean;
}

/// Returns nothing if the text is not a number of threads.
std::optional<unsigned> threadsOf(const Arguments &arguments) {
  unsigned threads = std::max(1u, std::thread::hardware_concurrency());
  if (const std::optional<llvm::StringRef> written = arguments.value("--jobs"))
    if (written->getAsInteger(10, threads) || threads == 0)
      return std::nullopt;
#ifdef __wasm__ // has no others
  threads = 1;
#endif
  return threads;
}

/// The task, without the baseline.
Task taskOf(const Arguments &arguments) {
  Task task;
  if (std::optional<llvm::StringRef> name = arguments.value("--language"))
    task.language = findLanguage(*name);
  task.constraints = arguments.value("--constraints");
  task.stdinName = arguments.value("--stdin-filename").value_or(task.stdinName);
  task.fix = arguments.has("--fix") || arguments.has("--diff");
  task.unsafeFixes = arguments.has("--unsafe-fixes");
  task.diff = arguments.has("--diff");
  task.updateBaseline = arguments.has("--update-baseline");
  if (arguments.has("--with-ptxas"))
    task.ptxas = arguments.value("--ptxas").value_or("");
  return task;
}

/// Empty: no file is read; nothing: the one nearest to the input is read.
std::optional<std::string> configFileOf(const Arguments &arguments) {
  if (arguments.has("--no-config"))
    return "";
  if (const std::optional<llvm::StringRef> path = arguments.value("--config"))
    return path->str();
  return std::nullopt;
}

/// The inputs; without operands, those below the working folder. `wrong` tells what is wrong with a `.ptxray` file.
std::vector<Input> inputsOf(const Arguments &arguments, Configuration &configuration, std::string &wrong) {
  const llvm::StringRef here = ".";
  const llvm::ArrayRef<llvm::StringRef> operands =
      arguments.operands.empty() ? llvm::ArrayRef(here) : llvm::ArrayRef(arguments.operands);
  auto wantsSource = [&](const std::string &path) {
    std::string problem;
    const auto settings = configuration.settingsFor(path, problem);
    wrong = wrong.empty() ? problem : wrong;
    return settings && settings->inlined;
  };
  return findInputs(
      operands, {.binaries = arguments.has("--binaries"), .sources = arguments.has("--inline"), .source = wantsSource});
}

/// The options with what the build says of a source in C++.
std::shared_ptr<const CheckOptions> withBuild(std::shared_ptr<const CheckOptions> options, const Arguments &arguments,
                                              const llvm::StringMap<SourceCommand> &commands, const std::string &path) {
  auto isOfBuild = [](const auto &option) { return option.first == "--define" || option.first == "--include"; };
  const auto command = commands.empty() ? commands.end() : commands.find(wholePath(path));
  if (command == commands.end() && llvm::none_of(arguments.options, isOfBuild))
    return options;
  auto own = std::make_shared<CheckOptions>(*options);
  if (command != commands.end()) {
    own->macros = command->second.macros;
    own->folders = command->second.folders;
  }
  for (const auto &[name, value] : arguments.options)
    if (name == "--define" || name == "--include")
      (name == "--define" ? own->macros : own->folders).push_back(value.str());
  return own;
}

/// Returns what is wrong, or an empty text.
std::string findJobs(const Arguments &arguments, const Task &task, const ReadLimits &limits,
                     Configuration &configuration, std::vector<Job> &jobs) {
  std::string wrong;
  const std::vector<Input> inputs = inputsOf(arguments, configuration, wrong);
  llvm::StringMap<SourceCommand> commands;
  if (const std::optional<llvm::StringRef> path = arguments.value("--compile-commands")) {
    std::string problem;
    commands = readCompileCommands(*path, problem);
    if (!problem.empty())
      return "cannot read `" + path->str() + "`: " + problem;
  }
  if (!wrong.empty())
    return wrong;
  for (const Input &input : inputs) {
    std::string problem;
    const auto settings = configuration.settingsFor(input.path == "-" ? task.stdinName : input.path, problem);
    if (!problem.empty())
      return problem;
    if (!input.isNamed && settings->isExcluded)
      continue;
    addJobs(input, withBuild({settings, &settings->check}, arguments, commands, input.path), limits, arguments, jobs);
  }
  if (task.fix && llvm::any_of(jobs, [](const Job &job) { return job.binary != nullptr; }))
    return "`--fix` cannot write into a binary";
  return "";
}

/// Checks on several threads. Returns the worst exit status of ptxas.
int checkAll(std::vector<Job> &jobs, const Task &task, const Shown &shown, const ReadLimits &limits,
             const Arguments &arguments, unsigned threads, OrderedOutput &output) {
  std::atomic<size_t> next = 0;
  std::atomic<int> worst = Clean;
  auto work = [&] {
    Unpacker unpacker(limits);
    Checker checker(arguments.has("--show-expansion") ? Expansions::Told : Expansions::Left);
    for (size_t i; (i = next++) < jobs.size();) {
      CheckedInput outcome = checkJob(jobs[i], task, unpacker, checker);
      if (outcome.verdict == NoPtxas || (outcome.verdict == PtxasRefused && worst != NoPtxas))
        worst = outcome.verdict;
      output.put(i, render(outcome, jobs[i].binary.get(), task.diff, shown), outcome);
    }
  };
  std::vector<std::thread> helpers;
  for (size_t i = 1; i < std::min<size_t>(threads, jobs.size()); ++i)
    helpers.emplace_back(work);
  work();
  for (std::thread &helper : helpers)
    helper.join();
  output.progress.clear();
  return worst;
}

} // namespace

/// Checks the jobs and writes what is found; returns an exit status.
static int writeReports(std::vector<Job> &jobs, const Task &task, const Shown &shown, const ReadLimits &limits,
                        const Arguments &arguments, unsigned threads) {
  OrderedOutput output(jobs.size(), shown, task.begin);
  shown.format.begin(shown.out);
  const int verdict = checkAll(jobs, task, shown, limits, arguments, threads, output);
  Totals &totals = output.totals;
  if (task.baseline && !task.updateBaseline)
    totals.dead = task.baseline->countDead();
  if (!task.diff)
    shown.format.end(totals, shown.rendering, shown.out);
  if (totals.unreadable)
    return BadUsage;
  if (task.updateBaseline) {
    const std::string problem = writeBaseline(arguments.value("--baseline")->str(), *task.baseline);
    return problem.empty() ? Clean : usageError(problem);
  }
  if (verdict)
    return verdict;
  const bool found = task.diff ? totals.fixed > 0 : totals.errors > 0;
  return found && !arguments.has("--exit-zero") ? FoundErrors : Clean;
}

/// The same, into the file that `--output-file` names if there is one.
static int writeReportsSomewhere(std::vector<Job> &jobs, const Task &task, const ReadLimits &limits,
                                 const Arguments &arguments, unsigned threads) {
  const std::optional<llvm::StringRef> path = arguments.value("--output-file");
  std::error_code error;
  std::optional<llvm::raw_fd_ostream> file;
  if (path)
    file.emplace(*path, error);
  int status = BadUsage;
  if (!error)
    status = writeReports(jobs, task, shownOf(arguments, file ? &*file : nullptr), limits, arguments, threads);
  if (file && !error) {
    file->close();
    error = file->error();
    file->clear_error();
  }
  return error ? usageError("cannot write `" + path->str() + "`: " + error.message()) : status;
}

static int checkOnce(const Arguments &arguments) {
  const std::optional<unsigned> threads = threadsOf(arguments);
  if (!threads)
    return usageError("`--jobs` requires a number from 1, not `" + arguments.value("--jobs")->str() + "`");
  if (const std::string conflict = conflictIn(arguments); !conflict.empty())
    return usageError(conflict);
  Task task = taskOf(arguments);
  std::optional<Baseline> baseline;
  if (std::optional<llvm::StringRef> path = arguments.value("--baseline")) {
    baseline.emplace(*path);
    task.baseline = &*baseline;
    if (!task.updateBaseline)
      if (const std::string problem = readBaseline(path->str(), *baseline); !problem.empty())
        return usageError(problem);
  }
  ReadLimits limits;
  if (const int status = readLimits(arguments, limits))
    return status;
  Configuration configuration(settingsOf(arguments), configFileOf(arguments));
  std::string problem;
  if (arguments.has("--batch")) {
    const auto options = configuration.forInput(task.stdinName, problem);
    return problem.empty() ? runBatch(arguments, *options) : usageError(problem);
  }
  if (arguments.has("--show-config")) {
    const std::vector<Input> inputs = inputsOf(arguments, configuration, problem);
    if (problem.empty())
      problem = showConfig(inputs, task.stdinName, configuration, llvm::outs());
    return problem.empty() ? Clean : usageError(problem);
  }
  std::vector<Job> jobs;
  if (problem = findJobs(arguments, task, limits, configuration, jobs); !problem.empty())
    return usageError(problem);
  if (task.fix && !task.diff && arguments.operands == std::vector<llvm::StringRef>{"-"})
    return fixStandardInput(jobs.front(), task, shownOf(arguments, nullptr), limits);
  return writeReportsSomewhere(jobs, task, limits, arguments, *threads);
}

static int runCheck(const Arguments &arguments) {
  if (!arguments.has("--watch"))
    return checkOnce(arguments);
  if (const std::string conflict = conflictIn(arguments); !conflict.empty())
    return usageError(conflict);
  auto inputs = [&] {
    Configuration configuration(settingsOf(arguments), configFileOf(arguments));
    std::string problem;
    return inputsOf(arguments, configuration, problem);
  };
  return watch(inputs, [&] { return checkOnce(arguments); });
}

Command checkCommand() {
  return {
      .name = "check",
      .summary = "check PTX files, the PTX in binaries and sources, `*.ptx` below folders, standard input (-)",
      .syntax =
          {.operands = "[FILE|DIR|-]...",
           .most = anyNumber,
           .options = {{"--format", diagnosticFormats(), "form of the output"},
                       {"--language", "ptx|cuda|python|llvm|rust",
                        "language of all inputs (default: as their names say)"},
                       {"--inline", "", "below folders, also check the assembly in sources of other languages"},
                       {"--define", "NAME[=VALUE]", "a macro of sources in C++ that the build defines", "-D"},
                       {"--include", "DIR", "look there for headers of sources in C++ as well", "-I"},
                       {"--compile-commands", "FILE", "take both from this `compile_commands.json`"},
                       {"--show-expansion", "", "show what is checked in place of each statement of assembly"},
                       {"--batch", "", "read requests as JSON lines from standard input, answer each with one"},
                       {"--constraints", "LIST", "the inputs are texts of one statement, with LLVM's constraints"},
                       {"--stdin-filename", "PATH", "what to call standard input (-)"},
                       {"--target", "sm_X", "check as if `.target` were this"},
                       {"--ptx", "V", "check as if `.version` were this"},
                       {"--arch", "sm_X", "check that the module can be compiled for this GPU"},
                       {"--link", "whole|separate", "with whole, the module must define all functions that it calls"},
                       {"--pedantic", "", "also report bad style"},
                       {"--werror", "", "treat warnings as errors"},
                       {"--on", "RULE,...",
                        "enable these rules, groups (`syntax`), or patterns (`codegen-*`); `ptxray rules` lists them"},
                       {"--off", "RULE,...", "disable them"},
                       {"--error", "RULE,...", "report them as errors"},
                       {"--warning", "RULE,...", "report them as warnings"},
                       {"--config", "FILE", "read options from this file, not from the nearest `.ptxray`"},
                       {"--no-config", "", "read no `.ptxray`"},
                       {"--show-config", "", "show the settings of each input and where they were written"},
                       {"--baseline", "FILE", "report only findings that this file does not list"},
                       {"--update-baseline", "", "write the findings into the baseline"},
                       {"--fix", "", "apply safe fixes; of standard input (-), write the text to standard output"},
                       {"--unsafe-fixes", "", "with --fix or --diff: also apply fixes that are a guess"},
                       {"--diff", "", "show the fixes as a diff, change nothing"},
                       {"--statistics", "", "show how often each rule reports, not where"},
                       {"--max-errors", "N", "show at most N errors of an input, and nothing after them"},
                       {"--watch", "", "check again whenever an input was saved"},
                       {"--output-file", "FILE", "write the report into this file", "-o"},
                       {"--quiet", "", "print no summary and no progress", "-q"},
                       {"--exit-zero", "", "exit with 0 even if errors are found"},
                       {"--no-fold", "", "show similar diagnostics one by one"},
                       {"--binaries", "", "below folders, also check binaries, recognised by their first bytes"},
                       {"--warnings", "", "report warnings in binaries, too"},
                       {"--with-ptxas", "", "also report what ptxas says"},
                       {"--ptxas", "PATH", "the ptxas to use"},
                       maxSizeOption(),
                       colorOption(),
                       {"--site", "URL",
                        "address of the site of the documents, for links to rules (default: $PTXRAY_SITE)"},
                       {"--jobs", "N", "check N files at the same time (default: one a core)"}}},
      .run = runCheck};
}

} // namespace ptxray
