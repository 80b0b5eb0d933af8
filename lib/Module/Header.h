#pragma once
// `.version`, `.target`, `.address_size`: what the module asks for, and whether it exists.
#include "Diagnostics/Diagnostic.h"
#include "Isa/Availability.h"
#include "Module/CheckOptions.h"
#include "Parse/Ast.h"
#include "Source/SourceBuffer.h"

namespace ptxray {

/// What the header says, as text: `9.0`, `sm_90a`. Empty where it says nothing.
struct ModuleSummary {
  std::string ptx;
  std::string target;
};

/// Reads the header directives in their order. ptxas stops at a broken header; here each fault is
/// reported once and the rest is checked as if the nearest known version and target stood there.
class Header {
public:
  Header(const SourceBuffer &source, const CheckOptions &options, DiagnosticSink &sink)
      : source(source), options(options), sink(sink) {}

  /// True when the directive belongs to the header and was read.
  bool read(const Ast &ast, const Directive &directive);
  /// The first item that is not a header directive is at `place`: what is missing is reported, and
  /// whether version and target go together. A module without items `isEmpty`.
  void finish(Range place, bool isEmpty);

  ModuleContext context() const;
  ModuleSummary summary() const;
  int64_t addressSize() const { return bits; }
  /// Of `debug` in `.target`; empty without it.
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

/// `8.6` as 806; nothing when the text is not a version.
std::optional<uint16_t> parseVersion(llvm::StringRef text);

} // namespace ptxray
