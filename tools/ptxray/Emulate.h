#pragma once
// `ptxray run --emulate`, and what else launches a kernel on the emulated machine.
#include "../launcher/LaunchRequest.h"
#include "Emulate/Launch.h"
#include "Kernels.h"
#include "Machine/TensorMap.h"
#include "ModuleInput.h"
#include <new>

namespace ptxray {

/// A checked input, the kernel of it that is launched, and what is asked for.
struct PreparedLaunch {
  ModuleInput input;
  KernelEntry entry;
  launcher::LaunchRequest request;
};
/// Fills it in from the arguments of `run`. Returns an exit status.
int prepareEmulation(const Arguments &arguments, PreparedLaunch &out);

/// A kernel with its arguments on the machine.
class Emulation {
public:
  Emulation(PreparedLaunch &prepared, const Arguments &arguments)
      : arguments(arguments), input(prepared.input), kernel(prepared.entry), options(prepared.request) {}

  // These return an exit status, after printing what is wrong.
  /// Makes the first launch and writes its results, then those that are timed.
  int run();
  /// Lays out memory for a launch that others make.
  int prepare();

  const machine::Launch &request() const { return asked; }
  machine::LoadedModule &module() { return *loaded; }
  std::vector<llvm::MutableArrayRef<uint8_t>> buffers();

private:
  /// How a launch ended.
  struct End {
    int status = Clean;
    bool isWhole = true; // what it left is of use
  };
  int readSettings();
  int setVariables();
  int placeArguments();
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

  const Arguments &arguments; // what is shown, and how
  ModuleInput &input;
  const KernelEntry &kernel;
  launcher::LaunchRequest &options;
  // Contents of buffers and variables, for launches that begin with them again.
  std::vector<launcher::Bytes> initial, initialVariables;
  std::vector<uint64_t> addresses; // where the buffers are
  machine::Memory memory;
  std::optional<machine::LoadedModule> loaded;
  machine::Launch asked;
  uint32_t schedules = 0; // launches by so many; 0: one launch
};

/// Launches it on the emulated machine. Returns an exit status.
int emulate(PreparedLaunch &prepared, const Arguments &arguments);
/// Lays out the memory of the launch. Null: that is not possible; why has been printed, and `status` is the one to exit
/// with.
std::unique_ptr<Emulation> laidOut(PreparedLaunch &prepared, const Arguments &arguments, int &status);
/// Options of emulated launches alone.
std::vector<Option> emulationOptions();

/// Calls `use`, which returns a problem. Where memory is exhausted, returns that.
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
