#pragma once
// A 64-bit hash of an opcode and the shapes of its operands. Equal hashes mean equal verdicts. The parser combines the
// spellings of the operands. The resolver adds the declarations of their names.
#include "Parse/Ast.h"

namespace ptxray {

class Fingerprint {
public:
  explicit Fingerprint(SpellingId opcode) : sum((static_cast<uint64_t>(opcode) + 1) * 0xE7037ED1A0B428DB) {}
  explicit Fingerprint(uint64_t begun) : sum(begun) {}
  void add(uint64_t print) { sum = (sum + print) * 0xD6E8FEB86659FD93; }
  uint64_t value() const { return sum; }

private:
  uint64_t sum;
};

/// Returns the hash of an operand's spelling without names, suffixes and values of numbers, which matter to few
/// opcodes.
inline uint64_t writtenPrint(const Operand &operand) {
  const uint64_t flags = operand.flags & WrittenFlags, kind = static_cast<uint64_t>(operand.kind);
  return flags << 40 | kind << 32 | operand.extent;
}

} // namespace ptxray
