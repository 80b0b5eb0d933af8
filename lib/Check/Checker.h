#pragma once
// The entry point: checks a source of any language.
#include "Diagnostics/Report.h"
#include "Inline/Language.h"
#include "Module/CheckOptions.h"

namespace ptxray {

struct InlineModule;
struct KnownItem;
struct Reuse;
class Session;

/// Whether a report contains the modules that were checked in place of the statements of a source.
enum class Expansions : bool { Left, Told };

/// A report, and the items of its module for the next check.
struct Rechecked {
  FileReport report;
  std::vector<KnownItem> items;
};

/// Checks sources one by one and caches results, within limits. One object serves one thread.
class Checker {
public:
  explicit Checker(Expansions expansions = Expansions::Left);
  ~Checker();

  /// Checks a source and returns the report with its findings, sorted by location. Headers that a source includes are
  /// searched for relative to the report's path; if the report has no path, no headers are found.
  FileReport check(FileReport report, Language language, const CheckOptions &options);
  /// Checks a source that is the template of one statement, with LLVM's constraints: `=r,r,~{memory}`.
  FileReport checkStatement(FileReport report, llvm::StringRef constraints, const CheckOptions &options);
  /// Checks PTX that was checked before, and reads only the edited parts.
  Rechecked recheck(FileReport report, const CheckOptions &options, const Reuse &plan);

  /// Returns the module that is checked in place of the statement at `place`. Returns nothing unless the statement is
  /// for an NVIDIA GPU.
  std::optional<InlineModule> moduleAt(uint32_t place, const FileReport &report, Language language,
                                       const CheckOptions &options);

private:
  const Expansions expansions;
  std::unique_ptr<Session> session;
};

/// Returns the findings in PTX, using a new Checker.
DiagnosticList findingsIn(const SourceBuffer &ptx, const CheckOptions &options = {});

/// Reports a module in a binary whose target differs from all those that the binary names for it. A loaded program
/// selects an entry by the binary's name and passes its text to the driver, so the two must agree.
void compareTargets(FileReport &report, llvm::ArrayRef<std::string> named);

/// Returns the report about an input that could not be read.
FileReport unreadable(FileReport report, const std::string &problem);

} // namespace ptxray
