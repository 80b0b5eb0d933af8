#include "Emulate/FaultWords.h"
#include "Emulate/FlightWords.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace ptxray::machine {

static std::string spaceText(Space space) {
  switch (space) {
  case Space::Shared: return "shared memory";
  case Space::Local: return "local memory";
  case Space::Const: return "constant memory";
  case Space::Param: return "the parameters";
  default: return "memory";
  }
}

static std::string triple(const std::array<uint32_t, 3> &at) {
  return "(" + std::to_string(at[0]) + ", " + std::to_string(at[1]) + ", " + std::to_string(at[2]) + ")";
}

/// Describes a thread of the block with the fault, in the form of all messages.
static std::string threadText(const GridState &grid, uint32_t thread) {
  const auto &size = grid.block;
  return "thread " + triple({thread % size[0], thread / size[0] % size[1], thread / size[0] / size[1]}) + " of block " +
         triple(grid.faultBlock);
}

/// Describes an address relative to a named object.
static std::string beside(const std::string &name, uint64_t begin, uint64_t end, uint64_t address) {
  const std::string size = "`" + name + "`, which has " + std::to_string(end - begin) + " bytes";
  if (address == end)
    return "right after the end of " + size;
  if (address > end)
    return std::to_string(address - end) + " bytes after the end of " + size;
  return "at byte " + std::to_string(address - begin) + " of " + size;
}

/// Returns whether the bytes are in shared memory of some block of the cluster. The access failed because that block
/// has ended.
static bool isOfEndedBlock(const GridState &grid, const Fault &fault) {
  const uint64_t rank = fault.address % windowBytes >> sharedRankShift, offset = fault.address & sharedOffsetMask;
  const ByteRun zone = sharedZoneAt(grid, offset);
  return rank < uint64_t(grid.cluster[0]) * grid.cluster[1] * grid.cluster[2] && offset < zone.end &&
         fault.bytes <= zone.end - offset;
}

static std::string nearInShared(const GridState &grid, const Fault &fault) {
  const Program &program = grid.program;
  const uint64_t offset = fault.address & sharedOffsetMask;
  if (isOfEndedBlock(grid, fault))
    return "the block of the cluster that it belongs to has ended";
  for (const NamedPlace &one : llvm::reverse(program.shared))
    if (offset < program.dynamicShared && offset >= one.offset)
      return beside(one.name, one.offset, one.offset + one.bytes, offset);
  return "the block has " + std::to_string(program.sharedBytes + grid.launch.shared) + " bytes";
}

/// Describes the location of an address, as far as it is known.
static std::string near(const GridState &grid, const Fault &fault) {
  if (!fault.text.empty())
    return fault.text;
  if (fault.space == Space::Shared && fault.address >= windowBytes)
    return "it is a generic address in another space";
  const uint64_t window = fault.address / windowBytes;
  if (fault.space == Space::Shared || (fault.space == Space::Generic && window == sharedWindow / windowBytes))
    return nearInShared(grid, fault);
  if (fault.space == Space::Global && window >= 1 && window <= 4)
    return std::string("it is a generic address in ") +
           spaceText(std::array{Space::Local, Space::Shared, Space::Const, Space::Param}[window - 1]);
  const Allocation *one = grid.memory.before(fault.address);
  if (!one)
    return "no buffer lies there";
  return beside(one->name, one->begin, one->end, fault.address);
}

std::array<uint64_t, 3> clusterAt(const GridState &grid, uint64_t number) {
  std::array<uint64_t, 3> at;
  for (int i = 0; i < 3; ++i) {
    const uint64_t size = grid.grid[i] / grid.cluster[i];
    at[i] = number % size;
    number /= size;
  }
  return at;
}

/// Describes the thread that made the earlier access.
static std::string earlierText(const GridState &grid, const Race &race) {
  if (race.isOfWarp)
    return "here by another lane of the warp";
  if (!race.cluster)
    return "here by warp " + std::to_string(race.earlier.warp - 1);
  std::array<uint64_t, 3> at = clusterAt(grid, *race.cluster);
  std::array<uint32_t, 3> first;
  for (int i = 0; i < 3; ++i)
    first[i] = static_cast<uint32_t>(at[i] * grid.cluster[i]);
  const bool isOne = grid.cluster[0] * grid.cluster[1] * grid.cluster[2] == 1;
  return (isOne ? "here by block " : "here by the cluster of block ") + triple(first);
}

static void reportRace(const GridState &grid, const Fault &fault, const Instruction &instruction,
                       const std::string &thread, DiagnosticSink &sink) {
  const Race &race = fault.race;
  Diagnostic &diagnostic = sink.report(DiagId::RunRace, instruction.range, thread, fault.isWrite ? "writes" : "reads",
                                       race.isGlobal ? "global memory" : "shared memory",
                                       "0x" + llvm::utohexstr(fault.address, /*LowerCase=*/true),
                                       race.cluster    ? "block"
                                       : race.isOfWarp ? "lane"
                                                       : "warp",
                                       race.isWrite ? "wrote" : "read");
  diagnostic.notes.push_back({earlierText(grid, race), race.earlier.at->range});
}

static void reportUnwritten(const Fault &fault, const Instruction &instruction, const std::string &thread,
                            DiagnosticSink &sink) {
  Diagnostic &diagnostic = sink.report(DiagId::RunUnwritten, instruction.range, thread, fault.text);
  if (fault.from == noInstruction || fault.from == fault.instruction)
    return;
  diagnostic.notes.push_back({"it was read here", fault.code->instruction(fault.from).range});
}

static void reportPartialWarp(const GridState &grid, const Fault &fault, const Instruction &instruction,
                              const std::string &opcode, DiagnosticSink &sink) {
  Diagnostic &diagnostic = sink.report(DiagId::PartialWarp, instruction.opcodeRange, opcode);
  diagnostic.severity = Severity::Error;
  const std::string other = threadText(grid, grid.faultThread - fault.lane + *fault.missing);
  diagnostic.notes.push_back({threadText(grid, grid.faultThread) + " comes to it", std::nullopt});
  if (fault.instead)
    diagnostic.notes.push_back({other + " of the same warp reaches this one", fault.instead->range});
  else
    diagnostic.notes.push_back({other + " of the same warp ends without it", std::nullopt});
}

static DeviceError errorOf(const GridState &grid, const Fault &fault) {
  if (fault.kind == Fault::Kind::Assertion)
    return DeviceError::Assertion;
  if (fault.isIllegal)
    return DeviceError::IllegalInstruction;
  if (fault.kind != Fault::Kind::Access || fault.access == AccessFault::None)
    return DeviceError::None;
  if (fault.access == AccessFault::Misaligned)
    return DeviceError::Misaligned;
  const uint64_t window = fault.address / windowBytes * windowBytes;
  constexpr uint32_t mostBytes =
      32; // maximum number of bytes that an instruction accesses; bulk copies are reported separately
  if (fault.space == Space::Global && fault.bytes <= mostBytes && (window == localWindow || window == sharedWindow))
    return DeviceError::AddressSpace;
  const uint64_t rank = fault.address % windowBytes >> sharedRankShift;
  const bool isShared = fault.space == Space::Shared || (fault.space == Space::Generic && window == sharedWindow);
  return isShared && rank >= uint64_t(grid.cluster[0]) * grid.cluster[1] * grid.cluster[2]
             ? DeviceError::IllegalInstruction
             : DeviceError::IllegalAddress;
}

void reportFault(const GridState &grid, Outcome &outcome) {
  const Fault &fault = *grid.fault;
  outcome.error = errorOf(grid, fault);
  const Instruction &instruction = fault.code->instruction(fault.instruction);
  const std::string opcode = grid.program.module->ast().text(instruction.opcode).str();
  DiagnosticSink sink;
  const std::string thread = threadText(grid, grid.faultThread);
  if (!fault.refusal.empty() && fault.kind != Fault::Kind::Undefined) {
    outcome.refusal = fault.refusal;
    outcome.refusedAt = instruction.range;
    return;
  }
  if (fault.missing)
    reportPartialWarp(grid, fault, instruction, opcode, sink);
  else if (fault.race.rule)
    reportAsyncRace(fault, instruction, thread, *grid.program.module, sink);
  else if (fault.race.earlier.warp) {
    reportRace(grid, fault, instruction, thread, sink);
  } else if (fault.kind == Fault::Kind::Undefined) {
    Diagnostic &diagnostic = sink.report(DiagId::RunUndefined, instruction.range, opcode, fault.refusal);
    diagnostic.notes.push_back({thread + " executes it", std::nullopt});
  } else if (fault.kind == Fault::Kind::Assertion)
    sink.report(DiagId::RunAssertion, instruction.range, thread);
  else if (fault.kind == Fault::Kind::Trap)
    sink.report(DiagId::RunTrap, instruction.opcodeRange, opcode, thread);
  else if (fault.kind == Fault::Kind::Division)
    sink.report(DiagId::RunDivision, instruction.range, thread);
  else if (fault.kind == Fault::Kind::NotFinite)
    sink.report(DiagId::RunNotFinite, instruction.range, thread, fault.text);
  else if (fault.kind == Fault::Kind::Unwritten)
    reportUnwritten(fault, instruction, thread, sink);
  else {
    const std::string address = "0x" + llvm::utohexstr(fault.address, /*LowerCase=*/true);
    const std::string what = fault.isWrite ? "writes" : "reads";
    if (fault.access == AccessFault::Misaligned)
      sink.report(DiagId::RunMisaligned, instruction.range, thread, what, fault.bytes, address);
    else if (fault.access == AccessFault::ReadOnly)
      sink.report(DiagId::RunReadOnly, instruction.range, thread, spaceText(Space::Const));
    else
      sink.report(DiagId::RunOutOfBounds, instruction.range, thread, what, fault.bytes, address, spaceText(fault.space),
                  near(grid, fault));
  }
  outcome.diagnostics = sink.take();
}

} // namespace ptxray::machine
