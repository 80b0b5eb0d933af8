#pragma once
// This analysis finds accesses by way of a register that are certainly outside of their variable, or misaligned, in
// some thread or round of a loop.
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

  std::optional<Misplaced> misplaced(const Operand &operand, LocalId local, const Access &access, uint32_t instruction);

private:
  /// Holds what is asked of one address.
  struct Question {
    LocalId local, variable;
    int64_t added; // to the register
    const Access &access;
    uint32_t instruction;
    bool isNarrow; // the register has 32 bits
  };
  std::optional<Misplaced> ofConstant(LocalId variable, int64_t offset, const Access &access) const;
  std::optional<Misplaced> ofAll(const Question &question, const Numbers &numbers) const;
  std::optional<Misplaced> search(const Question &question);
  /// The place to which the address leads in one thread, if that is wrong, and whether the thread certainly executes
  /// the access.
  struct Finding {
    std::optional<Misplaced> place;
    bool isCertain = false;
  };
  llvm::SmallVector<int64_t, 2> countsIn(const Question &question, Thread thread, LocalId counter);
  Finding inThread(const Question &question, uint64_t number, LocalId counter);

  const Body &body;
  Budget &budget;
  const BlockShape &shape;
  Values &values;
  Values own; // those of one thread after the other
  ThreadPaths paths;
  uint32_t tries = 0;
};

} // namespace ptxray
