#pragma once
// Reads `.version`, `.target` and `.address_size`, and checks that they exist and are consistent.
#include "Diagnostics/Diagnostic.h"
#include "Isa/Availability.h"
#include "Module/CheckOptions.h"
#include "Parse/Ast.h"
#include "Source/SourceBuffer.h"

namespace ptxray {

/// The header as text: `9.0`, `sm_90a`. Missing parts are empty.
struct ModuleSummary {
  std::string ptx;
  std::string target;
};

/// Reads the header directives in their order. ptxas stops at an invalid header. ptxray reports each fault once, and
/// checks the rest with the closest known version and target.
class Header {
public:
  Header(const SourceBuffer &source, const CheckOptions &options, DiagnosticSink &sink)
      : source(source), options(options), sink(sink) {}

  /// Reads a directive of the header. Returns false for other directives.
  bool read(const Ast &ast, const Directive &directive);
  /// Ends the header before the first other item, at `place`. Reports missing directives, and inconsistent version and
  /// target. `isEmpty` means that the module has no other item.
  void finish(Range place, bool isEmpty);

  ModuleContext context() const;
  ModuleSummary summary() const;
  int64_t addressSize() const { return bits; }
  /// Returns the location of `debug` in `.target`; empty if it is absent.
  Range debugOption() const { return debug; }
  bool isUnifiedTexture() const { return texmode != Independent; }

private:
  void readVersion(const Ast &ast, const Directive &directive);
  void readTarget(const Ast &ast, const Directive &directive);
  void readAddressSize(const Ast &ast, const Directive &directive);
  void setVersion(llvm::StringRef text, Range range);
  int setTarget(llvm::StringRef text, Range range);
  static void suggestVersion(const Ast &ast, const Directive &directive, Diagnostic &d);
  void suggestTarget(llvm::StringRef text, Range range, Diagnostic &d) const;
  void checkArch();

  const SourceBuffer &source;
  const CheckOptions &options;
  DiagnosticSink &sink;
  enum { Unset, Unified, Independent } texmode = Unset;
  enum { Nothing, Version, Target, AddressSize, Done } reached = Nothing;
  std::optional<size_t> missingVersion; // index of the report about a `.target` that precedes `.version`
  uint16_t ptx = 0;
  int target = -1; // index into isa::targets()
  int64_t bits = 32;
  std::string ptxText, targetText;
  Range versionRange, targetRange, mapF64, debug, independent;
};

/// Returns the newest known target that is not newer than an unknown name such as `sm_91`, or -1. If an architecture
/// has several targets, returns the one with the suffix of the name.
int nearestOlderTarget(llvm::StringRef name);
/// Parses a version: 806 for `8.6`. Returns nothing if the text is not a version.
std::optional<uint16_t> parseVersion(llvm::StringRef text);

} // namespace ptxray
