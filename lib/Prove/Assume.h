#pragma once
// Parses user assumptions about parameters and lengths: `n >= 1 && n <= 4096`, `param2 == 64`, `bytes(param0) == 4*n`,
// `shared == 1024`.
#include "Machine/Kernels.h"
#include "Prove/Model.h"
#include "Source/Expected.h"

namespace ptxray::prove {

struct AssumedValue {
  enum class Kind : uint8_t { Number, Parameter, Bytes, Shared, Add, Subtract, Multiply };
  Kind kind = Kind::Number;
  int64_t number = 0; // value, or index of the parameter
};
/// A comparison of two sums, each in postfix order.
struct Comparison {
  enum class Kind : uint8_t { Equal, Unequal, Less, LessEqual, Greater, GreaterEqual };
  Kind kind = Kind::Equal;
  std::vector<AssumedValue> left, right;
  std::string text;
};

/// Parses the comparisons, or returns the problem with the text.
Expected<std::vector<Comparison>> readAssumption(llvm::StringRef text, const machine::KernelEntry &kernel);

/// Returns the bounds that the comparisons impose on single parameters.
std::map<int, ParameterRange> rangesOf(llvm::ArrayRef<Comparison> all);
std::optional<uint64_t> sharedOf(llvm::ArrayRef<Comparison> all);
/// Return numbers for parameters and lengths that satisfy the comparisons and are as close to `wanted` as the ranges
/// permit. Return none if the comparisons contradict each other.
std::optional<int64_t> valueOf(llvm::ArrayRef<AssumedValue> value, const std::map<int, int64_t> &parameters,
                               const std::map<int, int64_t> &bytes, int64_t shared);
bool holds(const Comparison &one, const std::map<int, int64_t> &parameters, const std::map<int, int64_t> &bytes,
           int64_t shared, bool &isKnown);

/// Adds the comparisons to the facts of a model, and lengths to its buffers.
void assume(Model &model, const machine::KernelEntry &kernel, llvm::ArrayRef<Comparison> all);

} // namespace ptxray::prove
