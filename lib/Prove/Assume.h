#pragma once
// Assumptions of a user about parameters and lengths: `n >= 1 && n <= 4096`, `param2 == 64`, `bytes(param0) == 4*n`,
// `shared == 1024`.
#include "Machine/Kernels.h"
#include "Prove/Model.h"
#include "Source/Expected.h"

namespace ptxray::prove {

struct AssumedValue {
  enum class Kind : uint8_t { Number, Parameter, Bytes, Shared, Add, Subtract, Multiply };
  Kind kind = Kind::Number;
  int64_t number = 0; // or which parameter
};
/// Compares two sums, each in the order in which a stack computes it.
struct Comparison {
  enum class Kind : uint8_t { Equal, Unequal, Less, LessEqual, Greater, GreaterEqual };
  Kind kind = Kind::Equal;
  std::vector<AssumedValue> left, right;
  std::string text;
};

/// Returns the problem: what is wrong with the text.
Expected<std::vector<Comparison>> readAssumption(llvm::StringRef text, const machine::KernelEntry &kernel);

/// Returns the bounds that the comparisons give to single parameters.
std::map<int, ParameterRange> rangesOf(llvm::ArrayRef<Comparison> all);
std::optional<uint64_t> sharedOf(llvm::ArrayRef<Comparison> all);
/// Numbers of parameters and lengths that fit; each is as near to `wanted` as ranges allow. None: they contradict.
std::optional<int64_t> valueOf(llvm::ArrayRef<AssumedValue> value, const std::map<int, int64_t> &parameters,
                               const std::map<int, int64_t> &bytes, int64_t shared);
bool holds(const Comparison &one, const std::map<int, int64_t> &parameters, const std::map<int, int64_t> &bytes,
           int64_t shared, bool &isKnown);

/// Adds the comparisons to the facts of a model, and lengths to its buffers.
void assume(Model &model, const machine::KernelEntry &kernel, llvm::ArrayRef<Comparison> all);

} // namespace ptxray::prove
