#pragma once
// The matrix descriptors among the operands of an instruction whose bits the text shows.
#include "Descriptor/Descriptor.h"
#include "Flow/Values.h"
#include "Match/Match.h"

namespace ptxray {

struct ShownDescriptor {
  Range range; // of the operand
  const descriptor::Format *format = nullptr;
  uint64_t value = 0;
};

/// Returns whether any form of the instruction has a descriptor: most have none.
bool mayHaveDescriptors(const isa::Mnemonic &mnemonic);
/// Returns the descriptors of one instruction of the body, counted from 0. `values` are those of the body.
std::vector<ShownDescriptor> descriptorsOf(const Body &body, uint32_t number, const ModuleContext &module,
                                           Values &values);

} // namespace ptxray
