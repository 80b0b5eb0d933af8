#pragma once
// Instruction templates for generated programs. Their results are defined for any contents of registers, once
// addresses, masks and barriers are filled in.
#include "Generate/Family.h"
#include "Isa/Availability.h"
#include "Samples/Sample.h"
#include <string>
#include <vector>

namespace ptxray {

/// The memory that an address may refer to. Programs do not write Input. For Uniform, all threads read the same value.
enum class Region : uint8_t { Global, Shared, Local, Constant, Generic, GenericShared, Input, Uniform };

/// How an instruction uses memory.
struct BlueprintMemory {
  unsigned operand = 0; // index of the address operand
  std::string after;    // suffix of the address: `].unified`
  Region region = Region::Global;
  unsigned bytes = 0, align = 1;
  bool reads = false, writes = false;
  bool commutes = false;     // the order of several threads' updates to one location does not matter
  bool hasResult = false;    // the first operand is a result; it can be `_` if `commutes` is set
  bool crossesLanes = false; // accesses the addresses of other lanes
};

struct Blueprint {
  std::string opcode;
  std::vector<std::string> operands;
  Family family = Family::Compute;
  std::optional<BlueprintMemory> memory;
  int barrier = -1, threads = -1; // operands: the number of a barrier, and of its threads
  bool isCommon = false;          // one of the integer instructions that are most frequent in programs
  bool passesNan = false;         // the payload of a NaN result is unspecified
  unsigned resultBits = 0;        // width of the result type
  bool isJoint = false;           // all lanes of a warp must execute it together
};

/// Builds a template from a sample, with masks and metadata filled in. Returns nothing if programs cannot use the
/// instruction.
std::optional<Blueprint> blueprintOf(const Sample &sample, const Availability &availability);

/// Placeholders for values that a program provides: a cache policy, and the selection of elements in a sparse matrix.
inline constexpr llvm::StringLiteral policyName = "%policy", keptName = "%kept";

} // namespace ptxray
