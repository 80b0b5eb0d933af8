#pragma once
// The tables of grammar/isa as JSON: docs/isa-json.md.
#include "Source/JsonValue.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace ptxray {

/// The instructions whose mnemonics begin with one of the names; all without names.
Json isaJson(llvm::ArrayRef<llvm::StringRef> names);
Json versionsJson();
/// What operands say, and words in instructions that begin with `mnemonic`; what a word says elsewhere is with it.
Json meaningsJson();
Json examplesJson();
/// Whether some mnemonic is the name or goes on after it with a dot.
bool anyMnemonicBegins(llvm::StringRef name);

} // namespace ptxray
