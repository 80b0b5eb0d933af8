#pragma once
// The words and the JSON of an answer.
#include "Diagnostics/Report.h"
#include "Equal/Comparison.h"
#include "Source/JsonValue.h"

namespace ptxray::equal {

/// Returns `bits`, `real`, `different` or `unknown`.
const char *wordOf(Equality verdict);
const char *sentenceOf(Equality verdict);

struct AnswerWords {
  std::string at, contents, buffer, first, second;
};

/// `reports`: of the kernels that were compared.
AnswerWords wordsOf(const Answer &answer, llvm::ArrayRef<const FileReport *> reports, llvm::ArrayRef<Buffer> buffers);
Json jsonOf(const Answer &answer, llvm::ArrayRef<const FileReport *> reports, llvm::ArrayRef<Buffer> buffers);

} // namespace ptxray::equal
