#pragma once
#include <chrono>
#include <cstddef>

namespace ptxray {

/// The progress of a long run, shown in one line on standard error if that is a terminal.
class Progress {
public:
  using Clock = std::chrono::steady_clock;
  /// Constructs a progress line. `begin` is the start of the run, which may have waited for its inputs.
  Progress(size_t total, bool wanted, Clock::time_point begin);
  void show(size_t done, unsigned errors); // at most every 100 ms
  void clear();                            // before anything else is written

private:
  const size_t total;
  const bool enabled;
  Clock::time_point next;
  bool shown = false;
};

} // namespace ptxray
