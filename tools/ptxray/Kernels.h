#pragma once
// The kernels of a module as a launch sees them: their parameters, and the arguments for these.
#include "Parse/Ast.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <optional>
#include <string>
#include <vector>

namespace ptxray {

struct KernelEntry {
  struct Parameter {
    std::string name, type; // `.u64`
    bool isArray = false;
    uint64_t bytes = 0, alignment = 1;
  };

  std::string name;
  std::vector<Parameter> parameters;
  std::string threads; // of `.reqntid`: `128,1,1`
};

/// The kernel that is named, or the only one. Returns what is wrong, or an empty text.
std::string chooseKernel(const Ast &ast, std::optional<llvm::StringRef> named, KernelEntry &chosen);

/// Adds types to arguments: `7` becomes `u32=7`; an argument that names its type is kept. Returns what is wrong, or an
/// empty text.
std::string typedArguments(const KernelEntry &entry, llvm::ArrayRef<llvm::StringRef> written,
                           std::vector<std::string> &out);

/// The sizes of the parameters, to which arguments are fitted: `8,8,4`.
std::string parameterSizes(const KernelEntry &entry);

} // namespace ptxray
