#pragma once
#include <chrono>
#include <cstddef>

namespace ptxray {

/// A line on a terminal's standard error that shows the progress of a long run.
class Progress {
public:
  using Clock = std::chrono::steady_clock;
  /// `begin` is the start of the run, which may have waited for its inputs first.
  Progress(size_t total, bool wanted, Clock::time_point begin);
  void show(size_t done, unsigned errors); // now and then
  void clear();                            // before anything else is written

private:
  const size_t total;
  const bool enabled;
  Clock::time_point next;
  bool shown = false;
};

} // namespace ptxray
