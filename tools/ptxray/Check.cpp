// Checks the inputs on several threads, and writes the findings in the order of the inputs.
#include "Batch.h"
#include "CheckJobs.h"
#include "CheckOutput.h"
#include "Diff.h"
#include "Files.h"
#include "Reports.h"
#include "ShowConfig.h"
#include "Source/Threads.h"
#include "Watch.h"
#include "Workspace/Fixes.h"
#include <atomic>

namespace ptxray {

static Language languageIn(const FileReport &report, const CheckTask &task) {
  return report.entry ? Language::Ptx : task.language.value_or(languageOf(report.path));
}

/// Checks the source of the report. Findings that the baseline accepts are left out.
static CheckedInput checkText(FileReport report, const CheckOptions &options, const CheckTask &task, Checker &checker) {
  const Language language = languageIn(report, task);
  CheckedInput outcome;
  outcome.report = task.constraints ? checker.checkStatement(std::move(report), *task.constraints, options)
                                    : checker.check(std::move(report), language, options);
  if (task.baseline && !task.updateBaseline)
    outcome.accepted = task.baseline->apply(outcome.report);
  return outcome;
}

/// Applies fixes until none is left, and writes the result.
static void fixInput(const CheckJob &job, CheckedInput &outcome, const CheckTask &task, Checker &checker) {
  FileReport &report = outcome.report;
  if (languageIn(report, task) == Language::Ptx && !isSurelyPtx(report.source->text()))
    return;
  const std::string before = report.source->text().str();
  std::vector<unsigned> accepted; // counts per round
  const FixRounds made = fixReport(report, task.unsafeFixes, [&](FileReport changed) {
    CheckedInput fixed = checkText(std::move(changed), *job.options, task, checker);
    accepted.push_back(fixed.accepted);
    return std::move(fixed.report);
  });
  if (made.rounds == 0)
    return;
  outcome.fixed = made.fixes;
  outcome.accepted = accepted[made.rounds - 1];
  if (task.diff)
    outcome.diff = diffTexts(report.path, before, report.source->text());
  if (task.diff || !outcome.fixed || job.input.path == "-")
    return;
  outcome.unwritten = writeInput(job.input, report.source->text());
  if (!outcome.unwritten.empty())
    outcome.fixed = 0;
}

/// Returns the place of a text in a binary, for the report.
static EntryPlace placeOf(const CheckJob &job) {
  const Binary &content = job.binary->content;
  const Entry &entry = content.entries[job.text.entry];
  EntryPlace place;
  place.name = entryName(content, job.text.entry);
  place.number = job.text.entry + 1;
  place.member = content.objectOf(entry).member;
  place.section = content.containerOf(entry).section.str();
  place.target = entry.number ? entry.target() : "";
  for (size_t alike : job.text.alike)
    place.alike.push_back(alike + 1);
  return place;
}

/// Unpacks the text of a binary.
static Expected<std::unique_ptr<SourceBuffer>> unpackText(const CheckJob &job, llvm::StringRef name,
                                                          Unpacker &unpacker) {
  const Binary &content = job.binary->content;
  const Entry &entry = content.entries[job.text.entry];
  Expected<std::unique_ptr<SourceBuffer>> text = unpacker.unpack(entry, name);
  const std::string problem = text ? whyNoText((*text)->text()) : text.problem();
  if (problem.empty())
    return text;
  return Problem{problemText({content.objectOf(entry).member, entry.offset, problem})};
}

static Expected<std::unique_ptr<SourceBuffer>> sourceOf(CheckJob &job, llvm::StringRef name, Unpacker &unpacker) {
  if (!job.input.problem.empty())
    return Problem{job.input.problem};
  if (job.source)
    return std::move(job.source);
  return job.binary ? unpackText(job, name, unpacker) : SourceBuffer::open(job.input.path);
}

/// Returns the targets in the headers of the entries with the job's text.
static std::vector<std::string> targetsOf(const CheckJob &job) {
  const std::vector<Entry> &entries = job.binary->content.entries;
  std::vector<std::string> targets = {entries[job.text.entry].target()};
  for (const size_t alike : job.text.alike)
    targets.push_back(entries[alike].target());
  return targets;
}

/// Adds the findings of ptxas. Returns an exit status.
static int judgeWithPtxas(FileReport &report, llvm::StringRef ptxas, const CheckOptions &options) {
  if constexpr (startsPrograms)
    return addVerdict(report, ptxas, options);
  else
    return refuseWithoutPtxas("`--with-ptxas`");
}

static CheckedInput checkJob(CheckJob &job, const CheckTask &task, Unpacker &unpacker, Checker &checker) {
  CheckedInput outcome;
  FileReport &report = outcome.report;
  report.path = job.input.path == "-" ? task.stdinName.str() : job.input.path;
  if (job.binary)
    report.entry = placeOf(job);
  Expected<std::unique_ptr<SourceBuffer>> source = sourceOf(job, nameOf(report), unpacker);
  const std::string problem = source.problem();
  if (source) {
    report.source = std::move(*source);
    outcome = checkText(std::move(report), *job.options, task, checker);
    if (job.binary && job.options->arch.empty())
      compareTargets(report, targetsOf(job));
    if (task.fix)
      fixInput(job, outcome, task, checker);
  }
  if (!problem.empty())
    report = unreadable(std::move(report), problem);
  else if (task.ptxas && !task.constraints && languageIn(report, task) == Language::Ptx)
    outcome.verdict = judgeWithPtxas(report, *task.ptxas, *job.options);
  if (task.updateBaseline)
    task.baseline->accept(report);
  return outcome;
}

/// Writes the fixed text to standard output, and the remaining findings to standard error.
static int fixStandardInput(CheckJob &job, const CheckTask &task, const Shown &shown) {
  Unpacker unpacker(task.limits);
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

/// Checks on several threads. Returns the worst exit status of ptxas.
static int checkAll(std::vector<CheckJob> &jobs, const CheckTask &task, Expansions expansions, OrderedOutput &output) {
  std::atomic<size_t> next = 0;
  std::atomic<int> worst = Clean;
  auto work = [&] {
    Unpacker unpacker(task.limits);
    Checker checker(expansions);
    for (size_t i; (i = next++) < jobs.size();) {
      CheckedInput outcome = checkJob(jobs[i], task, unpacker, checker);
      if (outcome.verdict == NoPtxas || (outcome.verdict == PtxasRefused && worst != NoPtxas))
        worst = outcome.verdict;
      output.put(i, std::move(outcome), jobs[i].binary.get(), task.diff);
    }
  };
  HelperThreads helpers;
  while (helpers.size() + 1 < std::min<size_t>(task.threads, jobs.size()) && helpers.start(work)) {
  }
  work();
  helpers.join();
  output.progress.clear();
  return worst;
}

/// Checks the jobs and writes the findings. Returns an exit status.
static int writeReports(std::vector<CheckJob> &jobs, const CheckTask &task, const Shown &shown,
                        const Arguments &arguments) {
  OrderedOutput output(jobs.size(), shown, task.begin);
  shown.format.begin(shown.out);
  const Expansions expansions = arguments.has("--show-expansion") ? Expansions::Told : Expansions::Left;
  const int verdict = checkAll(jobs, task, expansions, output);
  Totals &totals = output.totals;
  if (task.baseline && !task.updateBaseline)
    totals.dead = task.baseline->countDead();
  if (!task.diff)
    shown.format.end(totals, shown.rendering, shown.out);
  if (totals.unreadable || output.hasUnwritten)
    return BadUsage;
  if (task.updateBaseline) {
    const std::string path = arguments.value("--baseline")->str(), problem = writeFile(path, task.baseline->text());
    return problem.empty() ? Clean : usageError("cannot write the baseline `" + path + "`: " + problem);
  }
  if (verdict)
    return verdict;
  const bool found = task.diff ? totals.fixed > 0 : totals.errors > 0;
  return found && !arguments.has("--exit-zero") ? FoundErrors : Clean;
}

/// Writes the same into the file that `--output-file` names.
static int writeReportsInto(const std::string &path, std::vector<CheckJob> &jobs, const CheckTask &task,
                            const Arguments &arguments) {
  std::error_code error;
  llvm::raw_fd_ostream file(path, error);
  int status = BadUsage;
  if (!error) {
    status = writeReports(jobs, task, shownOf(arguments, &file), arguments);
    file.close();
    error = file.error();
    file.clear_error();
  }
  return error ? usageError("cannot write `" + path + "`: " + error.message()) : status;
}

static int answerRequests(const Arguments &arguments, const CheckTask &task, Configuration &configuration) {
  const auto options = configuration.forInput(task.stdinName);
  return options ? runBatch(arguments, **options) : usageError(options.problem());
}

static int showSettings(const Arguments &arguments, const CheckTask &task, Configuration &configuration) {
  FoundInputs inputs = inputsOf(arguments, configuration);
  if (inputs.problem.empty())
    inputs.problem = showConfig(inputs.all, task.stdinName, configuration, llvm::outs());
  return inputs.problem.empty() ? Clean : usageError(inputs.problem);
}

static int checkWheneverSaved(const Arguments &arguments);

static int runCheck(const Arguments &arguments) {
  const Expected<CheckTask> task = readTask(arguments);
  if (!task)
    return usageError(task.problem());
  if (arguments.has("--watch"))
    return checkWheneverSaved(arguments);
  Configuration configuration = configurationOf(arguments);
  if (arguments.has("--batch"))
    return answerRequests(arguments, *task, configuration);
  if (arguments.has("--show-config"))
    return showSettings(arguments, *task, configuration);
  Expected<std::vector<CheckJob>> jobs = findJobs(arguments, *task, configuration);
  if (!jobs)
    return usageError(jobs.problem());
  if (const std::optional<llvm::StringRef> path = arguments.value("--output-file"))
    return writeReportsInto(path->str(), *jobs, *task, arguments);
  const Shown shown = shownOf(arguments, nullptr);
  if (task->fix && !task->diff && arguments.operands == std::vector<llvm::StringRef>{"-"})
    return fixStandardInput(jobs->front(), *task, shown);
  return writeReports(*jobs, *task, shown, arguments);
}

static int checkWheneverSaved(const Arguments &arguments) {
  Arguments once = arguments;
  llvm::erase_if(once.options, [](const auto &option) { return option.first == "--watch"; });
  auto inputs = [&] {
    Configuration configuration = configurationOf(arguments);
    return inputsOf(arguments, configuration).all;
  };
  return watch(inputs, [&] { return runCheck(once); });
}

Command checkCommand() {
  return {
      .name = "check",
      .summary = "check PTX files, the PTX in binaries and sources, `*.ptx` below folders, standard input (-)",
      .syntax = {.operands = "[FILE|DIR|-]...",
                 .most = anyNumber,
                 .options =
                     {{"--format", diagnosticFormats(), "output format"},
                      {"--language", "ptx|cuda|python|llvm|rust", "language of all inputs (default: by their names)"},
                      {"--inline", "", "below folders, also check the assembly in sources of other languages"},
                      {"--define", "NAME[=VALUE]", "a macro that the build defines, for C++ sources", "-D"},
                      {"--include", "DIR", "also search this folder for headers of C++ sources", "-I"},
                      {"--compile-commands", "FILE", "take macros and folders from this `compile_commands.json`"},
                      {"--show-expansion", "", "show the PTX that is checked for each statement of inline assembly"},
                      {"--batch", "", "read requests as JSON lines from standard input, and answer each with one line"},
                      {"--constraints", "LIST", "each input is one inline assembly statement with LLVM constraints"},
                      {"--stdin-filename", "PATH", "name of standard input (-) in messages"},
                      {"--target", "sm_X", "check with this target instead of `.target`"},
                      {"--ptx", "V", "check with this version instead of `.version`"},
                      {"--arch", "sm_X", "check that the module can be compiled for this GPU"},
                      {"--link", "whole|separate", "with whole, the module must define all functions that it calls"},
                      {"--pedantic", "", "also report bad style"},
                      {"--werror", "", "treat warnings as errors"},
                      {"--on", "RULE,...",
                       "enable these rules, groups (`syntax`), or patterns (`codegen-*`); `ptxray rules` lists them"},
                      {"--off", "RULE,...", "disable them"},
                      {"--error", "RULE,...", "report these rules as errors"},
                      {"--warning", "RULE,...", "report these rules as warnings"},
                      {"--config", "FILE", "read options from this file instead of the nearest `.ptxray`"},
                      {"--no-config", "", "read no `.ptxray`"},
                      {"--show-config", "", "show the settings of each input, and the file that contains each setting"},
                      {"--baseline", "FILE", "report only findings that this file does not list"},
                      {"--update-baseline", "", "write the findings into the baseline"},
                      {"--fix", "", "apply safe fixes; for standard input (-), write the result to standard output"},
                      {"--unsafe-fixes", "", "with --fix or --diff, also apply fixes that are guesses"},
                      {"--diff", "", "show the fixes as a diff, without writing them"},
                      {"--statistics", "", "show how often each rule reports, instead of the findings"},
                      {"--max-errors", "N", "show at most N errors per input, and no findings after them"},
                      {"--watch", "", "check again whenever an input is saved"},
                      {"--output-file", "FILE", "write the report into this file", "-o"},
                      {"--quiet", "", "print neither a summary nor progress", "-q"},
                      {"--exit-zero", "", "exit with 0 even if errors are found"},
                      {"--no-fold", "", "do not group similar diagnostics"},
                      {"--binaries", "", "below folders, also check binaries, recognised by their first bytes"},
                      {"--warnings", "", "also report warnings in binaries"},
                      {"--with-ptxas", "", "also report the messages of ptxas"},
                      {"--ptxas", "PATH", "the ptxas to use"},
                      maxSizeOption(),
                      colorOption(),
                      {"--site", "URL",
                       "address of the documentation site, for links to rules (default: $PTXRAY_SITE)"},
                      {"--jobs", "N", "number of files to check at the same time (default: one per core)"}}},
      .run = runCheck};
}

} // namespace ptxray
