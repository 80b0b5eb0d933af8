#include "Workspace/Fixes.h"
#include "llvm/ADT/STLExtras.h"

namespace ptxray {

std::string applyFixes(llvm::StringRef text, const DiagnosticList &diagnostics, bool unsafe, unsigned &made) {
  std::vector<const Edit *> edits;
  auto overlaps = [&edits](const Edit &edit) {
    return llvm::any_of(edits, [&edit](const Edit *other) {
      return edit.range.begin <= other->range.end && other->range.begin <= edit.range.end;
    });
  };
  uint32_t reached = 0; // by the fixes taken; diagnostics are sorted by place, fixes nearly
  for (const Diagnostic &d : diagnostics) {
    if (!d.fix || !(d.fix->safe || unsafe))
      continue;
    const bool ahead = llvm::all_of(d.fix->edits, [&](const Edit &edit) { return edit.range.begin > reached; });
    if (!ahead && llvm::any_of(d.fix->edits, overlaps))
      continue;
    ++made;
    for (const Edit &edit : d.fix->edits) {
      edits.push_back(&edit);
      reached = std::max(reached, edit.range.end);
    }
  }
  llvm::stable_sort(edits, [](const Edit *a, const Edit *b) { return a->range.begin < b->range.begin; });
  std::string out;
  uint32_t at = 0;
  for (const Edit *edit : edits) {
    out += text.slice(at, edit->range.begin);
    out += edit->text;
    at = edit->range.end;
  }
  return out + text.drop_front(at).str();
}

} // namespace ptxray
