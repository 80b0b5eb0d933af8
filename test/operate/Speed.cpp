// Measures how long operations take: nanoseconds per instruction of a warp, with all lanes active.
#include "Lines.h"
#include "Operate/Evaluated.h"
#include "llvm/ADT/StringExtras.h"
#include <chrono>
#include <cstdio>
#include <cstring>
#include <map>

namespace ptxray::machine {

static Warp &nobody() {
  static char none;
  return reinterpret_cast<Warp &>(none);
}

static double nanoseconds(const Line &line, uint32_t mask, size_t &count) {
  RegisterFile file;
  Kept kept;
  const Place carry = file.add(1);
  std::vector<Place> byNode;
  for (const uint8_t width : line.widths)
    byNode.push_back(width ? file.add(width) : Place());
  const Compiled compiled = compile(line.recipe, byNode, carry, file, kept);
  std::vector<uint64_t> words(file.bytes() / 8 + 16, 0x3f803c013f803c01);
  auto *registers = reinterpret_cast<char *>((reinterpret_cast<uintptr_t>(words.data()) + 63) / 64 * 64);
  file.writeConstants(registers);
  count = compiled.ops.size();
  const unsigned rounds = 20000;
  double best = 1e9;
  for (int attempt = 0; attempt < 5; ++attempt) {
    const auto begin = std::chrono::steady_clock::now();
    for (unsigned i = 0; i < rounds / (attempt ? 1 : 100); ++i)
      for (const Op &op : compiled.ops)
        execute(registers, op, mask, nobody());
    const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - begin;
    if (attempt)
      best = std::min(best, took.count() / rounds);
    else if (took.count() > 1e7) // too slow to go on
      return took.count() / (rounds / 100);
  }
  return best;
}

/// Prints which instructions of a module `evaluate` handles, and how many operations the others need.
static void printFile(const std::string &path) {
  std::map<std::string, unsigned> slow, refused, counts, instructions;
  for (const Line &line : readFile(path)) {
    RegisterFile file;
    Kept kept;
    const Place carry = file.add(1);
    std::vector<Place> byNode;
    for (const uint8_t width : line.widths)
      byNode.push_back(width ? file.add(width) : Place());
    const Compiled compiled = compile(line.recipe, byNode, carry, file, kept);
    const Compiled one = evaluated(line.recipe, byNode, carry, file, kept);
    if (!compiled.refusal.empty())
      ++refused[line.text + " (" + compiled.refusal + ")"];
    else if (!one.ops.empty() && !compiled.ops.empty() && compiled.ops[0].run == one.ops[0].run)
      ++slow[line.text];
    counts[line.text] += compiled.ops.size();
    ++instructions[line.text];
  }
  for (const auto &[text, count] : refused)
    std::printf("%7u refused %s\n", count, text.c_str());
  for (const auto &[text, count] : slow)
    std::printf("%7u slow %s\n", count, text.c_str());
  for (const auto &[text, count] : instructions)
    std::printf("%7u %.1f operations %s\n", count, double(counts[text]) / count, text.c_str());
}

} // namespace ptxray::machine

int main(int argc, char **argv) {
  using namespace ptxray::machine;
  std::vector<std::string> texts = usualTexts();
  if (argc > 1 && std::string(argv[1]).ends_with(".ptx")) {
    printFile(argv[1]);
    return 0;
  }
  if (argc > 1)
    texts.assign(argv + 1, argv + argc);
  std::printf("%-50s %6s %8s %8s\n", "", "ops", "all", "some");
  for (const std::string &text : texts)
    for (const Line &line : readLines({text})) {
      size_t count = 0;
      const double all = nanoseconds(line, allLanes, count), some = nanoseconds(line, 0x5a5a1234, count);
      std::printf("%-50s %6zu %8.1f %8.1f\n", line.text.c_str(), count, all, some);
    }
}
