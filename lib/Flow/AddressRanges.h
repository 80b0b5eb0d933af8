#pragma once
// Whether an access by way of a register is certainly outside of its variable, or misaligned, in some thread or round
// of a loop.
#include "Flow/Addresses.h"
#include "Flow/ThreadPaths.h"

namespace ptxray {

struct Misplaced {
  LocalId variable = LocalId::None;
  int64_t offset = 0;
  bool isOutside = false; // else misaligned
  std::string when;       // in which thread, in which round; empty: always
};

class AddressRanges {
public:
  AddressRanges(const Body &body, Analyses &analyses);

  /// `base` is what is known of the address, its offset included, without a look at numbers in registers.
  std::optional<Misplaced> misplaced(const Operand &operand, LocalId local, const Base &base, const Access &access,
                                     uint32_t instruction);

private:
  /// What is asked of one address.
  struct Question {
    LocalId local, variable;
    int64_t added; // to the register
    const Access &access;
    uint32_t instruction;
    bool isNarrow; // the register has 32 bits
  };
  bool mayLeadToVariable(const Access &access) const;
  std::optional<Misplaced> ofConstant(LocalId variable, int64_t offset, const Access &access) const;
  std::optional<Misplaced> ofAll(const Question &question, const Numbers &numbers) const;
  std::optional<Misplaced> search(const Question &question);
  std::optional<Misplaced> inThread(const Question &question, uint64_t number, LocalId counter);
  std::optional<LocalId> counterIn(LocalId local, unsigned depth);

  const Body &body;
  Analyses &analyses;
  const BlockShape &shape;
  Values &values;
  ThreadPaths paths;
  llvm::DenseMap<LocalId, std::optional<LocalId>> counters; // by register: what `counterIn` gives
  llvm::SmallVector<isa::WordId, 4> spaces;                 // of the variables that the body names, but for parameters
  uint32_t tries = 0;
};

} // namespace ptxray
