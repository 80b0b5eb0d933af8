#include "LaunchTest.h"
#include "../launcher/Buffer.h"
#include "Command.h"
#include "Files.h"
#include "Ptxas/Ptxas.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include <optional>

namespace ptxray {

using llvm::StringRef;

/// Returns the numbers of the arguments that are buffers.
static std::vector<unsigned> buffersOf(const LaunchTest &test) {
  std::vector<unsigned> numbers;
  unsigned number = 0;
  for (const std::string &word : test.words)
    if (!StringRef(word).starts_with("--")) {
      if (launcher::isBuffer(word))
        numbers.push_back(number);
      ++number;
    }
  return numbers;
}

unsigned argumentsIn(llvm::ArrayRef<std::string> words) {
  return static_cast<unsigned>(llvm::count_if(words, [](StringRef word) { return !word.starts_with("--"); }));
}

std::vector<std::string> withoutArgument(llvm::ArrayRef<std::string> words, unsigned number) {
  std::vector<std::string> left;
  unsigned at = 0;
  for (const StringRef word : words) {
    const auto [option, value] = word.split('=');
    unsigned asked = 0;
    const bool isAsked = (option == "--out" || option == "--expect") && !value.split('=').first.getAsInteger(10, asked);
    if (isAsked && asked > number)
      left.push_back((option + "=" + std::to_string(asked - 1) + "=" + value.split('=').second).str());
    else if (isAsked ? asked != number : word.starts_with("--") || at++ != number)
      left.push_back(word.str());
  }
  return left;
}

static ProgramResult launched(const LaunchTest &test, const std::string &file, llvm::ArrayRef<std::string> options,
                              llvm::ArrayRef<std::string> ofPtxas) {
  // A kernel that hangs is ended with its test, so that the next one can be launched.
  std::vector<std::string> words{"run", "--no-config", "--time-limit=" + std::to_string(test.seconds)};
  if (!test.ptxas.empty())
    words.push_back("--ptxas=" + test.ptxas);
  llvm::append_range(words, options);
  words.push_back(file);
  llvm::append_range(words, test.words);
  if (!ofPtxas.empty())
    words.push_back("--");
  llvm::append_range(words, ofPtxas);
  return runProgram(ownPath(), words, test.seconds);
}

namespace {

/// The result of a launch: its buffers.
struct Answer {
  bool isGood = false; // true if the launch reached its end
  std::vector<std::string> buffers;
};

} // namespace

static Answer answerOf(const LaunchTest &test, const std::string &file, std::vector<std::string> options,
                       llvm::ArrayRef<std::string> ofPtxas) {
  const std::vector<unsigned> numbers = buffersOf(test);
  for (const unsigned number : numbers)
    options.push_back("--out=" + std::to_string(number) + "=file:" + file + "." + std::to_string(number));
  const ProgramResult result = launched(test, file, options, ofPtxas);
  Answer answer{result.end == ProgramEnd::Exited && result.detail == Clean, {}};
  for (const unsigned number : numbers)
    if (auto left = llvm::MemoryBuffer::getFile(file + "." + std::to_string(number)); answer.isGood && left)
      answer.buffers.push_back((*left)->getBuffer().str());
  return answer;
}

/// Returns whether the emulator reports the rule: `file.ptx:3:5: error: ... [data-race]`.
static bool isFound(const LaunchTest &test, const std::string &file) {
  const ProgramResult result = launched(test, file, {"--emulate", "--cores=1", "--format=short"}, {});
  const StringRef printed = result.printed;
  return result.end == ProgramEnd::Exited &&
         (printed.contains("[" + test.finding + "]") || printed.contains("[" + test.finding + ":"));
}

bool isInteresting(const LaunchTest &test, StringRef text, const std::string &file) {
  if (!writeFile(file, text).empty())
    return false;
  if (!test.finding.empty())
    return isFound(test, file);
  // Uninitialised predicates differ in each lane.
  const Answer eager = answerOf(test, file, {"--emulate", "--cores=1", "--unwritten=0x5a"}, {});
  const std::vector<std::string> otherwise{"--emulate", "--cores=1", "--schedule=7", "--unwritten=0xa5",
                                           "--buffer=moves.the.others=zeros:70144"};
  if (!eager.isGood || answerOf(test, file, otherwise, {}).buffers != eager.buffers)
    return false;
  const Answer last = answerOf(test, file, {}, {"-O3"});
  if (!test.ofLevels)
    return last.buffers != eager.buffers;
  return answerOf(test, file, {}, {"-O0"}).buffers != last.buffers;
}

std::string launchProblem(const LaunchTest &test, const std::string &file, int &status) {
  const bool isEmulated = !test.finding.empty();
  const ProgramResult result = isEmulated ? launched(test, file, {"--emulate"}, {}) : launched(test, file, {}, {});
  status = result.detail;
  const bool isPossible = result.end == ProgramEnd::Exited && result.detail != NoGpu && result.detail != NoPtxas &&
                          result.detail != BadUsage && result.detail != NotEmulated;
  return isPossible ? "" : result.printed;
}

} // namespace ptxray
