#pragma once
// A launch that was executed up to a place, with all of its state there.
#include "Emulate/Launch.h"
#include "Observe/Halt.h"

namespace ptxray::machine {

class HaltedLaunch {
public:
  /// Executes by one core until the rule says to halt, or the launch ends. The changes are made on the way.
  HaltedLaunch(LoadedModule &module, const Launch &launch, const HaltRule &rule, Changes changes = {});
  ~HaltedLaunch();

  GridState &grid() const;
  const HaltSearch &search() const;
  /// Returns the outcome until then. A fault or a hang is reported in it.
  const Outcome &outcome() const { return result; }

private:
  struct Parts;
  std::unique_ptr<Parts> parts;
  Outcome result;
};

/// Returns the code that a launch executes.
const Program &programFor(LoadedModule &module, const Launch &launch);

} // namespace ptxray::machine
