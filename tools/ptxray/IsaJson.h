#pragma once
// The tables of grammar/isa as JSON: docs/isa-json.md.
#include "Isa/Isa.h"
#include "Source/JsonValue.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace ptxray {

/// Returns the instructions whose mnemonics begin with one of the names; all of them without names.
Json isaJson(llvm::ArrayRef<llvm::StringRef> names);
Json versionsJson();
Json targetSetsJson();
/// Returns the meanings of operands, and of words in instructions that begin with `mnemonic`; meanings that a word has
/// elsewhere are with the word.
Json meaningsJson();
Json examplesJson();
/// Returns what a form computes without the condition; `operatorsJson` and `conversionsJson` return what words make of
/// numbers in all forms.
Json formulaJson(const isa::Form &form, const isa::Formula &formula);
Json operatorsJson();
Json conversionsJson();
/// Returns whether some mnemonic is the name or goes on after it with a dot.
bool anyMnemonicBegins(llvm::StringRef name);

} // namespace ptxray
