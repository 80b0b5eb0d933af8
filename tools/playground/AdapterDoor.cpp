// Passes requests to the debug adapter, one after another.
#include "dap/Adapter.h"

/// Movements cannot be interrupted here, since the caller has no other thread.
__attribute__((export_name("request"))) extern "C" void request(const char *body, size_t size) {
  static ptxray::machine::Watch watch;
  static ptxray::dap::Adapter adapter(watch, llvm::outs());
  if (const std::optional<ptxray::dap::Request> asked = ptxray::dap::readRequest({body, size}))
    adapter.take(*asked);
  llvm::outs().flush();
}
