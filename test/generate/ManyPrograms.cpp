// Generated programs in one process: many-programs FIRST COUNT JOBS. No rule reports one at default level, and the
// emulator runs it to its end without a finding, by two schedules with the same result. Prints each that fails.
#include "../../tools/launcher/Buffer.h"
#include "Check/Checker.h"
#include "Generate/Program.h"
#include "Machine/Launch.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"
#include <atomic>
#include <cstring>
#include <iterator>
#include <mutex>
#include <optional>
#include <thread>

using namespace ptxray;
using llvm::StringRef;

namespace {

constexpr const char *targets[] = {"sm_90a", "sm_75", "sm_100a", "sm_80"};

/// Reads the launch in the second line of a program.
struct AskedLaunch {
  uint32_t grid = 0, block = 0;
  std::string given;
};

} // namespace

static AskedLaunch launchOf(StringRef text) {
  AskedLaunch asked;
  for (const StringRef word : llvm::split(text.split("// run: ").second.split('\n').first, ' ')) {
    StringRef value = word;
    if (value.consume_front("--grid="))
      value.getAsInteger(10, asked.grid);
    else if (value.consume_front("--block="))
      value.getAsInteger(10, asked.block);
    else if (asked.given.empty())
      asked.given = value.str();
  }
  return asked;
}

/// Returns the second buffer after a run; `problem` says what went wrong.
static launcher::Bytes leftBy(const ReadModule &module, const AskedLaunch &asked, StringRef schedule,
                              std::string &problem) {
  launcher::Bytes given = launcher::readBuffer(asked.given).bytes, left(given.size());
  machine::Memory memory;
  const uint64_t addresses[] = {memory.add(given, "given"), memory.add(left, "left")};
  machine::LoadedModule loaded(module, memory);
  machine::Launch launch;
  launch.kernel = "generated";
  launch.grid = {asked.grid, 1, 1};
  launch.block = {asked.block, 1, 1};
  launch.timing = *machine::Timing::read(schedule);
  launch.cores = 1;
  launch.parameters.resize(sizeof addresses);
  std::memcpy(launch.parameters.data(), addresses, sizeof addresses);
  const machine::Outcome outcome = machine::launch(loaded, launch);
  if (!outcome.refusal.empty())
    problem = "it is not emulated: " + outcome.refusal;
  else if (!outcome.diagnostics.empty())
    problem = "the emulator reports " + info(outcome.diagnostics.front().id).id.str();
  else if (!outcome.isComplete)
    problem = "it does not end";
  return left;
}

static std::string problemOf(const std::string &text, Checker &checker) {
  FileReport report;
  report.source = SourceBuffer::fromText("", text);
  report = checker.check(std::move(report), Language::Ptx, {});
  if (!report.diagnostics.empty())
    return "a rule reports it: " + info(report.diagnostics.front().id).id.str();
  const ReadModule module = readModule(*report.source);
  const AskedLaunch asked = launchOf(text);
  std::string problem;
  const launcher::Bytes eager = leftBy(module, asked, "eager", problem);
  if (problem.empty() && leftBy(module, asked, "7", problem) != eager)
    problem += "its result depends on the schedule";
  return problem;
}

int main(int count, char **words) {
  uint64_t first = 1, programs = 100, jobs = 1;
  uint64_t *const numbers[] = {&first, &programs, &jobs};
  for (int i = 1; i < count && i <= 3; ++i)
    if (StringRef(words[i]).getAsInteger(10, *numbers[i - 1]))
      return 2;
  std::atomic<uint64_t> next = first, failed = 0;
  std::mutex printing;
  const auto work = [&] {
    std::optional<Generator> generators[std::size(targets)];
    Checker checker;
    for (uint64_t seed = next++; seed < first + programs; seed = next++) {
      const size_t which = seed % std::size(targets);
      if (!generators[which])
        generators[which].emplace(ProgramTarget{.target = targets[which], .ptx = 0, .instructions = {}, .without = {}});
      const std::string text =
          generators[which]->program({.seed = seed, .size = 10 + static_cast<unsigned>(seed % 50), .blocks = 1});
      if (const std::string problem = problemOf(text, checker); !problem.empty()) {
        const std::scoped_lock lock(printing);
        ++failed;
        llvm::outs() << "seed " << seed << ": " << problem << '\n';
        llvm::outs().flush();
      }
    }
  };
  std::vector<std::thread> threads;
  for (uint64_t i = 0; i < jobs; ++i)
    threads.emplace_back(work);
  for (std::thread &thread : threads)
    thread.join();
  llvm::outs() << programs - failed << " of " << programs << " programs are as they should be\n";
  return failed ? 1 : 0;
}
