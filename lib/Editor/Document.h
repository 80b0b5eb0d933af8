#pragma once
// An open document: its text and edits, the result of its last check, and the locations of its functions.
#include "Check/Checker.h"
#include "Check/Reuse.h"
#include "Diagnostics/Report.h"
#include "Module/CheckOptions.h"
#include <optional>

namespace ptxray {

class Excerpt;
struct ExcerptText;

class Document {
public:
  /// Searches for headers relative to `path`; finds none if it is empty.
  Document(std::string path, Language language, std::string text);
  ~Document();

  llvm::StringRef path() const { return report.path; }
  Language language() const { return whichLanguage; }
  llvm::StringRef text() const { return report.source->text(); }
  const SourceBuffer &source() const { return *report.source; }

  /// Replaces a part of the text.
  void edit(Range part, llvm::StringRef replacement);
  void replaceAll(std::string text);

  void setOptions(std::shared_ptr<const CheckOptions> options);
  const CheckOptions &options() const { return *checkOptions; }
  std::shared_ptr<const CheckOptions> sharedOptions() const { return checkOptions; }

  /// Returns the findings of `ptxray check`, which are computed on the first call after a change.
  const FileReport &checked();
  /// Returns false for other languages, and for a document that only claims to be PTX.
  bool isPtx() const;
  /// Returns the bodies of functions, if the text is PTX.
  llvm::ArrayRef<Range> bodies();
  /// Returns the function or the statement around `place`, valid until the next query or change. Returns null if there
  /// is no PTX.
  const Excerpt *excerptAt(uint32_t place);
  /// Returns the text of the excerpt at `place`, without parsing it.
  std::optional<ExcerptText> textAround(uint32_t place);
  /// Returns everything outside of functions, or null if the document is not PTX.
  const Excerpt *outside();
  /// Returns the number of changes so far.
  uint64_t version() const { return changes; }

private:
  void changed();
  void forget();
  Checker &freshEnough();

  FileReport report; // owns the text
  Language whichLanguage;
  std::shared_ptr<const CheckOptions> checkOptions = std::make_shared<CheckOptions>();
  std::optional<Checker> checker;
  unsigned uses = 0;             // number of uses of `checker`
  std::vector<KnownItem> known;  // PTX items at the last check
  std::vector<TextChange> edits; // changes since the last check
  bool isChecked = false;
  std::optional<std::vector<Range>> foundBodies;
  std::unique_ptr<Excerpt> excerpt; // the last result of `excerptAt`
  Range excerptPlace;               // the range for which it is valid, including both ends
  std::unique_ptr<Excerpt> module;
  uint64_t changes = 0;
};

} // namespace ptxray
