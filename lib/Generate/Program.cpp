#include "Generate/Program.h"
#include "Check/Checker.h"
#include "Generate/Instructions.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"
#include <algorithm>
#include <random>

namespace ptxray {
namespace {

constexpr unsigned slotBytes = 8;  // of memory for one register of one thread
constexpr unsigned nestedMost = 3; // ifs and loops in each other

/// A kernel that is being made, line by line.
class Writer {
public:
  Writer(const ProgramOptions &options, std::vector<std::string> instructions)
      : options(options), instructions(std::move(instructions)), registers(generatedRegisters()),
        random(options.seed * 2654435761U + 1) {}
  std::string write(uint16_t ptx);

private:
  unsigned pick(unsigned count) { return static_cast<unsigned>(random() % count); }
  bool chance(unsigned percent) { return pick(100) < percent; }
  void line(const std::string &text) { (out += "  " + text) += '\n'; }
  std::string anyOf(unsigned bits);
  void begin();
  void end();
  void step(unsigned depth);
  void steps(unsigned count, unsigned depth);
  void computation();
  void branch(unsigned depth);
  void loop(unsigned depth);
  void exchange();
  void count();
  void shuffle();

  const ProgramOptions &options;
  const std::vector<std::string> instructions;
  const std::vector<GeneratedRegister> registers;
  std::mt19937_64 random;
  unsigned threads = 0, blocks = 0, labels = 0, made = 0;
  std::string out;
};

} // namespace

std::string Writer::anyOf(unsigned bits) {
  std::vector<const GeneratedRegister *> fitting;
  for (const GeneratedRegister &one : registers)
    if (one.bits == bits)
      fitting.push_back(&one);
  return fitting[pick(static_cast<unsigned>(fitting.size()))]->name;
}

/// Each thread reads all registers from memory of its own.
void Writer::begin() {
  const std::string bytes = std::to_string(registers.size() * slotBytes);
  out += registerDeclarations();
  out += "  .reg .pred %flag;\n  .reg .b32 %thread, %index, %own, %other, %none, %bit, %round<" +
         std::to_string(nestedMost + 1) + ">;\n  .reg .b64 %in, %out;\n";
  out += "  .shared .align 4 .b8 slots[" + std::to_string(threads * 4) + "];\n  .shared .align 4 .b8 sum[4];\n";
  line("ld.param.u64 %in, [in];");
  line("ld.param.u64 %out, [out];");
  line("mov.u32 %thread, %tid.x;");
  line("mov.u32 %index, %ctaid.x;");
  line("mad.lo.u32 %index, %index, " + std::to_string(threads) + ", %thread;");
  line("mad.wide.u32 %in, %index, " + bytes + ", %in;");
  line("mad.wide.u32 %out, %index, " + bytes + ", %out;");
  line("mov.u32 %own, slots;");
  line("mad.lo.u32 %own, %thread, 4, %own;");
  line("mov.u32 %none, 0;");
  line("st.shared.u32 [%own], %thread;");
  line("setp.eq.u32 %flag, %thread, 0;");
  line("@%flag st.shared.u32 [sum], %none;");
  for (size_t i = 0; i < registers.size(); ++i) {
    const std::string place = "[%in+" + std::to_string(i * slotBytes) + "];";
    if (registers[i].bits > 1) {
      line("ld.global.b" + std::to_string(registers[i].bits) + " " + registers[i].name + ", " + place);
      continue;
    }
    line("ld.global.b32 %bit, " + place);
    line("setp.lt.s32 " + registers[i].name + ", %bit, 0;");
  }
}

void Writer::end() {
  for (size_t i = 0; i < registers.size(); ++i) {
    const std::string place = "[%out+" + std::to_string(i * slotBytes) + "], ";
    if (registers[i].bits > 1) {
      line("st.global.b" + std::to_string(registers[i].bits) + " " + place + registers[i].name + ";");
      continue;
    }
    line("selp.b32 %bit, 1, 0, " + registers[i].name + ";");
    line("st.global.b32 " + place + "%bit;");
  }
  line("ret;");
}

void Writer::computation() {
  const std::string &text = instructions[pick(static_cast<unsigned>(instructions.size()))];
  ++made;
  line((chance(10) ? "@" + std::string(chance(50) ? "!" : "") + anyOf(1) + " " : "") + text);
}

// NOLINTNEXTLINE(misc-no-recursion): the depth is bounded
void Writer::branch(unsigned depth) {
  const std::string label = std::to_string(labels++);
  const bool hasElse = chance(50);
  line("@" + anyOf(1) + " bra " + (hasElse ? "else" : "end") + label + ";");
  steps(1 + pick(4), depth + 1);
  if (hasElse) {
    line("bra end" + label + ";");
    out += "else" + label + ":\n";
    steps(1 + pick(4), depth + 1);
  }
  out += "end" + label + ":\n";
}

// NOLINTNEXTLINE(misc-no-recursion): the depth is bounded
void Writer::loop(unsigned depth) {
  const std::string label = "loop" + std::to_string(labels++), round = "%round" + std::to_string(depth);
  line("mov.u32 " + round + ", 0;");
  out += label + ":\n";
  steps(1 + pick(4), depth + 1);
  line("add.u32 " + round + ", " + round + ", 1;");
  line("setp.lt.u32 %flag, " + round + ", " + std::to_string(2 + pick(4)) + ";");
  line("@%flag bra " + label + ";");
}

/// Threads swap a value through shared memory. The first barrier ends what was read there before.
void Writer::exchange() {
  line("bar.sync 0;");
  line("st.shared.b32 [%own], " + anyOf(32) + ";");
  line("bar.sync 0;");
  line("xor.b32 %other, %thread, " + std::to_string(1 + pick(threads - 1)) + ";");
  line("shl.b32 %other, %other, 2;");
  line("mov.u32 %bit, slots;");
  line("add.u32 %other, %other, %bit;");
  line("ld.shared.b32 " + anyOf(32) + ", [%other];");
  made += 3;
}

/// All threads add to one number, in whatever order.
void Writer::count() {
  line("bar.sync 0;");
  line("red.shared.add.u32 [sum], " + anyOf(32) + ";");
  line("bar.sync 0;");
  line("ld.shared.b32 " + anyOf(32) + ", [sum];");
  made += 2;
}

void Writer::shuffle() {
  static constexpr const char *ways[] = {"up", "down", "bfly", "idx"};
  const bool isUp = pick(4) == 0;
  if (chance(30))
    line("vote.sync.ballot.b32 " + anyOf(32) + ", " + anyOf(1) + ", -1;");
  else
    line(std::string("shfl.sync.") + ways[isUp ? 0 : 1 + pick(3)] + ".b32 " + anyOf(32) + ", " + anyOf(32) + ", " +
         std::to_string(pick(32)) + ", " + (isUp ? "0" : "31") + ", -1;");
  ++made;
}

// NOLINTNEXTLINE(misc-no-recursion): the depth is bounded
void Writer::step(unsigned depth) {
  const unsigned chosen = pick(100);
  if (chosen < 8 && depth < nestedMost)
    return branch(depth);
  if (chosen < 13 && depth < nestedMost)
    return loop(depth);
  if (depth > 0 || chosen < 80)
    return computation();
  if (chosen < 88)
    return exchange();
  chosen < 92 ? count() : shuffle();
}

// NOLINTNEXTLINE(misc-no-recursion): the depth is bounded
void Writer::steps(unsigned count, unsigned depth) {
  for (unsigned i = 0; i < count; ++i)
    step(depth);
}

std::string Writer::write(uint16_t ptx) {
  threads = 32U << pick(3);
  blocks = 1 + pick(3);
  const size_t words = registers.size() * slotBytes / 4 * threads * blocks;
  const std::string number = std::to_string(words);
  out = "// A program of `ptxray generate --seed=" + std::to_string(options.seed) + "`.\n";
  out += "// run: --grid=" + std::to_string(blocks) + " --block=" + std::to_string(threads) + " random:u32:" + number +
         ":1 zeros:u32:" + number + "\n";
  out += ".version " + isa::versionText(ptx) + "\n.target " + options.target + "\n.address_size 64\n";
  out += ".visible .entry generated(.param .u64 in, .param .u64 out)\n{\n";
  begin();
  while (!instructions.empty() && made < options.size)
    step(0);
  end();
  return out + "}\n";
}

/// The text without the lines of these findings.
static std::string withoutLines(const SourceBuffer &source, const DiagnosticList &findings) {
  std::vector<uint32_t> lines;
  for (const Diagnostic &found : findings)
    lines.push_back(source.lineColumn(found.range.begin).line);
  std::string text;
  uint32_t number = 0;
  for (llvm::StringRef rest = source.text(); !rest.empty();) {
    const auto [line, after] = rest.split('\n');
    if (!llvm::is_contained(lines, ++number))
      (text += line) += '\n';
    rest = after;
  }
  return text;
}

std::string generatedProgram(const ProgramOptions &options) {
  ModuleContext module;
  module.ptx = options.ptx ? options.ptx : isa::versions().back();
  module.target = static_cast<uint16_t>(isa::findTarget(options.target));
  std::string text =
      Writer(options, plainInstructions(module, options.size, options.seed, options.instructions)).write(module.ptx);
  // What a rule warns of, such as a comparison that is always true, is left out.
  constexpr unsigned attempts = 4;
  Checker checker;
  for (unsigned attempt = 0; attempt < attempts; ++attempt) {
    FileReport report;
    report.source = SourceBuffer::fromOwned("", std::move(text));
    report = checker.check(std::move(report), Language::Ptx, {});
    text = withoutLines(*report.source, report.diagnostics);
    if (report.diagnostics.empty())
      break;
  }
  return text;
}

} // namespace ptxray
