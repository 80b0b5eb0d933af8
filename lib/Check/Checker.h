#pragma once
// The front door: checks a text of any language from its first line to its last.
#include "Check/CheckStatements.h"
#include "Inline/Language.h"
#include "Module/CheckOptions.h"

namespace ptxray {

class KnownFunctions;

/// Checks texts one by one, and remembers verdicts within bounds. A Checker serves one thread.
class Checker {
public:
  explicit Checker(Expansions expansions = Expansions::Left);
  ~Checker();

  /// Adds the findings in its source to a report, in the order of their places. Headers that the source includes are
  /// looked for relative to the report's path; without a path, nowhere.
  FileReport check(FileReport report, Language language, const CheckOptions &options);
  /// The same for a source that is the text of one statement, with LLVM's constraints: `=r,r,~{memory}`.
  FileReport checkStatement(FileReport report, llvm::StringRef constraints, const CheckOptions &options);
  /// The same for PTX that was checked before, if its edits since then are known.
  FileReport recheck(FileReport report, const CheckOptions &options, KnownFunctions &functions);

  /// The module that is judged in place of the statement at the place, if that is for an NVIDIA GPU.
  std::optional<InlineModule> moduleAt(uint32_t place, const FileReport &report, Language language,
                                       const CheckOptions &options);

private:
  const Expansions expansions;
  std::unique_ptr<Session> session;
};

/// The findings of a new Checker in PTX.
DiagnosticList findingsIn(const SourceBuffer &ptx, const CheckOptions &options = {});

/// The report of an input without a source, with the reason.
FileReport unreadable(FileReport report, const std::string &problem);

} // namespace ptxray
