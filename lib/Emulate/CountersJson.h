#pragma once
// The counts of a launch as JSON, and what each number is called.
#include "Diagnostics/Report.h"
#include "Emulate/Launch.h"

namespace ptxray::machine {

/// A number that is counted: its column in the listing, and what Nsight Compute calls it (nothing: it has no such
/// metric).
struct Counter {
  const char *column;
  const char *name;
  uint64_t InstructionCounts::*number;
};
llvm::ArrayRef<Counter> allCounters();

/// Returns the text of a counted instruction in one line.
std::string countedText(const FileReport &report, const CountedInstruction &one);
/// Returns the sums of instructions of one kind, the most frequent first.
std::vector<std::pair<llvm::StringRef, InstructionCounts>> sumsByKind(llvm::ArrayRef<CountedInstruction> counts);
/// Counts the executions that are exact, and all of them.
std::pair<uint64_t, uint64_t> exactOf(llvm::ArrayRef<CountedInstruction> counts);
bool isInexact(const CountedInstruction &one);

/// Returns all numbers of all instructions, in total, and by kind. The names are those of a profiler's metrics, where
/// it has them.
std::string countersJson(llvm::ArrayRef<CountedInstruction> counts, const FileReport &report, llvm::StringRef kernel);
/// Returns the instructions that were executed and are not exact, with the reason.
std::string fidelityJson(llvm::ArrayRef<CountedInstruction> counts, const FileReport &report, llvm::StringRef kernel);

} // namespace ptxray::machine
