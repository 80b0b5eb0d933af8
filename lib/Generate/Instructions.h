#pragma once
// Instructions for generated programs: each computes registers of registers and constants, and what it computes is
// defined whatever the registers hold.
#include "Isa/Availability.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <string>
#include <vector>

namespace ptxray {

/// A register that they use.
struct GeneratedRegister {
  std::string name;
  unsigned bits = 0; // 1: a predicate
};
std::vector<GeneratedRegister> generatedRegisters();
/// Their declarations, a line each type.
std::string registerDeclarations();

/// About `count` of them, of mnemonics that are chosen by the seed; `wanted` are the first words of those that may be
/// chosen, `add`; empty: any may.
std::vector<std::string> plainInstructions(const ModuleContext &module, unsigned count, uint64_t seed,
                                           llvm::ArrayRef<std::string> wanted);

} // namespace ptxray
