// Writes the registers that single instructions leave, as lib/Semantics computes them. This program reads texts from
// standard input. Into a folder, it writes the registers that all texts start with (inputs.bin). For each text that it
// can compute, it also writes which registers the text changes, with digests of their contents (cases.txt).
// test/device/semantics.py does the same on a GPU.
//
//   semantics-cases FOLDER [values] <TEXTS
//
// With `values`, the numbers of all threads replace the digest. A line of cases.txt holds the text, its registers
// (`%r1:32`), and `NUMBER:DIGEST:LANES` for each register that it writes, separated by tabs. LANES are the lanes in
// which the manual leaves the value open.
#include "../unit/OneLine.h"
#include "llvm/Support/MD5.h"
#include <fstream>
#include <iostream>
#include <random>
#include <regex>

using namespace ptxray;

namespace {

constexpr unsigned places = 24, warps = 10, threads = warps * lanesOfWarp;
using Input = std::array<uint64_t, threads>;

/// Makes numbers of a format of `width` bits, packed side by side, whose exponents are close to each other.
uint64_t nearNumbers(std::mt19937_64 &random, const numbers::Format &format) {
  uint64_t bits = 0;
  for (unsigned at = 0; at < 64; at += format.width()) {
    const uint64_t spread = uint64_t(1) << (format.exponentBits - 2);
    const uint64_t exponent = format.bias - spread / 2 + random() % std::min<uint64_t>(spread, 24);
    const uint64_t fraction = random() & ((uint64_t(1) << format.fractionBits) - 1);
    const uint64_t sign = (random() & 1) * format.signBit();
    bits |= (sign | exponent << format.fractionBits | fraction) << at;
  }
  return bits;
}
uint64_t edges(std::mt19937_64 &random, const numbers::Format &format) {
  const uint64_t one = format.one(), infinity = format.infinity();
  const uint64_t all[] = {0,
                          1,
                          2,
                          one,
                          one + 1,
                          one - 1,
                          infinity,
                          infinity - 1,
                          infinity + 1,
                          format.ones(),
                          one / 2,
                          uint64_t(1) << format.fractionBits,
                          (uint64_t(1) << format.fractionBits) - 1,
                          infinity | infinity >> 1};
  uint64_t bits = 0;
  for (unsigned at = 0; at < 64; at += format.width())
    bits |= (all[random() % std::size(all)] | (random() & 1) * format.signBit()) << at;
  return bits;
}
uint64_t smallNumbers(std::mt19937_64 &random) {
  constexpr uint64_t all[] = {0,      1,          2,          3,          7,          8,          0x1f,      0x20,
                              0x21,   0x3f,       0x40,       0x7f,       0x80,       0xff,       0x7fff,    0x8000,
                              0xffff, 0x7fffffff, 0x80000000, 0x80000001, 0xffffffff, 0x55555555, 0xaaaaaaaa};
  const uint64_t low = all[random() % std::size(all)];
  return random() % 3 == 0 ? low | all[random() % std::size(all)] << 32 : random() % 2 == 0 ? low : 0 - low;
}

/// Makes the inputs. Each warp has one kind of numbers. In some threads all registers hold the same number.
std::vector<Input> makeInputs() {
  std::mt19937_64 random(1);
  std::vector<Input> inputs(places);
  for (Input &input : inputs)
    for (unsigned thread = 0; thread < 8 * lanesOfWarp; ++thread)
      switch (thread / lanesOfWarp) {
      case 0: input[thread] = smallNumbers(random); break;
      case 1: input[thread] = random(); break;
      case 2: input[thread] = nearNumbers(random, numbers::f32); break;
      case 3: input[thread] = nearNumbers(random, numbers::f16); break;
      case 4: input[thread] = nearNumbers(random, numbers::f64); break;
      case 5: input[thread] = edges(random, numbers::f32); break;
      case 6: input[thread] = edges(random, random() % 2 == 0 ? numbers::f16 : numbers::bf16); break;
      default: input[thread] = random() % 2 == 0 ? edges(random, numbers::f64) : nearNumbers(random, numbers::bf16);
      }
  for (unsigned thread = 3; thread < 8 * lanesOfWarp; thread += 8)
    for (Input &input : inputs)
      input[thread] = inputs[0][thread];
  // In each of these warps one lane differs from the others. In the last one, no lane does.
  for (unsigned lane = 0; lane < lanesOfWarp; ++lane)
    for (unsigned place = 0; place < places; ++place) {
      inputs[place][8 * lanesOfWarp + lane] = lane == 0;
      inputs[place][9 * lanesOfWarp + lane] = place % 2 ? ~uint64_t(0) : 0;
    }
  return inputs;
}

unsigned bitsOf(const std::string &name) {
  static const std::map<std::string, unsigned> known = {
      {"%p", 1},   {"%c", 8},  {"%cu", 8}, {"%cs", 8}, {"%h", 16}, {"%hu", 16}, {"%hs", 16}, {"%hf", 16}, {"%hx", 32},
      {"%zm", 64}, {"%r", 32}, {"%u", 32}, {"%s", 32}, {"%f", 32}, {"%rd", 64}, {"%ud", 64}, {"%sd", 64}, {"%fd", 64}};
  const auto found = known.find(name.substr(0, name.find_first_of("0123456789")));
  return found == known.end() ? 0 : found->second;
}

/// Returns the registers of a text in their order, then the words of memory at `[%zm]`. Returns none if the text uses
/// other registers or other memory.
std::vector<Register> registersOf(const std::string &text) {
  static const std::regex name("%[a-z_]+[0-9]*");
  std::vector<Register> registers;
  const bool hasMemory = text.find("[%zm]") != std::string::npos;
  if (text.find('@') != std::string::npos || (!hasMemory && text.find('[') != std::string::npos))
    return {};
  for (std::sregex_iterator at(text.begin(), text.end(), name), end; at != end; ++at) {
    const Register one{at->str(), bitsOf(at->str())};
    if (!one.bits)
      return {};
    if (llvm::none_of(registers, [&](const Register &other) { return other.name == one.name; }))
      registers.push_back(one);
  }
  for (unsigned word = 0; hasMemory && word < 4; ++word)
    registers.push_back({"m" + std::to_string(word), 64});
  return registers.size() <= places ? registers : std::vector<Register>();
}

/// The contents of one register in all threads, and the lanes in which the manual leaves its value open.
struct Written {
  Input values = {};
  std::array<uint32_t, warps> undefinedLanes = {};
  bool isWritten = false;
};

/// Computes a text. Returns none if lib/Semantics cannot compute it.
std::vector<Written> computed(const std::string &text, const std::vector<Register> &registers,
                              const std::vector<Input> &inputs) {
  std::vector<Written> results(registers.size());
  LineCase one{0, text, registers, {}};
  for (unsigned lane = 0; lane < lanesOfWarp; ++lane)
    one.lanes.push_back({lane, std::vector<uint64_t>(registers.size()), {}});
  const OneLine line(one);
  if (!line.isRead())
    return {};
  const Recipe recipe = line.recipe();
  for (size_t i = 0; i < registers.size(); ++i)
    results[i].isWritten = registers[i].name[0] == 'm';
  for (unsigned warp = 0; warp < warps; ++warp) {
    for (LaneCase &lane : one.lanes)
      for (size_t i = 0; i < registers.size(); ++i)
        lane.before[i] = inputs[i][warp * lanesOfWarp + lane.lane] & (~uint64_t(0) >> (64 - registers[i].bits));
    Lanes lanes = line.before();
    const EvaluationOutcome outcome = line.compute(recipe, lanes);
    if (!outcome.refusal.empty())
      return {};
    for (const WrittenRegister &written : outcome.registers)
      if (const int number = line.registerAt(written.at); number >= 0) {
        results[number].isWritten = true;
        results[number].undefinedLanes[warp] = written.undefinedLanes;
      }
    for (const LaneCase &lane : one.lanes) {
      const std::vector<uint64_t> after = line.after(lane, outcome, lanes);
      for (size_t i = 0; i < registers.size(); ++i)
        results[i].values[warp * lanesOfWarp + lane.lane] =
            results[i].undefinedLanes[warp] >> lane.lane & 1 ? 0 : after[i];
    }
  }
  return results;
}

std::string digestOf(const Input &values) {
  llvm::MD5 sum;
  for (const uint64_t value : values)
    for (unsigned byte = 0; byte < 8; ++byte)
      sum.update(llvm::ArrayRef<uint8_t>{static_cast<uint8_t>(value >> 8 * byte)});
  llvm::MD5::MD5Result result;
  sum.final(result);
  return result.digest().str().str();
}

std::string valuesOf(const Input &values) {
  std::string text;
  for (const uint64_t value : values)
    text += (text.empty() ? "" : " ") + llvm::utohexstr(value, /*LowerCase=*/true);
  return text;
}

} // namespace

int main(int argc, char **argv) {
  const std::string folder = argc > 1 ? argv[1] : ".";
  const bool wantsValues = argc > 2 && std::string(argv[2]) == "values";
  const std::vector<Input> inputs = makeInputs();
  std::ofstream(folder + "/inputs.bin", std::ios::binary)
      .write(reinterpret_cast<const char *>(inputs.data()), std::streamsize(inputs.size() * sizeof(Input)));
  std::ofstream cases(folder + "/cases.txt");
  unsigned all = 0, made = 0;
  for (std::string text; std::getline(std::cin, text); ++all) {
    const std::vector<Register> registers = registersOf(text);
    if (registers.empty())
      continue;
    const std::vector<Written> results = computed(text, registers, inputs);
    if (llvm::none_of(results, [](const Written &one) { return one.isWritten; }))
      continue;
    cases << text << '\t';
    for (const Register &one : registers)
      cases << (&one == registers.data() ? "" : " ") << one.name << ':' << one.bits;
    for (size_t i = 0; i < results.size(); ++i)
      if (results[i].isWritten) {
        cases << '\t' << i << ':' << (wantsValues ? valuesOf(results[i].values) : digestOf(results[i].values)) << ':';
        for (const uint32_t &lanes : results[i].undefinedLanes)
          cases << llvm::utohexstr(lanes, /*LowerCase=*/true)
                << (&lanes == &results[i].undefinedLanes.back() ? "" : ",");
      }
    cases << '\n';
    ++made;
  }
  std::cout << made << " of " << all << " texts can be computed\n";
}
