#pragma once
// A kernel as formulas: each access, branch and barrier with the condition under which a thread comes there, over the
// number of the thread, its block, the parameters, what is loaded, and the rounds of loops.
#include "Machine/Kernels.h"
#include "Prove/Terms.h"
#include "Read/ReadModule.h"
#include <array>
#include <optional>
#include <set>

namespace ptxray::prove {

struct ProvenShape {
  std::array<uint32_t, 3> block = {1, 1, 1};
  std::optional<std::array<uint32_t, 3>> grid; // none: any
  std::optional<uint64_t> shared;              // dynamic shared memory; none: as much as the kernel needs
  uint64_t threads() const { return uint64_t(block[0]) * block[1] * block[2]; }
  bool hasOneBlock() const { return grid && uint64_t((*grid)[0]) * (*grid)[1] * (*grid)[2] == 1; }
};

enum class Memory : uint8_t { Global, Shared, Local, Other };

struct ModelAccess {
  uint32_t instruction = 0, segment = 0;
  Memory memory = Memory::Global;
  Term base = Term::None; // the variable or parameter that it is relative to; None: not known
  Term address = Term::None;
  Term guard = Term::None;
  uint32_t bytes = 0;
  bool isRead = false, isWrite = false, isAtomic = false, isStrong = false;
  bool isOfBlock = false;   // atomic among the threads of a block alone
  bool isSplit = false;     // another access is the rest of it
  std::vector<Term> values; // of a plain write
};

/// Control may part here: at the end of a segment, or at a guarded barrier.
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
  uint32_t header = 0; // block
  Term counter = Term::None;
  uint32_t firstInstruction = 0;
};

/// A variable that may be the same in all threads of a block: if all of these terms are.
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
  std::string name;   // of the parameter or variable
  int parameter = -1; // -1: a variable of the module
  bool isShared = false;
  uint64_t bytes = 0;       // of a variable; 0: not known
  Term length = Term::None; // of a parameter, if it is assumed
};

struct Parameter {
  uint32_t offset = 0, bytes = 0; // where it is loaded from
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
  std::vector<std::vector<uint32_t>> loopsOf; // by block: those around it, by their headers
  std::vector<Candidate> candidates;
  std::vector<Obstacle> obstacles;
  std::vector<Buffer> buffers;
  std::vector<Parameter> parameters;
  std::array<Term, 3> thread{}, block{}, grid{};
  std::vector<Term> facts; // that hold always
};

/// The least and the greatest number that a parameter may be, with its sign; by its number.
struct ParameterRange {
  __int128 low, high;
};

/// Returns the functions of a module that only compute: they access nothing but their own memory, and wait for nobody.
std::set<NameId> pureFunctions(const ReadModule &module);

/// Reads a kernel. Obstacles tell what it could not be followed through. `pure`: functions that may be called.
Model modelOf(const Body &body, const ModuleState &module, const machine::KernelEntry &kernel, const ProvenShape &shape,
              const std::map<int, ParameterRange> &ranges, const std::set<NameId> &pure = {});

/// The terms of all threads are different (Thread), the same in a block, or the same in the grid.
Sharing sharingOf(const Terms &terms, Term term);

} // namespace ptxray::prove
