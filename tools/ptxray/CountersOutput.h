#pragma once
// Writes the counters of `run --emulate` as text, as a picture, and as line coverage.
#include "Emulate/CountersJson.h"

namespace ptxray {

/// Writes a listing of the instructions with their counters, then the lines of the original source.
void writeCounters(llvm::raw_ostream &out, llvm::ArrayRef<machine::CountedInstruction> counts,
                   const FileReport &report);
/// Writes an SVG of the listing, with bars for executions, shared-memory wavefronts and global-memory sectors.
void writeCountersPicture(llvm::raw_ostream &out, llvm::ArrayRef<machine::CountedInstruction> counts,
                          const FileReport &report, llvm::StringRef kernel);
/// Writes the executed instructions that are not exact.
void writeFidelity(llvm::raw_ostream &out, llvm::ArrayRef<machine::CountedInstruction> counts,
                   const FileReport &report);
/// Writes an lcov tracefile: how often each line was executed, and for how many lanes guards were true and false.
void writeCoverage(llvm::raw_ostream &out, llvm::ArrayRef<machine::CountedInstruction> counts,
                   const FileReport &report);

} // namespace ptxray
