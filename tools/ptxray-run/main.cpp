// Launches one kernel of an image (a cubin, or PTX for the driver to compile). `ptxray run` starts this program, which
// also works alone. docs/assembling.md describes both.
#include "Driver.h"
#include "GpuImages.h"
#include "Memory.h"
#include "Output.h"
#include "Recording.h"
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

namespace {
/// Thrown after an error of the GPU has been printed.
struct Failure {
  Status status;
};
} // namespace

/// The requirements of a launch that the kernel or the GPU does not meet. Must be called before the launch: after a
/// fault the driver answers nothing.
static std::string brokenLimits(const Driver &driver, CuHandle function, const Options &options) {
  std::string text;
  auto limit = [&](uint64_t used, uint64_t most, const std::string &before, const std::string &after) {
    if (used > most)
      text += (text.empty() ? ": " : "; ") + before + std::to_string(used) + after + ", " + std::to_string(most) +
              " at most";
  };
  const uint64_t threads = uint64_t(options.block[0]) * options.block[1] * options.block[2];
  const uint64_t registers = driver.functionAttribute(function, driver::CU_FUNC_ATTRIBUTE_NUM_REGS);
  limit(threads, driver.functionAttribute(function, driver::CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK), "",
        " threads a block");
  for (int axis = 0; axis < 3; ++axis) {
    const std::string along = std::string(" along ") + "xyz"[axis];
    limit(options.block[axis], driver.deviceAttribute(driver::CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X + axis),
          "a block of ", along);
    limit(options.grid[axis], driver.deviceAttribute(driver::CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X + axis), "a grid of ",
          along);
  }
  const unsigned *cluster = options.cluster;
  constexpr unsigned largestCluster = 16;
  limit(uint64_t(cluster[0]) * cluster[1] * cluster[2], largestCluster, "a cluster of ", " blocks");
  for (int axis = 0; axis < 3; ++axis)
    if (cluster[axis] && options.grid[axis] % cluster[axis])
      text += (text.empty() ? ": " : "; ") + ("a grid of " + std::to_string(options.grid[axis])) + " along " +
              "xyz"[axis] + ", a multiple of " + std::to_string(cluster[axis]) + " expected";
  limit(registers * threads, driver.deviceAttribute(driver::CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK), "",
        " registers a block");
  limit(uint64_t(options.shared) + driver.functionAttribute(function, driver::CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES),
        driver.deviceAttribute(driver::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN), "",
        " bytes of shared memory a block");
  return text;
}

static std::vector<char> readBinary(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  if (!file)
    throw UsageError("cannot read `" + path + "`: " + std::strerror(errno));
  std::vector<char> image(std::istreambuf_iterator<char>(file), {});
  image.push_back(0); // the driver reads PTX up to a zero
  return image;
}

static CuHandle load(const Driver &driver, const Options &options) {
  const std::vector<char> image = readBinary(options.image);
  static char errors[1 << 16], remarks[1 << 16];
  int names[] = {3, 4, 5, 6}; // CU_JIT_INFO_LOG_BUFFER, its size, CU_JIT_ERROR_LOG_BUFFER, its size
  void *values[] = {remarks, reinterpret_cast<void *>(sizeof remarks), errors, reinterpret_cast<void *>(sizeof errors)};
  CuHandle module = nullptr;
  const CuResult result = driver.cuModuleLoadDataEx(&module, image.data(), options.jit ? 4 : 0, names, values);
  if (options.jit && !options.log.empty())
    std::ofstream(options.log) << remarks << errors;
  else if (options.jit)
    std::cerr << remarks << errors;
  if (result == 0)
    return module;
  std::cerr << "ptxray-run: cannot load `" << (options.name.empty() ? options.image : options.name) << "` on "
            << driver.deviceName << " (sm_" << driver.computeMajor << driver.computeMinor
            << "): " << driver.inWords(result) << '\n';
  throw Failure{KernelFailed};
}

// ------------------------------------------------------------------------------------ the launch
namespace {

/// A kernel with its arguments on a GPU.
class Launch {
public:
  Launch(const Driver &driver, Options &options)
      : driver(driver), options(options), memory(driver, options.guards), images(driver) {}
  ~Launch() {
    if (module)
      driver.cuModuleUnload(module);
  }
  Launch(const Launch &) = delete;
  Launch &operator=(const Launch &) = delete;

  void prepare();
  void once();
  bool judge();
  void measure();

private:
  void require(CuResult result, const std::string &what) const;
  std::string onlyKernel() const;
  void followMoves();
  void setVariables() const;
  void checkParameters();
  void placeArguments();
  void encode(const TensorMap &map, CuPointer base, unsigned char *to) const;
  CuResult start();
  void wait() const;
  Bytes contents(const std::string &name) const;

  const Driver &driver;
  Options &options;
  Memory memory;
  GpuImages images;
  CuHandle module = nullptr, function = nullptr;
  std::string broken; // limits that the launch breaks
  std::vector<void *> parameters;
};

} // namespace

void Launch::require(CuResult result, const std::string &what) const {
  if (result == 0)
    return;
  std::cerr << "ptxray-run: " << what << " `" << options.kernel << "`: " << driver.inWords(result) << broken << '\n';
  throw Failure{KernelFailed};
}

/// The only kernel of the module, if none is named.
std::string Launch::onlyKernel() const {
  if (!driver.cuModuleGetFunctionCount || !driver.cuModuleEnumerateFunctions || !driver.cuFuncGetName)
    throw UsageError("--kernel is missing: this CUDA driver, older than 12.4, does not say which kernels there are");
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
  require(result, "kernels of");
  if (count != 1)
    throw UsageError("--kernel is missing: there " +
                     (count ? "are " + std::to_string(count) + " (" + names + ")" : std::string("is none")));
  return names;
}

/// Checks the list of parameters, beyond whose end the driver would read.
void Launch::checkParameters() {
  size_t offset = 0, bytes = 0, count = 0;
  if (!driver.cuFuncGetParamInfo) // before CUDA 12.4
    return;
  for (; driver.cuFuncGetParamInfo(function, count, &offset, &bytes) == 0; ++count)
    if (count < options.arguments.size() && options.arguments[count].bytes.size() != bytes)
      throw UsageError("argument " + std::to_string(count) + " has " +
                       std::to_string(options.arguments[count].bytes.size()) + " bytes, the parameter of `" +
                       options.kernel + "` " + std::to_string(bytes));
  if (count != options.arguments.size())
    throw UsageError("kernel `" + options.kernel + "` has " + counted(count, "parameter") +
                     "; written: " + counted(options.arguments.size(), "argument"));
}

void Launch::encode(const TensorMap &map, CuPointer base, unsigned char *to) const {
  using Mode = TensorMap::Mode;
  const bool isKnown = map.mode == Mode::Tiled    ? driver.cuTensorMapEncodeTiled != nullptr
                       : map.mode == Mode::Im2col ? driver.cuTensorMapEncodeIm2col != nullptr
                                                  : driver.cuTensorMapEncodeIm2colWide != nullptr;
  if (!isKnown)
    throw UsageError("the CUDA driver is too old for tensor maps");
  const auto rank = static_cast<unsigned>(map.extents.size());
  auto *address = reinterpret_cast<void *>(base);
  CuResult result = 0;
  if (map.mode == Mode::Tiled)
    result = driver.cuTensorMapEncodeTiled(to, map.typeNumber(), rank, address, map.extents.data(), map.strides.data(),
                                           map.box.data(), map.steps.data(), map.interleaveNumber(),
                                           map.swizzleNumber(), map.promotionNumber(), map.fillsWithNan);
  else if (map.mode == Mode::Im2col)
    result = driver.cuTensorMapEncodeIm2col(to, map.typeNumber(), rank, address, map.extents.data(), map.strides.data(),
                                            map.lower.data(), map.upper.data(), map.channels, map.pixels,
                                            map.steps.data(), map.interleaveNumber(), map.swizzleNumber(),
                                            map.promotionNumber(), map.fillsWithNan);
  else
    result = driver.cuTensorMapEncodeIm2colWide(
        to, map.typeNumber(), rank, address, map.extents.data(), map.strides.data(), map.lower[0], map.upper[0],
        map.channels, map.pixels, map.steps.data(), map.interleaveNumber(), map.mode == Mode::Wide128,
        map.swizzleNumber(), map.promotionNumber(), map.fillsWithNan);
  require(result, "a tensor map for");
}

void Launch::placeArguments() {
  auto addressOf = [&](const Address &address) {
    CuPointer pointer = 0;
    size_t bytes = 0;
    memory.find(address.buffer, module, pointer, bytes); // its name was checked
    return pointer + address.offset;
  };
  alignas(tensorMapAlignment) unsigned char encoded[tensorMapBytes];
  for (Argument &argument : options.arguments) {
    for (const auto &[offset, address] : argument.addresses) {
      const CuPointer pointer = addressOf(address);
      std::memcpy(&argument.bytes[offset], &pointer, sizeof pointer);
    }
    for (const auto &[offset, map] : argument.tensorMaps) {
      encode(map, addressOf(map.at), encoded);
      std::memcpy(&argument.bytes[offset], encoded, sizeof encoded);
    }
    for (const auto &[offset, image] : argument.images) {
      if (image.kind == ImageDescription::Kind::Sampler)
        throw UsageError("on a GPU a sampler cannot be an argument: a texture has its own");
      if (!driver.hasImages)
        throw UsageError("the CUDA driver is too old for textures and surfaces");
      uint64_t handle = 0;
      require(images.make(image, addressOf(image.at), handle), "a texture or surface for");
      std::memcpy(&argument.bytes[offset], &handle, sizeof handle);
    }
    parameters.push_back(argument.bytes.data());
  }
}

/// Recorded memory lies elsewhere on this GPU.
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

void Launch::setVariables() const {
  if (!options.images.empty())
    throw UsageError("`" + options.images[0].first +
                     "`: on a GPU textures are arguments; variables have them only by --emulate");
  for (const auto &[name, value] : options.variables) {
    CuPointer pointer = 0;
    size_t bytes = 0;
    if (driver.cuModuleGetGlobal_v2(&pointer, &bytes, module, name.c_str()) != 0)
      throw UsageError("the module has no variable `" + name + "`");
    if (bytes != value.bytes.size())
      throw UsageError("variable `" + name + "` has " + std::to_string(bytes) + " bytes, its value " +
                       std::to_string(value.bytes.size()));
    require(driver.cuMemcpyHtoD_v2(pointer, value.bytes.data(), bytes), "variables of");
  }
}

void Launch::prepare() {
  module = load(driver, options);
  if (options.kernel.empty())
    options.kernel = onlyKernel();
  require(driver.cuModuleGetFunction(&function, module, options.kernel.c_str()), "kernel");
  checkParameters();
  broken = brokenLimits(driver, function, options);
  constexpr unsigned usualShared = 48 * 1024, usualCluster = 8;
  if (options.shared > usualShared)
    driver.cuFuncSetAttribute(function, driver::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                              static_cast<int>(options.shared));
  if (uint64_t(options.cluster[0]) * options.cluster[1] * options.cluster[2] > usualCluster)
    driver.cuFuncSetAttribute(function, driver::CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1);
  for (const NamedBuffer &buffer : options.buffers)
    require(memory.allocate(buffer), "memory for");
  if (options.isRecorded)
    followMoves();
  require(memory.fill(), "memory for");
  setVariables();
  placeArguments();
}

CuResult Launch::start() {
  const unsigned *g = options.grid, *b = options.block, *c = options.cluster;
  if (c[0] == 0 && !options.cooperative)
    return driver.cuLaunchKernel(function, g[0], g[1], g[2], b[0], b[1], b[2], options.shared, nullptr,
                                 parameters.data(), nullptr);
  if (!driver.cuLaunchKernelEx)
    throw UsageError("the CUDA driver is too old for clusters and cooperative launches");
  CuLaunchAttribute attributes[2] = {};
  unsigned count = 0;
  if (c[0]) {
    attributes[count].id = 4; // CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION
    attributes[count++].value.cluster = {c[0], c[1], c[2]};
  }
  if (options.cooperative) {
    attributes[count].id = 2; // CU_LAUNCH_ATTRIBUTE_COOPERATIVE
    attributes[count++].value.cooperative = 1;
  }
  const CuLaunchConfig config = {g[0], g[1], g[2], b[0], b[1], b[2], options.shared, nullptr, attributes, count};
  return driver.cuLaunchKernelEx(&config, function, parameters.data(), nullptr);
}

/// Waits for the kernel. A hanging kernel can only be ended together with the process that launched it.
void Launch::wait() const {
  using Clock = std::chrono::steady_clock;
  const auto begin = Clock::now();
  for (CuResult result; (result = driver.cuStreamQuery(nullptr)) != 0;) {
    if (result != CuNotReady)
      require(result, "kernel");
    const auto passed = Clock::now() - begin;
    if (options.seconds && passed >= std::chrono::seconds(options.seconds)) {
      std::cerr << "ptxray-run: kernel `" << options.kernel << "` has not ended after " << options.seconds
                << " s: it hangs, or needs a longer --time-limit\n";
      std::fflush(stdout);
      std::_Exit(KernelFailed);
    }
    if (passed > std::chrono::milliseconds(1)) // short kernels are waited for without sleep
      std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
}

void Launch::once() {
  require(images.fill(), "textures and surfaces for");
  require(start(), "launch of");
  wait();
  require(images.read(), "surfaces of");
}

// ------------------------------------------------------------------------------------ the results
Bytes Launch::contents(const std::string &name) const {
  CuPointer pointer = 0;
  size_t size = 0;
  if (!memory.find(name, module, pointer, size))
    throw UsageError("there is no buffer and no variable `" + name + "`");
  Bytes bytes(size);
  require(memory.read(pointer, bytes), "results of");
  return bytes;
}

/// Returns whether all results are as expected and nothing was written outside of the buffers.
bool Launch::judge() {
  bool good = true;
  for (const std::string &line : memory.writesOutside()) {
    std::cerr << "ptxray-run: " << line << '\n';
    good = false;
  }
  for (const auto &[name, how] : options.outputs)
    writeOutput(options, name, how, contents(name));
  good &= isAsExpected(
      options, true, [&](const std::string &name) { return contents(name); },
      [](const std::string &line) { std::cerr << "ptxray-run: " << line << '\n'; });
  return good;
}

void Launch::measure() {
  std::vector<double> times(options.repeat);
  CuHandle before, after;
  driver.cuEventCreate(&before, 0);
  driver.cuEventCreate(&after, 0);
  for (double &time : times) {
    float milliseconds = 0;
    if (options.fresh) {
      require(memory.fill(), "memory for");
      require(images.fill(), "textures and surfaces for");
    }
    driver.cuEventRecord(before, nullptr);
    require(start(), "launch of");
    driver.cuEventRecord(after, nullptr);
    wait();
    require(driver.cuEventSynchronize(after), "kernel");
    driver.cuEventElapsedTime(&milliseconds, before, after);
    time = double(milliseconds) * 1e3;
  }
  printTimes(options.kernel, std::move(times));
}

static int run(Options &options) {
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
  Launch launch(driver, options);
  launch.prepare();
  launch.once();
  const bool good = launch.judge();
  if (options.repeat)
    launch.measure();
  flushOutput();
  return good ? Good : KernelFailed;
}

static int answer(const std::vector<std::string> &words) {
  try {
    Options options = readOptions({words.begin(), words.end()});
    return run(options);
  } catch (const UsageError &error) {
    std::cerr << "ptxray-run: " << error.what() << '\n';
    return BadUsage;
  } catch (const std::bad_alloc &) {
    std::cerr << "ptxray-run: a buffer is larger than this machine's memory\n";
    return BadUsage;
  } catch (const std::length_error &) {
    std::cerr << "ptxray-run: a buffer is larger than this machine's memory\n";
    return BadUsage;
  } catch (const Failure &failure) {
    return failure.status;
  }
}

int main(int argc, char **argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  const Handler handler{answer, KernelFailed};
  // Not for people: `ptxray reduce` starts it so.
  constexpr std::string_view server = "--serve=";
  if (words.size() == 1 && words[0].compare(0, server.size(), server) == 0)
    return serve(static_cast<unsigned>(std::atoi(words[0].c_str() + server.size())), handler);
  if (const std::optional<int> status = askServer(words, handler))
    return *status;
  return answer(words);
}
