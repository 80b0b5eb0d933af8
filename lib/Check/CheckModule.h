#pragma once
// One PTX text, checked from its first line to its last: the step that calls all others.
#include "Diagnostics/Report.h"
#include "Read/ReadModule.h"

namespace ptxray {

struct KnownItem;
class ModuleCheck;
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
/// Fills the report with the findings that the comments of its source and the options leave.
FileReport filled(FileReport report, CheckedText checked, const CheckOptions &options);

/// A report of PTX, and the text as it was read for the report.
struct KeptModule {
  FileReport report;
  std::optional<ReadModule> module; // none: the text is something else than PTX
};
/// Checks a text for those that work with it next. The source of the report becomes that of the module.
KeptModule checkAndKeep(FileReport report, const CheckOptions &options);
/// Checks the items of a text, and shows each body after that, good until the next one. Returns whether there were no
/// errors.
bool streamChecked(const SourceBuffer &source, llvm::function_ref<void(const Body &, const ModuleState &)> see);
/// Returns the findings in a text that is read already, by place. Instructions that begin outside of the range are
/// passed over.
DiagnosticList checkAgain(const ReadModule &module, const CheckOptions &options, Range instructions);

} // namespace ptxray
