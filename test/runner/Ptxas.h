#pragma once
#include <set>
#include <string>
#include <vector>

namespace ptxray::test {

/// What ptxas says of a module.
struct PtxasVerdict {
  bool accepts = false;
  std::set<unsigned> errorLines; // counted from 1
  std::string output;
};

/// Whether $PTXRAY_REQUIRE says that a test may not be skipped for want of this tool.
bool isRequired(const std::string &tool);

/// $PTXRAY_PTXAS, else the newest that `tools/dev cuda` has fetched, else the one in PATH; empty:
/// none.
std::string findPtxas();

/// Reads and checks the text; generates code for it only if asked to.
PtxasVerdict askPtxas(const std::string &ptxas, const std::string &text, const std::string &target,
                      bool compile = false);

} // namespace ptxray::test
