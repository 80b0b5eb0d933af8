#pragma once
// The graph of a function for people and programs: blocks with their lines, edges, dominators and loops, whether all
// lanes of a warp execute a block, and what is known of its live registers.
#include "Diagnostics/Diagnostic.h"
#include "llvm/ADT/ArrayRef.h"
#include <optional>
#include <string>
#include <vector>

namespace llvm {
class raw_ostream;
}

namespace ptxray {

class SourceBuffer;

/// A register whose value is read later.
struct ShownRegister {
  std::string name;
  std::string numbers;    // that it may hold: `tile + 0 to 508 in steps of 4`; empty: any
  const char *lanes = ""; // same, or different in some; empty: not known
  bool isWritten = true;  // on all ways to the block
};
/// A block with everything that is shown of it.
struct ShownBlock {
  uint32_t firstLine = 0, lastLine = 0;
  std::vector<std::string> text; // its lines
  std::vector<uint32_t> to;
  bool leaves = false, aborts = false, isReached = true;
  std::optional<uint32_t> dominator, postDominator, loop; // blocks; the header of the innermost loop around it
  const char *lanes = "all";                              // all, perhaps some, certainly some
  std::vector<ShownRegister> live;                        // at its beginning, on all edges to it
  size_t liveCount = 0;                                   // some of very many are not in the list
};
/// The pressure is how many registers of 32 bits are live at the same time.
struct ShownPressure {
  uint32_t registers = 0, line = 0; // 0: not known
  std::optional<uint64_t> limit;    // `.maxnreg`
};
struct ShownGraph {
  std::string function;
  std::vector<ShownBlock> blocks;
  ShownPressure pressure;
};
/// Returns the graphs of all functions of a module, or of the one with that name. Nothing: the module has errors.
std::optional<std::vector<ShownGraph>> shownGraphs(const SourceBuffer &source, std::optional<llvm::StringRef> wanted);

/// Writes a line for each function: where most registers are live, and how many.
void writePressure(llvm::ArrayRef<ShownGraph> graphs, llvm::StringRef path, llvm::raw_ostream &os);
void writeDot(llvm::ArrayRef<ShownGraph> graphs, llvm::raw_ostream &os);
void writeJson(llvm::ArrayRef<ShownGraph> graphs, llvm::raw_ostream &os);
/// Draws the blocks one below the other, in the order of the text, with forward edges on the right and backward edges
/// on the left.
void writeSvg(llvm::ArrayRef<ShownGraph> graphs, llvm::raw_ostream &os);

} // namespace ptxray
