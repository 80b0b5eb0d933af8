// The steps of a generated kernel's threads. Each kind of step has a function here.
#include "Generate/Registers.h"
#include "Generate/Writer.h"
#include "llvm/ADT/StringExtras.h"

namespace ptxray {

static constexpr unsigned nestedMost = 3; // maximum nesting of branches and loops

// NOLINTNEXTLINE(misc-no-recursion): the depth is bounded
void Writer::steps(unsigned count, unsigned depth, bool isTogether) {
  for (unsigned i = 0; i < count && made < options.size; ++i)
    step({depth, isTogether});
}

// NOLINTNEXTLINE(misc-no-recursion): the depth is bounded
void Writer::step(Where where) {
  struct Way {
    Family family;
    unsigned weight;
    bool isNested, needsAll; // contains other steps; all threads of the block must execute it
    void (Writer::*make)(Where);
  };
  static constexpr Way ways[] = {
      {Family::Compute, 60, false, false, &Writer::computation}, {Family::Memory, 14, false, false, &Writer::ownMemory},
      {Family::Atomics, 5, false, false, &Writer::ownAtomic},    {Family::Control, 7, true, false, &Writer::branch},
      {Family::Control, 5, true, false, &Writer::loop},          {Family::Control, 2, true, false, &Writer::choice},
      {Family::Control, 3, false, false, &Writer::call},         {Family::Memory, 7, false, true, &Writer::exchange},
      {Family::Atomics, 4, false, true, &Writer::cells},         {Family::Warp, 7, false, true, &Writer::warp},
      {Family::Matrices, 6, false, true, &Writer::matrix},       {Family::Barriers, 2, false, true, &Writer::barrier},
  };
  const auto isPossible = [&](const Way &way) {
    return has(way.family) && (!way.isNested || where.depth < nestedMost) && (!way.needsAll || where.isTogether);
  };
  unsigned sum = 0;
  for (const Way &way : ways)
    sum += isPossible(way) ? way.weight : 0;
  if (!sum)
    return;
  unsigned chosen = pick(sum);
  for (const Way &way : ways) {
    if (!isPossible(way))
      continue;
    if (chosen < way.weight)
      return (this->*way.make)(where);
    chosen -= way.weight;
  }
}

/// Returns the text after the opcode, up to the comma.
static std::string firstOperand(llvm::StringRef text) { return text.split(' ').second.split(',').first.str(); }

void Writer::computation(Where) {
  const bool wantsCommon = chance(50);
  const Blueprint *one =
      stock.pick(Family::Compute, random, [&](const Blueprint &it) { return !wantsCommon || it.isCommon; });
  if (!one)
    one = stock.pick(Family::Compute, random);
  if (!one)
    return;
  const std::string text = textOf(*one);
  line(guardFor(*one) + text);
  if (const std::string result = firstOperand(text); one->passesNan) {
    const std::string bits = number(one->resultBits);
    line("testp.notanumber.f" + bits + " %flag, " + result + ";");
    line("selp.b" + bits + " " + result + (one->resultBits == 64 ? ", 0x7ff8000000000000, " : ", 0x7fffffff, ") +
         result + ", %flag;");
  }
}

void Writer::ownMemory(Where) {
  if (const Blueprint *one = stock.pick(Family::Memory, random))
    line(guardFor(*one) + textOf(*one));
}

void Writer::ownAtomic(Where) {
  if (const Blueprint *one = stock.pick(Family::Atomics, random))
    line(guardFor(*one) + textOf(*one));
}

void Writer::warp(Where) {
  if (const Blueprint *one = stock.pick(Family::Warp, random))
    line(textOf(*one));
}

/// Writes a load or store of a matrix, which accesses bytes that other lanes have written or will read.
void Writer::matrix(Where where) {
  const Blueprint *one = stock.pick(Family::Matrices, random);
  if (!one)
    return;
  if (!one->memory)
    return line(textOf(*one));
  barrier(where);
  line(textOf(*one));
  barrier(where);
}

void Writer::barrier(Where) {
  const Blueprint *one = has(Family::Barriers) ? stock.pick(Family::Barriers, random) : nullptr;
  line(one ? textOf(*one) : "bar.sync 0;");
}

/// Writes a step that exchanges data: between two barriers, threads read data that other threads wrote to shared and
/// global memory.
void Writer::exchange(Where where) {
  const auto isFor = [](bool reads) {
    return [reads](const Blueprint &it) {
      const Region region = it.memory->region;
      return it.memory->reads == reads &&
             (region == Region::Shared || region == Region::Global || region == Region::Generic);
    };
  };
  for (unsigned i = 1 + pick(2); i > 0; --i)
    if (const Blueprint *one = stock.pick(Family::Memory, random, isFor(false)))
      line(textOf(*one));
  barrier(where);
  line("xor.b32 %bit, %thread, " + number(1 + pick(threads - 1)) + ";");
  line("sub.s32 %bit, %bit, %thread;");
  // Write the addresses unconditionally, so that the source does not depend on later choices.
  std::string addresses = std::move(body), reads;
  body.clear();
  for (unsigned i = 1 + pick(3); i > 0; --i)
    if (const Blueprint *one = stock.pick(Family::Memory, random, isFor(true)))
      line(textOf(*one, Owner::Other));
  reads = std::move(body);
  body = std::move(addresses);
  if (reads.find("%theirs") != std::string::npos)
    line("mad.wide.s32 %theirs, %bit, " + number(bytesOfThread()) + ", %mine;");
  if (reads.find("%their_slot") != std::string::npos)
    line("mad.lo.s32 %their_slot, %bit, " + number(ownBytes) + ", %slot;");
  body += reads;
  barrier(where);
}

/// Writes a step in which all threads modify the same cells. Each cell is modified by only one instruction, so the
/// order does not matter.
void Writer::cells(Where where) {
  struct Changed {
    unsigned cell;
    Region region;
  };
  std::vector<Changed> changed;
  barrier(where);
  for (unsigned cell = 0, count = 1 + pick(3); cell < count; ++cell)
    if (const Blueprint *one =
            stock.pick(Family::Atomics, random, [](const Blueprint &it) { return it.memory->commutes; })) {
      line(guardFor(*one) + textOf(*one, Owner::Block, cell));
      changed.push_back({cell, one->memory->region});
    }
  barrier(where);
  for (const auto [cell, region] : changed) {
    const std::string space = region == Region::Shared ? "shared" : "global";
    const unsigned bits = chance(50) ? 32 : 64;
    line("ld." + space + ".b" + number(bits) + " " + anyOf(bits) + ", [" + baseOf(region, Owner::Block) + "+" +
         number(cell * cellBytes) + "];");
  }
  barrier(where);
}

// ------------------------------------------------------------------------------------------- control
// NOLINTNEXTLINE(misc-no-recursion): the depth is bounded
void Writer::branch(Where where) {
  const std::string label = number(labels++);
  const bool hasElse = chance(50);
  line("@" + anyOf(1) + " bra " + (hasElse ? "else" : "end") + label + ";");
  steps(1 + pick(4), where.depth + 1, false);
  if (hasElse) {
    line("bra end" + label + ";");
    body += "else" + label + ":\n";
    steps(1 + pick(4), where.depth + 1, false);
  }
  body += "end" + label + ":\n";
}

/// Writes a loop. All threads execute the same number of iterations, or a number that depends on the thread's
/// registers. In the latter case, the body contains no barriers.
// NOLINTNEXTLINE(misc-no-recursion): the depth is bounded
void Writer::loop(Where where) {
  const std::string label = "loop" + number(labels++), depth = number(where.depth), round = "%round" + depth;
  const bool isTogether = where.isTogether && chance(60);
  std::string bound = number(2 + pick(4));
  if (!isTogether && chance(70)) {
    bound = "%bound" + depth;
    line("and.b32 " + bound + ", " + anyOf(32) + ", 3;");
  }
  line("mov.u32 " + round + ", 0;");
  body += label + ":\n";
  steps(1 + pick(4), where.depth + 1, isTogether);
  line("add.u32 " + round + ", " + round + ", 1;");
  line("setp.lt.u32 %flag, " + round + ", " + bound + ";");
  line("@%flag bra " + label + ";");
}

// NOLINTNEXTLINE(misc-no-recursion): the depth is bounded
void Writer::choice(Where where) {
  constexpr unsigned ways = 4;
  const std::string label = number(labels++);
  line("and.b32 %bit, " + anyOf(32) + ", 3;");
  line("brx.idx %bit, ways" + label + ";");
  std::string targets = "ways" + label + ": .branchtargets ";
  for (unsigned way = 0; way < ways; ++way) {
    const std::string here = "way" + label + "_" + number(way);
    targets += (way ? ", " : "") + here;
    body += here + ":\n";
    steps(1 + pick(2), where.depth + 1, false);
    line("bra end" + label + ";");
  }
  body += "end" + label + ":\n";
  tables += "  " + targets + ";\n";
}

/// Writes a function of two numbers, whose registers are initialised with variations of these numbers.
void Writer::addFunction() {
  std::string kernel;
  std::set<unsigned> ofKernel;
  std::swap(kernel, body);
  std::swap(ofKernel, used);
  for (unsigned i = 3 + pick(6); i > 0; --i)
    computation({});
  const std::string result = anyOf(64);
  std::string text = ".func (.param .b64 result) helper" + number(helpers++) + "(.param .b32 a, .param .b64 b)\n{\n";
  text += registerDeclarations();
  text += "  .reg .pred %flag;\n  .reg .b16 %half;\n  .reg .b32 %low, %bit;\n  .reg .b64 %high;\n";
  text += "  ld.param.b32 %low, [a];\n  ld.param.b64 %high, [b];\n";
  for (const unsigned i : used) {
    const GeneratedRegister &one = generatedRegisters()[i];
    const std::string bits = "0x" + llvm::utohexstr(random() >> 33);
    if (one.bits == 64) {
      text += "  xor.b64 " + one.name + ", %high, " + bits + ";\n";
      continue;
    }
    text += "  xor.b32 %bit, %low, " + bits + ";\n";
    if (one.bits == 1)
      text += "  setp.lt.s32 " + one.name + ", %bit, 0;\n";
    else if (one.bits == 16)
      text += "  cvt.u16.u32 %half, %bit;\n  mov.b16 " + one.name + ", %half;\n";
    else
      text += "  mov.b32 " + one.name + ", %bit;\n";
  }
  functions += text + body + "  st.param.b64 [result], " + result + ";\n  ret;\n}\n";
  std::swap(kernel, body);
  std::swap(ofKernel, used);
}

void Writer::call(Where) {
  constexpr unsigned most = 2;
  if (helpers < most && has(Family::Compute))
    addFunction();
  if (!helpers)
    return;
  line("{");
  line("  .param .b32 a;");
  line("  .param .b64 b, result;");
  line("  st.param.b32 [a], " + anyOf(32) + ";");
  line("  st.param.b64 [b], " + anyOf(64) + ";");
  line("  call (result), helper" + number(pick(helpers)) + ", (a, b);");
  line("  ld.param.b64 " + anyOf(64) + ", [result];");
  line("}");
  made += 2;
}

} // namespace ptxray
