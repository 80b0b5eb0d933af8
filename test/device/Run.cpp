// Runs the kernels that build.py made on the GPU at hand, and compares what they compute with the
// references, bit for bit. It reads <folder>/kernels.txt and writes report.json and report.md.
#include "Driver.h"
#include "reference/Matrix.h"
#include "reference/Video.h"
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <functional>
#include <iostream>
#include <map>
#include <random>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

using namespace ptxray;
using namespace ptxray::device;

namespace {

struct Kernel {
  std::string kind, name;
  std::vector<std::string> texts; // the instructions it runs, one result each
};
struct Module {
  std::string file;
  std::vector<Kernel> kernels;
};
/// kernels.txt
struct Plan {
  std::vector<std::pair<std::string, std::string>> facts;         // `ptxas 13.5.37`
  std::map<std::string, std::pair<double, unsigned long>> counts; // by instruction: all, texts
  std::vector<Module> modules;
};

struct Mismatch {
  std::string text;
  uint32_t a, b, c, found, expected;
};
/// What came out for one instruction.
struct Tally {
  unsigned long combinations = 0, values = 0;
  unsigned long equal = 0, sequence = 0, different = 0;
  std::vector<Mismatch> examples;
  std::vector<std::string> notes;
};

class Runner {
public:
  Runner(Driver &driver, std::string folder) : driver(driver), folder(std::move(folder)) {}
  bool run(const Plan &plan);
  std::map<std::string, Tally> tallies;

private:
  void check(CuResult result, const char *what);
  CuPointer allocate(size_t bytes);
  void runVideo(CuHandle module, const std::vector<const Kernel *> &kernels);
  void runMatrix(CuHandle module, const Kernel &kernel);
  void runStack(CuHandle module, const Kernel &kernel);
  void runSleep(CuHandle module, const Kernel &kernel);
  void runMark(CuHandle module, const Kernel &kernel);
  void runRegisters(CuHandle module, const Kernel &kernel);
  /// Launches a kernel on the buffers and waits.
  bool launch(CuHandle module, const Kernel &kernel, unsigned grid, unsigned block,
              std::vector<uint64_t> arguments, Tally &tally);
  void judge(Tally &tally, bool good, const std::string &text, const std::string &why);

  Driver &driver;
  std::string folder;
  std::vector<uint32_t> inputA, inputB, inputC;
  CuPointer inputs = 0, outputs = 0;
  size_t outputBytes = 0;
  uint32_t *host = nullptr;
};

constexpr unsigned randomInputs = 65536;
constexpr unsigned blockSize = 256;
constexpr unsigned examplesKept = 4;

std::string nameOf(const std::string &guarded) {
  const std::string text = guarded[0] == '@' ? guarded.substr(guarded.find(' ') + 1) : guarded;
  const std::string first = text.substr(0, text.find(' '));
  for (const char *two : {"pmevent.mask", "setmaxnreg.inc", "setmaxnreg.dec"})
    if (first.rfind(two, 0) == 0)
      return two;
  return first.substr(0, first.find_first_of(".;"));
}

} // namespace

void Runner::check(CuResult result, const char *what) {
  if (result == 0)
    return;
  std::cerr << what << ": " << driver.inWords(result) << std::endl;
  std::exit(1);
}

CuPointer Runner::allocate(size_t bytes) {
  CuPointer pointer = 0;
  check(driver.cuMemAlloc_v2(&pointer, bytes), "cuMemAlloc");
  check(driver.cuMemsetD8_v2(pointer, 0, bytes), "cuMemsetD8");
  return pointer;
}

/// Random values, then every triple of the values at which something may change.
static void makeInputs(std::vector<uint32_t> &a, std::vector<uint32_t> &b,
                       std::vector<uint32_t> &c) {
  static constexpr uint32_t edges[] = {0,          1,          2,          0x1f,       0x20,
                                       0x21,       0x7f,       0x80,       0xff,       0x100,
                                       0x7fff,     0x8000,     0xffff,     0x10000,    0x7fffffff,
                                       0x80000000, 0x80000001, 0xffff8000, 0xffffff80, 0xfffffffe,
                                       0xffffffff, 0x7f7f7f7f, 0x80808080, 0x7fff7fff, 0x80008000};
  std::mt19937 random(20250101);
  for (unsigned i = 0; i < randomInputs; ++i) {
    a.push_back(random());
    b.push_back(random());
    c.push_back(random());
  }
  for (uint32_t x : edges)
    for (uint32_t y : edges)
      for (uint32_t z : edges) {
        a.push_back(x);
        b.push_back(y);
        c.push_back(z);
      }
  while (a.size() % blockSize) {
    a.push_back(random());
    b.push_back(random());
    c.push_back(random());
  }
}

/// A module's worth of kernels: each writes one word an input for each of its texts.
void Runner::runVideo(CuHandle module, const std::vector<const Kernel *> &kernels) {
  const uint32_t count = inputA.size();
  if (!inputs) {
    inputs = allocate(3ull * count * 4);
    check(driver.cuMemcpyHtoD_v2(inputs, inputA.data(), count * 4ull), "copy");
    check(driver.cuMemcpyHtoD_v2(inputs + count * 4ull, inputB.data(), count * 4ull), "copy");
    check(driver.cuMemcpyHtoD_v2(inputs + count * 8ull, inputC.data(), count * 4ull), "copy");
  }
  std::vector<const std::string *> texts;
  for (const Kernel *kernel : kernels)
    for (const std::string &text : kernel->texts)
      texts.push_back(&text);
  const size_t needed = texts.size() * count * 4ull;
  if (needed > outputBytes) {
    if (outputs)
      driver.cuMemFree_v2(outputs);
    outputs = allocate(needed);
    outputBytes = needed;
    void *pinned = nullptr;
    check(driver.cuMemHostAlloc(&pinned, needed, 0), "cuMemHostAlloc");
    host = static_cast<uint32_t *>(pinned);
  }
  size_t at = 0;
  for (const Kernel *kernel : kernels) {
    CuHandle function;
    check(driver.cuModuleGetFunction(&function, module, kernel->name.c_str()),
          "cuModuleGetFunction");
    CuPointer out = outputs + at * count * 4ull;
    uint32_t n = count;
    void *parameters[] = {&inputs, &out, &n};
    check(driver.cuLaunchKernel(function, count / blockSize, 1, 1, blockSize, 1, 1, 0, nullptr,
                                parameters, nullptr),
          "cuLaunchKernel");
    at += kernel->texts.size();
  }
  check(driver.cuCtxSynchronize(), "video kernels");
  check(driver.cuMemcpyDtoH_v2(host, outputs, needed), "copy");

  struct Outcome {
    bool equal[readings] = {};
    Mismatch first{};
  };
  std::vector<Outcome> outcomes(texts.size());
  std::atomic<size_t> next = 0;
  auto work = [&] {
    for (size_t t; (t = next++) < texts.size();) {
      const std::optional<Video> video = parseVideo(*texts[t]);
      Outcome &outcome = outcomes[t];
      for (int reading = 0; reading < readings && video; ++reading) {
        const uint32_t *found = host + t * count;
        uint32_t i = 0, expected = 0;
        for (; i < count; ++i) {
          expected =
              evaluate(*video, inputA[i], inputB[i], inputC[i], static_cast<Reading>(reading));
          if (expected != found[i])
            break;
        }
        if (i < count && reading == 0)
          outcome.first = {*texts[t], inputA[i], inputB[i], inputC[i], found[i], expected};
        outcome.equal[reading] = i == count;
        if (i == count)
          break;
      }
    }
  };
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < std::max(1u, std::thread::hardware_concurrency()); ++i)
    threads.emplace_back(work);
  for (std::thread &thread : threads)
    thread.join();
  for (const Outcome &outcome : outcomes) {
    const size_t t = &outcome - outcomes.data();
    Tally &tally = tallies[nameOf(*texts[t])];
    ++tally.combinations;
    tally.values += count;
    if (outcome.equal[0])
      ++tally.equal;
    else {
      ++(outcome.equal[1] ? tally.sequence : tally.different);
      if (!outcome.equal[1] || tally.examples.size() < examplesKept)
        tally.examples.push_back(outcome.first);
    }
  }
}

void Runner::judge(Tally &tally, bool good, const std::string &text, const std::string &why) {
  ++tally.combinations;
  ++(good ? tally.equal : tally.different);
  if (!good)
    tally.notes.push_back(text + ": " + why);
}

bool Runner::launch(CuHandle module, const Kernel &kernel, unsigned grid, unsigned block,
                    std::vector<uint64_t> arguments, Tally &tally) {
  CuHandle function;
  std::vector<void *> parameters;
  for (uint64_t &argument : arguments)
    parameters.push_back(&argument);
  CuResult result = driver.cuModuleGetFunction(&function, module, kernel.name.c_str());
  if (result == 0)
    result = driver.cuLaunchKernel(function, grid, 1, 1, block, 1, 1, 0, nullptr, parameters.data(),
                                   nullptr);
  if (result == 0)
    result = driver.cuCtxSynchronize();
  if (result != 0)
    judge(tally, false, kernel.texts.empty() ? kernel.name : kernel.texts[0],
          driver.inWords(result));
  return result == 0;
}

/// ldmatrix, stmatrix, movmatrix: 512 warps, four matrices each, their rows in any order.
void Runner::runMatrix(CuHandle module, const Kernel &kernel) {
  constexpr unsigned warps = 512, words = warps * 128;
  const std::string &text = kernel.texts[0], name = nameOf(text);
  Tally &tally = tallies[name];
  const bool transposes = text.find(".trans") != std::string::npos;
  const unsigned count = text.find(".x4") != std::string::npos   ? 4
                         : text.find(".x2") != std::string::npos ? 2
                                                                 : 1;
  std::mt19937 random(7);
  std::vector<uint32_t> in(words), order(warps * 32), found(words), expected(words, 0);
  for (uint32_t &word : in)
    word = random();
  for (unsigned warp = 0; warp < warps; ++warp) {
    for (unsigned i = 0; i < 32; ++i)
      order[warp * 32 + i] = i;
    std::shuffle(&order[warp * 32], &order[warp * 32] + 32, random);
  }
  const CuPointer deviceIn = allocate(words * 4), deviceOrder = allocate(warps * 32 * 4),
                  deviceOut = allocate(words * 4);
  driver.cuMemcpyHtoD_v2(deviceIn, in.data(), words * 4);
  driver.cuMemcpyHtoD_v2(deviceOrder, order.data(), warps * 32 * 4);
  if (!launch(module, kernel, warps, 32, {deviceIn, deviceOrder, deviceOut}, tally))
    return;
  driver.cuMemcpyDtoH_v2(found.data(), deviceOut, words * 4);

  for (unsigned warp = 0; warp < warps; ++warp) {
    const uint32_t *source = &in[warp * 128], *rows = &order[warp * 32];
    uint32_t *result = &expected[warp * 128];
    auto putFragment = [&](unsigned j, const Matrix &matrix) {
      const Fragment fragment = fragmentOf(matrix);
      std::copy(fragment.begin(), fragment.end(), result + j * 32);
    };
    auto getFragment = [&](unsigned j) {
      Fragment fragment;
      std::copy(source + j * 32, source + j * 32 + 32, fragment.begin());
      return matrixOf(fragment);
    };
    if (name == "stmatrix")
      std::fill(result, result + 128, 0xabababab);
    for (unsigned j = 0; j < (name == "movmatrix" ? 4 : count); ++j) {
      if (name == "movmatrix") {
        putFragment(j, transposed(getFragment(j)));
      } else if (name == "ldmatrix") {
        Matrix matrix;
        for (unsigned row = 0; row < 8; ++row)
          for (unsigned column = 0; column < 8; ++column)
            matrix[row][column] = source[rows[8 * j + row] * 4 + column / 2] >> (column % 2 * 16);
        putFragment(j, transposes ? transposed(matrix) : matrix);
      } else {
        const Matrix matrix = transposes ? transposed(getFragment(j)) : getFragment(j);
        for (unsigned row = 0; row < 8; ++row)
          for (unsigned pair = 0; pair < 4; ++pair)
            result[rows[8 * j + row] * 4 + pair] =
                matrix[row][2 * pair] | static_cast<uint32_t>(matrix[row][2 * pair + 1]) << 16;
      }
    }
  }
  tally.values += words;
  const auto [f, e] = std::mismatch(found.begin(), found.end(), expected.begin());
  judge(tally, f == found.end(), text,
        f == found.end() ? "" : "word " + std::to_string(f - found.begin()) + " differs");
  for (CuPointer pointer : {deviceIn, deviceOrder, deviceOut})
    driver.cuMemFree_v2(pointer);
}

/// stacksave, alloca, stackrestore: pointers before, of, after; what was written and read back.
void Runner::runStack(CuHandle module, const Kernel &kernel) {
  constexpr unsigned threads = 256;
  const std::string &text = kernel.texts[0];
  uint64_t align = 8;
  if (const size_t second = text.find(',', text.find(',') + 1); second != std::string::npos)
    align = std::max(8ull, std::stoull(text.substr(second + 1)));
  const CuPointer out = allocate(threads * 6 * 8);
  std::vector<uint64_t> found(threads * 6);
  for (uint64_t size : {8, 16, 24, 64, 1000, 4096}) {
    for (const char *name : {"alloca", "stacksave", "stackrestore"})
      tallies[name].values += threads;
    if (!launch(module, kernel, 1, threads, {size, out}, tallies["alloca"]))
      return;
    driver.cuMemcpyDtoH_v2(found.data(), out, found.size() * 8);
    std::string why[3];
    for (unsigned t = 0; t < threads; ++t) {
      const uint64_t *v = &found[t * 6]; // saved, ptr, saved behind it, restored, two words read
      if (v[1] % align)
        why[0] = "not aligned";
      if (v[0] < v[1] + size)
        why[0] = "less than asked for";
      if (v[4] != (0x11110000 | t) || v[5] != (0x22220000 | t))
        why[0] = "what was written is not there";
      if (v[2] != v[1])
        why[1] = "the stack pointer is not where alloca put it";
      if (v[3] != v[0])
        why[2] = "the stack pointer is not what was restored";
    }
    const std::string type = text.substr(6, 4);
    const std::string what = " with " + std::to_string(size) + " bytes";
    if (size != 4096 && why[0] == "" && why[1] == "" && why[2] == "")
      continue;
    judge(tallies["alloca"], why[0].empty(), text + what, why[0]);
    judge(tallies["stacksave"], why[1].empty(), text + what, why[1]);
    judge(tallies["stackrestore"], why[2].empty(), text + what, why[2]);
    break;
  }
  driver.cuMemFree_v2(out);
}

void Runner::runSleep(CuHandle module, const Kernel &kernel) {
  Tally &tally = tallies["nanosleep"];
  const std::string &text = kernel.texts[0];
  const bool isRegister = text.find('%') != std::string::npos;
  const CuPointer out = allocate(32 * 8);
  std::vector<uint64_t> times = {0, 1, 100, 1000, 10000, 100000, 1000000, 3000000};
  if (!isRegister)
    times = {std::stoull(text.substr(text.find(' ')))};
  bool good = true;
  for (uint64_t time : times) {
    uint64_t least = ~0ull, most = 0;
    for (int repeat = 0; repeat < 32; ++repeat) {
      std::vector<uint64_t> slept(32);
      if (!launch(module, kernel, 1, 32, {time, out}, tally))
        return;
      driver.cuMemcpyDtoH_v2(slept.data(), out, slept.size() * 8);
      tally.values += slept.size();
      for (uint64_t ns : slept) {
        least = std::min(least, ns);
        most = std::max(most, ns);
      }
    }
    // %globaltimer advances in steps; reading it twice and waking take their time too.
    constexpr uint64_t slack = 4000;
    const uint64_t limit = 2 * std::min<uint64_t>(time, 1000000) + slack;
    good &= most <= limit;
    tally.notes.push_back("`" + text + "` with " + std::to_string(time) + " ns: slept " +
                          std::to_string(least) + " to " + std::to_string(most) + " ns" +
                          (most <= limit ? "" : ", more than it may"));
  }
  judge(tally, good, text, "slept too long");
  driver.cuMemFree_v2(out);
}

/// A kernel that must come to its end and leave a mark in every thread.
void Runner::runMark(CuHandle module, const Kernel &kernel) {
  Tally &tally = tallies[nameOf(kernel.texts[0])];
  const CuPointer out = allocate(32 * 4);
  std::vector<uint32_t> marks(32);
  if (!launch(module, kernel, 1, 32, {out}, tally))
    return;
  driver.cuMemcpyDtoH_v2(marks.data(), out, marks.size() * 4);
  tally.values += marks.size();
  judge(tally, std::all_of(marks.begin(), marks.end(), [](uint32_t m) { return m == 0x600d600d; }),
        kernel.texts[0], "did not come to its end");
  driver.cuMemFree_v2(out);
}

/// setmaxnreg: the warpgroup that changes its registers computes with as many as it then has.
void Runner::runRegisters(CuHandle module, const Kernel &kernel) {
  Tally &tally = tallies[nameOf(kernel.texts[0])];
  // `setmaxnreg.inc.sync.aligned.u32 168; // threads 384, helpers 256, live 128`
  unsigned threads = 0, helpers = 0, live = 0;
  const size_t comment = kernel.texts[0].find("//");
  if (comment == std::string::npos ||
      std::sscanf(kernel.texts[0].c_str() + comment, "// threads %u, helpers %u, live %u", &threads,
                  &helpers, &live) != 3)
    return;
  const unsigned blocks = 264, words = threads + live;
  std::mt19937 random(9);
  std::vector<uint32_t> in(words), found(blocks * threads);
  for (uint32_t &word : in)
    word = random();
  const CuPointer deviceIn = allocate(words * 4), deviceOut = allocate(found.size() * 4);
  driver.cuMemcpyHtoD_v2(deviceIn, in.data(), words * 4);
  if (!launch(module, kernel, blocks, threads, {deviceIn, deviceOut}, tally))
    return;
  driver.cuMemcpyDtoH_v2(found.data(), deviceOut, found.size() * 4);
  bool good = true;
  for (size_t i = 0; i < found.size(); ++i) {
    const unsigned t = i % threads;
    uint32_t expected = t;
    if (t >= helpers) {
      expected = 7;
      for (unsigned k = 0; k < live; ++k)
        expected = expected * 31 + in[t + k];
      for (unsigned k = live; k-- > 0;)
        expected = expected * 33 + in[t + k];
    }
    good &= found[i] == expected;
  }
  tally.values += found.size();
  judge(tally, good, kernel.texts[0].substr(0, comment), "computed something else");
  for (CuPointer pointer : {deviceIn, deviceOut})
    driver.cuMemFree_v2(pointer);
}

static std::string readFile(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

bool Runner::run(const Plan &plan) {
  makeInputs(inputA, inputB, inputC);
  check(driver.cuCtxSetLimit(0, 72 * 1024), "stack size"); // for the widest alignments of alloca
  for (const Module &module : plan.modules) {
    const std::string image = readFile(folder + "/" + module.file);
    CuHandle loaded;
    check(driver.cuModuleLoadDataEx(&loaded, image.data(), 0, nullptr, nullptr),
          module.file.c_str());
    std::vector<const Kernel *> video;
    for (const Kernel &kernel : module.kernels)
      if (kernel.kind == "video")
        video.push_back(&kernel);
      else if (kernel.kind == "matrix")
        runMatrix(loaded, kernel);
      else if (kernel.kind == "stack")
        runStack(loaded, kernel);
      else if (kernel.kind == "sleep")
        runSleep(loaded, kernel);
      else if (kernel.kind == "mark")
        runMark(loaded, kernel);
      else if (kernel.kind == "registers")
        runRegisters(loaded, kernel);
    if (!video.empty())
      runVideo(loaded, video);
    driver.cuModuleUnload(loaded);
  }
  return true;
}

static Plan readPlan(const std::string &path) {
  Plan plan;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string word;
    words >> word;
    if (line[0] == '\t') {
      plan.modules.back().kernels.back().texts.push_back(line.substr(1));
    } else if (word == "fact") {
      std::string name, value;
      words >> name;
      std::getline(words >> std::ws, value);
      plan.facts.push_back({name, value});
    } else if (word == "count") {
      std::string name;
      double all;
      unsigned long texts;
      words >> name >> all >> texts;
      plan.counts[name] = {all, texts};
    } else if (word == "module") {
      words >> plan.modules.emplace_back().file;
    } else {
      Kernel &kernel = plan.modules.back().kernels.emplace_back();
      kernel.kind = word;
      words >> kernel.name;
    }
  }
  return plan;
}

/// In a process of its own, since nothing works in one whose kernel faulted: what the driver says.
static int runFault(Driver &driver, const Plan &plan, const std::string &folder,
                    const std::string &name) {
  for (const Module &module : plan.modules)
    for (const Kernel &kernel : module.kernels) {
      if (kernel.name != name)
        continue;
      const std::string image = readFile(folder + "/" + module.file);
      CuHandle loaded, function;
      CuPointer out = 0;
      CuResult result = driver.cuModuleLoadDataEx(&loaded, image.data(), 0, nullptr, nullptr);
      if (result == 0)
        result = driver.cuModuleGetFunction(&function, loaded, kernel.name.c_str());
      if (result == 0)
        result = driver.cuMemAlloc_v2(&out, 128);
      void *parameters[] = {&out};
      if (result == 0)
        result =
            driver.cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, nullptr, parameters, nullptr);
      if (result == 0)
        result = driver.cuCtxSynchronize();
      std::cout << result << ' ' << driver.inWords(result) << std::endl;
      return 0;
    }
  return 1;
}

static void runFaults(const Plan &plan, const std::string &self, const std::string &folder,
                      std::map<std::string, Tally> &tallies) {
  for (const Module &module : plan.modules)
    for (const Kernel &kernel : module.kernels) {
      if (kernel.kind != "fault")
        continue;
      Tally &tally = tallies[nameOf(kernel.texts[0])];
      const std::string command =
          "timeout 60 '" + self + "' --fault " + kernel.name + " '" + folder + "'";
      std::string line;
      if (FILE *pipe = popen(command.c_str(), "r")) {
        char buffer[512];
        while (std::fgets(buffer, sizeof buffer, pipe))
          line += buffer;
        pclose(pipe);
      }
      const int result = line.empty() ? -1 : std::atoi(line.c_str());
      while (!line.empty() && line.back() == '\n')
        line.pop_back();
      ++tally.combinations;
      ++(result > 0 ? tally.equal : tally.different);
      tally.notes.push_back("`" + kernel.texts[0] + "`: the driver says " +
                            (line.empty() ? "nothing within 60 s" : line));
    }
}

static std::string jsonText(const std::string &text) {
  std::string out = "\"";
  for (char c : text)
    if (c == '"' || c == '\\')
      out += std::string("\\") + c;
    else
      out += c == '\n' ? ' ' : c;
  return out + "\"";
}

static std::string hex(uint32_t value) {
  char text[16];
  std::snprintf(text, sizeof text, "0x%08x", value);
  return text;
}

static void writeReports(const Driver &driver, const Plan &plan,
                         std::map<std::string, Tally> &tallies, double seconds,
                         const std::string &out) {
  char date[32];
  const time_t now = std::time(nullptr);
  std::strftime(date, sizeof date, "%Y-%m-%d", std::gmtime(&now));
  std::vector<std::pair<std::string, std::string>> facts = {
      {"date", date},
      {"device", driver.deviceName + ", sm_" +
                     std::to_string(driver.computeMajor * 10 + driver.computeMinor)},
      {"driver", "CUDA " + std::to_string(driver.version / 1000) + "." +
                     std::to_string(driver.version % 1000 / 10)}};
  std::ifstream kernelDriver("/proc/driver/nvidia/version");
  if (std::string line; std::getline(kernelDriver, line))
    facts.push_back({"kernel module", line});
  facts.insert(facts.end(), plan.facts.begin(), plan.facts.end());

  std::ofstream json(out + "/report.json"), md(out + "/report.md"), list(out + "/different.txt");
  json << "{";
  for (const auto &[name, value] : facts) {
    json << jsonText(name) << ": " << jsonText(value) << ",\n";
    md << "- " << name << ": " << value << "\n";
  }
  json << "\"seconds\": " << seconds << ",\n\"instructions\": {";
  md << "\n| instruction | combinations in the tables | run | values compared | equal | equal in "
        "another reading | "
        "different |\n|---|---|---|---|---|---|---|\n";
  const char *divider = "\n";
  Tally sum;
  double all = 0;
  for (auto &[name, tally] : tallies) {
    const auto count = plan.counts.find(name);
    const double inTables = count == plan.counts.end() ? tally.combinations : count->second.first;
    all += inTables;
    sum.combinations += tally.combinations;
    sum.values += tally.values;
    sum.equal += tally.equal;
    sum.sequence += tally.sequence;
    sum.different += tally.different;
    auto row = [&](std::ostream &to, const std::string &title, double tables, const Tally &t) {
      char number[64];
      std::snprintf(number, sizeof number, "%.0f", tables);
      to << "| " << title << " | " << number << " | " << t.combinations << " | " << t.values
         << " | " << t.equal << " | " << t.sequence << " | " << t.different << " |\n";
    };
    row(md, "`" + name + "`", inTables, tally);
    row(std::cout, name, inTables, tally);
    json << divider << jsonText(name) << ": {\"inTables\": " << static_cast<long long>(inTables)
         << ", \"run\": " << tally.combinations << ", \"values\": " << tally.values
         << ", \"equal\": " << tally.equal << ", \"sequence\": " << tally.sequence
         << ", \"different\": " << tally.different << ", \"examples\": [";
    for (const Mismatch &m : tally.examples)
      list << m.text << '\t' << hex(m.a) << '\t' << hex(m.b) << '\t' << hex(m.c) << '\t'
           << hex(m.found) << '\t' << hex(m.expected) << '\n';
    for (size_t i = 0; i < std::min<size_t>(tally.examples.size(), examplesKept); ++i) {
      const Mismatch &m = tally.examples[i];
      json << (i ? ",\n" : "\n") << "{\"text\": " << jsonText(m.text) << ", \"a\": \"" << hex(m.a)
           << "\", \"b\": \"" << hex(m.b) << "\", \"c\": \"" << hex(m.c) << "\", \"found\": \""
           << hex(m.found) << "\", \"expected\": \"" << hex(m.expected) << "\"}";
    }
    json << "], \"notes\": [";
    for (size_t i = 0; i < tally.notes.size(); ++i)
      json << (i ? ", " : "") << jsonText(tally.notes[i]);
    json << "]}";
    divider = ",\n";
  }
  json << "},\n\"run\": " << sum.combinations << ", \"equal\": " << sum.equal
       << ", \"sequence\": " << sum.sequence << ", \"different\": " << sum.different << "}\n";
  md << "| all | " << static_cast<long long>(all) << " | " << sum.combinations << " | "
     << sum.values << " | " << sum.equal << " | " << sum.sequence << " | " << sum.different
     << " |\n";
  for (const auto &[name, tally] : tallies)
    for (size_t i = 0; i < std::min<size_t>(tally.examples.size(), examplesKept); ++i) {
      const Mismatch &m = tally.examples[i];
      md << "\n- `" << m.text << "` with a = " << hex(m.a) << ", b = " << hex(m.b)
         << ", c = " << hex(m.c) << ": " << hex(m.found) << ", by the manual " << hex(m.expected);
    }
  md << "\n";
  for (const auto &[name, tally] : tallies)
    for (const std::string &note : tally.notes)
      md << "\n- " << note;
  md << "\n";
  std::cout << "all: " << sum.combinations << " combinations run, " << sum.equal << " equal, "
            << sum.sequence << " equal to the sequence of ptxas, " << sum.different
            << " different; " << seconds << " s\n";
}

int main(int argc, char **argv) {
  const bool fault = argc > 2 && std::strcmp(argv[1], "--fault") == 0;
  if (argc < 2 || (fault && argc < 4)) {
    std::cerr << "usage: device-run FOLDER [OUTPUT FOLDER]\n";
    return 2;
  }
  const std::string folder = argv[fault ? 3 : 1];
  const std::string out = !fault && argc > 2 ? argv[2] : ".";
  Driver driver;
  std::string reason;
  if (!driver.open(0, reason)) {
    std::cerr << "device-run: " << reason << '\n';
    return 4;
  }
  const Plan plan = readPlan(folder + "/kernels.txt");
  if (fault)
    return runFault(driver, plan, folder, argv[2]);
  const auto begin = std::chrono::steady_clock::now();
  Runner runner(driver, folder);
  runner.run(plan);
  runFaults(plan, argv[0], folder, runner.tallies);
  const std::chrono::duration<double> time = std::chrono::steady_clock::now() - begin;
  writeReports(driver, plan, runner.tallies, time.count(), out);
  return 0;
}
