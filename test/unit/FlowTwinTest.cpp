// Compares the analyses of bodies with slow models of them, on random arithmetic and on random bodies.
#include "Flow/Addresses.h"
#include "Flow/Liveness.h"
#include "Flow/Numbers.h"
#include "Flow/Sharing.h"
#include "Flow/Uniformity.h"
#include "Flow/UnwrittenReads.h"
#include "Flow/Values.h"
#include "ReadBody.h"
#include "llvm/ADT/STLExtras.h"
#include <gtest/gtest.h>
#include <numeric>
#include <random>
#include <set>

using namespace ptxray;

namespace {

/// Returns whether the bits that a register holds represent one of the numbers.
bool contains(const Numbers &numbers, uint64_t held, unsigned bits) {
  const uint64_t ones = bits == 64 ? ~uint64_t(0) : (uint64_t(1) << bits) - 1;
  if (!numbers.isBounded) {
    const uint64_t step = std::min(numbers.step, uint64_t(1) << 32);
    return ((held - static_cast<uint64_t>(numbers.low)) & (step - 1) & ones) == 0;
  }
  // These are all numbers between the bounds that leave the same bits.
  const auto first = static_cast<uint64_t>(numbers.low);
  const uint64_t span = static_cast<uint64_t>(numbers.high) - first;
  const uint64_t step = std::max<uint64_t>(numbers.step, 1);
  if (span / step < 100'000) {
    for (uint64_t away = 0; away <= span; away += step)
      if (((first + away - held) & ones) == 0)
        return true;
    return false;
  }
  for (uint64_t away = (held - first) & ones; away <= span; away += ones + 1)
    if (away % step == 0)
      return true;
  return false;
}

Computation computation(isa::Operation operation, isa::TypeKind kind, unsigned bits, unsigned sourceBits) {
  Computation c;
  c.isKnown = true;
  c.operation = operation;
  c.resultKind = c.sourceKind = kind;
  c.resultBits = static_cast<uint8_t>(bits);
  c.sourceBits = static_cast<uint8_t>(sourceBits);
  return c;
}

/// Makes a few numbers with bounds, and returns one member of the set in `member`.
Numbers randomNumbers(std::mt19937 &random, int64_t &member) {
  const int64_t lows[] = {0,   0,     1,         4,         16,         -4,        -32,      100,
                          255, 65536, INT32_MIN, INT32_MAX, UINT32_MAX, INT64_MIN, INT64_MAX};
  const uint64_t steps[] = {1, 2, 3, 4, 8, 16, 32, 128};
  const uint64_t step = steps[random() % std::size(steps)];
  const auto count = static_cast<int64_t>(random() % 12);
  const int64_t room = INT64_MAX - count * static_cast<int64_t>(step);
  const int64_t low = std::min(lows[random() % std::size(lows)], room);
  member = low +
           static_cast<int64_t>(step) * (count ? static_cast<int64_t>(random() % static_cast<uint64_t>(count + 1)) : 0);
  if (random() % 8 == 0 && (step & (step - 1)) == 0)
    return Numbers::apart(step, low);
  return Numbers::between(low, low + count * static_cast<int64_t>(step), step);
}

} // namespace

static std::string listOf(llvm::ArrayRef<Numbers> sources) {
  std::string text;
  for (const Numbers &one : sources)
    text += (text.empty() ? "" : ", ") + std::to_string(one.low) + " to " + std::to_string(one.high) + " step " +
            std::to_string(one.step) + (one.isBounded ? "" : " without bounds");
  return text;
}

TEST(Numbers, HoldEachResultOfEachSource) {
  std::mt19937 random(1);
  using isa::Operation;
  const Operation operations[] = {Operation::Add, Operation::Sub, Operation::Mul, Operation::Div, Operation::Rem,
                                  Operation::Min, Operation::Max, Operation::And, Operation::Or,  Operation::Xor,
                                  Operation::Shl, Operation::Shr, Operation::Mad, Operation::Cvt, Operation::Neg,
                                  Operation::Not, Operation::Abs, Operation::Bfe, Operation::Popc};
  const isa::TypeKind kinds[] = {isa::TypeKind::Unsigned, isa::TypeKind::Signed, isa::TypeKind::Bits};
  unsigned bounded = 0;
  for (unsigned round = 0; round < 400'000; ++round) {
    const Operation operation = operations[random() % std::size(operations)];
    const bool isOfBits =
        llvm::is_contained({Operation::And, Operation::Or, Operation::Xor, Operation::Not, Operation::Shl}, operation);
    const isa::TypeKind kind = kinds[random() % (isOfBits ? 3 : 2)];
    const unsigned widths[] = {16, 32, 32, 64};
    const unsigned sourceBits = widths[random() % 4];
    const bool isWide = operation == Operation::Mul || operation == Operation::Mad || operation == Operation::Cvt;
    const unsigned bits = isWide && sourceBits < 64 && random() % 2 ? sourceBits * 2 : sourceBits;
    const Computation c = computation(operation, kind, bits, sourceBits);
    const bool isOfOne = llvm::is_contained(
        {Operation::Cvt, Operation::Neg, Operation::Not, Operation::Abs, Operation::Popc}, operation);
    const size_t count = isOfOne ? 1 : operation == Operation::Mad || operation == Operation::Bfe ? 3 : 2;
    llvm::SmallVector<Numbers, 3> sources;
    llvm::SmallVector<uint64_t, 3> members;
    for (size_t i = 0; i < count; ++i) {
      int64_t member = 0;
      sources.push_back(randomNumbers(random, member));
      members.push_back(static_cast<uint64_t>(member));
    }
    const std::optional<uint64_t> result = constantResult(c, members);
    if (!result)
      continue;
    const Numbers all = numbersOf(c, sources);
    bounded += all.isBounded;
    ASSERT_TRUE(contains(all, *result, bits))
        << "operation " << static_cast<int>(operation) << " of " << bits << " bits, kind " << static_cast<int>(kind)
        << ": " << static_cast<int64_t>(*result) << " is not among " << all.low << " to " << all.high << " step "
        << all.step << (all.isBounded ? "" : " without bounds") << "; of " << listOf(sources);
  }
  EXPECT_GT(bounded, 100'000u);
}

namespace {

/// 32-bit arithmetic on %tid.x and a parameter, and its results for one thread.
struct Arithmetic {
  std::string text;
  std::vector<uint32_t> values; // values of %r0, %r1, and so on
};

uint32_t randomConstant(std::mt19937 &random) {
  const uint32_t edges[] = {INT32_MAX, 1u << 31, UINT32_MAX, UINT32_MAX - 7};
  const unsigned kind = random() % 8;
  return kind < 4 ? random() % 40 : kind < 7 ? 1u << random() % 8 : edges[random() % std::size(edges)];
}

Arithmetic randomProgram(std::mt19937 &random, uint32_t tid, uint32_t parameter, unsigned length) {
  Arithmetic program;
  program.values = {tid, parameter};
  for (unsigned i = 2; i < length; ++i) {
    const uint32_t x = random() % i, y = random() % i, constant = randomConstant(random);
    const bool isConstant = random() % 2;
    const uint32_t a = program.values[x], b = isConstant ? constant : program.values[y];
    const std::string second = isConstant ? std::to_string(constant) : "%r" + std::to_string(y);
    const struct {
      const char *name;
      uint32_t result;
    } operations[] = {{"add.u32", a + b},
                      {"sub.u32", a - b},
                      {"mul.lo.u32", a * b},
                      {"and.b32", a & b},
                      {"or.b32", a | b},
                      {"xor.b32", a ^ b},
                      {"min.u32", std::min(a, b)},
                      {"max.u32", std::max(a, b)},
                      {"shl.b32", b > 31 ? 0 : a << b},
                      {"shr.u32", b > 31 ? 0 : a >> b},
                      {"min.s32", static_cast<uint32_t>(std::min(static_cast<int32_t>(a), static_cast<int32_t>(b)))},
                      {"max.s32", static_cast<uint32_t>(std::max(static_cast<int32_t>(a), static_cast<int32_t>(b)))},
                      {"shr.s32", static_cast<uint32_t>(static_cast<int32_t>(a) >> std::min(b, 31u))}};
    const auto &chosen = operations[random() % std::size(operations)];
    program.text +=
        std::string(chosen.name) + " %r" + std::to_string(i) + ", %r" + std::to_string(x) + ", " + second + ";\n";
    program.values.push_back(chosen.result);
  }
  return program;
}

} // namespace

TEST(Values, HoldWhatThreadsCompute) {
  std::mt19937 random(2);
  unsigned known = 0;
  for (unsigned round = 0; round < 100; ++round) {
    const uint32_t tid = random() % 64;
    const unsigned length = 20;
    const Arithmetic program = randomProgram(random, tid, random(), length);
    const ReadBody read(".visible .entry k(.param .u32 n)\n.reqntid 64\n{\n.reg .b32 %r<20>;\nmov.u32 %r0, %tid.x;\n"
                        "ld.param.u32 %r1, [n];\n" +
                        program.text + "ret;\n}\n");
    Analyses analyses(*read.body, read.module.state());
    Values &all = analyses.values();
    Values one(all, Thread{.place = {tid, 0, 0}});
    for (unsigned i = 0; i < length; ++i) {
      const LocalId local = read.local("%r" + std::to_string(i));
      ASSERT_TRUE(contains(all.numbersOf(local), program.values[i], 32))
          << "%r" << i << " " << program.values[i] << " " << all.numbersOf(local).low << " "
          << all.numbersOf(local).high << " " << all.numbersOf(local).step << " in\n"
          << program.text;
      ASSERT_TRUE(contains(one.numbersOf(local), program.values[i], 32)) << "%r" << i << " in\n" << program.text;
      known += one.numbersOf(local).isNumber();
    }
  }
  EXPECT_GT(known, 125u);
}

namespace {

/// Makes a body whose registers are written from each other, often twice, in loops and outside them.
std::string circularBody(std::mt19937 &random) {
  std::string text = ".visible .entry k()\n{\n.reg .pred %p<2>;\n.reg .b32 %r<12>;\n.shared .b8 tile[64];\n"
                     "mov.u32 %r0, %tid.x;\nmov.u32 %r1, tile;\nmov.u32 %r2, 4;\nsetp.lt.u32 %p1, %r0, 4;\nL:\n";
  const auto name = [&] { return "%r" + std::to_string(random() % 12); };
  for (unsigned i = 0; i < 24; ++i) {
    const char *const operations[] = {"add.u32 ", "and.b32 ", "mul.lo.u32 ", "max.u32 ", "sub.u32 "};
    const std::string target = "%r" + std::to_string(3 + random() % 9);
    if (random() % 4 == 0)
      text += "mov.u32 " + target + ", " + name() + ";\n";
    else
      text += std::string(random() % 5 ? "" : "@%p1 ") + operations[random() % 5] + target + ", " + name() + ", " +
              (random() % 3 ? std::to_string(random() % 40) : name()) + ";\n";
    if (i % 8 == 7)
      text += "@%p1 bra L;\n";
  }
  return text + "ret;\n}\n";
}

} // namespace

TEST(Values, DoNotDependOnWhatIsAskedForFirst) {
  std::mt19937 random(4);
  for (unsigned round = 0; round < 300; ++round) {
    const std::string text = circularBody(random);
    const ReadBody read(text);
    Analyses forward(*read.body, read.module.state()), backward(*read.body, read.module.state());
    const auto count = static_cast<uint32_t>(read.body->locals.size());
    for (uint32_t local = 1; local < count; ++local) {
      forward.values().of(LocalId(local));
      forward.addresses().of(LocalId(local));
      forward.sharing().of(LocalId(local));
    }
    for (uint32_t local = count - 1; local; --local) {
      const llvm::StringRef name = read.body->text(LocalId(local));
      EXPECT_EQ(backward.values().of(LocalId(local)), forward.values().of(LocalId(local))) << name.str() << text;
      EXPECT_EQ(backward.addresses().of(LocalId(local)), forward.addresses().of(LocalId(local))) << name.str() << text;
      EXPECT_EQ(backward.sharing().of(LocalId(local)), forward.sharing().of(LocalId(local))) << name.str() << text;
    }
  }
}

TEST(Values, CountRoundsAsTheLoopDoes) {
  const struct {
    const char *comparison;
    int first, added, limit;
    bool comesFirst;
  } loops[] = {{"lt", 0, 1, 16, false}, {"le", 0, 4, 16, false}, {"ne", 8, -2, 0, false}, {"lt", 5, 3, 6, false},
               {"gt", 9, -1, 3, false}, {"lt", 0, 1, 16, true},  {"ge", 20, -5, 0, true}, {"lt", 7, 1, 3, true}};
  for (const auto &loop : loops) {
    const auto number = [](int value) { return std::to_string(value); };
    const std::string test = std::string("setp.") + loop.comparison + ".s32 %p1, %r1, " + number(loop.limit) + ";\n";
    const std::string text = loop.comesFirst ? "L:\n" + test + "@!%p1 bra M;\nmov.b32 %r2, %r1;\nadd.s32 %r1, %r1, " +
                                                   number(loop.added) + ";\nbra L;\nM:\n"
                                             : "L:\nmov.b32 %r2, %r1;\nadd.s32 %r1, %r1, " + number(loop.added) +
                                                   ";\n" + test + "@%p1 bra L;\n";
    const ReadBody read(".visible .entry k()\n{\n.reg .pred %p<2>;\n.reg .b32 %r<3>;\nmov.b32 %r1, " +
                        number(loop.first) + ";\n" + text + "ret;\n}\n");
    const auto stays = [&](int value) {
      const llvm::StringRef comparison = loop.comparison;
      return comparison == "lt"   ? value < loop.limit
             : comparison == "le" ? value <= loop.limit
             : comparison == "gt" ? value > loop.limit
             : comparison == "ge" ? value >= loop.limit
                                  : value != loop.limit;
    };
    std::vector<int> seen;
    for (int value = loop.first; !loop.comesFirst || stays(value);) {
      seen.push_back(value);
      value += loop.added;
      if (!loop.comesFirst && !stays(value))
        break;
    }
    Analyses analyses(*read.body, read.module.state());
    uint32_t copies = 0;
    while (read.body->instruction(copies).operands.count != 2 || read.body->namesOf(copies).size() != 2)
      ++copies;
    const Counts counts = Values(analyses.values()).counts(read.local("%r1"), copies);
    EXPECT_TRUE(counts.isWhole) << text;
    EXPECT_EQ(counts.rounds, seen.size()) << text;
    if (seen.empty())
      continue;
    EXPECT_EQ(counts.first, seen.front()) << text;
    EXPECT_EQ(counts.last, seen.back()) << text;
  }
}

namespace {

/// Makes a body of blocks that read and write a few registers, and branch anywhere.
std::string randomBody(std::mt19937 &random) {
  const unsigned blocks = 2 + random() % 8;
  std::string text = ".visible .entry k()\n{\n.reg .pred %p<4>;\n.reg .b32 %r<6>;\nmov.b32 %r0, %laneid;\n"
                     "setp.eq.u32 %p0, %r0, 0;\n";
  const auto name = [&] { return "%r" + std::to_string(1 + random() % 5); };
  for (unsigned block = 0; block < blocks; ++block) {
    text += "B" + std::to_string(block) + ":\n";
    for (unsigned i = random() % 3; i; --i)
      text += (random() % 4 ? "" : "@%p0 ") + std::string("add.u32 ") + name() + ", " + name() + ", " + name() + ";\n";
    if (random() % 3 == 0)
      text += "mov.b32 " + name() + ", 1;\n";
    if (random() % 4)
      text += (random() % 3 ? "@%p0 bra B" : "bra B") + std::to_string(random() % blocks) + ";\n";
    else if (random() % 3 == 0)
      text += "ret;\n";
  }
  return text + "ret;\n}\n";
}

/// Returns whether a path leads from the beginning of `from` to the end of a block for which `ends` is true, through
/// blocks for which `stops` is false.
template <typename Stops, typename Ends> bool findsWay(const Graph &graph, BlockId from, Stops stops, Ends ends) {
  std::vector<bool> seen(graph.size());
  std::vector<BlockId> waiting = {from};
  seen[indexOf(from)] = true;
  while (!waiting.empty()) {
    const BlockId block = waiting.back();
    waiting.pop_back();
    if (ends(block))
      return true;
    if (stops(block))
      continue;
    for (const BlockId next : graph.successors.of(block))
      if (!seen[indexOf(next)]) {
        seen[indexOf(next)] = true;
        waiting.push_back(next);
      }
  }
  return false;
}

} // namespace

TEST(Bodies, AreWrittenAndLiveAsWaysThroughThemSay) {
  std::mt19937 random(3);
  for (unsigned round = 0; round < 1500; ++round) {
    const ReadBody read(randomBody(random));
    const Body &body = *read.body;
    Analyses analyses(body, read.module.state());
    const Graph &graph = analyses.graph();
    const UnwrittenReads unwritten(body, analyses, writtenRegisters(body));
    const Liveness liveness(body, graph);
    ASSERT_TRUE(liveness.isComplete());
    for (unsigned r = 1; r < 6; ++r) {
      const LocalId local = read.local("%r" + std::to_string(r));
      if (local == LocalId::None)
        continue;
      const auto uses = [&](uint32_t number, uint8_t use) {
        bool found = false;
        body.eachUse(number, [&](NamedUse one) { found |= one.local == local && one.uses & use; });
        return found;
      };
      const auto writes = [&](BlockId block, bool evenPerhaps) {
        for (uint32_t number = graph[block].first; number < graph[block].end; ++number)
          if (uses(number, Writes) && (evenPerhaps || body.guard(number) == LocalId::None))
            return true;
        return false;
      };
      const auto readsFirst = [&](BlockId block) {
        for (uint32_t number = graph[block].first; number < graph[block].end; ++number) {
          if (uses(number, Reads))
            return true;
          if (uses(number, Writes) && body.guard(number) == LocalId::None)
            return false;
        }
        return false;
      };
      for (const BlockId block : graph.order) {
        const bool isLive = findsWay(graph, block, [&](BlockId one) { return writes(one, false); }, readsFirst);
        ASSERT_EQ(isLive, llvm::is_contained(liveness.before(block), local)) << "%r" << r << " at " << indexOf(block);
      }
      for (const UnwrittenRead &one : unwritten.all())
        if (one.local == local) {
          const bool isOpen = findsWay(
              graph, BlockId(0), [&](BlockId two) { return writes(two, true); },
              [&](BlockId two) { return two == one.block; });
          ASSERT_TRUE(isOpen) << "%r" << r << " at " << indexOf(one.block);
        }
      const bool isEverWritten = llvm::any_of(graph.order, [&](BlockId block) { return writes(block, true); });
      for (const BlockId block : graph.order) {
        bool isOpen = false;
        const auto readsBeforeAnyWrite = [&](BlockId one) {
          for (uint32_t number = graph[one].first; number < graph[one].end; ++number) {
            if (uses(number, Reads))
              return true;
            if (uses(number, Writes))
              return false;
          }
          return false;
        };
        if (!isEverWritten || !readsBeforeAnyWrite(block))
          continue;
        isOpen = findsWay(
            graph, BlockId(0), [&](BlockId two) { return writes(two, true); },
            [&](BlockId two) { return two == block; });
        const bool isListed = llvm::any_of(
            unwritten.all(), [&](const UnwrittenRead &one) { return one.local == local && one.block == block; });
        ASSERT_EQ(isOpen, isListed) << "%r" << r << " at " << indexOf(block);
      }
    }
  }
}

TEST(Bodies, AreAsWholeWhereOnePlaceIsAskedForAsWhereAllAre) {
  std::mt19937 random(5);
  unsigned parted = 0;
  for (unsigned round = 0; round < 500; ++round) {
    const std::string text = randomBody(random);
    const ReadBody read(text);
    Analyses analyses(*read.body, read.module.state());
    std::vector<uint32_t> places(read.body->size());
    std::iota(places.begin(), places.end(), 0u);
    Uniformity all(*read.body, analyses, places), backwards(*read.body, analyses, places);
    for (const BlockId block : llvm::reverse(analyses.graph().order))
      parted += !backwards.isWhole(block);
    for (const BlockId block : analyses.graph().order) {
      const Uniformity one(*read.body, analyses, {analyses.graph()[block].first});
      ASSERT_EQ(all.isWhole(block), backwards.isWhole(block)) << indexOf(block) << " of\n" << text;
      ASSERT_EQ(one.splitBefore(block) == BlockId::None, all.splitBefore(block) == BlockId::None) << text;
      ASSERT_FALSE(all.isWhole(block) && all.splitBefore(block) != BlockId::None) << text;
    }
  }
  EXPECT_GT(parted, 100u);
}

/// Makes 100 branches through lists of 100 labels.
static std::string branchesByLists(bool hasOwnLists) {
  std::string labels, text;
  for (unsigned i = 0; i < 100; ++i)
    labels += (i ? ", B" : "B") + std::to_string(i);
  for (unsigned i = 0; i < 100; ++i) {
    const std::string number = std::to_string(i);
    const std::string list = "T" + (hasOwnLists ? number : "");
    text += hasOwnLists ? list + ": .branchtargets B0, B" + number + ";\n" : "";
    text += "B" + number + ":\nbrx.idx %r1, " + list + ";\n";
  }
  return ".entry k()\n{\n.reg .b32 %r<2>;\nmov.u32 %r1, 0;\n" +
         (hasOwnLists ? "" : "T: .branchtargets " + labels + ";\n") + text + "}\n";
}

TEST(Graph, IsTangledWhereListsMultiplyTheWays) {
  EXPECT_TRUE(isTangled(*ReadBody(branchesByLists(false)).body));
  EXPECT_FALSE(isTangled(*ReadBody(branchesByLists(true)).body));
}

namespace {

/// The first access of a block to a register.
enum class Touch : uint8_t { None, Reads, Writes };

Touch firstTouch(const Body &body, const Block &block, LocalId local, bool evenGuarded) {
  for (uint32_t number = block.first; number < block.end; ++number) {
    uint8_t uses = 0;
    body.eachUse(number, [&](NamedUse one) { uses |= one.local == local ? one.uses : 0; });
    if (uses & Reads && (evenGuarded || body.guard(number) == LocalId::None))
      return Touch::Reads;
    if (uses & Writes)
      return Touch::Writes;
  }
  return Touch::None;
}

/// Returns whether the register is read before it is written, both in the text and on each way from the beginning.
bool isReadBeforeWritten(const Body &body, const Graph &graph, LocalId local) {
  const auto touch = [&](BlockId block) { return firstTouch(body, graph[block], local, true); };
  const auto writes = [&](BlockId block) {
    for (uint32_t number = graph[block].first; number < graph[block].end; ++number)
      if (firstTouch(body, {number, number + 1}, local, false) == Touch::Writes)
        return true;
    return touch(block) == Touch::Writes;
  };
  const bool isRoundIt = findsWay(
      graph, BlockId(0), [&](BlockId block) { return touch(block) != Touch::None; },
      [&](BlockId block) {
        return touch(block) == Touch::Writes || (touch(block) == Touch::None && graph[block].leaves);
      });
  const bool isRead = findsWay(graph, BlockId(0), writes, [&](BlockId block) {
    return firstTouch(body, graph[block], local, false) == Touch::Reads;
  });
  return firstTouch(body, {0, body.size()}, local, true) == Touch::Reads && !isRoundIt && isRead;
}

} // namespace

TEST(Bodies, AreWarnedOfWhereAllWaysReadBeforeTheyWrite) {
  std::mt19937 random(4);
  unsigned found = 0;
  for (unsigned round = 0; round < 1500; ++round) {
    const std::string text = randomBody(random);
    const ReadBody read(text);
    Analyses analyses(*read.body, read.module.state());
    std::set<std::string> warned, expected;
    for (const Diagnostic &one : read.module.findings())
      if (one.id == DiagId::ReadBeforeWrite)
        warned.insert(read.source->text(one.range).str());
    for (unsigned r = 1; r < 6; ++r) {
      const std::string name = "%r" + std::to_string(r);
      if (const LocalId local = read.local(name); local != LocalId::None && read.body->definitions.isWritten(local) &&
                                                  isReadBeforeWritten(*read.body, analyses.graph(), local))
        expected.insert(name);
    }
    ASSERT_EQ(warned, expected) << text;
    found += !warned.empty();
  }
  EXPECT_GT(found, 100u);
}
