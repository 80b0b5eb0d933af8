#include "Equal/Side.h"
#include "llvm/ADT/STLExtras.h"

namespace ptxray::equal {

Side::Side(const ReadModule &module, machine::LoadedModule &loaded, machine::Launch request,
           std::vector<llvm::MutableArrayRef<uint8_t>> memory)
    : read(module), loaded(loaded), request(std::move(request)), memory(std::move(memory)) {
  for (const llvm::ArrayRef<uint8_t> one : loaded.allVariables())
    variables.push_back(one.vec());
}

machine::Outcome Side::launch(const std::vector<Bytes> &contents, bool certifies,
                              std::vector<machine::ObserverMaker> observers) {
  for (auto [buffer, bytes] : llvm::zip(memory, contents))
    std::copy_n(bytes.begin(), std::min(bytes.size(), buffer.size()), buffer.begin());
  for (auto [variable, bytes] : llvm::zip(loaded.allVariables(), variables))
    llvm::copy(bytes, variable.begin());
  machine::Launch asked = request;
  asked.checks = true;
  asked.certifies = certifies;
  asked.observers = std::move(observers);
  asked.timing = timing;
  return machine::launch(loaded, asked);
}

bool Side::isLaunchedLike(const Side &other) const {
  const machine::Launch &a = request, &b = other.request;
  return a.kernel == b.kernel && a.parameters == b.parameters && a.grid == b.grid && a.block == b.block &&
         a.cluster == b.cluster && a.shared == b.shared && a.isCooperative == b.isCooperative;
}

std::vector<Bytes> Side::bytes() const {
  std::vector<Bytes> all;
  for (const llvm::ArrayRef<uint8_t> one : memory)
    all.push_back(one.vec());
  return all;
}

bool isGood(const machine::Outcome &outcome) {
  return outcome.isComplete && outcome.refusal.empty() &&
         llvm::none_of(outcome.diagnostics, [](const Diagnostic &one) { return one.severity == Severity::Error; });
}

} // namespace ptxray::equal
