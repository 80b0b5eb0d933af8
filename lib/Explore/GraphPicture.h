#pragma once
// The graph of a function for people and programs: blocks with their lines, where control goes, what encloses what,
// whether all lanes of a warp come there, and what is known of the registers that are live there.
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

/// A register that holds something which is read later.
struct ShownRegister {
  std::string name;
  std::string numbers;    // that it may hold: `tile + 0 to 508 in steps of 4`; empty: any
  const char *lanes = ""; // same, or different in some; empty: not known
  bool isWritten = true;  // on all ways to the block
};
/// A block with all that is shown of it.
struct ShownBlock {
  uint32_t firstLine = 0, lastLine = 0;
  std::vector<std::string> text; // its lines
  std::vector<uint32_t> to;
  bool leaves = false, aborts = false, isReached = true;
  std::optional<uint32_t> dominator, postDominator, loop; // blocks; the header of the innermost loop around it
  const char *lanes = "all";                              // all, perhaps some, certainly some
  std::vector<ShownRegister> live;                        // at its beginning, on all edges to it
};
/// So many registers of 32 bits are live at the same time.
struct ShownPressure {
  uint32_t registers = 0, line = 0; // 0: not known
  std::optional<uint64_t> limit;    // `.maxnreg`
};
struct ShownGraph {
  std::string function;
  std::vector<ShownBlock> blocks;
  ShownPressure pressure;
};
/// Of the functions of a module, or of the one of that name. Nothing: the module has errors.
std::optional<std::vector<ShownGraph>> shownGraphs(const SourceBuffer &source, std::optional<llvm::StringRef> wanted);

/// A line for each function: where most registers are live, and how many.
void writePressure(llvm::ArrayRef<ShownGraph> graphs, llvm::StringRef path, llvm::raw_ostream &os);
void writeDot(llvm::ArrayRef<ShownGraph> graphs, llvm::raw_ostream &os);
void writeJson(llvm::ArrayRef<ShownGraph> graphs, llvm::raw_ostream &os);
/// One below the other, in the order of the text: forward edges on the right, backward ones on the left.
void writeSvg(llvm::ArrayRef<ShownGraph> graphs, llvm::raw_ostream &os);

} // namespace ptxray
