#pragma once
// Encodes and decodes the descriptors of wgmma and tcgen05.
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <cassert>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ptxray::descriptor {

struct Choice {
  llvm::StringLiteral name;
  uint32_t value;
};

/// A bit field. Without `choices`, it represents `value << shift`.
struct Field {
  llvm::StringLiteral key;   // `m`; empty if reserved
  llvm::StringLiteral title; // `rows of D`
  uint8_t first, bits, shift;
  llvm::ArrayRef<Choice> choices;
  uint32_t fixed = 0; // required value of a reserved field

  bool isReserved() const { return key.empty(); }
  uint32_t of(uint64_t value) const {
    assert(bits <= 32 && first + bits <= 64 && "a field lies within its descriptor");
    return value >> first & ((uint64_t(1) << bits) - 1);
  }
  /// Returns the value as a user would write it: `256`, `f32`, `1`.
  std::string meaning(uint64_t value) const;
  const Choice *choice(uint64_t value) const;
};

struct Format {
  llvm::StringLiteral name; // `idesc`, `smem`, `wgmma-smem`, `zero-mask`
  llvm::StringLiteral kind; // `f16`; only for an `idesc`
  llvm::StringLiteral title;
  llvm::StringLiteral table; // in the PTX manual
  uint8_t bits;
  llvm::ArrayRef<Field> fields;

  const Field *field(llvm::StringRef key) const;
  /// Returns the number that a field represents; 0 if the format has no such field.
  uint32_t get(uint64_t value, llvm::StringRef key) const;
};

/// Targets whose tensor cores use the same descriptors.
enum class Family : uint8_t { Unknown, Sm100, Sm103, Sm107 };
/// Returns the family of a target, by its number: `sm_100a` is 100.
Family familyOf(unsigned target);

/// Returns the fields that are nonzero or always relevant: `m = 128, n = 256, d = f32, a = f16`.
std::string summaryOf(const Format &format, uint64_t value);
/// Returns one line for each field: bits, name, value and title.
std::string fieldLines(const Format &format, uint64_t value);

/// Returns the kinds of tcgen05.mma whose descriptor is documented: `f16`, `tf32`, ...
llvm::ArrayRef<llvm::StringLiteral> kinds();
/// Returns null if there is no such format, or no `idesc` of that kind. `kind` is empty for all other formats.
const Format *findFormat(llvm::StringRef name, llvm::StringRef kind, Family family = Family::Unknown);
llvm::ArrayRef<llvm::StringLiteral> formatNames();

/// Sets the value of a field. Returns the problem with the key or the text, or nothing on success.
std::optional<std::string> setField(const Format &format, uint64_t &value, llvm::StringRef key, llvm::StringRef text);

/// The known facts about how an instruction uses a descriptor.
struct Use {
  std::string kind;
  uint32_t ctaGroup = 0;               // 0 if unknown
  std::optional<bool> sparse, ws;      // .sp, .ws
  bool isA = true, isB = true;         // the matrices that a shared-memory descriptor may describe
  std::optional<uint64_t> instruction; // the instruction descriptor of the same instruction
  std::optional<uint64_t> a, b;        // the shared-memory descriptors of the same instruction
  uint32_t scaleVectors = 0;           // scale factors per row: 1, 2, 4; 0 if unknown
  Family family = Family::Unknown;
};

enum class Offence : uint8_t { Bits, Type, Shape, Form, Transpose };
struct Problem {
  Offence offence;
  std::string text;        // `M = 192`
  std::string table;       // `Table 39`
  bool isPedantic = false; // NVIDIA's own libraries violate it
};
/// Checks for reserved bits that are set and for values without a meaning. The other checks call this function.
std::vector<Problem> checkFields(const Format &format, uint64_t value);
std::vector<Problem> checkInstruction(uint64_t value, const Use &use);
std::vector<Problem> checkShared(uint64_t value, const Use &use);
std::vector<Problem> checkZeroMask(uint64_t value, std::optional<uint32_t> m);

/// Returns the number of scale factors per row, given a qualifier such as `4X` or `block32`. K = 96 is an exception.
uint32_t scaleVectors(llvm::StringRef word, llvm::StringRef kind);
/// Returns K in elements, from the kind and the fields of an instruction descriptor.
uint32_t depthOf(const Format &format, uint64_t value);

/// Returns the columns that a zero-column mask descriptor clears: one list for M = 128, two for 64, four for 32. A set
/// bit is a column of zeros.
std::vector<std::vector<bool>> zeroColumns(uint64_t value, uint32_t m, uint32_t n);

/// Returns whether four bits are a valid index of sparse metadata. `bits` is the width of an element of A.
bool isSparseIndex(unsigned index, unsigned bits, bool ordered);

} // namespace ptxray::descriptor
