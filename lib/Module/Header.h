#pragma once
// Reads `.version`, `.target` and `.address_size`, and checks that they exist and agree.
#include "Diagnostics/Diagnostic.h"
#include "Isa/Availability.h"
#include "Module/CheckOptions.h"
#include "Parse/Ast.h"
#include "Source/SourceBuffer.h"

namespace ptxray {

/// The header as text: `9.0`, `sm_90a`. A part that is not written is empty.
struct ModuleSummary {
  std::string ptx;
  std::string target;
};

/// Reads the header directives in their order. ptxas stops at a broken header; here each fault is reported once, and
/// the rest is checked as if the nearest known version and target were written.
class Header {
public:
  Header(const SourceBuffer &source, const CheckOptions &options, DiagnosticSink &sink)
      : source(source), options(options), sink(sink) {}

  /// Returns true if the directive belongs to the header and was read.
  bool read(const Ast &ast, const Directive &directive);
  /// Ends the header before the first other item, at `place`: reports what is missing, and whether version and target
  /// agree. `isEmpty` says that the module has no other item.
  void finish(Range place, bool isEmpty);

  ModuleContext context() const;
  ModuleSummary summary() const;
  int64_t addressSize() const { return bits; }
  /// Returns the place of `debug` in `.target`; empty if it is not written.
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
  std::optional<size_t> missingVersion; // among the reports: a `.target` came before
  uint16_t ptx = 0;
  int target = -1; // index into isa::targets()
  int64_t bits = 32;
  std::string ptxText, targetText;
  Range versionRange, targetRange, mapF64, debug, independent;
};

/// Returns the newest known target that is not newer than a name that no target has, `sm_91`; -1: there is none. Among
/// those of one architecture it takes the suffix of the name.
int nearestOlderTarget(llvm::StringRef name);
/// Reads a version, `8.6` as 806; nothing if the text is not a version.
std::optional<uint16_t> parseVersion(llvm::StringRef text);

} // namespace ptxray
