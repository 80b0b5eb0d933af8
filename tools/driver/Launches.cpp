// Attributes of functions, and their launches.
#include "Check/Suppressions.h"
#include "Emulate/CertificateWords.h"
#include "Launch/LaunchLimits.h"
#include "Render/Render.h"
#include "State.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdio>
#include <cstring>

using namespace ptxray;
using namespace ptxray::driver;

static Kernel *functionOf(void *handle) {
  return state().functions.contains(handle) ? static_cast<Kernel *>(handle) : nullptr;
}

// ---- attributes

/// Returns the number of a virtual architecture, such as 90 for `sm_90a`. CUDA's attribute means this number by
/// "version of PTX".
static int architectureIn(llvm::StringRef target) {
  unsigned number = 0;
  target.consume_front("sm_");
  target.consumeInteger(10, number);
  return static_cast<int>(number);
}

PTXRAY_API cuFuncGetAttribute(int *value, int attribute, void *handle) {
  PTXRAY_BEGIN;
  const Kernel *function = functionOf(handle);
  if (!value || !function)
    return value ? InvalidHandle : InvalidValue;
  switch (attribute) {
  case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK: *value = static_cast<int>(function->entry.mostThreads); break;
  case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
    *value = static_cast<int>(bytesOf(*function->module->loaded, function->entry.name, state().checks).shared);
    break;
  case CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES: *value = static_cast<int>(function->module->constantBytes); break;
  case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES: *value = static_cast<int>(function->localBytes); break;
  case CU_FUNC_ATTRIBUTE_NUM_REGS: *value = 32; break; // registers are not allocated
  case CU_FUNC_ATTRIBUTE_PTX_VERSION: *value = architectureIn(function->module->report.target); break;
  case CU_FUNC_ATTRIBUTE_BINARY_VERSION: *value = state().chip->major * 10 + state().chip->minor; break;
  case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES: *value = function->mostShared; break;
  case CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED: *value = function->anyCluster; break;
  default:
    if (attribute < 0 || attribute > CU_FUNC_ATTRIBUTE_SHARED_MEMORY_MODE)
      return InvalidValue;
    *value = attribute == CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT ? -1 : 0;
  }
  return Success;
}

PTXRAY_API cuFuncSetAttribute(void *handle, int attribute, int value) {
  PTXRAY_BEGIN;
  Kernel *function = functionOf(handle);
  if (!function)
    return InvalidHandle;
  const int most = state().chip->sharedOfBlock * 1024;
  switch (attribute) {
  case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES: {
    const auto own = static_cast<int>(bytesOf(*function->module->loaded, function->entry.name, state().checks).shared);
    if (value < 0 || value > most - own)
      return InvalidValue;
    function->mostShared = value;
    return Success;
  }
  case CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED: function->anyCluster = value != 0; return Success;
  case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
  case CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE: return Success;
  default: return InvalidValue;
  }
}

PTXRAY_API cuFuncSetCacheConfig(void *handle, int) {
  PTXRAY_BEGIN;
  return functionOf(handle) ? Success : InvalidHandle;
}
PTXRAY_API cuFuncSetSharedMemConfig(void *handle, int config) { return cuFuncSetCacheConfig(handle, config); }
PTXRAY_API cuFuncLoad(void *handle) { return cuFuncSetCacheConfig(handle, 0); }
PTXRAY_API cuFuncIsLoaded(int *state, void *handle) {
  return state ? (*state = 1, cuFuncSetCacheConfig(handle, 0)) : InvalidValue;
}
PTXRAY_API cuKernelGetAttribute(int *value, int attribute, void *kernel, Device) {
  const Anywhere anywhere;
  return cuFuncGetAttribute(value, attribute, kernel);
}
PTXRAY_API cuKernelSetAttribute(int attribute, int value, void *kernel, Device) {
  return cuFuncSetAttribute(kernel, attribute, value);
}
PTXRAY_API cuKernelSetCacheConfig(void *kernel, int config, Device) { return cuFuncSetCacheConfig(kernel, config); }

PTXRAY_API cuFuncGetName(const char **name, void *handle) {
  if (!handle)
    return InvalidValue;
  PTXRAY_BEGIN;
  const Kernel *function = functionOf(handle);
  if (!name || !function)
    return name ? InvalidHandle : InvalidValue;
  *name = function->entry.name.c_str();
  return Success;
}
PTXRAY_API cuKernelGetName(const char **name, void *kernel) { return cuFuncGetName(name, kernel); }

PTXRAY_API cuFuncGetParamInfo(void *handle, size_t index, size_t *offset, size_t *size) {
  PTXRAY_BEGIN;
  const Kernel *function = functionOf(handle);
  if (!offset || !function)
    return offset ? InvalidHandle : InvalidValue;
  const auto &parameters = function->entry.parameters;
  if (index >= parameters.size())
    return InvalidValue;
  size_t at = 0;
  for (size_t i = 0; i <= index; ++i) {
    at = (at + parameters[i].alignment - 1) / parameters[i].alignment * parameters[i].alignment;
    *offset = at;
    at += parameters[i].bytes;
  }
  if (size)
    *size = parameters[index].bytes;
  return Success;
}
PTXRAY_API cuKernelGetParamInfo(void *kernel, size_t index, size_t *offset, size_t *size) {
  return cuFuncGetParamInfo(kernel, index, offset, size);
}

PTXRAY_API cuFuncGetParamCount(void *handle, size_t *count) {
  PTXRAY_BEGIN;
  const Kernel *function = functionOf(handle);
  if (!count || !function)
    return count ? InvalidHandle : InvalidValue;
  *count = function->entry.parameters.size();
  return Success;
}
PTXRAY_API cuKernelGetParamCount(void *kernel, size_t *count) { return cuFuncGetParamCount(kernel, count); }

// ---- launches

/// Returns the bytes of the parameters, from the list of their addresses or from one buffer. Returns nothing if neither
/// is valid.
static std::optional<std::vector<uint8_t>> parametersOf(const Kernel &function, void **parameters, void **extra) {
  const auto &declared = function.entry.parameters;
  if (parameters || declared.empty() || !extra) {
    if (!declared.empty() && !parameters)
      return std::nullopt;
    std::vector<std::vector<uint8_t>> values;
    for (size_t i = 0; i < declared.size(); ++i) {
      const auto *bytes = static_cast<const uint8_t *>(parameters[i]);
      if (!bytes)
        return std::nullopt;
      values.emplace_back(bytes, bytes + declared[i].bytes);
    }
    return laidOut(function.entry, values);
  }
  const uint8_t *buffer = nullptr;
  size_t size = 0;
  for (void **at = extra; *at; at += 2) { // 1 precedes the buffer, 2 the address of its size
    if (*at == reinterpret_cast<void *>(1))
      buffer = static_cast<const uint8_t *>(at[1]);
    else if (*at == reinterpret_cast<void *>(2))
      size = *static_cast<const size_t *>(at[1]);
    else
      return std::nullopt;
  }
  if (!buffer)
    return std::nullopt;
  std::vector<uint8_t> bytes(buffer, buffer + size);
  bytes.resize(bytesOf(*function.module->loaded, function.entry.name, state().checks).parameters);
  return bytes;
}

// The unit in which a multiprocessor allocates shared memory, and the bytes that the driver reserves for each block.
static constexpr size_t sharedUnit = 128, reservedShared = 1024;
// The maximum shared memory of a block without cuFuncSetAttribute.
static constexpr size_t usualShared = 48 * 1024;

static size_t staticShared(const Kernel &function) {
  return bytesOf(*function.module->loaded, function.entry.name, state().checks).shared;
}

/// Returns how many blocks fit on a multiprocessor, limited by threads, blocks, and shared memory. Registers are not
/// allocated.
static int blocksAtOnce(const Kernel &function, int threads, size_t shared) {
  const Chip &chip = *state().chip;
  const size_t used = llvm::alignTo(shared + staticShared(function) + reservedShared, sharedUnit);
  const size_t bySize = size_t(chip.sharedOfProcessor) * 1024 / used;
  const size_t byThreads = threads > 1024 ? 0 : chip.threadsOfProcessor / ((threads + 31) / 32 * 32);
  return static_cast<int>(std::min({bySize, byThreads, size_t(chip.blocksOfProcessor)}));
}

/// Returns an error for a launch that is impossible on a GPU of this kind, otherwise Success.
static Result limitOf(const Kernel &function, const machine::Launch &asked) {
  LaunchLimits limits;
  limits.threads = std::min<uint64_t>(function.entry.mostThreads, limits.threads);
  limits.sharedOfKernel = bytesOf(*function.module->loaded, function.entry.name, state().checks).shared;
  limits.shared = uint64_t(state().chip->sharedOfBlock) * 1024;
  const std::vector<BrokenLimit> broken = brokenLimits(asked, limits);
  const bool isTooLarge = llvm::any_of(broken, [](const BrokenLimit &one) {
    return one.kind == BrokenLimit::Threads || one.kind == BrokenLimit::Shared;
  });
  if (llvm::is_contained(asked.grid, 0u) || llvm::is_contained(asked.block, 0u) || isTooLarge ||
      asked.shared > static_cast<uint32_t>(function.mostShared))
    return InvalidValue;
  constexpr uint64_t usualCluster = 8;
  if (asked.blocksOfCluster() > usualCluster && !function.anyCluster)
    return InvalidClusterSize;
  if (asked.blocksOfCluster() > 1 && state().chip->major < 9)
    return NotSupported;
  if (!broken.empty())
    return InvalidValue;
  const uint64_t atOnce = uint64_t(state().chip->processors) *
                          blocksAtOnce(function, static_cast<int>(asked.threadsOfBlock()), asked.shared);
  return asked.isCooperative && asked.blocks() > atOnce ? CooperativeTooLarge : Success;
}

/// Returns the error that the driver would return for the first fault.
static Result errorOf(const machine::Outcome &outcome) {
  if (!outcome.refusal.empty())
    return outcome.refusedAt == Range() ? InvalidValue : NotSupported;
  if (outcome.isOutOfMemory)
    return OutOfMemory;
  switch (outcome.error) {
  case machine::DeviceError::IllegalAddress: return IllegalAddress;
  case machine::DeviceError::AddressSpace: return InvalidAddressSpace;
  case machine::DeviceError::Misaligned: return MisalignedAddress;
  case machine::DeviceError::IllegalInstruction: return IllegalInstruction;
  case machine::DeviceError::Assertion: return AssertFailed;
  case machine::DeviceError::Hang: return LaunchTimeout;
  case machine::DeviceError::None: break;
  }
  return outcome.isComplete ? Success : outcome.isOutOfTime ? LaunchTimeout : LaunchFailed;
}

static void print(const Kernel &function, machine::Outcome &outcome) {
  std::fwrite(outcome.printed.data(), 1, outcome.printed.size(), stdout);
  std::fflush(stdout);
  Image &module = *function.module;
  if (!outcome.refusal.empty()) {
    llvm::errs() << "ptxray: `" << function.entry.name << "`";
    if (outcome.refusedAt != Range())
      llvm::errs() << " line " << module.report.source->lineColumn(outcome.refusedAt.begin).line;
    llvm::errs() << " cannot be emulated: " << outcome.refusal << "\n";
    ++state().tally.refusals[outcome.refusal];
  }
  if (outcome.isOutOfTime)
    llvm::errs() << "ptxray: `" << function.entry.name << "` has not ended after " << state().timeLimit
                 << " s: it hangs, or needs a longer time limit\n";
  if (outcome.diagnostics.empty())
    return;
  for (Diagnostic &found : outcome.diagnostics)
    if (isWanted(found, module.options)) {
      ++state().tally.findings[info(found.id).id.str()];
      module.report.diagnostics.push_back(std::move(found));
    }
  renderText(module.report, {}, llvm::errs());
  module.report.diagnostics.clear();
}

static void countFidelity(const Kernel &function, const machine::Outcome &outcome) {
  Tally &tally = state().tally;
  for (const machine::CountedInstruction &one : outcome.counts)
    if (one.fidelity == machine::Fidelity::Exact) {
      tally.exact += one.counts.executed;
    } else if (one.counts.executed) {
      const llvm::StringRef text = function.module->report.source->text();
      const llvm::StringRef word = text.substr(one.range.begin).take_until([](char c) { return c <= ' ' || c == ';'; });
      tally.inexact[(nameOf(one.fidelity) + (" `" + word) + "`: " + reasonOf(one.fidelity)).str()] +=
          one.counts.executed;
    }
}

static machine::Launch launchOf(const KernelWork &kernel) {
  machine::Launch asked;
  static_cast<LaunchShape &>(asked) = kernel;
  asked.kernel = kernel.function->entry.name;
  return asked;
}

namespace {

/// Saves the memory of the device, to restore it later.
class Contents {
public:
  Contents() {
    for (const machine::Allocation &one : state().memory.all())
      if (one.bytes && !one.isConstant)
        kept.push_back({one.begin, {one.bytes, one.bytes + (one.end - one.begin)}});
  }
  void putBack() const {
    for (const Piece &piece : kept)
      if (const machine::Allocation *now = allocationOf(piece))
        std::memcpy(now->bytes, piece.bytes.data(), piece.bytes.size());
  }
  bool areThere() const {
    return llvm::all_of(kept, [](const Piece &piece) {
      const machine::Allocation *now = allocationOf(piece);
      return !now || !std::memcmp(now->bytes, piece.bytes.data(), piece.bytes.size());
    });
  }

private:
  struct Piece {
    uint64_t begin;
    std::vector<uint8_t> bytes;
  };
  /// Returns null if a kernel has freed the piece.
  static const machine::Allocation *allocationOf(const Piece &piece) {
    const machine::Allocation *one = state().memory.before(piece.begin);
    return one && one->begin == piece.begin && one->end - one->begin == piece.bytes.size() ? one : nullptr;
  }
  std::vector<Piece> kept;
};

bool isClean(const machine::Outcome &outcome) {
  return outcome.isComplete && outcome.refusal.empty() && outcome.diagnostics.empty();
}

} // namespace

/// Repeats the launch with the other schedules on the same memory, until one shows a fault, and returns the outcome of
/// that one. If none does, returns the outcome of the first launch and restores the memory that it left.
static machine::Outcome launched(const Kernel &function, machine::Launch asked) {
  const uint32_t count = state().schedules;
  if (!count)
    return machine::launch(*function.module->loaded, asked);
  const Contents before;
  machine::Outcome first = machine::launch(*function.module->loaded, asked);
  const Contents left;
  const uint64_t heapMark = state().memory.heapMark();
  for (uint32_t number = 0; number < count && isClean(first); ++number) {
    before.putBack();
    state().memory.rewindHeap(heapMark);
    const std::string text = machine::Timing::textOf(number);
    asked.timing = *machine::Timing::read(text);
    asked.certifies = false;
    machine::Outcome other = machine::launch(*function.module->loaded, asked);
    if (!isClean(other)) {
      llvm::errs() << "ptxray: `" << function.entry.name << "`: `--schedule=" << text << "` replays this launch\n";
      return other;
    }
    if (!left.areThere())
      ++state().tally.differing[function.entry.name];
  }
  left.putBack();
  state().memory.rewindHeap(heapMark);
  return first;
}

/// Counts launches by the verdict of their certificate.
static void noteCertificate(const Kernel &function, const machine::Outcome &outcome) {
  if (state().certifies)
    ++state().tally.certificates[function.entry.name + ": " +
                                 certificateSummary(outcome, function.module->report, isClean(outcome))];
}

namespace ptxray::driver {

Result problemOf(const KernelWork &kernel) { return limitOf(*kernel.function, launchOf(kernel)); }

Result performKernel(const KernelWork &kernel, Context &context) {
  const Kernel &function = *kernel.function;
  machine::Launch asked = launchOf(kernel);
  asked.parameters = kernel.parameters;
  asked.checks = state().checks;
  asked.timing = state().timing;
  if (const auto limit = context.limits.find(CU_LIMIT_PRINTF_FIFO_SIZE); limit != context.limits.end())
    asked.printedBytes = limit->second;
  if (const auto limit = context.limits.find(CU_LIMIT_MALLOC_HEAP_SIZE); limit != context.limits.end())
    asked.heapBytes = limit->second;
  asked.seconds = state().timeLimit;
  asked.counts = state().countsFidelity;
  asked.certifies = state().certifies;
  ++state().tally.launches[function.entry.name];
  machine::Outcome outcome = launched(function, asked);
  const Result result = errorOf(outcome);
  countFidelity(function, outcome);
  noteCertificate(function, outcome);
  print(function, outcome);
  if (outcome.refusal.empty() && result != Success && !state().goesOn)
    context.failed = result;
  return result;
}

Result kernelWork(KernelWork &work, void *handle, const LaunchConfig &config, void **parameters, void **extra) {
  Kernel *function = functionOf(handle);
  if (!function)
    return InvalidHandle;
  if (config.attributeCount && !config.attributes)
    return InvalidValue;
  static_cast<LaunchShape &>(work) = shapeOf(config);
  work.function = function;
  auto bytes = parametersOf(*function, parameters, extra);
  if (!bytes)
    return InvalidValue;
  work.parameters = std::move(*bytes);
  return problemOf(work);
}

} // namespace ptxray::driver

static Result launch(const LaunchConfig &config, void *handle, void **parameters, void **extra) {
  PTXRAY_BEGIN;
  KernelWork work;
  if (const Result bad = kernelWork(work, handle, config, parameters, extra))
    return bad;
  return start(config.stream, std::move(work));
}

PTXRAY_API cuLaunchKernel(void *handle, unsigned gridX, unsigned gridY, unsigned gridZ, unsigned blockX,
                          unsigned blockY, unsigned blockZ, unsigned shared, void *stream, void **parameters,
                          void **extra) {
  return launch({gridX, gridY, gridZ, blockX, blockY, blockZ, shared, stream, nullptr, 0}, handle, parameters, extra);
}

PTXRAY_API cuLaunchCooperativeKernel(void *handle, unsigned gridX, unsigned gridY, unsigned gridZ, unsigned blockX,
                                     unsigned blockY, unsigned blockZ, unsigned shared, void *stream,
                                     void **parameters) {
  LaunchAttribute cooperative = {launchCooperative, {}, {}};
  cooperative.value.cooperative = 1;
  return launch({gridX, gridY, gridZ, blockX, blockY, blockZ, shared, stream, &cooperative, 1}, handle, parameters,
                nullptr);
}

PTXRAY_API cuLaunchKernelEx(const LaunchConfig *config, void *handle, void **parameters, void **extra) {
  return config ? launch(*config, handle, parameters, extra) : InvalidValue;
}

PTXRAY_API cuLaunchHostFunc(void *stream, void (*function)(void *), void *data) {
  PTXRAY_BEGIN;
  return function ? start(stream, HostWork{function, data}) : InvalidValue;
}

/// Ignores the last argument: the way in which a thread waits makes no difference here.
PTXRAY_API cuLaunchHostFunc_v2(void *stream, void (*function)(void *), void *data, unsigned) {
  return cuLaunchHostFunc(stream, function, data);
}

// ---- occupancy

static Result blocksOf(int *blocks, void *handle, int threads, size_t shared) {
  PTXRAY_BEGIN;
  const Kernel *function = functionOf(handle);
  if (!blocks || threads <= 0 || !function)
    return function || !blocks ? InvalidValue : InvalidHandle;
  *blocks = blocksAtOnce(*function, threads, shared);
  return Success;
}

PTXRAY_API cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, void *function, int threads, size_t shared) {
  return blocksOf(blocks, function, threads, shared);
}
PTXRAY_API cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, void *function, int threads, size_t shared,
                                                                unsigned) {
  return blocksOf(blocks, function, threads, shared);
}

PTXRAY_API cuOccupancyMaxPotentialBlockSize(int *grid, int *block, void *function, size_t (*sharedOf)(int),
                                            size_t shared, int most) {
  if (!grid || !block)
    return InvalidValue;
  int best = 0;
  for (int threads = most > 0 && most < 1024 ? most / 32 * 32 : 1024; threads > 0; threads -= 32) {
    int blocks = 0;
    if (const Result bad = blocksOf(&blocks, function, threads, sharedOf ? sharedOf(threads) : shared))
      return bad;
    if (blocks * threads > best) {
      best = blocks * threads;
      *block = threads;
      *grid = blocks * state().chip->processors;
    }
  }
  return best ? Success : LaunchOutOfResources;
}
PTXRAY_API cuOccupancyMaxPotentialBlockSizeWithFlags(int *grid, int *block, void *function, size_t (*sharedOf)(int),
                                                     size_t shared, int most, unsigned) {
  return cuOccupancyMaxPotentialBlockSize(grid, block, function, sharedOf, shared, most);
}

/// Returns the dynamic shared memory of a block. Like an H200, it does not subtract the reserved bytes.
PTXRAY_API cuOccupancyAvailableDynamicSMemPerBlock(size_t *bytes, void *handle, int blocks, int threads) {
  PTXRAY_BEGIN;
  const Kernel *function = functionOf(handle);
  if (!bytes || blocks <= 0 || threads <= 0 || !function)
    return function || !bytes ? InvalidValue : InvalidHandle;
  if (blocks > blocksAtOnce(*function, threads, 0))
    return InvalidValue;
  const Chip &chip = *state().chip;
  const auto most = static_cast<size_t>(function->mostShared);
  const size_t ofBlock = most > usualShared ? size_t(chip.sharedOfBlock) * 1024 : usualShared;
  const size_t share = llvm::alignDown(size_t(chip.sharedOfProcessor) * 1024 / blocks, sharedUnit);
  const size_t whole = std::min(share, ofBlock), own = staticShared(*function);
  *bytes = std::min(whole > own ? whole - own : 0, most);
  return Success;
}

PTXRAY_API cuOccupancyMaxActiveClusters(int *clusters, void *handle, const LaunchConfig *config) {
  int blocks = 0;
  if (!clusters || !config)
    return InvalidValue;
  if (const Result bad = blocksOf(&blocks, handle, static_cast<int>(config->blockX * config->blockY * config->blockZ),
                                  config->sharedBytes))
    return bad;
  unsigned size = 1;
  for (unsigned i = 0; config->attributes && i < config->attributeCount; ++i)
    if (config->attributes[i].id == launchCluster) {
      const auto &cluster = config->attributes[i].value.cluster;
      size = std::max(1u, cluster.x * cluster.y * cluster.z);
    }
  *clusters = static_cast<int>(static_cast<unsigned>(blocks * state().chip->processors) / size);
  return Success;
}

PTXRAY_API cuOccupancyMaxPotentialClusterSize(int *size, void *handle, const LaunchConfig *config) {
  PTXRAY_BEGIN;
  const Kernel *function = functionOf(handle);
  if (!size || !config || !function)
    return InvalidValue;
  *size = state().chip->major < 9 ? 1 : function->anyCluster ? 16 : 8;
  return Success;
}
