#pragma once
// The memory that a driver provides to a cooperative launch.
#include "Machine/LaunchData.h"
#include "Machine/Memory.h"

namespace ptxray::machine {

/// Memory that the driver provides for grid-wide barriers of cooperative groups: its size and a counter.
class Workspace {
public:
  Workspace(Memory &memory, const Launch &launch) : memory(memory) {
    constexpr uint64_t place = globalBegin - 4096; // below all allocations, and always the same
    if (!launch.isCooperative)
      return;
    address = place;
    memory.addAt(address, bytes, "the workspace of the grid");
  }
  ~Workspace() {
    if (address)
      memory.free(address);
  }
  Workspace(const Workspace &) = delete;
  Workspace &operator=(const Workspace &) = delete;

  uint64_t address = 0;

private:
  Memory &memory;
  std::array<uint8_t, 8> bytes = {8};
};

} // namespace ptxray::machine
