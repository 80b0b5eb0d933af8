#include "Observe/Trace.h"
#include "Machine/Grid.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"
#include <cstring>

namespace ptxray::machine {

std::string numberText(const Frame &frame, const Symbol &symbol, Slot slot, unsigned lane) {
  if (symbol.isPredicate) {
    uint32_t lanes;
    std::memcpy(&lanes, frame.registers + slot, sizeof lanes);
    return lanes >> lane & 1 ? "true" : "false";
  }
  const isa::Word &type = isa::word(symbol.type);
  const unsigned bytes = std::max<unsigned>(type.bits, 16) / 8; // an 8-bit register is as wide as a 16-bit one
  uint64_t bits[2] = {};
  std::memcpy(bits, frame.registers + slot + size_t(lane) * bytes, std::min<size_t>(bytes, sizeof bits));
  std::string hex = bits[1] ? "0x" + llvm::utohexstr(bits[1], true) + llvm::utohexstr(bits[0], true, 16)
                            : "0x" + llvm::utohexstr(bits[0], true);
  const std::optional<ElementType> known = elementType(symbol.type);
  if (!known || known->count != 1 || bits[1])
    return hex;
  if (known->isFloat() && known->bits >= 32) {
    const double number = known->bits == 64 ? llvm::bit_cast<double>(bits[0])
                                            : double(llvm::bit_cast<float>(static_cast<uint32_t>(bits[0])));
    char text[32];
    std::snprintf(text, sizeof text, known->bits == 64 ? "%.17g" : "%.9g", number);
    return text + (" (" + hex + ")");
  }
  if (known->isSigned())
    return std::to_string(llvm::SignExtend64(bits[0], known->bits)) + " (" + hex + ")";
  return std::to_string(bits[0]) + " (" + hex + ")";
}

/// Returns the traced lane of the warp, if there is one.
static std::optional<unsigned> tracedLane(const Warp &warp, const TracedThread &traced) {
  const std::array<uint32_t, 3> &size = warp.block->grid->block, &at = traced.thread;
  const uint32_t thread = at[0] + size[0] * (at[1] + size[1] * at[2]);
  if (traced.block != warp.block->index || thread / warpSize != warp.number)
    return std::nullopt;
  return thread % warpSize;
}

bool TraceObserver::follows(const Warp &warp) const { return tracedLane(warp, traced).has_value(); }

void TraceObserver::executed(Warp &warp, const FunctionCode &code, uint32_t instruction, uint32_t lanes) {
  const std::optional<unsigned> lane = tracedLane(warp, traced);
  if (!lane || !(lanes >> *lane & 1) || lines.size() == mostTraced)
    return;
  const Body &body = *code.body;
  const Frame &frame = *warp.now.frame;
  TraceLine line;
  line.range = code.instruction(instruction).range;
  size_t result = 0, address = 0;
  const RegisterFlow flow = code.flow(instruction);
  for (const auto [local, uses] : llvm::zip(body.namesOf(instruction), body.usesOf(instruction))) {
    if (!body.isRegister(local) || body.symbol(local)->shape.vector || !(uses & (Writes | Addresses)))
      continue;
    const Slot slot = uses & Writes ? flow.results[result++] : flow.addresses[address++];
    line.values.push_back(body.text(local).str() + " = " + numberText(frame, *body.symbol(local), slot, *lane));
  }
  lines.push_back(std::move(line));
}

void TraceObserver::finish(const GridState &, Outcome &outcome) { outcome.trace = lines; }

} // namespace ptxray::machine
