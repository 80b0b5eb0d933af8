// `ptxray judge` decides whether a generated kernel is right (docs/judge.md). The judge is a part of the Python
// package, so this command finds Python and the package, and becomes that process.
#include "ClientCommand.h"
#include "Command.h"
#include "Files.h"
#include "llvm/ADT/Twine.h"
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <unistd.h>

namespace ptxray {

using llvm::StringRef;

// The folder of the package comes first, if there is one beside the program. That of the user does not: files of a
// candidate must not take the place of modules. 7 says that the package is missing.
static constexpr const char *start = R"PY(import sys
sys.path[:1] = []
folder = sys.argv.pop(1)
if folder:
    sys.path.insert(0, folder)
try:
    from ptxray._judge._command import main
except ImportError as problem:
    print(f"ptxray: {sys.executable} has no package `ptxray` that can judge ({problem}): "
          "`pip install .` in a clone of ptxray installs it (docs/python.md)", file=sys.stderr)
    sys.exit(7)
sys.exit(main())
)PY";

/// Returns the first of these files and folders that exists; empty if none does.
static std::string firstOf(std::initializer_list<std::string> paths) {
  for (const std::string &path : paths)
    if (char real[PATH_MAX]; access(path.c_str(), R_OK) == 0 && realpath(path.c_str(), real))
      return real;
  return "";
}

/// Returns the Python to start: $PTXRAY_PYTHON, the one of the environment that the program is installed in, or
/// `python3` of $PATH.
static std::string findPython(const std::string &folder) {
  if (const char *named = std::getenv("PTXRAY_PYTHON"); named && *named)
    return named;
  const std::string own = folder + "/python3";
  const bool isEnvironment = access((folder + "/../pyvenv.cfg").c_str(), R_OK) == 0;
  return isEnvironment && access(own.c_str(), X_OK) == 0 ? own : "python3";
}

static int runJudge(const Arguments &arguments) {
  const std::string folder = StringRef(ownPath()).rsplit('/').first.str();
  const std::string package = firstOf({folder + "/../" PTXRAY_PYTHON_FOLDER, folder + "/../../" PTXRAY_PYTHON_FOLDER});
  std::vector<std::string> words = {findPython(folder), "-c", start, package};
  for (const auto &[name, value] : arguments.options)
    words.push_back(value.empty() ? name.str() : (name + "=" + value).str());
  words.insert(words.end(), arguments.operands.begin(), arguments.operands.end());
  ClientEnvironment environment;
  environment.set("PTXRAY_PROGRAM", ownPath());
  const std::string library = firstOf({folder + "/../" PTXRAY_LIBRARY_FOLDER "/libptxray.so",
                                       folder + "/../lib/libptxray.so", folder + "/../../lib/libptxray.so"});
  if (!package.empty() && !library.empty() && !std::getenv("PTXRAY_LIBRARY"))
    environment.set("PTXRAY_LIBRARY", library);
  std::vector<char *> list;
  for (std::string &word : words)
    list.push_back(word.data());
  list.push_back(nullptr);
  llvm::outs().flush();
  std::vector<char *> variables = environment.all();
  environ = variables.data();
  execvp(list[0], list.data());
  llvm::errs() << "ptxray: `judge` needs Python 3.9 or later with the package `ptxray`, and `" << words[0]
               << "` cannot be started: " << std::strerror(errno) << "; $PTXRAY_PYTHON names another one\n";
  return NotEmulated;
}

Command judgeCommand() {
  return {
      .name = "judge",
      .summary = "decide without a GPU whether a generated kernel solves a task in Python",
      .syntax =
          {.operands = "[TASK CANDIDATE]",
           .most = 2,
           .options = {{"--reference", "TASK", "the task: a Python file with `inputs` and `reference`"},
                       {"--candidate", "PATH", "a file `.ptx`, `.cu` or `.py`, or a folder of them"},
                       {"--launch", "FILE", "kernel, grid, block and arguments (default: `case.json` next to it)"},
                       {"--format", "text|json|jsonl", "format of the verdict"},
                       {"--chip", "CHIP", "the emulated GPU (default: `.target`)"},
                       {"--results", "FILE", "for a folder: store verdicts as JSON lines, and continue from them"},
                       {"--jobs", "N",
                        "for a folder: number of candidates to judge at the same time (default: all cores)"},
                       {"--deterministic", "", "reject results whose bits depend on the order of the threads"},
                       {"--precise", "", "reject results that are computed with lower precision than their type"},
                       {"--beyond", "", "also try contents that the task does not promise, as notes"},
                       {"--certify", "", "also report for which contents the verdict on memory and races holds"},
                       {"--trust", "", "run Python programs even if this system cannot isolate them"},
                       {"--salt", "TEXT", "change the seeds that are derived from the candidate"},
                       {"--time-limit", "SECONDS", "time limit for one candidate (default: 60)"},
                       {"--launch-time-limit", "SECONDS", "time limit for one launch (default: 10)"},
                       {"--memory-limit", "BYTES", "memory limit for one candidate (default: 4 GiB)"},
                       {"--shape", "NAME=N,...", "to repeat one run: its shape"},
                       {"--seed", "N", "seed of that run (default: 0)"},
                       {"--contents", "NAME", "contents of that run: drawn, edge, or others from a verdict"},
                       {"--fill", "NAME", "initial contents of outputs in that run: ff, 00, 7f, cd or stale"},
                       {"--schedule", "TEXT", "schedule of that run: eager, lazy, early, a number, or weak:NUMBER"}}},
      .run = runJudge,
      .notes = "The exit status is 0 if the candidate is accepted, 1 if it is rejected, 7 if nothing was decided."};
}

} // namespace ptxray
