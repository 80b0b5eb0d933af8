#pragma once
// What an accepted instruction does with its operands. It depends on no more than its verdict does,
// so it is found together with it, once for each shape.
#include "Isa/Tables.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include <array>

namespace ptxray {

struct FormView;
struct Operand;
struct Shape;

enum Use : uint8_t {
  Reads = 1,     // a register
  Writes = 2,    // a register, or beside Names a variable that a call returns
  Addresses = 4, // a register that is an address
  Targets = 8,   // a label, or the name of a list of them
  Calls = 16,    // a function
  Names = 32,    // a variable, or a function whose address is taken
  Passes = 128,  // beside Reads: the value goes on as it is, and need not be defined
};

struct NodeUse {
  uint16_t node; // of the instruction's operands
  uint8_t uses;
  bool operator==(const NodeUse &) const = default;
};

/// Bytes in memory behind the name of a variable.
struct Access {
  uint16_t node;
  uint16_t align; // that it needs
  uint32_t bytes;
  uint32_t taken; // fewer, where the last elements of a loaded vector go nowhere: `{a, b, c, _}`
  bool operator==(const Access &) const = default;
};

struct Usage {
  bool known = false; // false: the instruction is refused, so it may do anything
  bool hasResult = false;
  bool isPlain = false; // nothing but registers read and written
  uint8_t effects = 0;  // a bit for each isa::Effect
  uint8_t uses = 0;     // of all nodes
  llvm::SmallVector<NodeUse, 4> nodes;
  llvm::SmallVector<Access, 1> accesses;

  bool operator==(const Usage &) const = default;
  bool has(isa::Effect effect) const { return effects >> static_cast<unsigned>(effect) & 1; }
};

/// The uses of an instruction's names one by one, if it does nothing but read and write a few registers.
struct PlainUses {
  bool known = false;
  std::array<uint8_t, 7> uses{};
};
PlainUses plainUses(const Usage &usage, llvm::ArrayRef<Operand> nodes);

/// Of an instruction that is accepted.
Usage usageOf(const FormView &view);
Usage usageOfRefused(llvm::ArrayRef<Shape> shapes);

} // namespace ptxray
