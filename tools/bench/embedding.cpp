// Measures the C interface in the same way as a program that checks many texts, for tools/bench/embedding.py:
//
//   embedding rates FILE...    CPU time of one round over the files, the least of several rounds, with a new checker
//                              for each text, and with one checker for all of them
//   embedding growth COUNT     memory while one checker reads COUNT texts, each with its own names, spellings, and
//                              errors
//
// Times are seconds, memory is KiB; the output is a JSON object.
#include "ptxray/ptxray.h"
#include <algorithm>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <iterator>

static double cpuNow() {
  timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return now.tv_sec + now.tv_nsec * 1e-9;
}

static void rates(const std::vector<std::string> &texts) {
  size_t bytes = 0, found = 0;
  for (const std::string &text : texts)
    bytes += text.size();
  const auto keep = [&](ptxray_result *result) {
    found += ptxray_result_count(result);
    ptxray_result_free(result);
  };
  ptxray_checker *checker = ptxray_checker_new();
  double fresh = 1e9, warm = 1e9, total = 0;
  for (int round = 0; round < 7 || total < 2; ++round) {
    const double begin = cpuNow();
    for (const std::string &text : texts)
      keep(ptxray_check(text.data(), text.size(), nullptr));
    const double between = cpuNow();
    for (const std::string &text : texts)
      keep(ptxray_checker_check(checker, text.data(), text.size(), nullptr));
    const double end = cpuNow();
    fresh = std::min(fresh, between - begin);
    warm = std::min(warm, end - between);
    total += end - begin;
  }
  ptxray_checker_free(checker);
  std::printf("{\"files\": %zu, \"bytes\": %zu, \"fresh\": %.9f, \"warm\": %.9f, \"found\": %zu}\n", texts.size(),
              bytes, fresh, warm, found);
}

static long residentPages() {
  long size = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> size >> resident;
  return resident;
}

static void growth(size_t count) {
  ptxray::Checker checker;
  long early = 0, peak = 0;
  for (size_t i = 0; i < count; ++i) {
    const std::string number = std::to_string(i);
    const std::string text = ".version 8.6\n.target sm_" + std::to_string(i % 2 ? 80 : 90) + "\n.visible .entry k" +
                             number + "()\n{\n\t.reg .b32 %r<4>;\n\tadd.s32 %r0, %r1, " + number + ";\n\tadd.x" +
                             number + " %r0, %n" + number + ", %r1;\n\tret;\n}\n";
    checker.check(text);
    const long now = residentPages();
    if (i < count / 10)
      early = std::max(early, now);
    peak = std::max(peak, now);
  }
  std::printf("{\"early\": %ld, \"peak\": %ld}\n", early * 4, peak * 4);
}

int main(int argc, char **argv) {
  const std::string what = argc > 2 ? argv[1] : "";
  if (what == "growth") {
    growth(std::stoul(argv[2]));
    return 0;
  }
  if (what != "rates") {
    std::fputs("usage: embedding rates FILE...\n       embedding growth COUNT\n", stderr);
    return 2;
  }
  std::vector<std::string> texts;
  for (int i = 2; i < argc; ++i) {
    std::ifstream file(argv[i]);
    texts.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  }
  rates(texts);
  return 0;
}
