#pragma once
#include "Snippets.h"
#include <set>
#include <string>
#include <vector>

namespace ptxray::test {

/// The verdict of ptxas on a module.
struct PtxasVerdict {
  bool accepts = false;
  std::set<unsigned> errorLines; // counted from 1
  std::string output;
};

/// Returns $PTXRAY_PTXAS, or else the newest ptxas that `tools/dev cuda` has downloaded, or else the one in PATH. Empty
/// if there is none.
std::string findPtxas();

/// Prints that the test is skipped. Returns the exit status, which is a failure if $PTXRAY_REQUIRE contains ptxas.
int statusWithoutPtxas();

/// Parses and checks the module. Generates code for it only if `compile` is set.
PtxasVerdict askPtxas(const std::string &ptxas, const Module &module, bool compile = false);
/// Returns the rejected lines of a section. Because an error can hide others, rejected lines are removed and the rest
/// is checked again until ptxas accepts it. If ptxas names no line, each line is checked alone. Neighbouring lines can
/// cause the rejection of a line.
std::set<unsigned> askLines(const std::string &ptxas, const TestFile &file, const Module &section);

} // namespace ptxray::test
