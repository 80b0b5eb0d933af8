#pragma once
// Writes a kernel line by line: the steps of its threads, and the surrounding declarations and initialisation.
#include "Generate/Program.h"
#include "Generate/Stock.h"
#include <set>

namespace ptxray {

/// The owner of the memory that an instruction accesses.
enum class Owner : uint8_t {
  Itself, // the thread itself
  Other,  // another thread of the block; used between two barriers
  Block,  // all threads of the block, which modify a shared cell; used between two barriers
};

class Writer {
public:
  Writer(const ProgramOptions &options, llvm::StringRef target, Stock &stock);
  std::string write(uint16_t ptx);

private:
  static constexpr unsigned ownBytes = 64;  // size of a thread's own part of each space, and of the block's cells
  static constexpr unsigned cellBytes = 16; // size of one cell
  static constexpr unsigned lanes = 32;

  // Writer.cpp
  static std::string number(unsigned value) { return std::to_string(value); }
  unsigned pick(unsigned count) { return static_cast<unsigned>(random() % count); }
  bool chance(unsigned percent) { return pick(100) < percent; }
  bool has(Family family) const { return options.families & bitOf(family); }
  void line(const std::string &text) { (body += "  " + text) += '\n'; }
  /// Returns a register for computation, and marks it as used.
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
    unsigned depth = 0;      // number of enclosing branches and loops
    bool isTogether = false; // all threads of the block reach this point
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
  std::string functions, tables, body; // tables: the target lists of switches
  std::set<unsigned> used;             // numbers of the used registers
  std::set<std::string> names;         // other names in use: `%slot`
};

} // namespace ptxray
