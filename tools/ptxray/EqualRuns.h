#pragma once
// Launches of two kernels on the same contents, for `ptxray equal`.
#include "Emulate.h"
#include "Equal/TermObserver.h"

namespace ptxray {

/// One of the two kernels, laid out in memory of its own.
class EqualSide {
public:
  /// Returns an exit status, after printing what is wrong.
  int prepare(Arguments given);

  /// Launches the kernel on some contents of its buffers. `observers`: others than those of the checks.
  machine::Outcome launch(const std::vector<launcher::Bytes> &contents, bool certifies = false,
                          std::vector<machine::ObserverMaker> observers = {});
  const std::vector<launcher::NamedBuffer> &buffers() const { return prepared.request.buffers; }
  std::vector<llvm::MutableArrayRef<uint8_t>> memory() { return emulation->buffers(); }
  std::vector<launcher::Bytes> bytes();
  const ReadModule &module() const { return *prepared.input.module; }
  const FileReport &report() const { return prepared.input.report; }
  const std::string &kernel() const { return prepared.entry.name; }
  machine::Timing timing;

private:
  Arguments arguments;
  PreparedLaunch prepared;
  std::unique_ptr<Emulation> emulation;
  std::vector<launcher::Bytes> variables; // as they were before the first launch
};

/// Makes contents of buffers.
class ContentMaker {
public:
  ContentMaker(const std::vector<launcher::NamedBuffer> &buffers, llvm::ArrayRef<llvm::StringRef> texts);
  /// How many kinds of contents there are for deciding whether kernels differ.
  static constexpr unsigned kinds = 14;
  std::vector<launcher::Bytes> make(unsigned kind, uint64_t seed) const;
  /// Returns contents with NaNs, infinities, zeros of both signs and subnormal numbers.
  std::vector<launcher::Bytes> edges(uint64_t seed) const;
  /// Changes each float by a small part of itself.
  std::vector<launcher::Bytes> disturbed(const std::vector<launcher::Bytes> &contents, uint64_t seed) const;
  const launcher::ElementType *typeOf(size_t buffer) const { return types[buffer]; }
  bool hasFloats() const { return isOfFloats; }

private:
  double floatFor(unsigned kind, uint64_t random, uint64_t index, uint64_t count) const;
  uint64_t integerFor(unsigned kind, uint64_t random, uint64_t index, unsigned bits) const;

  std::vector<const launcher::ElementType *> types;
  std::vector<launcher::Bytes> first;
  std::vector<double> floats;     // that the modules name
  std::vector<uint64_t> integers; // that the modules name
  bool isOfFloats = false, hasHalves = false;
};

} // namespace ptxray
