#pragma once
// The tables of grammar/isa as JSON: docs/isa-json.md.
#include "Isa/Isa.h"
#include "Source/JsonValue.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace ptxray {

/// The instructions whose mnemonics begin with one of the names; all of them without names.
Json isaJson(llvm::ArrayRef<llvm::StringRef> names);
Json versionsJson();
Json targetSetsJson();
/// What operands say, and words in instructions that begin with `mnemonic`; what a word says elsewhere is with it.
Json meaningsJson();
Json examplesJson();
/// What a form computes, but for the condition; what words make of numbers in all of them.
Json formulaJson(const isa::Form &form, const isa::Formula &formula);
Json operatorsJson();
Json conversionsJson();
/// Whether some mnemonic is the name or goes on after it with a dot.
bool anyMnemonicBegins(llvm::StringRef name);

} // namespace ptxray
