#pragma once
// A kernel with memory of its own, which is launched for several contents of its buffers.
#include "Emulate/Launch.h"
#include "Equal/Contents.h"

namespace ptxray::equal {

class Side {
public:
  /// All but the launch must outlive the object.
  Side(const ReadModule &module, machine::LoadedModule &loaded, machine::Launch request,
       std::vector<llvm::MutableArrayRef<uint8_t>> memory);

  /// Launches the kernel. `observers`: others than those of the checks.
  machine::Outcome launch(const std::vector<Bytes> &contents, bool certifies = false,
                          std::vector<machine::ObserverMaker> observers = {});
  /// Returns what the buffers hold.
  std::vector<Bytes> bytes() const;
  llvm::ArrayRef<llvm::MutableArrayRef<uint8_t>> buffers() const { return memory; }
  const ReadModule &module() const { return read; }
  llvm::StringRef kernel() const { return request.kernel; }
  /// Returns whether both launches have the same size and arguments.
  bool isLaunchedLike(const Side &other) const;
  machine::Timing timing;

private:
  const ReadModule &read;
  machine::LoadedModule &loaded;
  machine::Launch request;
  std::vector<llvm::MutableArrayRef<uint8_t>> memory;
  std::vector<Bytes> variables; // as they were before the first launch
};

/// Returns whether a launch ended without a fault.
bool isGood(const machine::Outcome &outcome);

} // namespace ptxray::equal
