#pragma once
// Expectations: comments at the end of a line that specify its diagnostics.
//   // error: [id] "part of the message"; warning: [id]; ptxas: accepts
// `[id:kind]` expects this kind, `[id]` any kind.
#include "Diagnostics/Diagnostic.h"
#include <string>
#include <vector>

namespace ptxray::test {

enum class Verdict { Same, Accepts, Rejects }; // verdict of ptxas; Same: equal to ptxray's

struct ExpectedDiagnostic {
  std::string severity, id; // `missing-qualifier`, or with its kind: `missing-qualifier:scope`
  std::string part;         // part of the message; empty for any
};

struct Expectation {
  std::vector<ExpectedDiagnostic> diagnostics;
  Verdict ptxas = Verdict::Same;
  std::string problem; // why the comment cannot be parsed; empty if it can

  bool hasError() const;
  /// Returns whether code generation rejects the line, but parsing does not: it has a `codegen-*` error.
  bool hasCodegenError() const;
  bool ptxasRejects() const; // during parsing
};

Expectation readExpectation(llvm::StringRef line);

/// Returns the line with its expectation replaced by one that matches `found`.
std::string withExpectation(llvm::StringRef line, llvm::ArrayRef<const Diagnostic *> found);

/// Returns one text for each difference between the expectation and the diagnostics of a line.
std::vector<std::string> differences(const Expectation &expected, llvm::ArrayRef<const Diagnostic *> found);

} // namespace ptxray::test
