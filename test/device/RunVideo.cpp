// Runs the kernels of the video instructions. A kernel holds 32 texts, and runs each on all inputs.
#include "Runner.h"
#include "reference/Video.h"
#include <algorithm>
#include <atomic>
#include <optional>
#include <random>
#include <thread>

namespace ptxray::device {

constexpr unsigned randomInputs = 65536;
constexpr unsigned blockSize = 256;

/// Makes random values, then every triple of the values at which a result may change.
static void makeInputs(std::vector<uint32_t> &a, std::vector<uint32_t> &b, std::vector<uint32_t> &c) {
  static constexpr uint32_t edges[] = {
      0,          1,          2,          0x1f,       0x20,       0x21,       0x7f,       0x80,       0xff,
      0x100,      0x7fff,     0x8000,     0xffff,     0x10000,    0x7fffffff, 0x80000000, 0x80000001, 0xffff8000,
      0xffffff80, 0xfffffffe, 0xffffffff, 0x7f7f7f7f, 0x80808080, 0x7fff7fff, 0x80008000};
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

/// Runs the kernels of a module. Each kernel writes one word per input for each of its texts.
void Runner::runVideo(CuHandle module, const std::vector<const Kernel *> &kernels) {
  if (inputA.empty())
    makeInputs(inputA, inputB, inputC);
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
    check(driver.cuModuleGetFunction(&function, module, kernel->name.c_str()), "cuModuleGetFunction");
    CuPointer out = outputs + at * count * 4ull;
    uint32_t n = count;
    void *parameters[] = {&inputs, &out, &n};
    check(driver.cuLaunchKernel(function, count / blockSize, 1, 1, blockSize, 1, 1, 0, nullptr, parameters, nullptr),
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
          expected = evaluate(*video, inputA[i], inputB[i], inputC[i], static_cast<Reading>(reading));
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

} // namespace ptxray::device
