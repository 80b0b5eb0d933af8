#pragma once
// A report holds what was found in one input, from a check, ptxas or both: formats render it, and baselines filter it.
#include "Diagnostics/Diagnostic.h"
#include "Source/SourceBuffer.h"
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ptxray {

/// The resources of a function, as `ptxas -v` prints them.
struct FunctionResources {
  std::string name;
  std::string arch; // `sm_90a`
  bool isEntry = false;
  uint64_t registers = 0, barriers = 0;
  uint64_t stackBytes = 0, spillStoreBytes = 0, spillLoadBytes = 0;
  uint64_t sharedBytes = 0, localBytes = 0;
  std::vector<std::pair<std::string, uint64_t>> constantBytes; // by bank: `cmem[0]`
};

/// A text within a binary.
struct EntryPlace {
  std::string name; // `[.nv_fatbin 3/82 sm_90 PTX 8.7]`
  unsigned number = 0;
  std::string member, section, target;
  std::vector<unsigned> alike; // numbers of entries with the same text
};

/// Counts the assembly of a source in another language.
struct InlineSummary {
  struct Skipped {
    Range range;
    std::string reason; // `with #if inside`
  };
  /// An expansion is the text that was judged in place of a statement.
  struct Expansion {
    Range range;
    std::string text; // a module
  };
  unsigned statements = 0; // the skipped ones too
  std::vector<Skipped> skipped;
  std::vector<Expansion> expansions; // when they were asked for
};

struct FileReport {
  std::string path;
  std::optional<EntryPlace> entry;      // of the binary at that path
  std::unique_ptr<SourceBuffer> source; // null: it could not be read
  std::string ptx, target;              // what it was checked as; empty: not known
  DiagnosticList diagnostics;
  std::optional<InlineSummary> inlined;     // of a source with assembly in it
  std::vector<FunctionResources> functions; // when ptxas was asked for them
  struct Compiler {
    std::string path, release; // `13.5.37`
  } compiler;                  // the ptxas that was asked to make code; empty: none was
};

} // namespace ptxray
