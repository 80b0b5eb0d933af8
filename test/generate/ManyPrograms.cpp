// Tests many generated programs in one process: many-programs FIRST COUNT JOBS [FILE]. No rule may report a program at
// default level. The emulator must run it to its end without a finding, and give the same result by two schedules,
// whatever uninitialised registers and memory hold. Prints each program that fails. FILE stores the progress, so that
// the same command continues where it was stopped.
#include "../../tools/launcher/Buffer.h"
#include "Check/Checker.h"
#include "Emulate/Launch.h"
#include "Generate/Program.h"
#include "Operate/Sets.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Support/xxhash.h"
#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

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

/// Returns the second buffer after a run. If the run fails, `problem` describes why.
static launcher::Bytes leftBy(const ReadModule &module, const AskedLaunch &asked, StringRef schedule,
                              std::string &problem) {
  launcher::Bytes given = launcher::readBuffer(asked.given)->bytes, left(given.size());
  machine::Memory memory;
  const uint64_t addresses[] = {memory.add(given, "given"), memory.add(left, "left")};
  machine::LoadedModule loaded(module, memory);
  machine::Launch launch;
  launch.kernel = "generated";
  launch.grid = {asked.grid, 1, 1};
  launch.block = {asked.block, 1, 1};
  launch.timing = *machine::Timing::read(schedule);
  launch.cores = 1;
  launch.unwritten = schedule == "eager" ? 0x5a : 0xa5;
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

namespace {

/// Makes programs and tests them. Each thread has its own tester.
class Tester {
public:
  /// Returns what is wrong with the program of a seed, or an empty string.
  std::string problemOf(uint64_t seed);
  /// Returns a checksum of the bytes that the program of a seed leaves, or what is wrong.
  std::string sumOf(uint64_t seed);

private:
  std::string program(uint64_t seed);
  std::string problemOf(const std::string &text);

  std::optional<Generator> generators[std::size(targets)];
  Checker checker;
};

} // namespace

std::string Tester::problemOf(const std::string &text) {
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

std::string Tester::program(uint64_t seed) {
  const size_t which = seed % std::size(targets);
  std::optional<Generator> &generator = generators[which];
  if (!generator)
    generator.emplace(ProgramTarget{.target = targets[which], .ptx = 0, .instructions = {}, .without = {}});
  return generator->program({.seed = seed, .size = 10 + static_cast<unsigned>(seed % 50), .blocks = 1});
}

std::string Tester::problemOf(uint64_t seed) { return problemOf(program(seed)); }

std::string Tester::sumOf(uint64_t seed) {
  const std::string text = program(seed);
  const auto source = SourceBuffer::fromText("", text);
  const ReadModule module = readModule(*source);
  std::string problem;
  const launcher::Bytes left = leftBy(module, launchOf(text), "eager", problem);
  return problem.empty() ? llvm::utohexstr(llvm::xxHash64({left.data(), left.size()})) : problem;
}

/// Tests the programs from one seed up to another, and returns how many fail.
static uint64_t failuresAmong(uint64_t first, uint64_t end, std::vector<Tester> &testers) {
  std::atomic<uint64_t> next = first, failed = 0;
  std::mutex printing;
  std::vector<std::thread> threads;
  for (Tester &tester : testers)
    threads.emplace_back([&] {
      for (uint64_t seed = next++; seed < end; seed = next++)
        if (const std::string problem = tester.problemOf(seed); !problem.empty()) {
          const std::scoped_lock lock(printing);
          ++failed;
          llvm::outs() << "seed " << seed << ": " << problem << '\n';
          llvm::outs().flush();
        }
    });
  for (std::thread &thread : threads)
    thread.join();
  return failed;
}

/// Prints a checksum of the memory that each program leaves: `bytes wide|plain FIRST COUNT`.
static int printSums(StringRef kind, uint64_t first, uint64_t programs) {
  if (kind == "plain")
    machine::usesWideHandlers() = false; // before the machine first reads it
  else if (kind != "wide" || !machine::usesWideHandlers())
    return 77; // this processor has no AVX2
  Tester tester;
  for (uint64_t seed = first; seed < first + programs; ++seed)
    llvm::outs() << seed << ' ' << tester.sumOf(seed) << '\n';
  return 0;
}

int main(int count, char **words) {
  if (count == 5 && StringRef(words[1]) == "bytes") {
    uint64_t first = 0, programs = 0;
    return StringRef(words[3]).getAsInteger(10, first) || StringRef(words[4]).getAsInteger(10, programs)
               ? 2
               : printSums(words[2], first, programs);
  }
  constexpr uint64_t part = 1000;
  uint64_t first = 1, programs = 100, jobs = 1;
  uint64_t *const numbers[] = {&first, &programs, &jobs};
  for (int i = 1; i < count && i <= 3; ++i)
    if (StringRef(words[i]).getAsInteger(10, *numbers[i - 1]))
      return 2;
  const char *const place = count > 4 ? words[4] : nullptr;
  uint64_t begin = first, failed = 0;
  if (place)
    std::ifstream(place) >> begin;
  std::vector<Tester> testers(jobs);
  const uint64_t end = first + programs;
  for (uint64_t seed = begin = std::max(begin, first); seed < end; seed += part) {
    failed += failuresAmong(seed, std::min(seed + part, end), testers);
    if (place && !failed)
      std::ofstream(place) << seed + part << '\n';
  }
  if (place && !failed)
    std::remove(place);
  if (begin > first)
    llvm::outs() << begin - first << " programs were so before\n";
  llvm::outs() << programs - failed << " of " << programs << " programs are as they should be\n";
  return failed ? 1 : 0;
}
