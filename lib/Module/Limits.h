#pragma once
// Puts together what the whole module shows, and has the rules about it read that once the text is over.
#include "Module/ProgramRules.h"
#include "llvm/ADT/DenseSet.h"

namespace ptxray {

class Limits {
public:
  /// What the target that code is made for allows.
  Limits(const Ast &ast, const Availability &availability, const CheckOptions &options, DiagnosticSink &sink)
      : ast(ast), availability(availability), options(options), sink(sink) {}

  /// Of the module.
  void variable(const Declaration &declaration, const Extent &extent, isa::WordId type);
  /// Of a body; constants lie where those of the module do.
  void variableOfBody(const Declaration &declaration, const Extent &extent);
  void function(const Function &function);
  /// How many registers it preserves; of a function and of a prototype.
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
  Program program;
  llvm::DenseSet<uint32_t> constantMembers; // of families in bodies, by NameId
};

} // namespace ptxray
