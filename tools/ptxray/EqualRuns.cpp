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

/// Returns the type by its name.
static ElementType typeOf(const launcher::ElementType &type) {
  using Kind = ElementType::Kind;
  static constexpr std::array formats = {&numbers::f16,  &numbers::bf16, &numbers::f32,  &numbers::f64,
                                         &numbers::e4m3, &numbers::e5m2, &numbers::e2m3, &numbers::e3m2,
                                         &numbers::e2m1, &numbers::ue8m0};
  ElementType result{type.kind == launcher::ElementType::Signed ? Kind::Signed : Kind::Unsigned, type.bits, 1, nullptr};
  if (type.kind != launcher::ElementType::Float)
    return result;
  const auto found =
      llvm::find_if(formats, [&](const numbers::Format *one) { return llvm::StringRef(one->name) == type.name; });
  result.kind = Kind::Float;
  result.format = found == formats.end() ? &numbers::f32 : *found; // tf32 is in memory like f32
  return result;
}

std::vector<equal::Buffer> EqualInput::buffers() const {
  std::vector<equal::Buffer> all;
  for (const auto &[one, bytes] : llvm::zip(prepared.request.buffers, emulation->buffers())) {
    equal::Buffer &buffer = all.emplace_back();
    buffer.name = one.name;
    buffer.given = equal::Bytes(bytes.begin(), bytes.end());
    if (one.buffer.type)
      buffer.type = typeOf(*one.buffer.type);
  }
  return all;
}

} // namespace ptxray
