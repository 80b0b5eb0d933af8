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
/// This and `conceptPages` are in lib/Embedded for the program, which holds the pages packed, and in lib/PlainPages for
/// the library.
llvm::ArrayRef<RulePage> rulePages(); // sorted by id
/// The text of the page; empty if there is none.
llvm::StringRef rulePage(llvm::StringRef id);

/// The pages docs/concepts/<id>.md, of what an instruction or rule takes for known: `# fragment`, and under it a
/// paragraph `Also: ` with other names.
llvm::ArrayRef<RulePage> conceptPages(); // sorted by id
/// The names of a concept, its title first.
llvm::SmallVector<llvm::StringRef, 8> namesOfConcept(const RulePage &page);
/// The page with that name, whether it is written with `-`, `_` or blanks; null if there is none.
const RulePage *findConcept(llvm::StringRef name);

} // namespace ptxray
