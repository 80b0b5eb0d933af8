#pragma once
// A module on an emulated GPU, as seen through the C interface.
#include "Api/Structs.h"
#include "Emulate/Launch.h"
#include "Machine/Kernels.h"
#include <optional>

struct ptxray_machine {
  ptxray::FileReport report; // result of the check
  ptxray::CheckOptions options;
  std::unique_ptr<ptxray_result> checked;
  std::vector<ptxray::machine::KernelEntry> kernels;
  ptxray::machine::Memory memory;
  std::optional<ptxray::ReadModule> module; // empty if the text has errors
  std::optional<ptxray::machine::LoadedModule> loaded;
};
