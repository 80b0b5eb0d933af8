#pragma once
// A kernel as formulas. Each access, branch and barrier has the condition under which a thread executes it. Formulas
// depend on the numbers of the thread and its block, parameters, loaded values, and loop iterations.
#include "Machine/Kernels.h"
#include "Prove/Terms.h"
#include "Read/ReadModule.h"
#include <array>
#include <optional>
#include <set>

namespace ptxray::prove {

struct ProvenShape {
  std::array<uint32_t, 3> block = {1, 1, 1};
  std::optional<std::array<uint32_t, 3>> grid; // none for any grid
  std::optional<uint64_t> shared;              // dynamic shared memory; none for the amount that the kernel needs
  uint64_t threads() const { return uint64_t(block[0]) * block[1] * block[2]; }
  bool hasOneBlock() const { return grid && uint64_t((*grid)[0]) * (*grid)[1] * (*grid)[2] == 1; }
};

enum class Memory : uint8_t { Global, Shared, Local, Other };

struct ModelAccess {
  uint32_t instruction = 0, segment = 0;
  Memory memory = Memory::Global;
  Term base = Term::None; // the variable or parameter that contains the accessed memory; None if unknown
  Term address = Term::None;
  Term guard = Term::None;
  uint32_t bytes = 0;
  bool isRead = false, isWrite = false, isAtomic = false, isStrong = false;
  bool isOfBlock = false;   // atomic only with respect to threads of the block
  bool isSplit = false;     // another access covers the rest of the accessed memory
  std::vector<Term> values; // for a plain write
};

/// A point where threads may diverge: the end of a segment, or a guarded barrier.
struct ModelBranch {
  uint32_t instruction = 0, segment = 0;
  Term guard = Term::None, condition = Term::None;
};

/// A part of a block without a barrier.
struct Segment {
  uint32_t block = 0;
  bool leaves = false, aborts = false;
};
struct SegmentEdge {
  enum Kind : uint8_t { Plain, WarpBarrier, BlockBarrier };
  uint32_t from, to;
  Kind kind = Plain;
  uint32_t instruction = 0; // the barrier
};

struct ModelLoop {
  uint32_t header = 0; // block index
  Term counter = Term::None;
  uint32_t firstInstruction = 0;
};

/// A variable that is uniform in a block if all of these terms are uniform.
struct Candidate {
  Term variable;
  std::vector<Term> depends;
};

struct Obstacle {
  uint32_t instruction;
  std::string what;
};

struct Buffer {
  Term base;
  std::string name;   // name of the parameter or variable
  int parameter = -1; // -1 for a variable of the module
  bool isShared = false;
  uint64_t bytes = 0;       // size of a variable; 0 if unknown
  Term length = Term::None; // length of a parameter's buffer, if an assumption specifies it
};

struct Parameter {
  uint32_t offset = 0, bytes = 0; // offset in the parameter buffer, and size
  Term variable = Term::None;
};

struct Model {
  Terms terms;
  ProvenShape shape;
  std::vector<ModelAccess> accesses;
  std::vector<ModelBranch> branches;
  std::vector<Segment> segments;
  std::vector<SegmentEdge> edges;
  std::vector<ModelLoop> loops;
  std::vector<std::vector<uint32_t>> loopsOf; // indexed by block: header blocks of the enclosing loops
  std::vector<Candidate> candidates;
  std::vector<Obstacle> obstacles;
  std::vector<Buffer> buffers;
  std::vector<Parameter> parameters;
  std::array<Term, 3> thread{}, block{}, grid{};
  std::vector<Term> facts; // always true
};

/// The minimum and maximum of a parameter, as signed numbers.
struct ParameterRange {
  __int128 low, high;
};

/// Returns the functions of a module that only compute: they access only their own memory, and do not wait.
std::set<NameId> pureFunctions(const ReadModule &module);

/// Builds the model of a kernel. Its obstacles describe what could not be analysed. `pure` are functions that the
/// kernel may call.
Model modelOf(const Body &body, const ModuleState &module, const machine::KernelEntry &kernel, const ProvenShape &shape,
              const std::map<int, ParameterRange> &ranges, const std::set<NameId> &pure = {});

/// Returns whether a term may differ between threads (Thread), or is uniform in a block or in the grid.
Sharing sharingOf(const Terms &terms, Term term);

} // namespace ptxray::prove
