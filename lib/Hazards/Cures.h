#pragma once
// The one instruction that mends a fault, offered as a fix. Which one it is the facts of the tables say: one that
// waits for the group, or commits it, or orders what is not ordered.
#include "Hazards/Hazards.h"

namespace ptxray {

/// Before the use, or the barrier between the operation and it; only if the operation is in no group yet, a commit.
void offerWait(Diagnostic &diagnostic, HazardContext &context, const Operation &operation, uint32_t use, uint8_t level);
/// After the last operation before the wait, so that this covers it.
void offerCommit(Diagnostic &diagnostic, HazardContext &context, const Operation &operation, uint32_t wait);
/// Before the operation that reads the registers.
void offerRegisterFence(Diagnostic &diagnostic, HazardContext &context, uint32_t operation);
/// Between the write and the read, before a barrier that comes between.
void offerProxyFence(Diagnostic &diagnostic, HazardContext &context, uint32_t write, bool isCopy, uint32_t read);
/// After the last initialisation in a row.
void offerInitFence(Diagnostic &diagnostic, HazardContext &context, uint32_t init);

} // namespace ptxray
