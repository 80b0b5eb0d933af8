#pragma once
// A match of a written instruction with one form of the tables: the word of each slot, the node of each operand, and
// the row of each table. It contains only numbers, and may outlive the objects from which it was created.
#include "Isa/Isa.h"
#include "Match/Finding.h"
#include "Match/TypeRules.h"
#include <optional>

namespace ptxray {

struct FormMatch {
  explicit FormMatch(uint32_t form);

  const isa::Form &form() const { return isa::tables().forms[formIndex]; }

  /// Returns the word of a slot, or its default if it is not written, or 0.
  isa::WordId word(unsigned slot) const { return slotWord[slot] ? slotWord[slot] : slots[slot].fallback; }
  bool isWritten(unsigned slot) const { return slotWord[slot] != 0; }
  /// Return the word of the slot with that name (or 0), and the text of that word (or an empty string).
  isa::WordId wordOf(llvm::StringRef slot) const;
  llvm::StringRef slotText(llvm::StringRef slot) const { return isa::word(wordOf(slot)).text(); }
  std::optional<unsigned> findSlot(llvm::StringRef name) const; // `name` includes the dot
  std::optional<unsigned> findOperand(llvm::StringRef name) const;
  bool isWritten(llvm::StringRef operand) const;

  FindingPlace placeOfSlot(unsigned slot) const; // location of its word, or of the opcode if it is not written
  FindingPlace placeOfOperand(unsigned index) const;
  FindingPlace placeOfOperand(llvm::StringRef name) const;

  bool mayNegate(unsigned operand) const; // `{-}a`
  /// Returns the declared type of an operand, read from its slot if necessary.
  TypeView typeOf(unsigned operand) const;
  /// Returns a length or bound, or none if it depends on a slot that is not written.
  std::optional<int64_t> value(const isa::Term &term) const;
  /// Return the allowed lengths and values of an operand, from its declaration or the rows of the tables.
  llvm::ArrayRef<isa::Term> lengths(unsigned operand) const;
  llvm::ArrayRef<isa::ValueRange> ranges(unsigned operand) const;

  uint32_t formIndex;
  llvm::ArrayRef<isa::Slot> slots;
  llvm::ArrayRef<isa::OperandDecl> operands;
  llvm::SmallVector<isa::WordId, 24> slotWord; // 0 if not written
  llvm::SmallVector<int16_t, 24> slotAt;       // index of the word in the opcode; -1 - node for a suffix
  llvm::SmallVector<int16_t, 16> nodeOf;       // indexed by operand; -1 if not written
  llvm::SmallVector<int32_t, 4> rowOf;         // indexed by table of the form; -1 if no row fits
};

} // namespace ptxray
