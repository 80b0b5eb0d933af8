#pragma once
// The trace of a thread, with one line for each instruction that it executes.
#include "Machine/LaunchData.h"
#include "Machine/Observer.h"
#include "Machine/Warp.h"

namespace ptxray::machine {

/// Returns the number in a register as readable text. Floats and signed numbers are shown in their own notation,
/// followed by their bits.
std::string numberText(const Frame &frame, const Symbol &symbol, Slot slot, unsigned lane);

class TraceObserver final : public Observer {
public:
  explicit TraceObserver(const TracedThread &traced)
      : Observer(ObserverSlot::Trace, events::Instructions), traced(traced) {}

  bool follows(const Warp &warp) const override;
  void executed(Warp &warp, const FunctionCode &code, uint32_t instruction, uint32_t lanes) override;
  void finish(const GridState &grid, Outcome &outcome) override;

private:
  const TracedThread traced;
  std::vector<TraceLine> lines;
};

} // namespace ptxray::machine
