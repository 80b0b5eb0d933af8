#pragma once
// Collects data for the rules about the whole module, and checks these rules at the end of the module.
#include "Module/ProgramRules.h"
#include "llvm/ADT/DenseSet.h"

namespace ptxray {

class Limits {
public:
  /// `availability` must be that of the code-generation target.
  Limits(const Ast &ast, const Availability &availability, const CheckOptions &options, DiagnosticSink &sink)
      : ast(ast), availability(availability), options(options), sink(sink) {}

  /// Adds a variable of the module.
  void variable(const Declaration &declaration, const Extent &extent, isa::WordId type);
  /// Adds a variable of a body. Constants are allocated together with those of the module.
  void variableOfBody(const Declaration &declaration, const Extent &extent);
  void function(const Function &function);
  /// Records how many registers a function or a prototype preserves.
  void preserved(const Function &function);
  void alias(const Directive &directive);
  void body(FunctionSummary summary);
  void finish();

private:
  void attributes(Slice directives);
  void memberOfModule(const FamilyMember &member);
  void memberOfBody(const FamilyMember &member, FunctionSummary &summary);
  std::vector<Reference> initialNames(const Declaration &declaration) const;

  const Ast &ast;
  const Availability &availability;
  const CheckOptions &options;
  DiagnosticSink &sink;
  ProgramSummary program;
  llvm::DenseSet<uint32_t> constantMembers; // constant variables of families in bodies, by NameId
};

} // namespace ptxray
