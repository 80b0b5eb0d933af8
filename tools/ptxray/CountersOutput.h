#pragma once
// These functions write the counts of `run --emulate` as text, as a picture, and as coverage of lines.
#include "Emulate/CountersJson.h"

namespace ptxray {

/// A listing of the instructions with their counts, then the lines of the source that they were made from.
void writeCounters(llvm::raw_ostream &out, llvm::ArrayRef<machine::CountedInstruction> counts,
                   const FileReport &report);
/// An SVG of the listing with bars for executions, passes through shared memory and sectors of global memory.
void writeCountersPicture(llvm::raw_ostream &out, llvm::ArrayRef<machine::CountedInstruction> counts,
                          const FileReport &report, llvm::StringRef kernel);
/// The instructions that were executed and are not exact.
void writeFidelity(llvm::raw_ostream &out, llvm::ArrayRef<machine::CountedInstruction> counts,
                   const FileReport &report);
/// A tracefile of lcov: how often each line was executed, and for how many lanes guards were true and false.
void writeCoverage(llvm::raw_ostream &out, llvm::ArrayRef<machine::CountedInstruction> counts,
                   const FileReport &report);

} // namespace ptxray
