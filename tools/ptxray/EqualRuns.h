#pragma once
// The two kernels of `ptxray equal`, laid out in memory.
#include "Emulate.h"
#include "Equal/Comparison.h"

namespace ptxray {

class EqualInput {
public:
  /// Returns an exit status, after printing what is wrong.
  int prepare(Arguments given);

  equal::Side &side() { return *launched; }
  /// Returns the buffers as they are before the launch.
  std::vector<equal::Buffer> buffers() const;
  const ReadModule &module() const { return *prepared.input.module; }
  const FileReport &report() const { return prepared.input.report; }
  bool isRecorded() const { return prepared.request.isRecorded; }

private:
  Arguments arguments;
  PreparedLaunch prepared;
  std::unique_ptr<Emulation> emulation;
  std::optional<equal::Side> launched;
};

} // namespace ptxray
