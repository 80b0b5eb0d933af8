#pragma once
// Runs `ptxray run --emulate`, and other launches on the emulator.
#include "../launcher/LaunchRequest.h"
#include "Emulate/Launch.h"
#include "Kernels.h"
#include "Machine/TensorMap.h"
#include "ModuleInput.h"
#include <new>

namespace ptxray {

/// A checked input, the kernel to launch, and the requested launch.
struct PreparedLaunch {
  ModuleInput input;
  KernelEntry entry;
  launcher::LaunchRequest request;
};
/// Prepares a launch from the arguments of `run`. Returns an exit status.
int prepareEmulation(const Arguments &arguments, PreparedLaunch &out);

/// A kernel and its arguments on the emulator.
class Emulation {
public:
  Emulation(PreparedLaunch &prepared, const Arguments &arguments)
      : arguments(arguments), input(prepared.input), kernel(prepared.entry), options(prepared.request) {}

  // Run or prepare launches. Both functions print the problem, if any, and return an exit status.
  /// Runs the first launch and writes its results, then runs the timed launches.
  int run();
  /// Allocates memory for a launch that the caller runs.
  int prepare();

  const machine::Launch &request() const { return asked; }
  machine::LoadedModule &module() { return *loaded; }
  std::vector<llvm::MutableArrayRef<uint8_t>> buffers();

private:
  /// The result of a launch.
  struct End {
    int status = Clean;
    bool isWhole = true; // its results are complete
  };
  int readSettings();
  int setVariables();
  int placeArguments();
  std::string nameOfParameter(llvm::StringRef number) const;
  void placeBuffers();
  void followMoves();
  void beginAgain();
  machine::TensorMap completed(machine::TensorMap map, const launcher::TensorMap &asked) const;
  Expected<machine::ImageObject> objectFor(const launcher::ImageDescription &asked) const;
  uint64_t addressOf(const launcher::Address &at) const;
  int place(const launcher::Argument &argument, launcher::Bytes &bytes);
  int place(const launcher::TensorMap &asked, uint8_t *bytes) const;
  int place(const launcher::ImageDescription &image, uint8_t *handle);
  machine::Outcome launch();
  End report(machine::Outcome outcome);
  std::string writeCounts(const machine::Outcome &outcome) const;
  std::string writeCertificate(const machine::Outcome &outcome, bool isGood) const;
  Expected<launcher::Bytes> contents(const std::string &name) const;
  int writeOutputs() const;
  int compare(bool isLast = true) const;
  End measure();
  int runSchedules();
  int refuse(const std::string &problem) const;

  const Arguments &arguments; // how to display results
  ModuleInput &input;
  const KernelEntry &kernel;
  launcher::LaunchRequest &options;
  // Initial contents of buffers and variables, for repeated launches.
  std::vector<launcher::Bytes> initial, initialVariables;
  std::vector<uint64_t> addresses; // addresses of the buffers
  machine::Memory memory;
  std::optional<machine::LoadedModule> loaded;
  machine::Launch asked;
  uint32_t schedules = 0; // number of schedules to try; 0 for a single launch
};

/// Runs the launch on the emulator. Returns an exit status.
int emulate(PreparedLaunch &prepared, const Arguments &arguments);
/// Allocates the memory of the launch. If that fails, prints the problem, sets `status` to the exit status, and returns
/// null.
std::unique_ptr<Emulation> laidOut(PreparedLaunch &prepared, const Arguments &arguments, int &status);
/// Options of emulated launches only.
std::vector<Option> emulationOptions();

/// Calls `use`, which returns a problem. If memory is exhausted, returns that problem.
template <typename Use> std::string withinMemory(Use use) {
  try {
    return use();
  } catch (const std::bad_alloc &) {
    return launcher::tooLarge;
  } catch (const std::length_error &) {
    return launcher::tooLarge;
  }
}

} // namespace ptxray
