#pragma once
// `ptxray run --emulate`, and what else launches a kernel on the emulated machine.
#include "../launcher/Options.h"
#include "Emulate/Launch.h"
#include "Kernels.h"
#include "Machine/TensorMap.h"
#include "ModuleInput.h"

namespace ptxray {

/// Thrown when the launch cannot be made, after the reason has been printed.
struct FailedLaunch {
  int status;
};

/// A kernel with its arguments on the machine.
class Emulation {
public:
  Emulation(ModuleInput &input, const KernelEntry &kernel, launcher::Options options)
      : input(input), kernel(kernel), options(std::move(options)),
        read(readModule(*input.report.source, input.options)) {}

  /// The first launch and its results, then those that are timed. Returns an exit status.
  int run(const Arguments &arguments);

  /// Reads the options of the launch, and lays out memory.
  void prepare(const Arguments &arguments);
  machine::Launch request();
  machine::LoadedModule &module() { return *loaded; }
  std::vector<llvm::MutableArrayRef<uint8_t>> buffers();

private:
  void readLaunch(const Arguments &arguments);
  void placeBuffers();
  void followMoves();
  void setVariables();
  machine::TensorMapBytes mapFor(const launcher::TensorMap &asked) const;
  machine::ImageObject objectFor(const launcher::ImageDescription &asked) const;
  uint64_t addressOf(const launcher::Address &at) const;
  std::vector<launcher::Bytes> arguments();
  machine::Outcome launch();
  int report(machine::Outcome outcome, const Arguments &arguments);
  void writeCounts(const machine::Outcome &outcome, const Arguments &arguments) const;
  launcher::Bytes contents(const std::string &name) const;
  void writeOutputs() const;
  bool isAsExpected(bool isLast = true) const;
  int measure(const Arguments &arguments);
  int runSchedules(uint32_t count, const Arguments &arguments);

  ModuleInput &input;
  const KernelEntry &kernel;
  launcher::Options options;
  std::vector<launcher::Bytes> initial; // contents of the buffers, for launches that begin with them again
  std::vector<uint64_t> addresses;      // where the buffers are
  machine::Memory memory;
  const ReadModule read;
  std::optional<machine::LoadedModule> loaded;
  machine::Launch asked;
  bool keepsInitial = false; // for launches by other schedules
};

/// A checked input, the kernel of it that is launched, and the command line of ptxray-run.
struct PreparedLaunch {
  ModuleInput input;
  KernelEntry entry;
  std::vector<std::string> words;
};
/// Fills it in from the arguments of `run`. Returns an exit status.
int prepareEmulation(const Arguments &arguments, PreparedLaunch &out);
/// Launches it on the emulated machine. Returns an exit status.
int emulate(PreparedLaunch &prepared, const Arguments &arguments);
/// Lays out the memory of the launch. Null: that is not possible; why has been printed, and `status` is the one to exit
/// with.
std::unique_ptr<Emulation> laidOut(PreparedLaunch &prepared, const Arguments &arguments, int &status);
/// Options of emulated launches alone.
std::vector<Option> emulationOptions();

} // namespace ptxray
