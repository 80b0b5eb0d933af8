#include "Assemble.h"
#include "../launcher/Recording.h"
#include "Binaries.h"
#include "Check/Suppressions.h"
#include "Isa/Isa.h"
#include "Ptxas/CommandLine.h"
#include "Ptxas/Messages.h"
#include "Ptxas/ObjectFile.h"
#include "Ptxas/Ptxas.h"
#include "Workspace/Config.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include <csignal>
#include <cstring>
#include <unistd.h>

namespace ptxray {

using llvm::StringRef;

static int complain(int status, const std::string &message) {
  llvm::outs().flush();
  usageError(message);
  return status;
}

/// Reports how a run of ptxas ended if it has no exit status.
static int complainOfEnd(const Ptxas &ptxas, const ProgramResult &run, unsigned seconds) {
  const std::string self = "ptxas " + ptxas.release + " (" + ptxas.path + ") ";
  switch (run.end) {
  case ProgramEnd::NotStarted: return complain(NoPtxas, self + "cannot be started: " + std::strerror(run.detail));
  case ProgramEnd::Killed:
    return complain(NoPtxas,
                    self + "was ended by signal " + std::to_string(run.detail) + " (" + strsignal(run.detail) + ")");
  case ProgramEnd::TimedOut: return complain(NoPtxas, self + "was ended after " + std::to_string(seconds) + " s");
  case ProgramEnd::Interrupted:
    llvm::outs().flush();
    signal(run.detail, SIG_DFL);
    raise(run.detail);
    return NoPtxas;
  case ProgramEnd::Exited: break;
  }
  return Clean;
}

static constexpr size_t enoughToKnow = 64; // bytes that show the kind of a file

/// Replaces the file by another text. Like the next two functions, returns what went wrong.
std::string AssembleInput::take(StringRef text) {
  MemoryFile held;
  if (std::string problem = held.hold(text); !problem.empty())
    return problem;
  auto source = SourceBuffer::open(held.path());
  if (!source)
    return source.problem();
  file = std::move(held);
  report.source = std::move(*source);
  return "";
}

/// Replaces the binary by the text of one of its entries.
std::string AssembleInput::takeEntry(const Arguments &arguments) {
  const OneText text = openText(file.path(), arguments);
  if (!text.source)
    return text.problem;
  isSeparate = text.isSeparate;
  report.path += text.entry.empty() ? "" : ":" + text.entry;
  return take(text.source->text());
}

/// Takes the text unchanged, except for NULs at its end.
std::string AssembleInput::takeText() {
  auto source = SourceBuffer::open(file.path());
  if (!source)
    return source.problem();
  const StringRef text = (*source)->text();
  if (text.ends_with(StringRef("\0", 1)) && !isBinary(text))
    return take(text.rtrim('\0'));
  report.source = std::move(*source);
  return "";
}

int AssembleInput::read(StringRef path, const Arguments &arguments) {
  if (const int status = readOptions(path, arguments))
    return status;
  if (launcher::isRecording(path.str())) {
    if (const int status = readRecorded(path, arguments))
      return status;
    std::string unheld = file.hold(report.source->text());
    if (unheld.empty())
      unheld = takeText();
    return unheld.empty() ? Clean : refuseUnreadable(unheld, arguments);
  }
  std::string problem = file.fill(path, MemoryFile::Ending::Kept);
  if (problem.empty()) {
    const std::string beginning = file.beginning(enoughToKnow);
    const bool isObject = beginning.starts_with(elfMagic) && (isCubin(beginning) || beginning.size() < enoughToKnow);
    const bool hasEntries = arguments.has("--text") || (isBinary(beginning) && !isObject);
    problem = hasEntries ? takeEntry(arguments) : takeText();
  }
  return problem.empty() ? Clean : refuseUnreadable(problem, arguments);
}

/// Escapes lines that are not messages of ptxas for a terminal.
static std::string escapedLines(StringRef text) {
  std::string lines;
  for (auto [line, rest] = text.split('\n'); !line.empty() || !rest.empty(); std::tie(line, rest) = rest.split('\n'))
    lines += escaped(line) + "\n";
  return lines;
}

bool addMessages(FileReport &report, const std::string &printed, const CheckOptions &options) {
  PtxasMessages messages = readMessages(printed, *report.source);
  const bool knowsCount =
      llvm::none_of(report.diagnostics, [](const Diagnostic &d) { return d.id == DiagId::RegisterCountUnknown; });
  for (Diagnostic &d : messages.diagnostics)
    // If a register count is not known, this was already reported at the instruction.
    if (isWanted(d, options) && (d.id != DiagId::SetmaxnregIgnored || knowsCount))
      report.diagnostics.push_back(std::move(d));
  llvm::stable_sort(report.diagnostics,
                    [](const Diagnostic &a, const Diagnostic &b) { return a.range.begin < b.range.begin; });
  report.functions = std::move(messages.functions);
  llvm::errs() << escapedLines(messages.rest);
  return messages.refusesText;
}

static std::vector<std::string> optionsFor(const Arguments &arguments, StringRef gpu) {
  std::vector<std::string> options;
  const bool namesGpu = llvm::any_of(
      arguments.passedOn, [](StringRef word) { return word.starts_with("-arch") || word.starts_with("--gpu-name"); });
  if (!namesGpu)
    options.push_back("--gpu-name=" + gpu.str());
  if (arguments.has("-v"))
    options.push_back("-v");
  for (StringRef word : arguments.passedOn)
    options.push_back(word.str());
  return options;
}

/// Reads the time limit, or 0 without the option.
static int readTimeout(const Arguments &arguments, unsigned &seconds) {
  if (std::optional<StringRef> written = arguments.value("--ptxas-time-limit"))
    if (written->getAsInteger(10, seconds) || seconds == 0)
      return usageError("`--ptxas-time-limit` requires a number of seconds, not `" + written->str() + "`");
  return Clean;
}

/// Reports why ptxas rejected a text that ptxray accepted: because of the options after `--`, of code that ptxas cannot
/// generate, or of an error that ptxray missed.
static int complainOfRefusal(const Ptxas &ptxas, AssembleInput &input, StringRef gpu, const Arguments &arguments,
                             const Assembly &refused, bool refusesText, unsigned seconds) {
  const std::string self = "ptxas " + ptxas.release + " ";
  if (!arguments.passedOn.empty()) {
    Arguments own = arguments;
    own.passedOn.clear();
    const Assembly without = assemble(ptxas, input.file, optionsFor(own, gpu), seconds);
    if (without.run.end == ProgramEnd::Exited && without.run.detail == 0)
      return complain(BadUsage, self + "rejects the options after `--`; without them, it accepts the file");
  }
  if (!refusesText)
    return complain(PtxasRefused, self + "reads the file and generates no code for it");
  return complain(PtxasRefused, self + "rejects a file that ptxray accepted (its exit status: " +
                                    std::to_string(refused.run.detail) + "); please report it");
}

int assembleInput(AssembleInput &input, StringRef gpu, const Arguments &arguments, MemoryFile &object) {
  unsigned seconds = 0;
  if (const int status = readTimeout(arguments, seconds))
    return status;
  FileReport &report = input.report;
  const PtxasTask task = {findVersion(report.ptx).value_or(0), gpu};
  const Expected<Ptxas> ptxas = findPtxas(arguments.value("--ptxas").value_or(""), task, seconds);
  if (!ptxas) {
    printReport(report, arguments);
    return complain(NoPtxas, ptxas.problem());
  }
  std::vector<std::string> options = optionsFor(arguments, gpu);
  if (input.isSeparate)
    options.push_back("--compile-only");
  Assembly assembly = assemble(*ptxas, input.file, options, seconds);
  const bool refusesText = addMessages(report, assembly.run.printed, input.options);
  report.compiler = {ptxas->path, ptxas->release};
  printReport(report, arguments);
  if (const int status = complainOfEnd(*ptxas, assembly.run, seconds))
    return status;
  if (assembly.run.detail != 0)
    return complainOfRefusal(*ptxas, input, gpu, arguments, assembly, refusesText, seconds);
  if (const std::string wrong = whatIsWrongWith(assembly.object); !wrong.empty())
    return complain(NoPtxas, "ptxas " + ptxas->release + " (" + ptxas->path +
                                 ") ended successfully, but the file that it wrote " + wrong);
  object = std::move(assembly.object);
  return hasErrors(report) ? FoundErrors : Clean; // happens with --werror
}

static int runAs(const Arguments &arguments) {
  const std::optional<StringRef> output = arguments.value("-o");
  if (!output)
    return usageError("`-o OUT` is missing");
  unsigned seconds = 0;
  if (const int status = readTimeout(arguments, seconds)) // before any other work
    return status;
  AssembleInput input;
  if (const int status = input.read(arguments.operands.front(), arguments))
    return status;
  if (input.options.linking == Linking::Unknown)
    input.options.linking = input.isSeparate ? Linking::Separate : Linking::Whole;
  input.check();
  if (hasErrors(input.report)) {
    printReport(input.report, arguments);
    return FoundErrors;
  }
  MemoryFile object;
  const std::string &arch = input.options.arch;
  const std::string gpu = arch.empty() ? input.report.target : arch;
  if (const int status = assembleInput(input, gpu, arguments, object))
    return status;
  if (const std::string problem = object.copyTo(*output); !problem.empty())
    return complain(BadUsage, "cannot write `" + output->str() + "`: " + problem);
  return Clean;
}

/// Returns the virtual architecture under which ptxas reads and checks a module without generating code.
static std::string virtualArchitecture(StringRef target) {
  target.consume_front("sm_");
  return "--gpu-name=compute_" + target.str();
}

int addVerdict(FileReport &report, StringRef wanted, const CheckOptions &options) {
  const Expected<Ptxas> ptxas = findPtxas(wanted, {findVersion(report.ptx).value_or(0), report.target}, 0);
  MemoryFile input;
  if (const std::string problem = ptxas ? input.hold(report.source->text()) : ptxas.problem(); !problem.empty())
    return complain(NoPtxas, problem);
  constexpr unsigned patience = 600;
  const Assembly assembly = assemble(*ptxas, input, virtualArchitecture(report.target), patience);
  if (const int status = complainOfEnd(*ptxas, assembly.run, patience))
    return status;
  const bool hadErrors = hasErrors(report);
  addMessages(report, assembly.run.printed, options);
  if (assembly.run.detail != 0)
    return hadErrors ? FoundErrors : PtxasRefused;
  if (!hadErrors)
    return Clean;
  Diagnostic &accepted = report.diagnostics.emplace_back();
  accepted.id = DiagId::PtxasAccepts;
  accepted.severity = Severity::Warning;
  accepted.args = {ptxas->release};
  return FoundErrors;
}

Command asCommand() {
  return {
      .name = "as",
      .summary = "check a PTX file, then have ptxas assemble it",
      .syntax = {.operands = "FILE|- -o OUT [-- PTXAS OPTION...]",
                 .fewest = 1,
                 .most = 1,
                 .options = {{"-o", "OUT", "the object file", "--output-file"},
                             {"--target", "sm_X", "the GPU to compile for (default: the one in `.target`)", "--arch"},
                             {"--ptxas", "PATH", "the ptxas to use (default: $PTXAS, CUDA's, the one in PATH ...)"},
                             {"--ptxas-time-limit", "SECONDS", "stop ptxas after this time", "--timeout"},
                             {"-v", "", "show the resources of each function: registers, spills, shared memory ..."},
                             {"--format", diagnosticFormats(), "format of the diagnostics"},
                             {"--config", "FILE", "read options from this file instead of the nearest `.ptxray`"},
                             {"--no-config", "", "read no `.ptxray`"},
                             {"--werror", "", "treat warnings as errors"},
                             {"--no-fold", "", "do not group similar diagnostics"},
                             entryOption(),
                             colorOption()},
                 .words = Words::PassedOn},
      .run = runAs};
}

} // namespace ptxray
