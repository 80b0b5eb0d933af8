// Compares compiled operations with `evaluate`. Both start from the same registers and must leave the same, bit for
// bit.
#include "Lines.h"
#include "Numbers/Number.h"
#include "Operate/Evaluated.h"
#include "Operate/Pattern.h"
#include "Operate/Sets.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <cstring>
#include <gtest/gtest.h>
#include <map>
#include <random>

namespace ptxray::machine {
namespace {

/// Numbers near which formulas change.
constexpr uint64_t edges[] = {0,
                              1,
                              2,
                              3,
                              7,
                              31,
                              32,
                              33,
                              63,
                              64,
                              0x7f,
                              0x80,
                              0xff,
                              0x7fff,
                              0x8000,
                              0xffff,
                              0x7c00,
                              0x7bff,
                              0x7e01,
                              0x3c00,
                              0xbc00,
                              0x0400,
                              0x03ff,
                              0x0001,
                              0x7f80,
                              0x7f7f,
                              0x3f80,
                              0x7fc1,
                              0x0080,
                              0x007f,
                              0x7fffffff,
                              0x80000000,
                              0xffffffff,
                              0x7f800000,
                              0xff800000,
                              0x7f7fffff,
                              0x3f800000,
                              0xbf800000,
                              0x3f000000,
                              0x40490fdb,
                              0x7fc00001,
                              0xffa00000,
                              0x00800000,
                              0x007fffff,
                              0x4b000000,
                              0x4f000000,
                              0xcf000000,
                              0x4f7fffff,
                              0x5f000000,
                              0x7fffffffffffffff,
                              0x8000000000000000,
                              0xffffffffffffffff,
                              0x7ff0000000000000,
                              0xfff0000000000000,
                              0x3ff0000000000000,
                              0x7fefffffffffffff,
                              0x0010000000000000,
                              0x000fffffffffffff,
                              0x7ff8000000000001,
                              0xfff4000000000000,
                              0x41dfffffffc00000,
                              0x41e0000000000000,
                              0x43e0000000000000,
                              0xc3e0000000000000,
                              0x00000000ffffffff};

/// Returns one of those numbers, or another one.
uint64_t interesting(std::mt19937_64 &random) {
  const uint64_t any = random();
  switch (random() % 8) {
  case 0:
  case 1: return edges[any % std::size(edges)];
  case 2: return edges[any % std::size(edges)] << 16 | edges[(any >> 32) % std::size(edges)];
  case 3: return edges[any % std::size(edges)] << 32 | edges[(any >> 32) % std::size(edges)];
  case 4: return any % 64;
  case 5: return any & 0x40ffffff40ff40ff; // floats near one
  case 6: return (any & 0x03ffffff00ff83ff) + 0x3f003f003c003c00;
  default: return any;
  }
}

Bits lane(const std::vector<char> &registers, Place place, unsigned lane) {
  Bits bits = 0;
  if (place.bits == 1) {
    uint32_t lanes;
    std::memcpy(&lanes, registers.data() + place.slot, 4);
    return lanes >> lane & 1;
  }
  std::memcpy(&bits, registers.data() + place.slot + size_t(lane) * (place.bits / 8), place.bits / 8);
  return bits;
}

/// Returns a warp for handlers, none of which reads it.
Warp &nobody() {
  static char none;
  return reinterpret_cast<Warp &>(none);
}

class Twin {
public:
  /// If `isAliased`, all registers of one width are the same register, as in `add %r0, %r0, %r0`, and in the same way
  /// for pairs.
  Twin(const Line &line, bool isAliased) : line(line) {
    carry = file.add(1);
    std::map<std::string, Place> places;
    std::map<unsigned, Place> last;
    for (size_t i = 0; i < line.names.size(); ++i) {
      Place place;
      if (const unsigned width = line.widths[i]) {
        place = places.contains(line.names[i])      ? places[line.names[i]]
                : isAliased && last.contains(width) ? last[width]
                                                    : file.add(width);
        places[line.names[i]] = last[width] = place;
      }
      byNode.push_back(place);
    }
    RegisterFile before = file;
    fast = compile(line.recipe, byNode, carry, file, kept);
    placed = Pattern(line.recipe, byNode).at(byNode, carry, before, kept);
    slow = evaluated(line.recipe, byNode, carry, file, kept);
  }
  /// Compares the operations that a pattern gives with those that `compile` makes for these registers.
  void comparePlaced() const;
  bool isRefused() const { return !slow.refusal.empty(); }
  bool isFast() const { return fast.ops.empty() || slow.ops.empty() || fast.ops[0].run != slow.ops[0].run; }
  void compare(uint32_t mask, std::mt19937_64 &random) { compare(mask, fresh(random), random()); }
  void compare(uint32_t mask, const std::vector<char> &before, uint64_t seed);
  /// Returns registers that hold these bits in the operands after the first one.
  std::vector<char> with(const std::vector<std::array<uint64_t, 3>> &lanes) const;
  Compiled fast, placed, slow;
  std::vector<char> fresh(std::mt19937_64 &random) const;
  std::vector<char> run(const Compiled &compiled, std::vector<char> registers, uint32_t mask, uint64_t seed) const;

private:
  const Line &line;
  RegisterFile file;
  Kept kept;
  Place carry;
  std::vector<Place> byNode;
};

/// Describes all of an operation, except that it mentions data kept for its handler without describing it.
std::string textOf(const Compiled &compiled, const Kept &kept) {
  std::string text = compiled.refusal + (compiled.isOneByOne ? " one by one" : "") + (compiled.places ? " places" : "");
  const auto add = [&](uint64_t number) { text += " " + llvm::utohexstr(number); };
  for (const MemoryUses *uses : {&compiled.reads, &compiled.writes})
    for (const MemoryUse &use : *uses) {
      text += " |";
      add(use.operand);
      add(use.bits);
      for (const Place place : use.elements) {
        add(place.slot);
        add(place.bits);
      }
    }
  for (const Op &op : compiled.ops) {
    const bool isMemory = llvm::any_of(kept, [&](const auto &one) { return one.get() == op.more; });
    text += "\n";
    add(reinterpret_cast<uintptr_t>(op.run));
    for (const Slot slot : {op.d, op.a, op.b, op.c, op.whole})
      add(slot);
    add(op.keeps);
    add(isMemory || compiled.places ? ~0ULL : static_cast<uint64_t>(op.number));
  }
  return text;
}

void Twin::comparePlaced() const { ASSERT_EQ(textOf(placed, kept), textOf(fast, kept)) << line.text; }

bool isSame(const Recipe &one, const Recipe &other) {
  return one.refusal == other.refusal && one.steps == other.steps && one.operands == other.operands &&
         one.results == other.results && one.among == other.among && one.isOneByOne == other.isOneByOne &&
         one.flushes == other.flushes && one.isFull == other.isFull;
}

std::vector<char> Twin::fresh(std::mt19937_64 &random) const {
  std::vector<char> registers(file.bytes() + 64);
  for (const Place place : byNode)
    for (unsigned i = 0; i < warpSize && place.bits > 1; ++i) {
      uint64_t halves[] = {interesting(random), interesting(random)};
      std::memcpy(registers.data() + place.slot + size_t(i) * (place.bits / 8), halves, place.bits / 8);
    }
  for (const Place place : byNode)
    if (place.bits == 1) {
      const auto lanes = static_cast<uint32_t>(random());
      std::memcpy(registers.data() + place.slot, &lanes, 4);
    }
  const auto lanes = static_cast<uint32_t>(random());
  std::memcpy(registers.data() + carry.slot, &lanes, 4);
  file.writeConstants(registers.data());
  return registers;
}

/// Runs operations like the machine, with memory that depends only on the seed.
std::vector<char> Twin::run(const Compiled &compiled, std::vector<char> registers, uint32_t mask, uint64_t seed) const {
  for (const MemoryUse &use : compiled.reads)
    for (size_t element = 0; element < use.elements.size(); ++element) {
      std::mt19937_64 random(seed + use.operand * 64 + element);
      for (unsigned i = 0; i < warpSize; ++i) {
        const uint64_t halves[] = {interesting(random), interesting(random)};
        Bits bits;
        std::memcpy(&bits, halves, 16);
        bits = lowBits(bits, use.bits);
        const Place place = use.elements[element];
        if (mask >> i & 1)
          std::memcpy(registers.data() + place.slot + size_t(i) * (place.bits / 8), &bits, place.bits / 8);
      }
    }
  for (const Op &op : compiled.ops)
    execute(registers.data(), op, mask, nobody());
  return registers;
}

std::vector<char> Twin::with(const std::vector<std::array<uint64_t, 3>> &lanes) const {
  std::vector<char> registers(file.bytes() + 64);
  for (size_t node = 1; node < byNode.size(); ++node)
    for (unsigned i = 0; i < warpSize && byNode[node].bits; ++i)
      std::memcpy(registers.data() + byNode[node].slot + size_t(i) * (byNode[node].bits / 8),
                  &lanes[i % lanes.size()][node - 1], byNode[node].bits / 8);
  file.writeConstants(registers.data());
  return registers;
}

void Twin::compare(uint32_t mask, const std::vector<char> &before, uint64_t seed) {
  const std::vector<char> got = run(placed, before, mask, seed), wanted = run(slow, before, mask, seed);
  const auto text = [](Bits bits) {
    return llvm::utohexstr(uint64_t(bits >> 64)) + ":" + llvm::utohexstr(uint64_t(bits));
  };
  for (unsigned i = 0; i < warpSize; ++i) {
    for (size_t node = 0; node < byNode.size(); ++node)
      if (byNode[node].bits) {
        std::string all;
        for (const Place place : byNode)
          all += text(lane(before, place, i)) + " ";
        ASSERT_EQ(text(lane(got, byNode[node], i)), text(lane(wanted, byNode[node], i)))
            << line.text << " node " << node << " lane " << i << " of " << mask << " before " << all;
      }
    ASSERT_EQ(text(lane(got, carry, i)), text(lane(wanted, carry, i))) << line.text << " carry, lane " << i;
    for (size_t use = 0; use < slow.writes.size(); ++use)
      for (size_t element = 0; element < slow.writes[use].elements.size() && (mask >> i & 1); ++element) {
        const unsigned bits = slow.writes[use].bits;
        ASSERT_EQ(text(lowBits(lane(got, placed.writes[use].elements[element], i), bits)),
                  text(lowBits(lane(wanted, slow.writes[use].elements[element], i), bits)))
            << line.text << " memory, lane " << i;
      }
  }
}

unsigned numberFrom(const char *variable, unsigned otherwise) {
  const char *value = std::getenv(variable);
  return value ? static_cast<unsigned>(std::atoi(value)) : otherwise;
}

/// Returns the same instruction with registers that are wider than it needs.
Line withWiderRegisters(Line line) {
  for (uint8_t &width : line.widths)
    width = width == 16 || width == 32 ? width * 2 : width;
  return line;
}

/// Counts how much was compared, and how much of it `evaluate` does not do.
struct Counts {
  unsigned all = 0, refused = 0, fast = 0;
};

void compareLine(const Line &line, std::mt19937_64 &random, Counts &counts) {
  ++counts.all;
  const Line wider = withWiderRegisters(line);
  Twin twin(line, /*isAliased=*/false), aliased(line, /*isAliased=*/true), wide(wider, /*isAliased=*/false);
  ASSERT_EQ(twin.fast.refusal, twin.slow.refusal) << line.text;
  for (const Twin *one : {&twin, &aliased, &wide})
    one->comparePlaced();
  const bool isMadeAnew = line.recipe.product.function || !line.recipe.refusal.empty();
  ASSERT_TRUE(isMadeAnew || isSame(line.again, line.recipe)) << line.text;
  counts.refused += twin.isRefused();
  if (twin.isRefused())
    return;
  counts.fast += twin.isFast();
  if (!twin.isFast() && std::getenv("PTXRAY_REPORT"))
    std::printf("slow: %s\n", line.text.c_str());
  for (unsigned round = 0; round < numberFrom("PTXRAY_ROUNDS", 1) && !testing::Test::HasFatalFailure(); ++round) {
    twin.compare(allLanes, random);
    aliased.compare(static_cast<uint32_t>(random()) | 1, random);
    wide.compare(allLanes, random);
    twin.compare(1u << random() % 32, random);
    aliased.compare(allLanes, random);
    wide.compare(static_cast<uint32_t>(random()) | 1, random);
  }
}

/// Compares PTXRAY_COUNT samples of each mnemonic, or of PTXRAY_MNEMONIC alone, with the handlers of one set.
Counts compareSamples(bool isWide, unsigned count) {
  usesWideHandlers() = isWide;
  std::mt19937_64 random(1);
  Counts counts;
  const char *only = std::getenv("PTXRAY_MNEMONIC");
  for (const std::string &mnemonic : allMnemonics())
    if (!only || mnemonic == only)
      for (const Line &line : readLines(textsOf(mnemonic, count, isWide))) {
        compareLine(line, random, counts);
        if (testing::Test::HasFatalFailure())
          return counts;
      }
  std::printf("%u texts, %u refused, %u fast\n", counts.all, counts.refused, counts.fast);
  return counts;
}

TEST(Operate, ComputesWhatEvaluateComputes) {
  const bool isWide = usesWideHandlers();
  const Counts counts = compareSamples(isWide, numberFrom("PTXRAY_COUNT", 60));
  if (!std::getenv("PTXRAY_MNEMONIC")) {
    EXPECT_GT(counts.fast, counts.all / 2);
  }
}

TEST(Operate, ComputesTheSameOnAnyProcessor) {
  const bool isWide = usesWideHandlers();
  compareSamples(false, numberFrom("PTXRAY_COUNT", 20));
  usesWideHandlers() = isWide;
}

TEST(Operate, NeedsFewOperationsForWhatIsUsual) {
  std::mt19937_64 random(2);
  const std::vector<std::string> texts = usualTexts();
  const std::vector<Line> lines = readLines(texts);
  EXPECT_EQ(lines.size(), texts.size());
  Counts counts;
  for (const Line &line : lines) {
    const Twin twin(line, /*isAliased=*/false);
    EXPECT_TRUE(twin.isFast()) << line.text;
    EXPECT_LE(twin.fast.ops.size(),
              line.text.starts_with("dp4a") || line.text.find("e4m3") != std::string::npos ? 20U : 5U)
        << line.text;
    for (int i = 0; i < 20; ++i)
      compareLine(line, random, counts);
  }
  EXPECT_EQ(counts.fast, counts.all);
}

/// Operands whose result is close to the least normal number.
using Operands = std::vector<std::array<uint64_t, 3>>;

/// Returns all factors of f16, each with those factors that make the product close to it. As sums, these are products
/// close to half a unit.
Operands halvesNextToLeast() {
  Operands all;
  static constexpr uint64_t summands[] = {0x0000, 0x8400, 0x0400};
  for (uint64_t a = 0x400; a < 0x7c00; a += 1 + a % 7) {
    const numbers::Number least = numbers::read(0x400, numbers::f16), factor = numbers::read(a, numbers::f16);
    const uint64_t b = numbers::store(numbers::quotient(least, factor), numbers::f16, {});
    for (const uint64_t other : {b - 1, b})
      all.push_back({a | (a & 1) << 15, other & 0x7fff, summands[(a + other) % 3]});
  }
  for (uint64_t exponent = 1; exponent < 12; ++exponent)
    for (uint64_t a = 0; a < 0x400; a += 1 + a % 23)
      for (const uint64_t b : {0x0fff, 0x1000, 0x1001, 0x1400})
        for (const uint64_t c : {0x0400, 0x0401, 0x0402})
          all.push_back({exponent << 10 | a | 0x8000, b, c});
  return all;
}
Operands singlesNextToLeast(std::mt19937_64 &random) {
  Operands all;
  for (int i = 0; i < 2500; ++i) {
    const uint64_t a = (random() & 0x807fffff) | (1 + random() % 253) << 23;
    const uint64_t b = numbers::store(
        numbers::quotient(numbers::read(0x800000, numbers::f32), numbers::read(a, numbers::f32)), numbers::f32, {});
    all.push_back({a, b + random() % 5 - 2, random() % 4 ? 0U : 0x800000U});
    const uint64_t less = (50 - random() % 5) << 23 | (random() % 2 ? random() % 0x800000 : random() % 3);
    all.push_back(
        {less | 0x80000000, 0x34800000 - 0x800000 * (random() % 4) + random() % 3 - 1, 0x800000 + random() % 2});
  }
  return all;
}

TEST(Operate, FlushesWhatIsTinyAsEvaluateDoes) {
  std::mt19937_64 random(5);
  const Operands halves = halvesNextToLeast(), singles = singlesNextToLeast(random);
  Operands doubles, pairs, both;
  for (const auto &[a, b, c] : halves)
    both.push_back({a | b << 16, b | a << 16, c | c << 16});
  for (const auto &[a, b, c] : singles)
    pairs.push_back({a | b << 32, b | a << 32, c | c << 32});
  for (int i = 0; i < 4000; ++i) // 2^-126, or 2^-14 as f64, minus a few units of f32 or f16
    doubles.push_back({(random() % 2 ? 0x3810000000000000 : 0x3f10000000000000) + (random() % 2) * 0x8000000000000000 -
                           (random() % 33) * 0x04000000 - (random() % 3 - 1),
                       0, 0});
  Operands narrow = singles;
  for (std::array<uint64_t, 3> &one : narrow)
    one = {0x38800000 - random() % 0x3000 + (random() % 2) * 0x80000000, 0, 0};
  for (auto &[a, b, c] : doubles)
    a -= random() % 2 ? 0 : (random() % 65) << 40; // units of f16
  const std::pair<std::vector<std::string>, const Operands &> all[] = {
      {{"mul.ftz.f16 %h0, %h1, %h2;", "mul.rn.ftz.sat.f16 %h0, %h1, %h2;", "fma.rn.ftz.f16 %h0, %h1, %h2, %h3;",
        "fma.rn.ftz.sat.f16 %h0, %h1, %h2, %h3;", "fma.rn.ftz.relu.f16 %h0, %h1, %h2, %h3;",
        "add.ftz.f16 %h0, %h1, %h2;"},
       halves},
      {{"mul.ftz.f16x2 %r0, %r1, %r2;", "fma.rn.ftz.f16x2 %r0, %r1, %r2, %r3;",
        "fma.rn.ftz.relu.f16x2 %r0, %r1, %r2, %r3;"},
       both},
      {{"mul.ftz.f32 %f0, %f1, %f2;", "mul.rn.ftz.f32 %f0, %f1, %f2;", "mul.rz.ftz.f32 %f0, %f1, %f2;",
        "mul.rp.ftz.f32 %f0, %f1, %f2;", "mul.rm.ftz.f32 %f0, %f1, %f2;", "mul.ftz.sat.f32 %f0, %f1, %f2;",
        "mul.rp.ftz.sat.f32 %f0, %f1, %f2;", "fma.rn.ftz.f32 %f0, %f1, %f2, %f3;",
        "fma.rn.ftz.sat.f32 %f0, %f1, %f2, %f3;", "fma.rp.ftz.f32 %f0, %f1, %f2, %f3;",
        "fma.rm.ftz.sat.f32 %f0, %f1, %f2, %f3;", "div.rn.ftz.f32 %f0, %f1, %f2;", "div.rp.ftz.f32 %f0, %f1, %f2;",
        "mul.ftz.f32 %f0, %f1, 0f3f7fffff;", "rcp.rn.ftz.f32 %f0, %f1;", "add.rp.ftz.f32 %f0, %f1, %f2;"},
       singles},
      {{"mul.rn.ftz.f32x2 %rd0, %rd1, %rd2;", "fma.rn.ftz.f32x2 %rd0, %rd1, %rd2, %rd3;"}, pairs},
      {{"cvt.rn.ftz.f32.f64 %f0, %fd1;", "cvt.rn.ftz.sat.f32.f64 %f0, %fd1;", "cvt.rp.ftz.f32.f64 %f0, %fd1;",
        "cvt.rz.ftz.f32.f64 %f0, %fd1;", "cvt.rm.ftz.sat.f32.f64 %f0, %fd1;"},
       doubles},
      {{"cvt.rn.ftz.f16.f32 %h0, %f1;", "cvt.rn.ftz.sat.f16.f32 %h0, %f1;", "cvt.rp.ftz.f16.f32 %h0, %f1;",
        "cvt.rz.ftz.f16.f32 %h0, %f1;"},
       narrow},
  };
  const bool isWide = usesWideHandlers();
  for (const auto &[texts, operands] : all) {
    const std::vector<Line> lines = readLines(texts);
    EXPECT_EQ(lines.size(), texts.size()) << texts[0];
    for (const Line &line : lines)
      for (const bool wide : {isWide, false}) {
        usesWideHandlers() = wide;
        Twin twin(line, /*isAliased=*/false);
        EXPECT_TRUE(twin.isFast()) << line.text;
        for (size_t first = 0; first < operands.size() && !testing::Test::HasFatalFailure(); first += warpSize)
          twin.compare(
              allLanes,
              twin.with({operands.begin() + static_cast<ptrdiff_t>(first),
                         operands.begin() + static_cast<ptrdiff_t>(std::min(first + warpSize, operands.size()))}),
              0);
      }
  }
  usesWideHandlers() = isWide;
}

} // namespace
} // namespace ptxray::machine
