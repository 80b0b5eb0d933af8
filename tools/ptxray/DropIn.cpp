// Replaces ptxas. Callers get the files, messages, and exit status of the real ptxas, and before its messages, on
// standard error, the findings of ptxray in the inputs. Without a real ptxas, it can only verify.
#include "../launcher/Remembered.h"
#include "Assemble.h"
#include "Command.h"
#include "Gpus/CudaReleases.h"
#include "Inline/PutBack.h"
#include "Isa/Isa.h"
#include "Ptxas/CommandLine.h"
#include "Ptxas/Messages.h"
#include "Ptxas/Program.h"
#include "Ptxas/Ptxas.h"
#include "Reports.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FileSystem.h"
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace ptxray {

using llvm::StringRef;

// The default target of the newest ptxas.
static constexpr llvm::StringLiteral defaultTarget = "sm_75";
static bool isSupported(const isa::Target &target) {
  const bool isOldName = !StringRef(target.name()).contains(std::to_string(target.number)); // sm_101 is sm_110
  return target.documented && !isOldName && target.number >= 75;
}

static const RenderOptions rendering{.unfolding = "ptxray check --no-fold"}; // ptxas does not have the usual option

namespace {

/// The environment variables for a ptxray that replaces ptxas.
struct Environment {
  bool verifyOnly = false;
  // When to stop instead of calling ptxas.
  enum { Never, AtErrors, AtWarnings } stop = Never;
  std::string log; // a file to which the findings are also appended

  Environment() {
    auto value = [](const char *name) { return StringRef(std::getenv(name) ? std::getenv(name) : ""); };
    verifyOnly = value("PTXRAY_VERIFY_ONLY") == "1";
    const StringRef strict = value("PTXRAY_STRICT");
    stop = strict == "warnings" ? AtWarnings : strict.starts_with("1") ? AtErrors : Never;
    log = value("PTXRAY_LOG").str();
  }
};

/// Checks the inputs one after another.
class Inputs {
public:
  Inputs(const PtxasCommandLine &line, const Environment &environment) : line(line), environment(environment) {}

  void check();
  bool mustStop() const {
    return (environment.stop != Environment::Never && errors) || (environment.stop == Environment::AtWarnings && found);
  }
  bool hasErrors() const { return errors; }
  bool isUnreadable() const { return unreadable; }
  /// Returns whether a message of ptxas may concern a place in a source.
  bool haveStatements() const { return !compiled.empty(); }
  /// Shows messages of ptxas about inline assembly at their places in the source.
  void explain(StringRef printed);

private:
  void checkFile(const std::string &file);
  void report(Expected<std::unique_ptr<SourceBuffer>> source, StringRef path);
  void show(FileReport report);
  void showOriginal(FileReport report);
  void log(const FileReport &report) const;

  const PtxasCommandLine &line;
  const Environment &environment;
  bool errors = false, found = false, unreadable = false;
  std::vector<std::string> compiled; // files with inline assembly that a compiler has marked
  llvm::StringSet<> told;            // lines of sources that already have an error
};

} // namespace

/// Returns the number of the file that is open under a path such as `/dev/fd/63`, or -1 for an ordinary path.
static int descriptorOf(StringRef path) {
  int number = -1;
  if (path == "-" || path == "/dev/stdin")
    return STDIN_FILENO;
  if (path.consume_front("/dev/fd/") || path.consume_front("/proc/self/fd/"))
    path.getAsInteger(10, number);
  return number;
}

void Inputs::checkFile(const std::string &file) {
  struct stat status;
  const int descriptor = descriptorOf(file);
  const bool isRegular =
      (descriptor >= 0 ? fstat(descriptor, &status) : stat(file.c_str(), &status)) == 0 && S_ISREG(status.st_mode);
  if (descriptor < 0 || isRegular) {
    // A named pipe can only be read once, so it is left to ptxas.
    if (!isRegular && access(file.c_str(), F_OK) == 0)
      return;
    Expected<std::unique_ptr<SourceBuffer>> source = SourceBuffer::open(file);
    if (!source && environment.verifyOnly)
      usageError("cannot read `" + file + "`: " + source.problem());
    report(std::move(source), file);
    return;
  }
  // The contents of a pipe are kept, and ptxas gets them in place of the pipe.
  MemoryFile held;
  if (!held.fill(descriptor == STDIN_FILENO ? "-" : file, MemoryFile::Ending::Kept).empty())
    return;
  const int again = open(held.path().c_str(), O_RDONLY);
  dup2(again, descriptor);
  close(again);
  report(SourceBuffer::open(held.path()), descriptor == STDIN_FILENO ? "<stdin>" : StringRef(file));
}

/// If an input cannot be read, a real ptxas will report that.
void Inputs::report(Expected<std::unique_ptr<SourceBuffer>> source, StringRef path) {
  if (!source) {
    unreadable = true;
    return;
  }
  FileReport report;
  report.path = path.str();
  report.source = std::move(*source);
  CheckOptions options;
  if (Expected<CheckOptions> configured = findOptions(path, {}))
    options = std::move(*configured);
  else
    usageError(configured.problem()); // does not stop: the caller wants the result of ptxas
  const std::string arch = line.arch.empty() && environment.verifyOnly ? defaultTarget.str() : line.arch;
  if (StringRef(arch).starts_with("compute_")) { // ptxas then generates no code and links nothing
    for (const RuleName &rule : findRules("codegen").rules)
      options.levels.set(rule, RuleLevel::Off);
  } else if (isa::findTarget(arch) >= 0) {
    options.arch = arch;
    options.kernels = line.kernels;
    if (options.linking == Linking::Unknown)
      options.linking = line.isSeparate ? Linking::Separate : Linking::Whole;
  }
  report = Checker().check(std::move(report), Language::Ptx, options);
  found |= !report.diagnostics.empty();
  errors |= ptxray::hasErrors(report);
  if (hasCompiledStatements(report.source->text()) && llvm::is_contained(line.files, path))
    compiled.push_back(path.str());
  show(std::move(report));
}

/// Findings about a programmer's code are shown in the source, other findings in the PTX.
void Inputs::show(FileReport report) {
  for (FileReport &original : putBack(report, sourcesOfNvcc(report.path)))
    showOriginal(std::move(original));
  renderText(report, rendering, llvm::errs());
  log(report);
}

void Inputs::showOriginal(FileReport report) {
  auto lineOf = [&](const Diagnostic &d) {
    return report.path + ':' + std::to_string(report.source->lineColumn(d.range.begin).line);
  };
  llvm::erase_if(report.diagnostics,
                 [&](const Diagnostic &d) { return d.id == DiagId::PtxasError && told.contains(lineOf(d)); });
  for (const Diagnostic &d : report.diagnostics)
    if (d.severity == Severity::Error)
      told.insert(lineOf(d));
  renderText(report, rendering, llvm::errs());
  log(report);
}

void Inputs::explain(StringRef printed) {
  for (const std::string &path : compiled) {
    FileReport report;
    auto source = SourceBuffer::open(path);
    if (!source)
      continue;
    report.path = path;
    report.source = std::move(*source);
    for (Diagnostic &d : readMessages(printed, *report.source).diagnostics)
      if (d.id == DiagId::PtxasError)
        report.diagnostics.push_back(std::move(d));
    for (FileReport &original : putBack(report, sourcesOfNvcc(path)))
      showOriginal(std::move(original));
  }
}

void Inputs::log(const FileReport &report) const {
  if (environment.log.empty() || report.diagnostics.empty())
    return;
  std::error_code error;
  llvm::raw_fd_ostream file(environment.log, error, llvm::sys::fs::OF_Append);
  if (error) {
    usageError("cannot write `" + environment.log + "`: " + error.message());
    return;
  }
  file.SetUnbuffered(); // several compilers may write at once, so each report is a single write
  std::string text;
  llvm::raw_string_ostream out(text);
  renderText(report, rendering, out);
  file << text;
}

void Inputs::check() {
  for (const std::string &file : line.files)
    checkFile(file);
  for (const std::string &text : line.texts)
    report(SourceBuffer::fromText("<string>", text), "<string>");
}

/// Prints what build systems and test suites ask ptxas for before they use it. The answers are those of the newest
/// release that ptxray supports.
static void answerAsVerifier(const PtxasCommandLine &line) {
  const std::string release = cudaReleases().back().name();
  if (line.wantsVersion)
    llvm::outs() << "ptxas: ptxray " PTXRAY_VERSION " in its place, which generates no code\n"
                 << "Cuda compilation tools, release " << release << ", V" << release << ".0\n";
  if (line.wantsHelp) { // LLVM's tests read the targets from it
    llvm::outs() << "ptxray in place of ptxas: checks PTX and generates no code\n\n--gpu-name <gpu name>  (-arch)\n"
                 << "        Allowed values:  ";
    llvm::interleave(
        llvm::make_filter_range(isa::targets(), isSupported), llvm::outs(),
        [](const isa::Target &target) { llvm::outs() << "'" << target.name() << "'"; }, ",");
    llvm::outs() << ".\n        Default value:  '" << defaultTarget << "'.\n--help  (-h)\n";
  }
  if (line.wantsArchitectures)
    for (const isa::Target &target : isa::targets())
      if (target.variant == 0 && isSupported(target))
        llvm::outs() << target.number << '\n';
  if (line.wantsVersions)
    for (uint16_t version : isa::versions())
      llvm::outs() << isa::versionText(version) << '\n';
}

static int verify(const PtxasCommandLine &line, const Inputs &inputs) {
  answerAsVerifier(line);
  llvm::outs().flush();
  if (!line.machine.empty() && line.machine != "64")
    return usageError("Value '" + line.machine + "' is not defined for option 'machine'");
  const bool hasInput = !line.files.empty() || !line.texts.empty();
  if (!hasInput && !line.asksAboutPtxas())
    return usageError("no input file");
  return inputs.hasErrors() || inputs.isUnreadable() || inputs.mustStop() ? FoundErrors : Clean;
}

static int becomePtxas(const std::string &path, llvm::ArrayRef<std::string> words) {
  std::vector<char *> argv{const_cast<char *>(path.c_str())};
  for (const std::string &word : words)
    argv.push_back(const_cast<char *>(word.c_str()));
  argv.push_back(nullptr);
  markTried(path);
  execv(path.c_str(), argv.data());
  usageError("`" + path + "` cannot be started: " + std::strerror(errno));
  return NoPtxas;
}

/// Returns whether the text is stored under a name of the object, for `ptxray record`.
static bool isRemembered(const PtxasCommandLine &line) {
  const char *folder = std::getenv("PTXRAY_REMEMBER");
  return folder && *folder && line.files.size() == 1 && line.texts.empty() && !line.output.empty();
}

/// Like `becomePtxas`, but returns, so that messages can be added.
static int runPtxasAndExplain(const std::string &path, llvm::ArrayRef<std::string> words, Inputs &inputs) {
  markTried(path);
  const ProgramResult run = runInPlace(path, words);
  if (run.end == ProgramEnd::NotStarted) {
    usageError("`" + path + "` cannot be started: " + std::strerror(run.detail));
    return NoPtxas;
  }
  if (run.end == ProgramEnd::Killed) {
    signal(run.detail, SIG_DFL);
    raise(run.detail);
    return NoPtxas;
  }
  if (run.detail != 0)
    inputs.explain(run.printed);
  return run.detail;
}

int actAsPtxas(StringRef name, llvm::ArrayRef<StringRef> operands) {
  const std::vector<std::string> words(operands.begin(), operands.end());
  const Environment environment;
  const PtxasCommandLine line = readPtxasCommandLine(words);
  Inputs inputs(line, environment);
  if (!isTriedByAnother()) // otherwise the other program has checked them
    inputs.check();
  if (environment.verifyOnly)
    return verify(line, inputs);
  if (inputs.mustStop())
    return FoundErrors;
  const Expected<std::string> real = realPtxas(name);
  if (!real) {
    usageError(real.problem());
    return NoPtxas;
  }
  if (!inputs.haveStatements() && !isRemembered(line))
    return becomePtxas(*real, words);
  const int status = runPtxasAndExplain(*real, words, inputs);
  if (status == Clean && isRemembered(line))
    launcher::remember(line.files.front(), line.output);
  return status;
}

/// Without a real ptxas whose help could be shown, `--help` describes this command.
static int runPtxas(const Arguments &arguments) {
  const std::vector<std::string> words(arguments.operands.begin(), arguments.operands.end());
  if (readPtxasCommandLine(words).wantsHelp && !Environment().verifyOnly)
    if (const Expected<std::string> real = realPtxas("ptxas"); !real) {
      printHelp(ptxasCommand(), llvm::outs());
      llvm::outs() << '\n' << real.problem() << '\n';
      return Clean;
    }
  return actAsPtxas("ptxas", arguments.operands);
}

Command ptxasCommand() {
  return {.name = "ptxas",
          .summary = "run as ptxas, after a check of the inputs; also under the name `ptxas`",
          .syntax = {.operands = "PTXAS ARGUMENT...", .most = anyNumber, .words = Words::Foreign},
          .run = runPtxas,
          .notes =
              "All arguments go to ptxas unchanged. If there is a ptxas, `ptxray ptxas --help` shows its help.\n"
              "$PTXAS names the ptxas to call. PTXRAY_STRICT=1 stops at errors, PTXRAY_STRICT=warnings at warnings.\n"
              "PTXRAY_LOG=FILE also writes the findings to a file. PTXRAY_VERIFY_ONLY=1 does not call ptxas. "
              "PTXRAY_REMEMBER=FOLDER\nstores each text there under a name of its object."};
}

} // namespace ptxray
