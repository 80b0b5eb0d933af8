#pragma once
// The findings in one input, from a check, ptxas or both. Output formats render a report, and baselines filter it.
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
  std::vector<std::pair<std::string, uint64_t>> constantBytes; // pairs of bank and size: `cmem[0]`
};

/// An entry of a binary that contains PTX.
struct EntryPlace {
  std::string name; // `[.nv_fatbin 3/82 sm_90 PTX 8.7]`
  unsigned number = 0;
  std::string member, section, target;
  std::vector<unsigned> alike; // numbers of entries with the same contents
};

/// Statistics about the assembly in a source of another language.
struct InlineSummary {
  struct Skipped {
    Range range;
    std::string reason; // `with #if inside`
  };
  /// The module that was checked in place of a statement.
  struct Expansion {
    Range range;
    std::string text; // a module
  };
  unsigned statements = 0; // including skipped ones
  std::vector<Skipped> skipped;
  std::vector<Expansion> expansions; // filled on request
};

struct FileReport {
  std::string path;
  std::optional<EntryPlace> entry;      // set for PTX within the binary at that path
  std::unique_ptr<SourceBuffer> source; // null if the file could not be read
  std::string ptx, target;              // the version and target of the check; empty if unknown
  DiagnosticList diagnostics;
  std::optional<InlineSummary> inlined;     // set for a source with inline assembly
  std::vector<FunctionResources> functions; // filled if ptxas was requested to report resources
  struct Compiler {
    std::string path, release; // `13.5.37`
  } compiler;                  // the ptxas that compiled the module; empty if it was not compiled
};

} // namespace ptxray
