#pragma once
// Rules about what stands outside of instructions: declarations, functions, calls, directives.
#include "Isa/Directives.h"
#include "Module/Header.h"
#include "Resolve/Resolver.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/Twine.h"
#include <map>

namespace ptxray {

/// Where a declaration stands.
enum class Site : uint8_t {
  Module,
  Body,
  EntryParameter,
  FunctionParameter,
  FunctionReturn,
};

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
  std::optional<std::pair<int64_t, int64_t>> unified; // the numbers of `.attribute(.unified(1, 2))`
  std::vector<Formal> returns, parameters;
  Range nameRange;
};

class ModuleRules {
public:
  ModuleRules(const Ast &ast, const Header &header, Resolver &resolver, DiagnosticSink &sink)
      : ast(ast), header(header), availability(header.context()), availabilityOfCode(ofArch(header.context())),
        resolver(resolver), sink(sink) {}

  /// What belongs to a function without a body is not allocated, and may have types that nothing can.
  void variable(const Declaration &declaration, Site site, bool isAllocated = true);
  void function(const Function &function);
  void beginBody(const Function &function) { inEntry = function.kind == FunctionKind::Entry; }
  void moduleDirective(const Directive &directive);
  void bodyDirective(const Directive &directive);
  /// `call` operands against the declaration of what is called.
  void call(const Instruction &instruction);
  bool neverReturns(NameId function) const;
  void requireFunction(NameId name, Range range);
  void requireGuard(NameId name, Range range);
  /// An instruction that writes to the trace stands there.
  void trace(Range range, llvm::StringRef instruction);
  bool has(isa::FeatureId id) const { return availability.holds(isa::feature(id).gate); }
  /// Of what the code is made for.
  bool codeHas(isa::FeatureId id) const { return availabilityOfCode.holds(isa::feature(id).gate); }
  uint64_t limitOfCode(isa::LimitId id) const { return isa::limit(id, availabilityOfCode); }
  /// What only the end of the module shows.
  void finish();

private:
  Formal formalOf(const Declaration &declaration);
  const isa::Directive *directiveOf(SpellingId name); // null: none of that name
  /// The version and target have the directive, and it may stand at that place; null: there is none of that name.
  const isa::Directive *requireDirective(SpellingId name, Range range, isa::DirectivePlace place);
  void requireDirective(const isa::Directive &known, Range range, isa::DirectivePlace place);
  void requireFeature(isa::FeatureId id, Range range);
  void requireFeature(isa::FeatureId id, const llvm::Twine &subject, Range range);
  /// Whether the numbers fit into 32 bits where they must; others than those it takes are reported too.
  bool values(const Directive &directive, const isa::Directive &known);
  bool value(const Operand &operand, const isa::Directive &known, const isa::DirectiveArgument &argument);
  Diagnostic *require(isa::ExprId gate, const llvm::Twine &subject, Range range);
  /// ptxas keeps the numbers of directives in 32 bits.
  bool fits(const Operand &number) {
    return number.kind != OperandKind::Integer || static_cast<uint64_t>(number.value) <= UINT32_MAX ||
           !overflows(number);
  }
  bool overflows(const Operand &number); // reports it
  bool isSpecial(NameId name, Range range);
  void pragma(const Directive &directive, isa::DirectivePlace place);
  void pragmaValue(const isa::Directive &pragma, llvm::StringRef value, Range range);
  void alias(const Directive &directive);
  void targets(const Directive &directive);
  void file(const Directive &directive);
  void location(const Directive &directive);
  void section(const Directive &directive);
  void sectionData(uint32_t node);
  void metadata(const Directive &directive);
  void metadataValues(uint32_t braces);
  void sources(const Directive &directive);
  void constantBank(const Declaration &declaration);
  void bounds(const Declaration &declaration, bool isParameter);
  void functionAttributes(const Function &function, Signature &signature);
  void opaqueFields(const Declaration &declaration, uint32_t node, uint32_t level);
  uint32_t initialAddress(const Declaration &declaration, uint32_t node);
  void attributes(const Declaration &declaration);
  void initialiser(const Declaration &declaration);
  uint32_t initialValue(const Declaration &declaration, uint32_t node, uint32_t level);
  void nameless(const Declaration &declaration);
  void parameter(const Declaration &declaration, Site site);
  void pointerAttributes(const Function &function, const Declaration &declaration);
  void parameterSpace(const Function &function, const Signature &signature);
  void headDirectives(const Function &function);
  void together(llvm::ArrayRef<std::pair<const Directive *, const isa::Directive *>> head);
  void redeclare(const Function &function, Signature signature);
  bool redeclareVariable(const Declaration &declaration, const Formal &formal);
  void arguments(const Operand &callee, llvm::ArrayRef<Formal> formals, Slice list, Range callRange, bool areReturns);
  llvm::StringRef text(SpellingId spelling) const {
    return spelling == SpellingId::None ? llvm::StringRef() : ast.text(spelling);
  }

  struct Global {
    Formal formal;
    SpellingId linkage;
    SpellingId space;
    uint32_t dimensions;
    Range nameRange;
  };
  const Ast &ast;
  const Header &header;
  Availability availability, availabilityOfCode;
  Resolver &resolver;
  DiagnosticSink &sink;
  llvm::DenseMap<uint32_t, Signature> functions;  // by NameId
  llvm::DenseMap<uint32_t, Signature> prototypes; // by NameId; of the body at hand
  llvm::DenseMap<uint32_t, Global> globals;       // by NameId
  llvm::DenseMap<uint32_t, uint32_t> aliases;     // by NameId
  llvm::DenseSet<uint32_t> functionTables;        // variables whose first value is the address of a function, by NameId
  std::vector<std::optional<const isa::Directive *>> directives; // by SpellingId; none: not asked yet
  bool inEntry = false;

  // Debugging and metadata.
  bool hasSection = false, hasMetadata = false, hasTraceDomain = false;
  std::map<int64_t, Range> files;                          // by index
  llvm::DenseSet<std::pair<uint64_t, uint64_t>> locations; // of `.loc`: file and line, column
  llvm::DenseMap<uint32_t, Range> sectionLabels;           // by NameId
};

} // namespace ptxray
