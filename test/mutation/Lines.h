#pragma once
// The instructions of test/isa and test/samples, each with the version and target of its section.
#include "Isa/Availability.h"
#include "Match/Opcode.h"
#include "Resolve/Shape.h"
#include "Samples.h"
#include <string>
#include <vector>

namespace ptxray::test {

/// The aspects of a verdict that a test compares.
enum class Compared { Verdict, Ids, Facts };

struct Line {
  std::string text, place;
  std::string opcode;
  unsigned number = 0; // line number in its file
  std::vector<Shape> shapes;
  std::vector<std::string> nodes; // texts of its operands, one for each shape
  uint32_t context;               // index into LineSet::contexts
  Compared compared;              // Verdict for a sample, because its exact diagnostic is unknown
  char mark;                      // for a sample: `+` or `-`
  std::string outcome;
};

class LineSet {
public:
  std::vector<Line> lines;
  std::vector<ModuleContext> contexts;

  /// Parses the instructions of a section like `check`. `marks` are those of samples, by line.
  void collect(const TestFile &file, const Module &section, Compared compared, llvm::ArrayRef<char> marks = {});
  uint32_t contextId(const ModuleContext &context);
};

/// Returns `add` for `add.s32`.
llvm::StringRef baseOf(llvm::StringRef opcode);

/// Returns the result of checking a line with the tables of `availability`: `refused` or nothing; the ids of the
/// diagnostics; or the facts.
std::string outcomeOf(const Availability &availability, const Line &line, Compared compared);

/// Reads a file of test/flow, which has sections like those of test/isa.
TestFile readFlowFile(const std::string &path);

} // namespace ptxray::test
