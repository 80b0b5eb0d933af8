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

/// Has `checkItem` check each item of the text, one after the other.
using CheckItemFn = llvm::function_ref<void(ModuleCheck &, Statement)>;
void checkItem(ModuleCheck &module, Statement item);
CheckedText checkModule(const SourceBuffer &source, const CheckOptions &options, Session &session,
                        CheckItemFn checkItem = ptxray::checkItem);
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
