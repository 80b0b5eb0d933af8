#pragma once
// Instructions for generated programs, with open places: what they compute is defined whatever the registers hold, once
// their addresses, masks and barriers are filled in.
#include "Generate/Family.h"
#include "Isa/Availability.h"
#include "Samples/Sample.h"
#include <string>
#include <vector>

namespace ptxray {

/// The memory that an address may lead to. Input is not written; Uniform: all threads read the same of it.
enum class Region : uint8_t { Global, Shared, Local, Constant, Generic, GenericShared, Input, Uniform };

/// The way in which an instruction uses memory.
struct BlueprintMemory {
  unsigned operand = 0; // which holds the address
  std::string after;    // the text after the address: `].unified`
  Region region = Region::Global;
  unsigned bytes = 0, align = 1;
  bool reads = false, writes = false;
  bool commutes = false;     // what several threads do to one place does not depend on their order
  bool hasResult = false;    // the first operand; `_` may stand for it if it commutes
  bool crossesLanes = false; // it accesses what the addresses of other lanes lead to
};

struct Blueprint {
  std::string opcode;
  std::vector<std::string> operands;
  Family family = Family::Compute;
  std::optional<BlueprintMemory> memory;
  int barrier = -1, threads = -1; // operands: the number of a barrier, and of its threads
  bool isCommon = false;          // one of the integer functions that programs are mostly made of
  bool passesNan = false;         // which NaN its result is, is open
  unsigned resultBits = 0;        // of the type of its result
  bool isJoint = false;           // all lanes of a warp execute it together
};

/// Makes an instruction for programs of a sample. Masks and metadata are filled in. Returns nothing if programs cannot
/// use it.
std::optional<Blueprint> blueprintOf(const Sample &sample, const Availability &availability);

/// The names that stand for what a program holds for instructions: a policy for caches, which elements of a sparse
/// matrix are kept.
inline constexpr llvm::StringLiteral policyName = "%policy", keptName = "%kept";

} // namespace ptxray
