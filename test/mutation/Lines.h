#pragma once
// The instructions of test/isa and test/samples, each with the version and target of its section, ready to be judged.
#include "Isa/Availability.h"
#include "Match/Opcode.h"
#include "Resolve/Shape.h"
#include "Samples.h"
#include <string>
#include <vector>

namespace ptxray::test {

/// A test compares this much of a verdict.
enum class Compared { Verdict, Ids, Facts };

struct Line {
  std::string text, place;
  std::string opcode;
  unsigned number = 0; // of the line in its file
  std::vector<Shape> shapes;
  std::vector<std::string> nodes; // the texts of its operands, one for each shape
  uint32_t context;               // into LineSet::contexts
  Compared compared;              // of a sample the verdict: which diagnostic it gives is not known
  char mark;                      // of a sample: `+` or `-`
  std::string outcome;
};

class LineSet {
public:
  std::vector<Line> lines;
  std::vector<ModuleContext> contexts;

  /// Reads the instructions of a section as `check` does. `marks` of samples, by line.
  void collect(const TestFile &file, const Module &section, Compared compared, llvm::ArrayRef<char> marks = {});
  uint32_t contextId(const ModuleContext &context);
};

/// `add` of `add.s32`.
llvm::StringRef baseOf(llvm::StringRef opcode);

/// Returns what the tables under `availability` make of a line: `refused` or nothing; or the ids of what is
/// found; or its facts.
std::string outcomeOf(const Availability &availability, const Line &line, Compared compared);

/// Reads a file of test/flow, which has sections as in test/isa.
TestFile readFlowFile(const std::string &path);

} // namespace ptxray::test
