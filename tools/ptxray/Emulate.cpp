// The launch of a kernel on the emulated machine: what ptxray-run does with the CUDA driver, without one.
#include "Emulate.h"
#include "../launcher/Output.h"
#include "../launcher/Recording.h"
#include "Binaries.h"
#include "Check/Suppressions.h"
#include "CountersOutput.h"
#include "EmulatedImages.h"
#include "LaunchWatch.h"
#include "Machine/DriverNumbers.h"
#include "Machine/LaunchLimits.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"
#include <chrono>
#include <csignal>
#include <cstring>
#include <new>

namespace ptxray {

using llvm::StringRef;

[[noreturn]] static void fail(int status, const std::string &message) {
  usageError(message);
  throw FailedLaunch{status};
}

/// Recorded memory keeps its address, if that is one of global memory on the machine too.
static bool keepsAddress(const launcher::Buffer &buffer) { return buffer.at >= machine::globalBegin; }

void Emulation::placeBuffers() {
  for (const launcher::NamedBuffer &buffer : options.buffers)
    if (keepsAddress(buffer.buffer))
      memory.skipTo(buffer.buffer.at + buffer.buffer.bytes.size());
  for (launcher::NamedBuffer &buffer : options.buffers) {
    const bool isArgument = StringRef(buffer.name).find_first_not_of("0123456789.") == StringRef::npos;
    const std::string name = (isArgument ? "argument " : "") + buffer.name;
    launcher::Bytes &bytes = buffer.buffer.bytes;
    if (keepsAddress(buffer.buffer))
      memory.addAt(buffer.buffer.at, bytes, name);
    addresses.push_back(keepsAddress(buffer.buffer) ? buffer.buffer.at : memory.add(bytes, name));
    if ((options.fresh && options.repeat) || keepsInitial)
      initial.push_back(bytes);
  }
}

/// Changes the words that lead into recorded memory which lies elsewhere now. Variables move each time that the module
/// is loaded.
void Emulation::followMoves() {
  std::vector<launcher::Move> moves;
  const auto add = [&](launcher::Buffer &recorded, uint64_t now) {
    if (!recorded.at) // texels, to which no address leads
      return;
    moves.push_back({recorded.at, recorded.bytes.size(), now});
    recorded.at = now;
  };
  for (auto [buffer, address] : llvm::zip(options.buffers, addresses))
    add(buffer.buffer, address);
  for (auto &[name, value] : options.variables)
    if (const auto place = loaded->placeOf(name))
      add(value, place->first);
  moves = launcher::realMoves(std::move(moves));
  relocate(options, moves);
  for (launcher::Bytes &bytes : initial)
    relocate(bytes, moves);
}

void Emulation::setVariables() {
  loaded.emplace(read, memory, input.options.arch);
  if (options.isRecorded)
    followMoves();
  for (const auto &[name, value] : options.variables) {
    const llvm::MutableArrayRef<uint8_t> variable = loaded->variable(name);
    if (variable.empty())
      throw launcher::UsageError("the module has no variable `" + name + "`");
    if (variable.size() != value.bytes.size())
      throw launcher::UsageError("variable `" + name + "` has " + std::to_string(variable.size()) +
                                 " bytes, its value " + std::to_string(value.bytes.size()));
    llvm::copy(value.bytes, variable.begin());
  }
  for (const auto &[name, image] : options.images)
    if (const std::string problem = loaded->bind(name, objectFor(image)); !problem.empty())
      throw launcher::UsageError(problem);
}

uint64_t Emulation::addressOf(const launcher::Address &at) const {
  const auto buffer = llvm::find_if(options.buffers, [&](const auto &one) { return one.name == at.buffer; });
  assert(buffer != options.buffers.end() && "addresses were checked");
  return addresses[buffer - options.buffers.begin()] + at.offset;
}

machine::TensorMapBytes Emulation::mapFor(const launcher::TensorMap &asked) const {
  machine::TensorMap map;
  if (!setDriverNumbers(map, {asked.typeNumber(), asked.interleaveNumber(), asked.swizzleNumber(), asked.fillsWithNan}))
    throw launcher::UsageError("a tensor map for `" + kernel.name + "`: there is no such interleaving or swizzle");
  map.rank = static_cast<uint32_t>(asked.extents.size());
  map.address = addressOf(asked.at);
  llvm::copy(asked.extents, map.extents.begin());
  llvm::copy(asked.strides, map.strides.begin());
  llvm::copy(asked.box, map.box.begin());
  llvm::copy(asked.steps, map.steps.begin());
  map.mode = static_cast<machine::TensorMode>(asked.mode);
  llvm::copy(asked.lower, map.lower.begin());
  llvm::copy(asked.upper, map.upper.begin());
  map.channels = asked.channels;
  map.pixels = asked.pixels;
  if (const std::string problem = findProblem(map); !problem.empty())
    fail(KernelFailed, "a tensor map for `" + kernel.name + "`: " + problem);
  return encode(map);
}

machine::ImageObject Emulation::objectFor(const launcher::ImageDescription &asked) const {
  const bool isSampler = asked.kind == launcher::ImageDescription::Kind::Sampler;
  machine::ImageObject object = imageObjectFor(asked, isSampler ? 0 : addressOf(asked.at));
  if (object.image)
    if (const std::string problem = problemOf(object, memory); !problem.empty())
      fail(KernelFailed, "`" + kernel.name + "`: " + problem);
  return object;
}

/// The arguments with the addresses, tensor maps and handles in them. They have the sizes of the parameters.
std::vector<launcher::Bytes> Emulation::arguments() {
  std::vector<launcher::Bytes> all;
  for (const launcher::Argument &argument : options.arguments) {
    launcher::Bytes &bytes = all.emplace_back(argument.bytes);
    for (const auto &[offset, at] : argument.addresses) {
      const uint64_t address = addressOf(at);
      std::memcpy(&bytes[offset], &address, sizeof address);
    }
    for (const auto &[offset, map] : argument.tensorMaps)
      llvm::copy(mapFor(map), bytes.begin() + offset);
    for (const auto &[offset, image] : argument.images) {
      if (image.handle)
        memory.bind(image.handle, objectFor(image));
      const uint64_t handle = image.handle ? image.handle : memory.addObject(objectFor(image));
      std::memcpy(&bytes[offset], &handle, sizeof handle);
    }
  }
  return all;
}

machine::Launch Emulation::request() {
  asked.parameters = laidOut(kernel, arguments());
  return asked;
}

std::vector<llvm::MutableArrayRef<uint8_t>> Emulation::buffers() {
  std::vector<llvm::MutableArrayRef<uint8_t>> all;
  for (launcher::NamedBuffer &buffer : options.buffers)
    all.push_back(buffer.buffer.bytes);
  return all;
}

machine::Outcome Emulation::launch() {
  request();
  const uint64_t blocks = uint64_t(asked.grid[0]) * asked.grid[1] * asked.grid[2];
  machine::Watch watch;
  asked.watch = &watch;
  const LaunchWatch watching(watch, blocks);
  return machine::launch(*loaded, asked);
}

static std::string placeText(const FileReport &report, Range range) {
  const LineColumn at = report.source->lineColumn(range.begin);
  return report.path + ':' + std::to_string(at.line) + ':' + std::to_string(at.column);
}

/// A line for each instruction: its place, its text in one line, the registers.
static void printTrace(llvm::ArrayRef<machine::TraceLine> lines, const FileReport &report) {
  for (const machine::TraceLine &line : lines) {
    const llvm::StringRef text = report.source->text().slice(line.range.begin, line.range.end);
    llvm::errs() << placeText(report, line.range) << ": " << inOneLine(text) << (line.values.empty() ? "" : "  // ")
                 << llvm::join(line.values, ", ") << '\n';
  }
  if (lines.size() == machine::mostTraced)
    llvm::errs() << "ptxray: the trace ends here, after " << lines.size() << " instructions\n";
}

/// Writes a file by what `write` does with its stream.
static void writeFile(llvm::StringRef path, llvm::function_ref<void(llvm::raw_ostream &)> write) {
  std::error_code error;
  llvm::raw_fd_ostream out(path, error);
  if (!error)
    write(out);
  out.close();
  if (error || out.has_error()) {
    out.clear_error();
    throw launcher::UsageError("cannot write `" + path.str() + "`");
  }
}

void Emulation::writeCounts(const machine::Outcome &outcome, const Arguments &arguments) const {
  if (outcome.counts.empty())
    return;
  const std::optional<StringRef> path = arguments.value("--counters"), coverage = arguments.value("--coverage");
  if (path && path->empty())
    writeCounters(llvm::errs(), outcome.counts, input.report);
  else if (path && path->ends_with(".json"))
    writeFile(*path,
              [&](llvm::raw_ostream &out) { out << countersJson(outcome.counts, input.report, kernel.name) << '\n'; });
  else if (path && path->ends_with(".svg"))
    writeFile(*path,
              [&](llvm::raw_ostream &out) { writeCountersPicture(out, outcome.counts, input.report, kernel.name); });
  else if (path)
    writeFile(*path, [&](llvm::raw_ostream &out) { writeCounters(out, outcome.counts, input.report); });
  const std::optional<StringRef> fidelity = arguments.value("--fidelity");
  if (fidelity && fidelity->empty())
    writeFidelity(llvm::errs(), outcome.counts, input.report);
  else if (fidelity && fidelity->ends_with(".json"))
    writeFile(*fidelity,
              [&](llvm::raw_ostream &out) { out << fidelityJson(outcome.counts, input.report, kernel.name) << '\n'; });
  else if (fidelity)
    writeFile(*fidelity, [&](llvm::raw_ostream &out) { writeFidelity(out, outcome.counts, input.report); });
  if (coverage)
    writeFile(*coverage, [&](llvm::raw_ostream &out) { writeCoverage(out, outcome.counts, input.report); });
}

/// Adds what a launch found to the report and prints it, with what the kernel printed. Returns an exit status.
int Emulation::report(machine::Outcome outcome, const Arguments &arguments) {
  FileReport &report = input.report;
  for (Diagnostic &found : outcome.diagnostics)
    if (isWanted(found, input.options))
      report.diagnostics.push_back(std::move(found));
  printTrace(outcome.trace, report);
  writeCounts(outcome, arguments);
  printReport(report, arguments);
  const bool isGood = !hasErrors(report);
  report.diagnostics.clear();
  llvm::outs() << outcome.printed;
  llvm::outs().flush();
  if (outcome.printedLost)
    usageError("`" + kernel.name + "` printed " + std::to_string(outcome.printedLost) +
               " bytes more than the buffer of a GPU holds: the oldest are lost");
  if (outcome.isOutOfMemory)
    fail(BadUsage, "kernel `" + kernel.name + "` needs more memory than it may take (--memory-limit)");
  if (!outcome.refusal.empty() && outcome.refusedAt == Range())
    fail(KernelFailed, "launch of `" + kernel.name + "`: " + outcome.refusal);
  if (!outcome.refusal.empty())
    fail(NotEmulated, placeText(report, outcome.refusedAt) + ": `" + kernel.name +
                          "` came to an instruction that cannot be emulated: " + outcome.refusal);
  if (outcome.isStopped) {
    usageError("kernel `" + kernel.name + "` was interrupted");
    std::signal(SIGINT, SIG_DFL);
    std::raise(SIGINT);
  }
  if (outcome.isOutOfTime)
    fail(KernelFailed, "kernel `" + kernel.name + "` has not ended after " + std::to_string(options.seconds) +
                           " s: it hangs, or needs a longer --time-limit");
  if (!outcome.isComplete)
    throw FailedLaunch{isGood ? KernelFailed : FoundErrors};
  return isGood ? Clean : FoundErrors;
}

launcher::Bytes Emulation::contents(const std::string &name) const {
  for (const launcher::NamedBuffer &buffer : options.buffers)
    if (buffer.name == name)
      return buffer.buffer.bytes;
  const llvm::ArrayRef<uint8_t> variable = loaded->variable(name);
  if (variable.empty())
    throw launcher::UsageError("there is no buffer and no variable `" + name + "`");
  return variable.vec();
}

void Emulation::writeOutputs() const {
  for (const auto &[name, how] : options.outputs)
    launcher::writeOutput(options, name, how, contents(name));
}

bool Emulation::isAsExpected(bool isLast) const {
  return launcher::isAsExpected(
      options, isLast, [&](const std::string &name) { return contents(name); },
      [](const std::string &line) { usageError(line); });
}

int Emulation::measure(const Arguments &arguments) {
  using Clock = std::chrono::steady_clock;
  std::vector<double> times(options.repeat);
  int status = Clean;
  for (double &time : times) {
    if (options.fresh)
      for (auto [buffer, bytes] : llvm::zip(options.buffers, initial))
        llvm::copy(bytes, buffer.buffer.bytes.begin());
    const Clock::time_point begin = Clock::now();
    machine::Outcome outcome = launch();
    time = std::chrono::duration<double, std::micro>(Clock::now() - begin).count();
    if (status == Clean)
      status = report(std::move(outcome), arguments);
  }
  if (!times.empty())
    launcher::printTimes(kernel.name, std::move(times));
  return status;
}

/// Launches by one schedule after the other, until one fails: it is named.
int Emulation::runSchedules(uint32_t count, const Arguments &arguments) {
  int status = Clean;
  for (uint32_t number = 0; number < count && status == Clean; ++number) {
    const std::string text = machine::Timing::textOf(number);
    for (auto [buffer, bytes] : llvm::zip(options.buffers, initial))
      llvm::copy(bytes, buffer.buffer.bytes.begin());
    memory.rewindHeap(0);
    setVariables();
    asked.timing = *machine::Timing::read(text);
    try {
      status = report(launch(), arguments);
      if (status == Clean && !isAsExpected(number + 1 == count))
        status = KernelFailed;
    } catch (const FailedLaunch &failed) {
      status = failed.status;
    }
    if (status != Clean)
      usageError("`--schedule=" + text + "` replays this run");
  }
  writeOutputs();
  launcher::flushOutput();
  return status;
}

/// `X,Y,Z:X,Y,Z`: a thread of a block; what is not written is 0.
static machine::TracedThread tracedThread(llvm::StringRef text) {
  machine::TracedThread traced;
  const auto [thread, block] = text.split(':');
  for (const auto &[list, to] : {std::pair(thread, &traced.thread), std::pair(block, &traced.block)}) {
    llvm::SmallVector<llvm::StringRef, 3> numbers;
    list.split(numbers, ',', -1, /*KeepEmpty=*/false);
    bool isGood = numbers.size() <= to->size();
    for (size_t i = 0; isGood && i < numbers.size(); ++i)
      isGood = !numbers[i].getAsInteger(10, (*to)[i]);
    if (!isGood)
      throw launcher::UsageError("`--trace=" + text.str() + "`: a thread is needed, such as `5` or `0,3:2,1`");
  }
  return traced;
}

/// Reads an option that is a number of bytes, such as `512M`.
static void readBytes(const Arguments &arguments, StringRef option, uint64_t &to) {
  const std::optional<StringRef> text = arguments.value(option);
  if (!text)
    return;
  const std::optional<uint64_t> bytes = bytesNamed(*text);
  if (!bytes || !*bytes)
    throw launcher::UsageError("`" + (option + "=" + *text).str() + "`: expected a number of bytes, such as `512M`");
  to = *bytes;
}

void Emulation::readLaunch(const Arguments &arguments) {
  asked.kernel = kernel.name;
  llvm::copy(options.grid, asked.grid.begin());
  llvm::copy(options.block, asked.block.begin());
  llvm::copy(options.cluster, asked.cluster.begin());
  asked.shared = options.shared;
  asked.isCooperative = options.cooperative;
  asked.seconds = options.seconds;
  readBytes(arguments, "--memory-limit", asked.memoryBytes);
  readBytes(arguments, "--heap", asked.heapBytes);
  asked.checks = !arguments.has("--no-checks");
  if (const std::optional<llvm::StringRef> traced = arguments.value("--trace"))
    asked.traced = tracedThread(*traced);
  asked.checksNumbers = arguments.has("--trap-nan");
  asked.counts = arguments.has("--counters") || arguments.has("--coverage") || arguments.has("--fidelity");
  if (const std::optional<llvm::StringRef> cores = arguments.value("--cores");
      cores && cores->getAsInteger(10, asked.cores))
    throw launcher::UsageError("`--cores=" + cores->str() + "`: a number is needed");
  if (const std::optional<llvm::StringRef> byte = arguments.value("--unwritten");
      byte && byte->getAsInteger(0, asked.unwritten))
    throw launcher::UsageError("`--unwritten=" + byte->str() + "`: a number from 0 to 255 is needed");
  if (const std::string broken = machine::brokenLimits(asked); !broken.empty())
    fail(KernelFailed, "launch of `" + kernel.name + "`: " + broken);
  if (const auto text = arguments.value("--schedule")) {
    const std::optional<machine::Timing> timing = machine::Timing::read(*text);
    if (!timing)
      throw launcher::UsageError("`--schedule=" + text->str() +
                                 "`: expected eager, lazy, early, a number, or weak:NUMBER");
    asked.timing = *timing;
  }
}

void Emulation::prepare(const Arguments &arguments) {
  readLaunch(arguments);
  placeBuffers();
  setVariables();
}

int Emulation::run(const Arguments &arguments) {
  readLaunch(arguments);
  uint32_t schedules = 0;
  if (const auto text = arguments.value("--schedules"); text && (text->getAsInteger(10, schedules) || !schedules))
    return usageError("`--schedules=" + text->str() + "`: expected a number of launches");
  keepsInitial = schedules;
  placeBuffers();
  if (schedules)
    return runSchedules(schedules, arguments);
  setVariables();
  const int found = report(launch(), arguments);
  writeOutputs();
  const bool isGood = isAsExpected();
  const int foundLater = measure(arguments);
  launcher::flushOutput();
  return !isGood ? KernelFailed : found ? found : foundLater;
}

/// Calls `use`, and prints why a launch could not be made.
static int reportingFailures(llvm::function_ref<int()> use) {
  try {
    return use();
  } catch (const launcher::UsageError &error) {
    return usageError(error.what());
  } catch (const std::bad_alloc &) {
    return usageError("a buffer is larger than this machine's memory");
  } catch (const std::length_error &) {
    return usageError("a buffer is larger than this machine's memory");
  } catch (const FailedLaunch &failed) {
    return failed.status;
  }
}

int emulate(PreparedLaunch &prepared, const Arguments &arguments) {
  return reportingFailures([&] {
    Emulation emulation(prepared.input, prepared.entry,
                        launcher::readOptions({prepared.words.begin(), prepared.words.end()}));
    return emulation.run(arguments);
  });
}

std::unique_ptr<Emulation> laidOut(PreparedLaunch &prepared, const Arguments &arguments, int &status) {
  std::unique_ptr<Emulation> emulation;
  status = reportingFailures([&] {
    emulation = std::make_unique<Emulation>(prepared.input, prepared.entry,
                                            launcher::readOptions({prepared.words.begin(), prepared.words.end()}));
    emulation->prepare(arguments);
    return Clean;
  });
  if (status != Clean)
    emulation.reset();
  return emulation;
}

} // namespace ptxray
