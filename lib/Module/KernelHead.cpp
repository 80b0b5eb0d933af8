#include "Module/KernelHead.h"
#include "Diagnostics/Diagnostic.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

namespace ptxray {

/// Returns the product of the dimensions of a cluster or a block, saturated.
static uint64_t product(llvm::ArrayRef<Operand> dimensions) {
  uint64_t result = 1;
  for (const Operand &one : dimensions)
    result *= std::clamp<uint64_t>(static_cast<uint64_t>(one.value), 1, UINT16_MAX);
  return result;
}

static std::array<uint32_t, 3> sizes(llvm::ArrayRef<Operand> dimensions) {
  std::array<uint32_t, 3> result = {1, 1, 1};
  for (auto [size, one] : llvm::zip(result, dimensions))
    size = static_cast<uint32_t>(one.value);
  return result;
}

KernelHead headOf(const Ast &ast, const Function &function) {
  using isa::DirectiveId;
  KernelHead head;
  for (const Directive &directive :
       llvm::ArrayRef(ast.directives).slice(function.directives.first, function.directives.count)) {
    const llvm::ArrayRef<Operand> operands = ast.operandsOf(directive.operands);
    const llvm::StringRef name = ast.text(directive.name);
    // Numbers that do not fit 32 bits are reported elsewhere.
    const auto fits = [](const Operand &one) { return one.value > 0 && one.value <= UINT32_MAX; };
    if (operands.empty() || !llvm::all_of(operands, fits))
      continue;
    const auto isNamed = [&](DirectiveId id) { return name == llvm::StringRef(isa::directive(id).name()); };
    const auto value = static_cast<uint64_t>(operands.front().value);
    if (isNamed(DirectiveId::Maxnreg)) {
      head.registers = value;
      head.registersRange = operands.front().range;
    } else if (isNamed(DirectiveId::Maxntid) || isNamed(DirectiveId::Reqntid)) {
      head.threads = product(operands);
      head.depth = operands.size() > 2 ? static_cast<uint64_t>(operands[2].value) : 1;
      head.threadsRange = directive.range;
      head.threadsName = name;
      if (isNamed(DirectiveId::Reqntid))
        head.requiredBlock = sizes(operands);
    } else if (isNamed(DirectiveId::Minnctapersm)) {
      head.blocks = value;
      head.blocksRange = operands.front().range;
    } else if (isNamed(DirectiveId::Reqnctapercluster) || isNamed(DirectiveId::Maxclusterrank)) {
      head.clusterBlocks = product(operands);
      head.clusterRange = directive.range;
      head.clusterName = name;
      if (isNamed(DirectiveId::Reqnctapercluster))
        head.requiredCluster = sizes(operands);
    }
  }
  return head;
}

/// Returns whether a multiprocessor can hold the number of blocks that `.minnctapersm` requires.
static bool canHold(const KernelHead &head, const isa::Target &arch) {
  return head.threads && *head.blocks <= arch.blocks && *head.threads * *head.blocks <= arch.threads;
}

void checkHead(const KernelHead &head, const Availability &availability, DiagnosticSink &sink) {
  const auto limit = [&](isa::LimitId id) { return isa::limit(id, availability); };
  if (!head.registers && !head.threads && !head.blocks && head.clusterBlocks == 1)
    return;
  const uint16_t target = availability.module().target;
  if (const uint64_t most = limit(isa::LimitId::ThreadRegisters); head.registers && *head.registers > most)
    sink.report(DiagId::TooManyRegisters, head.registersRange, *head.registers, most);
  if (const uint64_t least = limit(isa::LimitId::LeastRegisters); head.registers && *head.registers < least)
    sink.report(DiagId::TooFewRegisters, head.registersRange, *head.registers, least);
  const uint64_t threads = limit(isa::LimitId::BlockThreads), depth = limit(isa::LimitId::BlockDepth);
  if (const bool isDeep = head.depth > depth; head.threads.value_or(0) > threads || isDeep)
    sink.report(DiagId::TooManyThreads, head.threadsRange, head.threadsName,
                isDeep ? std::to_string(depth) + " in the third dimension" : std::to_string(threads) + " in a block");
  if (target != anyTarget && head.blocks && head.threads.value_or(UINT64_MAX) <= threads)
    if (const isa::Target &arch = isa::targets()[target]; arch.threads && !canHold(head, arch))
      sink.report(DiagId::TooManyBlocks, head.blocksRange, *head.blocks, arch.name());
  if (const uint64_t most = limit(isa::LimitId::ClusterBlocks); head.clusterBlocks > most)
    sink.report(DiagId::LargeCluster, head.clusterRange, head.clusterName, most);
}

KernelHead withOptions(const KernelHead &head, const CheckOptions &options, const Availability &availability) {
  const KernelOptions &told = options.kernels;
  KernelHead result = head;
  // With a single number for all functions, other options are ignored. A kernel with its own directives ignores this
  // number.
  if (told.maxrregcount) {
    // Functions that are compiled for a linker may have their own numbers, and a kernel may reach some of them.
    const bool isUncertain = told.forFunctions && options.linking == Linking::Separate;
    if (!told.overDirectives && !isUncertain && (head.registers || head.threads))
      return result;
    result.registers = result.threads = result.blocks = std::nullopt;
    if (!isUncertain && *told.maxrregcount <= isa::limit(isa::LimitId::ThreadRegisters, availability))
      result.registers = told.maxrregcount; // a greater number is ignored
    result.registersRange = {};
    return result;
  }
  const auto take = [&](std::optional<uint64_t> &value, Range &range, std::optional<uint64_t> option) {
    if (option && (!value || told.overDirectives)) {
      value = option;
      range = {};
    }
  };
  take(result.threads, result.threadsRange, told.maxntid);
  take(result.blocks, result.blocksRange, told.minnctapersm);
  return result;
}

/// Returns the maximum number of registers per thread if this many warps share those of a multiprocessor. Registers are
/// assigned to four warps at a time, in units of eight.
static uint64_t registersOfWarps(uint64_t warps, uint64_t all, uint64_t most) {
  constexpr uint64_t lanes = 32, warpsTogether = 4, registersTogether = 8;
  const uint64_t threads = lanes * llvm::alignTo(std::max<uint64_t>(1, warps), warpsTogether);
  return std::min(most, llvm::alignDown(all / threads, registersTogether));
}

RegisterBound registerBound(const KernelHead &head, const isa::Target &arch, const Availability &availability) {
  const auto limit = [&](isa::LimitId id) { return isa::limit(id, availability); };
  const uint64_t most = limit(isa::LimitId::ThreadRegisters);
  RegisterBound bound = {most, false, {}};
  const bool fits = head.threads && *head.threads <= arch.threads, blocksCount = head.blocks && canHold(head, arch);
  // `.maxnreg` takes precedence over the block size, even if that is too large to count.
  if (fits && (blocksCount || !head.registers)) {
    const uint64_t warps = llvm::divideCeil(*head.threads, 32) * (blocksCount ? *head.blocks : 1);
    const uint64_t left = registersOfWarps(warps, limit(isa::LimitId::AllRegisters), most);
    bound = {left, blocksCount, blocksCount ? head.blocksRange : head.threadsRange};
  }
  if (head.registers && *head.registers <= most && *head.registers < bound.registers)
    bound = {std::max(*head.registers, limit(isa::LimitId::LeastRegisters)), true, head.registersRange};
  return bound;
}

} // namespace ptxray
