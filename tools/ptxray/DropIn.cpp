// In the place of ptxas: whatever calls it gets ptxas's own files, messages and exit status, and on
// standard error, before them, what ptxray finds in the inputs.
#include "Assemble.h"
#include "Command.h"
#include "Isa/Isa.h"
#include "Ptxas/Ptxas.h"
#include "Reports.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

namespace ptxray {

using llvm::StringRef;

/// The options of ptxas whose value may stand as a word of its own, by their long and short names.
/// An option that is not known here costs nothing but that its value is looked at as a file.
static constexpr llvm::StringLiteral withValue[] = {
    "Ofast-compile",
    "Ofc",
    "allow-expensive-optimizations",
    "apply-controls",
    "def-load-cache",
    "dlcm",
    "def-store-cache",
    "dscm",
    "device-function-maxrregcount",
    "func-maxrregcount",
    "device-stack-protector",
    "enable-func-clone-sc",
    "entry",
    "e",
    "fmad",
    "force-load-cache",
    "flcm",
    "force-store-cache",
    "fscm",
    "gpu-name",
    "arch",
    "input-as-string",
    "ias",
    "machine",
    "m",
    "maxntid",
    "maxrregcount",
    "minnctapersm",
    "opt-level",
    "O",
    "options-file",
    "optf",
    "output-file",
    "o",
    "position-independent-code",
    "pic",
    "register-usage-level",
    "regUsageLevel",
    "sanitize",
    "split-compile",
};

namespace {

/// What a command line of ptxas names.
struct CommandLine {
  std::vector<std::string> files, texts;
  std::string arch;
};

} // namespace

static void readWords(llvm::ArrayRef<std::string> words, unsigned depth, CommandLine &out);

/// Words divided by blanks; quotes keep blanks.
static std::vector<std::string> splitWords(StringRef text) {
  std::vector<std::string> words(1);
  char quote = 0;
  for (char c : text) {
    if (quote ? c == quote : c == '"' || c == '\'')
      quote = quote ? 0 : c;
    else if (quote || !llvm::isSpace(c))
      words.back() += c;
    else if (!words.back().empty())
      words.emplace_back();
  }
  if (words.back().empty())
    words.pop_back();
  return words;
}

static void readOption(StringRef name, StringRef value, unsigned depth, CommandLine &out) {
  if (name == "gpu-name" || name == "arch") {
    out.arch = value.str();
  } else if (name == "input-as-string" || name == "ias") {
    out.texts.push_back(value.str());
  } else if ((name == "options-file" || name == "optf") && depth < 8) {
    llvm::SmallVector<StringRef> paths;
    value.split(paths, ',');
    for (StringRef path : paths)
      if (auto file = llvm::MemoryBuffer::getFile(path))
        readWords(splitWords((*file)->getBuffer()), depth + 1, out);
  }
}

static void readWords(llvm::ArrayRef<std::string> words, unsigned depth, CommandLine &out) {
  for (size_t i = 0; i < words.size(); ++i) {
    StringRef word = words[i];
    if (word == "-" || !word.starts_with("-")) {
      llvm::SmallVector<StringRef> paths; // ptxas takes a list with commas too
      word.split(paths, ',');
      out.files.insert(out.files.end(), paths.begin(), paths.end());
      continue;
    }
    auto [name, value] = word.drop_while([](char c) { return c == '-'; }).split('=');
    if (!word.contains('=') && llvm::is_contained(withValue, name) && i + 1 < words.size())
      value = words[++i];
    readOption(name, value, depth, out);
  }
}

/// What is found in one input goes to standard error. What cannot be read is ptxas's to complain
/// of.
static bool report(std::unique_ptr<SourceBuffer> source, StringRef path, StringRef arch) {
  if (!source)
    return false;
  FileReport report;
  report.path = path.str();
  report.source = std::move(source);
  std::string problem;
  CheckOptions options;
  if (std::optional<CheckOptions> found = findOptions(path, {}, problem))
    options = std::move(*found);
  else
    usageError(problem); // and on: it is ptxas that is wanted
  if (isa::findTarget(arch) >= 0)
    options.arch = arch.str();
  checkReport(report, "", options);
  renderText(report, {}, llvm::errs());
  return llvm::any_of(report.diagnostics, [](const Diagnostic &d) { return d.severity == Severity::Error; });
}

int runPtxas(const Arguments &arguments) {
  // Set for the program that is called here: it must not be ptxray once more, by a script or a
  // copy.
  static constexpr const char *within = "PTXRAY_WITHIN_PTXAS";
  if (std::getenv(within)) {
    usageError("the ptxas that ptxray found is ptxray itself; name the real one in $PTXAS");
    return NoPtxas;
  }
  const std::vector<std::string> words(arguments.operands.begin(), arguments.operands.end());
  CommandLine line;
  readWords(words, 0, line);

  bool errors = false;
  MemoryFile input;
  std::string reason;
  for (const std::string &file : line.files) {
    if (file == "-" && input.fill("-", MemoryFile::Ending::Kept, reason)) {
      const int fd = open(input.path().c_str(), O_RDONLY);
      dup2(fd, 0);
      close(fd);
      errors |= report(SourceBuffer::open(input.path(), reason), "<stdin>", line.arch);
    } else {
      errors |= report(SourceBuffer::open(file, reason), file, line.arch);
    }
  }
  for (const std::string &text : line.texts)
    errors |= report(SourceBuffer::fromText("<string>", text), "<string>", line.arch);
  const char *strict = std::getenv("PTXRAY_STRICT");
  if (errors && strict && strict[0] == '1')
    return FoundErrors;

  const std::optional<std::string> real = realPtxas(reason);
  if (!real) {
    usageError(reason);
    return NoPtxas;
  }
  std::vector<char *> argv{const_cast<char *>(real->c_str())};
  for (const std::string &word : words)
    argv.push_back(const_cast<char *>(word.c_str()));
  argv.push_back(nullptr);
  setenv(within, "1", 1);
  execv(real->c_str(), argv.data());
  usageError("`" + *real + "` cannot be started: " + std::strerror(errno));
  return NoPtxas;
}

} // namespace ptxray
