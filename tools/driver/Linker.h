#pragma once
// Links PTX modules: `.extern` declarations in one module are resolved to `.visible`, `.weak` or `.common` definitions
// in others.
#include "llvm/ADT/ArrayRef.h"
#include <cstdint>
#include <string>

namespace ptxray::driver {

struct LinkInput {
  std::string name; // name in messages
  std::string text;
};
enum class LinkFault : uint8_t { None, Syntax, Duplicate, Mismatch, Undefined };
struct Linked {
  std::string text;
  LinkFault fault = LinkFault::None;
  std::string problem; // description of the problem
};
/// Functions of NVIDIA's libcudadevrt.a for cooperative grids, as PTX. The library itself contains no PTX.
extern const char deviceRuntime[];
Linked linked(llvm::ArrayRef<LinkInput> inputs);

} // namespace ptxray::driver
