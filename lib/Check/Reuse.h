#pragma once
// Reuses the results of a check after edits inside function bodies. The next check skips bodies without edits and
// repeats their findings. Reuse is valid while all items of the module keep their order, and no body that is read
// changes facts that other items depend on.
#include "Diagnostics/Diagnostic.h"
#include "Module/Program.h"
#include <memory>

namespace ptxray {

/// A function with a body, as it was read. All locations refer to the previous version of the document.
struct KnownBody {
  Range function;
  DiagnosticList findings;
  FunctionSummary summary; // summary without facts from the head, and without names, which are stored below
  std::vector<std::string> variables, functions;
  std::string occupied, bounded; // lists of instructions
};

/// Returns null if the body must be read each time. `findings` are the findings in the body, and `summary` is its
/// summary.
std::unique_ptr<KnownBody> knownBody(const Ast &ast, const Function &function, const FunctionSummary &summary,
                                     DiagnosticList findings);
/// Returns the summary of the body, with locations relative to the function's current location.
FunctionSummary recalled(const KnownBody &body, const Ast &ast, const Function &function);
DiagnosticList recalledFindings(const KnownBody &body, const Function &function);

/// An item of a module, as the last check found it.
struct KnownItem {
  StatementKind kind = StatementKind::Directive;
  Range range;
  uint32_t brace = 0;                    // offset of the body's opening brace; 0 if there is no body
  bool isQuiet = false;                  // a function without asynchronous operations, fences or waits
  bool accessesGlobal = false;           // a function that accesses global memory
  std::shared_ptr<const KnownBody> body; // null if the body is read each time
  bool isEdited = false;                 // edited since that check
};

/// A replaced part of a document.
struct TextChange {
  Range part;
  uint32_t newSize = 0;
};

/// The items of a module that a check can skip, at their expected locations. If the list is empty, everything is read.
struct Reuse {
  std::vector<KnownItem> items;

  /// Returns the item with this index, or null if the module has a different item there.
  const KnownItem *find(size_t number, const KnownItem &place) const;
  /// Returns the bodies that are skipped, including braces.
  std::vector<Range> bodies() const;
};
/// Plans the next check. `items` refer to the text before the changes, which were applied in order.
Reuse planReuse(std::vector<KnownItem> items, llvm::ArrayRef<TextChange> changes);

/// Returns a KnownItem with the kind and the location of an item.
KnownItem placeOfItem(const Ast &ast, Statement statement);
/// Returns whether the edits of a function may affect other items. The function must have been read again.
bool changesOthers(const Ast &ast, const Function &function, const KnownItem &before, const KnownItem &now);

} // namespace ptxray
