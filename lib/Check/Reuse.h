#pragma once
// A check keeps what it found in the items of a text for the check of that text after edits inside of bodies: a body
// that no edit touched is passed over, and what was found in it is told again. That is right while all items of the
// module are where they were and no body that is read changes what others are compared with.
#include "Diagnostics/Diagnostic.h"
#include "Module/Program.h"
#include <memory>

namespace ptxray {

/// A function with a body, as it was read. All places are of the text of that time.
struct KnownBody {
  Range function;
  DiagnosticList findings;
  FunctionSummary summary; // but for what its head says, and for names, which are below
  std::vector<std::string> variables, functions;
  std::string occupied, bounded; // instructions
};

/// Returns null if the body has to be read each time. `findings` are those in its body, `summary` what is known of it.
std::unique_ptr<KnownBody> knownBody(const Ast &ast, const Function &function, const FunctionSummary &summary,
                                     DiagnosticList findings);
/// Returns the body's summary with its places at the function's present place.
FunctionSummary recalled(const KnownBody &body, const Ast &ast, const Function &function);
DiagnosticList recalledFindings(const KnownBody &body, const Function &function);

/// An item of a module, as a check found it.
struct KnownItem {
  StatementKind kind = StatementKind::Directive;
  Range range;
  uint32_t brace = 0;                    // the place of the brace that opens the body; 0: it has none
  bool isQuiet = false;                  // a function that starts, orders and waits for nothing asynchronous
  bool accessesGlobal = false;           // a function that accesses global memory
  std::shared_ptr<const KnownBody> body; // null: it is read each time
  bool isEdited = false;                 // since that check
};

/// A part of a text that was replaced.
struct TextChange {
  Range part;
  uint32_t newSize = 0;
};

/// Lists what a check need not read: the items of the module, where they should be now. Without any, all is read.
struct Reuse {
  std::vector<KnownItem> items;

  /// Returns null if there is another item at that number of the text.
  const KnownItem *find(size_t number, const KnownItem &place) const;
  /// Returns the bodies that are passed over, from brace to brace.
  std::vector<Range> bodies() const;
};
/// `items` are of the text before the changes, which were made one after the other.
Reuse planReuse(std::vector<KnownItem> items, llvm::ArrayRef<TextChange> changes);

/// Returns the kind and the place of an item.
KnownItem placeOfItem(const Ast &ast, Statement statement);
/// Returns whether others may depend on how the function, which was read, was edited.
bool changesOthers(const Ast &ast, const Function &function, const KnownItem &before, const KnownItem &now);

} // namespace ptxray
