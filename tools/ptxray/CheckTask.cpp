#include "CheckTask.h"
#include "Binaries.h"
#include "llvm/ADT/STLExtras.h"
#include <thread>

namespace ptxray {

/// Returns the problem of options that cannot be combined, or an empty string.
static std::string conflictIn(const Arguments &arguments) {
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

/// Returns the number of files that are checked at the same time.
static Expected<unsigned> threadsOf(const Arguments &arguments) {
  unsigned threads = std::max(1u, std::thread::hardware_concurrency());
  if (const std::optional<llvm::StringRef> written = arguments.value("--jobs"))
    if (written->getAsInteger(10, threads) || threads == 0)
      return Problem{"`--jobs` requires a number from 1, not `" + written->str() + "`"};
#ifdef __wasm__ // has no others
  threads = 1;
#endif
  return threads;
}

static Expected<std::unique_ptr<Baseline>> readBaseline(const std::string &path, bool isUpdated) {
  auto baseline = std::make_unique<Baseline>(path);
  if (isUpdated)
    return baseline;
  const auto source = SourceBuffer::open(path);
  if (!source)
    return Problem{"cannot read the baseline `" + path + "`: " + source.problem() + " (--update-baseline writes it)"};
  baseline->read((*source)->text());
  return baseline;
}

Expected<CheckTask> readTask(const Arguments &arguments) {
  if (const std::string conflict = conflictIn(arguments); !conflict.empty())
    return Problem{conflict};
  const Expected<unsigned> threads = threadsOf(arguments);
  const Expected<ReadLimits> limits = readLimits(arguments);
  if (!threads || !limits)
    return Problem{threads ? limits.problem() : threads.problem()};
  CheckTask task;
  task.threads = *threads;
  task.limits = *limits;
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
  if (std::optional<llvm::StringRef> path = arguments.value("--baseline")) {
    Expected<std::unique_ptr<Baseline>> baseline = readBaseline(path->str(), task.updateBaseline);
    if (!baseline)
      return Problem{baseline.problem()};
    task.baseline = std::move(*baseline);
  }
  return task;
}

/// Returns the options that setOption understands, in the order of the command line.
static std::vector<Configuration::Setting> settingsOf(const Arguments &arguments) {
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

/// Returns the path of the configuration file. With an empty path, no file is read. Without one, the file nearest to
/// the input is read.
static std::optional<std::string> configFileOf(const Arguments &arguments) {
  if (arguments.has("--no-config"))
    return "";
  if (const std::optional<llvm::StringRef> path = arguments.value("--config"))
    return path->str();
  return std::nullopt;
}

Configuration configurationOf(const Arguments &arguments) {
  return Configuration(settingsOf(arguments), configFileOf(arguments));
}

} // namespace ptxray
