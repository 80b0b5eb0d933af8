#pragma once
// Reads test/samples: lines with the recorded verdict of ptxas, so that tests need no ptxas.
#include "Snippets.h"

namespace ptxray::test {

struct SampleFile {
  TestFile file; // lines without the marks, in `//@` sections like those of test/isa
  // For each line: `+` if ptxas accepts it, `-` if ptxas rejects it, `?` if unknown, blank for other lines.
  std::vector<char> marks;
};

/// Returns the given files, or else all files in test/samples, sorted.
std::vector<SampleFile> findSamples(llvm::ArrayRef<char *> paths);

/// Returns why ptxray and ptxas disagree: the text after `// known: `, or nothing.
llvm::StringRef knownReason(llvm::StringRef line);

void writeSamples(const SampleFile &samples);

} // namespace ptxray::test
