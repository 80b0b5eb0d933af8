#pragma once
#include "Snippets.h"
#include <set>
#include <string>
#include <vector>

namespace ptxray::test {

/// A verdict is what ptxas says of a module.
struct PtxasVerdict {
  bool accepts = false;
  std::set<unsigned> errorLines; // counted from 1
  std::string output;
};

/// $PTXRAY_PTXAS, else the newest that `tools/dev cuda` has fetched, else the one in PATH; empty:
/// none.
std::string findPtxas();

/// Says that the test is skipped, and with what status to end: a failure where $PTXRAY_REQUIRE names ptxas.
int statusWithoutPtxas();

/// Reads and checks the module; generates code for it only if asked to.
PtxasVerdict askPtxas(const std::string &ptxas, const Module &module, bool compile = false);
/// The lines of a section that are refused. An error can hide others, so the refused lines are taken away and
/// the rest is asked again until none is; where ptxas names none of them, each is asked alone. A line may be
/// refused for what stands beside it.
std::set<unsigned> askLines(const std::string &ptxas, const TestFile &file, const Module &section);

} // namespace ptxray::test
