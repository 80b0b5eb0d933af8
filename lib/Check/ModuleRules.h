#pragma once
// Rules about what stands outside of instructions: declarations, functions, calls, directives.
#include "Check/Gates.h"
#include "Check/Header.h"
#include "Resolve/Resolver.h"
#include "llvm/ADT/DenseMap.h"

namespace ptxray {

/// Where a declaration stands.
enum class Site : uint8_t { Module, Body, EntryParameter, FunctionParameter, FunctionReturn };

/// A parameter as a caller sees it.
struct Formal {
  isa::WordId type = 0;
  Extent extent;
  bool isRegister = false;
  std::string name;

  bool isOpen() const { return extent.isArray && extent.bytes == 0; }
};

struct Signature {
  FunctionKind kind = FunctionKind::Func;
  SpellingId linkage = SpellingId::None;
  bool isDefined = false;
  bool noReturn = false;
  std::vector<Formal> returns, parameters;
  Range nameRange;
};

class ModuleRules {
public:
  ModuleRules(const Ast &ast, const Header &header, Resolver &resolver, DiagnosticSink &sink)
      : ast(ast), header(header), availability(header.context()), resolver(resolver), sink(sink) {}

  void variable(const Declaration &declaration, Site site);
  void function(const Function &function);
  void alias(const Directive &directive);
  void directive(const Directive &directive); // in a body
  /// `call` operands against the declaration of what is called.
  void call(const Instruction &instruction);
  bool neverReturns(NameId function) const;

private:
  unsigned targetNumber() const;
  Formal formalOf(const Declaration &declaration);
  void requireWord(SpellingId word, Range range);
  void attributes(const Declaration &declaration);
  void initialiser(const Declaration &declaration);
  uint32_t initialValue(const Declaration &declaration, uint32_t node, uint32_t level);
  void parameter(const Declaration &declaration, Site site);
  void parameterSpace(const Function &function, const Signature &signature);
  void tuning(const Function &function);
  void redeclare(const Function &function, Signature signature);
  bool redeclareVariable(const Declaration &declaration, const Formal &formal);
  void arguments(llvm::ArrayRef<Formal> formals, Slice list, Range callRange);
  llvm::StringRef text(SpellingId spelling) const {
    return spelling == SpellingId::None ? llvm::StringRef() : ast.text(spelling);
  }

  struct Global {
    Formal formal;
    SpellingId linkage;
    SpellingId space;
    Range nameRange;
  };
  const Ast &ast;
  const Header &header;
  Availability availability;
  Resolver &resolver;
  DiagnosticSink &sink;
  llvm::DenseMap<uint32_t, Signature> functions;  // by NameId
  llvm::DenseMap<uint32_t, Signature> prototypes; // by NameId; of the body at hand
  llvm::DenseMap<uint32_t, Global> globals;       // by NameId
  llvm::DenseMap<uint32_t, uint32_t> aliases;     // by NameId
};

} // namespace ptxray
