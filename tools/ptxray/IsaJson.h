#pragma once
// The tables of grammar/isa as JSON: docs/isa-json.md.
#include "Source/JsonValue.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace ptxray {

/// The instructions whose mnemonics begin with one of the names; all of them without names.
Json isaJson(llvm::ArrayRef<llvm::StringRef> names);
Json versionsJson();
/// The meanings of operands, and of words in instructions that begin with `mnemonic`; general meanings are with the
/// word.
Json meaningsJson();
Json examplesJson();
/// Whether some mnemonic equals the name, or continues it after a dot.
bool anyMnemonicBegins(llvm::StringRef name);

} // namespace ptxray
