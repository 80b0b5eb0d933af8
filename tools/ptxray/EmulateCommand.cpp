// `ptxray emulate`: runs a command whose CUDA driver is the emulated one, and says at its end what was launched and
// found. The driver writes lines of JSON into a file (tools/driver/Report.cpp), one at the beginning and one at the end
// of each process that uses it.
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
#include <sys/wait.h>

namespace ptxray {

using llvm::StringRef;

static int runEmulate(const Arguments &arguments) {
  if (arguments.passedOn.empty())
    return usageError("the command is missing: `ptxray emulate -- COMMAND...`");
  const std::string folder = folderOfDriver("libcuda.so.1", "the emulated driver");
  if (folder.empty())
    return BadUsage;
  const std::string device = arguments.value("--device").value_or("sm_90").str();
  if (llvm::none_of(driver::chips(), [&](const driver::Chip &chip) { return chip.target == device; })) {
    std::vector<std::string> known;
    for (const driver::Chip &chip : driver::chips())
      known.push_back(chip.target.str());
    return usageError("`--device=" + device + "`: expected one of " + llvm::join(known, ", "));
  }
  const StringRef schedule = arguments.value("--schedule").value_or("eager");
  if (!machine::Timing::read(schedule))
    return usageError("`--schedule=" + schedule.str() + "`: expected eager, lazy, early, a number, or weak:NUMBER");
  unsigned schedules = 0;
  if (const auto text = arguments.value("--schedules"); text && (text->getAsInteger(10, schedules) || !schedules))
    return usageError("`--schedules=" + text->str() + "`: expected a number of launches");
  const Temporary file(Temporary::Kind::File);
  if (!file.isMade)
    return usageError("cannot make `" + file.path + "`: " + std::strerror(errno));
  ClientEnvironment environment;
  environment.addLibraries(folder);
  environment.set("PTXRAY_DEVICE", device);
  environment.set("PTXRAY_SCHEDULE", schedule.str());
  environment.set("PTXRAY_SCHEDULES", std::to_string(schedules));
  environment.set("PTXRAY_CHECKS", arguments.has("--no-checks") ? "no" : "yes");
  environment.set("PTXRAY_REPORT", file.path);
  if (!arguments.has("--no-fidelity"))
    environment.set("PTXRAY_FIDELITY", "yes");
  if (arguments.has("--unwritten"))
    environment.set("PTXRAY_UNWRITTEN", "yes");
  if (arguments.has("--go-on"))
    environment.set("PTXRAY_GO_ON", "yes");
  int reason = 0;
  const std::optional<int> status = runCommand(arguments.passedOn, environment, reason);
  if (!status)
    return usageError("`" + arguments.passedOn[0].str() + "` cannot be started: " + std::strerror(reason));
  ClientReport report = readClientReport(file.path);
  report.device = device;
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
  return !report.refusals.empty() ? NotEmulated : !report.findings.empty() ? FoundErrors : Clean;
}

Command emulateCommand() {
  return {.name = "emulate",
          .summary = "run a command whose CUDA driver is the emulated GPU (on Linux)",
          .syntax = {.operands = "-- COMMAND...",
                     .options = {{"--device", "CHIP", "the GPU: sm_90 (if none is named), sm_100, sm_120 and others"},
                                 {"--go-on", "", "a fault of a kernel is the error of one call, not of all later ones"},
                                 {"--no-checks", "", "do not look for races"},
                                 {"--no-fidelity", "", "do not count what is exact, which takes time"},
                                 {"--report", "FILE", "write the report there, as JSON if it ends with .json"},
                                 {"--schedule", "TEXT",
                                  "when asynchronous operations happen: eager, lazy, early, a number, or weak:NUMBER"},
                                 {"--schedules", "N",
                                  "also launch each kernel N times by others: lazy, early, and by numbers"},
                                 {"--unwritten", "", "follow what nothing has written in memory of the device"}},
                     .words = Words::PassedOn},
          .run = runEmulate,
          .notes = "The command's exit status is that of ptxray; where it is 0, 1 says that faults of kernels were "
                   "found, 7\nthat something could not be emulated. A signal that ends the command ends ptxray."};
}

} // namespace ptxray
