#pragma once
// The front door: a text of any language is checked from its first line to its last.
#include "Diagnostics/Report.h"
#include "Inline/Language.h"
#include "Module/CheckOptions.h"

namespace ptxray {

struct InlineModule;
struct KnownItem;
struct Reuse;
class Session;

/// Says if the report of a source tells which module was judged in place of each statement.
enum class Expansions : bool { Left, Told };

/// A report, and the items of its text for the plan of the next check.
struct Rechecked {
  FileReport report;
  std::vector<KnownItem> items;
};

/// Checks texts one by one and remembers what it has judged, within bounds. One is for one thread.
class Checker {
public:
  explicit Checker(Expansions expansions = Expansions::Left);
  ~Checker();

  /// The report of a source becomes the report of what is found in it, by place. Headers that a source includes are
  /// looked for where the report's path is; without one, nowhere.
  FileReport check(FileReport report, Language language, const CheckOptions &options);
  /// Checks a source that is the text of one statement, with LLVM's constraints: `=r,r,~{memory}`.
  FileReport checkStatement(FileReport report, llvm::StringRef constraints, const CheckOptions &options);
  /// Checks PTX that was checked before, and reads only what an edit touched.
  Rechecked recheck(FileReport report, const CheckOptions &options, const Reuse &plan);

  /// Returns the module that is judged in place of the statement whose text is at the place, if that is for a GPU of
  /// NVIDIA.
  std::optional<InlineModule> moduleAt(uint32_t place, const FileReport &report, Language language,
                                       const CheckOptions &options);

private:
  const Expansions expansions;
  std::unique_ptr<Session> session;
};

/// Returns the findings of a fresh Checker in PTX.
DiagnosticList findingsIn(const SourceBuffer &ptx, const CheckOptions &options = {});

/// Reports that the text of a binary is for another target than one of those that the binary names for it. A program
/// that is loaded chooses an entry by what the binary says, and then gives the text to the driver: they must agree.
void compareTargets(FileReport &report, llvm::ArrayRef<std::string> named);

/// Returns the report of an input that has no source, and why.
FileReport unreadable(FileReport report, const std::string &problem);

} // namespace ptxray
