// Launches kernels. The bytes choose a valid program of `lib/Generate`, then edits of its lines, and a schedule.
// Whatever still passes the check is launched by that schedule. The launch must end within its limits, without a fault
// of the machine. A program without edits must end without a finding.
#include "Check/Checker.h"
#include "Emulate/Launch.h"
#include "Generate/Program.h"
#include "Machine/Kernels.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdlib>
#include <cstring>

using namespace ptxray;
using llvm::StringRef;

namespace {

/// Reads numbers from the input, and zeros after its end.
class Choices {
public:
  Choices(const uint8_t *data, size_t size) : data(data), size(size) {}
  bool isEmpty() const { return at >= size; }
  uint32_t below(uint32_t count) {
    uint32_t number = 0;
    for (uint32_t reach = 1; reach < count; reach <<= 8)
      number = number << 8 | (at < size ? data[at++] : 0);
    return count ? number % count : 0;
  }

private:
  const uint8_t *data;
  size_t size, at = 0;
};

/// The launch in the second line of a program: `// run: --grid=2 --block=128 edges:u64:43024:1 zeros:u64:43024`.
struct Asked {
  uint32_t grid = 1, block = 32;
  uint64_t bytes = 0; // size of each of the two buffers
};

} // namespace

static Asked askedBy(StringRef program) {
  Asked asked;
  llvm::SmallVector<StringRef> words;
  program.split('\n').second.split('\n').first.split(words, ' ');
  for (StringRef word : words)
    if (word.consume_front("--grid="))
      word.getAsInteger(10, asked.grid);
    else if (word.consume_front("--block="))
      word.getAsInteger(10, asked.block);
    else if (word.consume_front("zeros:u64:") && !word.getAsInteger(10, asked.bytes))
      asked.bytes *= 8;
  return asked;
}

/// Changes a word of a line: replaces a number by another one, or a word of this line by a word of the other line.
static std::string edited(StringRef line, StringRef other, Choices &choices) {
  static constexpr const char *numbers[] = {"0",  "1",    "-1",    "15",         "16",         "31",
                                            "32", "4096", "65535", "0x7fffffff", "0xffffffff", "0x8000000000000000"};
  llvm::SmallVector<StringRef> words, others;
  line.split(words, ' ');
  other.split(others, ' ');
  const uint32_t at = choices.below(static_cast<uint32_t>(words.size()));
  std::string with = choices.below(3) ? others[choices.below(static_cast<uint32_t>(others.size()))].str()
                                      : numbers[choices.below(std::size(numbers))];
  const StringRef end = words[at].ltrim("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789%_$.:+-[]");
  with = StringRef(with).rtrim(",;").str() + end.str();
  words[at] = with;
  return llvm::join(words, " ");
}

/// Repeats, removes, exchanges, and changes lines, as long as there are choices.
static std::string changed(const std::string &program, Choices &choices) {
  llvm::SmallVector<StringRef> split;
  StringRef(program).split(split, '\n');
  std::vector<std::string> lines(split.begin(), split.end());
  constexpr unsigned most = 12;
  for (unsigned edits = 0; edits < most && !choices.isEmpty(); ++edits) {
    const auto count = static_cast<uint32_t>(lines.size());
    const uint32_t at = choices.below(count), other = choices.below(count);
    switch (choices.below(5)) {
    case 0: lines.insert(lines.begin() + at, lines[other]); break;
    case 1: lines.erase(lines.begin() + at); break;
    case 2: std::swap(lines[at], lines[other]); break;
    default: lines[at] = edited(lines[at], lines[other], choices);
    }
  }
  return llvm::join(lines, "\n");
}

static bool hasErrors(const FileReport &report) {
  return llvm::any_of(report.diagnostics, [](const Diagnostic &d) { return d.severity == Severity::Error; });
}

static ProgramTarget targetOf(const char *name) {
  ProgramTarget target;
  target.target = name;
  return target;
}

static machine::Outcome launched(const ReadModule &module, const machine::KernelEntry &kernel, const Asked &asked,
                                 Choices &choices) {
  std::vector<uint8_t> in(asked.bytes), out(asked.bytes);
  for (size_t i = 0; i < in.size(); ++i)
    in[i] = static_cast<uint8_t>(i * 37 >> 3);
  machine::Memory memory;
  machine::LoadedModule loaded(module, memory, "");
  std::vector<std::vector<uint8_t>> arguments;
  for (std::vector<uint8_t> *buffer : {&in, &out}) {
    const uint64_t address = memory.add(*buffer, "a buffer");
    std::vector<uint8_t> &bytes = arguments.emplace_back(sizeof address);
    std::memcpy(bytes.data(), &address, sizeof address);
  }
  machine::Launch launch;
  launch.kernel = kernel.name;
  launch.grid[0] = asked.grid;
  launch.block[0] = asked.block;
  launch.parameters = laidOut(kernel, arguments);
  launch.seconds = 1;
  launch.memoryBytes = 256 << 20;
  launch.cores = 1;
  launch.checks = choices.below(4);
  launch.checksNumbers = choices.below(8) == 1;
  launch.counts = choices.below(8) == 1;
  launch.unwritten = static_cast<uint8_t>(choices.below(256));
  static constexpr const char *schedules[] = {"eager", "lazy", "early", "7", "weak:3"};
  launch.timing = *machine::Timing::read(schedules[choices.below(std::size(schedules))]);
  return machine::launch(loaded, launch);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static Generator generators[] = {Generator(targetOf("sm_90")), Generator(targetOf("sm_100")),
                                   Generator(targetOf("sm_80"))};
  Choices choices(data, size);
  Generator &generator = generators[choices.below(std::size(generators))];
  ProgramOptions options;
  options.seed = choices.below(1 << 16);
  options.size = 10 + choices.below(60);
  options.blocks = 1 + choices.below(2);
  options.threads = 32 << choices.below(2);
  const std::string program = generator.program(options);
  const bool isChanged = !choices.isEmpty();
  FileReport report;
  report.path = "kernel.ptx";
  report.source = SourceBuffer::fromText(report.path, isChanged ? changed(program, choices) : program);
  report = Checker().check(std::move(report), Language::Ptx, CheckOptions());
  if (hasErrors(report))
    return 0;
  const ReadModule module = readModule(*report.source, CheckOptions());
  const std::vector<machine::KernelEntry> kernels = machine::kernelsOf(module.ast());
  if (kernels.size() != 1 || kernels[0].parameters.size() != 2 ||
      llvm::any_of(kernels[0].parameters, [](const auto &one) { return one.bytes != 8; }))
    return 0;
  const machine::Outcome outcome = launched(module, kernels[0], askedBy(program), choices);
  if (!isChanged && !outcome.isOutOfTime && (!outcome.isComplete || !outcome.diagnostics.empty())) {
    llvm::errs() << "a valid program has a finding:\n" << program;
    std::abort();
  }
  return 0;
}
