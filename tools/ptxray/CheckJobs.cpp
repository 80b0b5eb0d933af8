#include "CheckJobs.h"
#include "CompileCommands.h"
#include "llvm/ADT/STLExtras.h"

namespace ptxray {

/// Returns the options for a text of a binary: those of its compilation, without warnings unless they are requested.
static std::shared_ptr<const CheckOptions> optionsFor(const TextTask &text, const CheckOptions &options,
                                                      const Arguments &arguments) {
  auto own = std::make_shared<CheckOptions>(options);
  if (!arguments.has("--link"))
    own->linking = text.isSeparate ? Linking::Separate : Linking::Whole;
  if (!text.failsArch)
    own->arch.clear();
  own->errorsOnly = !arguments.has("--warnings");
  return own;
}

/// Returns whether an input need not be opened before its job begins.
static bool isSurelyText(const Input &input) {
  return !input.problem.empty() || (isPlainFile(input.path) && !beginsAsBinary(input.path));
}

/// Adds the jobs of an input that may be a binary. These are the input itself, or the texts of the binary and its
/// problems.
static void addTexts(const Input &input, const std::shared_ptr<const CheckOptions> &options, const ReadLimits &limits,
                     const Arguments &arguments, std::vector<CheckJob> &jobs) {
  CheckJob itself{input, options, nullptr, nullptr, {}};
  Expected<OpenInput> opened = openInput(input.path, limits);
  if (!opened || !opened->binary) {
    itself.source = opened ? std::move(opened->text) : nullptr;
    itself.input.problem += opened.problem();
    jobs.push_back(std::move(itself));
    return;
  }
  const std::shared_ptr<const OpenBinary> binary = std::move(opened->binary);
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

FoundInputs inputsOf(const Arguments &arguments, Configuration &configuration) {
  const llvm::StringRef here = ".";
  const llvm::ArrayRef<llvm::StringRef> operands =
      arguments.operands.empty() ? llvm::ArrayRef(here) : llvm::ArrayRef(arguments.operands);
  FoundInputs found;
  auto wantsSource = [&](const std::string &path) {
    const auto settings = configuration.settingsFor(path);
    found.problem = found.problem.empty() ? settings.problem() : found.problem;
    return settings && (*settings)->inlined;
  };
  found.all = findInputs(
      operands, {.binaries = arguments.has("--binaries"), .sources = arguments.has("--inline"), .source = wantsSource});
  return found;
}

/// Returns the options, with those that the build uses for a C++ source.
static std::shared_ptr<const CheckOptions> withBuild(std::shared_ptr<const CheckOptions> options,
                                                     const Arguments &arguments,
                                                     const llvm::StringMap<SourceCommand> &commands,
                                                     const std::string &path) {
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

Expected<std::vector<CheckJob>> findJobs(const Arguments &arguments, const CheckTask &task,
                                         Configuration &configuration) {
  llvm::StringMap<SourceCommand> commands;
  if (const std::optional<llvm::StringRef> path = arguments.value("--compile-commands")) {
    Expected<llvm::StringMap<SourceCommand>> read = readCompileCommands(*path);
    if (!read)
      return Problem{"cannot read `" + path->str() + "`: " + read.problem()};
    commands = std::move(*read);
  }
  const FoundInputs inputs = inputsOf(arguments, configuration);
  if (!inputs.problem.empty())
    return Problem{inputs.problem};
  std::vector<CheckJob> jobs;
  for (const Input &input : inputs.all) {
    const auto settings = configuration.settingsFor(input.path == "-" ? task.stdinName : input.path);
    if (!settings)
      return Problem{settings.problem()};
    if (!input.isNamed && (*settings)->isExcluded)
      continue;
    const auto options = withBuild({*settings, &(*settings)->check}, arguments, commands, input.path);
    if (isSurelyText(input))
      jobs.push_back({input, options, nullptr, nullptr, {}});
    else
      addTexts(input, options, task.limits, arguments, jobs);
  }
  if (task.fix && llvm::any_of(jobs, [](const CheckJob &job) { return job.binary != nullptr; }))
    return Problem{"`--fix` cannot write into a binary"};
  return jobs;
}

} // namespace ptxray
