#pragma once
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace ptxray {

/// What `ptxas -v` says that a function takes.
struct FunctionResources {
  std::string name;
  std::string arch; // `sm_90a`
  bool isEntry = false;
  uint64_t registers = 0, barriers = 0;
  uint64_t stackBytes = 0, spillStoreBytes = 0, spillLoadBytes = 0;
  uint64_t sharedBytes = 0, localBytes = 0;
  std::vector<std::pair<std::string, uint64_t>> constantBytes; // by bank: `cmem[0]`
};

} // namespace ptxray
