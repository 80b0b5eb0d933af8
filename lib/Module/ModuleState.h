#pragma once
// This is the state of what has been read of a module so far. Rules about an item compare it with earlier ones, and
// rules about bodies refer to it.
#include "Isa/Directives.h"
#include "Module/Header.h"
#include "Resolve/Resolver.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include <map>

namespace ptxray {

/// A parameter as a caller sees it.
struct Formal {
  isa::WordId type = 0;
  Extent extent;
  bool isRegister = false;
  std::string name;

  bool isOpen() const { return extent.isArray && extent.bytes == 0; }
};

/// Returns how a second list of parameters differs from the first; empty if it does not.
llvm::StringRef difference(llvm::ArrayRef<Formal> a, llvm::ArrayRef<Formal> b);

struct Signature {
  FunctionKind kind = FunctionKind::Func;
  SpellingId linkage = SpellingId::None;
  bool isDefined = false;
  bool noReturn = false;
  std::optional<std::pair<int64_t, int64_t>> unified; // the numbers of `.attribute(.unified(1, 2))`
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
  std::map<int64_t, Range> files;                          // by index
  llvm::DenseSet<std::pair<uint64_t, uint64_t>> locations; // of `.loc`: file and line, column
  llvm::DenseMap<uint32_t, Range> sectionLabels;           // by NameId
};

struct Metadata {
  bool exists = false, hasTraceDomain = false;
};

struct ModuleState {
  /// The availability is that of the module's version and target.
  ModuleState(const Ast &ast, const Header &header, const Availability &availability, Resolver &resolver,
              DiagnosticSink &sink)
      : ast(ast), header(header), ofHeader(header.context()), availability(availability),
        availabilityOfCode(availability.ofCode()), resolver(resolver), sink(sink) {}

  const ModuleContext &context() const { return ofHeader; }
  bool has(isa::FeatureId id) const { return availability.holds(isa::feature(id).gate); }
  /// Returns whether the target that code is made for has a feature.
  bool codeHas(isa::FeatureId id) const { return availabilityOfCode.holds(isa::feature(id).gate); }
  uint64_t limitOfCode(isa::LimitId id) const { return isa::limit(id, availabilityOfCode); }
  llvm::StringRef text(SpellingId spelling) const {
    return spelling == SpellingId::None ? llvm::StringRef() : ast.text(spelling);
  }
  /// Null if no directive has that name.
  const isa::Directive *directiveOf(SpellingId name) { return resolver.directive(name); }
  Formal formalOf(const Declaration &declaration) const;
  bool neverReturns(NameId function) const;
  /// Returns whether a call of the function starts, orders and awaits nothing asynchronous.
  bool isQuiet(NameId function) const;

  const Ast &ast;
  const Header &header;
  const ModuleContext ofHeader;
  const Availability &availability, &availabilityOfCode;
  Resolver &resolver;
  DiagnosticSink &sink;
  llvm::SmallDenseMap<uint32_t, Signature, 2> functions; // by NameId
  llvm::DenseMap<uint32_t, Signature> prototypes;        // by NameId; of the body at hand
  llvm::DenseMap<uint32_t, Global> globals;              // by NameId
  llvm::DenseSet<uint32_t> aliases;                      // by NameId
  llvm::DenseSet<uint32_t> functionTables;  // variables whose first value is the address of a function, by NameId
  llvm::DenseSet<uint32_t> quietFunctions;  // with a body, by NameId
  llvm::DenseSet<uint32_t> globalFunctions; // with a body that accesses global memory, by NameId
  bool inEntry = false;
  DebugInfo debugging;
  Metadata metadata;
};

} // namespace ptxray
