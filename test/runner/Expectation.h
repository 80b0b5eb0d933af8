#pragma once
// An expectation is a comment at the end of a line, which says what the line must give:
//   // error: [id] "part of the message"; warning: [id]; ptxas: accepts
// `[id:kind]` asks for that kind, `[id]` for any.
#include "Diagnostics/Diagnostic.h"
#include <string>
#include <vector>

namespace ptxray::test {

enum class Verdict { Same, Accepts, Rejects }; // of ptxas; Same: as ours

struct ExpectedDiagnostic {
  std::string severity, id; // `missing-qualifier`, or with its kind: `missing-qualifier:scope`
  std::string part;         // of the message; empty: any
};

struct Expectation {
  std::vector<ExpectedDiagnostic> diagnostics;
  Verdict ptxas = Verdict::Same;
  std::string problem; // why the comment cannot be read; empty: it can

  bool hasError() const;
  /// Is true if code generation refuses the line and reading does not: it has a `codegen-*` error.
  bool hasCodegenError() const;
  bool ptxasRejects() const; // when it reads
};

Expectation readExpectation(llvm::StringRef line);

/// The line with its expectation replaced by one that fits `found`.
std::string withExpectation(llvm::StringRef line, llvm::ArrayRef<const Diagnostic *> found);

/// One text for each difference between what a line expects and what was found on it.
std::vector<std::string> differences(const Expectation &expected, llvm::ArrayRef<const Diagnostic *> found);

} // namespace ptxray::test
