// `ptxray record` runs a command with a library (tools/recorder) in place of the CUDA driver. The library calls the
// driver and stores launches. Environment variables tell it what to store, and a file reports what it has stored.
#include "../launcher/Recording.h"
#include "Binaries.h"
#include "ClientCommand.h"
#include "Command.h"
#include "Files.h"
#include "LaunchServer.h"
#include "Ptxas/Program.h"
#include "Source/Counted.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sys/wait.h>
#include <unistd.h>

namespace ptxray {

using llvm::StringRef;

/// Returns the file of the CUDA driver that programs on this system find. Prints a message and returns an empty string
/// if there is none.
static std::string realDriver(const Arguments &arguments) {
  std::string found = arguments.value("--driver").value_or("").str();
  if (found.empty()) {
    const std::string launcher = launcherPath();
    if (launcher.empty()) {
      usageError("ptxray-run, which finds the CUDA driver, is missing: it belongs next to ptxray (or in $PTXRAY_RUN). "
                 "`pip install .` and `tools/dev build release` make it");
      return "";
    }
    constexpr unsigned patience = 60;
    const ProgramResult answer = runProgram(launcher, {"--driver-path"}, patience);
    found = StringRef(answer.printed).trim().str();
    if (answer.end != ProgramEnd::Exited || answer.detail != Clean || found.empty()) {
      usageError("this machine has no CUDA driver (libcuda.so.1)");
      return "";
    }
  }
  char real[PATH_MAX];
  if (realpath(found.c_str(), real))
    return real;
  usageError("there is no CUDA driver `" + found + "`: " + std::strerror(errno));
  return "";
}

/// Passes the limits to the library. Returns an exit status.
static int setLimits(ClientEnvironment &environment, const Arguments &arguments) {
  struct Limit {
    const char *option, *variable, *usual;
    bool isOfBytes;
    uint64_t most;
  };
  static constexpr uint64_t any = UINT64_MAX;
  static constexpr Limit limits[] = {
      {"--launches", "PTXRAY_RECORD_LAUNCHES", "100", false, any},
      {"--each", "PTXRAY_RECORD_EACH", "1", false, any},
      {"--skip", "PTXRAY_RECORD_SKIP", "0", false, any},
      {"--bytes", "PTXRAY_RECORD_BYTES", "64M", true, launcher::mostRecorded},
      {"--total", "PTXRAY_RECORD_TOTAL", "1G", true, any},
  };
  for (const Limit &limit : limits) {
    const StringRef text = arguments.value(limit.option).value_or(limit.usual);
    uint64_t number = 0;
    const std::optional<uint64_t> bytes = limit.isOfBytes ? bytesNamed(text) : std::nullopt;
    if (limit.isOfBytes ? !bytes : text.getAsInteger(10, number))
      return usageError("`" + std::string(limit.option) + "=" + text.str() + "`: expected " +
                        (limit.isOfBytes ? "a number of bytes, such as 64M" : "a number"));
    number = bytes.value_or(number);
    if (number > limit.most)
      return usageError("`" + std::string(limit.option) + "=" + text.str() + "`: 4G at most");
    environment.set(limit.variable, std::to_string(number));
  }
  environment.set("PTXRAY_RECORD_KERNEL", arguments.value("--kernel").value_or("").str());
  environment.set("PTXRAY_RECORD_FOLLOW", arguments.has("--parameters-only") ? "no" : "yes");
  return Clean;
}

/// Makes links in a folder. Returns what went wrong, or an empty string.
static std::string link(const std::string &folder,
                        llvm::ArrayRef<std::pair<const char *, std::string>> namesAndTargets) {
  for (const auto &[name, target] : namesAndTargets)
    if (symlink(target.c_str(), (folder + "/" + name).c_str()))
      return "cannot make `" + folder + "/" + name + "`: " + std::strerror(errno);
  return "";
}

namespace {
/// The contents of the library's report.
struct Recorded {
  struct File {
    std::string path;
    uint64_t bytes = 0;
    bool hasEnded = true;
  };
  std::vector<File> files;
  std::vector<std::pair<uint64_t, std::string>> leftOut; // numbers and kinds of launches
  unsigned processes = 0;
};
} // namespace

static Recorded readReport(const std::string &path) {
  Recorded all;
  std::ifstream file(path);
  for (std::string text; std::getline(file, text);) {
    llvm::SmallVector<StringRef> words;
    StringRef(text).split(words, '\t', 3);
    uint64_t number = 0;
    if (words.size() < 2 || words[1].getAsInteger(10, number))
      continue;
    if (words[0] == "process")
      ++all.processes;
    else if (words[0] == "recorded" && words.size() == 4)
      all.files.push_back({words[3].str(), number, words[2] == "ended"});
    else if (words[0] == "left-out" && words.size() == 3) {
      const auto same = llvm::find_if(all.leftOut, [&](const auto &one) { return one.second == words[2]; });
      if (same == all.leftOut.end())
        all.leftOut.emplace_back(number, words[2].str());
      else
        same->first += number;
    }
  }
  return all;
}

static void print(const Recorded &recorded) {
  llvm::raw_ostream &out = llvm::errs();
  if (!recorded.processes) {
    out << "ptxray: the command has not called the CUDA driver, so no kernel ran. A program that is linked statically, "
           "or "
           "that sets LD_LIBRARY_PATH itself, does not find the recording driver: link a CUDA program with `nvcc "
           "-cudart shared`\n";
    return;
  }
  out << "ptxray: " << counted(recorded.files.size(), "launch") << " recorded"
      << (recorded.files.empty() ? "\n" : "; `ptxray replay FILE` launches one again\n");
  for (const Recorded::File &one : recorded.files)
    out << "  " << one.path << " (" << counted(one.bytes, "byte")
        << (one.hasEnded ? ")\n" : "), which did not end well\n");
  for (const auto &[number, which] : recorded.leftOut)
    out << "ptxray: not recorded: " << counted(number, "launch") << ' ' << which << '\n';
}

static int runRecord(const Arguments &arguments) {
  if (arguments.passedOn.empty())
    return usageError("the command is missing: `ptxray record -- COMMAND...`");
  const std::string library = folderOfDriver("record/libcuda.so.1", "the driver that records");
  if (library.empty())
    return BadUsage;
  ClientEnvironment environment;
  if (const int status = setLimits(environment, arguments))
    return status;
  const std::string driver = realDriver(arguments);
  if (driver.empty())
    return NoGpu;
  const std::string folder = arguments.value("-o").value_or("ptxray-recorded").str();
  char whole[PATH_MAX];
  if (const std::error_code error = llvm::sys::fs::create_directories(folder))
    return usageError("cannot make the folder `" + folder + "`: " + error.message());
  if (!realpath(folder.c_str(), whole))
    return usageError("`" + folder + "`: " + std::strerror(errno));
  const Temporary links(Temporary::Kind::Folder), report(Temporary::Kind::File);
  if (!links.isMade || !report.isMade)
    return usageError("cannot make `" + links.path + "`: " + std::strerror(errno));
  const std::string recorder = library + "/record/libcuda.so.1", own = ownPath();
  const std::string problem = link(links.path, {{"libcuda.so.1", recorder},
                                                {"libcuda.so", recorder},
                                                {"libptxray-driver.so", driver},
                                                {"ptxas", own},
                                                {"ptxas-blackwell", own}});
  if (!problem.empty())
    return usageError(problem);
  environment.addLibraries(links.path);
  environment.set("PTXRAY_RECORD", whole);
  environment.set("PTXRAY_RECORD_REPORT", report.path);
  // Triton loads only binaries. Their texts are those that it passes to ptxas.
  environment.set("PTXRAY_REMEMBER", links.path);
  environment.set("TRITON_PTXAS_PATH", links.path + "/ptxas");
  environment.set("TRITON_PTXAS_BLACKWELL_PATH", links.path + "/ptxas-blackwell");
  environment.set("TRITON_ALWAYS_COMPILE", "1");
  // CuPy and cuda.core load the results of NVRTC.
  const std::string auditor = library + "/record/libptxray-nvrtc.so";
  const char *others = std::getenv("LD_AUDIT");
  if (llvm::sys::fs::exists(auditor))
    environment.set("LD_AUDIT", auditor + (others ? ":" + std::string(others) : ""));
  int reason = 0;
  const std::optional<int> status = runCommand(arguments.passedOn, environment, reason);
  if (!status)
    return usageError("`" + arguments.passedOn[0].str() + "` cannot be started: " + std::strerror(reason));
  const Recorded recorded = readReport(report.path);
  print(recorded);
  if (WIFSIGNALED(*status))
    endBy(WTERMSIG(*status));
  if (WEXITSTATUS(*status))
    return WEXITSTATUS(*status);
  return recorded.files.empty() ? NotEmulated : Clean;
}

Command recordCommand() {
  return {
      .name = "record",
      .summary = "run a command on a GPU, and save the inputs and results of its kernel launches",
      .syntax = {.operands = "-- COMMAND...",
                 .options = {{"-o", "FOLDER", "folder for the files, one for each launch (ptxray-recorded)"},
                             {"--kernel", "TEXT", "only kernels whose names contain this text"},
                             {"--each", "N", "maximum number of launches of each kernel (1)"},
                             {"--skip", "N", "number of launches of each kernel to skip first (0)"},
                             {"--launches", "N", "maximum number of launches of all kernels (100)"},
                             {"--bytes", "SIZE", "maximum memory for each launch (64M; the limit is 4G)"},
                             {"--total", "SIZE", "maximum size of all files of a process (1G)"},
                             {"--parameters-only", "", "do not follow addresses that are stored in memory"},
                             {"--driver", "PATH", "path of the CUDA driver (default: the one that programs find)"}},
                 .words = Words::PassedOn},
      .run = runRecord,
      .notes =
          "Example: ptxray record --kernel=gemm --each=2 -- ./program\n         ptxray replay ptxray-recorded/FILE\n\n"
          "The command's exit status is that of ptxray. If it is 0, ptxray exits with 7 when no launch was "
          "recorded. Each launch that is recorded waits for all that was "
          "started\nbefore it. A kernel needs its PTX: in what the program loads, or from the ptxas or "
          "NVRTC that made its binary."};
}

} // namespace ptxray
