// Launches one kernel of an image (a cubin, or PTX that the driver compiles). `ptxray run` starts this program, which
// also works alone. docs/assembling.md describes both.
#include "Driver.h"
#include "GpuImages.h"
#include "Launch/LaunchLimits.h"
#include "Memory.h"
#include "Output.h"
#include "RunOptions.h"
#include "Server.h"
#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <iterator>
#include <new>
#include <thread>

using namespace ptxray;
using namespace ptxray::launcher;

enum Status { Good = 0, BadUsage = 2, NoGpu = 4, KernelFailed = 6 };

/// Returns the limits of the kernel and of the GPU. Must be called before the launch, since the driver answers nothing
/// after a fault.
static LaunchLimits limitsOf(const Driver &driver, CuHandle function) {
  LaunchLimits limits;
  limits.threads = driver.functionAttribute(function, driver::CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
  for (int axis = 0; axis < 3; ++axis) {
    limits.block[axis] = driver.deviceAttribute(driver::CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X + axis);
    limits.grid[axis] = driver.deviceAttribute(driver::CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X + axis);
  }
  limits.registersOfThread = driver.functionAttribute(function, driver::CU_FUNC_ATTRIBUTE_NUM_REGS);
  limits.registers = driver.deviceAttribute(driver::CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK);
  limits.sharedOfKernel = driver.functionAttribute(function, driver::CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES);
  limits.shared = driver.deviceAttribute(driver::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
  return limits;
}

// ------------------------------------------------------------------------------------ the launch
namespace {

/// A kernel with its arguments on a GPU.
class Launch {
public:
  Launch(const Driver &driver, RunOptions &options)
      : driver(driver), options(options), memory(driver, options.guards), images(driver) {}
  ~Launch() {
    if (module)
      driver.cuModuleUnload(module);
  }
  Launch(const Launch &) = delete;
  Launch &operator=(const Launch &) = delete;

  /// Executes the complete launch. Returns the exit status, after printing the problem.
  Status run();

private:
  // These functions return false after an error. By then they have noted the status and printed the reason.
  bool fail(Status how, const std::string &why);
  bool require(CuResult result, const std::string &what);
  bool prepare();
  bool load();
  bool findKernel();
  bool checkParameters();
  bool setVariables();
  bool placeArguments();
  bool encode(const TensorMap &map, CuPointer base, unsigned char *to);
  bool place(const ImageDescription &image, CuPointer texels, unsigned char *to);
  bool once();
  bool wait();
  bool judge();
  bool measure();
  void followMoves();
  CuPointer addressOf(const Address &address) const;
  CuResult start();
  Expected<Bytes> contents(const std::string &name);

  const Driver &driver;
  RunOptions &options;
  Memory memory;
  GpuImages images;
  Status status = Good;
  CuHandle module = nullptr, function = nullptr;
  std::string broken; // limits that the launch exceeds
  std::vector<void *> parameters;
};

} // namespace

bool Launch::fail(Status how, const std::string &why) {
  std::cerr << "ptxray-run: " << why << '\n';
  status = how;
  return false;
}

bool Launch::require(CuResult result, const std::string &what) {
  return result == 0 || fail(KernelFailed, what + " `" + options.kernel + "`: " + driver.inWords(result) + broken);
}

bool Launch::load() {
  std::ifstream file(options.image, std::ios::binary);
  if (!file)
    return fail(BadUsage, "cannot read `" + options.image + "`: " + std::strerror(errno));
  std::vector<char> image(std::istreambuf_iterator<char>(file), {});
  image.push_back(0); // the driver reads PTX up to a zero byte
  static char errors[1 << 16], remarks[1 << 16];
  int names[] = {3, 4, 5, 6}; // CU_JIT_INFO_LOG_BUFFER, its size, CU_JIT_ERROR_LOG_BUFFER, its size
  void *values[] = {remarks, reinterpret_cast<void *>(sizeof remarks), errors, reinterpret_cast<void *>(sizeof errors)};
  const CuResult result = driver.cuModuleLoadDataEx(&module, image.data(), options.jit ? 4 : 0, names, values);
  if (options.jit && !options.log.empty())
    std::ofstream(options.log) << remarks << errors;
  else if (options.jit)
    std::cerr << remarks << errors;
  return result == 0 ||
         fail(KernelFailed, "cannot load `" + (options.name.empty() ? options.image : options.name) + "` on " +
                                driver.deviceName + " (sm_" + std::to_string(driver.computeMajor) +
                                std::to_string(driver.computeMinor) + "): " + driver.inWords(result));
}

/// Takes the only kernel of the module if the options name none.
bool Launch::findKernel() {
  if (!options.kernel.empty())
    return true;
  if (!driver.cuModuleGetFunctionCount || !driver.cuModuleEnumerateFunctions || !driver.cuFuncGetName)
    return fail(BadUsage, "--kernel is missing: this CUDA driver is older than 12.4 and cannot list the kernels");
  unsigned count = 0;
  std::vector<CuHandle> functions;
  CuResult result = driver.cuModuleGetFunctionCount(&count, module);
  functions.resize(count);
  if (result == 0 && count)
    result = driver.cuModuleEnumerateFunctions(functions.data(), count, module);
  std::string names;
  for (CuHandle found : functions) {
    const char *name = "";
    if (result == 0)
      result = driver.cuFuncGetName(&name, found);
    names += (names.empty() ? "" : ", ") + std::string(name);
  }
  if (!require(result, "kernels of"))
    return false;
  if (count != 1)
    return fail(BadUsage, "--kernel is missing: there " +
                              (count ? "are " + std::to_string(count) + " (" + names + ")" : std::string("is none")));
  options.kernel = names;
  return true;
}

/// Checks the number of parameters. The driver would read beyond the end of a short list.
bool Launch::checkParameters() {
  size_t offset = 0, bytes = 0, count = 0;
  if (!driver.cuFuncGetParamInfo) // not available before CUDA 12.4
    return true;
  for (; driver.cuFuncGetParamInfo(function, count, &offset, &bytes) == 0; ++count)
    if (count < options.arguments.size() && options.arguments[count].bytes.size() != bytes)
      return fail(BadUsage, "argument " + std::to_string(count) + " has " +
                                std::to_string(options.arguments[count].bytes.size()) + " bytes, the parameter of `" +
                                options.kernel + "` " + std::to_string(bytes));
  return count == options.arguments.size() ||
         fail(BadUsage, "kernel `" + options.kernel + "` has " + counted(count, "parameter") +
                            "; written: " + counted(options.arguments.size(), "argument"));
}

bool Launch::encode(const TensorMap &map, CuPointer base, unsigned char *to) {
  using Mode = TensorMap::Mode;
  const bool isKnown = map.mode == Mode::Tiled    ? driver.cuTensorMapEncodeTiled != nullptr
                       : map.mode == Mode::Im2col ? driver.cuTensorMapEncodeIm2col != nullptr
                                                  : driver.cuTensorMapEncodeIm2colWide != nullptr;
  if (!isKnown)
    return fail(BadUsage, "the CUDA driver is too old for tensor maps");
  alignas(tensorMapAlignment) unsigned char encoded[tensorMapBytes];
  const auto rank = static_cast<unsigned>(map.extents.size());
  auto *address = reinterpret_cast<void *>(base);
  CuResult result = 0;
  if (map.mode == Mode::Tiled)
    result = driver.cuTensorMapEncodeTiled(encoded, map.typeNumber(), rank, address, map.extents.data(),
                                           map.strides.data(), map.box.data(), map.steps.data(), map.interleaveNumber(),
                                           map.swizzleNumber(), map.promotionNumber(), map.fillsWithNan);
  else if (map.mode == Mode::Im2col)
    result = driver.cuTensorMapEncodeIm2col(encoded, map.typeNumber(), rank, address, map.extents.data(),
                                            map.strides.data(), map.lower.data(), map.upper.data(), map.channels,
                                            map.pixels, map.steps.data(), map.interleaveNumber(), map.swizzleNumber(),
                                            map.promotionNumber(), map.fillsWithNan);
  else
    result = driver.cuTensorMapEncodeIm2colWide(
        encoded, map.typeNumber(), rank, address, map.extents.data(), map.strides.data(), map.lower[0], map.upper[0],
        map.channels, map.pixels, map.steps.data(), map.interleaveNumber(), map.mode == Mode::Wide128,
        map.swizzleNumber(), map.promotionNumber(), map.fillsWithNan);
  std::memcpy(to, encoded, sizeof encoded);
  return require(result, "a tensor map for");
}

/// Makes a texture or surface, and writes its handle.
bool Launch::place(const ImageDescription &image, CuPointer texels, unsigned char *to) {
  if (image.kind == ImageDescription::Kind::Sampler)
    return fail(BadUsage, "on a GPU, a sampler cannot be an argument: each texture has its own sampler");
  if (!driver.hasImages)
    return fail(BadUsage, "the CUDA driver is too old for textures and surfaces");
  uint64_t handle = 0;
  const CuResult result = images.make(image, texels, handle);
  std::memcpy(to, &handle, sizeof handle);
  return require(result, "a texture or surface for");
}

CuPointer Launch::addressOf(const Address &address) const {
  CuPointer pointer = 0;
  size_t bytes = 0;
  memory.find(address.buffer, module, pointer, bytes); // the options checked its name
  return pointer + address.offset;
}

bool Launch::placeArguments() {
  for (Argument &argument : options.arguments) {
    for (const auto &[offset, address] : argument.addresses) {
      const CuPointer pointer = addressOf(address);
      std::memcpy(&argument.bytes[offset], &pointer, sizeof pointer);
    }
    for (const auto &[offset, map] : argument.tensorMaps)
      if (!encode(map, addressOf(map.at), &argument.bytes[offset]))
        return false;
    for (const auto &[offset, image] : argument.images)
      if (!place(image, addressOf(image.at), &argument.bytes[offset]))
        return false;
    parameters.push_back(argument.bytes.data());
  }
  return true;
}

/// Adapts addresses in memory, since recorded memory lies at other addresses on this GPU.
void Launch::followMoves() {
  std::vector<Move> moves;
  const auto add = [&](const std::string &name, const Buffer &recorded) {
    CuPointer pointer = 0;
    size_t bytes = 0;
    if (recorded.at && memory.find(name, module, pointer, bytes))
      moves.push_back({recorded.at, bytes, pointer});
  };
  for (const NamedBuffer &buffer : options.buffers)
    add(buffer.name, buffer.buffer);
  for (const auto &[name, value] : options.variables)
    add(name, value);
  relocate(options, realMoves(std::move(moves)));
}

bool Launch::setVariables() {
  if (!options.images.empty())
    return fail(BadUsage, "`" + options.images[0].first +
                              "`: on a GPU, textures must be arguments; only --emulate supports texture variables");
  for (const auto &[name, value] : options.variables) {
    CuPointer pointer = 0;
    size_t bytes = 0;
    if (driver.cuModuleGetGlobal_v2(&pointer, &bytes, module, name.c_str()) != 0)
      return fail(BadUsage, "the module has no variable `" + name + "`");
    if (bytes != value.bytes.size())
      return fail(BadUsage, "variable `" + name + "` has " + std::to_string(bytes) + " bytes, its value " +
                                std::to_string(value.bytes.size()));
    if (!require(driver.cuMemcpyHtoD_v2(pointer, value.bytes.data(), bytes), "variables of"))
      return false;
  }
  return true;
}

bool Launch::prepare() {
  if (!load() || !findKernel() ||
      !require(driver.cuModuleGetFunction(&function, module, options.kernel.c_str()), "kernel") || !checkParameters())
    return false;
  broken = inWords(brokenLimits(options, limitsOf(driver, function)));
  if (!broken.empty())
    broken = ": " + broken;
  constexpr unsigned usualShared = 48 * 1024, usualCluster = 8;
  if (options.shared > usualShared)
    driver.cuFuncSetAttribute(function, driver::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                              static_cast<int>(options.shared));
  if (options.blocksOfCluster() > usualCluster)
    driver.cuFuncSetAttribute(function, driver::CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1);
  for (const NamedBuffer &buffer : options.buffers)
    if (!require(memory.allocate(buffer), "memory for"))
      return false;
  if (options.isRecorded)
    followMoves();
  return require(memory.fill(), "memory for") && setVariables() && placeArguments();
}

CuResult Launch::start() {
  const auto &g = options.grid, &b = options.block, &c = options.cluster;
  if (c[0] == 0 && !options.isCooperative)
    return driver.cuLaunchKernel(function, g[0], g[1], g[2], b[0], b[1], b[2], options.shared, nullptr,
                                 parameters.data(), nullptr);
  CuLaunchAttribute attributes[2] = {};
  unsigned count = 0;
  if (c[0]) {
    attributes[count].id = 4; // CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION
    attributes[count++].value.cluster = {c[0], c[1], c[2]};
  }
  if (options.isCooperative) {
    attributes[count].id = 2; // CU_LAUNCH_ATTRIBUTE_COOPERATIVE
    attributes[count++].value.cooperative = 1;
  }
  const CuLaunchConfig config = {g[0], g[1], g[2], b[0], b[1], b[2], options.shared, nullptr, attributes, count};
  return driver.cuLaunchKernelEx(&config, function, parameters.data(), nullptr);
}

/// Waits for the kernel. A kernel that hangs can only be ended together with its process.
bool Launch::wait() {
  using Clock = std::chrono::steady_clock;
  const auto begin = Clock::now();
  for (CuResult result; (result = driver.cuStreamQuery(nullptr)) != 0;) {
    if (result != CuNotReady)
      return require(result, "kernel");
    const auto passed = Clock::now() - begin;
    if (options.seconds && passed >= std::chrono::seconds(options.seconds)) {
      std::cerr << "ptxray-run: kernel `" << options.kernel << "` has not ended after " << options.seconds
                << " s: it hangs, or needs a longer --time-limit\n";
      std::fflush(stdout);
      std::_Exit(KernelFailed);
    }
    if (passed > std::chrono::milliseconds(1)) // does not sleep while it waits for short kernels
      std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
  return true;
}

bool Launch::once() {
  if (!require(images.fill(), "textures and surfaces for"))
    return false;
  if ((options.cluster[0] || options.isCooperative) && !driver.cuLaunchKernelEx)
    return fail(BadUsage, "the CUDA driver is too old for clusters and cooperative launches");
  return require(start(), "launch of") && wait() && require(images.read(), "surfaces of");
}

// ------------------------------------------------------------------------------------ the results
Expected<Bytes> Launch::contents(const std::string &name) {
  CuPointer pointer = 0;
  size_t size = 0;
  if (!memory.find(name, module, pointer, size)) {
    status = BadUsage;
    return Problem{"there is no buffer or variable `" + name + "`"};
  }
  Bytes bytes(size);
  if (const CuResult result = memory.read(pointer, bytes)) {
    status = KernelFailed;
    return Problem{"results of `" + options.kernel + "`: " + driver.inWords(result) + broken};
  }
  return bytes;
}

/// Prints the results. Notes whether all are as expected and whether the kernel wrote only to its buffers.
bool Launch::judge() {
  bool good = true;
  for (const std::string &line : memory.writesOutside()) {
    std::cerr << "ptxray-run: " << line << '\n';
    good = false;
  }
  for (const auto &[name, how] : options.outputs) {
    const Expected<Bytes> bytes = contents(name);
    if (!bytes)
      return fail(status, bytes.problem());
    if (const std::string problem = writeOutput(options, name, how, *bytes); !problem.empty())
      return fail(BadUsage, problem);
  }
  const Expected<bool> isExpected = isAsExpected(
      options, true, [&](const std::string &name) { return contents(name); },
      [](const std::string &line) { std::cerr << "ptxray-run: " << line << '\n'; });
  if (!isExpected)
    return fail(status, isExpected.problem());
  status = good && *isExpected ? Good : KernelFailed;
  return true;
}

bool Launch::measure() {
  std::vector<double> times(options.repeat);
  CuHandle before, after;
  driver.cuEventCreate(&before, 0);
  driver.cuEventCreate(&after, 0);
  for (double &time : times) {
    float milliseconds = 0;
    if (options.fresh && !(require(memory.fill(), "memory for") && require(images.fill(), "textures and surfaces for")))
      return false;
    driver.cuEventRecord(before, nullptr);
    if (!require(start(), "launch of"))
      return false;
    driver.cuEventRecord(after, nullptr);
    if (!wait() || !require(driver.cuEventSynchronize(after), "kernel"))
      return false;
    driver.cuEventElapsedTime(&milliseconds, before, after);
    time = double(milliseconds) * 1e3;
  }
  printTimes(options.kernel, std::move(times));
  return true;
}

Status Launch::run() {
  if (!prepare() || !once() || !judge() || (options.repeat && !measure()))
    return status;
  if (const std::string problem = flushOutput(); !problem.empty())
    fail(BadUsage, problem);
  return status;
}

static Status run(RunOptions &options) {
  if (options.help) {
    std::cout << usage();
    return Good;
  }
  if (options.validate)
    return Good;
  Driver driver;
  if (options.driverPath) {
    std::cout << Driver::path() << '\n';
    return Good;
  }
  if (const std::string reason = driver.open(static_cast<int>(options.device)); !reason.empty()) {
    std::cerr << "ptxray-run: " << reason << '\n';
    return NoGpu;
  }
  if (options.probe) {
    std::cout << "sm_" << driver.computeMajor << driver.computeMinor << ' ' << driver.version << ' '
              << driver.deviceName << '\n';
    return Good;
  }
  return Launch(driver, options).run();
}

static int refused(const std::string &why) {
  std::cerr << "ptxray-run: " << why << '\n';
  return BadUsage;
}

static int answer(const std::vector<std::string> &words) {
  try {
    Expected<RunOptions> options = readOptions({words.begin(), words.end()});
    return options ? run(*options) : refused(options.problem());
  } catch (const std::bad_alloc &) {
    return refused(tooLarge);
  } catch (const std::length_error &) {
    return refused(tooLarge);
  }
}

int main(int argc, char **argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  const Handler handler{answer, KernelFailed};
  // This option is not for people: `ptxray reduce` uses it.
  constexpr std::string_view server = "--serve=";
  if (words.size() == 1 && words[0].compare(0, server.size(), server) == 0)
    return serve(static_cast<unsigned>(std::atoi(words[0].c_str() + server.size())), handler);
  if (const std::optional<int> status = askServer(words, handler))
    return *status;
  return answer(words);
}
