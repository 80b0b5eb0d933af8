// `ptxray emulate` runs a command with the emulated CUDA driver, and reports the launches and findings when it ends.
// The driver writes lines of JSON into a file (tools/driver/Report.cpp), one at the beginning and one at the end of
// each process that uses it.
#include "../driver/Chips.h"
#include "ClientCommand.h"
#include "Command.h"
#include "EmulateReport.h"
#include "Files.h"
#include "Machine/Timing.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <cerrno>
#include <cstring>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace ptxray {

using llvm::StringRef;

// Replaces ptxas. Its output is the PTX itself. The version contains its name, since Triton's cache distinguishes
// versions.
static constexpr StringRef assembler = R"(#!/bin/sh
case " $* " in *" --version "*) echo "ptxray: Cuda compilation tools, release 13.5, V13.5.0"; exit ;; esac
for word; do
  case "$last" in -o) out=$word ;; esac
  case "$word" in *.ptx) in=$word ;; esac
  last=$word
done
cp "$in" "$out"
)";

/// Makes Triton's own compiler keep PTX instead of assembling it. Returns what went wrong.
static std::string replaceAssembler(ClientEnvironment &environment, const std::string &folder) {
  const std::string path = folder + "/ptxas";
  if (std::string problem = writeFile(path, assembler); !problem.empty())
    return problem;
  if (chmod(path.c_str(), S_IRWXU))
    return "cannot make `" + path + "` executable: " + std::strerror(errno);
  environment.set("TRITON_PTXAS_PATH", path);
  environment.set("TRITON_PTXAS_BLACKWELL_PATH", path);
  return "";
}

/// Returns what is wrong with the values of options, or an empty string.
static std::string problemOf(const Arguments &arguments) {
  const auto value = [&](const char *option, const char *otherwise) {
    return arguments.value(option).value_or(otherwise);
  };
  const auto complain = [&](const char *option, llvm::StringRef expected) {
    return (llvm::Twine("`") + option + "=" + value(option, "") + "`: expected " + expected).str();
  };
  const StringRef device = value("--device", "sm_90");
  if (llvm::none_of(driver::chips(), [&](const driver::Chip &chip) { return chip.target == device; })) {
    std::vector<std::string> known;
    for (const driver::Chip &chip : driver::chips())
      known.push_back(chip.target.str());
    return complain("--device", "one of " + llvm::join(known, ", "));
  }
  if (!machine::Timing::read(value("--schedule", "eager")))
    return complain("--schedule", "eager, lazy, early, a number, or weak:NUMBER");
  unsigned schedules = 0;
  if (value("--schedules", "1").getAsInteger(10, schedules) || !schedules)
    return complain("--schedules", "a number of launches");
  if (double seconds = 0; value("--time-limit", "0").getAsDouble(seconds) || seconds < 0)
    return complain("--time-limit", "a number of seconds");
  return "";
}

/// Sets the environment variables that the libraries read at their start (tools/driver/Contexts.cpp).
static void describe(ClientEnvironment &environment, const Arguments &arguments, const std::string &report) {
  environment.set("PTXRAY_DEVICE", arguments.value("--device").value_or("sm_90").str());
  environment.set("PTXRAY_SCHEDULE", arguments.value("--schedule").value_or("eager").str());
  environment.set("PTXRAY_SCHEDULES", arguments.value("--schedules").value_or("0").str());
  environment.set("PTXRAY_CHECKS", arguments.has("--no-checks") ? "no" : "yes");
  environment.set("PTXRAY_TIME_LIMIT", arguments.value("--time-limit").value_or("0").str());
  environment.set("PTXRAY_REPORT", report);
  if (!arguments.has("--no-fidelity"))
    environment.set("PTXRAY_FIDELITY", "yes");
  if (arguments.has("--certify"))
    environment.set("PTXRAY_CERTIFY", "yes");
  if (arguments.has("--unwritten"))
    environment.set("PTXRAY_UNWRITTEN", "yes");
  if (arguments.has("--go-on"))
    environment.set("PTXRAY_GO_ON", "yes");
}

static int runEmulate(const Arguments &arguments) {
  if (arguments.passedOn.empty())
    return usageError("the command is missing: `ptxray emulate -- COMMAND...`");
  const std::string folder = folderOfDriver("libcuda.so.1", "the emulated driver");
  if (folder.empty())
    return BadUsage;
  if (const std::string problem = problemOf(arguments); !problem.empty())
    return usageError(problem);
  const Temporary file(Temporary::Kind::File), tools(Temporary::Kind::Folder);
  if (!file.isMade || !tools.isMade)
    return usageError("cannot make `" + (file.isMade ? tools : file).path + "`: " + std::strerror(errno));
  ClientEnvironment environment;
  environment.addLibraries(folder);
  if (const std::string runtime = folder + "/libcudart.so.13"; access(runtime.c_str(), R_OK) == 0)
    environment.preload(runtime);
  if (const std::string problem = replaceAssembler(environment, tools.path); !problem.empty())
    return usageError(problem);
  describe(environment, arguments, file.path);
  int reason = 0;
  const std::optional<int> status = runCommand(arguments.passedOn, environment, reason);
  if (!status)
    return usageError("`" + arguments.passedOn[0].str() + "` cannot be started: " + std::strerror(reason));
  ClientReport report = readClientReport(file.path);
  report.device = arguments.value("--device").value_or("sm_90").str();
  report.isWithFidelity = !arguments.has("--no-fidelity");
  report.status = WIFSIGNALED(*status) ? 128 + WTERMSIG(*status) : WEXITSTATUS(*status);
  std::string said;
  llvm::raw_string_ostream out(said);
  const StringRef path = arguments.value("--report").value_or("");
  path.ends_with(".json") ? writeClientReportJson(out, report) : writeClientReport(out, report);
  if (path.empty()) {
    llvm::errs() << said;
  } else if (const std::string problem = writeFile(path.str(), said); !problem.empty()) {
    return usageError(problem);
  }
  if (WIFSIGNALED(*status))
    endBy(WTERMSIG(*status));
  if (report.status)
    return report.status;
  return !report.refusals.empty() || ranNothing(report) ? NotEmulated : !report.findings.empty() ? FoundErrors : Clean;
}

Command emulateCommand() {
  return {
      .name = "emulate",
      .summary = "run a command whose CUDA driver is the emulated GPU (on Linux)",
      .syntax = {.operands = "-- COMMAND...",
                 .options = {{"--device", "CHIP", "the emulated GPU, such as sm_100 or sm_120 (default: sm_90)"},
                             {"--certify", "", "report for which buffer contents the verdict of a launch holds"},
                             {"--go-on", "",
                              "report a kernel's fault as the error of one call, not of all later calls"},
                             {"--no-checks", "", "skip race detection"},
                             {"--no-fidelity", "", "do not count exact instructions (faster)"},
                             {"--report", "FILE", "write the report to this file, as JSON if its name ends with .json"},
                             {"--schedule", "TEXT",
                              "when asynchronous operations happen: eager, lazy, early, a number, or weak:NUMBER"},
                             {"--schedules", "N",
                              "also launch each kernel with N other schedules: lazy, early, and numbered ones"},
                             {"--time-limit", "SECONDS", "end a kernel that runs longer (default: no limit)"},
                             {"--unwritten", "", "detect reads of uninitialised device memory"}},
                 .words = Words::PassedOn},
      .run = runEmulate,
      .notes = "Example: ptxray emulate --schedules=3 -- python3 train.py\n\n"
               "A CUDA program finds the emulated driver if its runtime is linked dynamically (`nvcc -cudart "
               "shared`) and\nit contains its kernels as PTX (`-gencode arch=compute_90,code=compute_90`).\n\n"
               "The command's exit status is that of ptxray. If it is 0, ptxray exits with 1 when kernels had "
               "faults, and\nwith 7 when no kernel ran or something could not be emulated. A signal that ends the "
               "command ends ptxray."};
}

} // namespace ptxray
