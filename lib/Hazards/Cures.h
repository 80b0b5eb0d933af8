#pragma once
// Each function offers a fix that inserts or changes one instruction. The facts in the tables determine that
// instruction: it waits for the group, commits it, or orders the accesses.
#include "Hazards/Hazards.h"

namespace ptxray {

/// Offers a wait before the use, or before the barrier between the operation and the use. If the operation is not in a
/// group yet, the instruction must also commit it.
void offerWait(Diagnostic &diagnostic, HazardContext &context, const Operation &operation, uint32_t use, uint8_t level);
/// Offers a commit after the last operation before the wait, so that the wait covers the operation.
void offerCommit(Diagnostic &diagnostic, HazardContext &context, const Operation &operation, uint32_t wait);
/// Offers a fence before the operation that reads the registers.
void offerRegisterFence(Diagnostic &diagnostic, HazardContext &context, uint32_t operation);
/// Offers a fence between the write and the read, before the barrier between them if there is one.
void offerProxyFence(Diagnostic &diagnostic, HazardContext &context, uint32_t write, bool isCopy, uint32_t read);
/// Offers a fence after the last of consecutive initialisations.
void offerInitFence(Diagnostic &diagnostic, HazardContext &context, uint32_t init);

} // namespace ptxray
