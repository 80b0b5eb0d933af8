#pragma once
// The parts of a loaded module, for the files that launch its kernels.
#include "Emulate/LoadedModule.h"
#include "Machine/InstructionKinds.h"
#include "Machine/Program.h"
#include "Observe/GlobalShadow.h"
#include <deque>
#include <mutex>

namespace ptxray::machine {

/// The bytes of a variable. The bytes of a managed variable are aligned like its address.
struct VariableBytes {
  VariableBytes(size_t size, bool isManaged) : room(size + (isManaged ? alignment - 1 : 0)) {
    const size_t past = isManaged ? reinterpret_cast<uintptr_t>(room.data()) % alignment : 0;
    bytes = {room.data() + (past ? alignment - past : 0), size};
  }
  static constexpr size_t alignment = 512; // alignment that the driver uses
  std::vector<uint8_t> room;
  llvm::MutableArrayRef<uint8_t> bytes;
};

struct LoadedModule::Parts {
  Parts(const ReadModule &module, Memory &memory, std::string target)
      : module(module), memory(memory), target(std::move(target)), kinds(module) {}
  const ReadModule &module;
  Memory &memory;
  std::string target;
  PlacedVariables variables;
  std::deque<VariableBytes> bytes;
  std::map<PlacedVariables::key_type, size_t> indices;       // indices into `bytes`
  std::map<std::string, std::pair<uint64_t, size_t>> byName; // index into `bytes`
  std::map<std::string, uint64_t> images;                    // handles
  // Keyed by the name of the kernel.
  std::map<std::pair<std::string, LoweringOptions>, std::unique_ptr<Program>> programs;
  InstructionKinds kinds;
  std::mutex mutex;
  // Shadow memory of the last launch, for reuse by the next one; null while a launch uses it.
  std::shared_ptr<GlobalShadows> shadows;
  std::string refusal; // why its kernels cannot be launched; empty if they can
};

} // namespace ptxray::machine
