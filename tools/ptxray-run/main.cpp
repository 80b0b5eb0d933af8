// Launches one kernel of an image (a cubin, or PTX for the driver to compile). `ptxray run` starts
// it; it works alone too. docs/assembling.md describes both.
#include "Driver.h"
#include "Values.h"
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>

using namespace ptxray;

namespace {

enum Status { Good = 0, BadUsage = 2, NoGpu = 4, KernelFailed = 6 };

struct Argument {
  bool isBuffer = false;
  Bytes bytes;           // the value, or what the buffer holds at first
  CuPointer pointer = 0; // of a buffer
};

struct Options {
  std::string image, kernel, type, log;
  std::string name; // of the image in messages; empty: its path
  unsigned grid[3] = {1, 1, 1}, block[3] = {1, 1, 1}, cluster[3] = {0, 0, 0};
  unsigned shared = 0, repeat = 0, device = 0;
  double tolerance = 0;
  bool probe = false, jit = false;
  std::vector<Argument> arguments;
  std::vector<std::pair<unsigned, std::string>> outputs, expectations; // by number of the argument
};

class Usage {}; // thrown after the complaint was printed

[[noreturn]] void complain(const std::string &message) {
  std::cerr << "ptxray-run: " << message << '\n';
  throw Usage();
}

unsigned readNumber(const std::string &text, const std::string &option) {
  char *end = nullptr;
  const unsigned long value = std::strtoul(text.c_str(), &end, 0);
  if (text.empty() || text[0] == '-' || *end || value > 0xffffffffu)
    complain("`" + option + "` takes a number, not `" + text + "`");
  return value;
}

void readTriple(const std::string &text, const std::string &option, unsigned (&out)[3]) {
  size_t at = 0;
  for (unsigned &part : out)
    part = 1;
  for (unsigned i = 0; at <= text.size(); ++i) {
    if (i == 3)
      complain("`" + option + "` takes X[,Y[,Z]], not `" + text + "`");
    const size_t end = std::min(text.find(',', at), text.size());
    out[i] = readNumber(text.substr(at, end - at), option);
    if (out[i] == 0)
      complain("`" + option + "` takes numbers above 0, not `" + text + "`");
    at = end + 1;
  }
}

/// `u32=7`, `zeros:4096`
Argument readArgument(const std::string &text) {
  Argument argument;
  std::string reason;
  if (isBuffer(text)) {
    argument.isBuffer = true;
    if (!readBuffer(text, argument.bytes, reason))
      complain(reason);
    return argument;
  }
  const size_t equals = text.find('=');
  const std::string type = text.substr(0, equals);
  if (type == "hex" && equals != std::string::npos) {
    for (size_t i = equals + 1; i + 1 < text.size(); i += 2)
      argument.bytes.push_back(std::strtoul(text.substr(i, 2).c_str(), nullptr, 16));
    return argument;
  }
  if (equals == std::string::npos || !sizeOfType(type))
    complain("`" + text + "` is no argument: TYPE=VALUE (u32=7) or a buffer (zeros:4096) expected");
  if (!readScalar(type, text.substr(equals + 1), argument.bytes))
    complain("`" + text.substr(equals + 1) + "` is no value of type " + type);
  return argument;
}

std::pair<unsigned, std::string> readNumbered(const std::string &text, const std::string &option) {
  const size_t equals = text.find('=');
  if (equals == std::string::npos)
    complain("`" + option + "` takes NUMBER=..., not `" + text + "`");
  return {readNumber(text.substr(0, equals), option), text.substr(equals + 1)};
}

Options readOptions(int argc, char **argv) {
  Options options;
  bool ended = false;
  for (int i = 1; i < argc; ++i) {
    std::string word = argv[i], value;
    if (ended || word.rfind("--", 0) != 0) {
      if (options.image.empty())
        options.image = word;
      else
        options.arguments.push_back(readArgument(word));
      continue;
    }
    if (word == "--") {
      ended = true;
      continue;
    }
    if (word == "--probe" || word == "--jit") {
      (word == "--probe" ? options.probe : options.jit) = true;
      continue;
    }
    if (const size_t equals = word.find('='); equals != std::string::npos) {
      value = word.substr(equals + 1);
      word.resize(equals);
    } else if (i + 1 < argc) {
      value = argv[++i];
    } else {
      complain("`" + word + "` needs a value");
    }
    if (word == "--kernel")
      options.kernel = value;
    else if (word == "--grid")
      readTriple(value, word, options.grid);
    else if (word == "--block")
      readTriple(value, word, options.block);
    else if (word == "--cluster")
      readTriple(value, word, options.cluster);
    else if (word == "--shared")
      options.shared = readNumber(value, word);
    else if (word == "--repeat")
      options.repeat = readNumber(value, word);
    else if (word == "--device")
      options.device = readNumber(value, word);
    else if (word == "--name")
      options.name = value;
    else if (word == "--log")
      options.log = value;
    else if (word == "--type")
      options.type = value;
    else if (word == "--tolerance")
      options.tolerance = std::strtod(value.c_str(), nullptr);
    else if (word == "--out")
      options.outputs.push_back(readNumbered(value, word));
    else if (word == "--expect")
      options.expectations.push_back(readNumbered(value, word));
    else
      complain("unknown option `" + word + "`");
  }
  if (options.probe)
    return options;
  if (options.image.empty() || options.kernel.empty())
    complain("usage: ptxray-run IMAGE --kernel K --grid X[,Y,Z] --block X[,Y,Z] [OPTION]... "
             "ARGUMENT...");
  if (!options.type.empty() && !sizeOfType(options.type))
    complain("`" + options.type + "` is no type");
  for (const auto *list : {&options.outputs, &options.expectations})
    for (const auto &[number, text] : *list)
      if (number >= options.arguments.size() || !options.arguments[number].isBuffer)
        complain("argument " + std::to_string(number) + " is no buffer (they are counted from 0)");
  return options;
}

/// What of a launch is beyond what the kernel or the GPU has. To be asked before the launch: after a
/// fault the driver answers nothing.
std::string brokenLimits(const Driver &driver, CuHandle function, const Options &options) {
  std::string text;
  auto limit = [&](uint64_t used, uint64_t most, const std::string &before, const std::string &behind) {
    if (used > most)
      text += (text.empty() ? ": " : "; ") + before + std::to_string(used) + behind + ", " + std::to_string(most) +
              " at most";
  };
  const uint64_t threads = uint64_t(options.block[0]) * options.block[1] * options.block[2];
  const uint64_t registers = driver.functionAttribute(function, CuFunctionRegisters);
  limit(threads, driver.functionAttribute(function, CuFunctionMostThreads), "", " threads a block");
  for (int axis = 0; axis < 3; ++axis) {
    const std::string along = std::string(" along ") + "xyz"[axis];
    limit(options.block[axis], driver.deviceAttribute(CuMostBlockX + axis), "a block of ", along);
    limit(options.grid[axis], driver.deviceAttribute(CuMostGridX + axis), "a grid of ", along);
  }
  const unsigned *cluster = options.cluster;
  constexpr unsigned largestCluster = 16;
  limit(uint64_t(cluster[0]) * cluster[1] * cluster[2], largestCluster, "a cluster of ", " blocks");
  for (int axis = 0; axis < 3; ++axis)
    if (cluster[axis] && options.grid[axis] % cluster[axis])
      text += (text.empty() ? ": " : "; ") + ("a grid of " + std::to_string(options.grid[axis])) + " along " +
              "xyz"[axis] + ", a multiple of " + std::to_string(cluster[axis]) + " expected";
  limit(registers * threads, driver.deviceAttribute(CuMostRegistersPerBlock), "", " registers a block");
  limit(uint64_t(options.shared) + driver.functionAttribute(function, CuFunctionSharedBytes),
        driver.deviceAttribute(CuMostSharedOptIn), "", " bytes of shared memory a block");
  return text;
}

std::vector<char> readImage(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  if (!file)
    complain("cannot read `" + path + "`: " + std::strerror(errno));
  std::vector<char> image(std::istreambuf_iterator<char>(file), {});
  image.push_back(0); // the driver reads PTX up to a zero
  return image;
}

CuHandle load(const Driver &driver, const Options &options) {
  const std::vector<char> image = readImage(options.image);
  static char errors[1 << 16], remarks[1 << 16];
  int names[] = {3, 4, 5, 6}; // CU_JIT_INFO_LOG_BUFFER, its size, CU_JIT_ERROR_LOG_BUFFER, its size
  void *values[] = {remarks, reinterpret_cast<void *>(sizeof remarks), errors, reinterpret_cast<void *>(sizeof errors)};
  CuHandle module = nullptr;
  const CuResult result = driver.cuModuleLoadDataEx(&module, image.data(), options.jit ? 4 : 0, names, values);
  if (options.jit && !options.log.empty())
    std::ofstream(options.log) << remarks << errors;
  else if (options.jit)
    std::cerr << remarks << errors;
  if (result != 0) {
    std::cerr << "ptxray-run: cannot load `" << (options.name.empty() ? options.image : options.name) << "` on "
              << driver.deviceName << " (sm_" << driver.computeMajor << driver.computeMinor
              << "): " << driver.inWords(result) << '\n';
    return nullptr;
  }
  return module;
}

CuResult launch(const Driver &driver, CuHandle function, const Options &options, void **parameters) {
  const unsigned *g = options.grid, *b = options.block, *c = options.cluster;
  if (c[0] == 0)
    return driver.cuLaunchKernel(function, g[0], g[1], g[2], b[0], b[1], b[2], options.shared, nullptr, parameters,
                                 nullptr);
  if (!driver.cuLaunchKernelEx)
    complain("the CUDA driver is too old for clusters");
  CuLaunchAttribute attribute = {};
  attribute.id = 4; // CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION
  attribute.value.cluster = {c[0], c[1], c[2]};
  const CuLaunchConfig config = {g[0], g[1], g[2], b[0], b[1], b[2], options.shared, nullptr, &attribute, 1};
  return driver.cuLaunchKernelEx(&config, function, parameters, nullptr);
}

void printHex(const Bytes &bytes) {
  for (size_t i = 0; i < bytes.size(); i += 4) {
    unsigned word = 0;
    std::memcpy(&word, &bytes[i], std::min<size_t>(4, bytes.size() - i));
    std::printf("%s%08x", i % 32 ? " " : i ? "\n" : "", word);
  }
  std::printf("\n");
}

void printElements(const Bytes &bytes, const std::string &type) {
  const unsigned size = sizeOfType(type);
  for (size_t i = 0; i + size <= bytes.size(); i += size)
    std::printf("%s%s", i / size % 8 ? " " : i ? "\n" : "", showElement(type, &bytes[i]).c_str());
  std::printf("\n");
}

bool writeOutput(const Bytes &bytes, const std::string &how, unsigned number) {
  if (how == "hex")
    printHex(bytes);
  else if (sizeOfType(how))
    printElements(bytes, how);
  else if (how.rfind("file:", 0) == 0) {
    std::ofstream file(how.substr(5), std::ios::binary);
    file.write(reinterpret_cast<const char *>(bytes.data()), bytes.size());
    if (!file.flush()) {
      std::cerr << "ptxray-run: cannot write `" << how.substr(5) << "`\n";
      return false;
    }
  } else
    complain("`--out " + std::to_string(number) + "=` takes hex, a type or file:PATH, not `" + how + "`");
  return true;
}

/// Says where a result first differs.
bool isAsExpected(const Bytes &found, const std::string &spec, unsigned number, const Options &options) {
  Bytes expected;
  std::string reason;
  if (!readBuffer(spec, expected, reason))
    complain(reason);
  const std::string type = options.type.empty() ? "b8" : options.type;
  const unsigned size = sizeOfType(type);
  if (expected.size() > found.size()) {
    std::cerr << "ptxray-run: argument " << number << " has " << found.size() << " bytes, " << expected.size()
              << " expected\n";
    return false;
  }
  size_t different = 0, first = 0;
  for (size_t i = 0; i + size <= expected.size(); i += size) {
    if (std::memcmp(&found[i], &expected[i], size) == 0)
      continue;
    const double f = numberOf(type, &found[i]), e = numberOf(type, &expected[i]);
    if (options.tolerance > 0 && std::fabs(f - e) <= options.tolerance * std::max(1.0, std::fabs(e)))
      continue;
    if (different++ == 0)
      first = i;
  }
  if (different)
    std::cerr << "ptxray-run: argument " << number << " is not as expected: " << different << " of "
              << expected.size() / size << " elements differ, first number " << first / size << ": "
              << showElement(type, &found[first]) << ", expected " << showElement(type, &expected[first]) << '\n';
  return different == 0;
}

int run(const Options &options) {
  Driver driver;
  std::string reason;
  if (!driver.open(options.device, reason)) {
    std::cerr << "ptxray-run: " << reason << '\n';
    return NoGpu;
  }
  if (options.probe) {
    std::cout << "sm_" << driver.computeMajor << driver.computeMinor << ' ' << driver.version << ' '
              << driver.deviceName << '\n';
    return Good;
  }
  CuHandle module = load(driver, options), function = nullptr;
  if (!module)
    return KernelFailed;
  std::string broken;
  auto fails = [&](CuResult result, const std::string &what) {
    if (result == 0)
      return false;
    std::cerr << "ptxray-run: " << what << " `" << options.kernel << "`: " << driver.inWords(result) << broken << '\n';
    return true;
  };
  if (fails(driver.cuModuleGetFunction(&function, module, options.kernel.c_str()), "kernel"))
    return KernelFailed;
  broken = brokenLimits(driver, function, options);
  constexpr unsigned usualShared = 48 * 1024;
  if (options.shared > usualShared)
    driver.cuFuncSetAttribute(function, CuFunctionMostDynamicShared, options.shared);
  if (uint64_t(options.cluster[0]) * options.cluster[1] * options.cluster[2] > 8)
    driver.cuFuncSetAttribute(function, CuFunctionAnyClusterSize, 1);

  std::vector<Argument> arguments = options.arguments;
  struct Memory {
    const Driver &driver;
    const std::vector<Argument> &arguments;
    ~Memory() {
      for (const Argument &argument : arguments)
        if (argument.pointer)
          driver.cuMemFree_v2(argument.pointer);
    }
  } memory{driver, arguments};
  std::vector<void *> parameters;
  for (Argument &argument : arguments) {
    if (argument.isBuffer) {
      if (fails(driver.cuMemAlloc_v2(&argument.pointer, std::max<size_t>(1, argument.bytes.size())), "memory for"))
        return KernelFailed;
      if (!argument.bytes.empty() &&
          fails(driver.cuMemcpyHtoD_v2(argument.pointer, argument.bytes.data(), argument.bytes.size()), "memory for"))
        return KernelFailed;
    }
    parameters.push_back(argument.isBuffer ? static_cast<void *>(&argument.pointer) : argument.bytes.data());
  }
  if (fails(launch(driver, function, options, parameters.data()), "launch of") ||
      fails(driver.cuCtxSynchronize(), "kernel"))
    return KernelFailed;

  bool good = true;
  for (const auto *list : {&options.outputs, &options.expectations})
    for (const auto &[number, how] : *list) {
      Argument &argument = arguments[number];
      if (!argument.bytes.empty() &&
          fails(driver.cuMemcpyDtoH_v2(argument.bytes.data(), argument.pointer, argument.bytes.size()), "results of"))
        return KernelFailed;
      if (list == &options.expectations)
        good &= isAsExpected(argument.bytes, how, number, options);
      else if (!writeOutput(argument.bytes, how, number))
        return BadUsage;
    }

  if (options.repeat) {
    std::vector<float> times(options.repeat);
    CuHandle before, behind;
    driver.cuEventCreate(&before, 0);
    driver.cuEventCreate(&behind, 0);
    for (float &time : times) {
      driver.cuEventRecord(before, nullptr);
      if (fails(launch(driver, function, options, parameters.data()), "launch of"))
        return KernelFailed;
      driver.cuEventRecord(behind, nullptr);
      if (fails(driver.cuEventSynchronize(behind), "kernel"))
        return KernelFailed;
      driver.cuEventElapsedTime(&time, before, behind);
    }
    std::sort(times.begin(), times.end());
    std::printf("%s: %u launches, %.3f us shortest, %.3f us median, %.3f us longest\n", options.kernel.c_str(),
                options.repeat, times.front() * 1e3, times[times.size() / 2] * 1e3, times.back() * 1e3);
  }
  std::fflush(stdout);
  if (std::ferror(stdout)) {
    std::cerr << "ptxray-run: cannot write the output\n";
    return BadUsage;
  }
  return good ? Good : KernelFailed;
}

} // namespace

int main(int argc, char **argv) {
  try {
    return run(readOptions(argc, argv));
  } catch (Usage) {
    return BadUsage;
  }
}
