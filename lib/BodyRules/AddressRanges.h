#pragma once
// Finds accesses through a register that are certainly outside of their variable, or misaligned, in some thread or
// iteration of a loop.
#include "Flow/ThreadPaths.h"

namespace ptxray {

struct Misplaced {
  LocalId variable = LocalId::None;
  int64_t offset = 0;
  bool isOutside = false; // otherwise it is misaligned
  std::string when;       // the thread or iteration in which it happens; empty if always
};

class AddressRanges {
public:
  AddressRanges(const Body &body, Analyses &analyses);

  std::optional<Misplaced> misplaced(const Operand &operand, LocalId local, const Access &access, uint32_t instruction);

private:
  /// The facts about one address that determine its checks.
  struct Question {
    LocalId local, variable;
    int64_t added; // offset that is added to the register
    const Access &access;
    uint32_t instruction;
    bool isNarrow; // the register has 32 bits
  };
  std::optional<Misplaced> ofConstant(LocalId variable, int64_t offset, const Access &access) const;
  std::optional<Misplaced> ofAll(const Question &question, const Numbers &numbers) const;
  std::optional<Misplaced> search(const Question &question);
  /// A wrong access of one thread: its offset, and whether the thread certainly executes the access.
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
  Values own; // values in one thread after another
  ThreadPaths paths;
  uint32_t tries = 0;
};

} // namespace ptxray
