#pragma once
// test/samples: lines with the verdict of ptxas, kept so that no ptxas is needed to compare with it.
#include "Snippets.h"

namespace ptxray::test {

struct SampleFile {
  TestFile file;           // its lines without the marks, `//@` sections as in test/isa
  std::vector<char> marks; // of each line: `+` ptxas takes it, `-` it refuses it, `?` not asked yet,
                           // blank for what is no sample
};

/// The files given, else all of test/samples, sorted.
std::vector<SampleFile> findSamples(llvm::ArrayRef<char *> paths);

/// Returns why ptxray says otherwise than ptxas: the text after `// known: `, or nothing.
llvm::StringRef knownReason(llvm::StringRef line);

void writeSamples(const SampleFile &samples);

} // namespace ptxray::test
