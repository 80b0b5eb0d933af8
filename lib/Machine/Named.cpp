// Implements named functions of formulas that concern addresses, and memory shared by lanes.
#include "Isa/Words.h"
#include "Machine/Async.h"
#include "Machine/Images.h"
#include "Machine/Products.h"
#include "Machine/Stack.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include <cstring>

namespace ptxray::machine {

namespace {

/// Calls `compute` with the number that each lane reads, and writes the result.
template <class Compute>
void eachLane(char *registers, const Op &op, uint32_t mask, unsigned from, unsigned to, Compute compute) {
  for (uint32_t left = mask; left; left &= left - 1) {
    const auto lane = static_cast<unsigned>(__builtin_ctz(left));
    uint64_t value = 0;
    std::memcpy(&value, registers + op.a + size_t(lane) * from, from);
    value = compute(value, lane);
    std::memcpy(registers + op.d + size_t(lane) * to, &value, to);
  }
}

/// Widths of an operation's registers in bytes, and a number.
struct Widths {
  uint8_t from, to;
  uint64_t number;
  Place other; // second source
};

uint64_t windowOf(isa::WordId space) {
  switch (space) {
  case isa::words::local: return localWindow;
  case isa::words::shared:
  case isa::words::shared_cta:
  case isa::words::shared_cluster: return sharedWindow;
  case isa::words::const_: return 0; // constant banks are in device memory
  case isa::words::param:
  case isa::words::param_entry: return paramWindow;
  default: return 0;
  }
}

isa::WordId writtenSpace(const Lowered &one) {
  for (const OpcodeWord &word : one.verdict.opcode->words)
    if (isa::word(word.id).wordClass == isa::WordClass::Space)
      return word.id;
  return isa::words::global;
}

void addWindow(char *registers, const Op &op, uint32_t mask, Warp &) {
  const auto &widths = *static_cast<const Widths *>(op.more);
  if (widths.from != 8 || widths.to != 8)
    return eachLane(registers, op, mask, widths.from, widths.to,
                    [&](uint64_t value, unsigned) { return value + widths.number; });
  const auto *from = lanesOf<uint64_t>(registers, op.a);
  auto *to = lanesOf<uint64_t>(registers, op.d);
  for (unsigned lane = 0; lane < warpSize; ++lane) // the compiler vectorises this form
    to[lane] = mask >> lane & 1 ? from[lane] + widths.number : to[lane];
}

void testWindow(char *registers, const Op &op, uint32_t mask, Warp &) {
  const auto &widths = *static_cast<const Widths *>(op.more);
  uint32_t lanes;
  std::memcpy(&lanes, registers + op.d, 4);
  for (uint32_t left = mask; left; left &= left - 1) {
    const auto lane = static_cast<unsigned>(__builtin_ctz(left));
    uint64_t value = 0;
    std::memcpy(&value, registers + op.a + size_t(lane) * widths.from, widths.from);
    const bool isInside = widths.number ? value / windowBytes == widths.number / windowBytes : value >= globalBegin;
    lanes = (lanes & ~(1u << lane)) | uint32_t(isInside) << lane;
  }
  std::memcpy(registers + op.d, &lanes, 4);
}

constexpr uint64_t rankMask = uint64_t(255) << sharedRankShift;

void setRank(char *registers, const Op &op, uint32_t mask, Warp &) {
  const auto &widths = *static_cast<const Widths *>(op.more);
  eachLane(registers, op, mask, widths.from, widths.to, [&](uint64_t value, unsigned lane) {
    return (value & ~rankMask) | (addressIn(registers, {widths.other, 0}, lane) & 255) << sharedRankShift;
  });
}

void getRank(char *registers, const Op &op, uint32_t mask, Warp &) {
  const auto &widths = *static_cast<const Widths *>(op.more);
  eachLane(registers, op, mask, widths.from, widths.to,
           [](uint64_t value, unsigned) { return (value & rankMask) >> sharedRankShift; });
}

/// Returns the nodes of the result and of the first source.
std::pair<int, int> resultAndSource(const Lowered &one) {
  int result = -1, source = -1;
  for (unsigned i = 0; i < one.match().operands.size(); ++i) {
    const int node = one.match().nodeOf[i];
    if (node < 0)
      continue;
    int &place = one.match().operands[i].rules & isa::Destination ? result : source;
    place = place < 0 ? node : place;
  }
  return {result, source};
}

bool lowerAddress(Handler run, uint64_t number, const Lowered &one, BodyLowering &lowering, Place other = {}) {
  const auto [result, source] = resultAndSource(one);
  const Place to = lowering.placeOf(one, result, 64), from = lowering.placeOf(one, source, 64);
  if (!to.bits || !from.bits)
    return false;
  Op op;
  op.run = run;
  op.d = to.slot;
  op.a = from.slot;
  op.more =
      lowering.keep(Widths{static_cast<uint8_t>(from.bits / 8), static_cast<uint8_t>(to.bits / 8), number, other});
  lowering.emit(op);
  return true;
}

bool genericAddress(const Lowered &one, BodyLowering &lowering) {
  return lowerAddress(addWindow, windowOf(writtenSpace(one)), one, lowering);
}
bool addressInSpace(const Lowered &one, BodyLowering &lowering) {
  return lowerAddress(addWindow, 0 - windowOf(writtenSpace(one)), one, lowering);
}
bool liesInSpace(const Lowered &one, BodyLowering &lowering) {
  return lowerAddress(testWindow, windowOf(writtenSpace(one)), one, lowering);
}
bool addressInBlock(const Lowered &one, BodyLowering &lowering) {
  Place rank;
  for (unsigned i = one.match().operands.size(); i-- && !rank.bits;)
    if (!(one.match().operands[i].rules & isa::Destination))
      rank = lowering.placeOf(one, one.match().nodeOf[i], 32);
  return lowerAddress(setRank, 0, one, lowering, rank);
}
bool blockOf(const Lowered &one, BodyLowering &lowering) { return lowerAddress(getRank, 0, one, lowering); }

/// Lowers ldmatrix and stmatrix of 8 x 8 elements of 16 bits.
bool matrices(const Lowered &one, BodyLowering &lowering) {
  MatrixAccess access;
  bool areSquare = false;
  for (const OpcodeWord &word : one.verdict.opcode->words) {
    access.isTransposed |= isa::word(word.id).text() == ".trans";
    areSquare |= isa::word(word.id).text() == ".m8n8";
  }
  if (!areSquare)
    return false;
  for (unsigned i = 0; i < one.match().operands.size(); ++i) {
    const int node = one.match().nodeOf[i];
    if (node < 0)
      continue;
    if (one.match().operands[i].role == isa::OperandRole::Address) {
      access.rows = lowering.addressAt(one, node);
      continue;
    }
    access.isWrite = !(one.match().operands[i].rules & isa::Destination);
    const bool isVector = one.nodes[node].kind == OperandKind::Vector;
    for (uint32_t at = node + isVector; at < uint32_t(node) + one.nodes[node].extent; ++at)
      access.registers.push_back(lowering.placeOf(one, static_cast<int>(at), 32));
  }
  lowering.emit(accessMatrices, access);
  return access.registers.size() <= 4;
}

/// Ignores an instruction whose effects are described by facts.
bool nothing(const Lowered &, BodyLowering &) { return true; }

/// Lowers the creation of a cache policy. It is a hint without effect on results, so its bits are 0.
bool policy(const Lowered &one, BodyLowering &lowering) {
  return lowerAddress([](char *registers, const Op &op, uint32_t mask,
                         Warp &) { eachLane(registers, op, mask, 0, 8, [](uint64_t, unsigned) { return 0; }); },
                      0, one, lowering);
}

} // namespace

bool lowerNamed(llvm::StringRef name, const Lowered &one, BodyLowering &lowering) {
  using Lower = bool (*)(const Lowered &, BodyLowering &);
  const Lower lower = llvm::StringSwitch<Lower>(name)
                          .Case("generic-address", genericAddress)
                          .Case("address-in-space", addressInSpace)
                          .Case("lies-in-space", liesInSpace)
                          .Case("address-in-block", addressInBlock)
                          .Case("block-of", blockOf)
                          .Case("matrices", matrices)
                          .Case("policy", policy)
                          .Case("barrier-state", nothing)
                          .Case("for-each-block", nothing)
                          .Case("warpgroup-product", multiplyInWarpgroup)
                          .Case("sparse-warpgroup-product", multiplyInWarpgroup)
                          .Case("tensor-product", multiplyInTensorMemory)
                          .Case("tensor-columns", moveTensorColumns)
                          .Case("tensor-copy", copyToTensorMemory)
                          .Case("shifted-rows", shiftTensorRows)
                          .Case("canceled-cluster", cancelNothing)
                          .Case("is-canceled", nothingCanceled)
                          .Case("first-block", nothingCanceled)
                          .Case("replaced", replaceInTensorMap)
                          .Case("pending-arrivals", pendingArrivals)
                          .Case("to-each-block", copyToEachBlock)
                          .Case("masked-copy", copyMasked)
                          .Case("bulk-reduction", reduceInBulk)
                          .Case("filled", fillWithZeros)
                          .Case("tile", loadTile)
                          .Case("store-tile", storeTile)
                          .Case("reduce-tile", storeTile)
                          .Case("texel", fetchTexture)
                          .Case("four-texels", fetchTexture)
                          .Case("is-resident", fetchTexture)
                          .Case("surface-element", useSurface)
                          .Case("attribute", askImage)
                          .Case("is-handle", askHandle)
                          .Case("stack-pointer", readStack)
                          .Case("set-stack-pointer", setStack)
                          .Case("stack-memory", takeStack)
                          .Default(nullptr);
  return lower && lower(one, lowering);
}

} // namespace ptxray::machine
