#pragma once
// Writes the counts of a launch as JSON, with a name for each number.
#include "Diagnostics/Report.h"
#include "Emulate/Launch.h"

namespace ptxray::machine {

/// A counter: its column in the listing, and its name in Nsight Compute, which is empty if there is no such metric.
struct Counter {
  const char *column;
  const char *name;
  uint64_t InstructionCounts::*number;
};
llvm::ArrayRef<Counter> allCounters();

/// Returns the text of a counted instruction as one line.
std::string countedText(const FileReport &report, const CountedInstruction &one);
/// Returns the sums by kind of instruction, the most frequent kind first.
std::vector<std::pair<llvm::StringRef, InstructionCounts>> sumsByKind(llvm::ArrayRef<CountedInstruction> counts);
/// Returns the number of exact executions, and the total number of executions.
std::pair<uint64_t, uint64_t> exactOf(llvm::ArrayRef<CountedInstruction> counts);
bool isInexact(const CountedInstruction &one);

/// Returns all numbers of all instructions, in total and by kind. Counters have the names of the corresponding profiler
/// metrics, if there are any.
std::string countersJson(llvm::ArrayRef<CountedInstruction> counts, const FileReport &report, llvm::StringRef kernel);
/// Returns the executed instructions that are not exact, with the reasons.
std::string fidelityJson(llvm::ArrayRef<CountedInstruction> counts, const FileReport &report, llvm::StringRef kernel);

} // namespace ptxray::machine
