#pragma once
// A text that an editor has open, with its edits, the result of its last check, and the places of its functions.
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
  /// Headers are looked for beside `path`, or nowhere if it is empty.
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

  /// Returns the findings of `ptxray check`; computed at the first question after a change.
  const FileReport &checked();
  /// False for other languages, and for a text that only claims to be PTX.
  bool isPtx() const;
  /// Returns the bodies of functions, if the text is PTX.
  llvm::ArrayRef<Range> bodies();
  /// Returns the function or the statement around the place, valid until the next question or change; null if there is
  /// no PTX.
  const Excerpt *excerptAt(uint32_t place);
  /// Returns the text of that excerpt, unread.
  std::optional<ExcerptText> textAround(uint32_t place);
  /// Everything outside of functions; null if the text is not PTX.
  const Excerpt *outside();
  /// Returns the number of changes.
  uint64_t version() const { return changes; }

private:
  void changed();
  void forget();
  Checker &freshEnough();

  FileReport report; // holds the text
  Language whichLanguage;
  std::shared_ptr<const CheckOptions> checkOptions = std::make_shared<CheckOptions>();
  std::optional<Checker> checker;
  unsigned uses = 0;             // of that checker
  std::vector<KnownItem> known;  // of PTX, as it was last checked
  std::vector<TextChange> edits; // since then
  bool isChecked = false;
  std::optional<std::vector<Range>> foundBodies;
  std::unique_ptr<Excerpt> excerpt; // the last that was asked for
  Range excerptPlace;               // within which it is the right one, both ends counted in
  std::unique_ptr<Excerpt> module;
  uint64_t changes = 0;
};

} // namespace ptxray
