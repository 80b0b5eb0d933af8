#pragma once
// Finds matrix descriptors with known values among the operands of an instruction.
#include "Descriptor/Descriptor.h"
#include "Flow/Values.h"
#include "Match/Match.h"

namespace ptxray {

struct ShownDescriptor {
  Range range; // location of the operand
  const descriptor::Format *format = nullptr;
  uint64_t value = 0;
};

/// Returns whether any form of the instruction has a descriptor. Most have none.
bool mayHaveDescriptors(const isa::Mnemonic &mnemonic);
/// Returns the descriptors of the instruction with index `number` in the body. `values` must be those of the body.
std::vector<ShownDescriptor> descriptorsOf(const Body &body, uint32_t number, const ModuleContext &module,
                                           Values &values);

} // namespace ptxray
