#pragma once
// The kernels of a module, described for launches.
#include "Parse/Ast.h"
#include "llvm/ADT/ArrayRef.h"
#include <array>
#include <string>
#include <vector>

namespace ptxray::machine {

struct KernelEntry {
  struct Parameter {
    std::string name, type; // `.u64`
    bool isArray = false;
    uint64_t bytes = 0, alignment = 1;
  };

  std::string name;
  std::vector<Parameter> parameters;
  std::array<uint32_t, 3> requiredBlock = {0, 0, 0}; // zeros if the launch may choose the size
  uint64_t mostThreads = 1024;                       // per block
};

/// Returns the kernels with a body, in source order.
std::vector<KernelEntry> kernelsOf(const Ast &ast);
/// Returns the parameter buffer of a launch, in which each argument is aligned. Arguments must have the sizes of the
/// parameters.
std::vector<uint8_t> laidOut(const KernelEntry &kernel, llvm::ArrayRef<std::vector<uint8_t>> arguments);

} // namespace ptxray::machine
