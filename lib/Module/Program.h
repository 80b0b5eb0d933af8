#pragma once
// A whole module from the point of view of code generation: its variables, its functions, and their references. The
// rules of ProgramRules.h read it.
#include "Parse/Ast.h"
#include "Resolve/Scopes.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <array>
#include <optional>

namespace ptxray {

/// The first mention of a name in the module.
struct Reference {
  NameId name;
  Range range;
  bool isCall = false;
  bool isExecuted = true; // false if only unreachable code refers to it
};

/// An instruction, and its number of registers.
struct RegisterUse {
  uint32_t registers = 0; // 0 if there is no such instruction
  Range range;
  SpellingId instruction = SpellingId::None;
};

/// The directives in a kernel's head about block size and registers.
struct KernelHead {
  std::optional<uint64_t> registers; // `.maxnreg`
  std::optional<uint64_t> threads;   // per block: `.maxntid`, `.reqntid`
  std::optional<uint64_t> blocks;    // per multiprocessor: `.minnctapersm`
  uint64_t depth = 1;                // third dimension of a block
  uint64_t clusterBlocks = 1;        // `.reqnctapercluster`, `.maxclusterrank`
  std::array<uint32_t, 3> requiredBlock = {0, 0, 0}, requiredCluster = {0, 0, 0}; // zeros if a launch may choose
  Range registersRange, threadsRange, blocksRange, clusterRange;
  llvm::StringRef threadsName, clusterName; // name of the directive
};

/// A list of labels for indirect branches.
struct BranchTable {
  uint64_t targets = 0;
  Range use, declared;
  NameId name = NameId::None;
};

/// A member of a family of variables, such as `t7` of `.global .texref t<9>`. ptxas creates only the members that are
/// used.
struct FamilyMember {
  NameId name = NameId::None;
  isa::WordId space = 0;
  Extent extent;
  bool isOfBody = false;
  Range declared; // location of the family's name
};

/// Properties of a body that the rules about modules need.
struct FunctionSummary {
  NameId name = NameId::None;
  FunctionKind kind = FunctionKind::Func;
  Range nameRange;
  bool isExported = false;    // `.visible` or `.weak`
  KernelHead head;            // set for a kernel
  std::vector<Extent> shared; // declared in the body
  uint64_t localBytes = 0;
  std::vector<NameId> variables;     // variables of the module that it refers to
  std::vector<FamilyMember> members; // members of families that it refers to, in source order
  std::vector<Reference> functions;  // functions that it refers to
  Range indirectCall;       // location of the first indirect call, like all locations below; empty if there is none
  Range oneCta, ctaPair;    // an instruction with that effect
  Range constantConversion; // between generic addresses and `.const`
  SpellingId conversion = SpellingId::None;
  Range constantPointer; // a parameter that points to `.const`
  Range spilling;        // the pragma that permits spilling to shared memory
  RegisterUse occupied;  // the instruction with the highest number of registers
  RegisterUse bounded;   // the instruction with the highest minimum for a directive
  RegisterUse grows, shrinks;
  BranchTable table; // the first table that is too large
};

struct ModuleVariable {
  NameId name = NameId::None;
  isa::WordId space = 0, type = 0;
  Extent extent;
  bool isExtern = false;
  bool isExported = false; // has linkage, so the linker knows its name
  Range nameRange;
  std::vector<Reference> initial; // names in its initialiser

  bool isOpen() const { return !extent.bytes; }
};

struct DeclaredFunction {
  Range range;
  bool isExported = false; // `.visible` or `.weak`
  bool isExtern = false;
  bool isDefined = false;
  NameId aliasOf = NameId::None;
};

/// The end of the allocated part of a space.
struct Layout {
  uint64_t end = 0;

  void add(const Extent &extent);
};

struct ProgramSummary {
  std::vector<ModuleVariable> variables; // in source order; members of families where they are first used
  std::vector<ModuleVariable> constantsOfBodies;
  // Families of the module, keyed by the location of their declaration.
  llvm::DenseMap<uint32_t, ModuleVariable> families;
  llvm::SmallDenseMap<uint32_t, uint32_t, 4> variableOf;       // keyed by NameId
  std::vector<FunctionSummary> functions;                      // functions with a body
  llvm::SmallDenseMap<uint32_t, uint32_t, 4> functionOf;       // keyed by NameId
  llvm::SmallDenseMap<uint32_t, DeclaredFunction, 4> declared; // keyed by NameId
  bool hasAbi = true;                                          // false if there is no stack, so recursion is impossible
  Range severalReturns; // the function that disables the ABI; empty if there is none

  const ModuleVariable *variable(NameId name) const {
    const auto found = variableOf.find(static_cast<uint32_t>(name));
    return found == variableOf.end() ? nullptr : &variables[found->second];
  }
  const DeclaredFunction *function(NameId name) const {
    const auto found = declared.find(static_cast<uint32_t>(name));
    return found == declared.end() ? nullptr : &found->second;
  }
  /// Returns the function with a body that the name refers to, resolving aliases, or none.
  std::optional<uint32_t> bodyOf(NameId name) const;
};

/// The functions and variables that are compiled together with a kernel.
struct Reach {
  std::vector<uint32_t> functions; // the kernel first
  uint32_t kernel() const { return functions.front(); }
};

/// Finds all functions and variables that a kernel reaches through calls. If the whole program is compiled at once,
/// also follows addresses of functions in code and initialisers. An indirect call reaches all functions whose address
/// is taken. One object serves all kernels and caches results.
class Reaches {
public:
  Reaches(const ProgramSummary &program, bool isSeparate);
  Reach of(uint32_t kernel) { return of(kernel, /*onlyExecuted=*/false); }
  /// Ignores references in unreachable code.
  Reach executedBy(uint32_t kernel) { return of(kernel, /*onlyExecuted=*/true); }
  /// Returns the functions that kernels reach by direct calls.
  std::vector<bool> called() const;

private:
  Reach of(uint32_t kernel, bool onlyExecuted);
  void add(NameId name, Reach &reach);
  void addNamed(const FunctionSummary &function, bool onlyExecuted, Reach &reach);

  const ProgramSummary &program;
  const bool isSeparate;
  std::vector<NameId> addressed; // functions whose address is taken in code or in an initialiser
  std::vector<uint32_t> visits;  // indexed by function: the last kernel that reached it, plus 1
  uint32_t visit = 0;
};

} // namespace ptxray
