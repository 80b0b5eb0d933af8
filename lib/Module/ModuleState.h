#pragma once
// The state of a module during reading. Rules compare an item with earlier ones, and rules about bodies refer to the
// module's items.
#include "Isa/Directives.h"
#include "Module/Header.h"
#include "Resolve/Resolver.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include <map>

namespace ptxray {

/// A parameter from the caller's point of view.
struct Formal {
  isa::WordId type = 0;
  Extent extent;
  bool isRegister = false;
  std::string name;

  bool isOpen() const { return extent.isArray && extent.bytes == 0; }
};

/// Describes how a second list of parameters differs from the first; empty if it does not.
llvm::StringRef difference(llvm::ArrayRef<Formal> a, llvm::ArrayRef<Formal> b);

struct Signature {
  FunctionKind kind = FunctionKind::Func;
  SpellingId linkage = SpellingId::None;
  bool isDefined = false;
  bool noReturn = false;
  std::optional<std::pair<int64_t, int64_t>> unified; // numbers of `.attribute(.unified(1, 2))`
  std::vector<Formal> returns, parameters;
  Range nameRange;
};

/// A variable of the module.
struct Global {
  Formal formal;
  SpellingId linkage;
  SpellingId space;
  uint32_t dimensions;
  Range nameRange;
};

struct DebugInfo {
  bool hasSection = false;
  std::map<int64_t, Range> files;                          // keyed by index
  llvm::DenseSet<std::pair<uint64_t, uint64_t>> locations; // file of each `.loc`, and its line and column
  llvm::DenseMap<uint32_t, Range> sectionLabels;           // keyed by NameId
};

struct Metadata {
  bool exists = false, hasTraceDomain = false;
};

struct ModuleState {
  /// `availability` must be that of the module's version and target.
  ModuleState(const Ast &ast, const Header &header, const Availability &availability, Resolver &resolver,
              DiagnosticSink &sink)
      : ast(ast), header(header), ofHeader(header.context()), availability(availability),
        availabilityOfCode(availability.ofCode()), resolver(resolver), sink(sink) {}

  const ModuleContext &context() const { return ofHeader; }
  bool has(isa::FeatureId id) const { return availability.holds(isa::feature(id).gate); }
  /// Returns whether the code-generation target supports a feature.
  bool codeHas(isa::FeatureId id) const { return availabilityOfCode.holds(isa::feature(id).gate); }
  uint64_t limitOfCode(isa::LimitId id) const { return isa::limit(id, availabilityOfCode); }
  llvm::StringRef text(SpellingId spelling) const {
    return spelling == SpellingId::None ? llvm::StringRef() : ast.text(spelling);
  }
  /// Returns null if there is no such directive.
  const isa::Directive *directiveOf(SpellingId name) { return resolver.directive(name); }
  Formal formalOf(const Declaration &declaration) const;
  bool neverReturns(NameId function) const;
  /// Returns whether a call of the function performs no asynchronous operations, fences or waits.
  bool isQuiet(NameId function) const;

  const Ast &ast;
  const Header &header;
  const ModuleContext ofHeader;
  const Availability &availability, &availabilityOfCode;
  Resolver &resolver;
  DiagnosticSink &sink;
  llvm::SmallDenseMap<uint32_t, Signature, 2> functions; // keyed by NameId
  llvm::DenseMap<uint32_t, Signature> prototypes;        // keyed by NameId; of the current body
  llvm::DenseMap<uint32_t, Global> globals;              // keyed by NameId
  llvm::DenseSet<uint32_t> aliases;                      // NameIds
  llvm::DenseSet<uint32_t> functionTables;  // variables whose first value is the address of a function, by NameId
  llvm::DenseSet<uint32_t> quietFunctions;  // functions with a body, by NameId
  llvm::DenseSet<uint32_t> globalFunctions; // functions with a body that accesses global memory, by NameId
  bool inEntry = false;
  DebugInfo debugging;
  Metadata metadata;
};

} // namespace ptxray
