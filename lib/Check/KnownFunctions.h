#pragma once
// Remembers the findings in the functions of a text, for checks of that text after edits within bodies: a body that was
// not edited is skipped, and its findings are repeated. That is right as long as all items of the module are in their
// places and no edited body changes what others are compared with; `end` says whether that held.
#include "Diagnostics/Diagnostic.h"
#include "Module/Program.h"
#include <memory>

namespace ptxray {

/// A function with a body, as it was read. All places refer to the text of that time.
struct KnownBody {
  Range function;
  DiagnosticList findings;
  FunctionSummary summary; // but for what its head says, and for names, which are below
  std::vector<std::string> variables, functions;
  std::string occupied, bounded; // instructions
};

/// Null if the body has to be read each time. `findings` are those in its body, `summary` is what is known of it.
std::unique_ptr<KnownBody> knownBody(const Ast &ast, const Function &function, const FunctionSummary &summary,
                                     DiagnosticList findings);
/// The body's summary, moved to the function's present place.
FunctionSummary recalled(const KnownBody &body, const Ast &ast, const Function &function);
DiagnosticList recalledFindings(const KnownBody &body, const Function &function);

class KnownFunctions {
public:
  // ---- between two checks

  void edited(Range part, uint32_t newSize);
  void forget() { items.clear(); }
  bool isEmpty() const { return items.empty(); }
  /// The bodies that need not be read, from brace to brace.
  std::vector<Range> bodies() const;

  // ---- in a check

  void begin();
  /// The current function was read; `body` may be null.
  void read(std::unique_ptr<KnownBody> body, bool isQuiet);
  /// The body of the current function, which was skipped; null if it is at another place.
  const KnownBody *passedOver(const Function &function);
  bool wasQuiet() const { return at < items.size() && items[at].isQuiet; }
  /// Whether the current function was edited in a way that may affect others.
  bool changesOthers(const Ast &ast, const Function &function, bool isQuiet) const;
  /// Notes that a finding of this check may depend on what was skipped.
  void fail() { failed = true; }
  /// Adds an item of the module after it was checked.
  void item(const Ast &ast, Statement statement);
  /// Returns false if the result of this check must be discarded.
  bool end();

private:
  struct Item {
    StatementKind kind = StatementKind::Directive;
    Range range;
    uint32_t brace = 0; // that opens the body; 0: it has none
    bool isQuiet = false, isEdited = false;
    std::shared_ptr<const KnownBody> body; // null: it is read each time
  };

  std::vector<Item> items; // of the text as it is now
  std::vector<Item> fresh; // of the check at hand
  Item open;               // what is known of the current item
  size_t at = 0;           // its number
  size_t kept = 0;         // bodies that were read in this check
  bool recalling = false, failed = false;
};

} // namespace ptxray
