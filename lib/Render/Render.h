#pragma once
// From diagnostics to an output format. A format is one file of this folder and one row of
// `formats`.
#include "Diagnostics/Diagnostic.h"
#include "Ptxas/Resources.h"
#include "Source/SourceBuffer.h"
#include "llvm/Support/raw_ostream.h"

namespace ptxray {

/// What was found in one input.
struct FileReport {
  std::string path;
  std::unique_ptr<SourceBuffer> source; // null: it could not be read
  std::string ptx, target;              // what it was checked as; empty: not known
  std::vector<Diagnostic> diagnostics;
  std::vector<FunctionResources> functions; // when ptxas was asked for them
};

/// Over all inputs.
struct Totals {
  unsigned files = 0;
  unsigned unreadable = 0;
  unsigned errors = 0;
  unsigned warnings = 0;

  void add(const FileReport &report);
};

struct RenderOptions {
  bool color = false;
  bool fold = true; // shows diagnostics that are alike once, with a count
};

/// The output is: begin, file, separator, file, ..., end. `file` is called from several threads.
struct Format {
  llvm::StringLiteral name;
  llvm::StringLiteral separator;
  void (*begin)(llvm::raw_ostream &out);
  void (*file)(const FileReport &report, const RenderOptions &options, llvm::raw_ostream &out);
  void (*end)(const Totals &totals, llvm::raw_ostream &out);
};

void beginText(llvm::raw_ostream &out);
void renderText(const FileReport &report, const RenderOptions &options, llvm::raw_ostream &out);
void endText(const Totals &totals, llvm::raw_ostream &out);

void beginJson(llvm::raw_ostream &out);
void renderJson(const FileReport &report, const RenderOptions &options, llvm::raw_ostream &out);
void endJson(const Totals &totals, llvm::raw_ostream &out);

inline constexpr Format formats[] = {
    {"text", "", beginText, renderText, endText},
    {"json", ",\n", beginJson, renderJson, endJson},
};

llvm::StringRef severityName(Severity severity);

/// Text of an input as a terminal may see it: control characters and bytes beyond ASCII become
/// `<U+001B>` or, where they are no UTF-8, `<9B>`.
std::string escaped(llvm::StringRef text);

} // namespace ptxray
