#pragma once
// PTX where people write it: the assembly of a source in another language, found without a compiler, judged as PTX,
// reported at its place in that source.
#include "Check/PieceContext.h"
#include "Diagnostics/Report.h"
#include "Inline/MappedText.h"
#include "Module/CheckOptions.h"
#include "llvm/ADT/StringMap.h"
#include <memory>

namespace ptxray {

enum class Language : uint8_t { Ptx, Cuda, Python, Llvm, Rust };

/// By the extension; Ptx for what is none of the others.
Language languageOf(llvm::StringRef path);
/// `cuda`; nothing for an unknown one.
std::optional<Language> findLanguage(llvm::StringRef name);

class KnownFunctions;
class Session;
struct InlineText;
struct JudgedFragment;

/// A statement, and those that belong to it, as a PTX module of one function.
struct InlineModule {
  MappedText text;
  Range place; // of the statement at hand in the source
};

/// A statement, and those that belong to it, for who asks with which versions and targets it passes.
struct InlineUnit {
  MappedText floats, bits; // as a module below sm_100, and from there on
  PieceContext context;
  Range place;
  bool isGuarded = false; // an `#if` is around it
};
/// All that is for a GPU of NVIDIA, in the order of the text.
std::vector<InlineUnit> inlineUnits(const SourceBuffer &source, Language language, llvm::StringRef path,
                                    InlineSummary &summary);

/// Checks sources one by one and remembers what it has judged, within bounds. One is for one thread.
class InlineChecker {
public:
  /// `showsExpansions`: reports say what was judged.
  explicit InlineChecker(bool showsExpansions = false);
  ~InlineChecker();
  /// Checks all assembly of the report's source, which may be PTX itself, and fills the report. `path` is where headers
  /// are looked for; empty: nowhere.
  void check(FileReport &report, Language language, llvm::StringRef path, const CheckOptions &options);
  /// The same of PTX that was checked before, if it is known how it was edited since.
  void check(FileReport &report, const CheckOptions &options, KnownFunctions &functions);
  /// What is judged in place of the statement whose text is at the place, if that is for a GPU of NVIDIA.
  std::optional<InlineModule> moduleAt(const SourceBuffer &source, Language language, llvm::StringRef path,
                                       const CheckOptions &options, uint32_t place);
  /// The report's source is the text of one statement, with LLVM's constraints: `=r,r,~{memory}`.
  void checkFragment(FileReport &report, llvm::StringRef constraints, const CheckOptions &options);

private:
  void check(FileReport &report, const InlineText &text, const CheckOptions &options);
  void limitKnown();

  const bool showsExpansions;
  std::unique_ptr<Session> session;
  llvm::StringMap<std::unique_ptr<JudgedFragment>> known;
};

} // namespace ptxray
