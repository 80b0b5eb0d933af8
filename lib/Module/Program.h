#pragma once
// A whole module as code generation sees it: its variables, its functions, and what each of them names. It is read by
// the rules of ProgramRules.h.
#include "Parse/Ast.h"
#include "Resolve/Scopes.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <array>
#include <optional>

namespace ptxray {

/// The first place where something of the module is named.
struct Reference {
  NameId name;
  Range range;
  bool isCall = false;
  bool isExecuted = true; // false: only code that is never executed names it
};

/// An instruction, and the number of registers that it is about.
struct RegisterUse {
  uint32_t registers = 0; // 0: there is no such instruction
  Range range;
  SpellingId instruction = SpellingId::None;
};

/// The directives of a kernel's head about the size of its blocks and about registers.
struct KernelHead {
  std::optional<uint64_t> registers; // `.maxnreg`
  std::optional<uint64_t> threads;   // of a block: `.maxntid`, `.reqntid`
  std::optional<uint64_t> blocks;    // of a multiprocessor: `.minnctapersm`
  uint64_t depth = 1;                // of a block, its third dimension
  uint64_t clusterBlocks = 1;        // `.reqnctapercluster`, `.maxclusterrank`
  std::array<uint32_t, 3> requiredBlock = {0, 0, 0}, requiredCluster = {0, 0, 0}; // zeros: a launch may choose
  Range registersRange, threadsRange, blocksRange, clusterRange;
  llvm::StringRef threadsName, clusterName; // the directive
};

/// A list of labels through which code branches.
struct BranchTable {
  uint64_t targets = 0;
  Range use, declared;
  NameId name = NameId::None;
};

/// One of several variables that are declared at once: `t7` of `.global .texref t<9>`. ptxas makes only those that are
/// named.
struct FamilyMember {
  NameId name = NameId::None;
  isa::WordId space = 0;
  Extent extent;
  bool isOfBody = false;
  Range declared; // the name of the family
};

/// A summary holds what the rules need to know of a body.
struct FunctionSummary {
  NameId name = NameId::None;
  FunctionKind kind = FunctionKind::Func;
  Range nameRange;
  bool isExported = false;    // `.visible` or `.weak`
  KernelHead head;            // of a kernel
  std::vector<Extent> shared; // declared in it
  uint64_t localBytes = 0;
  std::vector<NameId> variables;     // of the module that it names
  std::vector<FamilyMember> members; // that it names, in the order of the text
  std::vector<Reference> functions;  // that it names
  Range indirectCall;                // the first one, as all places here; empty: none
  Range oneCta, ctaPair;             // an instruction with that effect
  Range constantConversion;          // between generic addresses and `.const`
  SpellingId conversion = SpellingId::None;
  Range constantPointer; // a parameter that points to `.const`
  Range spilling;        // the pragma that lets registers be spilled to shared memory
  RegisterUse occupied;  // of all instructions the one with the greatest number
  RegisterUse bounded;   // likewise, where a directive sets the number
  RegisterUse grows, shrinks;
  BranchTable table; // the first that is too large
};

struct ModuleVariable {
  NameId name = NameId::None;
  isa::WordId space = 0, type = 0;
  Extent extent;
  bool isExtern = false;
  bool isExported = false; // known to the linker: it has a linkage
  Range nameRange;
  std::vector<Reference> initial; // names among its first values

  bool isOpen() const { return !extent.bytes; }
};

struct DeclaredFunction {
  Range range;
  bool isExported = false; // `.visible` or `.weak`
  bool isExtern = false;
  bool isDefined = false;
  NameId aliasOf = NameId::None;
};

/// The next free place of a space.
struct Layout {
  uint64_t end = 0;

  void add(const Extent &extent);
};

struct ProgramSummary {
  std::vector<ModuleVariable> variables; // in the order of the text; members of families where they are named first
  std::vector<ModuleVariable> constantsOfBodies;
  llvm::DenseMap<uint32_t, ModuleVariable> families;           // of the module, by where they are declared
  llvm::SmallDenseMap<uint32_t, uint32_t, 4> variableOf;       // by NameId
  std::vector<FunctionSummary> functions;                      // those with a body
  llvm::SmallDenseMap<uint32_t, uint32_t, 4> functionOf;       // by NameId
  llvm::SmallDenseMap<uint32_t, DeclaredFunction, 4> declared; // by NameId
  bool hasAbi = true;                                          // without it, there is no stack to recurse on
  Range severalReturns;                                        // the function that turns it off; empty: none does

  const ModuleVariable *variable(NameId name) const {
    const auto found = variableOf.find(static_cast<uint32_t>(name));
    return found == variableOf.end() ? nullptr : &variables[found->second];
  }
  const DeclaredFunction *function(NameId name) const {
    const auto found = declared.find(static_cast<uint32_t>(name));
    return found == declared.end() ? nullptr : &found->second;
  }
  /// Returns the function with a body that the name refers to, following aliases; none if there is no such function.
  std::optional<uint32_t> bodyOf(NameId name) const;
};

/// Everything that is compiled together with a kernel.
struct Reach {
  std::vector<uint32_t> functions; // the kernel first
  uint32_t kernel() const { return functions.front(); }
};

/// Follows calls; if the whole program is compiled at once, also addresses of functions, in code and in the initial
/// values of variables that code names; and from an indirect call to all functions whose address is taken anywhere. One
/// object serves all kernels, so that nothing is computed twice.
class Reaches {
public:
  Reaches(const ProgramSummary &program, bool isSeparate);
  Reach of(uint32_t kernel) { return of(kernel, /*onlyExecuted=*/false); }
  /// Without what only unreachable code names.
  Reach executedBy(uint32_t kernel) { return of(kernel, /*onlyExecuted=*/true); }
  /// Returns the functions that kernels reach by calling them by name.
  std::vector<bool> called() const;

private:
  Reach of(uint32_t kernel, bool onlyExecuted);
  void add(NameId name, Reach &reach);
  void addNamed(const FunctionSummary &function, bool onlyExecuted, Reach &reach);

  const ProgramSummary &program;
  const bool isSeparate;
  std::vector<NameId> addressed; // in code or in a first value
  std::vector<uint32_t> visits;  // by function: the kernel that came last, + 1
  uint32_t visit = 0;
};

} // namespace ptxray
