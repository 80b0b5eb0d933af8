#pragma once
// The passes of a reduction. Each pass finds one kind of possible change.
#include "Read/ReadModule.h"
#include "Reduce/Change.h"

namespace ptxray {

struct ReductionPass {
  llvm::StringLiteral name;
  Changes (*find)(const ReadModule &module);
};

/// Returns the passes that remove much at once. They are repeated before the fine passes.
llvm::ArrayRef<ReductionPass> coarsePasses();
llvm::ArrayRef<ReductionPass> finePasses();

// ModulePasses.cpp: everything outside of bodies.
Changes commentChanges(const ReadModule &module);
Changes debugChanges(const ReadModule &module);
Changes itemChanges(const ReadModule &module);
Changes parameterChanges(const ReadModule &module);
Changes headChanges(const ReadModule &module);
Changes declaratorChanges(const ReadModule &module);

// StatementPasses.cpp: statements of bodies.
Changes statementChanges(const ReadModule &module);
Changes blockChanges(const ReadModule &module);
Changes endChanges(const ReadModule &module);
Changes guardChanges(const ReadModule &module);
Changes bypassChanges(const ReadModule &module);

// WordPasses.cpp: words within statements.
Changes lineChanges(const ReadModule &module);
Changes operandChanges(const ReadModule &module);
Changes vectorChanges(const ReadModule &module);
Changes wordChanges(const ReadModule &module);
Changes numberChanges(const ReadModule &module);
Changes nameChanges(const ReadModule &module);
Changes registerChanges(const ReadModule &module);

} // namespace ptxray
