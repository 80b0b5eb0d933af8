#pragma once
// Tracks the terms of values through a launch: each lane of a register and each byte of memory that depends on the
// contents of buffers has a term. Addresses and control flow are those of the launch. If contents decide them, the
// terms are not valid for other contents (`Followed::obstacle`).
#include "Equal/Decisions.h"
#include "Equal/Symbolic.h"
#include "Equal/TermMemory.h"
#include "Machine/LaunchData.h"
#include "Machine/MatrixProduct.h"
#include <set>
#include <string>

namespace ptxray::equal {

/// The terms of the buffers after a launch.
struct Followed {
  std::vector<std::vector<Ref>> buffers; // the terms of all bytes, indexed by buffer
  std::string obstacle;                  // why the terms are not valid for all contents; empty if they are
  std::optional<Range> at;               // the instruction that causes the obstacle
  bool isOpen = false;                   // lanes of one instruction store different values at one place
  bool followsDecisions = false;         // collect decisions; they are no obstacles then
  std::vector<Decision> decisions;
  std::vector<bool> written; // for each buffer, whether the launch stored anything there
};

class TermObserver final : public machine::Observer {
public:
  TermObserver(Terms &terms, const ReadModule &module, std::vector<llvm::MutableArrayRef<uint8_t>> buffers,
               Followed &out);

  void beginCluster(llvm::ArrayRef<machine::BlockState *> cluster, bool isAgain) override;
  void finish(const machine::GridState &grid, machine::Outcome &outcome) override;
  void enterFrame(machine::Warp &warp, machine::Frame &frame, uint32_t lanes) override;
  void hands(machine::Warp &warp, const machine::Passed &from, machine::Frame &source, const machine::Passed &to,
             machine::Frame &target, uint32_t lanes) override;
  void passes(machine::Warp &warp, unsigned lane, std::optional<uint64_t> from, uint64_t to, uint64_t count,
              uint64_t bytes) override;
  void branches(machine::Warp &warp, uint32_t instruction, machine::Slot guard, uint32_t lanes) override;
  void skips(machine::Warp &warp, const machine::FunctionCode &code, uint32_t instruction) override;
  void leaves(machine::Warp &warp, const machine::FunctionCode &code, const machine::CodeBlock &block,
              uint32_t lanes) override;
  void before(machine::Warp &warp, const machine::FunctionCode &code, uint32_t instruction, uint32_t lanes) override;
  void accesses(machine::Warp &warp, const machine::LaneAccess &access) override;
  void excuses(machine::Warp &warp, const machine::LaneAccess &access, unsigned lane) override;
  void excuses(machine::Warp &warp, const machine::RangeAccess &access) override;
  void ranges(machine::Warp &warp, llvm::ArrayRef<machine::RangeAccess> ranges) override;
  void tensors(machine::Warp &warp, const machine::TensorRange &range) override;
  void multiplies(machine::Warp &warp, const machine::Op &op, const machine::GroupProduct &product) override;
  void moves(machine::Warp &warp, const machine::Op &op, llvm::ArrayRef<machine::MovedBytes> parts) override;

private:
  using Numbers = llvm::ArrayRef<uint32_t>;
  const Site &siteAt(const machine::FunctionCode &code, uint32_t instruction);
  Term termOf(const machine::Frame &frame, uint32_t number, unsigned lane) const;
  void set(machine::Frame &frame, uint32_t number, unsigned lane, Term term, bool keepsConstant = false);
  void setAll(machine::Frame &frame, Numbers numbers, uint32_t lanes, Term term);
  uint32_t lanesWithTerms(const machine::Frame &frame, Numbers numbers) const;
  uint32_t guardedByTerm(const machine::Frame &frame, const machine::ValueFlow &flow) const;
  void compute(machine::Warp &warp, const machine::FunctionCode &code, uint32_t instruction, uint32_t executing);
  void assign(machine::Frame &frame, const Site &site, Symbolic &symbolic, uint32_t lanes);
  void assignGuarded(machine::Frame &frame, const machine::FunctionCode &code, uint32_t instruction,
                     const machine::ValueFlow &flow, const Site &site, Symbolic &symbolic, uint32_t lanes);
  bool multiply(machine::Frame &frame, const Site &site, Symbolic &symbolic);
  Term elementAt(const machine::Frame &frame, const machine::ElementPlace &place, unsigned bits);
  void load(machine::Warp &warp, const machine::LaneAccess &access, const Site &site);
  struct Store;
  void store(machine::Warp &warp, const machine::LaneAccess &access, const Site &site);
  void storeLane(Store &store, unsigned lane, bool hasTerms);
  void put(Store &store, unsigned lane, size_t offset, Ref ref);
  bool noteAtomic(const Store &store, unsigned lane);
  void forgetAtomics(const uint8_t *bytes, size_t count);
  void loadLane(machine::Warp &warp, const machine::LaneAccess &access, const Site &site, Symbolic &symbolic,
                unsigned lane, llvm::MutableArrayRef<Ref> bytes);
  std::vector<Ref> bytesAt(machine::Warp &warp, const machine::LaneAccess &access, unsigned lane, size_t count);
  uint8_t storedByte(const machine::Frame &frame, const machine::LaneAccess &access, unsigned lane,
                     size_t offset) const;
  void putAt(machine::Warp &warp, const machine::LaneAccess &access, unsigned lane, size_t offset, const Ref &ref);
  Ref byteIn(Term term, unsigned byte);
  Ref *localAt(machine::Warp &warp, unsigned lane, uint64_t offset, uint64_t bytes);
  void obstruct(std::string what, const machine::FunctionCode &code, uint32_t instruction);
  // Decisions (TermDecisions.cpp).
  void add(Decision one);
  void decideAll(const machine::Frame &frame, uint32_t instruction, Decision::Kind kind, Numbers numbers,
                 uint32_t lanes);
  void decideOperands(machine::Warp &warp, const machine::FunctionCode &code, uint32_t instruction, uint32_t lanes);
  void decideAddresses(machine::Warp &warp, const machine::LaneAccess &access);
  void markSelected(const machine::Frame &frame, const machine::LaneAccess &access, unsigned lane,
                    llvm::MutableArrayRef<Ref> bytes);

  Terms &terms;
  const ReadModule &module;
  TermMemory memory;
  const size_t buffers;
  Followed &out;
  std::map<std::pair<const machine::FunctionCode *, uint32_t>, Site> sites;
  /// The atomic operations on a word of memory.
  struct AtomicUse {
    uint64_t kind; // kind of the first operation
    const machine::Warp *warp;
    bool isMixed, isOfSeveral; // there are several kinds, or several warps
  };
  llvm::DenseMap<uint64_t, AtomicUse> atomics; // indexed by address / 4
  std::set<decltype(std::declval<Decision>().key())> decided;
};

} // namespace ptxray::equal
