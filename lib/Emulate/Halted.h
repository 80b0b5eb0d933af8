#pragma once
// A launch that was executed up to a point, with its whole state at that point.
#include "Emulate/Launch.h"
#include "Observe/Halt.h"

namespace ptxray::machine {

class HaltedLaunch {
public:
  /// Executes on one core until `rule` halts the launch, or the launch ends. Applies the changes at their times.
  HaltedLaunch(LoadedModule &module, const Launch &launch, const HaltRule &rule, Changes changes = {});
  ~HaltedLaunch();

  GridState &grid() const;
  const HaltSearch &search() const;
  /// Returns the outcome up to this point, including a fault or a hang.
  const Outcome &outcome() const { return result; }

private:
  struct Parts;
  std::unique_ptr<Parts> parts;
  Outcome result;
};

/// Returns the code that a launch executes.
const Program &programFor(LoadedModule &module, const Launch &launch);

} // namespace ptxray::machine
