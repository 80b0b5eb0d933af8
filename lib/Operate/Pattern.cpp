#include "Operate/Pattern.h"
#include "llvm/ADT/STLExtras.h"

namespace ptxray::machine {

Likeness likenessOf(llvm::ArrayRef<Place> byNode) {
  constexpr unsigned bitsOfWidth = 8;
  Likeness result;
  result.reserve(byNode.size());
  for (size_t i = 0; i < byNode.size(); ++i) {
    size_t first = 0;
    while (byNode[first].slot != byNode[i].slot)
      ++first;
    result.push_back(static_cast<uint32_t>(first << bitsOfWidth) | byNode[i].bits);
  }
  return result;
}

/// Renames the registers of the operations and of the memory.
template <class Rename> static void rename(Compiled &compiled, Kept &kept, Rename slotOf) {
  for (MemoryUses *uses : {&compiled.reads, &compiled.writes})
    for (MemoryUse &use : *uses)
      for (Place &element : use.elements)
        slotOf(element.slot);
  for (Op &op : compiled.ops) {
    for (Slot *slot : {&op.d, &op.a, &op.b, &op.c})
      slotOf(*slot);
    if (op.whole != allLanes)
      slotOf(op.whole);
  }
  if (compiled.places) {
    std::shared_ptr<const ManyPlaces> places = compiled.places->renamed(slotOf);
    compiled.ops[0].more = compiled.places = places.get();
    kept.push_back(std::move(places));
  }
}

Pattern::Pattern(const Recipe &recipe, llvm::ArrayRef<Place> byNode) {
  RegisterFile file;
  llvm::SmallVector<Place, 16> places(byNode.size());
  for (size_t i = 0; i < byNode.size(); ++i) {
    if (!byNode[i].bits)
      continue;
    size_t first = 0;
    while (byNode[first].slot != byNode[i].slot)
      ++first;
    places[i] = first < i ? places[first] : file.add(byNode[i].bits);
  }
  const Place carry = file.add(1);
  compiled = compile(recipe, places, carry, file, own);
  requests = file.requests();
  llvm::SmallVector<Slot, 32> slots = {noSlot};
  for (const Place place : places)
    slots.push_back(place.slot);
  slots.push_back(carry.slot);
  for (const RegisterFile::Request &one : requests)
    slots.push_back(one.place.slot);
  rename(compiled, own, [&](Slot &slot) { slot = static_cast<Slot>(llvm::find(slots, slot) - slots.begin()); });
}

Compiled Pattern::at(llvm::ArrayRef<Place> byNode, Place carry, RegisterFile &file, Kept &kept) const {
  llvm::SmallVector<Slot, 32> slots = {noSlot};
  for (const Place place : byNode)
    slots.push_back(place.slot);
  slots.push_back(carry.slot);
  for (const RegisterFile::Request &one : requests)
    slots.push_back((one.isConstant ? file.constant(one.place.bits, one.value) : file.temporary(one.place.bits)).slot);
  Compiled result = compiled;
  if (!result.places)
    kept.insert(kept.end(), own.begin(), own.end());
  rename(result, kept, [&](Slot &slot) { slot = slots[slot]; });
  return result;
}

} // namespace ptxray::machine
