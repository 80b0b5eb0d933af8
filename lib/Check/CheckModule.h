#pragma once
// One PTX text, checked from its first line to its last: the step that calls all others.
#include "Diagnostics/Report.h"
#include "Module/Header.h"

namespace ptxray {

struct KnownItem;
class ModuleCheck;
class ReadModule;
struct Reuse;
class Session;

/// Holds all that is found in a text, before its comments and the options have their say.
struct CheckedText {
  DiagnosticList diagnostics;
  std::vector<Range> comments;  // those that speak to ptxray
  std::vector<Range> functions; // all that come after the first of those comments
  ModuleSummary header;
  std::optional<InlineSummary> inlined; // set for a source with assembly in it
};

/// Checks the items of a text one after the other; `checkItem` does it in another way, if there is one.
using CheckItemFn = llvm::function_ref<void(ModuleCheck &, Statement)>;
CheckedText checkModule(const SourceBuffer &source, const CheckOptions &options, Session &session,
                        CheckItemFn checkItem = nullptr);
/// The same of a text that was checked before, and its items for the check after the next edits; none if that one has
/// to read all.
struct RecheckedText {
  CheckedText text;
  std::vector<KnownItem> items;
};
RecheckedText recheckModule(const SourceBuffer &source, const CheckOptions &options, Session &session,
                            const Reuse &plan);
/// Returns the findings in a text that is read already, by place. Instructions that begin outside of the range are
/// passed over.
DiagnosticList checkAgain(const ReadModule &module, const CheckOptions &options, Range instructions);

} // namespace ptxray
