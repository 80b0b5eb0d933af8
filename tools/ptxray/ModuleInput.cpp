// Reads a text with its options, and prints the findings of a check.
#include "ModuleInput.h"
#include "Binaries.h"
#include "Isa/Isa.h"
#include "Printed.h"
#include "Ptxas/CommandLine.h"
#include "Workspace/Config.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"

namespace ptxray {

using llvm::StringRef;

Expected<CheckOptions> findOptions(StringRef path, const Arguments &arguments) {
  std::vector<Configuration::Setting> settings;
  if (arguments.has("--werror"))
    settings.emplace_back("werror", "yes");
  if (arguments.has("--pedantic"))
    settings.emplace_back("pedantic", "yes");
  std::optional<std::string> configFile;
  if (arguments.has("--no-config"))
    configFile = "";
  else if (std::optional<StringRef> written = arguments.value("--config"))
    configFile = written->str();
  const auto options = Configuration(settings, configFile).forInput(path == "-" ? "<stdin>" : path);
  if (!options)
    return Problem{options.problem()};
  CheckOptions found = **options;
  found.target.clear();
  found.ptx.clear();
  if (std::optional<StringRef> target = arguments.value("--target"))
    found.arch = target->str();
  return found;
}

/// Rejects options after `--` with which ptxas makes no object file, or combines the checked file with others.
static int refuseOptions(const PtxasCommandLine &line) {
  if (StringRef(line.arch).starts_with("compute_"))
    return usageError("`" + line.arch + "` after `--` is a virtual architecture, for which ptxas generates no code");
  if (!line.texts.empty())
    return usageError("`--input-as-string` after `--` is a second input, which is not checked");
  for (const std::string &file : line.files)
    if (llvm::sys::fs::exists(file))
      return usageError("`" + file + "` after `--` is a second input, which is not checked");
  return Clean;
}

int ModuleInput::readOptions(StringRef path, const Arguments &arguments) {
  const std::vector<std::string> passedOn(arguments.passedOn.begin(), arguments.passedOn.end());
  const PtxasCommandLine line = readPtxasCommandLine(passedOn);
  if (const int status = refuseOptions(line))
    return status;
  Expected<CheckOptions> found = findOptions(path, arguments);
  if (!found)
    return usageError(found.problem());
  options = std::move(*found);
  options.kernels = line.kernels;
  if (options.linking == Linking::Unknown && line.isSeparate)
    options.linking = Linking::Separate;
  if (!options.arch.empty() && isa::findTarget(options.arch) < 0)
    return unknownTarget(options.arch);
  report.path = path == "-" ? "<stdin>" : path.str();
  return Clean;
}

std::string targetFor(StringRef moduleTarget, StringRef gpu) {
  const int own = isa::findTarget(moduleTarget), other = isa::findTarget(gpu);
  const bool sameNumber = own >= 0 && other >= 0 && isa::targets()[own].number == isa::targets()[other].number;
  return (sameNumber ? moduleTarget : gpu).str();
}

/// Returns the first word after the first `.target` in a text.
static StringRef writtenTarget(StringRef text) {
  return text.split(".target").second.ltrim().take_until([](char c) { return c <= ' ' || c == ','; });
}

int ModuleInput::readRecorded(StringRef path, const Arguments &arguments) {
  recording = path.str();
  const std::optional<StringRef> limit = arguments.value("--memory-limit");
  const uint64_t most = (limit ? bytesNamed(*limit) : std::nullopt).value_or(launcher::mostRecorded);
  try {
    if (const std::string problem = take(recorded.emplace(), launcher::readRecording(recording, most));
        !problem.empty())
      return usageError(problem);
  } catch (const std::bad_alloc &) {
    return usageError("`" + recording + "` needs more memory than this machine has");
  }
  for (const std::string &remark : launcher::remarksOn(*recorded))
    usageError(remark);
  report.source = SourceBuffer::fromText(path, recorded->ptx);
  if (const std::optional<StringRef> other = arguments.value("--ptx")) {
    report.path = other->str();
    auto source = SourceBuffer::open(report.path);
    if (!source)
      return refuseUnreadable(source.problem(), arguments);
    report.source = std::move(*source);
  }
  if (options.arch.empty() && isa::findTarget(recorded->target) >= 0)
    options.arch = targetFor(writtenTarget(report.source->text()), recorded->target);
  return Clean;
}

int ModuleInput::refuseUnreadable(const std::string &problem, const Arguments &arguments) {
  report = unreadable(std::move(report), problem);
  printReport(report, arguments);
  return BadUsage;
}

int ModuleInput::read(StringRef path, const Arguments &arguments) {
  if (const int status = readOptions(path, arguments))
    return status;
  if (launcher::isRecording(path.str()))
    return readRecorded(path, arguments);
  OneText text = openText(path, arguments);
  const bool isObject = text.isObject || (text.source && text.source->text().starts_with(elfMagic));
  if (isObject && !arguments.has("--text"))
    return usageError("`" + report.path + "` contains GPU code; only PTX can be emulated");
  if (!text.source)
    return refuseUnreadable(text.problem, arguments);
  report.path += text.entry.empty() ? "" : ":" + text.entry;
  isSeparate = text.isSeparate;
  const StringRef characters = text.source->text();
  report.source = text.entry.empty() && characters.ends_with(StringRef("\0", 1))
                      ? SourceBuffer::fromText(path, characters.rtrim('\0'))
                      : std::move(text.source);
  return Clean;
}

void ModuleInput::checkAndKeep() {
  KeptModule kept = ptxray::checkAndKeep(std::move(report), options);
  report = std::move(kept.report);
  module = std::move(kept.module);
}

bool hasErrors(const FileReport &report) {
  return llvm::any_of(report.diagnostics, [](const Diagnostic &d) { return d.severity == Severity::Error; });
}

void printReport(const FileReport &report, const Arguments &arguments) {
  const StringRef name = arguments.value("--format").value_or("text");
  const Format &format = *llvm::find_if(formats, [&](const Format &f) { return f.name == name; });
  Totals totals;
  totals.add(report);
  format.begin(printed());
  const RenderOptions options{.color = wantsColor(arguments), .fold = !arguments.has("--no-fold")};
  format.file(report, options, printed());
  format.end(totals, options, printed());
}

} // namespace ptxray
