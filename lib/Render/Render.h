#pragma once
// Writes diagnostics in an output format. A format is one file of this folder and one row of `formats`.
#include "Diagnostics/Report.h"
#include "Source/Escape.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/raw_ostream.h"
#include <map>
#include <set>

namespace ptxray {

/// The findings of one rule in all inputs.
struct RuleTotal {
  unsigned count = 0;
  std::set<llvm::StringRef> sections; // sections of the manual to which its diagnostics refer
  llvm::StringRef lastSection; // the section that was added last, which the next diagnostic usually refers to again
};

/// Totals over all inputs.
struct Totals {
  unsigned files = 0;
  unsigned entries = 0; // modules in binaries, which are not counted as files
  unsigned unreadable = 0;
  unsigned errors = 0;
  unsigned warnings = 0;
  unsigned fixable = 0;  // with a safe fix
  unsigned unsafe = 0;   // diagnostics with a fix that `--unsafe-fixes` applies
  unsigned fixed = 0;    // diagnostics that were fixed, and are therefore not shown
  unsigned accepted = 0; // diagnostics that the baseline accepts, and that are therefore not shown
  unsigned dead = 0;     // entries of the baseline that match nothing
  unsigned hidden = 0;   // diagnostics beyond the maximum number of errors
  std::map<DiagId, RuleTotal> rules;
  unsigned statements = 0, sources = 0;    // statements in other languages, and number of files that contain them
  std::map<std::string, unsigned> skipped; // statements that were not checked, by reason

  void add(const FileReport &report);
};

enum class Summary { Never, IfFound, Always };

struct RenderOptions {
  bool color = false;
  bool links = false; // the terminal supports hyperlinks
  Summary summary = Summary::IfFound;
  bool fold = true;                    // shows equal diagnostics once, with a count
  const char *unfolding = "--no-fold"; // option that shows all of them
  llvm::StringRef site = {};           // address of the folder with the pages of tools/site; empty if unknown
};

/// An output format. The output consists of begin, file, separator, file, ..., end. Separators are only between files
/// that produced text. `file` must be thread-safe.
struct Format {
  llvm::StringLiteral name;
  llvm::StringLiteral separator;
  void (*begin)(llvm::raw_ostream &out);
  void (*file)(const FileReport &report, const RenderOptions &options, llvm::raw_ostream &out);
  void (*end)(const Totals &totals, const RenderOptions &options, llvm::raw_ostream &out);
  bool flush = false; // readers need the output while the check runs
};

inline void beginNothing(llvm::raw_ostream &) {}
inline void renderNothing(const FileReport &, const RenderOptions &, llvm::raw_ostream &) {}
inline void endNothing(const Totals &, const RenderOptions &, llvm::raw_ostream &) {}

/// Returns the path of the input, followed by the entry if the input is a binary.
std::string nameOf(const FileReport &report);
/// Returns the address of a rule's page; empty without a site.
std::string pageOfRule(const RenderOptions &options, llvm::StringRef rule);

void renderText(const FileReport &report, const RenderOptions &options, llvm::raw_ostream &out);

/// A diagnostic as text, in two parts, between which a line about similar ones can be inserted.
struct TextBlock {
  std::string key; // equal for similar diagnostics
  std::string before, behind;
  size_t count = 1;
};
std::vector<TextBlock> renderBlocks(const FileReport &report, const RenderOptions &options);

/// The reports of one binary. Findings that several of its modules share are shown once.
class FoldedTexts {
public:
  void add(std::vector<TextBlock> blocks);
  std::string take();

private:
  struct Shown {
    TextBlock block;
    size_t more = 0, texts = 0; // in later modules
  };
  std::vector<Shown> shown;
  llvm::StringMap<size_t> known;
};

void endText(const Totals &totals, const RenderOptions &options, llvm::raw_ostream &out);
/// Prints the number of diagnostics of each rule instead of the diagnostics.
void endStatistics(const Totals &totals, const RenderOptions &options, llvm::raw_ostream &out);

void renderShort(const FileReport &report, const RenderOptions &options, llvm::raw_ostream &out);

void beginJson(llvm::raw_ostream &out);
void renderJson(const FileReport &report, const RenderOptions &options, llvm::raw_ostream &out);
void endJson(const Totals &totals, const RenderOptions &options, llvm::raw_ostream &out);
void renderJsonLines(const FileReport &report, const RenderOptions &options, llvm::raw_ostream &out);

void beginSarif(llvm::raw_ostream &out);
void renderSarif(const FileReport &report, const RenderOptions &options, llvm::raw_ostream &out);
void endSarif(const Totals &totals, const RenderOptions &options, llvm::raw_ostream &out);

void renderGithub(const FileReport &report, const RenderOptions &options, llvm::raw_ostream &out);

void beginGitlab(llvm::raw_ostream &out);
void renderGitlab(const FileReport &report, const RenderOptions &options, llvm::raw_ostream &out);
void endGitlab(const Totals &totals, const RenderOptions &options, llvm::raw_ostream &out);

void beginRdjson(llvm::raw_ostream &out);
void renderRdjson(const FileReport &report, const RenderOptions &options, llvm::raw_ostream &out);
void endRdjson(const Totals &totals, const RenderOptions &options, llvm::raw_ostream &out);

void beginCheckstyle(llvm::raw_ostream &out);
void renderCheckstyle(const FileReport &report, const RenderOptions &options, llvm::raw_ostream &out);
void endCheckstyle(const Totals &totals, const RenderOptions &options, llvm::raw_ostream &out);

void beginJunit(llvm::raw_ostream &out);
void renderJunit(const FileReport &report, const RenderOptions &options, llvm::raw_ostream &out);
void endJunit(const Totals &totals, const RenderOptions &options, llvm::raw_ostream &out);

inline constexpr Format formats[] = {
    {"text", "", beginNothing, renderText, endText},
    {"short", "", beginNothing, renderShort, endNothing},
    {"json", ",\n", beginJson, renderJson, endJson},
    {"jsonl", "", beginNothing, renderJsonLines, endNothing, /*flush=*/true},
    {"sarif", ",\n", beginSarif, renderSarif, endSarif},
    {"github", "", beginNothing, renderGithub, endNothing},
    {"gitlab", ",\n", beginGitlab, renderGitlab, endGitlab},
    {"rdjson", ",\n", beginRdjson, renderRdjson, endRdjson},
    {"checkstyle", "", beginCheckstyle, renderCheckstyle, endCheckstyle},
    {"junit", "", beginJunit, renderJunit, endJunit},
};

inline constexpr Format statistics = {"statistics", "", beginNothing, renderNothing, endStatistics};

llvm::StringRef severityName(Severity severity);

} // namespace ptxray
