#include "BinaryTargets.h"
#include "Command.h"
#include "Gpus/CudaReleases.h"
#include "Inputs.h"
#include "Isa/Isa.h"
#include "Render/Render.h"
#include "Source/JsonValue.h"
#include "Targets/FileVersions.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

namespace ptxray {

// ---- output
static void printReason(llvm::raw_ostream &out, llvm::StringRef what, const TargetReason &reason) {
  out << what << escaped(reason.path) << ':' << reason.obstacle.line << ": " << escaped(reason.obstacle.message) << " ["
      << reason.obstacle.rule << "]\n";
}

/// Returns the targets on which a statement is accepted, in words: `sm_80 and later`, `sm_90a`.
static std::string targetsText(const CellSet &passes) {
  std::vector<llvm::StringRef> names;
  const isa::Target *lowest = nullptr;
  bool isOpen = true; // true if all later targets are included
  for (uint16_t t = 0; t < isa::targets().size(); ++t) {
    const isa::Target &target = isa::targets()[t];
    const bool isOldName = !llvm::StringRef(target.name()).contains(std::to_string(target.number)); // sm_101 is sm_110
    if (target.documented && !isOldName && Requirements::leastVersion(passes, t)) {
      names.push_back(target.name());
      if (!lowest || target.number < lowest->number)
        lowest = &target;
    }
  }
  for (uint16_t t = 0; t < isa::targets().size(); ++t)
    isOpen &= !lowest || !isa::targets()[t].documented || isa::targets()[t].number < lowest->number ||
              Requirements::leastVersion(passes, t);
  if (!lowest)
    return "nothing";
  return isOpen && names.size() > 1 ? std::string(lowest->name()) + " and later" : llvm::join(names, ", ");
}

static uint16_t leastVersionOf(const CellSet &passes) {
  uint16_t least = 0;
  for (uint16_t t = 0; t < isa::targets().size(); ++t)
    if (const uint16_t one = Requirements::leastVersion(passes, t); one && isa::targets()[t].documented)
      least = least ? std::min(least, one) : one;
  return least;
}

/// Prints each statement of a source, since `#if` may distinguish them.
static void printStatements(const TargetFile &file, llvm::raw_ostream &out) {
  for (const TargetNeeds::Statement &one : file.needs->statements()) {
    out << escaped(file.path) << ':' << one.line << ": ";
    if (const uint16_t version = leastVersionOf(one.passes))
      out << targetsText(one.passes) << ", PTX " << isa::versionText(version);
    else
      out << "no version and target fit";
    if (!one.instruction.empty())
      out << " (" << escaped(one.instruction) << ')';
    out << '\n';
  }
  if (const std::optional<InlineSummary> &summary = file.needs->inlined(); summary && !summary->skipped.empty())
    out << escaped(file.path) << ": " << summary->skipped.size() << " of " << summary->statements
        << " statements skipped: their text is not known\n";
}

static void printText(const VersionAnswer &answer, size_t files, llvm::raw_ostream &out) {
  const char *who = files == 1 ? "the file" : "all files together";
  if (!answer.least) {
    out << "no version and target fit " << who << '\n';
    for (const TargetReason &reason : answer.conflict)
      printReason(out, "  ", reason);
    out << "`ptxray check` shows all errors\n";
    return;
  }
  out << ".version " << isa::versionText(answer.least) << " or higher fits " << who << ", with\n";
  for (const auto &[version, group] : answer.targets) {
    out << "  " << isa::versionText(version) << ": ";
    llvm::interleave(group, out, [&](uint16_t t) { out << isa::targets()[t].name(); }, ", ");
    out << '\n';
  }
  if (answer.version)
    printReason(out, "not lower: ", *answer.version);
  if (answer.target)
    printReason(out, "not every target: ", *answer.target);
  out << "known since CUDA " << firstToolkitFor(answer.least).name();
  if (const llvm::StringRef driver = firstDriverFor(answer.least); !driver.empty())
    out << ", driver r" << driver;
  out << '\n';
}

static Json toJson(const TargetReason &reason) {
  return {{"file", reason.path},
          {"line", reason.obstacle.line},
          {"rule", reason.obstacle.rule},
          {"text", reason.obstacle.text},
          {"message", reason.obstacle.message}};
}

static Json toJson(const VersionAnswer &answer, llvm::ArrayRef<TargetFile> files) {
  Json json = {{"files", Json::array()}};
  for (const TargetFile &file : files)
    json["files"].push_back(file.path);
  if (answer.least) {
    json["version"] = isa::versionText(answer.least);
    json["cuda"] = firstToolkitFor(answer.least).name();
    if (const llvm::StringRef driver = firstDriverFor(answer.least); !driver.empty())
      json["driver"] = driver.str();
  }
  json["targets"] = Json::array();
  for (const auto &[version, group] : answer.targets)
    for (uint16_t t : group)
      json["targets"].push_back({{"name", isa::targets()[t].name()}, {"version", isa::versionText(version)}});
  json["forced_by"] = Json::object();
  if (answer.version)
    json["forced_by"]["version"] = toJson(*answer.version);
  if (answer.target)
    json["forced_by"]["target"] = toJson(*answer.target);
  json["conflict"] = Json::array();
  for (const TargetReason &reason : answer.conflict)
    json["conflict"].push_back(toJson(reason));
  for (const TargetFile &file : files)
    for (const TargetNeeds::Statement &one : file.needs->statements()) {
      Json targets = Json::array();
      for (uint16_t t = 0; t < isa::targets().size(); ++t)
        if (const uint16_t least = Requirements::leastVersion(one.passes, t); least && isa::targets()[t].documented)
          targets.push_back({{"name", isa::targets()[t].name()}, {"version", isa::versionText(least)}});
      json["statements"].push_back({{"file", file.path},
                                    {"line", one.line},
                                    {"instruction", one.instruction},
                                    {"guarded", one.isGuarded},
                                    {"targets", std::move(targets)}});
    }
  return json;
}

static int runTargets(const Arguments &arguments) {
  const Expected<ReadLimits> limits = readLimits(arguments);
  if (!limits)
    return usageError(limits.problem());
  std::optional<Language> language;
  if (std::optional<llvm::StringRef> named = arguments.value("--language"))
    language = findLanguage(*named);
  std::vector<TargetFile> files;
  std::vector<std::unique_ptr<OpenBinary>> binaries;
  for (const Input &input : findInputs(arguments.operands, {.sources = arguments.has("--inline")})) {
    TargetFile file{input.path == "-" ? "<stdin>" : input.path, nullptr};
    Expected<OpenInput> opened = input.problem.empty() ? openInput(input.path, *limits) : Problem{input.problem};
    if (!opened)
      return usageError("cannot read " + file.path + ": " + opened.problem());
    if (opened->binary) {
      binaries.push_back(std::move(opened->binary));
      continue;
    }
    std::unique_ptr<SourceBuffer> source = std::move(opened->text);
    const Language written = language.value_or(languageOf(input.path));
    file.needs = written == Language::Ptx
                     ? std::make_unique<TargetNeeds>(std::move(source))
                     : std::make_unique<TargetNeeds>(std::move(source), written, input.path == "-" ? "" : input.path);
    files.push_back(std::move(file));
  }
  if (!binaries.empty() && !files.empty())
    return usageError("`targets` accepts PTX files or binaries, not both at once");
  if (!binaries.empty())
    return runBinaryTargets(binaries, arguments);
  if (arguments.has("--gpu"))
    return usageError("`--gpu` is for binaries; for a PTX file, use `check --arch`");
  const VersionAnswer answer = answerFor(files);
  if (arguments.value("--format").value_or("text") == "json")
    llvm::outs() << dump(toJson(answer, files), 1) << '\n';
  else {
    for (const TargetFile &file : files)
      printStatements(file, llvm::outs());
    printText(answer, files.size(), llvm::outs());
  }
  return answer.least ? Clean : FoundErrors;
}

Command targetsCommand() {
  return {.name = "targets",
          .summary = "show the lowest `.version` and the targets of a file, or the GPUs that run a binary",
          .syntax = {.operands = "FILE|DIR|- ...",
                     .fewest = 1,
                     .most = anyNumber,
                     .options = {textOrJsonOption(),
                                 {"--language", "ptx|cuda|python|llvm|rust",
                                  "language of all inputs (default: by their names)"},
                                 {"--inline", "", "below folders, also read sources of other languages"},
                                 {"--gpu", "sm_X", "for binaries: exit with 1 unless every module runs on this GPU",
                                  "--arch"},
                                 {"--driver", "N", "with --gpu, also require this driver, for example 535"},
                                 {"--least", "", "for binaries: find the lowest `.version` of their PTX (slow)"},
                                 {"-v", "", "with --gpu, list the modules that do not run, with their kernels"},
                                 maxSizeOption()}},
          .run = runTargets};
}

} // namespace ptxray
