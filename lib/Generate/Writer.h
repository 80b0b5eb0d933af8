#pragma once
// A kernel that is being made, line by line: what its threads do, step after step, and around it what that needs.
#include "Generate/Program.h"
#include "Generate/Stock.h"
#include <set>

namespace ptxray {

/// The owner of the memory that an instruction accesses is one of these.
enum class Owner : uint8_t {
  Itself, // the thread's own
  Other,  // another thread's of the block: between two barriers
  Block,  // a cell that all threads of the block change: between two barriers
};

class Writer {
public:
  Writer(const ProgramOptions &options, llvm::StringRef target, Stock &stock);
  std::string write(uint16_t ptx);

private:
  static constexpr unsigned ownBytes = 64;  // of each space that a thread has for itself, and of the cells of a block
  static constexpr unsigned cellBytes = 16; // of one of these
  static constexpr unsigned lanes = 32;

  // Writer.cpp
  static std::string number(unsigned value) { return std::to_string(value); }
  unsigned pick(unsigned count) { return static_cast<unsigned>(random() % count); }
  bool chance(unsigned percent) { return pick(100) < percent; }
  bool has(Family family) const { return options.families & bitOf(family); }
  void line(const std::string &text) { (body += "  " + text) += '\n'; }
  /// Returns a register that computes; it counts as used.
  std::string anyOf(unsigned bits);
  std::string renamed(llvm::StringRef operands);
  std::string textOf(const Blueprint &one, Owner owner = Owner::Itself, unsigned cell = 0);
  std::string baseOf(Region region, Owner owner);
  std::string guardFor(const Blueprint &one);
  void declareAndBegin(std::string &out) const;
  void loadRegisters(std::string &out) const;
  void storeRegisters(std::string &out) const;
  static unsigned bytesOfThread();
  bool isIn(llvm::StringRef name) const { return names.count(name.str()) != 0; }

  // Steps.cpp
  struct Where {
    unsigned depth = 0;      // so many branches and loops are around
    bool isTogether = false; // all threads of the block come here
  };
  void steps(unsigned count, unsigned depth, bool isTogether);
  void step(Where where);
  void computation(Where where);
  void ownMemory(Where where);
  void ownAtomic(Where where);
  void warp(Where where);
  void matrix(Where where);
  void barrier(Where where);
  void exchange(Where where);
  void cells(Where where);
  void branch(Where where);
  void loop(Where where);
  void choice(Where where);
  void call(Where where);
  void addFunction();

  const ProgramOptions &options;
  const llvm::StringRef target;
  Stock &stock;
  std::mt19937_64 random;
  unsigned threads = 0, blocks = 0, labels = 0, helpers = 0, made = 0;
  std::string functions, tables, body; // tables: the targets of switches
  std::set<unsigned> used;             // numbers of registers
  std::set<std::string> names;         // of what else is needed: `%slot`
};

} // namespace ptxray
