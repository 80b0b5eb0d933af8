// Replaces one field of a tensor map in memory.
#include "Machine/Async.h"
#include "Machine/TensorMap.h"
#include "llvm/ADT/StringSwitch.h"
#include <algorithm>
#include <cstring>

namespace ptxray::machine {

namespace {

enum class Field : uint8_t { None, Address, Rank, Box, Extent, Step, Stride, Type, Interleave, Swizzle, Atom, Filling };

struct Replacement {
  AddressOf map;
  Field field = Field::None;
  uint32_t dimension = 0;
  Place value;
};

Field fieldOf(const Lowered &one) {
  for (const OpcodeWord &word : one.verdict.opcode->words) {
    const Field field = llvm::StringSwitch<Field>(word.text)
                            .Case(".global_address", Field::Address)
                            .Case(".rank", Field::Rank)
                            .Case(".box_dim", Field::Box)
                            .Case(".global_dim", Field::Extent)
                            .Case(".element_stride", Field::Step)
                            .Case(".global_stride", Field::Stride)
                            .Case(".elemtype", Field::Type)
                            .Case(".interleave_layout", Field::Interleave)
                            .Case(".swizzle_mode", Field::Swizzle)
                            .Case(".swizzle_atomicity", Field::Atom)
                            .Case(".fill_mode", Field::Filling)
                            .Default(Field::None);
    if (field != Field::None)
      return field;
  }
  return Field::None;
}

void replace(TensorMap &map, const Replacement &what, uint64_t value) {
  const auto number = static_cast<uint32_t>(value);
  switch (what.field) {
  case Field::Address: map.address = value; break;
  case Field::Rank: map.rank = number + 1; break; // counted from 0
  case Field::Box: map.box[what.dimension] = number; break;
  case Field::Extent: map.extents[what.dimension] = number; break;
  case Field::Step: map.steps[what.dimension] = number; break;
  case Field::Stride: map.strides[std::min(what.dimension, mostTensorRank - 2)] = value; break;
  case Field::Type: map.type = static_cast<TensorType>(number); break;
  case Field::Interleave: map.interleave = static_cast<TensorInterleave>(number); break;
  case Field::Swizzle: map.swizzle = static_cast<TensorSwizzle>(number); break;
  case Field::Atom: map.atom = static_cast<SwizzleAtom>(number); break;
  case Field::Filling: map.fillsWithNan = number; break;
  case Field::None: break;
  }
}

void replaceField(char *registers, const Op &op, uint32_t mask, Warp &warp) {
  const auto &what = *static_cast<const Replacement *>(op.more);
  for (uint32_t left = mask; left; left &= left - 1) {
    const auto lane = static_cast<unsigned>(__builtin_ctz(left));
    const uint64_t at = addressIn(registers, what.map, lane);
    const Lookup found = look(warp, what.map.space, at, tensorMapBytes, lane, true);
    if (!found.bytes || at % tensorMapAlignment)
      return report(warp, op, found.bytes ? AccessFault::Misaligned : found.fault, what.map, at, tensorMapBytes, true,
                    lane);
    uint8_t bytes[tensorMapBytes];
    std::memcpy(bytes, found.bytes, sizeof bytes);
    TensorMap map = readTensorMap(bytes);
    replace(map, what, addressIn(registers, {what.value, 0}, lane));
    writeTensorMap(map, bytes);
    std::memcpy(found.bytes, bytes, sizeof bytes);
  }
}

} // namespace

bool replaceInTensorMap(const Lowered &one, BodyLowering &lowering) {
  Replacement what;
  what.map = lowering.addressAt(one, one.node("addr"));
  what.field = fieldOf(one);
  if (const int node = one.node("ord"); node >= 0)
    what.dimension = std::min(static_cast<uint32_t>(one.nodes[node].value), mostTensorRank - 1);
  for (const char *name : {"new_val", "dim", "half-pair", "stride", "code"})
    if (const int node = one.node(name); node >= 0)
      what.value = lowering.placeOf(one, node, what.field == Field::Address || what.field == Field::Stride ? 64 : 32);
  if (what.field == Field::None || !what.value.bits)
    return false;
  lowering.emit(replaceField, what);
  return true;
}

} // namespace ptxray::machine
