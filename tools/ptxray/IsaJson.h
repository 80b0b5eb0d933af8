#pragma once
// Writes the tables of grammar/isa as JSON (docs/isa-json.md).
#include "Isa/Isa.h"
#include "Source/JsonValue.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace ptxray {

/// Returns the instructions whose mnemonics begin with one of the names, or all instructions if there are no names.
Json isaJson(llvm::ArrayRef<llvm::StringRef> names);
Json versionsJson();
Json targetSetsJson();
/// Returns the meanings of operands and words in instructions that begin with `mnemonic`. Default meanings of a word
/// are part of the word.
Json meaningsJson();
Json examplesJson();
/// Returns the computation of a form without its condition. `operatorsJson` and `conversionsJson` return the effects of
/// words on numbers in all forms.
Json formulaJson(const isa::Form &form, const isa::Formula &formula);
Json operatorsJson();
Json conversionsJson();
/// Returns whether some mnemonic equals the name, or continues after it with a dot.
bool anyMnemonicBegins(llvm::StringRef name);

} // namespace ptxray
