// The part of the C interface that launches kernels on the emulator.
#include "Api/MachineStruct.h"
#include "Check/CheckModule.h"
#include "Check/Suppressions.h"
#include "Emulate/CertificateWords.h"
#include "Emulate/CountersJson.h"
#include "Equal/AnswerWords.h"
#include "Equal/Certify.h"
#include "Launch/LaunchLimits.h"
#include "Machine/DriverNumbers.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <new>

using namespace ptxray;
using llvm::StringRef;

struct ptxray_launch {
  std::string kernel; // empty for the only kernel
  machine::Launch launch;
  std::vector<std::vector<uint8_t>> arguments;
  std::string problem;
  bool lacksMemory = false; // an argument refers to missing memory
};

namespace {

bool isError(const Diagnostic &diagnostic) { return diagnostic.severity == Severity::Error; }

/// Returns the kernel with that name, or the only kernel if no name is given; null if there is none.
const machine::KernelEntry *findKernel(const ptxray_machine &machine, StringRef name) {
  if (name.empty())
    return machine.kernels.size() == 1 ? machine.kernels.data() : nullptr;
  const auto found = llvm::find_if(machine.kernels, [&](const auto &kernel) { return kernel.name == name; });
  return found == machine.kernels.end() ? nullptr : &*found;
}

bool readYesOrNo(StringRef text, bool &out) {
  out = text == "yes";
  return text == "yes" || text == "no";
}

/// Stores a value that was read. Returns whether there is one.
template <typename T> bool isRead(const std::optional<T> &value, T &to) {
  to = value.value_or(to);
  return value.has_value();
}

bool isSet(ptxray_launch &launch, StringRef name, StringRef value) {
  machine::Launch &to = launch.launch;
  if (name == "kernel")
    return launch.kernel = value.str(), true;
  if (name == "grid" || name == "block" || name == "cluster")
    return isRead(readExtents(value), name == "grid" ? to.grid : name == "block" ? to.block : to.cluster);
  if (name == "shared")
    return isRead(readNumber32(value), to.shared);
  if (name == "time-limit")
    return !value.getAsDouble(to.seconds) && to.seconds >= 0;
  if (name == "heap")
    return !value.getAsInteger(0, to.heapBytes);
  if (name == "memory-limit")
    return !value.getAsInteger(0, to.memoryBytes);
  if (name == "cores")
    return !value.getAsInteger(10, to.cores);
  if (name == "unwritten")
    return !value.getAsInteger(0, to.unwritten);
  if (name == "schedule")
    return isRead(machine::Timing::read(value), to.timing);
  if (name == "counters")
    return readYesOrNo(value, to.counts);
  if (name == "certify")
    return readYesOrNo(value, to.certifies);
  if (name == "cooperative" || name == "checks" || name == "trap-nan")
    return readYesOrNo(value, name == "checks" ? to.checks : name == "trap-nan" ? to.checksNumbers : to.isCooperative);
  return false;
}

/// Returns why the launch is impossible; empty if it is possible.
std::string problemOf(const ptxray_machine &machine, const ptxray_launch &launch, const machine::KernelEntry *kernel) {
  if (launch.lacksMemory)
    return "cannot allocate memory for an argument";
  if (!machine.loaded)
    return "the text has errors";
  if (!kernel)
    return launch.kernel.empty() ? "the module has " + std::to_string(machine.kernels.size()) + " kernels, not one"
                                 : "there is no kernel `" + launch.kernel + "`";
  if (kernel->parameters.size() != launch.arguments.size())
    return "kernel `" + kernel->name + "` has " + std::to_string(kernel->parameters.size()) +
           " parameters; given: " + std::to_string(launch.arguments.size());
  for (size_t i = 0; i < launch.arguments.size(); ++i)
    if (launch.arguments[i].size() != kernel->parameters[i].bytes)
      return "argument " + std::to_string(i) + " has " + std::to_string(launch.arguments[i].size()) +
             " bytes, its parameter " + std::to_string(kernel->parameters[i].bytes);
  return inWords(brokenLimits(launch.launch));
}

/// Converts a launch of the caller.
machine::Launch launchOf(const machine::KernelEntry &kernel, const ptxray_launch &launch) {
  machine::Launch asked = launch.launch;
  asked.kernel = kernel.name;
  asked.parameters = laidOut(kernel, launch.arguments);
  return asked;
}

std::unique_ptr<ptxray_result> refused(std::string why) {
  auto result = std::make_unique<ptxray_result>();
  result->refusal = std::move(why);
  return result;
}

std::string refusalOf(const machine::Outcome &outcome, const SourceBuffer &source) {
  if (outcome.refusedAt != Range())
    return "line " + std::to_string(source.lineColumn(outcome.refusedAt.begin).line) +
           " cannot be emulated: " + outcome.refusal;
  if (!outcome.refusal.empty())
    return outcome.refusal;
  if (outcome.isOutOfMemory)
    return "the launch exceeds its memory limit";
  return outcome.isOutOfTime ? "the kernel exceeded its time limit" : "the kernel did not finish";
}

std::unique_ptr<ptxray_result> run(ptxray_machine &machine, const ptxray_launch &launch) {
  const machine::KernelEntry *kernel = findKernel(machine, launch.kernel);
  if (std::string problem = problemOf(machine, launch, kernel); !problem.empty())
    return refused(std::move(problem));
  const machine::Launch asked = launchOf(*kernel, launch);
  machine::Outcome outcome =
      asked.certifies ? equal::launchCertified(*machine.loaded, asked) : machine::launch(*machine.loaded, asked);
  FileReport &report = machine.report;
  report.diagnostics.clear();
  for (Diagnostic &found : outcome.diagnostics)
    if (isWanted(found, machine.options))
      report.diagnostics.push_back(std::move(found));
  std::unique_ptr<ptxray_result> result = resultOf(report);
  result->printed = std::move(outcome.printed);
  if (launch.launch.counts) {
    result->counters = machine::countersJson(outcome.counts, report, kernel->name);
    result->fidelity = machine::fidelityJson(outcome.counts, report, kernel->name);
  }
  if (launch.launch.certifies) {
    const bool isGood = outcome.isComplete && outcome.refusal.empty() && report.diagnostics.empty();
    result->certificate = machine::certificateJson(outcome, report, kernel->name, launch.launch, isGood);
  }
  if (!outcome.isComplete || !outcome.refusal.empty())
    result->refusal = refusalOf(outcome, *report.source);
  return result;
}

/// Returns the memory that the caller has added to a machine.
std::vector<llvm::MutableArrayRef<uint8_t>> addedTo(const ptxray_machine &machine,
                                                    std::vector<equal::Buffer> &buffers) {
  std::vector<llvm::MutableArrayRef<uint8_t>> added;
  const std::vector<llvm::MutableArrayRef<uint8_t>> variables = machine.loaded->allVariables();
  for (const machine::Allocation &one : machine.memory.all()) {
    const auto isThis = [&](llvm::ArrayRef<uint8_t> variable) { return variable.data() == one.bytes; };
    if (!one.bytes || one.isConstant || llvm::any_of(variables, isThis))
      continue;
    added.emplace_back(one.bytes, one.end - one.begin);
    buffers.push_back({one.name, added.back().vec(), {}});
  }
  return added;
}

std::unique_ptr<ptxray_result> compare(ptxray_machine &a, const ptxray_launch &launchA, ptxray_machine &b,
                                       const ptxray_launch &launchB, StringRef types) {
  const machine::KernelEntry *const first = findKernel(a, launchA.kernel), *const second =
                                                                               findKernel(b, launchB.kernel);
  if (std::string problem = problemOf(a, launchA, first); !problem.empty())
    return refused(std::move(problem));
  if (std::string problem = problemOf(b, launchB, second); !problem.empty())
    return refused(std::move(problem));
  std::vector<equal::Buffer> buffers, others;
  auto memory = addedTo(a, buffers), memoryOfB = addedTo(b, others);
  llvm::SmallVector<StringRef, 8> names;
  types.split(names, ',');
  for (size_t i = 0; i < std::min<size_t>(names.size(), buffers.size()); ++i)
    buffers[i].type = equal::typeNamed(names[i]);
  equal::ModuleNumbers numbers;
  numbers.add(*a.module);
  numbers.add(*b.module);
  equal::Side x(*a.module, *a.loaded, launchOf(*first, launchA), memory),
      y(*b.module, *b.loaded, launchOf(*second, launchB), memoryOfB);
  equal::Comparison comparison({&x, &y}, equal::Contents(buffers, numbers, /*keepsGiven=*/true));
  const equal::Answer answer = comparison.compare();
  for (auto [bytes, one] : llvm::zip(memory, buffers))
    llvm::copy(one.given, bytes.begin());
  for (auto [bytes, one] : llvm::zip(memoryOfB, others))
    llvm::copy(one.given, bytes.begin());
  auto result = std::make_unique<ptxray_result>();
  result->equality = dump(equal::jsonOf(answer, {&a.report, &b.report}, buffers), 0);
  return result;
}

std::unique_ptr<ptxray_machine> load(StringRef text, const ptxray_options &how) {
  auto made = std::make_unique<ptxray_machine>();
  made->options = how.options;
  made->report.source = SourceBuffer::fromText("", text.rtrim('\0'));
  KeptModule kept = checkAndKeep(std::move(made->report), how.options);
  made->report = std::move(kept.report);
  made->checked = resultOf(made->report);
  if (llvm::any_of(made->report.diagnostics, isError))
    return made;
  made->module = std::move(kept.module);
  made->kernels = machine::kernelsOf(made->module->ast());
  made->loaded.emplace(*made->module, made->memory, how.options.arch);
  return made;
}

} // namespace

ptxray_machine *ptxray_machine_new(const char *text, size_t length, const ptxray_options *options) {
  if (length > SourceBuffer::largest)
    return nullptr;
  static const ptxray_options none;
  try {
    return load(StringRef(text, length), options ? *options : none).release();
  } catch (const std::bad_alloc &) {
    return nullptr;
  }
}

const ptxray_result *ptxray_machine_checked(const ptxray_machine *machine) { return machine->checked.get(); }

const char *ptxray_machine_parameter(const ptxray_machine *machine, const char *kernel, size_t index, size_t *size) {
  const machine::KernelEntry *found = findKernel(*machine, kernel ? kernel : "");
  if (!found || index >= found->parameters.size())
    return nullptr;
  *size = found->parameters[index].bytes;
  return found->parameters[index].type.c_str();
}

uint64_t ptxray_machine_add(ptxray_machine *machine, void *bytes, size_t size, const char *name) {
  try {
    return machine->memory.add({static_cast<uint8_t *>(bytes), size}, name ? name : "a buffer");
  } catch (const std::bad_alloc &) {
    return 0;
  }
}

uint64_t ptxray_machine_add_fresh(ptxray_machine *machine, void *bytes, size_t size, const char *name) {
  try {
    return machine->memory.addFresh({static_cast<uint8_t *>(bytes), size}, name ? name : "a buffer");
  } catch (const std::bad_alloc &) {
    return 0;
  }
}

void ptxray_machine_remove(ptxray_machine *machine, uint64_t address) {
  machine->memory.removeObject(address);
  machine->memory.free(address);
  machine->memory.trim();
}

void *ptxray_machine_variable(const ptxray_machine *machine, const char *name, size_t *size) {
  if (!machine->loaded)
    return nullptr;
  const llvm::MutableArrayRef<uint8_t> variable = machine->loaded->variable(name);
  *size = variable.size();
  return variable.empty() ? nullptr : variable.data();
}

void ptxray_machine_free(ptxray_machine *machine) { delete machine; }

ptxray_launch *ptxray_launch_new(void) { return new (std::nothrow) ptxray_launch(); }

const char *ptxray_launch_set(ptxray_launch *launch, const char *name, const char *value) {
  try {
    if (isSet(*launch, name, value))
      return nullptr;
    launch->problem = "`" + std::string(name) + "` cannot be `" + value + "`";
    return launch->problem.c_str();
  } catch (const std::bad_alloc &) {
    return "out of memory";
  }
}

void ptxray_launch_argument(ptxray_launch *launch, const void *bytes, size_t size) {
  const auto *begin = static_cast<const uint8_t *>(bytes);
  try {
    launch->arguments.emplace_back(begin, begin + size);
  } catch (const std::bad_alloc &) {
    launch->lacksMemory = true;
  }
}

void ptxray_launch_free(ptxray_launch *launch) { delete launch; }

const char *ptxray_tensor_map_encode(unsigned char *bytes, const ptxray_tensor_map *from) {
  thread_local std::string problem;
  machine::TensorMap map;
  if (!from->rank || from->rank > machine::mostTensorRank)
    return "a tensor map has 1 to 5 dimensions";
  if (!setDriverNumbers(map, {from->type, from->interleave, from->swizzle, from->fill}))
    return "the driver has no such type, interleaving, swizzle or fill";
  map.rank = from->rank;
  map.address = from->address;
  for (uint32_t i = 0; i < from->rank; ++i) {
    map.extents[i] = from->extents[i];
    map.box[i] = from->box[i];
    map.steps[i] = from->steps[i];
    if (i)
      map.strides[i - 1] = from->strides[i - 1];
  }
  problem = findProblem(map);
  if (!problem.empty())
    return problem.c_str();
  llvm::copy(encode(map), bytes);
  return nullptr;
}

ptxray_result *ptxray_machine_run(ptxray_machine *machine, const ptxray_launch *launch) {
  try {
    return run(*machine, *launch).release();
  } catch (const std::bad_alloc &) {
    return nullptr;
  }
}

ptxray_result *ptxray_machine_equal(ptxray_machine *a, const ptxray_launch *launch_a, ptxray_machine *b,
                                    const ptxray_launch *launch_b, const char *types) {
  try {
    return compare(*a, *launch_a, *b, *launch_b, types ? types : "").release();
  } catch (const std::bad_alloc &) {
    return nullptr;
  }
}
