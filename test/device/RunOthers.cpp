// Runs the kernels of all instructions except video instructions. Each text has its own kernel.
#include "Runner.h"
#include "reference/Matrix.h"
#include <algorithm>
#include <cstdio>
#include <random>

namespace ptxray::device {

/// Runs ldmatrix, stmatrix, and movmatrix: 512 warps with four matrices each, whose rows lie in any order.
void Runner::runMatrix(CuHandle module, const Kernel &kernel) {
  constexpr unsigned warps = 512, words = warps * 128;
  const std::string &text = kernel.texts[0], name = nameOf(text);
  Tally &tally = tallies[name];
  const bool transposes = text.find(".trans") != std::string::npos;
  const bool widens = text.find(".s8.s4") != std::string::npos;
  const unsigned count = text.find(".x4") != std::string::npos ? 4 : text.find(".x2") != std::string::npos ? 2 : 1;
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
      } else if (widens) { // rows of 8 bytes
        NarrowRows narrow;
        for (unsigned row = 0; row < 8; ++row) {
          const uint32_t *words = source + rows[8 * j + row] * 2;
          narrow[row] = words[0] | static_cast<uint64_t>(words[1]) << 32;
        }
        const Fragment fragment = widenedFragmentOf(narrow);
        std::copy(fragment.begin(), fragment.end(), result + j * 32);
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

/// Runs stacksave, alloca, and stackrestore. It compares the pointers before, during, and after an allocation, and the
/// words written and read back.
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
      const uint64_t *v = &found[t * 6]; // the saved pointer, the allocation, the saved pointer after it and after
                                         // restoring, and two words read
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
    // %globaltimer advances in steps, and reading it twice and waking up take time too.
    constexpr uint64_t slack = 4000;
    const uint64_t limit = 2 * std::min<uint64_t>(time, 1000000) + slack;
    good &= most <= limit;
    tally.notes.push_back("`" + text + "` with " + std::to_string(time) + " ns: slept " + std::to_string(least) +
                          " to " + std::to_string(most) + " ns" + (most <= limit ? "" : ", more than it may"));
  }
  judge(tally, good, text, "slept too long");
  driver.cuMemFree_v2(out);
}

/// Runs a kernel that must reach its end and leave a mark in every thread.
void Runner::runMark(CuHandle module, const Kernel &kernel) {
  Tally &tally = tallies[nameOf(kernel.texts[0])];
  const CuPointer out = allocate(32 * 4);
  std::vector<uint32_t> marks(32);
  if (!launch(module, kernel, 1, 32, {out}, tally))
    return;
  driver.cuMemcpyDtoH_v2(marks.data(), out, marks.size() * 4);
  tally.values += marks.size();
  judge(tally, std::all_of(marks.begin(), marks.end(), [](uint32_t m) { return m == 0x600d600d; }), kernel.texts[0],
        "did not come to its end");
  driver.cuMemFree_v2(out);
}

/// Runs setmaxnreg. The warpgroup that changes its number of registers then computes with that many.
void Runner::runRegisters(CuHandle module, const Kernel &kernel) {
  Tally &tally = tallies[nameOf(kernel.texts[0])];
  // The first line of the text is, for example, `setmaxnreg.inc.sync.aligned.u32 168; // threads 384, helpers 256, live
  // 128`.
  unsigned threads = 0, helpers = 0, live = 0;
  const size_t comment = kernel.texts[0].find("//");
  if (comment == std::string::npos || std::sscanf(kernel.texts[0].c_str() + comment,
                                                  "// threads %u, helpers %u, live %u", &threads, &helpers, &live) != 3)
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

} // namespace ptxray::device
