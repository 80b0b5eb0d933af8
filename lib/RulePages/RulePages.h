#pragma once
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

namespace ptxray {

/// The page docs/diagnostics/<id>.md.
struct RulePage {
  llvm::StringRef id;
  llvm::StringRef text;
};
/// Returns the pages of all rules. Like `conceptPages`, it is defined in lib/Embedded for the program, which contains
/// the pages in packed form, and in lib/PlainPages for the library.
llvm::ArrayRef<RulePage> rulePages(); // sorted by id
/// Returns the text of the page; empty if there is none.
llvm::StringRef rulePage(llvm::StringRef id);

/// Returns the pages docs/concepts/<id>.md, which explain terms of instructions and rules. They begin with a title,
/// such as `# fragment`, followed by a paragraph `Also: ` with other names.
llvm::ArrayRef<RulePage> conceptPages(); // sorted by id
/// Returns the names of a concept, its title first.
llvm::SmallVector<llvm::StringRef, 8> namesOfConcept(const RulePage &page);
/// Returns the page with that name, or null. The words of the name may be separated by `-`, `_` or blanks.
const RulePage *findConcept(llvm::StringRef name);

} // namespace ptxray
