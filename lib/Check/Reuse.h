#pragma once
// What a check found in the functions of a text, for the check of that text after edits inside of bodies: a body that
// no edit touched is passed over, and what was found in it is told again. That is right while all items of the module
// are where they were and no body that is read changes what others are compared with; `end` says whether it was.
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

/// Null: it has to be read each time. `findings` are those in its body, `summary` what is known of it.
std::unique_ptr<KnownBody> knownBody(const Ast &ast, const Function &function, const FunctionSummary &summary,
                                     DiagnosticList findings);
/// What the body's summary is at the function's present place.
FunctionSummary recalled(const KnownBody &body, const Ast &ast, const Function &function);
DiagnosticList recalledFindings(const KnownBody &body, const Function &function);

class KnownFunctions {
public:
  // ---- between two checks

  void edited(Range part, uint32_t newSize);
  void forget() { items.clear(); }
  bool isEmpty() const { return items.empty(); }
  /// Those that need not be read, from brace to brace.
  std::vector<Range> bodies() const;

  // ---- in a check

  void begin();
  /// The function at hand was read; `body` may be null.
  void read(std::unique_ptr<KnownBody> body, bool isQuiet);
  /// Of the function at hand, whose body was passed over; null: it is elsewhere.
  const KnownBody *passedOver(const Function &function);
  bool wasQuiet() const { return at < items.size() && items[at].isQuiet; }
  /// Whether the function at hand was edited in a way that others may depend on.
  bool changesOthers(const Ast &ast, const Function &function, bool isQuiet) const;
  /// This check says something that may depend on what was passed over.
  void fail() { failed = true; }
  /// An item of the module, after it was checked.
  void item(const Ast &ast, Statement statement);
  /// False: what the check said is worth nothing.
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
  Item open;               // what is found out about the item at hand
  size_t at = 0;           // its number
  size_t kept = 0;         // bodies that were read in this check
  bool recalling = false, failed = false;
};

} // namespace ptxray
