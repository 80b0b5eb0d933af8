// Launches a kernel on the emulated machine. ptxray-run does the same with the CUDA driver.
#include "Emulate.h"
#include "../launcher/Output.h"
#include "Binaries.h"
#include "Check/Suppressions.h"
#include "CountersOutput.h"
#include "Emulate/CertificateWords.h"
#include "EmulatedImages.h"
#include "Equal/Certify.h"
#include "Launch/LaunchLimits.h"
#include "LaunchWatch.h"
#include "Machine/DriverNumbers.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <chrono>
#include <csignal>
#include <cstring>

namespace ptxray {

using llvm::StringRef;

static int fail(int status, const std::string &message) {
  usageError(message);
  return status;
}

/// Reports why the kernel cannot be launched in this way.
int Emulation::refuse(const std::string &problem) const {
  return fail(KernelFailed, "launch of `" + kernel.name + "`: " + problem);
}

/// Returns whether recorded memory keeps its address. It does if this is an address of global memory on the machine
/// too.
static bool keepsAddress(const launcher::Buffer &buffer) { return buffer.at >= machine::globalBegin; }

/// Returns the name of the parameter with a number, ` (a)`; empty for a buffer that is no argument.
std::string Emulation::nameOfParameter(StringRef number) const {
  size_t index = 0;
  if (number.getAsInteger(10, index) || index >= kernel.parameters.size())
    return "";
  return " (" + kernel.parameters[index].name + ")";
}

void Emulation::placeBuffers() {
  for (const launcher::NamedBuffer &buffer : options.buffers)
    if (keepsAddress(buffer.buffer))
      memory.skipTo(buffer.buffer.at + buffer.buffer.bytes.size());
  for (launcher::NamedBuffer &buffer : options.buffers) {
    const bool isArgument = StringRef(buffer.name).find_first_not_of("0123456789.") == StringRef::npos;
    const std::string name = (isArgument ? "argument " : "") + buffer.name + nameOfParameter(buffer.name);
    launcher::Bytes &bytes = buffer.buffer.bytes;
    if (keepsAddress(buffer.buffer))
      memory.addAt(buffer.buffer.at, bytes, name);
    addresses.push_back(keepsAddress(buffer.buffer) ? buffer.buffer.at : memory.add(bytes, name));
    if ((options.fresh && options.repeat) || schedules)
      initial.push_back(bytes);
  }
}

/// Adapts words that point into recorded memory which now lies at another address.
void Emulation::followMoves() {
  std::vector<launcher::Move> moves;
  const auto add = [&](launcher::Buffer &recorded, uint64_t now) {
    if (!recorded.at) // texels have no address
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

int Emulation::setVariables() {
  loaded.emplace(*input.module, memory, input.options.arch);
  if (options.isRecorded)
    followMoves();
  for (const auto &[name, value] : options.variables) {
    const llvm::MutableArrayRef<uint8_t> variable = loaded->variable(name);
    if (variable.empty())
      return usageError("the module has no variable `" + name + "`");
    if (variable.size() != value.bytes.size())
      return usageError("variable `" + name + "` has " + std::to_string(variable.size()) + " bytes, its value " +
                        std::to_string(value.bytes.size()));
    llvm::copy(value.bytes, variable.begin());
  }
  for (const auto &[name, image] : options.images) {
    Expected<machine::ImageObject> object = objectFor(image);
    if (!object)
      return fail(KernelFailed, object.problem());
    if (const std::string problem = loaded->bind(name, std::move(*object)); !problem.empty())
      return usageError(problem);
  }
  return Clean;
}

uint64_t Emulation::addressOf(const launcher::Address &at) const {
  const auto buffer = llvm::find_if(options.buffers, [&](const auto &one) { return one.name == at.buffer; });
  assert(buffer != options.buffers.end() && "addresses were checked");
  return addresses[buffer - options.buffers.begin()] + at.offset;
}

/// Adds the fields that do not come from the numbers of the driver.
machine::TensorMap Emulation::completed(machine::TensorMap map, const launcher::TensorMap &asked) const {
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
  return map;
}

/// Encodes a tensor map.
int Emulation::place(const launcher::TensorMap &asked, uint8_t *bytes) const {
  const std::string what = "a tensor map for `" + kernel.name + "`: ";
  machine::TensorMap map;
  if (!setDriverNumbers(map, {asked.typeNumber(), asked.interleaveNumber(), asked.swizzleNumber(), asked.fillsWithNan}))
    return usageError(what + "there is no such interleaving or swizzle");
  map = completed(std::move(map), asked);
  if (const std::string problem = findProblem(map); !problem.empty())
    return fail(KernelFailed, what + problem);
  llvm::copy(encode(map), bytes);
  return Clean;
}

Expected<machine::ImageObject> Emulation::objectFor(const launcher::ImageDescription &asked) const {
  const bool isSampler = asked.kind == launcher::ImageDescription::Kind::Sampler;
  machine::ImageObject object = imageObjectFor(asked, isSampler ? 0 : addressOf(asked.at));
  if (object.image)
    if (const std::string problem = problemOf(object, memory); !problem.empty())
      return Problem{"`" + kernel.name + "`: " + problem};
  return object;
}

/// Makes an image, and writes its handle.
int Emulation::place(const launcher::ImageDescription &image, uint8_t *handle) {
  Expected<machine::ImageObject> object = objectFor(image);
  if (!object)
    return fail(KernelFailed, object.problem());
  if (image.handle)
    memory.bind(image.handle, std::move(*object));
  const uint64_t number = image.handle ? image.handle : memory.addObject(std::move(*object));
  std::memcpy(handle, &number, sizeof number);
  return Clean;
}

/// Writes the addresses, tensor maps and handles of an argument into its bytes.
int Emulation::place(const launcher::Argument &argument, launcher::Bytes &bytes) {
  for (const auto &[offset, at] : argument.addresses) {
    const uint64_t address = addressOf(at);
    std::memcpy(&bytes[offset], &address, sizeof address);
  }
  for (const auto &[offset, map] : argument.tensorMaps)
    if (const int status = place(map, &bytes[offset]))
      return status;
  for (const auto &[offset, image] : argument.images)
    if (const int status = place(image, &bytes[offset]))
      return status;
  return Clean;
}

int Emulation::placeArguments() {
  std::vector<launcher::Bytes> all; // one for each parameter
  for (const launcher::Argument &argument : options.arguments)
    if (const int status = place(argument, all.emplace_back(argument.bytes)))
      return status;
  asked.parameters = laidOut(kernel, all);
  return Clean;
}

std::vector<llvm::MutableArrayRef<uint8_t>> Emulation::buffers() {
  std::vector<llvm::MutableArrayRef<uint8_t>> all;
  for (launcher::NamedBuffer &buffer : options.buffers)
    all.push_back(buffer.buffer.bytes);
  return all;
}

machine::Outcome Emulation::launch() {
  machine::Watch watch;
  asked.watch = &watch;
  const LaunchWatch watching(watch, asked.blocks());
  if (!asked.certifies)
    return machine::launch(*loaded, asked);
  return arguments.has("--conditions") ? equal::launchCertified(*loaded, asked, UINT64_MAX)
                                       : equal::launchCertified(*loaded, asked);
}

static std::string placeText(const FileReport &report, Range range) {
  const LineColumn at = report.source->lineColumn(range.begin);
  return report.path + ':' + std::to_string(at.line) + ':' + std::to_string(at.column);
}

/// Prints a line for each instruction: its place, its text in one line, and the registers.
static void printTrace(llvm::ArrayRef<machine::TraceLine> lines, const FileReport &report) {
  for (const machine::TraceLine &line : lines) {
    const llvm::StringRef text = report.source->text().slice(line.range.begin, line.range.end);
    llvm::errs() << placeText(report, line.range) << ": " << inOneLine(text) << (line.values.empty() ? "" : "  // ")
                 << llvm::join(line.values, ", ") << '\n';
  }
  if (lines.size() == machine::mostTraced)
    llvm::errs() << "ptxray: the trace ends here, after " << lines.size() << " instructions\n";
}

/// Writes a file with a function that writes to its stream. Returns what is wrong.
static std::string writeFile(llvm::StringRef path, llvm::function_ref<void(llvm::raw_ostream &)> write) {
  std::error_code error;
  llvm::raw_fd_ostream out(path, error);
  if (!error)
    write(out);
  out.close();
  if (!error && !out.has_error())
    return "";
  out.clear_error();
  return "cannot write `" + path.str() + "`";
}

/// Writes to a file, or to standard error without a name. The name decides between a listing, JSON, and a picture.
static std::string writeListing(StringRef path, llvm::function_ref<void(llvm::raw_ostream &)> listing,
                                llvm::function_ref<void(llvm::raw_ostream &)> json,
                                llvm::function_ref<void(llvm::raw_ostream &)> picture) {
  if (path.empty())
    return listing(llvm::errs()), "";
  return writeFile(path, path.ends_with(".json") ? json : picture && path.ends_with(".svg") ? picture : listing);
}

std::string Emulation::writeCounts(const machine::Outcome &outcome) const {
  using Stream = llvm::raw_ostream;
  const auto &counts = outcome.counts;
  std::string problem;
  if (counts.empty())
    return problem;
  if (const std::optional<StringRef> path = arguments.value("--counters"))
    problem = writeListing(
        *path, [&](Stream &out) { writeCounters(out, counts, input.report); },
        [&](Stream &out) { out << countersJson(counts, input.report, kernel.name) << '\n'; },
        [&](Stream &out) { writeCountersPicture(out, counts, input.report, kernel.name); });
  const std::optional<StringRef> fidelity = arguments.value("--fidelity"), coverage = arguments.value("--coverage");
  if (fidelity && problem.empty())
    problem = writeListing(
        *fidelity, [&](Stream &out) { writeFidelity(out, counts, input.report); },
        [&](Stream &out) { out << fidelityJson(counts, input.report, kernel.name) << '\n'; }, nullptr);
  if (coverage && problem.empty())
    problem = writeFile(*coverage, [&](Stream &out) { writeCoverage(out, counts, input.report); });
  return problem;
}

std::string Emulation::writeCertificate(const machine::Outcome &outcome, bool isGood) const {
  const std::optional<StringRef> path = arguments.value("--certify");
  if (!path)
    return "";
  isGood &= outcome.isComplete;
  return writeListing(
      *path, [&](llvm::raw_ostream &out) { out << certificateText(outcome, input.report, kernel.name, asked, isGood); },
      [&](llvm::raw_ostream &out) {
        out << certificateJson(outcome, input.report, kernel.name, asked, isGood) << '\n';
      },
      nullptr);
}

/// Returns whether a finding is an access outside of all buffers.
static bool leavesRecording(const Diagnostic &found) {
  return found.id == DiagId::RunOutOfBounds && llvm::is_contained(found.args, "memory");
}

/// Adds the findings of a launch to the report and prints it, after the output of the kernel.
Emulation::End Emulation::report(machine::Outcome outcome) {
  FileReport &report = input.report;
  const auto missing = llvm::find_if(outcome.diagnostics, leavesRecording);
  if (options.isPartial && missing != outcome.diagnostics.end())
    return {fail(NotEmulated, placeText(report, missing->range) + ": `" + kernel.name +
                                  "` needs memory that is not in the recording: " + missing->message()),
            false};
  for (Diagnostic &found : outcome.diagnostics)
    if (isWanted(found, input.options))
      report.diagnostics.push_back(std::move(found));
  printTrace(outcome.trace, report);
  if (const std::string problem = writeCounts(outcome); !problem.empty())
    return {usageError(problem), false};
  printReport(report, arguments);
  const bool isGood = !hasErrors(report);
  if (const std::string problem = writeCertificate(outcome, isGood && report.diagnostics.empty()); !problem.empty())
    return {usageError(problem), false};
  report.diagnostics.clear();
  llvm::outs() << outcome.printed;
  llvm::outs().flush();
  if (outcome.printedLost)
    usageError("`" + kernel.name + "` printed " + std::to_string(outcome.printedLost) +
               " bytes more than the buffer of a GPU can hold: the oldest are lost");
  if (outcome.isOutOfMemory)
    return {fail(BadUsage, "kernel `" + kernel.name + "` needs more memory than its limit (--memory-limit)"), false};
  if (!outcome.refusal.empty() && outcome.refusedAt == Range())
    return {refuse(outcome.refusal), false};
  if (!outcome.refusal.empty())
    return {fail(NotEmulated, placeText(report, outcome.refusedAt) + ": `" + kernel.name +
                                  "` reached an instruction that cannot be emulated: " + outcome.refusal),
            false};
  if (outcome.isStopped) {
    usageError("kernel `" + kernel.name + "` was interrupted");
    std::signal(SIGINT, SIG_DFL);
    std::raise(SIGINT);
  }
  if (outcome.isOutOfTime)
    return {fail(KernelFailed, "kernel `" + kernel.name + "` has not ended after " + std::to_string(options.seconds) +
                                   " s: it hangs, or needs a longer --time-limit"),
            false};
  if (!outcome.isComplete)
    return {isGood ? KernelFailed : FoundErrors, false};
  return {isGood ? Clean : FoundErrors, true};
}

Expected<launcher::Bytes> Emulation::contents(const std::string &name) const {
  for (const launcher::NamedBuffer &buffer : options.buffers)
    if (buffer.name == name)
      return buffer.buffer.bytes;
  const llvm::ArrayRef<uint8_t> variable = loaded->variable(name);
  if (variable.empty())
    return Problem{"there is no buffer or variable `" + name + "`"};
  return variable.vec();
}

int Emulation::writeOutputs() const {
  for (const auto &[name, how] : options.outputs) {
    const Expected<launcher::Bytes> bytes = contents(name);
    const std::string problem = bytes ? launcher::writeOutput(options, name, how, *bytes) : bytes.problem();
    if (!problem.empty())
      return usageError(problem);
  }
  return Clean;
}

/// Compares results with their expected values.
int Emulation::compare(bool isLast) const {
  const Expected<bool> isAsExpected = launcher::isAsExpected(
      options, isLast, [&](const std::string &name) { return contents(name); },
      [](const std::string &line) { usageError(line); });
  return !isAsExpected ? usageError(isAsExpected.problem()) : static_cast<int>(*isAsExpected ? Clean : KernelFailed);
}

/// Restores the first contents of buffers, and of variables if these were saved.
void Emulation::beginAgain() {
  for (auto [buffer, bytes] : llvm::zip(options.buffers, initial))
    llvm::copy(bytes, buffer.buffer.bytes.begin());
  for (auto [variable, bytes] : llvm::zip(loaded->allVariables(), initialVariables))
    llvm::copy(bytes, variable.begin());
}

/// Repeats the launch and prints the times. Only the findings of the first launch with findings are reported.
Emulation::End Emulation::measure() {
  using Clock = std::chrono::steady_clock;
  std::vector<double> times(options.repeat);
  End end;
  for (double &time : times) {
    if (options.fresh)
      beginAgain();
    const Clock::time_point begin = Clock::now();
    machine::Outcome outcome = launch();
    time = std::chrono::duration<double, std::micro>(Clock::now() - begin).count();
    if (end.status == Clean)
      end = report(std::move(outcome));
    if (!end.isWhole)
      return end;
  }
  if (!times.empty())
    launcher::printTimes(kernel.name, std::move(times));
  return end;
}

/// Launches by one schedule after another until one fails, and names that schedule.
int Emulation::runSchedules() {
  for (const llvm::ArrayRef<uint8_t> variable : loaded->allVariables())
    initialVariables.push_back(variable.vec());
  int status = Clean;
  for (uint32_t number = 0; number < schedules && status == Clean; ++number) {
    const std::string text = machine::Timing::textOf(number);
    beginAgain();
    memory.rewindHeap(0);
    asked.timing = *machine::Timing::read(text);
    status = report(launch()).status;
    if (status == Clean)
      status = compare(number + 1 == schedules);
    if (status == BadUsage)
      return status;
    if (status != Clean)
      usageError("`--schedule=" + text + "` replays this run");
  }
  if (const int unwritten = writeOutputs())
    return unwritten;
  const std::string problem = launcher::flushOutput();
  return problem.empty() ? status : usageError(problem);
}

/// Reads a thread as `X,Y,Z:X,Y,Z`, the thread and its block. Missing numbers are 0.
static std::optional<machine::TracedThread> tracedThread(StringRef text) {
  machine::TracedThread traced;
  const auto [thread, block] = text.split(':');
  for (const auto &[list, to] : {std::pair(thread, &traced.thread), std::pair(block, &traced.block)}) {
    llvm::SmallVector<StringRef, 3> numbers;
    list.split(numbers, ',', -1, /*KeepEmpty=*/false);
    if (numbers.size() > to->size())
      return std::nullopt;
    for (size_t i = 0; i < numbers.size(); ++i)
      if (numbers[i].getAsInteger(10, (*to)[i]))
        return std::nullopt;
  }
  return traced;
}

/// Reads an option with a number of bytes, such as `512M`. Returns false if it is not valid.
static bool readBytes(const Arguments &arguments, StringRef option, uint64_t &to) {
  const std::optional<StringRef> text = arguments.value(option);
  if (!text)
    return true;
  const std::optional<uint64_t> bytes = bytesNamed(*text);
  if (!bytes || !*bytes) {
    usageError("`" + (option + "=" + *text).str() + "`: expected a number of bytes, such as `512M`");
    return false;
  }
  to = *bytes;
  return true;
}

/// Reads the options that only the machine has.
int Emulation::readSettings() {
  static_cast<LaunchShape &>(asked) = options;
  asked.kernel = kernel.name;
  asked.seconds = options.seconds;
  if (!readBytes(arguments, "--memory-limit", asked.memoryBytes) || !readBytes(arguments, "--heap", asked.heapBytes))
    return BadUsage;
  asked.checks = !arguments.has("--no-checks");
  asked.checksNumbers = arguments.has("--trap-nan");
  asked.certifies = arguments.has("--certify");
  if (arguments.has("--conditions") && !asked.certifies)
    return usageError("`--conditions` needs `--certify`");
  if (asked.certifies && asked.checksNumbers)
    return usageError("`--certify` cannot cover `--trap-nan`, whose findings depend on contents");
  if (asked.certifies && (!asked.checks || arguments.has("--schedule") || arguments.has("--schedules")))
    return usageError("`--certify` needs the checks and the default schedule: omit `--no-checks`, `--schedule` and "
                      "`--schedules`");
  asked.counts = arguments.has("--counters") || arguments.has("--coverage") || arguments.has("--fidelity");
  const auto wrong = [](const char *option, StringRef text, const char *expected) {
    return usageError("`" + std::string(option) + "=" + text.str() + "`: " + expected);
  };
  if (const auto text = arguments.value("--trace"); text && !(asked.traced = tracedThread(*text)))
    return wrong("--trace", *text, "a thread is needed, such as `5` or `0,3:2,1`");
  if (const auto text = arguments.value("--cores"); text && text->getAsInteger(10, asked.cores))
    return wrong("--cores", *text, "a number is needed");
  if (const auto text = arguments.value("--unwritten"); text && text->getAsInteger(0, asked.unwritten))
    return wrong("--unwritten", *text, "a number from 0 to 255 is needed");
  if (const std::string broken = inWords(brokenLimits(asked)); !broken.empty())
    return refuse(broken);
  if (const auto text = arguments.value("--schedule")) {
    const std::optional<machine::Timing> timing = machine::Timing::read(*text);
    if (!timing)
      return wrong("--schedule", *text, "expected eager, lazy, early, a number, or weak:NUMBER");
    asked.timing = *timing;
  }
  if (const auto text = arguments.value("--schedules"); text && (text->getAsInteger(10, schedules) || !schedules))
    return wrong("--schedules", *text, "expected a number of launches");
  return Clean;
}

int Emulation::prepare() {
  if (const int status = readSettings())
    return status;
  placeBuffers();
  if (const int status = setVariables())
    return status;
  return placeArguments();
}

int Emulation::run() {
  if (const int status = prepare())
    return status;
  if (schedules)
    return runSchedules();
  const End first = report(launch());
  if (!first.isWhole)
    return first.status;
  if (const int unwritten = writeOutputs())
    return unwritten;
  const int different = compare();
  if (different == BadUsage)
    return different;
  const End later = measure();
  if (!later.isWhole)
    return later.status;
  if (const std::string problem = launcher::flushOutput(); !problem.empty())
    return usageError(problem);
  return different ? different : first.status ? first.status : later.status;
}

int emulate(PreparedLaunch &prepared, const Arguments &arguments) {
  int status = Clean;
  const std::string problem = withinMemory([&] {
    status = Emulation(prepared, arguments).run();
    return std::string();
  });
  return problem.empty() ? status : usageError(problem);
}

std::unique_ptr<Emulation> laidOut(PreparedLaunch &prepared, const Arguments &arguments, int &status) {
  auto emulation = std::make_unique<Emulation>(prepared, arguments);
  const std::string problem = withinMemory([&] {
    status = emulation->prepare();
    return std::string();
  });
  if (!problem.empty())
    status = usageError(problem);
  return status == Clean ? std::move(emulation) : nullptr;
}

} // namespace ptxray
