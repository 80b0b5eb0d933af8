#pragma once
// Checks one PTX module from its first line to its last. This step calls all others.
#include "Diagnostics/Report.h"
#include "Read/ReadModule.h"

namespace ptxray {

struct KnownItem;
class ModuleCheck;
struct Reuse;
class Session;

/// The findings in a module, before suppressing comments and options are applied.
struct CheckedText {
  DiagnosticList diagnostics;
  std::vector<Range> comments;  // comments that contain instructions to ptxray
  std::vector<Range> functions; // all functions after the first of those comments
  ModuleSummary header;
  std::optional<InlineSummary> inlined; // set for a source with assembly in it
};

/// Checks the items of a module in order. `checkItem` replaces the check of one item.
using CheckItemFn = llvm::function_ref<void(ModuleCheck &, Statement)>;
CheckedText checkModule(const SourceBuffer &source, const CheckOptions &options, Session &session,
                        CheckItemFn checkItem = nullptr);
/// The result of checking a module that was checked before, and its items for the check after the next edits. The list
/// of items is empty if the next check must read the whole module.
struct RecheckedText {
  CheckedText text;
  std::vector<KnownItem> items;
};
RecheckedText recheckModule(const SourceBuffer &source, const CheckOptions &options, Session &session,
                            const Reuse &plan);
/// Fills the report with the findings that remain after suppressing comments and options are applied.
FileReport filled(FileReport report, CheckedText checked, const CheckOptions &options);

/// A report about PTX, and the module that was read for it.
struct KeptModule {
  FileReport report;
  std::optional<ReadModule> module; // empty if the source is not PTX
};
/// Checks a module and keeps it for the caller. The source of the report moves into the module.
KeptModule checkAndKeep(FileReport report, const CheckOptions &options);
/// Checks the items of a module and passes each body to `see`. A body is valid until the next call. Returns whether
/// there were no errors.
bool streamChecked(const SourceBuffer &source, llvm::function_ref<void(const Body &, const ModuleState &)> see);
/// Returns the findings in a module that was read before, sorted by location. Skips instructions that begin outside of
/// the range.
DiagnosticList checkAgain(const ReadModule &module, const CheckOptions &options, Range instructions);

} // namespace ptxray
