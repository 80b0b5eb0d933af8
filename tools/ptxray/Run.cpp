// `ptxray run`: everything up to the launch. The launch itself is done by ptxray-run, a separate program, since this
// one is static and cannot open the CUDA driver.
#include "../ptxray-run/LaunchOptions.h"
#include "Assemble.h"
#include "BinaryOptions.h"
#include "Command.h"
#include "Isa/Isa.h"
#include "Ptxas/Messages.h"
#include "Ptxas/Ptxas.h"
#include "Reports.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

namespace ptxray {

using llvm::StringRef;

namespace {

struct Parameter {
  std::string name, type; // `.u64`
  bool isArray = false;
  uint64_t bytes = 0;
};
struct KernelEntry {
  std::string name;
  std::vector<Parameter> parameters;
  std::string threads; // of `.reqntid`: `128,1,1`
};

} // namespace

static std::vector<KernelEntry> findEntries(const Ast &ast) {
  std::vector<KernelEntry> entries;
  for (const Function &function : ast.functions) {
    if (function.kind != FunctionKind::Entry || !function.hasBody)
      continue;
    KernelEntry &entry = entries.emplace_back();
    entry.name = ast.text(function.name).str();
    for (uint32_t i = function.parameters.first; i < function.parameters.end(); ++i) {
      const Declaration &declared = ast.declarations[i];
      Parameter parameter{ast.text(declared.name).str(), ast.text(declared.type).str(), !declared.dims.empty(), 1};
      if (const isa::WordId type = isa::findWord(parameter.type))
        parameter.bytes = std::max(1, isa::word(type).bits / 8);
      for (uint32_t d = declared.dims.first; d < declared.dims.end(); ++d)
        parameter.bytes *= ast.dims[d];
      entry.parameters.push_back(std::move(parameter));
    }
    for (uint32_t i = function.directives.first; i < function.directives.end(); ++i)
      if (ast.text(ast.directives[i].name) == ".reqntid")
        for (const Operand &operand : ast.operandsOf(ast.directives[i].operands))
          entry.threads += (entry.threads.empty() ? "" : ",") + std::to_string(operand.value);
  }
  return entries;
}

/// The path of ptxray-run: $PTXRAY_RUN, else next to this program, else in the build folder.
static std::string companion() {
  if (const char *named = std::getenv("PTXRAY_RUN"); named && *named)
    return named;
  char self[PATH_MAX];
  const ssize_t length = readlink("/proc/self/exe", self, sizeof self);
  const std::string folder = StringRef(self, std::max<ssize_t>(0, length)).rsplit('/').first.str();
  for (const char *place : {"/ptxray-run", "/../libexec/ptxray-run", "/../ptxray-run/ptxray-run"})
    if (access((folder + place).c_str(), X_OK) == 0)
      return folder + place;
  return "";
}

/// Adds types to arguments: `7` becomes `u32=7`; an argument that names its type is kept. Returns what is wrong, or an
/// empty text.
static std::string typedArguments(const KernelEntry &entry, llvm::ArrayRef<StringRef> written,
                                  std::vector<std::string> &out) {
  if (written.size() != entry.parameters.size())
    return "kernel `" + entry.name + "` has " + std::to_string(entry.parameters.size()) +
           (entry.parameters.size() == 1 ? " parameter" : " parameters") +
           "; written: " + std::to_string(written.size()) + (written.size() == 1 ? " argument" : " arguments");
  for (auto [parameter, text] : llvm::zip(entry.parameters, written)) {
    const StringRef type = StringRef(parameter.type).drop_front();
    const bool isBytes = text.starts_with("hex=") || text.starts_with("{") || text.starts_with("tma=");
    const bool isPointer = !isBytes && (text.contains(':') || text.starts_with("&"));
    if (parameter.isArray && !isBytes)
      return "parameter `" + parameter.name + "` has " + std::to_string(parameter.bytes) +
             " bytes: a structure `{...}`, a tensor map `tma=...` or `hex=...` expected";
    if (!parameter.isArray && isPointer && !type.ends_with("64"))
      return "parameter `" + parameter.name + "` is " + parameter.type + " and accepts no address";
    out.push_back(isBytes || isPointer ? text.str() : type.str() + "=" + text.str());
  }
  return "";
}

/// The sizes of the parameters, to which ptxray-run fits the arguments.
static std::string parameterSizes(const KernelEntry &entry) {
  std::string sizes;
  for (const Parameter &parameter : entry.parameters)
    sizes += (sizes.empty() ? "" : ",") + std::to_string(parameter.bytes);
  return sizes;
}

/// Runs a program that shares standard output and error.
static int runShared(const std::string &path, llvm::ArrayRef<std::string> arguments) {
  std::vector<char *> words{const_cast<char *>(path.c_str())};
  for (const std::string &argument : arguments)
    words.push_back(const_cast<char *>(argument.c_str()));
  words.push_back(nullptr);
  llvm::outs().flush();
  pid_t child;
  int status = 0;
  if (const int reason = posix_spawn(&child, path.c_str(), nullptr, nullptr, words.data(), environ))
    return usageError("`" + path + "` cannot be started: " + std::strerror(reason));
  while (waitpid(child, &status, 0) < 0 && errno == EINTR)
    ;
  return WIFEXITED(status) ? WEXITSTATUS(status) : KernelFailed;
}

/// The GPU that the module is compiled for: the module's own target if it fits the present GPU, since only that may be
/// an architecture-specific one.
static std::string targetFor(StringRef moduleTarget, StringRef gpu) {
  const int own = isa::findTarget(moduleTarget), other = isa::findTarget(gpu);
  const bool sameNumber = own >= 0 && other >= 0 && isa::targets()[own].number == isa::targets()[other].number;
  return (sameNumber ? moduleTarget : gpu).str();
}

namespace {

/// The command line of ptxray-run.
struct Launch {
  std::string launcher;           // empty: it is missing
  std::vector<std::string> words; // the options
  std::vector<std::string> values;

  std::vector<std::string> arguments(const std::string &image, llvm::ArrayRef<std::string> more = {}) const;
  int run(const std::string &image, llvm::ArrayRef<std::string> more = {}) const;
};

} // namespace

std::vector<std::string> Launch::arguments(const std::string &image, llvm::ArrayRef<std::string> more) const {
  std::vector<std::string> all = words;
  llvm::append_range(all, more);
  all.insert(all.end(), {"--", image});
  llvm::append_range(all, values);
  return all;
}

int Launch::run(const std::string &image, llvm::ArrayRef<std::string> more) const {
  if (launcher.empty())
    return usageError("ptxray-run is missing: it belongs beside ptxray (or in $PTXRAY_RUN)");
  return runShared(launcher, arguments(image, more));
}

static std::vector<std::string> sharedWords(const Arguments &arguments) {
  std::vector<std::string> words{"--name", arguments.operands.front().str()};
  const std::vector<Option> shared = launchOptions();
  for (const auto &[name, value] : arguments.options) {
    const auto option = llvm::find_if(shared, [name = name](const Option &one) { return StringRef(one.name) == name; });
    if (option == shared.end() || name == "--kernel" || name == "--jit") // which are decided by what the file is
      continue;
    words.push_back(name.str());
    if (!option->value.empty())
      words.push_back(value.str());
  }
  return words;
}

/// Passes arguments on as they are written, since the parameters of an object are not known.
static int runObject(Launch launch, const std::string &path, const Arguments &arguments) {
  if (const std::optional<StringRef> kernel = arguments.value("--kernel"))
    launch.words.insert(launch.words.end(), {"--kernel", kernel->str()});
  for (StringRef text : llvm::ArrayRef(arguments.operands).drop_front())
    launch.values.push_back(text.str());
  return launch.run(path);
}

/// The kernel that is named, or the only one. Returns what is wrong, or an empty text.
static std::string chooseEntry(const Ast &ast, std::optional<StringRef> named, KernelEntry &chosen) {
  const std::vector<KernelEntry> entries = findEntries(ast);
  llvm::SmallVector<StringRef> names;
  for (const KernelEntry &entry : entries)
    names.push_back(entry.name);
  const StringRef wanted = named.value_or(entries.size() == 1 ? StringRef(entries[0].name) : "");
  if (wanted.empty())
    return "`--kernel` is missing: this module has " +
           (names.empty() ? "no kernel" : std::to_string(names.size()) + " (" + llvm::join(names, ", ") + ")");
  const auto entry = llvm::find_if(entries, [&](const KernelEntry &e) { return e.name == wanted; });
  if (entry == entries.end())
    return "there is no kernel `" + wanted.str() + "`" + didYouMean(wanted, names);
  chosen = *entry;
  return "";
}

/// Lets the driver compile the text.
static int runCompiledByDriver(const Launch &launch, AssembleInput &input, const Arguments &arguments) {
  MemoryFile log;
  std::string reason;
  if (!log.create(reason))
    return usageError(reason);
  const int status = launch.run(input.file.path(), {"--jit", "--log", log.path()});
  addMessages(input.report, log.beginning(1 << 20), input.options);
  printReport(input.report, arguments);
  return status;
}

static int runAssembled(const Launch &launch, AssembleInput &input, const Arguments &arguments) {
  std::vector<std::string> probe{"--probe"};
  if (std::optional<StringRef> device = arguments.value("--device"))
    probe.insert(probe.end(), {"--device", device->str()});
  const ProgramResult answer = runProgram(launch.launcher, probe, 60);
  const StringRef gpu = StringRef(answer.printed).split(' ').first;
  if (answer.end != ProgramEnd::Exited || answer.detail != 0 || !gpu.starts_with("sm_")) {
    llvm::errs() << answer.printed;
    return answer.end == ProgramEnd::Exited && answer.detail ? answer.detail : NoGpu;
  }
  MemoryFile object;
  if (const int status = assembleInput(input, targetFor(input.report.target, gpu), arguments, object))
    return status;
  return launch.run(object.path());
}

static int runRun(const Arguments &arguments) {
  Launch launch{companion(), sharedWords(arguments), {}};
  AssembleInput input;
  if (const int status = input.read(arguments.operands.front(), arguments))
    return status;
  if (input.report.source->text().starts_with("\x7f"
                                              "ELF"))
    return runObject(std::move(launch), input.file.path(), arguments);
  input.check();
  if (hasErrors(input.report))
    return printReport(input.report, arguments), FoundErrors;

  KernelEntry entry;
  Parser parser;
  DiagnosticSink known; // it has been checked
  const Ast &ast = parser.read(*input.report.source, known);
  if (const std::string complaint = chooseEntry(ast, arguments.value("--kernel"), entry); !complaint.empty())
    return usageError(complaint);
  if (const std::string complaint =
          typedArguments(entry, llvm::ArrayRef(arguments.operands).drop_front(), launch.values);
      !complaint.empty())
    return usageError(complaint);
  launch.words.insert(launch.words.end(), {"--kernel", entry.name, "--parameters", parameterSizes(entry)});
  if (!arguments.has("--block") && !entry.threads.empty())
    launch.words.insert(launch.words.end(), {"--block", entry.threads});
  // Arguments are checked before a GPU is looked for and ptxas is called.
  if (const int status = launch.run(input.file.path(), {"--validate"}))
    return status;
  return arguments.has("--jit") ? runCompiledByDriver(launch, input, arguments)
                                : runAssembled(launch, input, arguments);
}

static std::vector<Option> runOptions() {
  std::vector<Option> options = launchOptions();
  options.insert(options.end(), {{"--ptxas", "PATH", "the ptxas to use"},
                                 {"--timeout", "SECONDS", "stop ptxas after this time"},
                                 {"-v", "", "show what each function uses"},
                                 {"--format", diagnosticFormats(), "form of the diagnostics"},
                                 {"--config", "FILE", "read options from this file, not from the nearest `.ptxray`"},
                                 {"--no-config", "", "read no `.ptxray`"},
                                 {"--werror", "", "treat warnings as errors"},
                                 {"--no-fold", "", "show similar diagnostics one by one"},
                                 entryOption(),
                                 colorOption()});
  return options;
}

Command runCommand() {
  return {.name = "run",
          .summary = "run a kernel of a PTX file on the GPU",
          .syntax = {.operands = "FILE ARGUMENT... [-- PTXAS OPTION...]",
                     .fewest = 1,
                     .most = anyNumber,
                     .options = runOptions(),
                     .words = Words::PassedOn},
          .run = runRun};
}

} // namespace ptxray
