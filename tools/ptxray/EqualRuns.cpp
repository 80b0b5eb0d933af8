#include "EqualRuns.h"
#include "llvm/ADT/STLExtras.h"

namespace ptxray {

int EqualInput::prepare(Arguments given) {
  arguments = std::move(given);
  if (const int status = prepareEmulation(arguments, prepared))
    return status;
  int status = Clean;
  emulation = laidOut(prepared, arguments, status);
  if (emulation)
    launched.emplace(module(), emulation->module(), emulation->request(), emulation->buffers());
  return status;
}

std::vector<equal::Buffer> EqualInput::buffers() const {
  std::vector<equal::Buffer> all;
  for (const auto &[one, bytes] : llvm::zip(prepared.request.buffers, emulation->buffers())) {
    equal::Buffer &buffer = all.emplace_back();
    buffer.name = one.name;
    buffer.given = equal::Bytes(bytes.begin(), bytes.end());
    if (one.buffer.type)
      buffer.type = equal::typeNamed(one.buffer.type->name);
  }
  return all;
}

} // namespace ptxray
