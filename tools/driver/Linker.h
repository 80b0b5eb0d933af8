#pragma once
// Texts of PTX as one: what is `.extern` in one of them is found among what is `.visible`, `.weak` or `.common` in the
// others.
#include "llvm/ADT/ArrayRef.h"
#include <cstdint>
#include <string>

namespace ptxray::driver {

struct LinkInput {
  std::string name; // the name that messages give it
  std::string text;
};
enum class LinkFault : uint8_t { None, Syntax, Duplicate, Mismatch, Undefined };
struct Linked {
  std::string text;
  LinkFault fault = LinkFault::None;
  std::string problem; // the problem in words
};
/// Functions of NVIDIA's libcudadevrt.a for grids whose blocks wait for each other; it has no PTX itself.
extern const char deviceRuntime[];
Linked linked(llvm::ArrayRef<LinkInput> inputs);

} // namespace ptxray::driver
