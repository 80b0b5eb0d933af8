#pragma once
// This reads the values that an initialiser puts into a variable.
#include "Parse/Ast.h"
#include <optional>

namespace ptxray {

/// A number, or the address of a symbol with a number added to it.
struct InitialValue {
  uint64_t offset = 0;           // from the variable's begin
  uint8_t size = 0;              // in bytes
  uint64_t number = 0;           // the bits of a number
  NameId symbol = NameId::None;  // None: it is not an address
  bool isGeneric = false;        // the address is a generic one
  std::optional<uint8_t> byteOf; // of the address only this byte, counted from the lowest
};

/// Returns the values in the order of the text; what lies between them is 0. The whole text is in the Ast, and the
/// initialiser is one that `checkInitialiser` has nothing against. Fields of samplers and textures are not values, nor
/// are lists of
/// `.f16x2`.
std::vector<InitialValue> initialValues(const Ast &ast, const Declaration &declaration);

} // namespace ptxray
