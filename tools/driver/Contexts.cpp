// Initialisation, devices, and contexts.
#include "State.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <unistd.h>

using namespace ptxray;
using namespace ptxray::driver;

static llvm::StringRef targetOf(const Chip &chip) { return chip.target; }

/// Reads the settings of the environment. Returns false after a message if one makes no sense.
static bool readSettings(State &s) {
  const auto value = [](const char *name, const char *otherwise) {
    const char *given = std::getenv(name);
    return llvm::StringRef(given ? given : otherwise);
  };
  const auto complain = [](const char *name, llvm::StringRef given, const llvm::Twine &expected) {
    llvm::errs() << "ptxray: `" << name << "=" << given << "`: expected " << expected << "\n";
    return false;
  };
  const llvm::StringRef device = value("PTXRAY_DEVICE", "sm_90"), schedule = value("PTXRAY_SCHEDULE", "eager");
  const llvm::StringRef schedules = value("PTXRAY_SCHEDULES", "0"), limit = value("PTXRAY_TIME_LIMIT", "0");
  const auto *found = llvm::find_if(chips(), [&](const Chip &chip) { return chip.target == device.rtrim("af"); });
  if (found == chips().end())
    return complain("PTXRAY_DEVICE", device, "one of " + llvm::join(llvm::map_range(chips(), targetOf), ", "));
  const auto timing = machine::Timing::read(schedule);
  if (!timing)
    return complain("PTXRAY_SCHEDULE", schedule, "eager, lazy, early, a number, or weak:NUMBER");
  if (schedules.getAsInteger(10, s.schedules))
    return complain("PTXRAY_SCHEDULES", schedules, "a number of launches");
  if (limit.getAsDouble(s.timeLimit) || s.timeLimit < 0)
    return complain("PTXRAY_TIME_LIMIT", limit, "a number of seconds");
  for (const char *name : {"PTXRAY_CHECKS", "PTXRAY_UNWRITTEN", "PTXRAY_FIDELITY", "PTXRAY_GO_ON", "PTXRAY_CERTIFY"})
    if (const llvm::StringRef given = value(name, "no"); given != "yes" && given != "no")
      return complain(name, given, "yes or no");
  s.chip = found;
  s.timing = *timing;
  s.checks = value("PTXRAY_CHECKS", "yes") != "no";
  s.followsUnwritten = s.checks && value("PTXRAY_UNWRITTEN", "no") == "yes";
  s.isSynchronous = value("CUDA_LAUNCH_BLOCKING", "0") == "1";
  s.countsFidelity = value("PTXRAY_FIDELITY", "no") == "yes";
  s.certifies = s.checks && timing->isEager() && value("PTXRAY_CERTIFY", "no") == "yes";
  s.goesOn = value("PTXRAY_GO_ON", "no") == "yes";
  return true;
}

static constexpr char deviceUuid[] = "GPU-70747872-6179-0000-0000-000000000000"; // the id that cuDeviceGetUuid returns

/// Returns Success if CUDA_VISIBLE_DEVICES leaves the one device, otherwise the error of cuInit. The list ends before
/// the first entry that names no device.
static Result visibility() {
  const char *given = std::getenv("CUDA_VISIBLE_DEVICES");
  if (!given)
    return Success;
  unsigned count = 0;
  for (llvm::StringRef rest = given, entry; !rest.empty(); ++count) {
    std::tie(entry, rest) = rest.split(',');
    entry = entry.ltrim();
    unsigned ordinal = 0;
    const bool isUuid = entry.size() > 4 && llvm::StringRef(deviceUuid).starts_with(entry.rtrim());
    if (!isUuid && (entry.consumeInteger(10, ordinal) || ordinal))
      break;
  }
  return count == 1 ? Success : count ? InvalidDevice : NoDevice;
}

PTXRAY_API cuInit(unsigned flags) {
  State &s = state();
  const Lock lock(s.mutex);
  if (flags)
    return InvalidValue;
  if (s.isInitialised)
    return s.process == getpid() ? Success : NotInitialized;
  if (const Result hidden = visibility())
    return hidden;
  if (!readSettings(s))
    return NoDevice;
  s.memory.sharesManaged = true;
  s.isInitialised = true;
  s.process = getpid();
  beginReport();
  s.contexts.insert(&s.primary);
  return Success;
}

/// Processes cannot be checkpointed here, so every living process is running.
PTXRAY_API cuCheckpointProcessGetState(int process, int *to) {
  constexpr int running = 0;
  if (!to || process <= 0 || kill(process, 0))
    return InvalidValue;
  *to = running;
  return Success;
}

PTXRAY_API cuDriverGetVersion(int *version) {
  if (!version)
    return InvalidValue;
  *version = apiVersion;
  return Success;
}

/// Returns Success if a caller can query a device, otherwise an error.
static Result deviceProblem(Device device) {
  return !state().isInitialised ? NotInitialized : device != 0 ? InvalidDevice : Success;
}

PTXRAY_API cuDeviceGetCount(int *count) {
  if (!state().isInitialised)
    return NotInitialized;
  return count ? (*count = 1, Success) : InvalidValue;
}

PTXRAY_API cuDeviceGet(Device *device, int ordinal) {
  if (const Result bad = deviceProblem(ordinal))
    return bad;
  return device ? (*device = 0, Success) : InvalidValue;
}

PTXRAY_API cuDeviceGetName(char *name, int length, Device device) {
  if (const Result bad = deviceProblem(device))
    return bad;
  if (!name || length <= 0)
    return InvalidValue;
  const std::string text = "ptxray emulated " + state().chip->product.str() + " (" + state().chip->target.str() + ")";
  const size_t count = std::min<size_t>(text.size(), length - 1);
  std::memcpy(name, text.data(), count);
  name[count] = 0;
  return Success;
}

PTXRAY_API cuDeviceGetUuid_v2(Uuid *uuid, Device device) {
  if (const Result bad = deviceProblem(device))
    return bad;
  if (!uuid)
    return InvalidValue;
  std::memset(uuid, 0, sizeof *uuid);
  std::memcpy(uuid->bytes, "ptxray", 6);
  return Success;
}

PTXRAY_API cuDeviceTotalMem_v2(size_t *bytes, Device device) {
  if (const Result bad = deviceProblem(device))
    return bad;
  return bytes ? (*bytes = size_t(state().chip->memory) << 30, Success) : InvalidValue;
}

PTXRAY_API cuDeviceGetAttribute(int *value, int attribute, Device device) {
  if (const Result bad = deviceProblem(device))
    return bad;
  const int found = attributeOf(*state().chip, attribute);
  if (!value || found < 0)
    return InvalidValue;
  *value = found;
  return Success;
}

PTXRAY_API cuDeviceComputeCapability(int *major, int *minor, Device device) {
  if (const Result bad = deviceProblem(device))
    return bad;
  if (!major || !minor)
    return InvalidValue;
  *major = state().chip->major;
  *minor = state().chip->minor;
  return Success;
}

PTXRAY_API cuDeviceGetPCIBusId(char *text, int length, Device device) {
  if (const Result bad = deviceProblem(device))
    return bad;
  if (!text || length < 13)
    return InvalidValue;
  std::memcpy(text, "0000:00:00.0", 13);
  return Success;
}

PTXRAY_API cuDeviceCanAccessPeer(int *can, Device device, Device other) {
  if (const Result bad = deviceProblem(device) ? deviceProblem(device) : deviceProblem(other))
    return bad;
  return can ? (*can = 0, Success) : InvalidValue;
}

// ---- contexts

PTXRAY_API cuDevicePrimaryCtxRetain(void **context, Device device) {
  const Lock lock(state().mutex);
  if (const Result bad = deviceProblem(device))
    return bad;
  if (!context)
    return InvalidValue;
  ++state().primaryCount;
  *context = &state().primary;
  return Success;
}

PTXRAY_API cuDevicePrimaryCtxRelease_v2(Device device) {
  const Lock lock(state().mutex);
  if (const Result bad = deviceProblem(device))
    return bad;
  if (!state().primaryCount)
    return InvalidContext;
  --state().primaryCount;
  return Success;
}

PTXRAY_API cuDevicePrimaryCtxReset_v2(Device device) {
  if (const Result bad = deviceProblem(device))
    return bad;
  const Lock lock(state().mutex);
  state().primary.failed = state().primary.noted = Success;
  std::erase_if(state().pending, [](const Task &task) { return task.context == &state().primary; });
  return Success;
}

PTXRAY_API cuDevicePrimaryCtxGetState(Device device, unsigned *flags, int *active) {
  if (const Result bad = deviceProblem(device))
    return bad;
  if (!flags || !active)
    return InvalidValue;
  *flags = state().primary.flags;
  *active = state().primaryCount != 0;
  return Success;
}

PTXRAY_API cuDevicePrimaryCtxSetFlags_v2(Device device, unsigned flags) {
  if (const Result bad = deviceProblem(device))
    return bad;
  state().primary.flags = flags;
  return Success;
}

PTXRAY_API cuCtxCreate_v2(void **context, unsigned flags, Device device) {
  const Lock lock(state().mutex);
  if (const Result bad = deviceProblem(device))
    return bad;
  if (!context)
    return InvalidValue;
  auto *made = new Context;
  made->flags = flags;
  state().contexts.insert(made);
  contextStack().push_back(made);
  *context = made;
  return Success;
}

PTXRAY_API cuCtxCreate_v3(void **context, void *, int, unsigned flags, Device device) {
  return cuCtxCreate_v2(context, flags, device);
}
PTXRAY_API cuCtxCreate_v4(void **context, const void *, unsigned flags, Device device) {
  return cuCtxCreate_v2(context, flags, device);
}

PTXRAY_API cuCtxDestroy_v2(void *context) {
  const Lock lock(state().mutex);
  if (context == &state().primary || !state().contexts.erase(context))
    return errorOfContext(context);
  finishAll();
  auto &stack = contextStack();
  if (!stack.empty() && stack.back() == context)
    stack.pop_back();
  *static_cast<Context *>(context) = {}; // the object is kept, since other threads may have it on their stacks
  state().destroyed[context] = ContextIsDestroyed;
  return Success;
}

/// Returns whether `context` is, or was, a context. Calls in a destroyed context fail later.
static bool isContext(void *context) {
  return state().contexts.contains(context) || errorOfContext(context) == ContextIsDestroyed;
}

PTXRAY_API cuCtxPushCurrent_v2(void *context) {
  const Lock lock(state().mutex);
  if (!state().isInitialised)
    return NotInitialized;
  if (!isContext(context))
    return InvalidContext;
  contextStack().push_back(static_cast<Context *>(context));
  return Success;
}

PTXRAY_API cuCtxPopCurrent_v2(void **context) {
  auto &stack = contextStack();
  if (!state().isInitialised)
    return NotInitialized;
  if (stack.empty())
    return InvalidContext;
  if (context)
    *context = stack.back();
  stack.pop_back();
  return Success;
}

PTXRAY_API cuCtxSetCurrent(void *context) {
  const Lock lock(state().mutex);
  if (!state().isInitialised)
    return NotInitialized;
  if (context && !isContext(context))
    return InvalidContext;
  auto &stack = contextStack();
  if (!stack.empty())
    stack.pop_back();
  if (context)
    stack.push_back(static_cast<Context *>(context));
  return Success;
}

PTXRAY_API cuCtxGetCurrent(void **context) {
  if (!state().isInitialised)
    return NotInitialized;
  if (!context)
    return InvalidValue;
  *context = contextStack().empty() ? nullptr : contextStack().back();
  return Success;
}

PTXRAY_API cuCtxGetDevice(Device *device) {
  PTXRAY_BEGIN;
  return device ? (*device = 0, Success) : InvalidValue;
}

PTXRAY_API cuCtxSynchronize() {
  PTXRAY_BEGIN;
  return finishAll();
}

/// Runs `call` while `context` is current. If it is null, the current context remains.
template <typename Call> static Result within(void *context, const Call &call) {
  if (!context)
    return call();
  if (const Result bad = cuCtxPushCurrent_v2(context))
    return bad;
  const Result result = call();
  contextStack().pop_back();
  return result;
}
PTXRAY_API cuCtxGetDevice_v2(Device *device, void *context) {
  return within(context, [&] { return cuCtxGetDevice(device); });
}
PTXRAY_API cuCtxSynchronize_v2(void *context) {
  return within(context, [] { return cuCtxSynchronize(); });
}

PTXRAY_API cuCtxGetFlags(unsigned *flags) {
  PTXRAY_BEGIN;
  return flags ? (*flags = contextStack().back()->flags, Success) : InvalidValue;
}

PTXRAY_API cuCtxGetApiVersion(void *context, unsigned *version) {
  const Lock lock(state().mutex);
  if (!version || (context && !isContext(context)))
    return version ? InvalidContext : InvalidValue;
  *version = 3020;
  return Success;
}

PTXRAY_API cuCtxGetId(void *context, unsigned long long *id) {
  PTXRAY_BEGIN;
  if (!id)
    return InvalidValue;
  *id = reinterpret_cast<uintptr_t>(context ? context : contextStack().back());
  return Success;
}

/// Sets a limit of the stack, of printf, or of malloc. Launches obey those of printf and malloc.
PTXRAY_API cuCtxSetLimit(int limit, size_t value) {
  PTXRAY_BEGIN;
  if (limit < 0 || limit > CU_LIMIT_PERSISTING_L2_CACHE_SIZE)
    return InvalidValue;
  contextStack().back()->limits[limit] = value;
  return Success;
}

PTXRAY_API cuCtxGetLimit(size_t *value, int limit) {
  PTXRAY_BEGIN;
  static constexpr size_t initial[] = {1024, 1 << 20, 8 << 20, 2, 2048, 128, 0};
  if (!value || limit < 0 || limit > CU_LIMIT_PERSISTING_L2_CACHE_SIZE)
    return InvalidValue;
  const auto &limits = contextStack().back()->limits;
  const auto found = limits.find(limit);
  *value = found == limits.end() ? initial[limit] : found->second;
  return Success;
}

PTXRAY_API cuCtxGetCacheConfig(int *config) {
  PTXRAY_BEGIN;
  return config ? (*config = 0, Success) : InvalidValue;
}

PTXRAY_API cuCtxSetCacheConfig(int) {
  PTXRAY_BEGIN;
  return Success;
}

/// Returns the width of a bank of shared memory: 4 bytes on every GPU since Maxwell.
PTXRAY_API cuCtxGetSharedMemConfig(int *config) {
  PTXRAY_BEGIN;
  return config ? (*config = 1, Success) : InvalidValue;
}
PTXRAY_API cuCtxSetSharedMemConfig(int) {
  PTXRAY_BEGIN;
  return Success;
}

PTXRAY_API cuCtxGetStreamPriorityRange(int *least, int *greatest) {
  PTXRAY_BEGIN;
  if (least)
    *least = 0;
  if (greatest)
    *greatest = -5;
  return Success;
}

PTXRAY_API cuCtxEnablePeerAccess(void *, unsigned) {
  PTXRAY_BEGIN;
  return InvalidDevice;
}

PTXRAY_API cuCtxDisablePeerAccess(void *) {
  PTXRAY_BEGIN;
  return PeerAccessNotEnabled;
}

PTXRAY_API cuCtxSetFlags(unsigned flags) {
  PTXRAY_BEGIN;
  contextStack().back()->flags = flags;
  return Success;
}
PTXRAY_API cuCtxResetPersistingL2Cache() {
  PTXRAY_BEGIN;
  return Success;
}

PTXRAY_API cuProfilerStart() {
  PTXRAY_BEGIN;
  return Success;
}
PTXRAY_API cuProfilerStop() {
  PTXRAY_BEGIN;
  return Success;
}

PTXRAY_API cuDeviceGetByPCIBusId(Device *device, const char *text) {
  if (const Result bad = deviceProblem(0))
    return bad;
  if (!device || !text)
    return InvalidValue;
  return llvm::StringRef(text) == "0000:00:00.0" ? (*device = 0, Success) : InvalidDevice;
}

PTXRAY_API cuDeviceGetTexture1DLinearMaxWidth(size_t *width, int, unsigned, Device device) {
  if (const Result bad = deviceProblem(device))
    return bad;
  return width ? (*width = size_t(1) << 28, Success) : InvalidValue;
}

/// Returns a table of functions. The CUDA runtime asks for tables that are not documented.
PTXRAY_API cuGetExportTable(const void **table, const void *) {
  static const bool isSaid = [] {
    llvm::errs() << "ptxray: NVIDIA's CUDA runtime requests undocumented functions from the driver, so it does "
                    "not run here: link the program with `-cudart shared`, and it gets ptxray's own runtime\n";
    return true;
  }();
  if (table)
    *table = nullptr;
  return isSaid ? NotFound : Success;
}
