#pragma once
// These functions offer, as a fix, the one instruction that mends a fault. The facts of the tables say which one it is:
// one that waits for the group, or commits it, or orders what is not ordered.
#include "Hazards/Hazards.h"

namespace ptxray {

/// Offers a wait before the use, or before the barrier between the operation and it. If the operation is in no group
/// yet, the instruction must commit it, too.
void offerWait(Diagnostic &diagnostic, HazardContext &context, const Operation &operation, uint32_t use, uint8_t level);
/// Offers a commit after the last operation before the wait, so that this covers it.
void offerCommit(Diagnostic &diagnostic, HazardContext &context, const Operation &operation, uint32_t wait);
/// Offers a fence before the operation that reads the registers.
void offerRegisterFence(Diagnostic &diagnostic, HazardContext &context, uint32_t operation);
/// Offers a fence between the write and the read, before a barrier that comes between.
void offerProxyFence(Diagnostic &diagnostic, HazardContext &context, uint32_t write, bool isCopy, uint32_t read);
/// Offers a fence after the last initialisation in a row.
void offerInitFence(Diagnostic &diagnostic, HazardContext &context, uint32_t init);

} // namespace ptxray
