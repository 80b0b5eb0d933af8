#include "Machine/Undefined.h"
#include "Machine/Access.h"
#include "Machine/Grid.h"
#include "llvm/ADT/STLExtras.h"

namespace ptxray::machine {

void raiseUndefined(Warp &warp, uint32_t instruction, unsigned lane, std::string why) {
  if (Fault *fault = raise(warp, instruction, lane)) {
    fault->kind = Fault::Kind::Undefined;
    fault->refusal = std::move(why);
  }
}

bool isBeyondTable(Warp &warp, uint32_t instruction, const JumpTable &table, uint32_t mask) {
  for (uint32_t left = mask; left; left &= left - 1) {
    const auto lane = static_cast<unsigned>(__builtin_ctz(left));
    const uint64_t index = addressIn(warp.now.frame->registers, {table.index, 0}, lane);
    if (index < table.targets.size())
      continue;
    raiseUndefined(warp, instruction, lane,
                   "an index of " + std::to_string(index) + " in a list of " + std::to_string(table.targets.size()) +
                       (table.targets.size() == 1 ? " label" : " labels"));
    return true;
  }
  return false;
}

bool isNoBarrier(Warp &warp, uint32_t instruction, const BarrierSite &site, uint32_t mask) {
  const auto lane = static_cast<unsigned>(__builtin_ctz(mask));
  const uint64_t number = addressIn(warp.now.frame->registers, {site.number, 0}, lane);
  const size_t last = warp.block->barriers.size() - 1;
  if (site.scope != isa::Scope::Cta || number <= last)
    return false;
  raiseUndefined(warp, instruction, lane,
                 "barrier " + std::to_string(number) + " of a block, which has barriers 0 to " + std::to_string(last));
  return true;
}

/// Returns the description of the first difference; empty if there is none. A value with no bytes is discarded.
static std::string difference(llvm::ArrayRef<Passed> passed, llvm::ArrayRef<Passed> declared, const std::string &what) {
  if (passed.size() != declared.size())
    return std::to_string(passed.size()) + " " + what + (passed.size() == 1 ? "" : "s") + " for a function of " +
           std::to_string(declared.size());
  for (const auto &[one, other] : llvm::zip(passed, declared))
    if (one.bytes && other.bytes && one.bytes != other.bytes)
      return "a" + std::string(what == "argument" ? "n " : " ") + what + " of " + std::to_string(one.bytes) +
             " bytes for a function that declares " + std::to_string(other.bytes);
  return "";
}

bool differsFromCallee(Warp &warp, uint32_t instruction, const CallSite &site, const FunctionCode &callee,
                       unsigned lane) {
  if (site.callee)
    return false;
  std::string why = difference(site.arguments, callee.parameters, "argument");
  if (why.empty())
    why = difference(site.results, callee.results, "result");
  if (why.empty())
    return false;
  raiseUndefined(warp, instruction, lane, std::move(why));
  return true;
}

} // namespace ptxray::machine
