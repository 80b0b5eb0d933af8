#pragma once
// Reads the values in the initialiser of a variable.
#include "Parse/Ast.h"
#include <optional>

namespace ptxray {

/// A number, or the address of a symbol plus an offset.
struct InitialValue {
  uint64_t offset = 0;           // in the variable
  uint8_t size = 0;              // in bytes
  uint64_t number = 0;           // bits of a number
  NameId symbol = NameId::None;  // None if the value is not an address
  bool isGeneric = false;        // the address is generic
  std::optional<uint8_t> byteOf; // set if only one byte of the address is stored: its index, lowest byte first
};

/// Returns the values in source order; gaps between them are 0. The Ast must contain the whole text, and
/// `checkInitialiser` must accept the initialiser. Fields of samplers and textures are not included, nor are lists of
/// `.f16x2`.
std::vector<InitialValue> initialValues(const Ast &ast, const Declaration &declaration);

} // namespace ptxray
