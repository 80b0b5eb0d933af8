#pragma once
// What a loaded module holds, for those who launch its kernels.
#include "Emulate/LoadedModule.h"
#include "Machine/InstructionKinds.h"
#include "Machine/Program.h"
#include "Observe/GlobalShadow.h"
#include <deque>
#include <mutex>

namespace ptxray::machine {

/// The bytes that a variable holds. Those of a managed one are aligned as its address.
struct VariableBytes {
  VariableBytes(size_t size, bool isManaged) : room(size + (isManaged ? alignment - 1 : 0)) {
    const size_t past = isManaged ? reinterpret_cast<uintptr_t>(room.data()) % alignment : 0;
    bytes = {room.data() + (past ? alignment - past : 0), size};
  }
  static constexpr size_t alignment = 512; // that of a driver
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
  std::map<PlacedVariables::key_type, size_t> indices;                                  // into `bytes`
  std::map<std::string, std::pair<uint64_t, size_t>> byName;                            // index into `bytes`
  std::map<std::string, uint64_t> images;                                               // handles
  std::map<std::pair<std::string, LoweringOptions>, std::unique_ptr<Program>> programs; // by the name of the kernel
  InstructionKinds kinds;
  std::mutex mutex;
  std::shared_ptr<GlobalShadows> shadows; // those of the last launch, for the next one; null: one has them
  std::string refusal;                    // says why its kernels cannot be launched; empty: they can
};

} // namespace ptxray::machine
